//! Schedules the collection: once a day, a while after somebody used the daemon.
//!
//! No timer runs. A call asks, every ten minutes at most, whether a run is due; if so, a thread begins that waits three
//! minutes, does the work at half speed and ends. An idle daemon is woken once a day at most, and only if it was used
//! that day.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use hob_base::AbsPath;
use hob_store::{Store, StoreTree};

use super::super::clock::unix_seconds_of;
use super::super::open_workspaces::OpenWorkspaces;
use super::run::{CollectError, CollectRun, Collected, RECORD, RetentionLimits, parse_u64};
use hob_base::lock;

/// Shortest interval at which calls ask whether a run is due.
const ASK_EVERY: Duration = Duration::from_secs(10 * 60);

/// Time from the call to the run, and from one attempt to the next while workspaces are being indexed.
const LULL: Duration = Duration::from_secs(3 * 60);

/// Attempts before the run is left to a later call.
const ATTEMPTS: usize = 10;

/// Longest pause between two slices.
const PAUSE: Duration = Duration::from_millis(50);

/// Lengths of a day and of an hour, in seconds.
const DAY: u64 = 24 * 3600;
const HOUR: u64 = 3600;

/// Growth of the store in bytes, beyond twice its recorded size, from which on a run is due after an hour.
const GROWTH: u64 = 256 << 20;

#[derive(Debug)]
struct CollectorState {
    asked: Option<Instant>,
    thread: Option<JoinHandle<()>>,
    closed: bool,
}

/// The scheduler of the collection, which starts each run in a thread of its own.
#[derive(Debug)]
pub(crate) struct Collector {
    store: Arc<dyn Store>,
    snapshots: AbsPath,
    unpacked: AbsPath,
    open: OpenWorkspaces,
    state: Mutex<CollectorState>,
    moved: Condvar,
}

impl Collector {
    /// Returns a collector for the folders of the snapshots and of the unpacked sources.
    pub(crate) fn new(store: Arc<dyn Store>, folders: [AbsPath; 2], open: OpenWorkspaces) -> Self {
        let [snapshots, unpacked] = folders;
        let state = Mutex::new(CollectorState { asked: None, thread: None, closed: false });
        Self { store, snapshots, unpacked, open, state, moved: Condvar::new() }
    }

    /// Notes that somebody uses the daemon, and starts a run if one is due.
    pub(crate) fn note_use(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        let asked = state.asked.is_some_and(|at| at.elapsed() < ASK_EVERY);
        let runs = state.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if asked || runs || state.closed {
            return;
        }
        state.asked = Some(Instant::now());
        if self.is_due(unix_seconds_of(SystemTime::now())) {
            let collector = Arc::clone(self);
            let body = move || drop(catch_unwind(AssertUnwindSafe(|| collector.collect_at_pause())));
            // If no thread can be started, a later call tries again.
            state.thread = std::thread::Builder::new().name("hob-collector".into()).spawn(body).ok();
        }
    }

    /// Gives up the run under way and waits for its end.
    pub(crate) fn close(&self) {
        let thread = {
            let mut state = lock(&self.state);
            state.closed = true;
            state.thread.take()
        };
        self.moved.notify_all();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// Runs the collection immediately; `now` is in seconds since 1970.
    pub(crate) fn collect_now(
        &self,
        keep: RetentionLimits,
        now: u64,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Collected, CollectError> {
        let Self { store, snapshots, unpacked, open, .. } = self;
        CollectRun { store: &**store, snapshots, unpacked, open, keep, now, go_on }.run()
    }

    fn is_due(&self, now: u64) -> bool {
        let record = self.store.get(StoreTree::Meta, RECORD).ok().flatten();
        let parsed = record.as_deref().and_then(|record| record.split_at_checked(8));
        let Some((last, size)) = parsed.and_then(|(last, size)| Some((parse_u64(last)?, parse_u64(size)?)))
        else {
            return true;
        };
        // The clock may have been put back.
        let since = now.abs_diff(last);
        since >= DAY
            || (since >= HOUR && self.store.size_on_disk() > size.saturating_mul(2).saturating_add(GROWTH))
    }

    fn collect_at_pause(&self) {
        for _ in 0..ATTEMPTS {
            if !self.pause_for(LULL) {
                return;
            }
            let last = Mutex::new(Instant::now());
            // Pauses for as long as the slice took, within a limit, so that this takes about half of one processor.
            let go_on = || {
                let took = lock(&last).elapsed();
                let open = self.pause_for(took.min(PAUSE));
                *lock(&last) = Instant::now();
                open
            };
            match self.collect_now(RetentionLimits::default(), unix_seconds_of(SystemTime::now()), &go_on) {
                Err(CollectError::Busy) => {}
                Ok(done) => return tracing::info!(?done, "removed what was of no use"),
                Err(error) => return tracing::warn!(%error, "removing what is of no use ended early"),
            }
        }
    }

    /// Waits. Returns false as soon as the daemon closes.
    fn pause_for(&self, rest: Duration) -> bool {
        let until = Instant::now() + rest;
        let mut state = lock(&self.state);
        while !state.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use hob_store::MemoryStore;

    use super::*;

    #[test]
    fn once_a_day_is_enough() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let folders = ["/nowhere", "/nowhere/else"].map(|path| AbsPath::new(path).expect("absolute"));
        let collector = Collector::new(store, folders, OpenWorkspaces::default());
        let now = 1_800_000_000;
        assert!(collector.is_due(now), "it was never done");
        collector.collect_now(RetentionLimits::default(), now, &|| true).expect("memory does not fail");
        assert!(!collector.is_due(now) && !collector.is_due(now + DAY - 1));
        assert!(collector.is_due(now + DAY));
        assert!(collector.is_due(now - DAY), "the clock was put back");
        assert!(matches!(
            collector.collect_now(RetentionLimits::default(), now, &|| false),
            Err(CollectError::Stopped)
        ));
    }
}
