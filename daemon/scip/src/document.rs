//! Defines hob's own types for the contents of one file in an index: no type of the library is used outside
//! of `wire`.

/// The unit in which a document counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16.
    Utf16,
    /// Characters.
    Utf32,
}

/// The beginning of an index: its indexer and its folder.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IndexHead {
    /// The name of the indexer, as the index states it.
    pub tool: String,
    /// The version of the indexer; empty if the index does not state one.
    pub tool_version: String,
    /// The address of the folder to which paths are relative (`file:///home/me/shop`); empty if the index
    /// does not state it.
    pub project_root: String,
}

/// A range of a text in a document: lines and columns from 0, the end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SourceSpan {
    /// The first line of the range.
    pub line: u32,
    /// The first column, in the document's unit.
    pub col: u32,
    /// The last line of the range.
    pub end_line: u32,
    /// The column before which the range ends, in the document's unit.
    pub end_col: u32,
}

/// A name in a file, with the symbol that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceName {
    /// The place of the name.
    pub span: SourceSpan,
    /// The symbol in SCIP's notation.
    pub symbol: String,
    /// True if the symbol is defined there.
    pub is_definition: bool,
    /// True if the symbol is imported there.
    pub is_import: bool,
    /// The lines of the whole definition, from 0, of which the name is one part; `None` for uses.
    pub lines: Option<SourceSpan>,
}

/// A relation of two symbols, which widens the answers to questions about one of them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SymbolRelation {
    /// The symbol that has the relation.
    pub from: String,
    /// The other symbol.
    pub to: String,
    /// True if a definition of the other symbol counts as a definition of this one.
    pub is_definition: bool,
    /// True if references to one count as references to the other.
    pub is_reference: bool,
    /// True if the symbol implements or overrides the other one.
    pub is_implementation: bool,
}

/// Everything that an index states about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDocument {
    /// The path relative to the index's root, as written.
    pub path: String,
    /// The language, by SCIP's name for it.
    pub language: String,
    /// The indexed text; `None` from most indexers, which omit it.
    pub text: Option<String>,
    /// The unit in which the document counts columns.
    pub unit: ColumnUnit,
    /// Its names, in the order of the document.
    pub names: Vec<SourceName>,
    /// The relations of its symbols.
    pub relations: Vec<SymbolRelation>,
}

/// A name at a place in hob's units: lines and UTF-16 columns from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedName {
    /// The line of the name.
    pub line: u32,
    /// The column of its first unit.
    pub col: u32,
    /// The last line of the name.
    pub end_line: u32,
    /// The column behind its last unit.
    pub end_col: u32,
    /// The symbol in SCIP's notation.
    pub symbol: String,
    /// True if the symbol is defined there.
    pub is_definition: bool,
}

/// A symbol in an index that hob writes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WrittenSymbol {
    /// The symbol in SCIP's notation.
    pub symbol: String,
    /// hob's word for its kind: `class`, `method`.
    pub kind: &'static str,
    /// The name that people read.
    pub name: String,
    /// The header of the definition on one line; empty if there is none.
    pub signature: String,
    /// Its documentation; empty if there is none.
    pub doc: String,
    /// The symbols that it implements or overrides.
    pub implements: Vec<String>,
}
