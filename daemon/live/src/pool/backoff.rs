//! Decides when a server that died may be restarted.
//!
//! The first failure may be chance, so the next start comes soon. The pause doubles with each further one, and a server
//! that has failed [`MOST`] times within [`WITHIN`] is given up: another try would most likely fail as well.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Number of failures within [`WITHIN`] after which the server is given up.
const MOST: usize = 5;
/// Time within which failures count.
const WITHIN: Duration = Duration::from_secs(120);
/// Pause after the first failure.
const FIRST: Duration = Duration::from_millis(500);
/// Longest pause between two starts.
const LONGEST: Duration = Duration::from_secs(8);
/// Time after which a server that was given up is tried again: somebody may have repaired it.
const FORGIVEN_AFTER: Duration = Duration::from_secs(600);

/// The earliest time at which a server may be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextStart {
    /// The server may be started at once.
    Now,
    /// The server may be started at this time.
    At(Instant),
    /// The server was given up.
    Never,
}

/// The failures of one server.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: VecDeque<Instant>,
}

impl Backoff {
    /// Counts a failure of the server at `now`.
    pub(super) fn add_failure(&mut self, now: Instant) {
        self.failures.push_back(now);
        while self.failures.len() > MOST {
            self.failures.pop_front();
        }
    }

    /// Forgets the server's failures.
    pub(super) fn forgive_failures(&mut self) {
        self.failures.clear();
    }

    /// Returns when the server may be started.
    pub(super) fn next(&self, now: Instant) -> NextStart {
        let recent = self.failures.iter().filter(|&&at| now.saturating_duration_since(at) < WITHIN).count();
        let Some(&last) = self.failures.back() else { return NextStart::Now };
        if recent >= MOST || self.is_given_up(now) {
            return NextStart::Never;
        }
        if recent == 0 {
            return NextStart::Now;
        }
        let pause = (FIRST * 2u32.pow(recent as u32 - 1)).min(LONGEST);
        if now >= last + pause { NextStart::Now } else { NextStart::At(last + pause) }
    }

    /// Returns true if the server was given up: five failures that were close together count until they are forgiven.
    fn is_given_up(&self, now: Instant) -> bool {
        let (Some(&first), Some(&last)) = (self.failures.front(), self.failures.back()) else { return false };
        self.failures.len() == MOST
            && last.saturating_duration_since(first) < WITHIN
            && now.saturating_duration_since(last) < FORGIVEN_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut backoff = Backoff::default();
        assert_eq!(backoff.next(start), NextStart::Now);
        let mut pauses = Vec::new();
        let mut now = start;
        for _ in 0..MOST {
            backoff.add_failure(now);
            match backoff.next(now) {
                NextStart::At(then) => {
                    pauses.push((then - now).as_millis());
                    now = then;
                    assert_eq!(backoff.next(now), NextStart::Now);
                }
                NextStart::Never => break,
                NextStart::Now => panic!("it failed this very moment"),
            }
        }
        assert_eq!(pauses, [500, 1000, 2000, 4000]);
        assert_eq!(backoff.next(now + Duration::from_secs(300)), NextStart::Never);
        assert_eq!(backoff.next(now + FORGIVEN_AFTER), NextStart::Now);
        backoff.forgive_failures();
        assert_eq!(backoff.next(now), NextStart::Now);
        backoff.add_failure(at(0));
        assert_eq!(backoff.next(at(0) + WITHIN), NextStart::Now, "long ago");
    }
}
