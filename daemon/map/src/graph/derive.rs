//! Hub scores and clusters: computed aside in slices, installed when ready.

use super::Map;

/// The computation under way. It holds a snapshot of the files and takes slices of time under a read lock.
#[derive(Debug, Default)]
pub struct DeriveJob {}

/// What a derivation found; see [`Map::install`].
#[derive(Debug, Default)]
pub struct Derived {}

impl DeriveJob {
    /// Files done and files in all.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (0, 0)
    }

    /// The part that needs no map: PageRank and communities.
    #[must_use]
    pub fn finish(self) -> Derived {
        Derived::default()
    }
}

impl Map {
    /// Starts a derivation over the files there are now.
    #[must_use]
    pub fn derive_job(&self) -> DeriveJob {
        DeriveJob::default()
    }

    /// Resolves the next `files` files of the job's snapshot; true when none are left. The map may change between slices.
    pub fn derive_step(&self, _job: &mut DeriveJob, _files: usize) -> bool {
        true
    }

    /// Takes over scores and clusters. Definitions that changed since keep theirs by name.
    pub fn install(&mut self, _derived: Derived) {}
}
