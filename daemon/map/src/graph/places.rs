//! Lists the uses of a definition one by one, each with its place and the map's confidence in it.
//!
//! Edges gather the uses between two nodes and keep lines and the surest of their confidences. A caller that compares
//! the map with another list of places needs each use by itself.

use hob_base::{CancelToken, FileId, Stopped};

use super::answers::Use;
use super::outbound::owner_node;
use super::uses::Search;
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{DefIdx, DefKind, FileFacts, Import, ImportKind, Receiver, Ref, RefKind};
use crate::index::FileEntry;
use crate::langs::rules::ModuleTarget;
use crate::locals::NamePlace;
use crate::receiver::ReceiverExpr;
use crate::resolve::{NameLookup, Resolution, Resolver, Thing};

impl Use {
    pub(super) fn of_ref(
        file: FileId,
        r: &Ref,
        kind: EdgeKind,
        confidence: Confidence,
        is_renamed: bool,
    ) -> Self {
        let from = owner_node(file, r.owner);
        Self { file, line: r.line, col: Some(r.col()), kind, confidence, is_renamed, from }
    }

    pub(super) fn of_import(file: FileId, import: &Import, is_renamed: bool) -> Self {
        let (kind, confidence) = (EdgeKind::Imports, Confidence::Import);
        Self { file, line: import.line, col: None, kind, confidence, is_renamed, from: NodeRef::File(file) }
    }
}

impl Map {
    /// Returns the uses that resolve to a definition, as far as they were found before `cancel` stopped the search, in
    /// order of file and place. In C and C++ a declaration stands for the definition that it announces.
    pub fn find_uses(&self, def: DefRef, cancel: &CancelToken) -> (Vec<Use>, Result<(), Stopped>) {
        let resolver = Resolver::new(&self.index);
        let kinds = EdgeKinds::ALL.without(EdgeKind::Contains);
        let mut search = Search::new(self, &resolver, resolver.body_of(def), kinds).for_places();
        let outcome = search.run(cancel);
        let mut found = search.places.unwrap_or_default();
        found.sort_by_key(|one| (one.file, one.line, one.col, one.kind));
        found.dedup_by_key(|one| (one.file, one.line, one.col, one.kind));
        (found, outcome)
    }

    /// Returns the definition whose name is at a 1-based line and UTF-16 column of a file.
    #[must_use]
    pub fn def_named_at(&self, path: &str, line: u32, col: u32) -> Option<DefRef> {
        let file = self.file_at(path)?;
        let (_, facts) = self.file(file)?;
        let found = facts.defs.iter().position(|def| {
            let width = name_width(facts.name(def.name));
            def.name_at.0 == line && (def.name_at.1..def.name_at.1 + width.max(1)).contains(&col)
        })?;
        Some(self.body_of(DefRef { file, def: DefIdx::new(found as u32) }))
    }

    /// Finds the definition that the reference at a place means, and its confidence; `None` if the map has no reference
    /// or cannot resolve it. `word` is the text at the place: some references have a place where another word is
    /// written, such as `super` for a base.
    #[must_use]
    pub fn def_meant_at(&self, path: &str, at: (u32, u32), word: &str) -> Option<(DefRef, Confidence)> {
        let found = self.defs_meant_at(path, at, word).into_iter().next();
        found.filter(|(_, sure)| *sure < Confidence::Candidate)
    }

    /// Returns the definition that the reference at a place means; if that is not known, every definition that it may
    /// mean, likeliest first, each a candidate. A guess never appears beside what is known.
    #[must_use]
    pub fn defs_meant_at(&self, path: &str, at: (u32, u32), word: &str) -> Vec<(DefRef, Confidence)> {
        let Some(file) = self.file_at(path) else { return Vec::new() };
        let Some(r) = self.file(file).and_then(|(_, facts)| ref_at(facts, at, word)) else {
            return Vec::new();
        };
        let resolver = Resolver::new(&self.index);
        if let Some(confirmed) = self.confirmed_meaning(&resolver, file, r) {
            return vec![(confirmed, Confidence::Live)];
        }
        match resolver.resolve(file, r) {
            Resolution::To(Thing::Def(def), confidence) => vec![(def, confidence)],
            Resolution::Unresolved => {
                let candidates = resolver.candidates(file, r).list.into_iter();
                candidates.map(|def| (def, Confidence::Candidate)).collect()
            }
            Resolution::To(..) | Resolution::Dropped => Vec::new(),
        }
    }

    /// Finds the base class that the name at a place surely means.
    pub(crate) fn base_meant_at(
        &self,
        path: &str,
        at: (u32, u32),
        word: &str,
    ) -> Option<(DefRef, Confidence)> {
        let file = self.file_at(path)?;
        let (_, facts) = self.file(file)?;
        let base =
            facts.refs.iter().find(|r| r.kind() == RefKind::Extends && stands_at(facts, r, at, word))?;
        match Resolver::new(&self.index).resolve(file, base) {
            Resolution::To(Thing::Def(def), sure) if sure < Confidence::Name => Some((def, sure)),
            _ => None,
        }
    }

    /// Finds the member that a key of an object literal or a pattern means.
    pub(crate) fn key_meant_at(
        &self,
        path: &str,
        at: (u32, u32),
        word: &str,
    ) -> Option<(NodeRef, Confidence)> {
        let file = self.file_at(path)?;
        let (_, facts) = self.file(file)?;
        let key = facts.refs.iter().find(|r| r.kind() == RefKind::Key && stands_at(facts, r, at, word))?;
        match Resolver::new(&self.index).resolve(file, key) {
            Resolution::To(Thing::Def(def), confidence) => Some((def.into(), confidence)),
            _ => None,
        }
    }

    /// Finds the members that the name at a place means by the values that the expression before it can have.
    pub(crate) fn members_through_values(
        &self,
        path: &str,
        at: (u32, u32),
        word: &str,
        receiver: &ReceiverExpr,
    ) -> Vec<(NodeRef, Confidence)> {
        let Some(file) = self.file_at(path) else { return Vec::new() };
        let owner = self.file(file).and_then(|(_, facts)| ref_at(facts, at, word)).and_then(|r| r.owner);
        let resolver = Resolver::new(&self.index);
        let found = resolver.members_through_values(file, owner, receiver, word).into_iter();
        found.map(|def| (def.into(), Confidence::Flow)).collect()
    }

    /// Finds the target of an import that writes a name on a line, as the imported thing or as its local name: a
    /// definition, or the file of a module. `None` if it leads out of the workspace, or nowhere.
    #[must_use]
    pub fn imported_at(&self, path: &str, line: u32, name: &str) -> Option<NodeRef> {
        let (file, entry, import) = self.import_at(path, line, name)?;
        let resolver = Resolver::new(&self.index);
        match resolver.binding(file, entry, import) {
            NameLookup::Thing(Thing::Def(def), _) => Some(resolver.body_of(def).into()),
            NameLookup::Thing(Thing::Module(module), _) => file_of(&module.target),
            _ => None,
        }
    }
}

impl Map {
    /// Returns true if an import on a line binds the name of something in a module, rather than a module.
    pub(crate) fn is_named_import(&self, path: &str, line: u32, name: &str) -> bool {
        self.import_at(path, line, name).is_some_and(|(_, entry, import)| {
            import.kind == ImportKind::Named && entry.lang().semantics().scopes_tell_all
        })
    }

    /// Returns true if an import on a line writes a name.
    pub(crate) fn is_imported_at(&self, path: &str, line: u32, name: &str) -> bool {
        self.import_at(path, line, name).is_some()
    }

    pub(super) fn import_at(
        &self,
        path: &str,
        line: u32,
        name: &str,
    ) -> Option<(FileId, &FileEntry, &Import)> {
        let file = self.file_at(path)?;
        let entry = self.index.entry(file)?;
        let writes = |import: &&Import| {
            let mut names = [import.local, import.name].into_iter().flatten();
            import.line == line && names.any(|one| entry.facts.name(one) == name)
        };
        Some((file, entry, entry.facts.imports.iter().find(writes)?))
    }

    /// Returns true if a bare name at a place can only mean, in its file, a binding of the file's lexical scopes.
    pub(crate) fn is_bound_by_scopes(&self, path: &str, at: NamePlace, word: &str) -> bool {
        let Some((_, facts)) = self.file_at(path).and_then(|file| self.file(file)) else { return false };
        let has_scopes = facts.lang.spec().is_some_and(|spec| spec.source.lexical_scopes.is_some());
        has_scopes
            && facts.lang.semantics().scopes_tell_all
            && self.def_named_at(path, at.line, at.col).is_none()
            && ref_at(facts, (at.line, at.col), word).is_some_and(|r| r.receiver() == Receiver::None)
    }

    /// Returns true if a node is a top-level definition of a file.
    pub(crate) fn is_in_file(&self, node: NodeRef, path: &str) -> bool {
        let NodeRef::Def(def) = node else { return false };
        let found = self.file(def.file).and_then(|(_, facts)| facts.defs.get(def.def.index()));
        self.file_at(path) == Some(def.file) && found.is_some_and(|found| found.parent.is_none())
    }

    /// Returns the constructor that a class itself defines, if the name at a place makes an object of the class;
    /// otherwise the node itself.
    pub(crate) fn made_at(&self, path: &str, at: NamePlace, word: &str, node: NodeRef) -> NodeRef {
        self.constructor_at(path, (at.line, at.col), word, node).map_or(node, NodeRef::Def)
    }

    fn constructor_at(&self, path: &str, at: (u32, u32), word: &str, node: NodeRef) -> Option<DefRef> {
        let NodeRef::Def(class) = node else { return None };
        let entry = self.index.entry(class.file)?;
        let name = entry.lang().semantics().named_constructor?;
        let is_class = entry.facts.defs.get(class.def.index())?.kind == DefKind::Class;
        let file = self.file_at(path).filter(|_| is_class)?;
        let r = self.file(file).and_then(|(_, facts)| ref_at(facts, at, word))?;
        Resolver::new(&self.index).call_at(file, (r.line, r.col())).filter(|_| r.kind() == RefKind::Call)?;
        let own = entry.defs_named(name).find(|(_, def)| def.parent == Some(class.def));
        own.map(|(def, _)| DefRef { file: class.file, def })
    }
}

/// Signs that some languages count as part of a name and that a word at a place may lack: `@size`, `empty?`.
const SIGNS: [char; 5] = ['@', '$', '=', '?', '!'];

/// Returns the reference whose name is at a place.
pub(super) fn ref_at<'f>(facts: &'f FileFacts, at: (u32, u32), word: &str) -> Option<&'f Ref> {
    facts.refs.iter().find(|r| r.kind() != RefKind::Key && stands_at(facts, r, at, word))
}

fn stands_at(facts: &FileFacts, r: &Ref, at: (u32, u32), word: &str) -> bool {
    let name = facts.name(r.name);
    let width = name.encode_utf16().count() as u32;
    let is_it = match word {
        // The word at the sign itself is empty.
        "" => r.col() == at.1 && name.starts_with(['@', '$']),
        word => name == word || name.trim_matches(SIGNS) == word,
    };
    is_it && r.line == at.0 && (r.col()..=r.col() + width).contains(&at.1)
}

/// Returns the file of a module, if it has exactly one.
pub(super) fn file_of(target: &ModuleTarget) -> Option<NodeRef> {
    match target {
        ModuleTarget::File(file) | ModuleTarget::Inside(file, _) => Some(NodeRef::File(*file)),
        ModuleTarget::Files(files) => match files[..] {
            [file] => Some(NodeRef::File(file)),
            _ => None,
        },
        ModuleTarget::External(_) | ModuleTarget::Unknown => None,
    }
}
/// Returns the width of a name in columns, without the type in the name of a conversion (`operator bool`), which is a
/// name of its own.
fn name_width(name: &str) -> u32 {
    let own = if name.starts_with("operator ") { "operator" } else { name };
    own.encode_utf16().count() as u32
}
