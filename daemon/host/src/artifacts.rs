//! Finds the Maven artifacts that a workspace uses, and the one of them that has a package of Java or its kin.
//!
//! Finding artifacts reads a file for each, so the result is cached for one generation of the project, and for half a
//! minute at most, because Maven and Gradle may have fetched something since. The directory of a jar is read on first
//! use.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hob_base::{AbsPath, lock};
use hob_workspace::package_source::{MavenArtifact, PackageCaches, maven_artifacts};

use super::registry::Host;
use super::source_jars::{JarListing, list_jar};
use super::workspace::Workspace;

/// Time for which found artifacts are believed.
const BELIEVED: Duration = Duration::from_secs(30);

/// An artifact with the directories of its jars, each read on first use.
#[derive(Debug)]
pub(super) struct ProjectArtifact {
    pub(super) artifact: MavenArtifact,
    sources: OnceLock<Option<JarListing>>,
    classes: OnceLock<Option<JarListing>>,
}

/// The artifacts that a workspace had when they were last looked for.
#[derive(Debug)]
pub(super) struct KnownArtifacts {
    generation: u64,
    at: Instant,
    found: Arc<Vec<ProjectArtifact>>,
}

impl ProjectArtifact {
    fn new(artifact: MavenArtifact) -> Self {
        Self { artifact, sources: OnceLock::new(), classes: OnceLock::new() }
    }

    /// Returns the directory of the jar with its sources.
    pub(super) fn sources_jar(&self) -> Option<&JarListing> {
        self.sources.get_or_init(|| list_jar(self.artifact.sources.as_deref()?)).as_ref()
    }

    fn classes(&self) -> Option<&JarListing> {
        self.classes.get_or_init(|| list_jar(self.artifact.classes.as_deref()?)).as_ref()
    }
}

impl Workspace {
    /// Returns the artifacts that the project uses, the nearest first.
    pub(super) fn artifacts(&self, caches: &PackageCaches) -> Arc<Vec<ProjectArtifact>> {
        let packages = self.packages();
        let generation = self.generation().0;
        let mut known = lock(&self.packages.artifacts);
        if let Some(known) = known.as_ref()
            && known.generation == generation
            && known.at.elapsed() < BELIEVED
        {
            return Arc::clone(&known.found);
        }
        let found = maven_artifacts(self.root(), &packages, caches);
        let found = Arc::new(found.into_iter().map(ProjectArtifact::new).collect::<Vec<_>>());
        *known = Some(KnownArtifacts { generation, at: Instant::now(), found: Arc::clone(&found) });
        found
    }
}

impl Host {
    /// Unpacks an artifact's sources if they are not yet, and returns their folder; `None` if they are not on this
    /// machine or cannot be unpacked.
    pub(super) fn unpack_artifact(&self, one: &ProjectArtifact) -> Option<AbsPath> {
        let (jar, listing) = (one.artifact.sources.as_deref()?, one.sources_jar()?);
        let unpacked = self.unpacked.unpack_jar(&one.artifact.coordinates(), jar, listing);
        unpacked
            .inspect_err(|error| tracing::warn!(jar = %jar.display(), %error, "cannot unpack sources"))
            .ok()
    }

    /// Returns the folder of an artifact's sources if they have been unpacked before.
    pub(super) fn unpacked_artifact(&self, one: &ProjectArtifact) -> Option<AbsPath> {
        self.unpacked.known_folder(&one.artifact.coordinates(), one.sources_jar()?)
    }
}

/// Returns the index in `artifacts` of the one that has this published name, or this name within its group; one with
/// sources comes before others.
pub(super) fn position_called(artifacts: &[ProjectArtifact], name: &str) -> Option<usize> {
    let is_called = |one: &ProjectArtifact| one.artifact.name == name || one.artifact.short_name() == name;
    let with_sources = |one: &ProjectArtifact| is_called(one) && one.artifact.sources.is_some();
    artifacts.iter().position(with_sources).or_else(|| artifacts.iter().position(is_called))
}

/// Returns the artifact whose sources have a package.
pub(super) fn artifact_with_sources_of<'a>(
    artifacts: &'a [ProjectArtifact],
    package: &str,
) -> Option<&'a ProjectArtifact> {
    most_of_package(artifacts, package, ProjectArtifact::sources_jar)
}

/// Returns the artifact whose compiled classes have a package.
pub(super) fn artifact_with_classes_of<'a>(
    artifacts: &'a [ProjectArtifact],
    package: &str,
) -> Option<&'a ProjectArtifact> {
    most_of_package(artifacts, package, ProjectArtifact::classes)
}

/// Returns the artifact with most files of a package. Among those with any, the ones whose names share most segments
/// with the package come first.
fn most_of_package<'a>(
    artifacts: &'a [ProjectArtifact],
    package: &str,
    listing: impl Fn(&ProjectArtifact) -> Option<&JarListing>,
) -> Option<&'a ProjectArtifact> {
    let mut sorted: Vec<(usize, &ProjectArtifact)> =
        artifacts.iter().map(|one| (words_shared(&one.artifact.name, package), one)).collect();
    sorted.sort_by_key(|(shared, one)| (std::cmp::Reverse(*shared), one.artifact.distance));
    let files = |one: &ProjectArtifact| listing(one).map_or(0, |jar| jar.files_of_package(package));
    let mut best: Option<(usize, usize, &ProjectArtifact)> = None;
    for (shared, one) in sorted {
        if best.is_some_and(|(of, ..)| of > shared) {
            break;
        }
        let count = files(one);
        if count > best.map_or(0, |(_, most, _)| most) {
            best = Some((shared, count, one));
        }
    }
    best.map(|(.., one)| one)
}

/// Counts the segments of a package that are also in the name of an artifact.
fn words_shared(name: &str, package: &str) -> usize {
    let words: Vec<&str> = name.split([':', '.', '-', '_']).collect();
    package.split('.').filter(|segment| words.contains(segment)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(name: &str, sources: Option<&str>) -> ProjectArtifact {
        ProjectArtifact::new(MavenArtifact {
            name: name.to_owned(),
            version: "1".to_owned(),
            distance: 0,
            sources: sources.map(Into::into),
            classes: None,
        })
    }

    #[test]
    fn artifacts_are_called_by_either_name() {
        let all = [
            artifact("org.a:core", None),
            artifact("org.b:core", Some("/core.jar")),
            artifact("org.b:web", None),
        ];
        let called = |name: &str| position_called(&all, name).map(|at| all[at].artifact.name.as_str());
        assert_eq!(called("core"), Some("org.b:core"));
        assert_eq!(called("org.a:core"), Some("org.a:core"));
        assert_eq!(called("web"), Some("org.b:web"));
        assert_eq!(called("org.b"), None);
        assert_eq!(words_shared("com.google.code.gson:gson", "com.google.gson.reflect"), 3);
    }
}
