//! Ranked search: which definitions, sections and files are about the words of a question.
//!
//! tantivy keeps posting lists in mapped files: their compression, deletion, merging and checksums are its. The scoring is ours
//! (`query`), because documents with five fields want them weighed together before anything saturates. `tokens` says
//! what a word is, `schema` what a document is, `index` opens, changes and merges,
//! `overlay` has what changed a moment ago, `folder` writes files.
//!
//! The index knows files by a number that the caller chooses and that is the same in every run, and definitions by their place in
//! the file. It holds no text: titles, lines and snippets are made by the caller from what it knows of file and definition now.
//! So it must be told of every change before it is asked, which is the host's part.

mod files;
mod folder;
mod index;
mod overlay;
mod query;
mod question;
mod schema;
mod tokens;

pub use files::RankedFile;
pub use index::{Opened, Patch, RankedError, RankedIndex, RankedStats, Update};
pub use query::{RankedAnswer, RankedHit, RankedRequest};
pub use question::{LONGEST_QUESTION, QuestionWords, RankedQuestion, cut_to_bytes, says_nothing};
pub use schema::{DocKind, Prior, RankedDoc};
pub use tokens::{Term, terms_of};
