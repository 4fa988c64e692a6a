//! Opens the source of a package that a project depends on as a workspace in addition to the project's.
//!
//! Such a workspace is like any other, and two projects with the same source share it; a question opens it, and it is
//! the first to leave when memory is short.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use hob_base::{AbsPath, lock};
use hob_workspace::manifest::{Ecosystem, Package};
use hob_workspace::package_source::{PackageSource, PackageSourceQuery, packages_called};

use super::artifacts::{ProjectArtifact, position_called};
use super::joined::has_more_files;
use super::registry::Host;
use super::workspace::Workspace;

/// Ecosystems in which a package that no manifest names may be installed nevertheless.
const UNNAMED: [Ecosystem; 2] = [Ecosystem::PyPi, Ecosystem::Npm];

/// Most files of a package that is indexed for a question about all packages.
const MOST_FILES_UNASKED: usize = 4_000;

/// The reason why the source of a package could not be opened.
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
        /// The folders in which it was looked for.
        looked_at: Vec<PathBuf>,
    },
    /// Its sources jar is not on this machine.
    NoSources {
        /// The address of the artifact: `group:artifact:version`.
        coordinates: String,
    },
    /// Its source is this one file, and a file is no workspace.
    OneFile(PathBuf),
}

/// The place of a package's source.
enum PackageLocation {
    Folder(PathBuf),
    /// The jar of one artifact, by its index among those of the project.
    Jar(Arc<Vec<ProjectArtifact>>, usize),
}

/// The effort of asking the source of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageEffort {
    /// No effort: it is open.
    Open,
    /// It has to be indexed, and has few files.
    Small,
    /// It has to be indexed, and has many files.
    Large,
}

impl Host {
    /// Returns the workspace of the source of the package `name` that `project` depends on. It is opened and indexed if
    /// it was not.
    ///
    /// # Errors
    /// [`PackageError`] when there is no such source.
    pub fn package_workspace(&self, project: &Workspace, name: &str) -> Result<Arc<Workspace>, PackageError> {
        Ok(self.use_workspace(&self.package_root(project, name)?, true))
    }

    /// Estimates the effort of asking the source of the package `name`, which this does not open.
    ///
    /// # Errors
    /// [`PackageError`] when there is no such source.
    pub fn package_effort(&self, project: &Workspace, name: &str) -> Result<PackageEffort, PackageError> {
        let location = self.find_package(project, name)?;
        if let PackageLocation::Jar(artifacts, at) = &location {
            return Ok(self.jar_effort(&artifacts[*at]));
        }
        let root = self.root_at(project, name, location)?;
        let is_open = lock(&self.open).contains_key(&root);
        let is_large = !is_open && has_more_files(root.as_path(), MOST_FILES_UNASKED);
        Ok(match (is_open, is_large) {
            (true, _) => PackageEffort::Open,
            (false, false) => PackageEffort::Small,
            (false, true) => PackageEffort::Large,
        })
    }

    /// Estimates the effort of asking the sources in a jar, which this does not unpack.
    fn jar_effort(&self, artifact: &ProjectArtifact) -> PackageEffort {
        let is_open = |root: AbsPath| lock(&self.open).contains_key(&root);
        let files = artifact.sources_jar().map_or(0, |jar| jar.files);
        match self.unpacked_artifact(artifact).is_some_and(is_open) {
            true => PackageEffort::Open,
            false if files > MOST_FILES_UNASKED => PackageEffort::Large,
            false => PackageEffort::Small,
        }
    }

    fn package_root(&self, project: &Workspace, name: &str) -> Result<AbsPath, PackageError> {
        let location = self.find_package(project, name)?;
        self.root_at(project, name, location)
    }

    fn root_at(
        &self,
        project: &Workspace,
        name: &str,
        location: PackageLocation,
    ) -> Result<AbsPath, PackageError> {
        let folder = match location {
            PackageLocation::Folder(folder) => folder,
            PackageLocation::Jar(artifacts, at) => {
                let one = &artifacts[at];
                let jar = one.artifact.sources.clone().unwrap_or_default();
                let absent =
                    || PackageError::Absent { package: one.artifact.coordinates(), looked_at: vec![jar] };
                return self.unpack_artifact(one).ok_or_else(absent);
            }
        };
        // A link may lead anywhere, but a folder around the project is no package of it.
        let resolved =
            fs::canonicalize(&folder).ok().filter(|path| !project.root().as_path().starts_with(path));
        let resolved = resolved.filter(|path| !self.broad.is_never_project(path));
        let resolved = resolved.and_then(|path| AbsPath::new(path).ok());
        resolved.ok_or_else(|| PackageError::Absent { package: name.to_owned(), looked_at: vec![folder] })
    }

    fn find_package(&self, project: &Workspace, name: &str) -> Result<PackageLocation, PackageError> {
        let packages = project.packages();
        let called = packages_called(&packages, name);
        let (mut looked_at, mut package_names) = (Vec::new(), Vec::new());
        for package in &called {
            match self.source_of(project, package) {
                PackageSource::Folder(folder) => return Ok(PackageLocation::Folder(folder)),
                PackageSource::File(file) => return Err(PackageError::OneFile(file)),
                PackageSource::Absent(folders) => looked_at.extend(folders),
            }
            package_names.push(versioned_name(package));
        }
        if let Some(found) = self.find_artifact(project, name) {
            return found;
        }
        if let Some(package) = package_names.into_iter().next() {
            return Err(PackageError::Absent { package, looked_at });
        }
        let unnamed = self.find_unnamed(project, name).map(PackageLocation::Folder);
        unnamed.ok_or_else(|| PackageError::Unknown { named: direct_names(&packages) })
    }

    /// Returns the jar of the artifact with this name; `None` if the project has no such artifact.
    fn find_artifact(
        &self,
        project: &Workspace,
        name: &str,
    ) -> Option<Result<PackageLocation, PackageError>> {
        let artifacts = project.artifacts(&self.options.package_caches);
        let at = position_called(&artifacts, name)?;
        let one = &artifacts[at];
        if one.sources_jar().is_none() {
            return Some(Err(PackageError::NoSources { coordinates: one.artifact.coordinates() }));
        }
        Some(Ok(PackageLocation::Jar(artifacts, at)))
    }

    fn source_of(&self, project: &Workspace, package: &Package) -> PackageSource {
        let (folders, versions) = (folders_of(project, package), versions_of(package));
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

/// Returns the folders of the manifests that name a package, which may have packages of their own.
pub(super) fn folders_of(project: &Workspace, package: &Package) -> Vec<PathBuf> {
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
    folders
}

/// Returns the versions of a package that may be the wanted one, the best first.
pub(super) fn versions_of(package: &Package) -> Vec<String> {
    let mut versions: Vec<String> = package.version.iter().cloned().collect();
    versions.extend(package.versions.iter().rev().cloned());
    versions
}

fn versioned_name(package: &Package) -> String {
    match &package.version {
        Some(version) => format!("{} {version}", package.name),
        None => package.name.clone(),
    }
}

/// Returns the names of the packages that a project depends on directly, sorted; its own members are left out.
#[must_use]
pub fn direct_names(packages: &[Package]) -> Vec<String> {
    let direct = packages.iter().filter(|package| package.direct && !package.local);
    let mut names: Vec<String> = direct.map(|package| package.name.clone()).collect();
    names.dedup();
    names
}
