//! Takes another open project for the package that it publishes.
//!
//! Projects that are asked together often use each other without being installed in each other: nothing on the disk leads from one to the
//! other, only the name in a manifest. A project publishes what its outermost manifest says it is called, and in Python the modules at its
//! top or in `src`. Not here: packages that are installed (`outside`), and the other members of a monorepo, which the map follows by itself.

use std::sync::Arc;

use hob_base::WsPath;
use hob_map::Map;
use hob_map::graph::OutsidePackage;
use hob_workspace::manifest::Ecosystem;

use super::outside::{OutsideContents, OutsideSource, ecosystem_of, is_within};
use crate::workspace::Workspace;

impl OutsideSource {
    /// The project `sibling` as the package that files of another project name so; `None` if it is not that package.
    #[must_use]
    pub fn of_sibling(package: &OutsidePackage, sibling: &Arc<Workspace>) -> Option<Self> {
        let ecosystem = ecosystem_of(package.lang)?;
        let published = published_name(&sibling.map(), ecosystem, &package.name)?;
        Some(Self {
            package: package.clone(),
            ecosystem,
            title: format!("{published} in {}", sibling.root()),
            published,
            root: sibling.root().clone(),
            below: String::new(),
            is_standard: false,
            manifest: None,
            contents: OutsideContents::Folder(Arc::clone(sibling)),
        })
    }
}

/// The name by which a project publishes what files import as `imported`.
fn published_name(map: &Map, ecosystem: Ecosystem, imported: &str) -> Option<String> {
    if ecosystem == Ecosystem::PyPi {
        return has_module(map, imported).then(|| imported.to_owned());
    }
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
    let mut own = map.named_packages().into_iter().filter(|(path, _)| path.as_str() == manifest);
    own.find(|(_, name)| is_called(name)).map(|(_, name)| name)
}

/// Says whether a Python project has a module at its top or in `src`.
fn has_module(map: &Map, module: &str) -> bool {
    let is_module = |path: &WsPath| {
        let path = path.as_str().strip_prefix("src/").unwrap_or(path.as_str());
        path.strip_prefix(module).is_some_and(|rest| rest.starts_with('/') || rest == ".py")
    };
    map.files().any(|(_, path, facts)| is_module(path) && ecosystem_of(facts.lang) == Some(Ecosystem::PyPi))
}
