//! Searches text exactly: a trigram index narrows a regex to candidate files, ripgrep's own engine verifies
//! them.
//!
//! The promise is *the same lines that ripgrep prints*, for files that ripgrep would search: line by line,
//! `\n` ends a line, `\r` belongs to it, byte order marks are honoured, a NUL byte ends the reading (see
//! [`encoding`]). The index only decides which files cannot match; every other file is read and searched, so
//! the index can err in one direction only, and property tests verify that.
//!
//! The parts work together as follows: the scanner reads a file once and gives its bytes to
//! [`FileGrams::from_bytes`]; the host collects [`GramChange`]s, turns them into a [`TextBatch`] without its
//! lock, and [`TrigramIndex::install`]s it under the lock. A query takes a [`TextView`] (a few reference
//! counts) under the lock and runs [`search()`] without it.
//!
//! A [`Saver`] moves segments into mapped files, and [`restore_index()`] restores those that are still
//! current.
//!
//! This crate reads the searched files only through `hob_base::Contents`, walks no folders, and knows no tool and no wire format.

mod ascii;
mod clocked;
pub mod contents;
pub mod count;
pub mod encoding;
mod file_text;
pub mod filter;
pub mod found_elsewhere;
pub mod grep;
mod kept;
mod lanes;
mod patient;
pub mod pattern;
mod prefilter;
pub mod ranked;
mod required;
pub mod scope;
pub mod search;
mod shown;
#[cfg(test)]
mod tests;
pub mod trigram;
mod verify;

pub use contents::{CacheStats, ContentCache, ContentKeeper};
pub use count::{CountAnswer, CountError, CountRequest, PatternCounts, count};
pub use encoding::is_binary;
pub use filter::{Admits, BadGlob, PathFilter, PathRegexes, PathSet};
pub use pattern::{BadPattern, Pattern};
pub use scope::{LineScope, LineSet};
pub use search::{FileCount, LineMatch, SearchAnswer, SearchError, SearchOutput, SearchRequest, search};
pub use trigram::{
    CandidateFile, DiskError, FileGrams, FormatError, Gram, GramChange, GramQuery, IndexStats, MergeJob,
    Merged, MultiQueryCandidate, Restored, Saved, Saver, TextBatch, TextView, TrigramIndex, restore_index,
};
