//! Reads and writes SCIP indexes, and keeps what an index says in a form that answers questions where it lies.
//!
//! SCIP is the format in which indexers built on compilers (scip-typescript, rust-analyzer, scip-java and others) write down every
//! name of a project with the symbol that it means. `wire` reads such a stream document by document, so that memory depends on the
//! largest document and not on the index, and writes one in the same way. `compact` is the form that hob keeps: sorted tables in one
//! file that is mapped, in which a place or a symbol is found by binary search. `columns` turns the columns of an indexer into hob's.
//!
//! Nothing here opens a file, knows a project or decides whom to believe: `hob-host` does.

mod columns;
mod compact;
mod document;
mod wire;

pub use columns::{Misfit, place_names};
pub use compact::{CompactBuilder, CompactIndex, IndexTitle, IndexedFile, NamedPlace, Relation, SymbolKey};
pub use document::{
    ColumnUnit, IndexHead, PlacedName, SourceDocument, SourceName, SourceSpan, SymbolRelation, WrittenSymbol,
};
pub use wire::{
    IndexPart, IndexWriter, ScipError, SymbolPackage, SymbolStep, SymbolSuffix, is_valid_symbol,
    local_symbol, read_index, symbol_text,
};
