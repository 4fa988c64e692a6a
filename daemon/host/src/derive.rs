//! Does the work aside that changes leave behind: it recomputes hub scores and clusters, and saves the snapshot.
//!
//! A thread sleeps until something changed and then waits for a lull, because the figures describe the whole and one more
//! edit does not change them. It resolves under a read lock that it gives up as soon as somebody wants to change the map, computes
//! without any lock, and installs. How long it rests grows with what the last run cost, so that a large tree under constant change is not
//! recomputed without end.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hob_base::CancelToken;

use super::promote;
use super::snapshot;
use super::vectors::Vectors;
use super::workspace::Workspace;
use hob_base::lock;

/// Shortest rest after a change.
const LULL: Duration = Duration::from_secs(2);

/// The rest is at least this many times as long as the last run took.
const REST_FACTOR: u32 = 10;

#[derive(Debug, Default)]
struct DeriverState {
    changed: bool,
    map_changed: bool,
    /// Files that changed in the map so far.
    map_changes: u64,
    /// Number of these changes that the saved names and lists know of; `None` if none are saved.
    imaged: Option<u64>,
    runs: u64,
    closed: bool,
}

/// Tells the deriving thread what happened, and others what it did.
#[derive(Debug, Default)]
pub(super) struct Deriver {
    state: Mutex<DeriverState>,
    moved: Condvar,
}

impl Deriver {
    pub(super) fn text_changed(&self) {
        self.note_change(None);
    }

    /// So many files changed in the map.
    pub(super) fn map_changed(&self, files: u64) {
        self.note_change(Some(files));
    }

    /// Something was confirmed, and is to be saved.
    pub(super) fn edges_confirmed(&self) {
        self.note_change(None);
    }

    /// Returns the number of changes of files in the map so far; a file counts as often as it changed.
    pub(super) fn map_changes(&self) -> u64 {
        lock(&self.state).map_changes
    }

    /// Returns the number of changes that the saved names and lists do not know of; `None` if none are saved.
    pub(super) fn image_age(&self) -> Option<u64> {
        let state = lock(&self.state);
        state.imaged.map(|imaged| state.map_changes.saturating_sub(imaged))
    }

    /// The saved names and lists know of so many changes.
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

    pub(super) fn close(&self) {
        lock(&self.state).closed = true;
        self.moved.notify_all();
    }

    pub(super) fn wait_first(&self, cancel: &CancelToken) {
        let mut state = lock(&self.state);
        while state.runs == 0 && !state.closed && cancel.check().is_ok() {
            let rest = cancel.deadline().remaining().unwrap_or(LULL).min(Duration::from_millis(100));
            state = self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for a change and then for `rest`; whether the map changed, or `None` when closing.
    fn next(&self, rest: Duration) -> Option<bool> {
        let mut state = lock(&self.state);
        while !state.changed && !state.closed {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
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

    /// Clears the notes of changes, because all changes so far are about to be looked at.
    fn begin(&self) {
        let mut state = lock(&self.state);
        (state.changed, state.map_changed) = (false, false);
    }

    fn note_run(&self) {
        lock(&self.state).runs += 1;
        self.moved.notify_all();
    }
}

/// Runs until the workspace is closed.
pub(super) fn run(workspace: &Arc<Workspace>) {
    let started = Instant::now();
    // As soon as there is a text index, and for broad searches alone: reading what was just read takes seconds, mapping minutes.
    if workspace.progress.wait_past(super::Phase::Text, &workspace.closing, &|_| {}).is_ok() {
        snapshot::keep_contents(workspace);
    }
    if workspace.progress.wait_past(super::Phase::Map, &workspace.closing, &|_| {}).is_err() {
        return;
    }
    // What took long to make is brought to safety before anything else: a kill must not cost it again.
    let first = workspace.first_report();
    if started.elapsed() > LULL && first.mapped > 0 {
        snapshot::save(workspace);
    }
    // The first time at once: answers wait for it. It covers everything up to now.
    workspace.deriver.begin();
    let mut derived_in = derive_now(workspace);
    Vectors::catch_up(workspace);
    snapshot::save(workspace);
    snapshot::save_ranking(workspace);
    while let Some(map_changed) = workspace.deriver.next(pause_after(workspace, derived_in)) {
        if map_changed {
            promote::recall_confirmed(workspace, false);
            derived_in = derive_now(workspace);
            Vectors::catch_up(workspace);
        }
        snapshot::save(workspace);
        snapshot::save_ranking(workspace);
        promote::save(workspace);
        snapshot::keep_contents(workspace);
    }
}

fn pause_after(workspace: &Workspace, derived_in: Duration) -> Duration {
    LULL.max(derived_in * REST_FACTOR).max(lock(&workspace.snapshots).pause_after_saving())
}

fn derive_now(workspace: &Workspace) -> Duration {
    let start = Instant::now();
    let mut job = workspace.map().derive_job();
    while workspace.closing.check().is_ok() {
        let go_on = || !workspace.is_map_wanted() && !workspace.closing.is_cancelled();
        if workspace.map().derive_while(&mut job, &go_on) {
            workspace.install_derived(job.finish());
            break;
        }
    }
    workspace.deriver.note_run();
    start.elapsed()
}
