//! Implements the trigram index, which decides which files can have a match.
//!
//! It is a log-structured set of immutable segments. A batch of changes becomes new small segments; the
//! documents that they replace are masked in the older ones; [`MergeJob`]s merge small segments into larger
//! ones and drop the masked documents. So a change costs work proportional to the changed files, a deleted
//! file leaves no trace, and everything large is immutable: queries share it without copying, and it is
//! written to disk once and then used from the mapped file.
//!
//! Files: `blocks` (the pieces that lists name, and why), `grams` (one file's trigrams), `batch` and `build`
//! (files to segment), `segment` and `postings` (its bytes), `parts` (liveness), `index` (the mutable whole),
//! `merge`, `snapshot` (the text view of a query), `query` (regex to trigram query), `plan` (trigram query to
//! blocks), `disk` (saving and restoring).

mod batch;
pub(crate) mod blocks;
mod build;
pub(crate) mod disk;
mod grams;
mod index;
mod merge;
mod parts;
mod plan;
mod postings;
mod query;
mod segment;
mod varint;
mod view;

pub use batch::{GramChange, TextBatch};
pub use disk::{DiskError, FormatError, Restored, Saved, Saver, restore_index};
pub use grams::{FileGrams, Gram};
pub use index::TrigramIndex;
pub use merge::{MergeJob, Merged};
pub use query::GramQuery;
pub use view::{CandidateFile, IndexStats, MultiQueryCandidate, TextView};
