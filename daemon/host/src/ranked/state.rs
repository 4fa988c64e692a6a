//! Holds the state of a workspace's ranked index: the index itself, the files that have changed since, and its
//! progress.
//!
//! The threads that change it are in `work`, calls wait for it in `ready`; this file knows of no workspace, so that a workspace can hold
//! it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Deadline, FileId, SharedWait, lock};
use hob_text::ranked::RankedIndex;
use rustc_hash::{FxHashMap, FxHashSet};

/// Memory per file that the index knows, in bytes and about: two table entries.
const FILE_BYTES: u64 = 48;

/// The ranked index of one workspace; see the header of `ranked`.
#[derive(Debug)]
pub struct Ranked {
    pub(super) folder: AbsPath,
    pub(super) state: Mutex<RankedIndexState>,
    pub(super) moved: Condvar,
    /// Bytes on disk and in memory after the last change.
    pub(super) cost: Mutex<(u64, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct RankedIndexState {
    pub(super) index: Option<Arc<RankedIndex>>,
    /// True if changes of files are noted.
    pub(super) tracks: bool,
    /// True once all files of the first run have been ingested.
    pub(super) is_built: bool,
    /// Files that changed since they were ingested, each with its last note.
    pub(super) noted: FxHashMap<FileId, u64>,
    /// Number of notes so far, and the last of them that has been ingested.
    pub(super) notes: u64,
    pub(super) taken_in: u64,
    /// The files of the thread's order that are not in the index yet.
    pub(super) lacking: FxHashSet<FileId>,
    /// Files that questions want to be ingested before all others, and that the thread has not heard of.
    pub(super) wanted: Vec<FileId>,
    /// Number of changes of the index.
    pub(super) commits: u64,
    /// A number that rises when everything starts again; work for an earlier one is dropped.
    pub(super) epoch: u64,
    pub(super) runs: bool,
    pub(super) failure: Option<String>,
    pub(super) files: FileNumbers,
    pub(super) progress: IngestProgress,
    pub(super) first_wait: SharedWait,
}

/// The progress of ingesting files into the ranked index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IngestProgress {
    /// Number of files done.
    pub done: u64,
    /// Number of files in all.
    pub total: u64,
}

/// Files by the numbers that the index has for them, both ways.
#[derive(Debug, Default)]
pub(super) struct FileNumbers {
    numbers: FxHashMap<FileId, u64>,
    pub(super) ids: FxHashMap<u64, FileId>,
}

impl Ranked {
    /// Returns the state before the first question; the index is below `folder`.
    pub(crate) fn new(folder: AbsPath) -> Self {
        Self { folder, state: Mutex::default(), moved: Condvar::new(), cost: Mutex::default() }
    }

    /// Notes that these files have changed; called while the change is applied to the map.
    pub(crate) fn note_changed(&self, files: impl Iterator<Item = FileId>) {
        let mut state = lock(&self.state);
        if state.tracks {
            state.notes += 1;
            let note = state.notes;
            state.noted.extend(files.map(|file| (file, note)));
        }
    }

    /// Returns the number of changes of the index. While it stays the same, [`Ranked::file`] judges the hits of a
    /// search as they were when they were found.
    #[must_use]
    pub fn commit_count(&self) -> u64 {
        lock(&self.state).commits
    }

    /// Forgets the index, so that all files are compared again.
    pub(crate) fn start_over(&self) {
        let mut state = lock(&self.state);
        *state = RankedIndexState { epoch: state.epoch + 1, runs: state.runs, ..RankedIndexState::default() };
        drop(state);
        self.moved.notify_all();
    }

    /// Returns the file of a number, and true if the index's documents of it agree with the map's present state.
    #[must_use]
    pub fn file(&self, number: u64) -> Option<(FileId, bool)> {
        let state = lock(&self.state);
        let file = *state.files.ids.get(&number)?;
        Some((file, !state.noted.contains_key(&file)))
    }

    /// Returns true if the index was complete once in this run.
    #[must_use]
    pub fn is_built(&self) -> bool {
        lock(&self.state).is_built
    }

    /// Returns the deadline `patience` after the first call of this function for the index that is being made.
    #[must_use]
    pub fn first_wait_deadline(&self, patience: Duration) -> Deadline {
        lock(&self.state).first_wait.deadline(patience)
    }

    /// Returns the bytes on disk and of private memory.
    #[must_use]
    pub fn disk_and_memory_bytes(&self) -> (u64, u64) {
        let (disk, heap) = *lock(&self.cost);
        (disk, heap + lock(&self.state).files.ids.len() as u64 * FILE_BYTES)
    }

    /// Waits within `cancel` until something moves, for a short time at most.
    pub(super) fn wait(&self, cancel: &CancelToken) -> MutexGuard<'_, RankedIndexState> {
        // A cancellation does not notify, so it is checked now and then.
        let longest = Duration::from_millis(50);
        let rest = cancel.deadline().remaining().map_or(longest, |rest| rest.min(longest));
        let state = lock(&self.state);
        if !state.runs || state.failure.is_some() {
            return state;
        }
        self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl RankedIndexState {
    /// Returns the index if it has all of these files, though it may lack others, and the number of files that it has.
    pub(super) fn index_with_files(&self, files: &[FileId]) -> Option<(&Arc<RankedIndex>, IngestProgress)> {
        let index = self.index.as_ref().filter(|_| !files.iter().any(|file| self.lacking.contains(file)))?;
        let total = self.files.ids.len() as u64;
        Some((index, IngestProgress { done: total.saturating_sub(self.lacking.len() as u64), total }))
    }

    /// Has the thread ingest those of these files that the index lacks before others.
    pub(super) fn want_files(&mut self, files: &[FileId]) {
        let (is_open, lacking) = (self.index.is_some(), &self.lacking);
        // Before it is open, nobody knows what it lacks.
        self.wanted.extend(files.iter().filter(|file| !is_open || lacking.contains(file)));
    }
}

impl FileNumbers {
    /// Gives a file its number.
    pub(super) fn add(&mut self, file: FileId, number: u64) {
        self.numbers.insert(file, number);
        self.ids.insert(number, file);
    }

    /// Takes the number of a file that is gone, and returns it unless another file has its path by now.
    pub(super) fn remove(&mut self, file: FileId) -> Option<u64> {
        let number = self.numbers.remove(&file)?;
        if self.ids.get(&number) != Some(&file) {
            return None;
        }
        self.ids.remove(&number);
        Some(number)
    }
}
