//! State for each thread of a parallel run.
//!
//! A verifier is dear: its regex builds an automaton while it searches, which a second one would have to build again. Rayon's own
//! `map_init` makes one for every piece it splits its work into; this makes one per thread and search.

use std::sync::{Mutex, PoisonError};

/// A value for every thread of the rayon pool it was made in, created when the thread first asks.
pub(crate) struct Lanes<T> {
    lanes: Vec<Mutex<Option<T>>>,
}

impl<T: Send> Lanes<T> {
    pub(crate) fn new() -> Self {
        let threads = rayon::current_num_threads().max(1);
        Self { lanes: (0..threads).map(|_| Mutex::new(None)).collect() }
    }

    /// Works with this thread's value. `work` must not use rayon: a thread that helps another piece along while it
    /// waits would want its value twice.
    pub(crate) fn with_own_value<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let lane = &self.lanes[rayon::current_thread_index().unwrap_or_default() % self.lanes.len()];
        // A panic leaves a value that is still valid: verifiers start every file anew.
        let mut value = lane.lock().unwrap_or_else(PoisonError::into_inner);
        work(value.get_or_insert_with(make))
    }

    /// The values that were made.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.lanes.into_iter().filter_map(|lane| lane.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
