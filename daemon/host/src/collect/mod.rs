//! Removes data of no further use from the disk: facts that no workspace has, snapshots of folders that are gone,
//! unpacked sources.
//!
//! Facts are found by content, so nothing says when they were last used, and noting every use would make each read a
//! write. Instead, a mark and sweep with a grace period runs now and then: it compares all facts with the contents that
//! the saved and the open workspaces have. Facts that no workspace has get a note of the time. Facts that have carried
//! their note for longer than the grace period are removed, and facts that are in use again lose it. So a branch that
//! was left for a fortnight comes back without parsing. Facts of another extractor, or in another form, are removed at
//! once, because nobody can read them. When all facts take too much, those unused for longest are removed first, but
//! never in the run that noted them.
//!
//! A mistake here costs time and never an answer, because missing facts are extracted again. So nothing is locked
//! meanwhile: files may change and workspaces be opened during a run. It works in slices and may be given up after any
//! of them.
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
