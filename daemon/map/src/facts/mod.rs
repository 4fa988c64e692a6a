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
mod column;
mod defs;
mod flow_places;
mod flows;
mod header;
mod interner;
mod moved;
mod names;
mod refs;

pub use arguments::{ArgumentKind, Arguments, CallArguments};
pub use builder::{DefInput, FactsBuilder, ImportInput, RefInput};
pub use column::{Column, TextColumn};
pub(crate) use defs::DefTexts;
pub use defs::{Def, DefFlags, DefIdx, DefKind};
pub(crate) use flow_places::{FlowPlaces, SeenIdx, SeenPlace, StorePlace};
pub use flows::{
    Call, CallIdx, CallKind, FlowPart, FlowParts, FlowScope, FlowStore, FlowTarget, FlowValue, Flows, Label,
    PackedFlows, ScopeIdx, ScopeKind, Slot, SlotIdx, SlotKind, ValueIdx,
};
pub(crate) use moved::SourcePlaces;
pub use names::{NamePool, StrId};
pub use refs::{Receiver, Ref, RefKind};

use hob_base::paged::PagedStore;

use crate::langs::lang::Lang;

/// Everything extracted from one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileFacts {
    /// The language it was read as.
    pub lang: Lang,
    /// Names that the other lists refer to, sorted.
    pub names: NamePool,
    /// Signatures and docs, back to back in the order of the definitions.
    pub texts: TextColumn,
    /// Definitions in source order; a parent always comes before its children.
    pub defs: Column<Def>,
    /// Imports in source order.
    pub imports: Column<Import>,
    /// Names this file gives to others under another name than their own, or from elsewhere.
    pub exports: Box<[Export]>,
    /// References, sorted by (name, line, column).
    pub refs: Column<Ref>,
    /// The package or namespace the file says it belongs to (Java, Go), dotted.
    pub package: Option<StrId>,
    /// Key and value pairs of a project file (`go.mod`, `Cargo.toml`, `tsconfig.json`...); of source files, what they say
    /// of the same kind (`path:NAME` for `#[path]` in Rust).
    pub manifest: Box<[(StrId, StrId)]>,
    /// The types that the file states for the values of its definitions, sorted; see [`TypeHint`].
    pub types: Column<TypeHint>,
    /// The arguments of calls, sorted by place; empty in languages without overloads.
    pub calls: Column<CallArguments>,
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Export {
    /// The name in this file.
    pub local: StrId,
    /// The name that others import.
    pub exported: StrId,
}

impl FileFacts {
    /// The same facts with their large lists in a store, where they take no memory of the process's own.
    #[must_use]
    pub fn placed_in(self, store: &PagedStore) -> Self {
        Self {
            names: self.names.placed_in(store),
            texts: self.texts.placed_in(store),
            defs: self.defs.placed_in(store),
            imports: self.imports.placed_in(store),
            refs: self.refs.placed_in(store),
            types: self.types.placed_in(store),
            calls: self.calls.placed_in(store),
            flows: self.flows.placed_in(store),
            ..self
        }
    }

    /// Returns the bytes that the facts take on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.names.heap_bytes()
            + self.texts.heap_bytes()
            + self.defs.heap_bytes()
            + self.imports.heap_bytes()
            + self.refs.heap_bytes()
            + self.types.heap_bytes()
            + self.calls.heap_bytes()
            + self.flows.heap_bytes()
            + size_of_val(&*self.exports)
            + size_of_val(&*self.manifest)
            + size_of_val(&*self.unmapped)
    }

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

    /// The header of a definition on one line, without the body.
    #[must_use]
    pub fn signature(&self, def: &Def) -> &str {
        self.texts.get(def.signature_range()).unwrap_or("")
    }

    /// The first paragraph of a definition's documentation, on one line.
    #[must_use]
    pub fn doc(&self, def: &Def) -> &str {
        self.texts.get(def.doc_range()).unwrap_or("")
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
        self.defs.iter().enumerate().map(|(i, def)| (DefIdx::new(i as u32), def))
    }

    /// The arguments of the call at a reference; `None` if it is no call, or they are not recorded.
    #[must_use]
    pub fn arguments_of(&self, r: &Ref) -> Option<Arguments> {
        let at = self.calls.binary_search_by_key(&(r.line, r.col()), |call| (call.line, call.col)).ok()?;
        Some(self.calls[at].arguments)
    }

    /// The references to one name.
    #[must_use]
    pub fn refs_named(&self, name: StrId) -> &[Ref] {
        let from = self.first_ref_named(name);
        // Whoever asks goes through them, and most names have few.
        let len = self.refs[from..].iter().take_while(|r| r.name == name).count();
        &self.refs[from..from + len]
    }

    /// The index of the first reference to one name, or where it would be.
    pub(crate) fn first_ref_named(&self, name: StrId) -> usize {
        self.refs.partition_point(|r| r.name < name)
    }
}
