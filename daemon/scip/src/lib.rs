//! Reads and writes SCIP indexes, and keeps an imported index in a form that answers questions without
//! decoding.
//!
//! SCIP is the format in which compiler-based indexers (scip-typescript, rust-analyzer, scip-java and others)
//! list every name of a project with the symbol that it refers to. `wire` reads such a stream document by
//! document, so that memory depends on the largest document and not on the index, and writes one in the same
//! way. `compact` is the form that hob keeps: sorted tables in one mapped file, in which a binary search
//! finds a place or a symbol. `columns` converts the columns of an indexer to hob's.
//!
//! This crate opens no file, knows no project and does not decide which index to believe: `hob-host` does.

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
