//! Wraps the library for SCIP: converts its messages to hob's types, and hob's types to messages.
//!
//! An index is a message of consecutive fields: the head, then each document. `read` splits this outermost
//! level itself and passes single fields to the library, because the library would otherwise build the whole
//! index in memory. `write` makes fields in the same way. `symbol` implements the notation of symbols.

mod read;
mod symbol;
mod write;

pub use read::{IndexPart, read_index};
pub use symbol::{SymbolPackage, SymbolStep, SymbolSuffix, is_valid_symbol, local_symbol, symbol_text};
pub use write::IndexWriter;

/// The field numbers of an index.
const HEAD: u64 = 1;
const DOCUMENT: u64 = 2;
const EXTERNAL_SYMBOL: u64 = 3;

/// The wire type of fields that state their length.
const WITH_LENGTH: u64 = 2;

/// Why a stream cannot be read as an index.
#[derive(Debug, thiserror::Error)]
pub enum ScipError {
    /// The bytes are no index, or are damaged.
    #[error("it is no SCIP index: {0}")]
    NotAnIndex(String),
    /// A part is larger than hob reads.
    #[error("it is too large: {0}")]
    TooLarge(String),
    /// The stream could not be read to its end, or the output could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
