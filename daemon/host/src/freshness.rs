//! Says how fresh an answer is: whether every earlier write is in it, and which files are known to be out of date.

use hob_base::WsPath;
use hob_workspace::Batch;

/// The freshness of an answer, as far as a call knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Every write that completed before the call was received is in.
    Fresh,
    /// Freshness was not asked for, or not reached in time; in the latter case there is a reason, which becomes a
    /// warning.
    Unknown(Option<String>),
}

impl Default for Freshness {
    /// Returns the freshness of a call that did not ask for it.
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
    /// Returns the number of known marks; a sweep under way counts as one.
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
