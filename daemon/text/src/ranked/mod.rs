//! Searches by ranking: finds the definitions, sections and files that the words of a question are about.
//!
//! tantivy keeps posting lists in mapped files, with their compression, deletion, merging and checksums. The
//! scoring is hob's own (`query`), because documents with five fields need them weighed together before
//! anything saturates. `tokens` defines words, `schema` documents, `index` opens, changes and merges,
//! `overlay` has recent changes, `columns` the numbers of documents, `folder` writes files.
//!
//! The index identifies files by a number that the caller chooses and that is the same in every run, and
//! definitions by their place in the file. It holds no text: the caller makes titles, lines and snippets from
//! its present data about file and definition. So the host must report every change to the index before it
//! searches.

mod columns;
mod essential;
mod files;
mod folder;
mod index;
mod likeliest;
mod matching;
mod overlay;
mod query;
mod question;
mod queue;
mod schema;
#[cfg(test)]
mod tests;
mod tokens;
mod walk;

pub use files::RankedFile;
pub use index::{FileDocuments, OpenedIndex, Patch, RankedError, RankedIndex, RankedStats, Update};
pub use likeliest::likeliest_files;
pub use query::{FileFilter, RankedAnswer, RankedHit, RankedRequest};
pub use question::{LONGEST_QUESTION, QuestionWords, RankedQuestion, cut_to_bytes, says_nothing};
pub use schema::{DocKind, Prior, RankedDoc};
pub use tokens::{Term, TermFinder, terms_of};
