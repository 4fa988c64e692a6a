//! Waits until the ranked index has all changes that were noted before a question.

use std::sync::Arc;

use hob_base::{CancelToken, Deadline, FileId, lock};
use hob_text::ranked::RankedIndex;

use super::state::{IngestProgress, Ranked};
use super::work;
use crate::workspace::Workspace;

/// The reason why there is no index that has every change.
#[derive(Debug)]
pub enum NotReady {
    /// The index is being made.
    Building(IngestProgress),
    /// The index is being made, and has the files that the question wants most. The progress counts the files that it has.
    Partial(Arc<RankedIndex>, IngestProgress),
    /// The index is there, but lacks some changes.
    Late(Arc<RankedIndex>),
    /// The index cannot be made or read.
    Failed(String),
}

/// The files that a question can be answered from while the index lacks others.
#[derive(Clone, Copy, Debug)]
pub struct SufficientFiles<'f> {
    /// The files, the most wanted first.
    pub files: &'f [FileId],
    /// The moment until which the question waits for all files nevertheless.
    pub all_until: Deadline,
}

impl Ranked {
    /// Returns the index with all changes that have been noted so far, after waiting for it within `cancel`; `report`
    /// is told the progress. If some files are sufficient while the index is made, they are ingested before all others.
    ///
    /// # Errors
    /// [`NotReady`].
    pub fn wait_until_ready(
        workspace: &Arc<Workspace>,
        sufficient: Option<SufficientFiles<'_>>,
        cancel: &CancelToken,
        report: &dyn Fn(IngestProgress),
    ) -> Result<Arc<RankedIndex>, NotReady> {
        let ranked = &workspace.ranked;
        let mut state = lock(&ranked.state);
        state.failure = None;
        let sufficient = sufficient.filter(|_| !state.is_built);
        if let Some(SufficientFiles { files, .. }) = sufficient {
            state.want_files(files);
        }
        let wanted = state.notes;
        loop {
            if let Some(failure) = &state.failure {
                return Err(NotReady::Failed(failure.clone()));
            }
            if workspace.closing.check().is_err() {
                return Err(NotReady::Failed("the workspace is being closed".to_owned()));
            }
            let built = state.index.clone().filter(|_| state.is_built);
            if let Some(index) = built.as_ref().filter(|_| state.taken_in >= wanted) {
                return Ok(Arc::clone(index));
            }
            let taking = state.progress;
            let partial = sufficient.filter(|some| some.all_until.has_passed());
            if let Some((index, has)) = partial.and_then(|some| state.index_with_files(some.files)) {
                return Err(NotReady::Partial(Arc::clone(index), has));
            }
            let starts = !std::mem::replace(&mut state.runs, true);
            drop(state);
            // Also for a caller that cannot wait: the next one finds more.
            if starts {
                work::start(workspace);
            }
            if cancel.check().is_err() {
                return Err(built.map_or(NotReady::Building(taking), NotReady::Late));
            }
            report(taking);
            state = ranked.wait(cancel);
        }
    }
}
