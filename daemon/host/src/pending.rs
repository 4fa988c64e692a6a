//! Knows which files the first index of a workspace has still to take, and takes those first that calls wait for.
//!
//! The first index of a large tree takes a minute, and most questions are about a few files. A call names the files
//! that its answer depends on ([`PendingFiles::wait_for_map`]); the indexer takes them before all others, and the call goes
//! on once they are in. Searches of text read the files themselves that the text index lacks ([`PendingFiles::unread_files`]).
//! Later batches are not followed here: calls wait for them at the barrier.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hob_base::{CancelToken, Deadline, FileId, SharedWait, WsPath, lock};
use rustc_hash::{FxHashMap, FxHashSet};

/// Longest time between two looks at the token of a call that waits, because a cancellation does not notify.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The files that the first index has still to take; see the header of this file.
#[derive(Debug, Default)]
pub struct PendingFiles {
    state: Mutex<PendingState>,
    moved: Condvar,
    /// True if a call wants files that the indexer has not heard of yet.
    has_wanted: AtomicBool,
    /// Number of calls that wait for files.
    waiting: AtomicUsize,
    first_wait: SharedWait,
}

#[derive(Debug, Default)]
struct PendingState {
    /// True from the moment in which the files are known until all of them are taken.
    is_known: bool,
    /// The files that the text index lacks.
    text: FxHashMap<FileId, WsPath>,
    /// The files in the text index that the map lacks; `None` while the map of an earlier run is being restored.
    map: Option<FxHashSet<FileId>>,
    /// The files that calls want to be taken first, and that the indexer has not heard of.
    wanted: Vec<FileId>,
    /// The part of the first index that is being done.
    part: FirstIndexPart,
}

/// The parts of a first index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FirstIndexPart {
    #[default]
    Text,
    Map,
}

impl PendingFiles {
    /// Begins a first index with the files whose text is to be read. `restores_map` is true if the map of an earlier run
    /// will be installed before the first of them is mapped.
    pub(super) fn begin_text<'f>(
        &self,
        files: impl Iterator<Item = (FileId, &'f WsPath)>,
        restores_map: bool,
    ) {
        let text: FxHashMap<FileId, WsPath> = files.map(|(file, path)| (file, path.clone())).collect();
        let map = (!restores_map).then(FxHashSet::default);
        *lock(&self.state) = PendingState { is_known: true, text, map, ..PendingState::default() };
        self.moved.notify_all();
    }

    /// Notes that files have been read: those in `to_map` are in the text index, and the map has still to take them.
    pub(super) fn note_read(&self, read: impl Iterator<Item = FileId>, to_map: impl Iterator<Item = FileId>) {
        let mut state = lock(&self.state);
        if !state.is_known {
            return;
        }
        for file in read {
            state.text.remove(&file);
        }
        if let Some(map) = &mut state.map {
            map.extend(to_map);
        }
        drop(state);
        self.moved.notify_all();
    }

    /// Notes that all text is in the index, and which files the map has still to take.
    pub(super) fn begin_map(&self, to_map: impl Iterator<Item = FileId>) {
        let mut state = lock(&self.state);
        if !state.is_known {
            return;
        }
        state.text.clear();
        state.map = Some(to_map.collect());
        state.part = FirstIndexPart::Map;
        drop(state);
        self.moved.notify_all();
    }

    /// Notes that the map has taken files.
    pub(super) fn note_mapped(&self, files: impl Iterator<Item = FileId>) {
        let mut state = lock(&self.state);
        let Some(map) = state.map.as_mut().filter(|map| !map.is_empty()) else { return };
        for file in files {
            map.remove(&file);
        }
        drop(state);
        self.moved.notify_all();
    }

    /// Notes that the first index is over.
    pub(super) fn forget_all(&self) {
        *lock(&self.state) = PendingState::default();
        self.moved.notify_all();
    }

    /// Returns the files that calls have asked for since the last call of this function.
    pub(super) fn take_wanted(&self) -> Vec<FileId> {
        if !self.has_wanted.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        std::mem::take(&mut lock(&self.state).wanted)
    }

    /// Returns true if a call waits for files, so that what is ready should be installed at once.
    pub(super) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Returns the deadline `patience` after the first call of this function: questions that come one after the other do
    /// not each wait for the whole index.
    #[must_use]
    pub fn first_wait_deadline(&self, patience: Duration) -> Deadline {
        self.first_wait.deadline(patience)
    }

    /// Returns the files that the text index lacks.
    #[must_use]
    pub fn unread_files(&self) -> Vec<(FileId, WsPath)> {
        lock(&self.state).text.iter().map(|(file, path)| (*file, path.clone())).collect()
    }

    /// Returns those of the files that the map lacks.
    #[must_use]
    pub fn lacking_in_map(&self, files: &[FileId]) -> Vec<FileId> {
        let state = lock(&self.state);
        files.iter().copied().filter(|file| state.lacks_in_map(*file)).collect()
    }

    /// Has these files read and mapped before all others, and waits for it within `cancel`.
    pub fn wait_for_map(&self, files: &[FileId], cancel: &CancelToken) {
        let _waiting = Waiting::begin(&self.waiting);
        let mut state = lock(&self.state);
        let mut asked_in = None;
        // From the end, because the first come first: while the last one lacks, no other is looked at.
        let mut left = files.len();
        while state.is_known && cancel.check().is_ok() {
            while left > 0 && !state.lacks_in_map(files[left - 1]) {
                left -= 1;
            }
            if left == 0 {
                return;
            }
            // Files that the map of an earlier run lacks are known only in the second part.
            if asked_in.replace(state.part) != Some(state.part) {
                state.wanted.extend(&files[..left]);
                self.has_wanted.store(true, Ordering::Release);
            }
            state = self.wait(state, cancel);
        }
    }

    fn wait<'g>(
        &self,
        state: MutexGuard<'g, PendingState>,
        cancel: &CancelToken,
    ) -> MutexGuard<'g, PendingState> {
        let rest = cancel.deadline().remaining().map_or(LOOK_EVERY, |rest| rest.min(LOOK_EVERY));
        self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl PendingState {
    fn lacks_in_map(&self, file: FileId) -> bool {
        let is_unmapped = || self.map.as_ref().is_none_or(|map| map.contains(&file));
        self.is_known && (self.text.contains_key(&file) || is_unmapped())
    }
}

/// Counts a call as waiting as long as it lives.
struct Waiting<'c>(&'c AtomicUsize);

impl<'c> Waiting<'c> {
    fn begin(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
