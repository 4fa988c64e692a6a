//! Defines deadlines and cancellation for work that runs off the reactor.
//!
//! A long computation holds a [`CancelToken`] and asks [`CancelToken::check`] every so often (each file, each few
//! thousand candidates). Asking is one relaxed load and, every call, one clock read; cheap, but not for inner loops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The moment by which an answer must be ready; `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline that never passes.
    pub const NEVER: Self = Self(None);

    /// Returns the deadline `after` from now; a duration too large for the clock means never.
    #[must_use]
    pub fn after(after: Duration) -> Self {
        Self(Instant::now().checked_add(after))
    }

    /// Returns the earlier of the two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(a), Some(b)) => Self(Some(a.min(b))),
            (a, b) => Self(a.or(b)),
        }
    }

    /// Returns the later of the two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self(self.0.zip(other.0).map(|(a, b)| a.max(b)))
    }

    /// Returns true if the deadline has passed.
    #[must_use]
    pub fn has_passed(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }

    /// Returns the time left; `None` when there is no limit, zero when the deadline has passed.
    #[must_use]
    pub fn remaining(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }
}

/// The moment at which somebody first waited for a thing that is made once. All who wait for it count from then, so that
/// many questions one after the other wait no longer than one.
#[derive(Debug, Default)]
pub struct SharedWait(OnceLock<Instant>);

impl SharedWait {
    /// Returns the deadline `patience` after the first call of this function; a duration too large for the clock means
    /// never.
    pub fn deadline(&self, patience: Duration) -> Deadline {
        Deadline(self.0.get_or_init(Instant::now).checked_add(patience))
    }
}

/// Why work was ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The caller no longer wants the answer.
    #[error("the caller cancelled the call")]
    Cancelled,
    /// Time ran out; the findings so far may still be worth giving.
    #[error("the deadline passed")]
    DeadlinePassed,
}

/// A token that a call shares with every part that may cancel it. Clones are the same token.
#[derive(Clone, Debug)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    deadline: Deadline,
}

impl CancelToken {
    /// Creates a token that stops at `deadline` or when cancelled, whichever comes first.
    #[must_use]
    pub fn new(deadline: Deadline) -> Self {
        Self { cancelled: Arc::default(), deadline }
    }

    /// Returns a token of the same cancellation with a nearer deadline.
    #[must_use]
    pub fn with_deadline(&self, deadline: Deadline) -> Self {
        Self { cancelled: Arc::clone(&self.cancelled), deadline: self.deadline.min(deadline) }
    }

    /// Asks the work to stop at its next check.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns true if [`CancelToken::cancel`] was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the time by which the work must be done.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Returns `Ok` if the work should go on, or the reason why not.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled or late.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        if self.deadline.has_passed() {
            return Err(Stopped::DeadlinePassed);
        }
        Ok(())
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new(Deadline::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_who_wait_count_from_the_first() {
        let wait = SharedWait::default();
        let first = wait.deadline(Duration::from_secs(9));
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(wait.deadline(Duration::from_secs(9)), first);
        assert_eq!(wait.deadline(Duration::MAX), Deadline::NEVER);
    }
}
