//! Waits until the ranked index has all changes that were noted before a question.

use std::sync::Arc;

use hob_base::{CancelToken, lock};
use hob_text::ranked::RankedIndex;

use super::state::{IngestProgress, Ranked};
use super::work;
use crate::workspace::Workspace;

/// The reason why there is no index that has every change.
#[derive(Debug)]
pub enum NotReady {
    /// The index is being made.
    Building(IngestProgress),
    /// The index is there, but lacks some changes.
    Late(Arc<RankedIndex>),
    /// The index cannot be made or read.
    Failed(String),
}

impl Ranked {
    /// Returns the index with all changes that have been noted so far, after waiting for it within `cancel`; `report`
    /// is told the progress.
    ///
    /// # Errors
    /// [`NotReady`].
    pub fn wait_until_ready(
        workspace: &Arc<Workspace>,
        cancel: &CancelToken,
        report: &dyn Fn(IngestProgress),
    ) -> Result<Arc<RankedIndex>, NotReady> {
        let ranked = &workspace.ranked;
        let mut state = lock(&ranked.state);
        state.failure = None;
        let wanted = state.notes;
        loop {
            if let Some(failure) = &state.failure {
                return Err(NotReady::Failed(failure.clone()));
            }
            if workspace.closing.check().is_err() {
                return Err(NotReady::Failed("the workspace is being closed".to_owned()));
            }
            if let Some(index) = state.index.as_ref().filter(|_| state.is_built) {
                if state.taken_in >= wanted {
                    return Ok(Arc::clone(index));
                }
                if cancel.check().is_err() {
                    return Err(NotReady::Late(Arc::clone(index)));
                }
            } else if cancel.check().is_err() {
                return Err(NotReady::Building(state.progress));
            }
            let taking = state.progress;
            let starts = !std::mem::replace(&mut state.runs, true);
            drop(state);
            if starts {
                work::start(workspace);
            }
            report(taking);
            state = ranked.wait(cancel);
        }
    }
}
