//! Defines the form in which hob keeps an imported index: tables of numbers in one mapped file, which answers
//! questions without decoding.
//!
//! `build` writes the file in one pass over the documents, `tables` defines where each table begins, `read`
//! answers questions. The tables identify a symbol by a hash of its text and not by the text: no question
//! needs the text, and a hash is a seventh as long. For each symbol the tables have its places in the order
//! of the documents, so that "where is this used" is one binary search and one walk.
//!
//! | table | rows | order |
//! |---|---|---|
//! | names | line, column, end, symbol, roles | by document, then by place |
//! | symbols | key, its stretch in `uses` | as they were met |
//! | symbols by key | number of a symbol | by key |
//! | uses | number of a name | by symbol |
//! | files | path, hash of the contents, its stretch in `names` | as they came |
//! | files by path | number of a file | by path |
//! | relations | symbol, symbol, kinds | by the first; the other way round once more |
//! | texts | paths and the title | as they came |

mod build;
mod read;
mod tables;

pub use build::CompactBuilder;
pub use read::{CompactIndex, IndexedFile, NamedPlace};

/// Identifies a symbol: the first half of the BLAKE3 hash of its text, with its file's path before it if only
/// that file can refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolKey(pub [u8; 16]);

impl SymbolKey {
    /// Returns the key of a symbol that a file names.
    pub(crate) fn of(symbol: &str, path: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        if symbol.starts_with("local ") {
            hasher.update(path.as_bytes()).update(b"\0");
        }
        hasher.update(symbol.as_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(key)
    }
}

/// The ways in which one symbol relates to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The symbol's definitions are also definitions of the other one.
    Definition,
    /// The symbol's references are also references of the other one.
    Reference,
    /// The symbol implements or overrides the other one.
    Implementation,
}

impl Relation {
    const fn bit(self) -> u32 {
        match self {
            Self::Definition => 1,
            Self::Reference => 2,
            Self::Implementation => 4,
        }
    }
}

/// The title of an imported index: its indexer and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IndexTitle {
    /// The name of the indexer.
    pub tool: String,
    /// The version of the indexer; empty if the index does not state one.
    pub tool_version: String,
    /// The absolute path of the file that was imported.
    pub source: String,
    /// The time of the import, in seconds since 1970.
    pub read_at: u64,
    /// Number of documents of the original index, skipped ones included.
    pub documents: u64,
}

/// The role bit of a name that defines its symbol.
const DEFINES: u32 = 1;
