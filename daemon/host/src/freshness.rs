//! Says how fresh an answer is: whether every earlier write is in it, and which files are known to be out of date.

use hob_base::WsPath;
use hob_workspace::Batch;

/// The freshness of an answer, as far as a call knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Every write that completed before the call was received is in.
    Fresh,
    /// Not asked for, or not reached in time; the reason is a warning, unless it was not asked for.
    Unknown(Option<String>),
}

impl Default for Freshness {
    /// Nobody has asked.
    fn default() -> Self {
        Self::Unknown(None)
    }
}

/// Files whose index entry is out of date.
#[derive(Clone, Debug, Default)]
pub struct Stale {
    pub(super) batch: Batch,
}

impl Stale {
    /// Returns the number of marks that are known; a sweep under way counts as one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.batch.paths.len() + self.batch.trees.len() + usize::from(self.batch.sweep)
    }

    /// Returns true if this file may be out of date.
    #[must_use]
    pub fn has(&self, path: &WsPath) -> bool {
        self.batch.paths.contains(path) || self.batch.trees.iter().any(|tree| path.is_below(tree))
    }
}
