//! Keeps edits that wait for a decision: each client's previews, and its one change set in each workspace.
//!
//! All of it is on the disk before a client gets the name, because an agent may come back to it after a restart. The
//! client that made an edit matters only for the meaning of "the newest": any client may decide an edit by its name.

mod compose;
pub(crate) mod id;
pub(crate) mod outcome;
mod queue;
pub(crate) mod summary;

pub use compose::Staged;
pub(crate) use compose::{Misfit, compose_set, staged_in_set};
pub use id::PendingId;
pub use outcome::PendingOutcome;
pub(crate) use outcome::Settled;
pub use queue::LIFE;
pub(crate) use queue::{Queue, QueueFolder, Shown};
pub use summary::{Owner, Pending, PendingKind, Summary};
