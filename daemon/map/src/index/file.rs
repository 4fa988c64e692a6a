//! One file in the index: its facts and small sorted views of them.

use std::sync::Arc;

use hob_base::WsPath;

use super::{DefsInFile, Kinds};
use crate::facts::{Def, DefIdx, DefKind, FileFacts, Import, Ref, RefKind, StrId};
use crate::langs::lang::Lang;

/// The definitions and imports that a file has under one name: looked up once, asked for each scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameBindings<'e> {
    entry: &'e FileEntry,
    defs: &'e [DefIdx],
    imports: &'e [u32],
}

impl<'e> NameBindings<'e> {
    /// The definitions, in source order.
    pub(crate) fn defs(self) -> impl Iterator<Item = (DefIdx, &'e Def)> {
        self.defs.iter().map(move |&idx| (idx, self.entry.facts.def(idx)))
    }

    /// The imports that bind it, each with its place in the list of imports.
    pub(crate) fn imports(self) -> impl Iterator<Item = (u32, &'e Import)> {
        self.imports.iter().map(move |&at| (at, &self.entry.facts.imports[at as usize]))
    }

    pub(crate) fn is_empty(self) -> bool {
        self.defs.is_empty() && self.imports.is_empty()
    }
}

/// One mapped file: its facts, and the figures that are derived from them.
#[derive(Debug)]
pub(crate) struct FileEntry {
    pub(crate) path: WsPath,
    pub(crate) facts: Arc<FileFacts>,
    /// Definitions by name, then by place.
    by_name: Box<[DefIdx]>,
    /// References that name bases, by owner.
    bases: Box<[u32]>,
    /// Imports that bind a local name, by that name.
    locals: Box<[u32]>,
    /// Indices of the star imports, in source order.
    stars: Box<[u32]>,
    /// Number of definitions that are written away from the type or namespace that they belong to.
    pub(crate) detached: u32,
    /// True if the file's ending is that of a header of C or C++.
    is_header: bool,
}

impl FileEntry {
    pub(crate) fn new(path: WsPath, facts: Arc<FileFacts>) -> Self {
        let mut entry = Self {
            by_name: sorted_by(0..facts.defs.len() as u32, |&i| (facts.defs[i as usize].name, i))
                .map(DefIdx::new)
                .collect(),
            bases: sorted_by(base_refs(&facts), |&i| (facts.refs[i as usize].owner, position(&facts, i)))
                .collect(),
            locals: sorted_by(imports_where(&facts, |i| i.local.is_some()), |&i| {
                (facts.imports[i as usize].local, i)
            })
            .collect(),
            stars: imports_where(&facts, is_star).collect(),
            detached: 0,
            is_header: is_header(&path),
            path,
            facts,
        };
        entry.detached = entry.facts.defs.iter().filter(|def| entry.is_detached(def)).count() as u32;
        entry
    }

    /// Returns true if the file is a header, provided that it is of C or C++.
    pub(crate) fn is_header(&self) -> bool {
        self.is_header
    }

    pub(crate) fn lang(&self) -> Lang {
        self.facts.lang
    }

    /// The file's definitions of this name, in source order.
    pub(crate) fn defs_named(&self, name: &str) -> impl Iterator<Item = (DefIdx, &Def)> {
        let found = self.facts.names.find(name).map_or(&[][..], |id| self.defs_with(id));
        found.iter().map(|&idx| (idx, self.facts.def(idx)))
    }

    /// Returns the kinds and the number of the file's definitions of this name.
    pub(crate) fn kinds_named(&self, name: &str) -> DefsInFile {
        let defs = self.facts.names.find(name).map_or(&[][..], |id| self.defs_with(id));
        DefsInFile::new(self.kinds_of(defs), defs.len())
    }

    fn defs_with(&self, name: StrId) -> &[DefIdx] {
        equal_range(&self.by_name, |idx| self.facts.def(*idx).name.cmp(&name))
    }

    /// Each name the file defines, in order, with its definitions.
    pub(crate) fn defined_names(&self) -> impl Iterator<Item = (StrId, &[DefIdx])> {
        let same = |a: &DefIdx, b: &DefIdx| self.facts.def(*a).name == self.facts.def(*b).name;
        self.by_name.chunk_by(same).map(|defs| (self.facts.def(defs[0]).name, defs))
    }

    /// Returns the set of kinds that some definitions have.
    pub(crate) fn kinds_of(&self, defs: &[DefIdx]) -> Kinds {
        defs.iter().map(|def| self.facts.def(*def).kind).collect()
    }

    /// The file's definition with this qualified name and ordinal.
    pub(crate) fn def_qualified(&self, qualified: &str, ordinal: u32) -> Option<DefIdx> {
        let id = self.facts.names.find(qualified)?;
        let last = qualified.rsplit(self.lang().separator()).next().unwrap_or(qualified);
        let by_last = self.facts.names.find(last).map_or(&[][..], |name| self.defs_with(name));
        let matches = |idx: &DefIdx| {
            let def = self.facts.def(*idx);
            def.qualified == id && def.ordinal == ordinal
        };
        // A name may itself contain separators; then the last segment is not the name and everything is looked at.
        by_last.iter().copied().find(matches).or_else(|| self.by_name.iter().copied().find(matches))
    }

    /// The title of a note, if its contents give it one.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.facts.defs.iter().find(|def| def.kind == DefKind::Note)?;
        Some(self.facts.name(title.name))
    }

    /// Everything the file has under a name.
    pub(crate) fn bindings_of(&self, name: &str) -> NameBindings<'_> {
        let Some(id) = self.facts.names.find(name) else {
            return NameBindings { entry: self, defs: &[], imports: &[] };
        };
        let imports = equal_range(&self.locals, |i| self.facts.imports[*i as usize].local.cmp(&Some(id)));
        NameBindings { entry: self, defs: self.defs_with(id), imports }
    }

    /// Star imports, in source order.
    pub(crate) fn star_imports(&self) -> impl Iterator<Item = &Import> {
        self.stars.iter().map(|&i| &self.facts.imports[i as usize])
    }

    /// The references that name a type's bases, in source order.
    pub(crate) fn bases_of(&self, def: DefIdx) -> impl Iterator<Item = &Ref> {
        let found = equal_range(&self.bases, |i| self.facts.refs[*i as usize].owner.cmp(&Some(def)));
        found.iter().map(|&i| &self.facts.refs[i as usize])
    }

    /// Returns true if a definition's qualified name does not follow from where it is written (`void A::f() {}`). A route is
    /// named by its path alone and belongs to nothing else.
    pub(crate) fn is_detached(&self, def: &Def) -> bool {
        def.kind != DefKind::Route
            && self.qualifier(def)
                != def.parent.map_or("", |parent| self.facts.name(self.facts.def(parent).qualified))
    }

    /// Returns the part of the qualified name before the name itself; empty at top level.
    pub(crate) fn qualifier(&self, def: &Def) -> &str {
        if def.qualified == def.name {
            return "";
        }
        let (qualified, name) = (self.facts.name(def.qualified), self.facts.name(def.name));
        qualified.strip_suffix(name).and_then(|rest| rest.strip_suffix(self.lang().separator())).unwrap_or("")
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let facts = &self.facts;
        // Scores come later, one for each definition; an entry must cost the same when it goes as when it came.
        size_of::<Self>()
            + facts.heap_bytes()
            + 4 * (self.by_name.len()
                + self.bases.len()
                + self.locals.len()
                + self.stars.len()
                + facts.defs.len())
    }
}

fn is_header(path: &WsPath) -> bool {
    let ending = path.extension().unwrap_or("");
    ending.starts_with(['h', 'H']) || matches!(ending, "inl" | "inc" | "ipp" | "tcc")
}

fn is_star(import: &Import) -> bool {
    import.kind == crate::facts::ImportKind::Star
}

fn imports_where<'f>(
    facts: &'f FileFacts,
    keep: impl Fn(&Import) -> bool + 'f,
) -> impl Iterator<Item = u32> + 'f {
    (0..facts.imports.len() as u32).filter(move |&i| keep(&facts.imports[i as usize]))
}

fn base_refs(facts: &FileFacts) -> impl Iterator<Item = u32> + '_ {
    (0..facts.refs.len() as u32)
        .filter(|&i| matches!(facts.refs[i as usize].kind(), RefKind::Extends | RefKind::Implements))
}

fn position(facts: &FileFacts, at: u32) -> (u32, u32) {
    let r = &facts.refs[at as usize];
    (r.line, r.col())
}

fn sorted_by<K: Ord>(items: impl Iterator<Item = u32>, key: impl Fn(&u32) -> K) -> std::vec::IntoIter<u32> {
    let mut items: Vec<u32> = items.collect();
    items.sort_by_key(key);
    items.into_iter()
}

fn equal_range<T>(sorted: &[T], compare: impl Fn(&T) -> std::cmp::Ordering) -> &[T] {
    let from = sorted.partition_point(|item| compare(item).is_lt());
    let len = sorted[from..].partition_point(|item| compare(item).is_eq());
    &sorted[from..from + len]
}
