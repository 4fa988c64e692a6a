//! Indexes that compilers made: takes in what SCIP files say of a workspace, and answers from them.
//!
//! **Belief.** An index says nothing of the contents that it is of, so hob decides when it reads the index, file by file. A document
//! with a text is of that text. Any other is taken to be of the file as it is now, if the file was last written before the index was
//! and every place of the document lies in it. The hash of these bytes is kept with the document, and the document is believed exactly
//! as long as the file has them: a changed file is not believed from its first changed byte on, and again once its contents come
//! back. What this cannot notice is a file that was changed while the indexer ran, after the indexer had read it.
//!
//! **Where it is kept.** Each index is one file in the workspace's own folder, in the form of `hob-scip`: mapped, and found by the next
//! daemon. A damaged one is removed and users are told; the source has to be imported again. Nothing here is a part of the map, so no
//! edge of the map depends on it.
//!
//! `read` takes an index in; `outcome` has its request and its errors, `name` the name of the result, `root` the folder that an index is
//! of. `state` keeps the open ones, `lookup` answers, and `belief` counts the files that are believed.

mod belief;
mod lookup;
mod name;
mod outcome;
mod read;
mod root;
pub(super) mod state;

pub use belief::IndexStatus;
pub use lookup::{CurrentHash, IndexedPlace, NamedSymbols, PlaceInFile, symbols_named_at};
pub use outcome::{ImportError, ImportOutcome, ImportRequest, LeftAside};
pub use state::ImportedIndex;
