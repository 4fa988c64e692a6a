//! Finds another open project that publishes a package, and takes it for that package.
//!
//! Projects that are asked together often use each other without being installed in each other: nothing on the disk
//! leads from one to the other, only the name in a manifest. A project publishes the names in its manifests, the
//! outermost as well as those of its members (workspaces of npm and Cargo, modules of Go and Maven); in Python the
//! modules next to a manifest or in `src`, and in Java and its kin the packages that its files declare. The whole
//! project is joined in one step, whichever member is meant, so that the map follows one member into another. Not here:
//! installed packages (`outside`).

use std::sync::Arc;

use hob_base::WsPath;
use hob_map::Map;
use hob_map::graph::OutsidePackage;
use hob_workspace::manifest::Ecosystem;
use rustc_hash::FxHashSet;

use super::outside::{OutsideContents, OutsideSource, ecosystem_of, is_within};
use crate::workspace::Workspace;

/// The manifests next to which the modules of a Python project begin.
const PYTHON_MANIFESTS: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

impl OutsideSource {
    /// Returns the project `sibling` as the package that files of another project import by that name; `None` if it is
    /// another one.
    #[must_use]
    pub fn of_sibling(package: &OutsidePackage, sibling: &Arc<Workspace>) -> Option<Self> {
        let ecosystem = ecosystem_of(package.lang)?;
        let published = published_name(&sibling.map(), ecosystem, &package.name)?;
        Some(Self {
            package: package.clone(),
            ecosystem: Some(ecosystem),
            title: format!("{published} in {}", sibling.root()),
            published,
            root: sibling.root().clone(),
            below: String::new(),
            is_standard: false,
            is_project: true,
            manifest: None,
            contents: OutsideContents::Folder(Arc::clone(sibling)),
        })
    }
}

/// Returns the name by which a project or a member of it publishes what files import as `imported`.
fn published_name(map: &Map, ecosystem: Ecosystem, imported: &str) -> Option<String> {
    let is_published = match ecosystem {
        Ecosystem::PyPi => has_module(map, imported),
        Ecosystem::Maven => declares_package(map, imported),
        _ => return named_so(map, ecosystem, imported),
    };
    is_published.then(|| imported.to_owned())
}

/// Returns the name by which files may import `imported`, from the outermost manifest that has such a name.
fn named_so(map: &Map, ecosystem: Ecosystem, imported: &str) -> Option<String> {
    let manifest = match ecosystem {
        Ecosystem::Npm => "package.json",
        Ecosystem::Cargo => "Cargo.toml",
        Ecosystem::Go => "go.mod",
        _ => return None,
    };
    let is_called = |name: &str| match ecosystem {
        Ecosystem::Cargo => name.replace('-', "_") == imported,
        Ecosystem::Go => is_within(imported, name) || is_within(name, imported),
        _ => name == imported,
    };
    let all = map.named_packages().into_iter();
    let own = all.filter(|(path, name)| path.file_name() == manifest && is_called(name));
    own.min_by_key(|(path, _)| (path.as_str().matches('/').count(), path.clone())).map(|(_, name)| name)
}

/// Returns true if a Python project has a module next to a manifest or in `src` there; without a manifest, at its top.
fn has_module(map: &Map, module: &str) -> bool {
    let is_manifest = |path: &&WsPath| PYTHON_MANIFESTS.contains(&path.file_name());
    let mut folders: FxHashSet<&str> =
        map.files().map(|(_, path, _)| path).filter(is_manifest).map(WsPath::dir).collect();
    folders.insert("");
    let is_module = |path: &str| {
        let mut begins = path.match_indices(module).map(|(at, _)| path.split_at(at));
        begins.any(|(before, rest)| {
            let folder = before.strip_suffix("src/").unwrap_or(before).trim_end_matches('/');
            let rest = &rest[module.len()..];
            (before.is_empty() || before.ends_with('/'))
                && (rest.starts_with('/') || rest == ".py")
                && folders.contains(folder)
        })
    };
    map.files()
        .any(|(_, path, facts)| ecosystem_of(facts.lang) == Some(Ecosystem::PyPi) && is_module(path.as_str()))
}

/// Returns true if a file of a project declares a package of Java or its kin.
fn declares_package(map: &Map, package: &str) -> bool {
    map.files().any(|(_, _, facts)| {
        let is_it = facts.package.is_some_and(|name| facts.name(name) == package);
        is_it && ecosystem_of(facts.lang) == Some(Ecosystem::Maven)
    })
}
