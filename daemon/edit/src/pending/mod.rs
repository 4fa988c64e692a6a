//! Keeps what waits for a decision: each client's previews, and in each workspace one change set that it adds to.
//!
//! All of it is on the disk before anybody is told its name, because an agent may come back to it after a restart. Who made
//! an edit matters only to what "the newest" means: by its name anybody may decide it.

mod compose;
mod id;
mod queue;

use std::fmt;
use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};

use crate::Proposal;

pub(crate) use compose::{Misfit, compose_set, staged_in_set};
pub use id::PendingId;
pub use queue::LIFE;
pub(crate) use queue::{Queue, QueueFolder, Shown};

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

/// The decision with which an edit ceased to be pending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PendingOutcome {
    /// The edit was written.
    Applied,
    /// Somebody did not want it.
    Discarded,
    /// Nobody decided in time.
    Expired,
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

/// The contents that a file will have, for whoever makes another change to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Staged {
    /// It will have these contents.
    Contents(std::sync::Arc<[u8]>),
    /// It will not be there.
    Gone,
}

impl Summary {
    pub(crate) fn summary_of(
        id: PendingId,
        whose: (Owner, PendingKind),
        proposal: &Proposal,
        made: SystemTime,
    ) -> Self {
        let (owner, kind) = whose;
        let contents = |change: &crate::ProposedFile| {
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

/// An edit that is no longer pending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settled {
    pub(crate) id: PendingId,
    pub(crate) label: String,
    pub(crate) outcome: PendingOutcome,
    pub(crate) at: SystemTime,
}

impl fmt::Display for PendingOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Applied => "applied",
            Self::Discarded => "discarded",
            Self::Expired => "expired",
        })
    }
}
