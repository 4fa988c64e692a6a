//! Finds the artifacts of a Java, Kotlin or Scala project in the repositories of Maven and Gradle on this machine.
//!
//! A project names few of the artifacts that its files import: the others come as dependencies of those. So this module
//! reads the `pom.xml` of each artifact where Maven or Gradle has put it, with its parents and imported lists of
//! versions, as far as they are on this machine. The rules are Maven's: the nearest statement of a version counts, and
//! the project's own `dependencyManagement` goes before all. Nothing is fetched and no build is run; where no file
//! states a version, the highest one on this machine counts.

mod effective;
mod pom_file;
mod repositories;
mod resolver;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use hob_base::AbsPath;

use super::PackageCaches;
use crate::manifest::{Ecosystem, Package};
use repositories::Repositories;
use resolver::ArtifactResolver;

pub use repositories::maven_repository;

/// An artifact that a project uses, directly or through another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MavenArtifact {
    /// Its published name: `group:artifact`.
    pub name: String,
    /// The version that counts for the project.
    pub version: String,
    /// Number of artifacts between it and the project; 0 for one that a manifest names.
    pub distance: u32,
    /// The jar with its sources, if it is on this machine.
    pub sources: Option<PathBuf>,
    /// The jar with its compiled classes, if it is on this machine.
    pub classes: Option<PathBuf>,
}

impl MavenArtifact {
    /// Returns the name within its group: `gson` of `com.google.code.gson:gson`.
    #[must_use]
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }

    /// Returns its address in a repository: `group:artifact:version`.
    #[must_use]
    pub fn coordinates(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

/// Returns the name of an artifact within its group.
pub(super) fn short_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, artifact)| artifact)
}

/// Finds the artifacts that a project with these `packages` uses, the nearest first.
#[must_use]
pub fn maven_artifacts(
    project: &AbsPath,
    packages: &[Package],
    caches: &PackageCaches,
) -> Vec<MavenArtifact> {
    let repositories = Repositories::new(caches);
    let mut named: Vec<&Package> =
        packages.iter().filter(|package| package.ecosystem == Ecosystem::Maven && !package.local).collect();
    if named.is_empty() || repositories.is_empty() {
        return Vec::new();
    }
    named.sort_by_key(|package| !package.direct);
    ArtifactResolver::new(project, repositories).find_artifacts(&named)
}
