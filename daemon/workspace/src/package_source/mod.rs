//! Finds the source of a package that a project depends on, where this machine has it.
//!
//! Nothing is fetched, unpacked or run: a package is read where its manager put it for this project (`.venv`, `node_modules`, `vendor`),
//! or where it keeps what all projects share (Cargo's registry, Go's module cache). Versions are those of the lock file; where a project has
//! another version installed, that one is found, because it is what runs. Jars with sources are found here and unpacked by others; wheels
//! that nobody installed are no source.

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

/// Places where package managers keep what all projects share.
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
    /// Folders that C's compilers are told to look for headers in, before their own.
    pub include_folders: Vec<PathBuf>,
}

impl PackageCaches {
    /// The usual places below a user's home folder.
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

/// A package whose source is wanted.
#[derive(Clone, Copy, Debug)]
pub struct PackageSourceQuery<'q> {
    /// The project that depends on it.
    pub project: &'q AbsPath,
    /// Where it is published.
    pub ecosystem: Ecosystem,
    /// Its published name, as manifests have it.
    pub name: &'q str,
    /// The versions that would be the right one, the best first; empty if none is known.
    pub versions: &'q [String],
    /// The folders of manifests that name it, which may have packages of their own.
    pub folders: &'q [PathBuf],
    /// Where packages are that all projects share.
    pub caches: &'q PackageCaches,
}

/// The answer to a [`PackageSourceQuery`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PackageSource {
    /// The folder of its source.
    Folder(PathBuf),
    /// It is one file.
    File(PathBuf),
    /// It is not on this machine; these are the folders that were looked at.
    Absent(Vec<PathBuf>),
}

impl PackageSourceQuery<'_> {
    /// Finds the package's source. Names and versions come from other people's files: one that leads out of the manager's folder, as
    /// `../..` and `/` do, is no package.
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

/// Returns true if a text as a path stays below the folder that it is joined to.
fn is_plain_path(text: &str) -> bool {
    !text.is_empty() && Path::new(text).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The folders of a project in which a manager may have installed packages: those of the manifests that name the package, then the
/// project's own.
fn installing_folders(query: &PackageSourceQuery<'_>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = query.folders.to_vec();
    let root = query.project.as_path().to_path_buf();
    if !folders.contains(&root) {
        folders.push(root);
    }
    folders
}

/// The versions and copies of a package that a project has, by name.
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
