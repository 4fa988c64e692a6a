//! Holds what an index says of one file, in hob's own words: no type of the library reaches further than `wire`.

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

/// The beginning of an index: who made it, and of which folder.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IndexHead {
    /// The name of the indexer, as it says itself.
    pub tool: String,
    /// The version of the indexer; empty if it does not say one.
    pub tool_version: String,
    /// The address of the folder to which paths are relative (`file:///home/me/shop`); empty if it is not said.
    pub project_root: String,
}

/// A stretch of a text as a document has it: lines and columns from 0, the end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SourceSpan {
    /// The line on which the stretch begins.
    pub line: u32,
    /// The column at which it begins, in the document's unit.
    pub col: u32,
    /// The line on which it ends.
    pub end_line: u32,
    /// The column before which it ends, in the document's unit.
    pub end_col: u32,
}

/// A name in a file, with the symbol that it means.
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

/// A statement about two symbols, which widens what the questions about one of them find.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SymbolRelation {
    /// The symbol that the statement is about.
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

/// Everything that an index says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDocument {
    /// The path relative to the index's root, as written.
    pub path: String,
    /// The language, by SCIP's name for it.
    pub language: String,
    /// The text that was indexed; `None` for most indexers, which leave it out.
    pub text: Option<String>,
    /// The unit of its columns.
    pub unit: ColumnUnit,
    /// Its names, in the order of the document.
    pub names: Vec<SourceName>,
    /// Statements about its symbols.
    pub relations: Vec<SymbolRelation>,
}

/// A name at a place as hob writes places: lines and UTF-16 columns from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedName {
    /// The line of the name.
    pub line: u32,
    /// The column of its first unit.
    pub col: u32,
    /// The line on which it ends.
    pub end_line: u32,
    /// The column behind its last unit.
    pub end_col: u32,
    /// The symbol in SCIP's notation.
    pub symbol: String,
    /// True if the symbol is defined there.
    pub is_definition: bool,
}

/// A symbol as hob describes it in an index of its own.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WrittenSymbol {
    /// The symbol in SCIP's notation.
    pub symbol: String,
    /// The word that hob has for its kind: `class`, `method`.
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
