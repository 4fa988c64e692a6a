//! Holds the state that the deriving thread shares with others: what changed, what is saved, and how many runs have
//! ended.
//!
//! The thread itself is in `derive`; this file knows of no workspace, so that a workspace can hold it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hob_base::{CancelToken, SharedWait, lock};

/// Longest time between two checks of a token, because a cancellation does not notify.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
struct DeriverState {
    changed: bool,
    map_changed: bool,
    /// Number of changes of files in the map so far.
    map_changes: u64,
    /// Number of these changes that the saved names and lists know of; `None` if none are saved.
    imaged: Option<u64>,
    runs: u64,
    closed: bool,
}

/// Tells one derivation of a map from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DerivationState {
    runs: u64,
    map_changes: u64,
}

/// The state of the deriving thread: its news from others, and theirs from it.
#[derive(Debug, Default)]
pub(super) struct Deriver {
    state: Mutex<DeriverState>,
    moved: Condvar,
    first_wait: SharedWait,
}

impl Deriver {
    /// Notes that the text index changed.
    pub(super) fn text_changed(&self) {
        self.note_change(None);
    }

    /// Notes that so many files changed in the map.
    pub(super) fn map_changed(&self, files: u64) {
        self.note_change(Some(files));
    }

    /// Notes that edges were confirmed, which are to be saved.
    pub(super) fn edges_confirmed(&self) {
        self.note_change(None);
    }

    /// Returns the number of changes of files in the map so far; a file counts as often as it changed.
    pub(super) fn map_changes(&self) -> u64 {
        lock(&self.state).map_changes
    }

    /// Returns what tells the last derivation, and the map since, from others.
    pub(super) fn derivation_state(&self) -> DerivationState {
        let state = lock(&self.state);
        DerivationState { runs: state.runs, map_changes: state.map_changes }
    }

    /// Returns the number of changes that the saved names and lists do not know of; `None` if none are saved.
    pub(super) fn image_age(&self) -> Option<u64> {
        let state = lock(&self.state);
        state.imaged.map(|imaged| state.map_changes.saturating_sub(imaged))
    }

    /// Notes that the saved names and lists know of so many changes.
    pub(super) fn image_saved(&self, map_changes: u64) {
        lock(&self.state).imaged = Some(map_changes);
    }

    fn note_change(&self, map: Option<u64>) {
        let mut state = lock(&self.state);
        state.map_changed |= map.is_some();
        state.map_changes += map.unwrap_or(0);
        if !state.changed {
            state.changed = true;
            self.moved.notify_all();
        }
    }

    /// Ends the deriving thread and every wait for it.
    pub(super) fn close(&self) {
        lock(&self.state).closed = true;
        self.moved.notify_all();
    }

    /// Waits for the end of the first run, but no longer than `patience` after the first such wait began.
    pub(super) fn wait_first_shared(&self, patience: Duration, cancel: &CancelToken) {
        if lock(&self.state).runs == 0 {
            self.wait_first(&cancel.with_deadline(self.first_wait.deadline(patience)));
        }
    }

    /// Waits within `cancel` until the first run has ended.
    pub(super) fn wait_first(&self, cancel: &CancelToken) {
        let mut state = lock(&self.state);
        while state.runs == 0 && !state.closed && cancel.check().is_ok() {
            let rest = cancel.deadline().remaining().map_or(LONGEST_WAIT, |rest| rest.min(LONGEST_WAIT));
            state = self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for a change and then for `rest`; without a change, until the time of `due` is over, if it is given. Returns true if the
    /// map changed; `None` when closing.
    pub(super) fn next(&self, rest: Duration, due: Option<Duration>) -> Option<bool> {
        let mut state = lock(&self.state);
        let due = due.map(|due| Instant::now() + due);
        while !state.changed && !state.closed {
            state = match due.map(|due| due.saturating_duration_since(Instant::now())) {
                None => self.moved.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return Some(false),
                Some(left) => self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        let until = Instant::now() + rest;
        while !state.closed && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            state = self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.changed = false;
        let map_changed = std::mem::take(&mut state.map_changed);
        (!state.closed).then_some(map_changed)
    }

    /// Clears the notes of changes, because the run that begins covers all changes so far.
    pub(super) fn begin(&self) {
        let mut state = lock(&self.state);
        (state.changed, state.map_changed) = (false, false);
    }

    /// Counts a run that has ended, for whoever waits for the first.
    pub(super) fn note_run(&self) {
        lock(&self.state).runs += 1;
        self.moved.notify_all();
    }
}
