//! Removes from the disk what is of no use any more: facts that no workspace has, snapshots of folders that are gone, unpacked sources.
//!
//! Facts are found by content, so nothing says when they were used last; writing that down at every use would make each
//! read a write. Instead they are marked and swept, with grace: now and then every fact is compared with the contents that
//! the saved and the open workspaces have. One that none has gets a note since when; one that has carried its note for longer
//! than the grace is removed; one that is in use again loses the note. So a branch that was left for a fortnight comes back
//! without parsing. Facts of another extractor, or in another form, go at once: nobody can read them. When all take too much,
//! those go first that have been unused for longest, but never in the run that noted them.
//!
//! A mistake here costs time and never an answer: facts that are missing are extracted again. So nothing is locked meanwhile:
//! files may change and workspaces be opened while it runs. It works in slices and may be given up after any of them.
//!
//! Files: `sweep` removes facts, `gone` snapshots, `confirmed` what language servers confirmed, `unpacked` the sources of jars; `run` has
//! what they share, and `schedule` says when.

mod confirmed;
mod gone;
mod run;
mod schedule;
mod sweep;
mod unpacked;

pub(super) use gone::GOING;
pub use run::{CollectError, Collected, RetentionLimits};
pub(super) use schedule::Collector;
