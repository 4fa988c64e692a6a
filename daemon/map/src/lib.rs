//! The map: a symbol graph computed from per-file facts.
//!
//! Pure functions over facts. This crate takes bytes and changes and gives answers; it opens no file, knows no language
//! server, no wire format and no clock. [`extract()`] turns one file into [`facts::FileFacts`]; [`Map`] answers
//! questions over many of them.

pub mod extract;
pub mod facts;
#[cfg(test)]
mod fixture;
pub mod graph;
mod hazards;
mod index;
pub mod langs;
mod overview;
mod parse;
pub mod persist;
mod recover;
mod resolve;
mod search;
pub mod trees;
pub mod walk;

pub use extract::{EXTRACTOR_VERSION, extract, extract_within};
pub use facts::FileFacts;
pub use graph::{Map, MapChange};
pub use index::PreparedFile;
pub use langs::{Lang, language_of};
pub use parse::Patience;
