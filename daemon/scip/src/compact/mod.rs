//! The form in which hob keeps an index: tables of numbers in one file, in which questions are answered where they lie.
//!
//! `build` writes it in one pass over the documents, `tables` says where each table begins, `read` answers. Symbols are told apart by
//! a hash of their text and not by the text: no question needs it, and a hash is a seventh as long. Of each symbol the tables have
//! its places in the order of the documents, so that "where is this used" is one binary search and one walk.
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

/// Tells a symbol from all others: the first half of the BLAKE3 hash of its text, with its file's path before it if only that file
/// can mean it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolKey(pub [u8; 16]);

impl SymbolKey {
    /// The key of a symbol that a file names.
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

/// The ways in which one symbol stands for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Its definitions are those of the other one too.
    Definition,
    /// Its references are those of the other one too.
    Reference,
    /// It implements or overrides the other one.
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

/// The title of a kept index: what it is and where it came from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IndexTitle {
    /// The name of the indexer.
    pub tool: String,
    /// The version of the indexer; empty if it does not say one.
    pub tool_version: String,
    /// The file that was read, as an absolute path.
    pub source: String,
    /// When it was read, in seconds since 1970.
    pub read_at: u64,
    /// Documents of the index, those that were left aside among them.
    pub documents: u64,
}

/// The role of a name that defines its symbol.
const DEFINES: u32 = 1;
