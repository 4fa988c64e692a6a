//! Holds the state of a workspace's snapshot: its folder, what was saved last, and how long that took.
//!
//! `saving` and `restoring` do the work; this file knows of no workspace, so that a workspace can hold it.

use std::time::{Duration, Instant};

use hob_base::AbsPath;
use hob_text::{ContentKeeper, Saver};

use super::format::TABLE;
use crate::deriver::DerivationState;

/// The pause between two savings is this many times as long as the last one took, so that steady editing keeps the disk
/// busy for less than a hundredth of the time; but never longer than the limit.
const REST_FACTOR: u32 = 200;
pub(super) const LONGEST_REST: Duration = Duration::from_secs(600);

/// A derivation that is saved.
#[derive(Clone, Copy, Debug)]
pub(super) struct SavedDerivation {
    pub(super) at: Instant,
    pub(super) state: DerivationState,
}

/// The folder of one workspace's snapshot.
#[derive(Debug)]
pub(crate) struct Snapshots {
    pub(super) folder: AbsPath,
    pub(super) saver: Saver,
    /// `None` where the user wants no second copy of the texts.
    pub(super) contents: Option<ContentKeeper>,
    /// The generation that was saved last.
    pub(super) saved: Option<u64>,
    /// Time that the last saving took.
    pub(super) took: Duration,
    /// The derivation that was saved last.
    pub(super) saved_derivation: Option<SavedDerivation>,
}

impl Snapshots {
    /// Opens the folder's text caches; `keep_contents` is false where the user wants no second copy of the texts.
    pub(crate) fn new(folder: AbsPath, keep_contents: bool) -> Self {
        let mut contents = ContentKeeper::open(&folder.join("contents"));
        if !keep_contents {
            contents.clear();
        }
        let contents = keep_contents.then_some(contents);
        let saver = Saver::new(&folder.join("text"));
        Self { saver, contents, folder, saved: None, took: Duration::ZERO, saved_derivation: None }
    }

    /// Returns the folder of the snapshot.
    pub(crate) fn folder(&self) -> &AbsPath {
        &self.folder
    }

    /// Returns the pause that is due after the last saving.
    pub(crate) fn pause_after_saving(&self) -> Duration {
        (self.took * REST_FACTOR).min(LONGEST_REST)
    }

    /// Returns the file of the table.
    pub(super) fn table_path(&self) -> AbsPath {
        self.folder.join(TABLE)
    }
}
