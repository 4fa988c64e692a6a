//! Counts the changes of a workspace, and names the contents at which a question was put.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use hob_base::{Generation, lock};

/// The contents at which a question was put, as a number to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkspaceRevision(pub(super) u64);

/// Counts of the changes of a workspace, and the time of the last one.
#[derive(Debug, Default)]
pub(super) struct RevisionCount {
    generation: AtomicU64,
    /// Number of times that contents changed; it is the workspace's revision.
    contents_seen: AtomicU64,
    /// Number of times that files came or went.
    path_changes: AtomicU64,
    /// Number of times that a manifest or lock file came, changed or went.
    manifest_changes: AtomicU64,
    changed_at: Mutex<Option<SystemTime>>,
}

impl RevisionCount {
    /// Returns the number of batches installed so far.
    pub(super) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::Acquire))
    }

    /// Returns the time at which the last batch was installed.
    pub(super) fn changed_at(&self) -> Option<SystemTime> {
        *lock(&self.changed_at)
    }

    /// Returns the revision of the present contents.
    pub(super) fn contents_revision(&self) -> WorkspaceRevision {
        WorkspaceRevision(self.contents_seen.load(Ordering::Acquire))
    }

    /// Notes that contents change.
    pub(super) fn contents_change(&self) {
        self.contents_seen.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the number of times that files came to the text index or left it.
    pub(super) fn path_changes(&self) -> u64 {
        self.path_changes.load(Ordering::Acquire)
    }

    /// Notes that files have come to the text index or have left it. This is called afterwards, so that a caller that
    /// reads the count first and the paths then never takes older paths for newer ones.
    pub(super) fn note_path_change(&self) {
        self.path_changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the number of times that a manifest or lock file came, changed or went.
    pub(super) fn manifest_changes(&self) -> u64 {
        self.manifest_changes.load(Ordering::Acquire)
    }

    /// Notes that a manifest or lock file has changed in the text index; called afterwards.
    pub(super) fn note_manifest_change(&self) {
        self.manifest_changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes that a batch was installed.
    pub(super) fn advance(&self) {
        self.generation.fetch_add(1, Ordering::Release);
        *lock(&self.changed_at) = Some(SystemTime::now());
    }
}
