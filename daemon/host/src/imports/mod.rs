//! Imports SCIP indexes, which compilers make, into a workspace, and answers from them.
//!
//! **Belief.** An index does not say which contents it describes, so hob decides that for each file when it reads the
//! index. A document with a text describes that text. Any other is taken to describe the file as it is now, if the file
//! was last written before the index and has every place of the document. The hash of these bytes is stored with the
//! document, and the document is believed exactly as long as the file has them: not from the first changed byte on, and
//! again once the contents come back. hob cannot notice that a file was changed while the indexer ran, after the
//! indexer had read it.
//!
//! **Storage.** Each index is one file in the workspace's own folder, in the form of `hob-scip`: mapped, and found by
//! the next daemon. A damaged one is removed, and a notice tells users to import the source again. Nothing here is a
//! part of the map, so no edge of the map depends on it.
//!
//! `read` imports an index; `outcome` has its request and its errors, `name` the name of the result, `root` the folder
//! of an index. `state` holds the open indexes, `lookup` answers, and `belief` counts the files that are believed.

mod belief;
mod lookup;
mod name;
mod outcome;
mod read;
mod root;
pub(super) mod state;

pub use belief::IndexStatus;
pub use lookup::{CurrentHash, IndexedPlace, NamedSymbols, PlaceInFile, symbols_named_at};
pub use outcome::{ImportError, ImportOutcome, ImportRequest, SkippedReason};
pub use state::ImportedIndex;
