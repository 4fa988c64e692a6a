//! Holds the map of an earlier run while a thread restores it, until the indexer takes it over.
//!
//! The thread's work is in `map_restoring`; this file knows of no workspace, so that a workspace can hold it.

use std::sync::Arc;
use std::thread::JoinHandle;

use hob_base::{ContentHash, FileId, WsPath};
use hob_map::{Lang, Map};

/// A file whose facts are to be loaded.
#[derive(Clone, Debug)]
pub(crate) struct SoughtFacts {
    pub(crate) file: FileId,
    pub(crate) path: WsPath,
    pub(crate) lang: Lang,
    pub(crate) hash: ContentHash,
}

/// A map that is being restored, and the files of which it is made.
#[derive(Debug)]
pub(crate) struct RestoringMap {
    pub(super) sought: Arc<Vec<SoughtFacts>>,
    /// `None` if the system gave no thread.
    pub(super) thread: Option<JoinHandle<RestoreFindings>>,
}

/// The outcome of the restoring thread.
#[derive(Debug, Default)]
pub(super) struct RestoreFindings {
    pub(super) map: Map,
    /// Files whose facts were not found, by their index in `sought`.
    pub(super) missing: Vec<usize>,
    /// Number of files that the image did not know; `None` without an image.
    pub(super) aged: Option<usize>,
}

/// The restored map of an earlier daemon.
pub(crate) struct RestoredFacts {
    pub(crate) map: Map,
    /// Files that have to be mapped from their bytes.
    pub(crate) missing: Vec<SoughtFacts>,
    /// Number of files by which the saved image is out of date; `None` if there is no usable image.
    pub(crate) aged: Option<usize>,
}

impl RestoringMap {
    /// Waits for the map.
    pub(crate) fn finish(self) -> RestoredFacts {
        let nothing =
            || RestoreFindings { missing: (0..self.sought.len()).collect(), ..RestoreFindings::default() };
        // After a bug in the thread, all files are mapped from their bytes.
        let found = self.thread.and_then(|thread| thread.join().ok()).unwrap_or_else(nothing);
        let missing = found.missing.into_iter().map(|at| self.sought[at].clone()).collect();
        RestoredFacts { map: found.map, missing, aged: found.aged }
    }
}
