//! Describes one run of the collection: its limits, its context, its counts, and why it may end early.

use std::time::Duration;

use hob_base::AbsPath;
use hob_store::{Store, StoreError, StoreOperation};

use crate::open_workspaces::OpenWorkspaces;

/// Key of the record of the last run: its time in seconds, and the bytes of the store on disk after it, both
/// little-endian.
pub(super) const RECORD: &[u8] = b"collected";

/// Limits of what is kept, in time and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Time for which unused facts and snapshots of missing folders stay.
    pub grace: Duration,
    /// Bytes that facts may take, in use or not, before unused ones are removed sooner. Facts in use stay in any case.
    pub bytes: u64,
    /// Bytes on disk, beyond three times the live ones, from which on the store is written anew. (A store that was just
    /// filled takes twice its live bytes.)
    pub slack: u64,
    /// Bytes that unpacked sources of jars may take before those unused longest are removed sooner.
    pub unpacked: u64,
}

impl Default for RetentionLimits {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(14 * 24 * 3600),
            bytes: 2 << 30,
            slack: 64 << 20,
            unpacked: 1 << 30,
        }
    }
}

/// The counts of one run of the collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Number of facts that stay, in use or not, and their bytes.
    pub kept: (u64, u64),
    /// Number of facts that stay although they are unused.
    pub unused: u64,
    /// Number of removed facts.
    pub removed: u64,
    /// Number of removed snapshots.
    pub snapshots: u64,
    /// Number of removed folders of unpacked sources.
    pub unpacked: u64,
    /// True if the store was rewritten.
    pub compacted: bool,
}

/// The reason why a run ended early. The next run begins from the start.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// A workspace is being indexed, so its contents are not known.
    #[error("a workspace is being indexed")]
    Busy,
    /// The daemon ends, so the run was given up.
    #[error("it was given up")]
    Stopped,
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The context of one run of the collection.
pub(super) struct CollectRun<'r> {
    pub(super) store: &'r dyn Store,
    /// The folder of all snapshots.
    pub(super) snapshots: &'r AbsPath,
    /// The folder of the unpacked sources of jars.
    pub(super) unpacked: &'r AbsPath,
    pub(super) open: &'r OpenWorkspaces,
    pub(super) keep: RetentionLimits,
    /// Time of the run, in seconds since 1970.
    pub(super) now: u64,
    /// Called between slices: false if the run is to be given up. It pauses if others need the processor.
    pub(super) go_on: &'r dyn Fn() -> bool,
}

impl CollectRun<'_> {
    /// Returns an error if the run is to be given up.
    pub(super) fn check_go_on(&self) -> Result<(), CollectError> {
        if (self.go_on)() { Ok(()) } else { Err(CollectError::Stopped) }
    }
}

/// Returns the operation that removes an entry of the store.
pub(super) fn remove(key: Vec<u8>) -> StoreOperation {
    StoreOperation::Remove { key }
}

/// Reads a little-endian number; `None` unless it has eight bytes.
pub(super) fn parse_u64(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
