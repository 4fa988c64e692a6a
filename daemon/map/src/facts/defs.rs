//! The definitions of a file.
//!
//! A kernel has four million of them, so each takes 52 bytes: places in lists are numbers that leave room for "none", and a definition's
//! texts lie side by side.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;

use super::StrId;

/// A definition's place in [`FileFacts::defs`](super::FileFacts::defs).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefIdx(NonZeroU32);

impl DefIdx {
    /// The definition at this place, from 0.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(number))
    }

    /// The place as it is counted, from 0.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get() - 1
    }

    /// The number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.number() as usize
    }
}

impl fmt::Debug for DefIdx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DefIdx").field(&self.number()).finish()
    }
}

/// The kinds of definitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum DefKind {
    /// A module or namespace written inside a file (`mod x { }`, `namespace x { }`).
    Module,
    /// A class, as its language calls it.
    Class,
    /// A struct, record or union.
    Struct,
    /// An interface or protocol.
    Interface,
    /// A trait, as in Rust, PHP or Scala.
    Trait,
    /// An enumeration, without its members.
    Enum,
    /// A function that belongs to no type.
    Function,
    /// A function that belongs to a type; constructors too.
    Method,
    /// A variable at module level.
    Variable,
    /// A constant at module level, or an enumeration's member.
    Constant,
    /// A field or property of a type.
    Field,
    /// Another name for a type.
    TypeAlias,
    /// A macro, called like a function or expanded by itself.
    Macro,
    /// A heading of a note and what stands below it.
    Section,
    /// A note's title; at most one in a file. Where a heading of the first level gives it, it is that section too.
    Note,
    /// An address that a web framework answers, named by its path as written (`/users/{id}`).
    Route,
}

impl DefKind {
    /// Every kind, in order of its number on disk.
    pub const ALL: [Self; 16] = [
        Self::Module,
        Self::Class,
        Self::Struct,
        Self::Interface,
        Self::Trait,
        Self::Enum,
        Self::Function,
        Self::Method,
        Self::Variable,
        Self::Constant,
        Self::Field,
        Self::TypeAlias,
        Self::Macro,
        Self::Section,
        Self::Note,
        Self::Route,
    ];

    /// The word that answers use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Method => "method",
            Self::Variable => "variable",
            Self::Constant => "constant",
            Self::Field => "field",
            Self::TypeAlias => "type_alias",
            Self::Macro => "macro",
            Self::Section => "section",
            Self::Note => "note",
            Self::Route => "route",
        }
    }

    /// Returns true if the kind is a type that can have members and bases.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Interface | Self::Trait | Self::Enum)
    }

    /// Returns true if the kind is a type or a module: a path can lead through it.
    #[must_use]
    pub fn is_scope(self) -> bool {
        self.is_type() || self == Self::Module
    }

    /// Returns true if the kind is a heading or a title: text for people, and no symbol.
    #[must_use]
    pub fn is_prose(self) -> bool {
        matches!(self, Self::Section | Self::Note)
    }

    /// Returns true if a definition of this kind can be called as written.
    #[must_use]
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }
}

/// One definition of a file: a named item that the file declares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Def {
    /// Its own name, as written.
    pub name: StrId,
    /// `Outer.inner`: the names of its ancestors and itself, joined with `.` in every programming language and with `/` in
    /// notes ([`Lang::separator`](crate::langs::lang::Lang::separator)).
    pub qualified: StrId,
    /// 1 for the first definition with this qualified name in the file, 2 for the second (`~2`), in source order.
    pub ordinal: u32,
    /// The kind of the item that it defines.
    pub kind: DefKind,
    /// Its yes-or-no properties; see [`DefFlags`].
    pub flags: DefFlags,
    /// The definition it is written in, if any.
    pub parent: Option<DefIdx>,
    /// First and last line, 1-based, inclusive; decorators and attributes included, comments before it not.
    pub lines: (u32, u32),
    /// The same range in bytes, end exclusive.
    pub bytes: (u32, u32),
    /// Where the name stands: 1-based line, 1-based UTF-16 column.
    pub name_at: (u32, u32),
    /// Where its texts stand.
    pub(crate) texts: DefTexts,
}

/// The stretch of [`FileFacts::texts`](super::FileFacts::texts) that a definition's header takes and, at once behind it, its
/// documentation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct DefTexts {
    /// Offset of the header's first byte.
    pub(crate) start: u32,
    /// Length of the header in bytes.
    pub(crate) signature: u16,
    /// Length of the documentation in bytes.
    pub(crate) doc: u16,
}

impl Def {
    pub(super) fn signature_range(&self) -> Range<usize> {
        let start = self.texts.start as usize;
        start..start + usize::from(self.texts.signature)
    }

    pub(super) fn doc_range(&self) -> Range<usize> {
        let start = self.signature_range().end;
        start..start + usize::from(self.texts.doc)
    }

    /// Returns true if the definition is a heading: a section, or a note's title that is written as a heading rather
    /// than in the front matter.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        self.kind.is_prose() && self.name_at.0 == self.lines.0
    }
}

/// Yes-or-no properties of a definition, packed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DefFlags(pub u8);

impl DefFlags {
    /// Visible to other files.
    pub const EXPORTED: Self = Self(1);
    /// A declaration without a body (prototype, forward declaration, abstract or interface member).
    pub const DECLARATION: Self = Self(2);
    /// A test, by the language's conventions.
    pub const TEST: Self = Self(4);
    /// The module's default export.
    pub const DEFAULT: Self = Self(8);
    /// Called on values of a type that it is no member of (an extension function).
    pub const EXTENSION: Self = Self(16);
    /// One piece of a type that is written in several places (C#'s `partial`).
    pub const PARTIAL: Self = Self(32);

    /// Returns true if all of `other`'s flags are set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `other` if `on`, on top of these.
    #[must_use]
    pub fn with_if(self, on: bool, other: Self) -> Self {
        if on { self.with(other) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_takes_52_bytes() {
        assert_eq!((size_of::<Def>(), size_of::<Option<DefIdx>>()), (52, 4));
        let indices = [0, 1, 1_000_000].map(DefIdx::new);
        assert_eq!(indices.map(DefIdx::number), [0, 1, 1_000_000]);
    }
}
