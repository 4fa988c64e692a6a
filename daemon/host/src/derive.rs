//! Does the work aside that changes leave behind: it recomputes hub scores and clusters, and saves the snapshot.
//!
//! A thread sleeps until something changed and then waits for a lull, because the figures describe the whole and one more
//! edit does not change them. It resolves under a read lock that it gives up as soon as somebody wants to change the map, computes
//! without any lock, and installs. How long it rests grows with what the last run cost, so that a large tree under constant change is not
//! recomputed without end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::progress::Phase;
use super::promote;
use super::snapshot;
use super::vectors::state::Vectors;
use super::workspace::Workspace;
use hob_base::lock;

/// Shortest rest after a change.
const LULL: Duration = Duration::from_secs(2);

/// The rest is at least this many times as long as the last run took.
const REST_FACTOR: u32 = 10;

/// Runs until the workspace is closed.
pub(super) fn run(workspace: &Arc<Workspace>) {
    let started = Instant::now();
    // As soon as there is a text index, and for broad searches alone: reading what was just read takes seconds, mapping minutes.
    if workspace.progress.wait_past(Phase::Text, &workspace.closing, &|_| {}).is_ok() {
        snapshot::keep_contents(workspace);
    }
    if workspace.progress.wait_past(Phase::Map, &workspace.closing, &|_| {}).is_err() {
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
    job.arrange_items();
    while workspace.closing.check().is_ok() {
        let go_on = || !workspace.is_map_wanted() && !workspace.closing.is_cancelled();
        if workspace.map().derive_while(&mut job, &go_on) {
            workspace.install_derived(job.finish());
            break;
        }
        workspace.map.give_way();
    }
    workspace.deriver.note_run();
    start.elapsed()
}
