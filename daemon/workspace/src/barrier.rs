//! The freshness barrier: *every file write completed before a call was received has been seen.*
//!
//! Guarantee first: when [`crate::Watcher::barrier`] answers [`Passed`], each write to a watched folder that had
//! completed when the call was made is marked in the [`crate::DirtySet`], and [`Passed::marks`] counts those marks.
//! Waiting until they have settled is the caller's next step.
//!
//! How, on Linux: the kernel puts an event into the queue before the call that caused it returns. Whoever has emptied the
//! queue has seen everything ([`crate::watch::WatchEventOrder::Drained`]); there is nothing to wait for.
//!
//! How, where events arrive some time later but in order ([`crate::watch::WatchEventOrder::Streamed`]; the rest of this file): the
//! barrier changes something in a folder of its own that the same watcher watches (a *cookie*) and waits for that event;
//! all earlier events then came before it. (Watchman's idea; see its documentation on cookie files.)
//!
//! Sharing: a call can use only a cookie made *after* it arrived. One that arrives while a cookie is under way therefore
//! needs the next one, and so do all that arrive meanwhile: at most one cookie is under way and one to come, however
//! many calls there are. There is no thread for this: the first call that finds its turn has come makes the cookie.
//!
//! What it is not: a promise about writes that give no event. These are writes through a memory map that is still
//! there, synced or not ([`crate::mapped_for_writing`] names such files); writes by another machine; writes to a file
//! that was made without a name outside the tree and linked into it while it is open; and writes through another name
//! of a file, also one that was made and removed again before the indexer looked. Where another machine may write, and where file systems were mounted into the tree, the watcher says that
//! it cannot tell (`mounts`). For files that are known to have, or have had, another name [`crate::Links`] looks.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hob_base::Deadline;

use crate::dirty::wait_until;

/// A cookie that takes this long is lost: its folder was removed, or the event stream has died.
const OVERDUE: Duration = Duration::from_secs(10);

/// Everything before the call has been marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The count of marks to wait for: see [`crate::DirtySet::wait_settled`].
    pub marks: u64,
}

/// Why the barrier could not be passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BarrierError {
    /// Time ran out while events were still being worked off; an answer may be stale.
    #[error("events are still being worked off")]
    Late,
    /// The watcher cannot tell. A caller that wants freshness marks a sweep and waits for the sweep.
    #[error("the watcher cannot order events")]
    Unordered,
}

/// The outcome of one wait for a cookie.
#[derive(Debug)]
pub(crate) enum CookieOutcome {
    /// The cookie was seen.
    Seen,
    /// The deadline passed before the cookie was seen.
    Late,
    /// Events were lost meanwhile.
    Broken,
    /// The cookie could not be made, or was never seen.
    Failed(io::Error),
}

#[derive(Debug, Default)]
struct CookieState {
    /// Number of the newest cookie, made or about to be.
    made: u64,
    /// Number of the newest cookie that was seen or given up; never more than `made`. If less, one is under way.
    done: u64,
    /// When `made` was made.
    since: Option<Instant>,
    /// Number of times that events were lost. A wait during which this number changes proves nothing.
    breaks: u64,
}

/// The cookies of one watcher: who makes the next one, who waits for which.
#[derive(Debug, Default)]
pub(crate) struct Cookies {
    state: Mutex<CookieState>,
    changed: Condvar,
}

impl Cookies {
    /// Waits until a cookie made after this call has been seen. `make` makes the cookie with the given number; it is
    /// called by at most one thread at a time, with rising numbers.
    pub(crate) fn pass(&self, deadline: Deadline, make: &dyn Fn(u64) -> io::Result<()>) -> CookieOutcome {
        let mut state = self.lock();
        let breaks = state.breaks;
        let mine = state.made + 1;
        loop {
            if state.breaks != breaks {
                return CookieOutcome::Broken;
            }
            if state.done >= mine {
                return CookieOutcome::Seen;
            }
            if state.since.is_some_and(|since| since.elapsed() > OVERDUE) {
                return self.give_up(state, io::ErrorKind::TimedOut.into());
            }
            if deadline.has_passed() {
                return CookieOutcome::Late;
            }
            // `done < mine` and no cookie under way: nobody has made mine, so its number is the next.
            if state.done == state.made {
                state.made = mine;
                state.since = Some(Instant::now());
                drop(state);
                let made = make(mine);
                state = self.lock();
                if let Err(e) = made {
                    return self.give_up(state, e);
                }
                continue;
            }
            state = wait_until(&self.changed, state, deadline);
        }
    }

    /// Records that the event of cookie `number` has arrived.
    pub(crate) fn note_seen(&self, number: u64) {
        let mut state = self.lock();
        // A number from an earlier run, or of a cookie that was given up, means nothing.
        if number > state.done && number <= state.made {
            state.done = number;
            state.since = None;
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Events were lost: no wait under way can prove anything.
    pub(crate) fn break_all(&self) {
        let mut state = self.lock();
        state.breaks += 1;
        state.done = state.made;
        state.since = None;
        drop(state);
        self.changed.notify_all();
    }

    fn give_up(&self, state: MutexGuard<'_, CookieState>, error: io::Error) -> CookieOutcome {
        drop(state);
        self.break_all();
        CookieOutcome::Failed(error)
    }

    fn lock(&self) -> MutexGuard<'_, CookieState> {
        // Four plain numbers, each valid at every moment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    /// Makes a cookie writer that only counts.
    fn counting_writer(made: &AtomicU64) -> impl Fn(u64) -> io::Result<()> {
        move |number| {
            made.store(number, Ordering::SeqCst);
            Ok(())
        }
    }

    fn spin_until(condition: impl Fn() -> bool) {
        while !condition() {
            thread::yield_now();
        }
    }

    #[test]
    fn a_call_never_uses_a_cookie_made_before_it_arrived() {
        let cookies = Arc::new(Cookies::default());
        let made = Arc::new(AtomicU64::new(0));
        let start = || {
            let (cookies, made) = (Arc::clone(&cookies), Arc::clone(&made));
            thread::spawn(move || {
                matches!(cookies.pass(Deadline::NEVER, &counting_writer(&made)), CookieOutcome::Seen)
            })
        };
        let first = start();
        spin_until(|| made.load(Ordering::SeqCst) == 1);
        // These calls arrive while cookie 1 is under way. It must not let them through...
        let late: Vec<_> = (0..8).map(|_| start()).collect();
        thread::sleep(Duration::from_millis(20));
        cookies.note_seen(1);
        assert!(first.join().expect("join"));
        // ...and one more cookie serves them all, unless one arrived after it was made.
        spin_until(|| made.load(Ordering::SeqCst) >= 2);
        assert!(late.iter().all(|call| !call.is_finished()));
        while late.iter().any(|call| !call.is_finished()) {
            cookies.note_seen(made.load(Ordering::SeqCst));
            thread::yield_now();
        }
        assert!(late.into_iter().all(|call| call.join().expect("join")));
        assert!(made.load(Ordering::SeqCst) <= 3, "calls share cookies");
    }

    #[test]
    fn a_cookie_of_another_run_means_nothing() {
        let cookies = Cookies::default();
        cookies.note_seen(7);
        let made = AtomicU64::new(0);
        let deadline = Deadline::after(Duration::from_millis(5));
        assert!(matches!(cookies.pass(deadline, &counting_writer(&made)), CookieOutcome::Late));
        cookies.note_seen(7);
        let deadline = Deadline::after(Duration::from_millis(5));
        assert!(
            matches!(cookies.pass(deadline, &counting_writer(&made)), CookieOutcome::Late),
            "cookie 2 was not seen"
        );
    }

    #[test]
    fn a_break_ends_waits_and_leaves_the_next_call_a_fresh_start() {
        let cookies = Arc::new(Cookies::default());
        let made = Arc::new(AtomicU64::new(0));
        let waiting = {
            let (cookies, made) = (Arc::clone(&cookies), Arc::clone(&made));
            thread::spawn(move || {
                matches!(cookies.pass(Deadline::NEVER, &counting_writer(&made)), CookieOutcome::Broken)
            })
        };
        spin_until(|| made.load(Ordering::SeqCst) == 1);
        cookies.break_all();
        assert!(waiting.join().expect("join"));
        let echo = |number| {
            cookies.note_seen(number);
            Ok(())
        };
        assert!(matches!(cookies.pass(Deadline::NEVER, &echo), CookieOutcome::Seen));
        let refuse = |_| Err(io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(cookies.pass(Deadline::NEVER, &refuse), CookieOutcome::Failed(_)));
        assert!(
            matches!(cookies.pass(Deadline::NEVER, &echo), CookieOutcome::Seen),
            "the next call may try again"
        );
    }
}
