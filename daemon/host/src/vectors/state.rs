//! Holds the vectors of a workspace by file, and the progress of making them.
//!
//! The thread that makes them is in `work`, questions are in `nearest`; this file knows of no workspace, so that a workspace can hold it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::Duration;

use hob_base::{CancelToken, ContentHash, FileId, lock};
use hob_embed::Codes;
use hob_map::FileFacts;
use hob_map::facts::DefIdx;
use rustc_hash::FxHashMap;

use super::answer::VectorState;

/// Most vectors of a workspace.
const MOST: usize = 300_000;

/// The vectors of a workspace; see the header of `vectors`.
#[derive(Debug)]
pub(crate) struct Vectors {
    pub(super) state: Mutex<EmbeddingState>,
    pub(super) moved: Condvar,
    pub(super) files: RwLock<FxHashMap<FileId, FileVectors>>,
    pub(super) bytes: AtomicU64,
    /// The most vectors: [`MOST`], except in tests.
    pub(super) most: AtomicUsize,
}

impl Default for Vectors {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            moved: Condvar::new(),
            files: RwLock::default(),
            bytes: AtomicU64::new(0),
            most: AtomicUsize::new(MOST),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct EmbeddingState {
    /// The model that made the vectors, by its hash.
    pub(super) model: Option<ContentHash>,
    /// The workspace's generation with which they are up to date.
    pub(super) upto: Option<u64>,
    pub(super) runs: bool,
    pub(super) failure: Option<String>,
    /// Number of vectors, and of all definitions.
    pub(super) done: u64,
    pub(super) total: u64,
    /// The least worth of a definition that gets a vector; `None` if all have room.
    pub(super) least: Option<WorthLimit>,
}

/// The limit where not all definitions have room: the least worth, and the number of definitions when it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorthLimit {
    pub(super) worth: u64,
    pub(super) total: u64,
}

impl Vectors {
    pub(super) fn files(&self) -> RwLockReadGuard<'_, FxHashMap<FileId, FileVectors>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory of the vectors in bytes.
    pub(crate) fn heap_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Waits within `cancel` until the thread has done something, for a short time at most.
    pub(super) fn wait(&self, cancel: &CancelToken) {
        // A cancellation does not notify, so it is checked now and then.
        let longest = Duration::from_millis(50);
        let rest = cancel.deadline().remaining().map_or(longest, |rest| rest.min(longest));
        let state = lock(&self.state);
        if state.runs {
            drop(self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl EmbeddingState {
    /// Returns the state of vectors that are complete.
    pub(super) fn settled_state(&self) -> VectorState {
        match self.least {
            Some(_) => VectorState::Partial { kept: self.done, total: self.total },
            None => VectorState::Whole,
        }
    }
}

/// The vectors of one file.
#[derive(Debug)]
pub(super) struct FileVectors {
    /// The facts from which the vectors were computed. They are not kept alive; but while this pointer exists, no other
    /// facts can have their address.
    pub(super) facts: Weak<FileFacts>,
    /// The definition of each of the vectors.
    pub(super) defs: Box<[DefIdx]>,
    pub(super) codes: Arc<Codes>,
}

impl FileVectors {
    /// Returns true if the vectors are of these facts.
    pub(super) fn are_of(&self, facts: &Arc<FileFacts>) -> bool {
        std::ptr::eq(self.facts.as_ptr(), Arc::as_ptr(facts))
    }

    pub(super) fn heap_bytes(&self) -> u64 {
        (size_of::<(FileId, Self)>() + size_of_val(&*self.defs) + self.codes.heap_bytes()) as u64
    }
}
