//! Describes a pending edit: whose it is, how it waits, and what it would do.
//!
//! A description is small and stays in memory; the contents stay on the disk until somebody decides (`queue.rs`).

use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};

use super::id::PendingId;
use crate::change::{Proposal, ProposedFile};

/// The client that an edit belongs to, and the workspace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Owner {
    /// The client, by a name that the host gives it and that means nothing here.
    pub client: String,
    /// The root of the workspace.
    pub root: AbsPath,
}

/// The way in which an edit waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PendingKind {
    /// One preview by itself.
    Preview,
    /// The changes that a client has gathered in a workspace; there is at most one such set.
    ChangeSet,
}

/// The description of a pending edit without its contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Name of the edit.
    pub id: PendingId,
    /// The client and the workspace that it belongs to.
    pub owner: Owner,
    /// The way in which it waits.
    pub kind: PendingKind,
    /// The edit in a few words.
    pub label: String,
    /// The tool that made it; of a change set, the last one.
    pub tool: String,
    /// When it was made; of a change set, when it last grew.
    pub made: SystemTime,
    /// The files that it touches, where they are now, in the order of the changes.
    pub files: Vec<WsPath>,
    /// Size of all its contents, before and after.
    pub bytes: u64,
}

/// A pending edit with all that it would do.
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

/// A pending edit, and its place in the order in which pending edits came.
pub(crate) struct Queued {
    pub(crate) pending: Pending,
    pub(crate) serial: u64,
}
