//! Keeps a value for each thread of a parallel run.
//!
//! A verifier is expensive: its regex builds an automaton while it searches, which a second verifier would
//! have to build again. Rayon's own `map_init` makes one for every piece into which it splits its work; this
//! makes one for each thread and search.

use std::sync::{Mutex, PoisonError};

/// Most files that one thread takes at once. Files of one folder are alike, and some folders have files of megabytes: with
/// larger pieces one thread would have them all.
pub(crate) const FILES_AT_ONCE: usize = 16;

/// A value for every thread of the rayon pool in which it was made, created at the thread's first use.
pub(crate) struct Lanes<T> {
    lanes: Vec<Mutex<Option<T>>>,
}

impl<T: Send> Lanes<T> {
    pub(crate) fn new() -> Self {
        let threads = rayon::current_num_threads().max(1);
        Self { lanes: (0..threads).map(|_| Mutex::new(None)).collect() }
    }

    /// Calls `work` with this thread's value. `work` must not use rayon: a thread that works on another piece
    /// while it waits would need its value twice.
    pub(crate) fn with_own_value<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let lane = &self.lanes[rayon::current_thread_index().unwrap_or_default() % self.lanes.len()];
        // A panic leaves a value that is still valid: verifiers start every file anew.
        let mut value = lane.lock().unwrap_or_else(PoisonError::into_inner);
        work(value.get_or_insert_with(make))
    }

    /// Returns the values that were made.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.lanes.into_iter().filter_map(|lane| lane.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
