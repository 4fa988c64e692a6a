//! Finds the source of a package that a project depends on, where this machine has it.
//!
//! Nothing is fetched, unpacked or run: hob reads a package where its manager put it for this project (`.venv`,
//! `node_modules`, `vendor`), or in the manager's cache for all projects (Cargo's registry, Go's module cache).
//! Versions are those of the lock file; where a project has another version installed, hob takes that one, because it
//! is the one that runs. Jars with sources are found here and unpacked by others; wheels that nobody installed are no
//! source.

mod cargo;
mod go;
mod headers;
mod maven;
mod module;
mod npm;
mod pypi;

#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};

use hob_base::AbsPath;

use crate::manifest::{Ecosystem, Package};

pub use headers::{HeaderPlace, HeaderSearch};
pub use maven::{MavenArtifact, maven_artifacts, maven_repository};
pub use module::installed_title;

/// The folders in which package managers keep packages for all projects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PackageCaches {
    /// Cargo's home folder.
    pub cargo_home: Option<PathBuf>,
    /// Go's module cache.
    pub go_modules: Option<PathBuf>,
    /// The folder of Go itself, with the source of its standard library in `src`.
    pub go_root: Option<PathBuf>,
    /// Maven's local repository.
    pub maven_repository: Option<PathBuf>,
    /// Gradle's home folder.
    pub gradle_home: Option<PathBuf>,
    /// Folders in which C's compilers are told to look for headers, before their own.
    pub include_folders: Vec<PathBuf>,
}

impl PackageCaches {
    /// Lists the usual folders below a user's home folder.
    #[must_use]
    pub fn in_home(home: &Path) -> Self {
        Self {
            cargo_home: Some(home.join(".cargo")),
            go_modules: Some(home.join("go/pkg/mod")),
            go_root: None,
            maven_repository: Some(maven_repository(home, None)),
            gradle_home: Some(home.join(".gradle")),
            include_folders: Vec::new(),
        }
    }
}

/// A question for the source of a package.
#[derive(Clone, Copy, Debug)]
pub struct PackageSourceQuery<'q> {
    /// The project that depends on it.
    pub project: &'q AbsPath,
    /// The ecosystem in which it is published.
    pub ecosystem: Ecosystem,
    /// Its published name, as manifests have it.
    pub name: &'q str,
    /// The acceptable versions, the best first; empty if none is known.
    pub versions: &'q [String],
    /// The folders of manifests that name it, which may have packages of their own.
    pub folders: &'q [PathBuf],
    /// The caches that all projects share.
    pub caches: &'q PackageCaches,
}

/// The answer to a [`PackageSourceQuery`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PackageSource {
    /// The folder of the package's source.
    Folder(PathBuf),
    /// The package is this one file.
    File(PathBuf),
    /// The package is not on this machine; these folders were searched.
    Absent(Vec<PathBuf>),
}

impl PackageSourceQuery<'_> {
    /// Finds the package's source. Names and versions come from other people's files: a name or version that leads out
    /// of the manager's folder, as `../..` and `/` do, is no package.
    #[must_use]
    pub fn find_source(&self) -> PackageSource {
        if !is_plain_path(self.name) || !self.versions.iter().all(|version| is_plain_path(version)) {
            return PackageSource::Absent(Vec::new());
        }
        let candidates = match self.ecosystem {
            Ecosystem::PyPi => return pypi::find_installed(self),
            Ecosystem::Npm => npm::source_folders(self),
            Ecosystem::Cargo => cargo::source_folders(self),
            Ecosystem::Go => go::source_folders(self),
            Ecosystem::Maven => Vec::new(),
        };
        match candidates.iter().find(|folder| folder.is_dir()) {
            Some(folder) => PackageSource::Folder(folder.clone()),
            None => PackageSource::Absent(candidates),
        }
    }
}

/// Returns true if `text`, as a path, stays below the folder to which it is joined.
fn is_plain_path(text: &str) -> bool {
    !text.is_empty() && Path::new(text).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Returns the folders of a project in which a manager may have installed packages: those of the manifests that name
/// the package, then the project's own.
fn installing_folders(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = query.folders.to_vec();
    let root = query.project.as_path().to_path_buf();
    if !folders.contains(&root) {
        folders.push(root);
    }
    folders
}

/// Returns the packages of this name in a project: its versions and copies.
#[must_use]
pub fn packages_called<'p>(packages: &'p [Package], name: &str) -> Vec<&'p Package> {
    let is_called = |package: &&Package| {
        package.name == package.ecosystem.normalise_name(name)
            || package.name == name
            || (package.ecosystem == Ecosystem::Maven && maven::short_name(&package.name) == name)
            || package.aliases.iter().any(|alias| alias == name)
    };
    let mut called: Vec<&Package> = packages.iter().filter(is_called).collect();
    called.sort_by_key(|package| !package.direct);
    called
}
