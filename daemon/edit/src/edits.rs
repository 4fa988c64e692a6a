//! The edits of one user: what the rest of the daemon calls.

use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};

use crate::Proposal;
use crate::error::EditError;
use crate::pending::{Owner, Pending, PendingId, Staged, Summary};

/// Tells the time. Passed in, because what is a day old must be testable.
pub type Clock = Box<dyn Fn() -> SystemTime + Send + Sync>;

/// All that is pending, and the only way to a workspace's files. One per state folder; may be called from several threads.
pub struct Edits {
    clock: Clock,
}

/// What opening found to do. Sentences for the log and for `map_status`; empty after an orderly end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Edits that an earlier process had begun, and what became of them.
    pub recovered: Vec<String>,
    /// What could not be read, finished or used.
    pub warnings: Vec<String>,
}

/// An edit that is on the disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// What was applied; of an undo, what was undone.
    pub label: String,
    /// The tool that made it.
    pub tool: String,
    /// Files that have other contents now, are new or gone, in the order of their paths.
    pub files: Vec<WsPath>,
    /// What could not be seen to beside it, as sentences: that it cannot be undone, and why.
    pub warnings: Vec<String>,
}

/// What `undo` would take back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undoable {
    /// Its name when it was pending.
    pub id: PendingId,
    /// What it was.
    pub label: String,
    /// When it was applied.
    pub applied: SystemTime,
    /// The files it touched.
    pub files: Vec<WsPath>,
}

impl Edits {
    /// Opens what is kept in `folder` (which is made at need) and finishes what an earlier process began. Never fails: what
    /// cannot be read is set aside, and a folder that cannot be used makes every later call say so.
    #[must_use]
    pub fn open(folder: &AbsPath, clock: Clock) -> (Self, Report) {
        let _ = folder;
        (Self { clock }, Report::default())
    }

    /// Queues a preview.
    ///
    /// # Errors
    /// [`EditError::Nothing`], [`EditError::Refused`], [`EditError::TooMuch`], [`EditError::State`].
    pub fn propose(&self, owner: &Owner, proposal: Proposal) -> Result<Summary, EditError> {
        let _ = (owner, proposal);
        Err(EditError::Nothing)
    }

    /// Adds to the change set of a client in a workspace, which is made at need. Answers all of it.
    ///
    /// # Errors
    /// As [`Self::propose`], and [`EditError::Staged`] where the change was not made from what the set makes of the file.
    pub fn stage(&self, owner: &Owner, proposal: Proposal) -> Result<Pending, EditError> {
        let _ = (owner, proposal);
        Err(EditError::Nothing)
    }

    /// What a client's change set makes of a file; `None` if it does not touch it. A change that is to be staged is made from
    /// this and not from what is on the disk.
    ///
    /// # Errors
    /// [`EditError::State`] if the change set cannot be read.
    pub fn staged(&self, owner: &Owner, path: &WsPath) -> Result<Option<Staged>, EditError> {
        let _ = (owner, path);
        Ok(None)
    }

    /// What waits, newest first: of one client in a workspace, of a workspace, or all.
    #[must_use]
    pub fn pending(&self, wanted: &dyn Fn(&Summary) -> bool) -> Vec<Summary> {
        let _ = ((self.clock)(), wanted);
        Vec::new()
    }

    /// The edit that somebody means: the one named, whoever made it; else the newest preview of `owner`, else its change set.
    ///
    /// # Errors
    /// [`EditError::NothingPending`], [`EditError::Unknown`], [`EditError::Settled`], [`EditError::State`].
    pub fn find(&self, owner: &Owner, named: Option<&str>) -> Result<Pending, EditError> {
        let _ = (owner, named);
        Err(EditError::NothingPending)
    }

    /// Writes a pending edit: all of it, after which it is no longer pending, or nothing, and it stays so.
    ///
    /// # Errors
    /// [`EditError::Conflict`], [`EditError::Failed`], [`EditError::Unfinished`], [`EditError::Refused`], and those of
    /// [`Self::find`].
    pub fn apply(&self, id: &PendingId) -> Result<Applied, EditError> {
        let _ = id;
        Err(EditError::NothingPending)
    }

    /// Forgets a pending edit.
    ///
    /// # Errors
    /// Those of [`Self::find`]: what was applied cannot be discarded.
    pub fn discard(&self, id: &PendingId) -> Result<Summary, EditError> {
        let _ = id;
        Err(EditError::NothingPending)
    }

    /// What [`Self::undo`] would take back in a workspace.
    #[must_use]
    pub fn undoable(&self, root: &AbsPath) -> Option<Undoable> {
        let _ = root;
        None
    }

    /// Takes back what was last applied in a workspace, once, while its files still have the contents it gave them.
    ///
    /// # Errors
    /// [`EditError::NothingToUndo`], and those of [`Self::apply`].
    pub fn undo(&self, root: &AbsPath) -> Result<Applied, EditError> {
        let _ = root;
        Err(EditError::NothingToUndo("nothing has been applied in this workspace".to_owned()))
    }
}
