//! From two sides of files to the symbols that a change adds, removes, renames, moves or changes.
//!
//! Pure functions over the bytes and facts of both sides: this crate knows no repository, no disk, no map of a project and no wire
//! format. [`compare_files()`] gives the [`SymbolChange`]s of a change, [`parse_diff()`] reads a unified diff, and [`Arity`] says whether
//! a call still fits a signature.
//!
//! Two definitions are the same symbol if they have the same qualified name in the same file, or, where that is gone on one side,
//! (nearly) the same text elsewhere. The text of a definition is its own: without the definitions in it, so that a class does not
//! change whenever one of its methods does.

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
