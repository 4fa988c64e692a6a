//! Holds the map of an earlier run while a thread restores it, until the indexer takes it over.
//!
//! The thread's work is in `map_restoring`; this file knows of no workspace, so that a workspace can hold it.

use std::sync::Arc;
use std::thread::JoinHandle;

use hob_base::{ContentHash, FileId, WsPath};
use hob_map::{Lang, Map};

/// A file whose facts are to be found.
#[derive(Clone, Debug)]
pub(crate) struct SoughtFacts {
    pub(crate) file: FileId,
    pub(crate) path: WsPath,
    pub(crate) lang: Lang,
    pub(crate) hash: ContentHash,
}

/// A map that is being restored, and the files that it is restored from.
#[derive(Debug)]
pub(crate) struct Comeback {
    pub(super) sought: Arc<Vec<SoughtFacts>>,
    /// `None` if the system gave none.
    pub(super) thread: Option<JoinHandle<RestoreFindings>>,
}

/// The outcome of the thread.
#[derive(Debug, Default)]
pub(super) struct RestoreFindings {
    pub(super) map: Map,
    /// Files whose facts were not found, by place in what was sought.
    pub(super) missing: Vec<usize>,
    /// Files that the image did not know; `None` without an image.
    pub(super) aged: Option<usize>,
}

/// The map of an earlier daemon, as it was restored.
pub(crate) struct Back {
    pub(crate) map: Map,
    /// To be mapped from their bytes.
    pub(crate) missing: Vec<SoughtFacts>,
    /// By how many files the saved image is out of date; `None` if there is none to go on with.
    pub(crate) aged: Option<usize>,
}

impl Comeback {
    /// Waits for the map.
    pub(crate) fn finish(self) -> Back {
        let nothing =
            || RestoreFindings { missing: (0..self.sought.len()).collect(), ..RestoreFindings::default() };
        // A bug in restoring costs what it was to save.
        let found = self.thread.and_then(|thread| thread.join().ok()).unwrap_or_else(nothing);
        let missing = found.missing.into_iter().map(|at| self.sought[at].clone()).collect();
        Back { map: found.map, missing, aged: found.aged }
    }
}
