//! Computes the map, a symbol graph, from per-file facts.
//!
//! The crate consists of pure functions over facts. It takes bytes and changes and answers queries; it opens no file,
//! and knows no language server, no wire format and no clock. [`extract()`] turns one file into [`facts::FileFacts`];
//! [`Map`] answers queries about many of them.

mod bounded;
pub mod extract;
pub mod facts;
#[cfg(test)]
mod fixture;
pub mod graph;
mod hazards;
mod index;
mod kept;
pub mod langs;
pub mod locals;
pub mod meaning;
pub mod names_on_line;
mod node;
mod overview;
mod parse;
pub mod persist;
pub mod place_reading;
pub mod receiver;
mod recover;
mod resolve;
mod search;
pub mod syntax;
mod tamed;
pub mod trees;
pub mod walk;

pub use bounded::held_at_most;
pub use extract::{EXTRACTOR_VERSION, extract, extract_within, text_only};
pub use facts::{FileFacts, GaveUp};
pub use graph::{Map, MapBatch, MapChange, MapWaste, RankingJob};
pub use index::{ImageJob, PreparedFile};
pub use kept::KeptTreeMemory;
pub use langs::{Lang, built_languages, language_of};
pub use parse::{Patience, may_hold, parser_stack};
pub use search::SearchedFiles;
