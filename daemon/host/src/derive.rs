//! Does the background work that changes leave behind: recomputes hub scores, clusters and edges, and saves the snapshot.
//!
//! A thread sleeps until something changed and then waits for a lull, because the figures describe the whole and one
//! more edit does not change them. It resolves under a read lock that it gives up as soon as somebody wants to change
//! the map, computes without any lock, and installs the result. Its pause grows with the cost of the last run, so that
//! a large tree under constant change is not recomputed without end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::progress::Phase;
use super::promote;
use super::snapshot;
use super::vectors::state::Vectors;
use super::workspace::Workspace;
use hob_base::lock;

/// Shortest pause after a change.
const LULL: Duration = Duration::from_secs(2);

/// Least ratio of the pause to the time of the last run.
const REST_FACTOR: u32 = 10;

/// Runs until the workspace is closed.
pub(super) fn run(workspace: &Arc<Workspace>) {
    let started = Instant::now();
    // Contents for broad searches are cached before there is a map: reading them once more takes seconds, mapping takes
    // minutes.
    if workspace.progress.wait_past(Phase::Text, &workspace.closing, &|_| {}).is_ok() {
        snapshot::save_large_text(workspace);
        snapshot::keep_contents(workspace);
    }
    if workspace.progress.wait_past(Phase::Map, &workspace.closing, &|_| {}).is_err() {
        return;
    }
    // A map that took long to make is saved before anything else: a kill must not cost it again.
    let first = workspace.first_report();
    if started.elapsed() > LULL && first.mapped > 0 {
        snapshot::save(workspace);
        // The derivation takes much memory itself.
        workspace.facts.release_store();
    }
    // The first run begins immediately, because answers wait for it. It covers all changes up to now.
    workspace.deriver.begin();
    let mut derived_in = restore_or_derive(workspace);
    Vectors::catch_up(workspace);
    snapshot::save(workspace);
    snapshot::save_derivation(workspace);
    workspace.facts.settle_memory();
    let next = |derived_in| {
        workspace.deriver.next(pause_after(workspace, derived_in), snapshot::derivation_due(workspace))
    };
    while let Some(map_changed) = next(derived_in) {
        if map_changed {
            promote::recall_confirmed(workspace, false);
            derived_in = derive_now(workspace);
            Vectors::catch_up(workspace);
        }
        snapshot::save(workspace);
        snapshot::save_derivation(workspace);
        promote::save(workspace);
        snapshot::keep_contents(workspace);
        if map_changed {
            // Resolving and saving read the facts of all files; questions read those of few.
            workspace.facts.settle_memory();
        }
    }
}

fn pause_after(workspace: &Workspace, derived_in: Duration) -> Duration {
    LULL.max(derived_in * REST_FACTOR).max(lock(&workspace.snapshots).pause_after_saving())
}

/// Restores the edges that an earlier run derived from the same files; if there are none, derives. Returns the time it took.
fn restore_or_derive(workspace: &Workspace) -> Duration {
    let start = Instant::now();
    if !snapshot::restore_edges(workspace) {
        return derive_now(workspace);
    }
    tracing::info!(root = %workspace.root(), took = ?start.elapsed(), "the edges are back");
    workspace.deriver.note_run();
    snapshot::note_restored(workspace);
    start.elapsed()
}

fn derive_now(workspace: &Workspace) -> Duration {
    let start = Instant::now();
    let mut job = workspace.map().derive_job();
    job.arrange_items();
    while workspace.closing.check().is_ok() {
        let go_on = || !workspace.is_map_wanted() && !workspace.closing.is_cancelled();
        if workspace.map().derive_while(&mut job, &go_on) {
            workspace.install_derived(workspace.facts.page_derived(job.finish()));
            break;
        }
        workspace.map.give_way();
    }
    workspace.deriver.note_run();
    start.elapsed()
}
