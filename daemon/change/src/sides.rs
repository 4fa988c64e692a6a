//! Defines the two sides of a change, and the changes of symbols that a comparison of the sides returns.

use std::sync::Arc;

use hob_base::WsPath;
use hob_map::FileFacts;
use hob_map::facts::{DefFlags, DefIdx, DefKind};

/// A file on one side of a change.
#[derive(Clone, Debug)]
pub struct FileSide {
    /// The path of the file.
    pub path: WsPath,
    /// The contents of the file.
    pub bytes: Arc<[u8]>,
    /// The facts of these contents.
    pub facts: Arc<FileFacts>,
}

/// A file on both sides; a new file has no side before, a removed one no side after.
#[derive(Clone, Debug, Default)]
pub struct FilePair {
    /// The file before the change.
    pub before: Option<FileSide>,
    /// The file after the change.
    pub after: Option<FileSide>,
}

/// The ways in which a change touches a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolFate {
    /// The symbol was removed.
    Removed,
    /// The symbol has another name, perhaps in another place.
    Renamed,
    /// The symbol has its old name in another container or file.
    Moved,
    /// The symbol has its old place and another text.
    Changed,
    /// The symbol is new.
    Added,
}

impl SymbolFate {
    /// Returns the word that answers use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Added => "added",
        }
    }
}

/// The parts of a symbol whose text differs between the sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChangedParts {
    /// The header, decorators, the kind, or the visibility to other files.
    pub signature: bool,
    /// The code below the header.
    pub body: bool,
    /// Documentation and comments.
    pub docs: bool,
}

impl ChangedParts {
    /// Returns true if no part differs.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns the words for the parts that differ.
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        let parts = [(self.signature, "signature"), (self.body, "body"), (self.docs, "docs")];
        parts.into_iter().filter(|(differs, _)| *differs).map(|(_, word)| word).collect()
    }
}

/// A definition on one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolPlace {
    /// The file that has the definition.
    pub path: WsPath,
    /// The number of the definition in the facts of its side.
    pub def: DefIdx,
    /// The definition's own name.
    pub name: String,
    /// The qualified name.
    pub qualified: String,
    /// 1 for the first definition of this qualified name in the file.
    pub ordinal: u32,
    /// The kind of the definition.
    pub kind: DefKind,
    /// The yes-or-no properties of the definition.
    pub flags: DefFlags,
    /// 1-based line of the name.
    pub line: u32,
    /// The header on one line.
    pub signature: String,
}

impl SymbolPlace {
    /// Finds the first definition of a qualified name in a file.
    #[must_use]
    pub fn find(side: &FileSide, qualified: &str) -> Option<Self> {
        let mut defs = side.facts.defs_indexed();
        let (idx, _) = defs.find(|(_, def)| side.facts.name(def.qualified) == qualified)?;
        Some(Self::in_side(side, idx))
    }

    /// Returns the definition number `idx` of a file.
    pub(crate) fn in_side(side: &FileSide, idx: DefIdx) -> Self {
        let def = side.facts.def(idx);
        Self {
            path: side.path.clone(),
            def: idx,
            name: side.facts.name(def.name).to_owned(),
            qualified: side.facts.name(def.qualified).to_owned(),
            ordinal: def.ordinal,
            kind: def.kind,
            flags: def.flags,
            line: def.name_at.0,
            signature: side.facts.signature(def).to_owned(),
        }
    }
}

/// A symbol that a change touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolChange {
    /// The way in which the change touches the symbol.
    pub fate: SymbolFate,
    /// The parts that differ; empty for symbols that only one side has, and for symbols that moved unchanged.
    pub parts: ChangedParts,
    /// The symbol before; `None` if it is new.
    pub before: Option<SymbolPlace>,
    /// The symbol after; `None` if it was removed.
    pub after: Option<SymbolPlace>,
    /// The index of the change that this one follows from: a member of an added class, a method of a class that moved.
    pub within: Option<usize>,
}

impl SymbolChange {
    /// Returns the symbol's place after the change, or before it if the symbol was removed.
    ///
    /// # Panics
    /// Never: a comparison gives every change at least one side.
    #[must_use]
    pub fn place(&self) -> &SymbolPlace {
        self.after.as_ref().or(self.before.as_ref()).expect("a change has a side")
    }
}

/// The differences of a file outside of its symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange {
    /// The path of the file after the change, or before it if the file was removed.
    pub path: WsPath,
    /// The earlier path of a file that moved.
    pub was: Option<WsPath>,
    /// False for a file that is new.
    pub is_before: bool,
    /// False for a file that was removed.
    pub is_after: bool,
    /// True if code outside of all symbols differs: imports, statements of the module.
    pub outside: bool,
}
