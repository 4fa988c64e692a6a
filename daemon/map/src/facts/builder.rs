//! Puts a file's facts together while it is walked.
//!
//! Names are numbered in order of appearance and renumbered once, in byte order, at the end. Ordinals and qualified names
//! come from here, so that every language counts them alike.

use std::cell::Cell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::defs::DefTexts;
use super::flow_places::FlowPlaces;
use super::header;
use super::interner::Interner;
use super::{
    CallArguments, Def, DefFlags, DefIdx, DefKind, Export, FileFacts, Flows, GaveUp, Import, ImportKind,
    MAX_UNMAPPED, NamePool, Receiver, Ref, RefKind, StrId, TextColumn, TypeHint, TypePart,
};
use crate::langs::lang::Lang;

/// A definition as a language hands it in.
#[derive(Clone, Debug)]
pub struct DefInput<'a> {
    /// The definition's own name, as written in the source.
    pub name: &'a str,
    /// The kind of the definition; see [`Def::kind`].
    pub kind: DefKind,
    /// Its yes-or-no properties; see [`DefFlags`].
    pub flags: DefFlags,
    /// The definition it is written in.
    pub parent: Option<DefIdx>,
    /// When the qualified name does not follow from the parent (`void A::f() {}`, `impl A { fn f }`, `func (a A) f`):
    /// the qualifier to use instead, dotted.
    pub qualifier: Option<&'a str>,
    /// First and last line, 1-based, inclusive; see [`Def::lines`].
    pub lines: (u32, u32),
    /// The same range in bytes, end exclusive; see [`Def::bytes`].
    pub bytes: (u32, u32),
    /// 1-based line and UTF-16 column of the name; see [`Def::name_at`].
    pub name_at: (u32, u32),
    /// Its header; comments are left out, white space is folded and the length limited here.
    pub signature: &'a str,
    /// Its documentation; cut to the first paragraph here.
    pub doc: &'a str,
}

/// An import as a language hands it in; see [`Import`].
#[derive(Clone, Debug)]
pub struct ImportInput<'a> {
    /// The kind of binding; see [`Import::kind`].
    pub kind: ImportKind,
    /// The imported module, as the language's import rules read it; see [`Import::module`].
    pub module: &'a str,
    /// The imported name within the module, if there is one; see [`Import::name`].
    pub name: Option<&'a str>,
    /// The name that the import has in this file, if any; see [`Import::local`].
    pub local: Option<&'a str>,
    /// True if other files can import the binding from here; see [`Import::reexported`].
    pub reexported: bool,
    /// The definition that the import is written in, if any; see [`Import::owner`].
    pub owner: Option<DefIdx>,
    /// 1-based line of the import; see [`Import::line`].
    pub line: u32,
}

/// A reference as a language hands it in; see [`Ref`].
#[derive(Clone, Debug)]
pub struct RefInput<'a> {
    /// The name that is used, its last segment only; see [`Ref::name`].
    pub name: &'a str,
    /// The way in which the name is used; see [`Ref::kind`].
    pub kind: RefKind,
    /// See [`Ref::receiver`]; ids from [`FactsBuilder::intern`].
    pub receiver: Receiver,
    /// The innermost definition that the reference stands in, if any; see [`Ref::owner`].
    pub owner: Option<DefIdx>,
    /// 1-based line of the name; see [`Ref::line`].
    pub line: u32,
    /// 1-based UTF-16 column of the name; see [`Ref::col`].
    pub col: u32,
}

/// Longest signature and doc kept, in characters.
const TEXT_LIMIT: usize = 240;

/// The stretches of the collected texts that a definition has.
#[derive(Debug)]
struct TextsOfDef {
    signature: Range<usize>,
    doc: Range<usize>,
}

/// Collects facts; [`FactsBuilder::finish`] sorts and seals them.
#[derive(Debug)]
pub struct FactsBuilder {
    lang: Lang,
    names: Interner,
    texts: String,
    pub(super) defs: Vec<Def>,
    /// Where the texts of each definition stand until all are there.
    texts_of: Vec<TextsOfDef>,
    ordinals: FxHashMap<StrId, u32>,
    pub(super) imports: Vec<Import>,
    exports: Vec<Export>,
    pub(super) refs: Vec<Ref>,
    package: Option<StrId>,
    manifest: Vec<(StrId, StrId)>,
    types: Vec<TypeHint>,
    pub(super) calls: Vec<CallArguments>,
    pub(super) flows: Flows,
    /// The lines of the values, if they are asked for.
    pub(super) flow_places: Option<FlowPlaces>,
    has_errors: bool,
    pub(super) unmapped: Vec<(u32, u32)>,
    gave_up: Option<GaveUp>,
}

impl FactsBuilder {
    /// An empty collection for one file.
    #[must_use]
    pub fn new(lang: Lang) -> Self {
        Self {
            lang,
            names: Interner::default(),
            texts: String::new(),
            defs: Vec::new(),
            texts_of: Vec::new(),
            ordinals: FxHashMap::default(),
            imports: Vec::new(),
            exports: Vec::new(),
            refs: Vec::new(),
            package: None,
            manifest: Vec::new(),
            types: Vec::new(),
            calls: Vec::new(),
            flows: Flows::default(),
            flow_places: None,
            has_errors: false,
            unmapped: Vec::new(),
            gave_up: None,
        }
    }

    /// The id of a name, provisional until [`FactsBuilder::finish`].
    pub fn intern(&mut self, name: &str) -> StrId {
        self.names.intern(name)
    }

    /// Records a definition. A second one with the same qualified name gets the next ordinal.
    pub fn define(&mut self, input: &DefInput<'_>) -> DefIdx {
        let qualified = self.intern_qualified(input);
        let ordinal = self.ordinals.entry(qualified).and_modify(|n| *n += 1).or_insert(1);
        let ordinal = *ordinal;
        let def = Def {
            name: self.intern(input.name),
            qualified,
            ordinal,
            kind: input.kind,
            flags: input.flags,
            parent: input.parent,
            lines: input.lines,
            bytes: input.bytes,
            name_at: input.name_at,
            texts: DefTexts::default(),
        };
        self.defs.push(def);
        let signature = self.add_signature(input.signature);
        let doc = self.add_text(first_paragraph(input.doc));
        self.texts_of.push(TextsOfDef { signature, doc });
        DefIdx::new(self.defs.len() as u32 - 1)
    }

    fn intern_qualified(&mut self, input: &DefInput<'_>) -> StrId {
        let name = input.name;
        let prefix = match (input.qualifier, input.parent) {
            // Nothing of the file will count.
            _ if self.names.is_full() => String::new(),
            (Some(qualifier), _) => qualifier.to_owned(),
            (None, Some(parent)) => self.provisional_name(self.defs[parent.index()].qualified).to_owned(),
            (None, None) => String::new(),
        };
        if prefix.is_empty() {
            self.intern(name)
        } else {
            self.intern(&format!("{prefix}{}{name}", self.lang.separator()))
        }
    }

    /// Text of a provisional id.
    #[must_use]
    pub fn provisional_name(&self, id: StrId) -> &str {
        self.names.name(id)
    }

    /// The definition, for changes while its children are walked (flags, end of range).
    pub fn def_mut(&mut self, idx: DefIdx) -> &mut Def {
        &mut self.defs[idx.index()]
    }

    /// The definitions so far.
    #[must_use]
    pub fn defs(&self) -> &[Def] {
        &self.defs
    }

    /// Returns true if the file defines or imports this name at its top level.
    #[must_use]
    pub fn binds_at_top(&self, name: &str) -> bool {
        let id = self.names.get(name);
        let defined = |def: &Def| def.parent.is_none() && Some(def.name) == id;
        let imported = |import: &Import| import.owner.is_none() && import.local == id;
        id.is_some() && (self.defs.iter().any(defined) || self.imports.iter().any(imported))
    }

    /// Returns true if an import so far is of a package or something in it.
    #[must_use]
    pub fn imports_package(&self, package: &str) -> bool {
        let is_within = |module: &str| {
            module.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.imports.iter().any(|import| is_within(self.provisional_name(import.module)))
    }

    /// Returns true if the file so far imports every name of some module.
    #[must_use]
    pub fn has_star_imports(&self) -> bool {
        self.imports.iter().any(|import| import.kind == ImportKind::Star)
    }

    /// The module that an import so far binds a name from.
    #[must_use]
    pub fn import_of(&self, local: &str) -> Option<&str> {
        let id = self.names.get(local)?;
        let import = self.imports.iter().find(|import| import.local == Some(id))?;
        Some(self.provisional_name(import.module))
    }

    /// Sets a definition's documentation when it is found inside the body (Python).
    pub fn set_doc(&mut self, idx: DefIdx, doc: &str) {
        let range = self.add_text(first_paragraph(doc));
        self.texts_of[idx.index()].doc = range;
    }

    /// Replaces a definition's signature when a later part of it is the one to show (overloads before their
    /// implementation).
    pub fn set_signature(&mut self, idx: DefIdx, signature: &str) {
        let range = self.add_signature(signature);
        self.texts_of[idx.index()].signature = range;
    }

    /// Records one binding of an import statement.
    pub fn add_import(&mut self, input: &ImportInput<'_>) {
        let import = Import {
            kind: input.kind,
            module: self.intern(input.module),
            name: input.name.map(|n| self.intern(n)),
            local: input.local.map(|n| self.intern(n)),
            reexported: input.reexported,
            owner: input.owner,
            line: input.line,
        };
        self.imports.push(import);
    }

    /// Records that `local` is offered as `exported`.
    pub fn add_export(&mut self, local: &str, exported: &str) {
        let export = Export { local: self.intern(local), exported: self.intern(exported) };
        self.exports.push(export);
    }

    /// Records one reference of the file.
    pub fn add_reference(&mut self, input: &RefInput<'_>) {
        let name = self.intern(input.name);
        let r = Ref::new(name, input.kind, input.line, input.col);
        self.refs.push(r.with_receiver(input.receiver).with_owner(input.owner));
    }

    /// Records the arguments of a call.
    pub fn add_call_arguments(&mut self, call: CallArguments) {
        self.calls.push(call);
    }

    /// Records the file's package or namespace.
    pub fn set_package(&mut self, package: &str) {
        self.package = Some(self.intern(package));
    }

    /// The package recorded so far; empty without one.
    #[must_use]
    pub fn package_name(&self) -> &str {
        self.package.map_or("", |id| self.provisional_name(id))
    }

    /// Records one fact of a project file.
    pub fn add_manifest_pair(&mut self, key: &str, value: &str) {
        let pair = (self.intern(key), self.intern(value));
        self.manifest.push(pair);
    }

    /// Records what is said of a definition's type; see [`TypeHint`]. What is said first counts.
    pub fn type_hint(&mut self, def: DefIdx, part: TypePart, says: &str) {
        let says = self.intern(says);
        self.types.push(TypeHint { def, part, says });
    }

    /// Says that the flows of the file were recorded.
    pub(crate) fn has_flows(&self) -> bool {
        !self.flows.is_empty()
    }

    /// Records where values go, once for a file; names are from [`FactsBuilder::intern`].
    pub(crate) fn set_flows(&mut self, flows: Flows) {
        self.flows = flows;
    }

    /// Asks for the lines on which values stand; see [`FactsBuilder::finish_with_places`].
    pub(crate) fn ask_for_places(&mut self) {
        self.flow_places = Some(FlowPlaces::default());
    }

    /// Returns true if the lines on which values stand are asked for.
    pub(crate) fn wants_places(&self) -> bool {
        self.flow_places.is_some()
    }

    /// Records the lines on which values stand; numbers and names are those of the flows.
    pub(crate) fn set_flow_places(&mut self, places: FlowPlaces) {
        self.flow_places = Some(places);
    }

    /// Says that part of the file could not be parsed.
    pub fn has_errors(&mut self) {
        self.has_errors = true;
    }

    /// Says that definitions may be missing in these lines, first and last; see [`FileFacts::unmapped`].
    pub fn not_mapped(&mut self, stretches: impl IntoIterator<Item = (u32, u32)>) {
        self.unmapped.extend(stretches);
        self.unmapped.sort_unstable();
        self.unmapped.dedup_by(|next, last| {
            let meets = next.0 <= last.1.saturating_add(1);
            last.1 = if meets { last.1.max(next.1) } else { last.1 };
            meets
        });
    }

    /// Returns the number of lines that are not mapped so far.
    #[must_use]
    pub fn lines_not_mapped(&self) -> usize {
        self.unmapped.iter().map(|(first, last)| (last - first) as usize + 1).sum()
    }

    /// The lines that are not mapped so far.
    #[must_use]
    pub fn unmapped_lines(&self) -> &[(u32, u32)] {
        &self.unmapped
    }

    /// The language of the file.
    pub(crate) fn lang(&self) -> Lang {
        self.lang
    }

    /// The lines of the imports so far.
    pub(crate) fn import_lines(&self) -> impl Iterator<Item = u32> {
        self.imports.iter().map(|import| import.line)
    }

    fn add_signature(&mut self, text: &str) -> Range<usize> {
        let tidy = header::tidy_header(self.lang, text);
        self.add_text(&tidy)
    }

    /// Says that the file, or a part of it, was not read; the first reason counts.
    pub fn gave_up(&mut self, why: GaveUp) {
        self.has_errors = true;
        self.gave_up.get_or_insert(why);
    }

    fn add_text(&mut self, text: &str) -> Range<usize> {
        let start = self.texts.len();
        fold(&mut self.texts, text);
        start..self.texts.len()
    }

    /// The texts of all definitions in their order, without those that others replaced; each definition is told where its own stand.
    fn arrange_texts(&mut self) -> TextColumn {
        let mut arranged = String::with_capacity(self.texts.len());
        for (def, texts) in self.defs.iter_mut().zip(&self.texts_of) {
            // Both are limited, far below what these numbers hold.
            def.texts = DefTexts {
                start: arranged.len() as u32,
                signature: texts.signature.len() as u16,
                doc: texts.doc.len() as u16,
            };
            arranged.push_str(&self.texts[texts.signature.clone()]);
            arranged.push_str(&self.texts[texts.doc.clone()]);
        }
        arranged.into()
    }

    /// Sorts the names, renumbers everything, sorts the references. A file whose names take too much is text only.
    #[must_use]
    pub fn finish(self) -> FileFacts {
        self.finish_with_places().0
    }

    /// The same with the lines on which values stand, if they were asked for.
    #[must_use]
    pub(crate) fn finish_with_places(mut self) -> (FileFacts, Option<FlowPlaces>) {
        if self.names.is_full() {
            let mut empty = Self::new(self.lang);
            empty.gave_up(GaveUp::Memory);
            return (empty.finish(), self.flow_places.map(|_| FlowPlaces::default()));
        }
        let used = vec![Cell::new(false); self.names.len()];
        self.renumber_names(|id: StrId| {
            used[id.0 as usize].set(true);
            id
        });
        // Names that only served to tell what is local are of no use to others.
        let order = self.names.sorted_ids(|id| used[id.0 as usize].get());
        let mut renumber = vec![StrId(0); used.len()];
        for (new, old) in order.iter().enumerate() {
            renumber[old.0 as usize] = StrId(new as u32);
        }
        let names = NamePool::from_sorted(order.iter().map(|id| self.names.name(*id)));
        self.renumber_names(|id: StrId| renumber[id.0 as usize]);
        self.flows.sort();
        let texts = self.arrange_texts();
        let refs = sorted_refs(&self.refs, names.len());
        self.types.sort_by_key(|hint| (hint.def, hint.part));
        self.calls.sort_by_key(|call| (call.line, call.col));
        self.calls.dedup_by_key(|call| (call.line, call.col));
        self.types.dedup_by_key(|hint| (hint.def, hint.part));
        let facts = FileFacts {
            lang: self.lang,
            names,
            texts,
            defs: self.defs.into(),
            imports: self.imports.into(),
            exports: self.exports.into(),
            refs: refs.into(),
            package: self.package,
            manifest: self.manifest.into(),
            types: self.types.into(),
            calls: self.calls.into(),
            flows: self.flows.to_packed(),
            has_errors: self.has_errors,
            unmapped: at_most(self.unmapped).into(),
            gave_up: self.gave_up,
        };
        (facts, self.flow_places)
    }

    fn renumber_names(&mut self, new: impl Fn(StrId) -> StrId + Copy) {
        for def in &mut self.defs {
            def.name = new(def.name);
            def.qualified = new(def.qualified);
        }
        for import in &mut self.imports {
            import.module = new(import.module);
            import.name = import.name.map(new);
            import.local = import.local.map(new);
        }
        for export in &mut self.exports {
            *export = Export { local: new(export.local), exported: new(export.exported) };
        }
        for r in &mut self.refs {
            r.name = new(r.name);
            *r = r.with_receiver(match r.receiver() {
                Receiver::Path(id) => Receiver::Path(new(id)),
                Receiver::Typed(id) => Receiver::Typed(new(id)),
                other => other,
            });
        }
        self.package = self.package.map(new);
        for pair in &mut self.manifest {
            *pair = (new(pair.0), new(pair.1));
        }
        for hint in &mut self.types {
            hint.says = new(hint.says);
        }
        self.flows.renumber_names(new);
        if let Some(places) = &mut self.flow_places {
            places.renumber_names(new);
        }
    }
}

/// References by name and place. They are collected mostly in the order of their places, so that telling the names apart sorts
/// nearly all of them; `names` is the number of names.
fn sorted_refs(refs: &[Ref], names: usize) -> Box<[Ref]> {
    let Some(first) = refs.first() else { return Box::default() };
    // Where the next reference of each name goes: behind those of all names before it.
    let mut places = vec![0usize; names + 1];
    refs.iter().for_each(|r| places[r.name.0 as usize + 1] += 1);
    for name in 1..places.len() {
        places[name] += places[name - 1];
    }
    let mut sorted = vec![*first; refs.len()].into_boxed_slice();
    for r in refs {
        let place = &mut places[r.name.0 as usize];
        sorted[*place] = *r;
        *place += 1;
    }
    let key = |r: &Ref| (r.line, r.col(), r.kind());
    for of_name in sorted.chunk_by_mut(|a, b| a.name == b.name) {
        if !of_name.is_sorted_by_key(key) {
            of_name.sort_by_key(key);
        }
    }
    sorted
}

/// Puts what goes beyond the limit into the last stretch.
fn at_most(mut stretches: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    if let Some(&(_, end)) = stretches.get(MAX_UNMAPPED..).and_then(<[_]>::last) {
        stretches.truncate(MAX_UNMAPPED);
        stretches[MAX_UNMAPPED - 1].1 = end;
    }
    stretches
}

/// Text up to the first blank line.
fn first_paragraph(doc: &str) -> &str {
    let doc = doc.trim();
    let mut at = 0;
    for line in doc.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        at += line.len();
    }
    &doc[..at]
}

/// Adds text with runs of white space folded into one space and without those just inside brackets (a header written over several
/// lines reads like one written on one), limited in its length.
fn fold(out: &mut String, text: &str) {
    let start = out.len();
    for word in text.split_whitespace() {
        let closes = word.starts_with([')', ']']);
        if closes && out.len() > start && out.ends_with(',') {
            out.pop();
        }
        if out.len() > start && !closes && !out.ends_with(['(', '[']) {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() - start > TEXT_LIMIT * 4 {
            break;
        }
    }
    if out.len() - start <= TEXT_LIMIT {
        return;
    }
    if let Some((cut, _)) = out[start..].char_indices().nth(TEXT_LIMIT) {
        out.truncate(start + cut);
        out.push('…');
    }
}
