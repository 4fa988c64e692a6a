//! Tells the progress of a workspace's first index, and lets calls wait for it.
//!
//! There are two milestones: the text index is complete, then the map. A call waits for the one that it needs.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hob_base::{CancelToken, Stopped};

/// The phase of the indexer in the first index of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Files are being listed; the total is not known.
    Scanning,
    /// Text is being read, hashed and indexed.
    Text,
    /// Facts are being extracted for the map.
    Map,
    /// The first index is complete.
    Done,
}

impl Phase {
    /// Returns the words for the phase, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scanning => "listing files",
            Self::Text => "indexing text",
            Self::Map => "mapping symbols",
            Self::Done => "indexed",
        }
    }
}

/// The progress of a first index at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progressed {
    /// The phase of the first index.
    pub phase: Phase,
    /// Number of files done in this phase.
    pub done: u64,
    /// Number of all files, once it is known.
    pub total: Option<u64>,
}

impl Progressed {
    /// Returns one figure over all phases that never falls, and its end: listing counts nothing, each later phase
    /// counts every file once.
    #[must_use]
    pub fn overall_progress(&self) -> (u64, Option<u64>) {
        let per_phase = self.total.unwrap_or(0);
        match self.phase {
            Phase::Scanning => (0, None),
            Phase::Text => (self.done, Some(per_phase * 2)),
            Phase::Map => (per_phase + self.done, Some(per_phase * 2)),
            Phase::Done => (per_phase * 2, Some(per_phase * 2)),
        }
    }
}

/// The progress that the indexer reports, and that calls wait for.
#[derive(Debug)]
pub struct Progress {
    state: Mutex<Progressed>,
    changed: Condvar,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            state: Mutex::new(Progressed { phase: Phase::Scanning, done: 0, total: None }),
            changed: Condvar::new(),
        }
    }
}

impl Progress {
    /// Returns the progress of the first index at this moment.
    #[must_use]
    pub fn now(&self) -> Progressed {
        *self.lock()
    }

    /// Enters a phase. A finished first index stays finished: later batches report nothing.
    pub(super) fn enter(&self, phase: Phase, total: Option<u64>) {
        let mut state = self.lock();
        if state.phase < phase {
            let total = total.or(state.total);
            *state = Progressed { phase, done: 0, total };
            self.changed.notify_all();
        }
    }

    /// Sets the number of files done in this phase.
    pub(super) fn set_done(&self, done: u64) {
        let mut state = self.lock();
        if state.phase != Phase::Done {
            state.done = done;
            self.changed.notify_all();
        }
    }

    /// Waits until `phase` is over, and calls `report` whenever something changed.
    ///
    /// # Errors
    /// The progress when `cancel` stopped the wait, and the reason.
    pub fn wait_past(
        &self,
        phase: Phase,
        cancel: &CancelToken,
        report: &dyn Fn(Progressed),
    ) -> Result<(), (Progressed, Stopped)> {
        let mut state = self.lock();
        loop {
            if state.phase > phase {
                return Ok(());
            }
            if let Err(stopped) = cancel.check() {
                return Err((*state, stopped));
            }
            let seen = *state;
            drop(state);
            report(seen);
            state = self.wait(self.lock(), seen, cancel);
        }
    }

    fn wait<'g>(
        &self,
        state: MutexGuard<'g, Progressed>,
        seen: Progressed,
        cancel: &CancelToken,
    ) -> MutexGuard<'g, Progressed> {
        if *state != seen {
            return state;
        }
        // A cancellation does not notify, so it is checked now and then.
        let longest = Duration::from_millis(50);
        let rest = cancel.deadline().remaining().map_or(longest, |rest| rest.min(longest));
        self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, Progressed> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
