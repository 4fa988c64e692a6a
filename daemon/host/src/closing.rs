//! Closes a workspace: ends its threads and saves what they have done.

use super::promote;
use super::snapshot;
use super::workspace::Workspace;

impl Workspace {
    /// Ends the threads and saves.
    pub(super) fn close(&self) {
        self.stop();
        // Waits for the indexer's present batch, so that table and text are of one moment.
        snapshot::save(self);
        snapshot::save_last_derivation(self);
        promote::save(self);
    }
}
