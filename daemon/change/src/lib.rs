//! Computes from two sides of files which symbols a change adds, removes, renames, moves or changes.
//!
//! It consists of pure functions over the bytes and facts of both sides: this crate knows no repository, no
//! disk, no map of a project and no wire format. [`compare_files()`] returns the [`SymbolChange`]s of a
//! change, [`parse_diff()`] reads a unified diff, and [`Arity`] says whether a call still fits a signature.
//!
//! Two definitions are the same symbol if they have the same qualified name in the same file, or, if one side
//! lacks that name, (nearly) the same text elsewhere. The own text of a definition excludes the definitions
//! in it, so that a class does not change whenever one of its methods does.

mod arity;
mod between;
mod compare;
mod own_text;
mod pairing;
mod scanner;
mod sides;
#[cfg(test)]
mod tests;
mod unified;

pub use arity::{Arity, count_arguments, counts_arguments};
pub use compare::{ChangeComparison, compare_files};
pub use sides::{ChangedParts, FileChange, FilePair, FileSide, SymbolChange, SymbolFate, SymbolPlace};
pub use unified::{DiffError, FilePatch, parse_diff};
