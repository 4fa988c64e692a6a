//! Finds files in the repositories of Maven and Gradle on a disk.
//!
//! Maven has `group/as/folders/artifact/version/artifact-version.jar`; Gradle has `group/artifact/version/HASH/artifact-version.jar`, where
//! each file is in a folder named by its hash.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use hob_base::small;

use super::super::{PackageCaches, is_plain_path};
use super::pom_file::Coordinates;
use crate::manifest::{compare_versions, xml};

/// Size limit of a `pom.xml` or of Maven's settings, in bytes; no person writes a longer one.
const LARGEST: u64 = 4 << 20;

/// Most folders of hashes of one version in Gradle's cache.
const MOST_HASHES: usize = 64;

/// The repositories of this machine.
pub(super) struct Repositories {
    maven: Option<PathBuf>,
    gradle: Option<PathBuf>,
}

impl Repositories {
    pub(super) fn new(caches: &PackageCaches) -> Self {
        let gradle = caches.gradle_home.as_ref().map(|home| home.join("caches/modules-2/files-2.1"));
        let exists = |folder: &PathBuf| folder.is_dir();
        Self { maven: caches.maven_repository.clone().filter(exists), gradle: gradle.filter(exists) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.maven.is_none() && self.gradle.is_none()
    }

    /// Finds the file of an artifact by the ending of its name: `.pom`, `.jar`, `-sources.jar`.
    pub(super) fn find_file(&self, of: &Coordinates, ending: &str) -> Option<PathBuf> {
        let name = format!("{}-{}{ending}", of.artifact, of.version);
        let is_plain = [&of.group, &of.artifact, &of.version].into_iter().all(|part| is_one_name(part));
        let mut candidates = is_plain.then(|| self.version_folders(of)).into_iter().flatten();
        candidates.find_map(|folder| Some(folder.join(&name)).filter(|file| file.is_file()))
    }

    /// Returns the text of an artifact's `pom.xml`.
    pub(super) fn read_pom(&self, of: &Coordinates) -> Option<String> {
        small::read_text(&self.find_file(of, ".pom")?, LARGEST).ok()
    }

    /// Returns the highest version of an artifact that is on this machine.
    pub(super) fn highest_version(&self, group: &str, artifact: &str) -> Option<String> {
        if !is_one_name(group) || !is_one_name(artifact) {
            return None;
        }
        let folders = self.artifact_folders(group, artifact);
        let versions = folders.into_iter().flat_map(|folder| folders_in(&folder));
        let names = versions.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
        names.max_by(|a, b| compare_versions(a, b))
    }

    fn artifact_folders(&self, group: &str, artifact: &str) -> Vec<PathBuf> {
        let maven = self.maven.iter().map(|root| root.join(group.replace('.', "/")).join(artifact));
        maven.chain(self.gradle.iter().map(|root| root.join(group).join(artifact))).collect()
    }

    /// Returns the folders in which files of a version lie.
    fn version_folders(&self, of: &Coordinates) -> Vec<PathBuf> {
        let versions: Vec<PathBuf> = self
            .artifact_folders(&of.group, &of.artifact)
            .into_iter()
            .map(|folder| folder.join(&of.version))
            .collect();
        let hashes = versions.iter().flat_map(|version| folders_in(version)).take(MOST_HASHES);
        let hashes: Vec<PathBuf> = hashes.collect();
        versions.into_iter().chain(hashes).collect()
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    listed.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Returns true if a part of an address is a single name, which as a folder leads nowhere else.
fn is_one_name(part: &str) -> bool {
    is_plain_path(part) && !part.contains(['/', '\\', ':'])
}

/// Returns the repository that Maven uses: the one in `options` (the variable `MAVEN_OPTS`), else the one in the user's
/// settings, else the usual one below the user's home folder.
#[must_use]
pub fn maven_repository(home: &Path, options: Option<&OsStr>) -> PathBuf {
    let told = options.and_then(OsStr::to_str).and_then(|options| {
        let words = options.split_whitespace();
        words.filter_map(|word| word.strip_prefix("-Dmaven.repo.local=")).next_back().map(PathBuf::from)
    });
    told.or_else(|| in_settings(home)).unwrap_or_else(|| home.join(".m2/repository"))
}

fn in_settings(home: &Path) -> Option<PathBuf> {
    let text = small::read_text(&home.join(".m2/settings.xml"), LARGEST).ok()?;
    let document = xml::parse(&text);
    let place = document.first_child("settings")?.text_of("localRepository")?;
    let place = place.replace("${user.home}", home.to_str()?);
    Some(PathBuf::from(place)).filter(|place| place.is_absolute())
}
