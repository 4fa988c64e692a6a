//! Describes a pending edit: its owner, its kind, and its effect.
//!
//! A description is small and stays in memory; the contents stay on the disk until somebody decides (`queue.rs`).

use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};

use super::id::PendingId;
use crate::change::{Proposal, ProposedFile};

/// The client that an edit belongs to, and the workspace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Owner {
    /// The client, by a name that only the host can interpret.
    pub client: String,
    /// The root of the workspace.
    pub root: AbsPath,
}

/// The kind of a pending edit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PendingKind {
    /// One preview by itself.
    Preview,
    /// The changes that a client has gathered in a workspace; each client has at most one such set there.
    ChangeSet,
}

/// The description of a pending edit without its contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Name of the edit.
    pub id: PendingId,
    /// The client and the workspace of the edit.
    pub owner: Owner,
    /// The kind of the edit.
    pub kind: PendingKind,
    /// The edit in a few words.
    pub label: String,
    /// The tool that made it; for a change set, the last one.
    pub tool: String,
    /// The time when it was made; for a change set, when it last grew.
    pub made: SystemTime,
    /// The files that it touches, by present path, in the order of the changes.
    pub files: Vec<WsPath>,
    /// Size of all its contents, before and after.
    pub bytes: u64,
}

/// A pending edit with its contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Its description without contents.
    pub summary: Summary,
    /// The changes that it would make.
    pub proposal: Proposal,
}

impl Summary {
    pub(crate) fn summary_of(
        id: PendingId,
        whose: (Owner, PendingKind),
        proposal: &Proposal,
        made: SystemTime,
    ) -> Self {
        let (owner, kind) = whose;
        let contents = |change: &ProposedFile| {
            let sides = [&change.before, &change.after].into_iter().flatten();
            sides.map(|bytes| bytes.len() as u64).sum::<u64>()
        };
        Self {
            id,
            owner,
            kind,
            label: proposal.label.clone(),
            tool: proposal.tool.clone(),
            made,
            files: proposal.changes.iter().map(|change| change.path.clone()).collect(),
            bytes: proposal.changes.iter().map(contents).sum(),
        }
    }
}

/// A pending edit, and its number in the order of arrival.
pub(crate) struct Queued {
    pub(crate) pending: Pending,
    pub(crate) serial: u64,
}
