//! Keeps the packages that a workspace depends on, as they were last read. `packages` reads them.

use std::sync::{Arc, Mutex};

use hob_base::{ContentHash, WsPath};
use hob_workspace::manifest::{Dependency, Package};

use super::artifacts::KnownArtifacts;

/// The packages of a workspace, as they were last read.
#[derive(Debug, Default)]
pub(super) struct PackageCache {
    pub(super) state: Mutex<PackageCacheState>,
    /// The artifacts of Maven among them, and those that come with them.
    pub(super) artifacts: Mutex<Option<KnownArtifacts>>,
}

/// The packages and the files that name them.
#[derive(Debug, Default)]
pub(super) struct PackageCacheState {
    /// The count of changes of manifests, and what the workspace depended on then.
    pub(super) known: Option<(u64, Arc<Vec<Package>>)>,
    /// Manifests and lock files with the contents that were read, and the dependencies that these name.
    pub(super) files: Vec<(WsPath, ContentHash, Vec<Dependency>)>,
}
