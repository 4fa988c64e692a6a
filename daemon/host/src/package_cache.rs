//! Caches the packages that a workspace depends on. `packages` reads them.

use std::sync::{Arc, Mutex};

use hob_base::{ContentHash, WsPath};
use hob_workspace::manifest::{Dependency, Package};

use super::artifacts::KnownArtifacts;

/// The packages of a workspace, as they were last read.
#[derive(Debug, Default)]
pub(super) struct PackageCache {
    pub(super) state: Mutex<PackageCacheState>,
    /// The Maven artifacts among them, and those that these depend on.
    pub(super) artifacts: Mutex<Option<KnownArtifacts>>,
}

/// The packages and the files that name them.
#[derive(Debug, Default)]
pub(super) struct PackageCacheState {
    /// The packages, with the count of changes of manifests at which they were read.
    pub(super) known: Option<(u64, Arc<Vec<Package>>)>,
    /// Manifests and lock files with the hash of the contents that were read, and the dependencies that they name.
    pub(super) files: Vec<(WsPath, ContentHash, Vec<Dependency>)>,
}
