//! Keeps a workspace to one language server that is made ready in the background, because a call did not wait for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hob_base::CancelToken;

use super::workspace::Workspace;

/// The permission to make a server ready; the next one is given after it is dropped.
#[derive(Debug)]
pub struct Preparing(Arc<Workspace>);

impl Workspace {
    /// Returns the permission; `None` if a server is being made ready already.
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

    /// Returns the token that ends the preparation with the workspace.
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
