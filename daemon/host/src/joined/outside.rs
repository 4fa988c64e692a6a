//! Finds and opens the package to which a name in a file leads.
//!
//! A package's folder is opened as a workspace of its own, which is then indexed and shared by all projects that use
//! it. A module of one file, and a folder of a standard library, are read by themselves (`direct`). `artifact` finds
//! the packages of Java and its kin, `headers` those of C.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_base::{AbsPath, small};
use hob_map::Lang;
use hob_map::graph::OutsidePackage;
use hob_workspace::manifest::{Ecosystem, Package};
use hob_workspace::package_source::{PackageSource, PackageSourceQuery, installed_title};

use super::direct;
use super::headers::has_headers;
use super::project_part::ProjectFiles;
use crate::package_workspaces::{folders_of, versions_of};
use crate::registry::Host;
use crate::workspace::Workspace;

/// Most files of a package that is opened for a question about one name.
pub(super) const MOST_FILES: usize = 30_000;

/// Largest size of a `package.json` in bytes: nobody writes a larger one.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Crates that come with Rust and not from a registry.
const STANDARD: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// First segments of packages that come with Java.
const JAVA: [&str; 3] = ["java", "jdk", "sun"];

/// The source of a package, opened.
#[derive(Clone, Debug)]
pub struct OutsideSource {
    /// The package, as files name it.
    pub package: OutsidePackage,
    /// The ecosystem in which it is published; `None` for headers of this machine.
    pub(super) ecosystem: Option<Ecosystem>,
    /// The name and version of the package.
    pub(super) title: String,
    /// The name by which it is published.
    pub(super) published: String,
    /// The folder that has its files; their paths are relative to it.
    pub(super) root: AbsPath,
    /// The beginning of the files' paths in an import, with the slash; empty if imports have none.
    pub(super) below: String,
    /// True if it comes with the language.
    pub(super) is_standard: bool,
    /// True if it is a whole project, with tests, manifests and members of its own.
    pub(super) is_project: bool,
    /// The text of a `package.json` that replaces its own.
    pub(super) manifest: Option<String>,
    pub(super) contents: OutsideContents,
}

/// The files of a package.
#[derive(Clone, Debug)]
pub(super) enum OutsideContents {
    /// The files of a workspace.
    Folder(Arc<Workspace>),
    /// Files with their facts, which are in no workspace.
    Files(ProjectFiles),
}

/// The reason why a package could not be opened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OutsideError {
    /// It comes with the language, and its source is not read.
    #[error("{0} comes with its language, and its source is not on this machine or is not read")]
    Standard(String),
    /// It is not on this machine.
    #[error("the source of {name} is not on this machine")]
    Absent {
        /// The name of the package.
        name: String,
        /// The folders in which it was looked for.
        looked_at: Vec<PathBuf>,
    },
    /// Its compiled classes are on this machine, and its sources are not.
    #[error("the sources of {coordinates} are not on this machine")]
    NoSources {
        /// The name by which files import it.
        name: String,
        /// The address of the artifact that has it: `group:artifact:version`.
        coordinates: String,
    },
    /// It has more files than are opened for one name.
    #[error("{name} has more than {MOST_FILES} files")]
    TooLarge {
        /// The name of the package.
        name: String,
    },
}

/// Returns the ecosystem that files of a language import from; `None` where hob does not know where its packages lie.
pub(super) fn ecosystem_of(lang: Lang) -> Option<Ecosystem> {
    match lang {
        Lang::Python | Lang::Notebook => Some(Ecosystem::PyPi),
        Lang::TypeScript
        | Lang::Tsx
        | Lang::JavaScript
        | Lang::Vue
        | Lang::Svelte
        | Lang::Astro
        | Lang::Html => Some(Ecosystem::Npm),
        Lang::Rust => Some(Ecosystem::Cargo),
        Lang::Go => Some(Ecosystem::Go),
        Lang::Java | Lang::Kotlin | Lang::Scala => Some(Ecosystem::Maven),
        _ => None,
    }
}

impl OutsideSource {
    /// Returns the package's workspace, which may still have to be indexed; `None` if the files were read by
    /// themselves.
    #[must_use]
    pub fn workspace(&self) -> Option<&Arc<Workspace>> {
        match &self.contents {
            OutsideContents::Folder(workspace) => Some(workspace),
            OutsideContents::Files(_) => None,
        }
    }

    /// Returns the name and version of the package.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }
}

impl Host {
    /// Opens the package that a name of the project leads to.
    ///
    /// # Errors
    /// [`OutsideError`] where its source cannot be had.
    pub fn open_outside(
        &self,
        project: &Workspace,
        package: &OutsidePackage,
    ) -> Result<OutsideSource, OutsideError> {
        let absent = || OutsideError::Absent { name: package.name.clone(), looked_at: Vec::new() };
        if has_headers(package.lang) {
            return self.open_headers(project, package);
        }
        let ecosystem = ecosystem_of(package.lang).ok_or_else(absent)?;
        if is_standard(ecosystem, &package.name) {
            return self.open_standard(project, ecosystem, package);
        }
        if ecosystem == Ecosystem::Maven {
            return self.open_artifact(project, package);
        }
        let packages = project.packages();
        let called = called_in_code(&packages, ecosystem, &package.name);
        let located = self.locate(project, ecosystem, &called, &package.name);
        let (found, published) = match &located {
            Ok((place, published)) => (Some(place.as_path()), published.as_str()),
            Err(_) => (None, package.name.as_str()),
        };
        // Some packages are types alone, without a package that they describe.
        let types = self.types_of(project, ecosystem, published, found);
        let (place, published, manifest) = match (types, located) {
            (Some((types, manifest)), located) => {
                let published = located.map_or_else(|_| package.name.clone(), |(_, published)| published);
                (types, published, Some(manifest))
            }
            (None, located) => {
                let (place, published) = located?;
                (place, published, None)
            }
        };
        self.open_found(project, FoundPackage { package, ecosystem, published, place, manifest })
    }

    /// Finds the place of a package, and the name by which it is published.
    fn locate(
        &self,
        project: &Workspace,
        ecosystem: Ecosystem,
        called: &[&Package],
        module: &str,
    ) -> Result<(PathBuf, String), OutsideError> {
        let mut looked_at = Vec::new();
        let unnamed = (ecosystem.normalise_name(module), Vec::new(), Vec::new());
        let mut tried: Vec<(String, Vec<String>, Vec<PathBuf>)> = Vec::new();
        for package in called {
            tried.push((package.name.clone(), versions_of(package), folders_of(project, package)));
        }
        if tried.is_empty() || ecosystem == Ecosystem::PyPi {
            tried.push(unnamed);
        }
        for (published, versions, folders) in tried {
            let name = if ecosystem == Ecosystem::PyPi { module } else { published.as_str() };
            let query = PackageSourceQuery {
                project: project.root(),
                ecosystem,
                name,
                versions: &versions,
                folders: &folders,
                caches: &self.options.package_caches,
            };
            match query.find_module() {
                PackageSource::Folder(place) | PackageSource::File(place) => return Ok((place, published)),
                PackageSource::Absent(folders) => looked_at.extend(folders),
            }
        }
        looked_at.dedup();
        Err(OutsideError::Absent { name: module.to_owned(), looked_at })
    }

    /// Returns the folder of types that others have written for a package without any, and a `package.json` for it with
    /// the package's name.
    fn types_of(
        &self,
        project: &Workspace,
        ecosystem: Ecosystem,
        published: &str,
        place: Option<&Path>,
    ) -> Option<(PathBuf, String)> {
        if ecosystem != Ecosystem::Npm || place.is_some_and(has_own_types) {
            return None;
        }
        let query = PackageSourceQuery {
            project: project.root(),
            ecosystem,
            name: published,
            versions: &[],
            folders: &[],
            caches: &self.options.package_caches,
        };
        let types = query.find_types()?;
        let mut manifest = manifest_at(&types)?;
        manifest["name"] = published.into();
        Some((types, manifest.to_string()))
    }

    fn open_found(
        &self,
        project: &Workspace,
        found: FoundPackage<'_>,
    ) -> Result<OutsideSource, OutsideError> {
        let FoundPackage { package, ecosystem, published, place, manifest } = found;
        let name = package.name.clone();
        let absent = || OutsideError::Absent { name: name.clone(), looked_at: vec![place.clone()] };
        let title = title_of(ecosystem, &place, &published, &package.name);
        // A link may lead anywhere, but a folder around the project is no package of it.
        let resolved = std::fs::canonicalize(&place).ok();
        let resolved = resolved.filter(|path| !project.root().as_path().starts_with(path));
        let resolved = resolved.filter(|path| !self.broad.is_never_project(path)).ok_or_else(absent)?;
        let root = AbsPath::new(&resolved).map_err(|_| absent())?;
        let is_file = resolved.is_file();
        if !is_file && direct::has_more_files(&resolved, MOST_FILES) {
            return Err(OutsideError::TooLarge { name });
        }
        let contents = match is_file {
            true => OutsideContents::Files(direct::facts_of_file(project, &resolved)),
            false => OutsideContents::Folder(self.use_workspace(&root, true)),
        };
        let root = if is_file { root.parent().ok_or_else(absent)? } else { root };
        let below = if is_file { String::new() } else { format!("{}/", package.name) };
        let package = package.clone();
        Ok(OutsideSource {
            package,
            ecosystem: Some(ecosystem),
            title,
            published,
            root,
            below,
            is_standard: false,
            is_project: false,
            manifest,
            contents,
        })
    }

    /// Opens a folder of Go's standard library. Those of other languages are not where a project's manager puts
    /// packages.
    fn open_standard(
        &self,
        project: &Workspace,
        ecosystem: Ecosystem,
        package: &OutsidePackage,
    ) -> Result<OutsideSource, OutsideError> {
        let missing = || OutsideError::Standard(package.name.clone());
        let root = self.options.package_caches.go_root.as_ref().filter(|_| ecosystem == Ecosystem::Go);
        let folder = root.ok_or_else(missing)?.join("src").join(&package.name);
        let is_plain =
            Path::new(&package.name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let root = AbsPath::new(&folder).ok().filter(|_| is_plain && folder.is_dir()).ok_or_else(missing)?;
        Ok(OutsideSource {
            package: package.clone(),
            ecosystem: Some(ecosystem),
            title: format!("Go's {}", package.name),
            published: package.name.clone(),
            root,
            below: format!("{}/", package.name),
            is_standard: true,
            is_project: false,
            manifest: None,
            contents: OutsideContents::Files(direct::facts_of_folder(project, &folder)),
        })
    }
}

/// A package with its place, before it is opened.
struct FoundPackage<'p> {
    package: &'p OutsidePackage,
    ecosystem: Ecosystem,
    published: String,
    place: PathBuf,
    manifest: Option<String>,
}

/// Returns true if a name is that of a package that comes with the language.
fn is_standard(ecosystem: Ecosystem, name: &str) -> bool {
    match ecosystem {
        Ecosystem::Npm => name.starts_with("node:"),
        Ecosystem::Cargo => STANDARD.contains(&name),
        // The path of any other module begins with the name of a host.
        Ecosystem::Go => !name.split('/').next().unwrap_or("").contains('.'),
        Ecosystem::Maven => JAVA.iter().any(|own| name == *own || name.starts_with(&format!("{own}."))),
        _ => false,
    }
}

/// Returns the packages of a project that files import by this name: crates are named with `_`, and of a Go module only
/// the repository is known.
fn called_in_code<'p>(packages: &'p [Package], ecosystem: Ecosystem, name: &str) -> Vec<&'p Package> {
    let is_called = |package: &&Package| match ecosystem {
        Ecosystem::Cargo => {
            package.name.replace('-', "_") == name
                || package.aliases.iter().any(|alias| alias.replace('-', "_") == name)
        }
        Ecosystem::Go => is_within(&package.name, name) || is_within(name, &package.name),
        _ => {
            package.name == ecosystem.normalise_name(name)
                || package.aliases.iter().any(|alias| alias == name)
        }
    };
    let of_kind = packages.iter().filter(|package| package.ecosystem == ecosystem && !package.local);
    let mut called: Vec<&Package> = of_kind.filter(is_called).collect();
    called.sort_by_key(|package| (!package.direct, package.name.len()));
    called
}

pub(super) fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn has_own_types(place: &Path) -> bool {
    let Some(manifest) = manifest_at(place) else { return false };
    let says = ["types", "typings"].iter().any(|key| manifest[*key].is_string());
    says || manifest["exports"].to_string().contains(".d.") || place.join("index.d.ts").is_file()
}

fn manifest_at(folder: &Path) -> Option<serde_json::Value> {
    let text = small::read_text(&folder.join("package.json"), LARGEST_MANIFEST).ok()?;
    serde_json::from_str(&text).ok()
}

fn title_of(ecosystem: Ecosystem, place: &Path, published: &str, module: &str) -> String {
    let name = if ecosystem == Ecosystem::PyPi { module } else { published };
    let manifest = if ecosystem == Ecosystem::Npm { manifest_at(place) } else { None };
    let version = manifest.as_ref().and_then(|manifest| manifest["version"].as_str());
    match version {
        Some(version) => format!("{} {version}", manifest_name(manifest.as_ref(), published)),
        None => installed_title(ecosystem, place, name),
    }
}

fn manifest_name(manifest: Option<&serde_json::Value>, published: &str) -> String {
    let name = manifest.and_then(|manifest| manifest["name"].as_str());
    name.unwrap_or(published).to_owned()
}
