//! Keeps what waits for a decision: each client's previews, and in each workspace one change set that it adds to.
//!
//! All of it is on the disk before anybody is told its name, because an agent may come back to it after a restart. Who made
//! an edit matters only to what "the newest" means: by its name anybody may decide it.

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
