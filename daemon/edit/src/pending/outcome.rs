//! Defines how a pending edit was decided. hob remembers decisions for a while, so that it can tell a caller who comes
//! too late.

use std::fmt;
use std::time::SystemTime;

use super::id::PendingId;

/// The decision with which an edit ceased to be pending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PendingOutcome {
    /// The edit was written.
    Applied,
    /// A client discarded the edit.
    Discarded,
    /// No client decided in time.
    Expired,
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

/// An edit that is no longer pending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settled {
    pub(crate) id: PendingId,
    pub(crate) label: String,
    pub(crate) outcome: PendingOutcome,
    pub(crate) at: SystemTime,
}
