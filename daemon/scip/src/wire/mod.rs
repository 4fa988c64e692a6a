//! Knows the library that knows SCIP: its messages become hob's types here, and hob's types its messages.
//!
//! An index is a message whose fields lie one behind the other: the head, then each document. `read` takes this outermost level
//! apart by itself and hands single fields to the library, because the library would otherwise build the whole index in memory.
//! `write` makes fields in the same way. `symbol` has the notation of symbols.

mod read;
mod symbol;
mod write;

pub use read::{IndexPart, read_index};
pub use symbol::{SymbolPackage, SymbolStep, SymbolSuffix, is_valid_symbol, local_symbol, symbol_text};
pub use write::IndexWriter;

/// The numbers of the fields of an index.
const HEAD: u64 = 1;
const DOCUMENT: u64 = 2;
const EXTERNAL_SYMBOL: u64 = 3;

/// The wire type of fields that say their length.
const WITH_LENGTH: u64 = 2;

/// Why a stream cannot be read as an index.
#[derive(Debug, thiserror::Error)]
pub enum ScipError {
    /// The bytes are something else, or are damaged.
    #[error("it is no SCIP index: {0}")]
    NotAnIndex(String),
    /// A part is larger than hob reads.
    #[error("it is too large: {0}")]
    TooLarge(String),
    /// The stream could not be read to its end, or the result could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
