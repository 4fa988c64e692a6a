//! Tracks whether the watcher's events can be trusted, and when they can be trusted again.
//!
//! Every loss raises a count. A sweep notes the count when it begins. If the count is the same at the end, the sweep
//! has looked at everything that could have been lost, and the watcher is live again.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The present ability of the watcher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatcherState {
    /// Every change gives an event.
    Live,
    /// Some changes give no event: calls that want freshness look at every file instead.
    Degraded {
        /// The reason, in words for users.
        note: String,
    },
    /// Nothing is watched, by choice.
    Off,
}

impl fmt::Display for WatcherState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Live => f.write_str("live"),
            Self::Degraded { note } => write!(f, "degraded: {note}"),
            Self::Off => f.write_str("off"),
        }
    }
}

/// The state at the beginning of a sweep: [`crate::Watcher::begin_sweep`] returns it, [`crate::Watcher::end_sweep`]
/// takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct SweepToken {
    losses: u64,
    /// True if another folder has taken the root's place since the sweep before.
    pub(crate) root_replaced: bool,
}

/// The consequence of a loss for the backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Remedy {
    /// The backend's watches may be wrong: the next sweep begins with a new backend.
    Replace,
    /// The backend's watches are good, only not enough: the next sweep tries to add the rest.
    Keep,
}

#[derive(Debug)]
struct Inner {
    state: WatcherState,
    losses: u64,
    replace: bool,
    /// True if distrust is permanent, because others can write to this file system without an event.
    hopeless: bool,
}

#[derive(Debug)]
pub(super) struct Health(Mutex<Inner>);

impl Health {
    pub(super) fn new(state: WatcherState) -> Self {
        Self(Mutex::new(Inner { state, losses: 0, replace: false, hopeless: false }))
    }

    pub(super) fn state(&self) -> WatcherState {
        self.lock().state.clone()
    }

    pub(super) fn is_live(&self) -> bool {
        self.lock().state == WatcherState::Live
    }

    pub(super) fn is_off(&self) -> bool {
        self.lock().state == WatcherState::Off
    }

    pub(super) fn note_loss(&self, note: String, remedy: Remedy) {
        let mut inner = self.lock();
        inner.losses += 1;
        inner.replace |= remedy == Remedy::Replace;
        if !inner.hopeless && inner.state != WatcherState::Off {
            inner.state = WatcherState::Degraded { note };
        }
    }

    pub(super) fn never_trust(&self, note: String) {
        let mut inner = self.lock();
        inner.hopeless = true;
        inner.state = WatcherState::Degraded { note };
    }

    /// Lifts a permanent distrust of the file system, because another one is there. The next sweep may restore trust.
    pub(super) fn trust_again(&self) {
        self.lock().hopeless = false;
    }

    /// Begins a sweep; the flag is true if the sweep needs a new backend.
    pub(super) fn begin_sweep(&self, root_replaced: bool) -> (SweepToken, bool) {
        let mut inner = self.lock();
        let replace = std::mem::take(&mut inner.replace);
        (SweepToken { losses: inner.losses, root_replaced }, replace)
    }

    /// Ends a sweep; returns true if it has restored trust.
    pub(super) fn end_sweep(&self, token: SweepToken) -> bool {
        let mut inner = self.lock();
        let recovers = inner.losses == token.losses
            && !inner.hopeless
            && matches!(inner.state, WatcherState::Degraded { .. });
        if recovers {
            inner.state = WatcherState::Live;
        }
        recovers
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Each change is a few plain writes that cannot panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sweep_that_began_after_the_last_loss_restores_trust() {
        let health = Health::new(WatcherState::Live);
        health.note_loss("first".to_owned(), Remedy::Replace);
        let (token, replace) = health.begin_sweep(false);
        assert!(replace);
        health.note_loss("second".to_owned(), Remedy::Keep);
        assert!(!health.end_sweep(token));
        assert_eq!(health.state(), WatcherState::Degraded { note: "second".to_owned() });
        let (token, replace) = health.begin_sweep(false);
        assert!(!replace, "the new backend is good");
        assert!(health.end_sweep(token));
        assert_eq!(health.state(), WatcherState::Live);
    }

    #[test]
    fn what_cannot_be_trusted_stays_so() {
        let health = Health::new(WatcherState::Live);
        health.never_trust("a network file system".to_owned());
        let (token, _) = health.begin_sweep(false);
        assert!(!health.end_sweep(token));
        assert!(!health.is_live());
    }
}
