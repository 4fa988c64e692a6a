//! Holds the facts of one file: its definitions, imports, exports and references, with nothing of any other file.
//!
//! Facts are a pure function of (extractor version, language, bytes). That is what lets them be stored under the content
//! hash and shared by branches, worktrees and clones. Whom a reference means is *not* here: that needs other files, and
//! is computed in `resolve`. These types are not serialisable; `persist` has the disk form.
//!
//! Layout: names are interned per file in a sorted [`NamePool`], so that "which references of this file are called
//! `reverse`" is two binary searches; signatures and docs lie in one text; a file's facts are a handful of allocations
//! however large the file.

mod arguments;
mod builder;
mod flow_places;
mod flows;
mod header;
mod interner;
mod moved;
mod names;

pub use arguments::{ArgumentKind, Arguments, CallArguments};
pub use builder::{DefInput, FactsBuilder, ImportInput, RefInput};
pub(crate) use flow_places::{FlowPlaces, SeenIdx, SeenPlace, StorePlace};
pub use flows::{
    Call, CallIdx, CallKind, FlowPart, FlowParts, FlowScope, FlowStore, FlowTarget, FlowValue, Flows, Label,
    PackedFlows, ScopeIdx, ScopeKind, Slot, SlotIdx, SlotKind, ValueIdx,
};
pub(crate) use moved::SourcePlaces;
pub use names::{NamePool, StrId};

use crate::langs::lang::Lang;

/// Everything extracted from one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// The language it was read as.
    pub lang: Lang,
    /// Names that the other lists refer to, sorted.
    pub names: NamePool,
    /// Signatures and docs, back to back; see [`TextRange`].
    pub texts: Box<str>,
    /// Definitions in source order; a parent always comes before its children.
    pub defs: Box<[Def]>,
    /// Imports in source order.
    pub imports: Box<[Import]>,
    /// Names this file gives to others under another name than their own, or from elsewhere.
    pub exports: Box<[Export]>,
    /// References, sorted by (name, line, column).
    pub refs: Box<[Ref]>,
    /// The package or namespace the file says it belongs to (Java, Go), dotted.
    pub package: Option<StrId>,
    /// Key and value pairs of a project file (`go.mod`, `Cargo.toml`, `tsconfig.json`...); of source files, what they say
    /// of the same kind (`path:NAME` for `#[path]` in Rust).
    pub manifest: Box<[(StrId, StrId)]>,
    /// The types that the file states for the values of its definitions, sorted; see [`TypeHint`].
    pub types: Box<[TypeHint]>,
    /// The arguments of calls, sorted by place; empty in languages without overloads.
    pub calls: Box<[CallArguments]>,
    /// Where values go that may be functions or classes.
    pub flows: PackedFlows,
    /// True if the parser met text that it could not understand; the facts are then of the rest.
    pub has_errors: bool,
    /// First and last lines, 1-based, of stretches whose definitions may be missing because no parser understood them; in order,
    /// at most [`MAX_UNMAPPED`]. A slip inside a function's body is none: no definition is lost there.
    pub unmapped: Box<[(u32, u32)]>,
    /// Why the file, or a part of it, was not read: it is text there and nothing else.
    pub gave_up: Option<GaveUp>,
}

/// Why text is not given to a parser, or not to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum GaveUp {
    /// It could end the grammar's scanner, and the process with it.
    Hazard = 1,
    /// It takes more steps than a text of its length may.
    Steps,
    /// It takes more memory.
    Memory,
    /// It takes more time.
    Time,
    /// The daemon ended more than once while it was read.
    Fatal,
    /// Nothing yet: others are not to wait for it.
    Pending,
}

impl GaveUp {
    /// All that are for good, by number from 1.
    pub const ALL: [Self; 5] = [Self::Hazard, Self::Steps, Self::Memory, Self::Time, Self::Fatal];

    /// The reason, as the end of a sentence that begins with `It is searched as text only:`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hazard => "its grammar's scanner would fail on it",
            Self::Steps => "parsing takes too many steps for a file of its length",
            Self::Memory => "parsing takes too much memory for a file of its length",
            Self::Time => "parsing takes too much time for a file of its length",
            Self::Fatal => "the daemon ended twice while it was parsed",
            Self::Pending => "it takes long and is still being parsed",
        }
    }
}

/// Most stretches that a file's facts name as not mapped; the last one then reaches to the end of those it stands for.
pub const MAX_UNMAPPED: usize = 32;

/// The type that a file states for a definition's value, or for the result of a call of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TypeHint {
    /// The definition that the type belongs to.
    pub def: DefIdx,
    /// The part of the definition that has the type; see [`TypePart`].
    pub part: TypePart,
    /// The dotted name of a type as written where the definition stands, or, behind a `=`, the path of an expression that has
    /// the type: `=make().field`. `=self` is the object whose member the definition is.
    pub says: StrId,
}

/// The part of a definition that has a type: the value itself, the result of a call, or a parameter of a function
/// that is passed to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypePart(pub u32);

impl TypePart {
    /// The definition's own value.
    pub const VALUE: Self = Self(0);
    /// The result of a call.
    pub const RESULT: Self = Self(1);

    /// Returns the part for parameter number `parameter` of a function that is passed as argument number `argument`,
    /// both from 0; `None` if either is above 15.
    #[must_use]
    pub fn callback(argument: usize, parameter: usize) -> Option<Self> {
        (argument < 16 && parameter < 16).then(|| Self((2 + argument * 16 + parameter) as u32))
    }

    /// Returns the part for the result of a function that is passed as argument number `argument`, from 0; `None` if it is above 15.
    #[must_use]
    pub fn callback_result(argument: usize) -> Option<Self> {
        (argument < 16).then(|| Self((2 + 16 * 16 + argument) as u32))
    }

    /// Returns the part for base number `number` of a type, from 0, with the base's type arguments; `None` if it is above 3.
    #[must_use]
    pub fn base(number: usize) -> Option<Self> {
        (number < 4).then(|| Self((2 + 17 * 16 + number) as u32))
    }
}

/// A definition's place in [`FileFacts::defs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefIdx(pub u32);

impl DefIdx {
    /// The number as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A stretch of [`FileFacts::texts`], in bytes. Empty means "none".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextRange {
    /// Offset of the first byte in [`FileFacts::texts`].
    pub start: u32,
    /// Length of the stretch in bytes.
    pub len: u32,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Def {
    /// Its own name, as written.
    pub name: StrId,
    /// `Outer.inner`: the names of its ancestors and itself, joined with `.` in every programming language and with `/` in
    /// notes ([`Lang::separator`]).
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
    /// Its header on one line, without the body.
    pub signature: TextRange,
    /// The first paragraph of its documentation, on one line.
    pub doc: TextRange,
}

impl Def {
    /// Returns true if the definition is a heading: a section, or a note's title that is written as a heading rather
    /// than in the front matter.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        self.kind.is_prose() && self.name_at.0 == self.lines.0
    }
}

/// Yes-or-no properties of a definition, packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

/// The kinds of things that an import binds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum ImportKind {
    /// The module itself under a local name (`import a.b as m`, `import * as m from 'x'`, Go, Rust `use a::b` of a module).
    Module,
    /// One name of the module (`from a import b as c`, `import {b as c} from 'a'`, `use a::b`).
    Named,
    /// Every public name of the module (`from a import *`, `use a::*`, `export * from`, C `#include`).
    Star,
    /// Nothing; the module is loaded for its effect (`import './x.css'`).
    Effect,
}

/// One binding of an import statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Import {
    /// The kind of thing that the import binds.
    pub kind: ImportKind,
    /// The module as the language's own import rules read it: `..pkg.mod`, `./x`, `crate::a`, `net/http`, `"dir/x.h"`.
    pub module: StrId,
    /// The name within the module, for [`ImportKind::Named`]; `default` for a default import.
    pub name: Option<StrId>,
    /// The name it has in this file; `None` for star and effect imports, and for pure re-exports.
    pub local: Option<StrId>,
    /// True if other files can import the binding from here (`pub use`, `export … from`; in Python always).
    pub reexported: bool,
    /// The definition it is written in, if any.
    pub owner: Option<DefIdx>,
    /// 1-based line of the import.
    pub line: u32,
}

/// A name that this file offers under another name: `export { local as exported }`, `export default local`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Export {
    /// The name in this file.
    pub local: StrId,
    /// The name that others import.
    pub exported: StrId,
}

/// The ways in which a reference uses a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum RefKind {
    /// Called, instantiated, or applied as a decorator or macro.
    Call,
    /// A base class, or a super-interface of an interface; a Rust supertrait.
    Extends,
    /// An interface or trait that is implemented; the owner is the implementing type.
    Implements,
    /// Used as a type.
    Type,
    /// Read or written, without being called.
    Use,
    /// Handed to a framework, which calls it: the handler of a route, a task, a fixture, a command.
    Framework,
    /// Named by a parameter that a framework fills, such as a fixture of a test.
    Injected,
    /// A key of an object literal or of a pattern, which means a member of the object's type or nothing.
    Key,
}

/// The receiver of a reference: the part of the expression that stands before the name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Receiver {
    /// Nothing stands before the name: `f()`.
    None,
    /// The object or class at hand: `self.f()`, `this.f()`, `cls.f()`, `Self::f()`.
    SelfType,
    /// Its base: `super().f()`, `super.f()`.
    Super,
    /// A path of names, joined with `.` whatever the language writes: `os.path` in `os.path.join()`, `crate.net` in
    /// `crate::net::open()`, `Point` in `Point::new()`. Its first segment is not a local variable.
    Path(StrId),
    /// A value whose type is known from this file alone (annotation, constructor): the type's dotted name as written.
    Typed(StrId),
    /// Some expression; whose member this is cannot be told from this file.
    Unknown,
}

/// One use of a name. Names bound to local variables and parameters are not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ref {
    /// The name used (the last segment: `join` in `os.path.join()`).
    pub name: StrId,
    /// The way in which the name is used.
    pub kind: RefKind,
    /// The part of the expression before the name.
    pub receiver: Receiver,
    /// The innermost definition it stands in; `None` at file level.
    pub owner: Option<DefIdx>,
    /// 1-based line of the name.
    pub line: u32,
    /// 1-based UTF-16 column of the name.
    pub col: u32,
}

impl FileFacts {
    /// Facts of a file that says nothing.
    #[must_use]
    pub fn empty(lang: Lang) -> Self {
        FactsBuilder::new(lang).finish()
    }

    /// The text of an interned name.
    #[must_use]
    pub fn name(&self, id: StrId) -> &str {
        self.names.get(id)
    }

    /// A signature or doc.
    #[must_use]
    pub fn text(&self, range: TextRange) -> &str {
        let start = range.start as usize;
        self.texts.get(start..start + range.len as usize).unwrap_or("")
    }

    /// A definition.
    ///
    /// # Panics
    /// When `idx` is not of this file; indices never leave the file they were made for.
    #[must_use]
    pub fn def(&self, idx: DefIdx) -> &Def {
        &self.defs[idx.index()]
    }

    /// Returns the type that the file states for a part of a definition, in the notation of [`TypeHint::says`];
    /// `None` if it states none.
    #[must_use]
    pub fn type_of(&self, def: DefIdx, part: TypePart) -> Option<&str> {
        let at = self.types.partition_point(|hint| (hint.def, hint.part) < (def, part));
        let hint = self.types.get(at).filter(|hint| (hint.def, hint.part) == (def, part))?;
        Some(self.name(hint.says))
    }

    /// All definitions with their indices.
    pub fn defs_indexed(&self) -> impl Iterator<Item = (DefIdx, &Def)> {
        self.defs.iter().enumerate().map(|(i, def)| (DefIdx(i as u32), def))
    }

    /// The arguments of the call at a reference; `None` if it is no call, or they are not recorded.
    #[must_use]
    pub fn arguments_of(&self, r: &Ref) -> Option<Arguments> {
        let at = self.calls.binary_search_by_key(&(r.line, r.col), |call| (call.line, call.col)).ok()?;
        Some(self.calls[at].arguments)
    }

    /// The references to one name.
    #[must_use]
    pub fn refs_named(&self, name: StrId) -> &[Ref] {
        let from = self.refs.partition_point(|r| r.name < name);
        let len = self.refs[from..].partition_point(|r| r.name == name);
        &self.refs[from..from + len]
    }
}
