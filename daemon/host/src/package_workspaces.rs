//! Opens the source of a package that a project depends on as a workspace beside the project's.
//!
//! Such a workspace is like any other, and two projects with the same source share it; it is opened when somebody asks for it, and is the
//! first to leave when memory is short.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use hob_base::AbsPath;
use hob_workspace::manifest::{Ecosystem, Package};
use hob_workspace::package_source::{PackageSource, PackageSourceQuery, packages_called};

use super::registry::Host;
use super::workspace::Workspace;

/// Ecosystems in which a package that no manifest names may be installed all the same.
const UNNAMED: [Ecosystem; 2] = [Ecosystem::PyPi, Ecosystem::Npm];

/// Why the source of a package could not be opened.
#[derive(Debug, PartialEq, Eq)]
pub enum PackageError {
    /// No manifest or lock file of the project names it, and it is not installed either.
    Unknown {
        /// The direct dependencies that the project does have, sorted.
        named: Vec<String>,
    },
    /// The project depends on it, and it is not on this machine.
    Absent {
        /// Its name, and its version if one is known.
        package: String,
        /// The folders that were looked at.
        looked_at: Vec<PathBuf>,
    },
    /// Its source is this one file, and a file is no workspace.
    OneFile(PathBuf),
}

impl Host {
    /// The workspace of the source of the package `name` that `project` depends on, opened and being indexed if it was not.
    ///
    /// # Errors
    /// [`PackageError`] when there is no such source.
    pub fn package_workspace(&self, project: &Workspace, name: &str) -> Result<Arc<Workspace>, PackageError> {
        let folder = self.find_package(project, name)?;
        // A link may lead anywhere; what is around the project is no package of it.
        let resolved =
            fs::canonicalize(&folder).ok().filter(|path| !project.root().as_path().starts_with(path));
        let resolved = resolved.filter(|path| !self.broad.is_never_project(path));
        let resolved = resolved.and_then(|path| AbsPath::new(path).ok());
        let absent = || PackageError::Absent { package: name.to_owned(), looked_at: vec![folder] };
        Ok(self.use_workspace(&resolved.ok_or_else(absent)?, true))
    }

    fn find_package(&self, project: &Workspace, name: &str) -> Result<PathBuf, PackageError> {
        let packages = project.packages();
        let called = packages_called(&packages, name);
        let (mut looked_at, mut package_names) = (Vec::new(), Vec::new());
        for package in &called {
            match self.source_of(project, package) {
                PackageSource::Folder(folder) => return Ok(folder),
                PackageSource::File(file) => return Err(PackageError::OneFile(file)),
                PackageSource::Absent(folders) => looked_at.extend(folders),
            }
            package_names.push(versioned_name(package));
        }
        if let Some(package) = package_names.into_iter().next() {
            return Err(PackageError::Absent { package, looked_at });
        }
        self.find_unnamed(project, name)
            .ok_or_else(|| PackageError::Unknown { named: direct_names(&packages) })
    }

    fn source_of(&self, project: &Workspace, package: &Package) -> PackageSource {
        let folder_of = |manifest: &hob_base::WsPath| {
            let path = project.root().join_ws(manifest);
            path.as_path().parent().map(std::path::Path::to_path_buf)
        };
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in package.places.iter().filter_map(|place| folder_of(&place.manifest)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let mut versions: Vec<String> = package.version.iter().cloned().collect();
        versions.extend(package.versions.iter().rev().cloned());
        let query = PackageSourceQuery {
            project: project.root(),
            ecosystem: package.ecosystem,
            name: &package.name,
            versions: &versions,
            folders: &folders,
            caches: &self.options.package_caches,
        };
        query.find_source()
    }

    fn find_unnamed(&self, project: &Workspace, name: &str) -> Option<PathBuf> {
        UNNAMED.iter().find_map(|ecosystem| {
            let query = PackageSourceQuery {
                project: project.root(),
                ecosystem: *ecosystem,
                name: &ecosystem.normalise_name(name),
                versions: &[],
                folders: &[],
                caches: &self.options.package_caches,
            };
            match query.find_source() {
                PackageSource::Folder(folder) => Some(folder),
                _ => None,
            }
        })
    }
}

fn versioned_name(package: &Package) -> String {
    match &package.version {
        Some(version) => format!("{} {version}", package.name),
        None => package.name.clone(),
    }
}

fn direct_names(packages: &[Package]) -> Vec<String> {
    let direct = packages.iter().filter(|package| package.direct && !package.local);
    let mut names: Vec<String> = direct.map(|package| package.name.clone()).collect();
    names.dedup();
    names
}
