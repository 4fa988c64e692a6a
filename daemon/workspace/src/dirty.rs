//! Collects the paths that may have changed since the indexer last read them, and lets calls wait until it has.
//!
//! The watcher makes marks. One thread of the owner takes the marks in batches, brings the index up to date and settles
//! them. Calls wait until every mark made before them has settled. While nobody waits, marks rest until no new one has
//! come for a moment, so that a burst of events is one batch. A waiter ends the rest at once.
//!
//! Marks are counted. A waiter remembers the count at which it came; a batch carries the count up to which it reaches.
//! A mark made while a batch is being worked on is newer than that batch, so the next one has it again.
//!
//! Some changes give no event, and calls find them by looking at files ([`DirtySet::mark_found`]). As soon as the
//! worker has read such a file, the next call that looks finds no change any more, although the index may not have it
//! yet. So every call waits for the changes that other calls have found ([`DirtySet::found_count`]), and for callers
//! that read the tree in place of the worker ([`DirtySet::begin_rescan`]).
//!
//! With nothing marked, no thread here wakes, unless its owner asks for that ([`DirtySet::wake_in`]).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hob_base::{Deadline, WsPath};

use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Number of marked paths beyond which one sweep is cheaper than looking at each.
const TOO_MANY: usize = 200_000;

/// Limits on the time for which marks rest while nobody waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Debounce {
    /// Time without a new mark after which marks are due.
    pub quiet: Duration,
    /// Longest time for which marks rest after the first of them.
    pub max: Duration,
}

impl Default for Debounce {
    fn default() -> Self {
        Self { quiet: Duration::from_millis(25), max: Duration::from_millis(200) }
    }
}

/// The marks that the indexer takes at once: paths, folders, or everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    /// Single paths, which are or were files.
    pub paths: BTreeSet<WsPath>,
    /// Folders to be scanned again, and paths that were folders.
    pub trees: BTreeSet<WsPath>,
    /// Everything may have changed.
    pub sweep: bool,
    /// The count to pass to [`DirtySet::settle`] when the batch has been worked off.
    pub marks: u64,
}

impl Batch {
    /// Returns true if nothing is marked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.sweep && self.paths.is_empty() && self.trees.is_empty()
    }

    /// Adds a path; returns true if it was not marked. The root, or very many paths, marks everything.
    fn add_path(&mut self, path: WsPath) -> bool {
        if path.is_root() {
            return self.add_everything();
        }
        if self.sweep {
            return false;
        }
        let is_new = self.paths.insert(path);
        if self.paths.len() > TOO_MANY {
            self.paths.clear();
            self.sweep = true;
        }
        is_new
    }

    /// Adds a folder; returns true if it was not marked.
    fn add_tree(&mut self, dir: WsPath) -> bool {
        if dir.is_root() {
            return self.add_everything();
        }
        !self.sweep && self.trees.insert(dir)
    }

    /// Marks everything; returns true if that was not marked.
    fn add_everything(&mut self) -> bool {
        self.paths.clear();
        self.trees.clear();
        !std::mem::replace(&mut self.sweep, true)
    }
}

/// A change that gave no event and was found by a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnreportedChange {
    /// A single path.
    Path(WsPath),
    /// A folder with everything below it.
    Tree(WsPath),
    /// Everything may have changed.
    Everything,
}

/// Why [`DirtySet::wait_settled`] gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotSettled {
    /// The deadline passed; the index does not show everything yet.
    #[error("the index did not catch up in time")]
    Late,
    /// The workspace is being closed.
    #[error("the workspace is being closed")]
    Closed,
}

#[derive(Debug, Default)]
struct DirtyState {
    pending: Batch,
    /// Marks made so far. Only grows.
    marks: u64,
    /// The count of marks up to the last one that a call found by looking at files. Never more than `marks`.
    found: u64,
    /// The count of marks when the worker took its last batch. Never more than `marks`.
    taken: u64,
    /// Callers that read the tree in place of the worker now.
    rescans: usize,
    /// Marks that have been worked off. Never more than `settled_text`.
    settled: u64,
    /// Marks whose text has been worked off. Never more than `marks`.
    settled_text: u64,
    waiters: usize,
    first: Option<Instant>,
    last: Option<Instant>,
    /// The time at which the worker gets an empty batch, if nothing is marked until then.
    wake_at: Option<Instant>,
    closed: bool,
}

impl DirtyState {
    /// Returns the time for which the pending marks still rest; zero when they are due.
    fn time_left_to_rest(&self, debounce: Debounce) -> Duration {
        let (Some(first), Some(last)) = (self.first, self.last) else { return Duration::ZERO };
        if self.waiters > 0 {
            return Duration::ZERO;
        }
        let due = (last + debounce.quiet).min(first + debounce.max);
        due.saturating_duration_since(Instant::now())
    }

    fn take_batch(&mut self) -> Batch {
        self.first = None;
        self.last = None;
        self.wake_at = None;
        let mut batch = std::mem::take(&mut self.pending);
        batch.marks = self.marks;
        self.taken = self.marks;
        batch
    }
}

/// The marks of one workspace.
#[derive(Debug, Default)]
pub struct DirtySet {
    state: Mutex<DirtyState>,
    debounce: Debounce,
    /// Wakes the thread that works off batches.
    work: Condvar,
    /// Wakes calls that wait until their marks have settled.
    settled: Condvar,
}

impl DirtySet {
    /// Creates a dirty set with nothing marked.
    #[must_use]
    pub fn new(debounce: Debounce) -> Self {
        Self { debounce, ..Self::default() }
    }

    /// Marks one path. Marking the root, or very many paths, marks everything.
    pub fn mark(&self, path: WsPath) {
        self.change_pending(|state| state.pending.add_path(path));
    }

    /// Marks a folder and everything below it.
    pub fn mark_tree(&self, dir: WsPath) {
        self.change_pending(|state| state.pending.add_tree(dir));
    }

    /// Marks the whole workspace, in place of all single marks.
    pub fn mark_sweep(&self) {
        self.change_pending(|state| state.pending.add_everything());
    }

    /// Marks a change that a call found by looking at files, because no event reports it.
    pub fn mark_found(&self, found: UnreportedChange) {
        self.change_pending(|state| {
            let is_new = match found {
                UnreportedChange::Path(path) => state.pending.add_path(path),
                UnreportedChange::Tree(dir) => state.pending.add_tree(dir),
                UnreportedChange::Everything => state.pending.add_everything(),
            };
            state.found = state.marks + u64::from(is_new);
            is_new
        });
    }

    /// Returns the count of marks up to the last one that a call found by looking at files. A call that looks and finds
    /// nothing has to wait for this count. The batch in hand counts as well, because the worker may have read such a
    /// change while it worked on that batch.
    #[must_use]
    pub fn found_count(&self) -> u64 {
        let state = self.lock();
        state.found.max(state.taken)
    }

    /// Returns the count of marks so far: a call that starts now has to wait for it.
    #[must_use]
    pub fn mark_count(&self) -> u64 {
        self.lock().marks
    }

    /// Makes [`DirtySet::next_batch`] return an empty batch after `rest`, unless something is marked before. For
    /// callers whose work gives no mark.
    pub fn wake_in(&self, rest: Duration) {
        self.lock().wake_at = Some(Instant::now() + rest);
    }

    /// Waits for the next batch; `None` once [`DirtySet::close`] was called. For the one thread that works off batches.
    pub fn next_batch(&self) -> Option<Batch> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if state.pending.is_empty() {
                let rest = state.wake_at.map(|at| at.saturating_duration_since(Instant::now()));
                state = match rest {
                    None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
                    Some(Duration::ZERO) => return Some(state.take_batch()),
                    Some(rest) => {
                        self.work.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
                    }
                };
                continue;
            }
            let rest = state.time_left_to_rest(self.debounce);
            if rest.is_zero() {
                return Some(state.take_batch());
            }
            let waited = self.work.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns a copy of the present marks, for telling a caller which files are behind; takes none of them.
    #[must_use]
    pub fn pending_marks(&self) -> Batch {
        self.lock().pending.clone()
    }

    /// Takes the present marks, perhaps none.
    #[must_use]
    pub fn take_pending(&self) -> Batch {
        self.lock().take_batch()
    }

    /// Records that the batch with this count has been worked off.
    pub fn settle(&self, marks: u64) {
        let mut state = self.lock();
        state.settled = state.settled.max(marks.min(state.marks));
        state.settled_text = state.settled_text.max(state.settled);
        drop(state);
        self.settled.notify_all();
    }

    /// Records that the text index has the batch, while the rest of it is still to do: wakes callers that need no more
    /// than text.
    pub fn settle_text(&self, marks: u64) {
        let mut state = self.lock();
        state.settled_text = state.settled_text.max(marks.min(state.marks));
        drop(state);
        self.settled.notify_all();
    }

    /// Marks the contents of a batch again, because it could not be worked off.
    pub fn put_back(&self, batch: Batch) {
        if batch.sweep {
            self.mark_sweep();
        }
        batch.trees.into_iter().for_each(|tree| self.mark_tree(tree));
        batch.paths.into_iter().for_each(|path| self.mark(path));
    }

    /// Waits until everything up to `marks` has settled, and ends the rest of these marks.
    ///
    /// # Errors
    /// [`NotSettled`] when time runs out or the workspace is closed.
    pub fn wait_settled(&self, marks: u64, deadline: Deadline) -> Result<(), NotSettled> {
        self.wait(marks, deadline, |state| state.settled)
    }

    /// Waits as [`DirtySet::wait_settled`] does, for callers that need the text alone; see [`DirtySet::settle_text`].
    ///
    /// # Errors
    /// As [`DirtySet::wait_settled`].
    pub fn wait_text_settled(&self, marks: u64, deadline: Deadline) -> Result<(), NotSettled> {
        self.wait(marks, deadline, |state| state.settled_text)
    }

    /// Records that the caller reads the tree in place of the worker, until the guard is dropped. Such a reader makes
    /// no mark, because only the worker settles marks.
    #[must_use]
    pub fn begin_rescan(&self) -> RescanGuard<'_> {
        self.lock().rescans += 1;
        RescanGuard { dirty: self }
    }

    /// Waits until nobody reads the tree in place of the worker: that reader may have read a change that gave no event
    /// before the caller could find it.
    ///
    /// # Errors
    /// [`NotSettled`] when time runs out or the workspace is closed.
    pub fn wait_for_rescans(&self, deadline: Deadline) -> Result<(), NotSettled> {
        self.wait_until_done(deadline, |state| state.rescans == 0)
    }

    fn wait(
        &self,
        marks: u64,
        deadline: Deadline,
        settled: fn(&DirtyState) -> u64,
    ) -> Result<(), NotSettled> {
        self.wait_until_done(deadline, |state| settled(state) >= marks)
    }

    fn wait_until_done(
        &self,
        deadline: Deadline,
        is_done: impl Fn(&DirtyState) -> bool,
    ) -> Result<(), NotSettled> {
        let mut state = self.lock();
        if is_done(&state) {
            return Ok(());
        }
        state.waiters += 1;
        self.work.notify_all();
        let result = loop {
            if is_done(&state) {
                break Ok(());
            }
            if state.closed {
                break Err(NotSettled::Closed);
            }
            if deadline.has_passed() {
                break Err(NotSettled::Late);
            }
            state = wait_until(&self.settled, state, deadline);
        };
        state.waiters -= 1;
        result
    }

    /// Wakes every waiting thread, and makes every later wait fail.
    pub fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
        self.settled.notify_all();
    }

    /// Makes a change and wakes the worker; `change` returns true if it marked something new.
    fn change_pending(&self, change: impl FnOnce(&mut DirtyState) -> bool) {
        let mut state = self.lock();
        if !change(&mut state) {
            // A mark that is already pending counts for this moment too: its batch will be read later than now.
            state.last = Some(Instant::now());
            return;
        }
        let now = Instant::now();
        let was_empty = state.first.is_none();
        state.first.get_or_insert(now);
        state.last = Some(now);
        state.marks += 1;
        drop(state);
        // Later marks need no wake-up: the worker, if it rests, looks at `last` when its rest ends.
        if was_empty {
            self.work.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, DirtyState> {
        // No code that can panic runs between the writes of one change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader of the tree beside the worker, from [`DirtySet::begin_rescan`].
#[derive(Debug)]
pub struct RescanGuard<'d> {
    dirty: &'d DirtySet,
}

impl Drop for RescanGuard<'_> {
    fn drop(&mut self) {
        self.dirty.lock().rescans -= 1;
        self.dirty.settled.notify_all();
    }
}

/// Waits for a notification or the deadline, whichever comes first; may wake early.
pub(crate) fn wait_until<'g, T>(
    condvar: &Condvar,
    guard: MutexGuard<'g, T>,
    deadline: Deadline,
) -> MutexGuard<'g, T> {
    match deadline.remaining() {
        None => condvar.wait(guard).unwrap_or_else(PoisonError::into_inner),
        Some(rest) => condvar.wait_timeout(guard, rest).unwrap_or_else(PoisonError::into_inner).0,
    }
}
