//! Runs the thread that brings a workspace up to date.
//!
//! The thread sleeps until something is marked, takes the marks as one batch, finds out what has changed, ingests that
//! and completes the marks. A panic in one batch ends that batch; the index is then rebuilt once, and the thread
//! goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hob_base::{CancelToken, Stopped, WsPath};
use hob_workspace::{Batch, Refresh, refresh};

use super::ingest::ingest_changes;
use super::progress::Phase;
use super::promote;
use super::ranked::state::Ranked;
use super::report::Report;
use super::snapshot;
use super::workspace::Workspace;
use hob_base::lock;

/// Runs until the workspace is closed. The watcher marked everything when it began, so the first batch is the first index.
pub(super) fn run(workspace: &Arc<Workspace>) {
    if catch_unwind(AssertUnwindSafe(|| snapshot::restore(workspace))).is_err() {
        tracing::error!(root = %workspace.root(), "restoring a saved index hit a bug");
    }
    let (mut started_over, mut rest) = (false, FIRST_REST);
    while let Some(batch) = workspace.tree.dirty.next_batch() {
        if batch.is_empty() {
            workspace.tree.unread.mark_again(workspace.root(), &workspace.tree.dirty);
            continue;
        }
        workspace.note_batch(&batch);
        let marks = batch.marks;
        let outcome = catch_unwind(AssertUnwindSafe(|| work_off(workspace, &batch, &workspace.closing)));
        workspace.put_down();
        match outcome {
            Ok(Ok(report)) => {
                tracing::debug!(root = %workspace.root(), ?report, "took changes in");
                if workspace.progress.now().phase != Phase::Done {
                    *lock(&workspace.indexing.first_report) = report;
                }
            }
            Ok(Err(stopped)) => tracing::debug!(root = %workspace.root(), %stopped, "indexing stopped"),
            Err(_) => {
                let text = "A bug interrupted indexing; see the log. Everything is being read again.";
                // A file that provokes the bug every time must not keep the thread busy for ever.
                if !std::mem::replace(&mut started_over, true) {
                    workspace.start_over();
                }
                workspace.shared.notices.add_once("indexer", text.to_owned());
            }
        }
        if workspace.progress.now().phase != Phase::Done
            && catch_unwind(AssertUnwindSafe(|| promote::recall_confirmed(workspace, true))).is_err()
        {
            tracing::error!(root = %workspace.root(), "recalling what was confirmed hit a bug");
        }
        // The marks are completed in any case: waiting calls must not hang on a batch that failed; they carry the
        // notice instead.
        workspace.progress.enter(Phase::Done, None);
        workspace.pending.forget_all();
        workspace.tree.dirty.settle(marks);
        workspace.merge_text();
        Ranked::catch_up(workspace);
        // Calls retry files that could not be read at once; this thread retries them where no calls come.
        rest = match workspace.tree.unread.is_momentary() {
            true => {
                workspace.tree.dirty.wake_in(rest);
                (rest * 2).min(LONGEST_REST)
            }
            false => FIRST_REST,
        };
    }
}

/// Pause before files that could not be read are tried again, which doubles each time, and the longest such pause.
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(60);

impl Workspace {
    /// Rescans everything below `scope`, or the whole tree without one, in the caller's thread.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled before anything was ingested.
    pub fn rescan(&self, scope: Option<WsPath>, cancel: &CancelToken) -> Result<Report, Stopped> {
        let scope = scope.unwrap_or_else(WsPath::root);
        // The batch has no marks, because the indexer completes those itself.
        let _in_hand = self.tree.dirty.begin_rescan();
        let mut batch = Batch::default();
        match scope.is_root() {
            true => batch.sweep = true,
            false => drop(batch.trees.insert(scope.clone())),
        }
        let mut report = work_off(self, &batch, cancel)?;
        let core = lock(&self.core);
        report.scanned =
            report.deleted + core.table.iter().filter(|(_, path, _)| path.is_below(&scope)).count();
        Ok(report)
    }
}

/// Finds out what has changed in a batch, and ingests it.
///
/// # Errors
/// [`Stopped`] when cancelled before anything was ingested.
fn work_off(workspace: &Workspace, batch: &Batch, cancel: &CancelToken) -> Result<Report, Stopped> {
    let mut core = lock(&workspace.core);
    let count = |seen: u64| workspace.progress.set_done(seen);
    let refreshed = refresh(
        batch,
        Refresh {
            rules: &workspace.tree.rules,
            table: &mut core.table,
            watcher: Some(Arc::clone(&workspace.tree.watcher)),
            cancel: cancel.clone(),
            progress: Some(&count),
        },
    )?;
    if refreshed.root_replaced {
        // Its servers run in the folder that was there before.
        workspace.live().stop_all_of(workspace.root());
    }
    if let Some(new) = refreshed.notes {
        workspace.set_notes(new);
    }
    if let Some(new) = refreshed.omissions {
        workspace.set_omissions(new);
    }
    Ok(ingest_changes(workspace, &mut core, refreshed.plan, batch.marks, &workspace.closing))
}
