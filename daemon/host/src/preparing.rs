//! A language server that is made ready aside, because a call did not wait for it: one at a time in a workspace.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hob_base::CancelToken;

use super::workspace::Workspace;

/// The leave to make a server ready; the next one is given when it is dropped.
#[derive(Debug)]
pub struct Preparing(Arc<Workspace>);

impl Workspace {
    /// Nothing if one is being made ready already.
    #[must_use]
    pub fn try_prepare(self: &Arc<Self>) -> Option<Preparing> {
        let is_first = !self.preparing.swap(true, Ordering::AcqRel);
        is_first.then(|| Preparing(Arc::clone(self)))
    }
}

impl Preparing {
    /// Returns the workspace whose server is made ready.
    #[must_use]
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.0
    }

    /// Ends it with the workspace.
    #[must_use]
    pub fn cancel(&self) -> &CancelToken {
        &self.0.closing
    }
}

impl Drop for Preparing {
    fn drop(&mut self) {
        self.0.preparing.store(false, Ordering::Release);
    }
}
