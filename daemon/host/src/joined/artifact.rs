//! Opens the artifact that has a package of Java, Kotlin or Scala.
//!
//! An import names a package and a type, but no artifact: `com.google.gson.Gson` comes with
//! `com.google.code.gson:gson`. hob knows the artifacts of the project from its manifests and from those of the
//! artifacts themselves, and takes the one whose sources have the package's folder.

use hob_map::graph::OutsidePackage;
use hob_workspace::manifest::Ecosystem;

use super::direct;
use super::outside::{MOST_FILES, OutsideContents, OutsideError, OutsideSource};
use crate::artifacts::{ProjectArtifact, artifact_with_classes_of, artifact_with_sources_of};
use crate::registry::Host;
use crate::workspace::Workspace;

impl Host {
    /// Opens the sources of the artifact that has a package.
    pub(super) fn open_artifact(
        &self,
        project: &Workspace,
        package: &OutsidePackage,
    ) -> Result<OutsideSource, OutsideError> {
        let artifacts = project.artifacts(&self.options.package_caches);
        let Some(found) = artifact_with_sources_of(&artifacts, &package.name) else {
            return Err(self.missing_artifact(&artifacts, &package.name));
        };
        let name = || found.artifact.name.clone();
        if found.sources_jar().is_some_and(|jar| jar.files > MOST_FILES) {
            return Err(OutsideError::TooLarge { name: name() });
        }
        let root =
            self.unpack_artifact(found).filter(|root| !direct::has_more_files(root.as_path(), MOST_FILES));
        let root = root.ok_or_else(|| OutsideError::Absent { name: name(), looked_at: Vec::new() })?;
        Ok(OutsideSource {
            package: package.clone(),
            ecosystem: Some(Ecosystem::Maven),
            title: format!("{} {}", found.artifact.name, found.artifact.version),
            published: name(),
            below: String::new(),
            is_standard: false,
            is_project: false,
            manifest: None,
            contents: OutsideContents::Folder(self.use_workspace(&root, true)),
            root,
        })
    }

    /// Returns the error for a package whose artifact has no sources on this machine, or that no artifact has.
    fn missing_artifact(&self, artifacts: &[ProjectArtifact], package: &str) -> OutsideError {
        let caches = &self.options.package_caches;
        match artifact_with_classes_of(artifacts, package) {
            Some(found) => OutsideError::NoSources {
                name: package.to_owned(),
                coordinates: found.artifact.coordinates(),
            },
            None => OutsideError::Absent {
                name: package.to_owned(),
                looked_at: caches.maven_repository.iter().chain(&caches.gradle_home).cloned().collect(),
            },
        }
    }
}
