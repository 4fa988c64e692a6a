//! Defines the errors of an edit, in words that a user can act on.
//!
//! Texts name the file, the cause and the next step, because only this crate knows all three. The host decides which
//! code a client sees: [`EditError::NothingPending`], [`EditError::Unknown`] and [`EditError::Settled`] are about
//! pending edits, [`EditError::Conflict`] about files that have changed, [`EditError::Failed`] and
//! [`EditError::Unfinished`] about the disk.

use std::{fmt, io};

use hob_base::WsPath;

use crate::pending::id::PendingId;
use crate::pending::outcome::PendingOutcome;

/// Why an edit was not queued, applied, discarded or undone.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EditError {
    /// The client has no preview and no change set.
    #[error("No pending action to resolve. Nothing to apply or discard.")]
    NothingPending,
    /// No pending edit has this name, or had it recently.
    #[error("there is no pending edit `{0}`; `hob pending` lists those that there are")]
    Unknown(String),
    /// The edit has been decided already.
    #[error("{}", settled(.id, .label, *.outcome))]
    Settled {
        /// Name of the edit that the caller named.
        id: PendingId,
        /// The edit in a few words.
        label: String,
        /// The decision: applied, discarded or expired.
        outcome: PendingOutcome,
    },
    /// Files have changed since the preview was made. Nothing was written.
    #[error("{0}")]
    Conflict(Conflict),
    /// The system refused an operation. Every file is as it was before.
    #[error("Apply failed: {file}: {cause}")]
    Failed {
        /// The file, as the user knows it.
        file: String,
        /// The system's reason, in words.
        cause: String,
    },
    /// The system refused an operation, and taking the apply back failed too. The journal stays, and the next apply in
    /// this workspace, or the next start of the daemon, completes the work.
    #[error(
        "Apply failed: {cause}. Taking it back failed too: {also}. hob goes on with that when it next starts or applies an edit here; until then files may be old and new side by side"
    )]
    Unfinished {
        /// The reason why the edit failed, in words.
        cause: String,
        /// The reason why taking it back failed, in words.
        also: String,
    },
    /// A path that hob never writes.
    #[error("`{path}` is not written: {why}")]
    Refused {
        /// The path as proposed.
        path: WsPath,
        /// The reason, as half a sentence.
        why: &'static str,
    },
    /// The proposal is too large, or too much is pending.
    #[error("{0}")]
    TooMuch(String),
    /// A change does not fit the client's change set for the file.
    #[error(
        "`{path}` is in the change set already, and {why}; apply or discard the change set `{id}` first, or make the change against its contents"
    )]
    Staged {
        /// The file that is in the change set.
        path: WsPath,
        /// The reason why the change does not fit, as half a sentence.
        why: &'static str,
        /// Name of the change set.
        id: PendingId,
    },
    /// The proposal changes nothing.
    #[error("the edit changes nothing")]
    Nothing,
    /// There is no apply to undo.
    #[error("{0}")]
    NothingToUndo(String),
    /// hob's own folder cannot be used.
    #[error("{file} in hob's state folder: {cause}; nothing was changed")]
    State {
        /// The path of the file or folder.
        file: String,
        /// The system's reason, in words.
        cause: String,
    },
}

/// The files that prevent an edit from being applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The files that differ, in the order of their paths.
    pub files: Vec<Difference>,
    /// The next step for the caller, as a sentence.
    pub next: String,
}

/// A file that differs from the proposal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The file that differs.
    pub path: WsPath,
    /// The way in which it differs.
    pub how: Differs,
}

/// The difference between a file and its expected state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differs {
    /// Its contents differ.
    Changed,
    /// The file is gone now.
    Gone,
    /// The path of a new or moved file is taken.
    Exists,
    /// The path has something else: a folder, a device.
    NoFile,
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "has changed",
            Self::Gone => "is gone",
            Self::Exists => "exists already",
            Self::NoFile => "is no regular file",
        })
    }
}

/// Most files that the message names; the rest is counted.
const NAMED: usize = 5;

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Difference { path, how }) in self.files.iter().take(NAMED).enumerate() {
            write!(f, "{}`{path}` {how}", if index == 0 { "" } else { ", " })?;
        }
        if self.files.len() > NAMED {
            write!(f, " and {} more", self.files.len() - NAMED)?;
        }
        write!(f, ". Nothing was written. {}", self.next)
    }
}

fn settled(id: &PendingId, label: &str, outcome: PendingOutcome) -> String {
    match outcome {
        PendingOutcome::Applied => {
            format!("`{id}` ({label}) has been applied; `hob undo` takes back what was applied last")
        }
        PendingOutcome::Discarded => format!("`{id}` ({label}) has been discarded; make the preview again"),
        PendingOutcome::Expired => format!("`{id}` ({label}) has expired; make the preview again"),
    }
}

/// Returns the system's reason in words, without its number.
pub(crate) fn cause_without_number(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_owned(),
        None => text,
    }
}
