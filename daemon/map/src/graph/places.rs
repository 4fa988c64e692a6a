//! Uses of a definition one by one, each with its place and how sure the map is of it.
//!
//! Edges gather the uses between two nodes and keep lines and the surest of their confidences. Whoever compares the map with
//! somebody else's list of places needs each use by itself.

use hob_base::{CancelToken, FileId, Stopped};

use super::outbound::owner_node;
use super::uses::Search;
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{DefIdx, Import, Ref};
use crate::resolve::{Resolution, Resolver, Thing};

/// One use of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The file that it stands in.
    pub file: FileId,
    /// 1-based line of the name; of an import, the line that the facts have of it.
    pub line: u32,
    /// 1-based UTF-16 column of the name; `None` for imports, of which facts have none.
    pub col: Option<u32>,
    /// The kind of use: [`EdgeKind::Imports`] where a file imports it, passing it on or not.
    pub kind: EdgeKind,
    /// The map's confidence in it.
    pub confidence: Confidence,
    /// Says whether another name than the definition's own is written there: an import's alias, a default import.
    pub is_renamed: bool,
    /// The definition that it is written in, or the file.
    pub from: NodeRef,
}

impl Use {
    pub(super) fn of_ref(
        file: FileId,
        r: &Ref,
        kind: EdgeKind,
        confidence: Confidence,
        is_renamed: bool,
    ) -> Self {
        let from = owner_node(file, r.owner);
        Self { file, line: r.line, col: Some(r.col), kind, confidence, is_renamed, from }
    }

    pub(super) fn of_import(file: FileId, import: &Import, is_renamed: bool) -> Self {
        let (kind, confidence) = (EdgeKind::Imports, Confidence::Import);
        Self { file, line: import.line, col: None, kind, confidence, is_renamed, from: NodeRef::File(file) }
    }
}

impl Map {
    /// The uses of a definition that resolve to it, as far as they were found before `cancel` said to stop. In C and C++ a
    /// declaration stands for what it announces. In no particular order.
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

    /// The definition whose name stands at a 1-based line and UTF-16 column of a file.
    #[must_use]
    pub fn def_named_at(&self, path: &str, line: u32, col: u32) -> Option<DefRef> {
        let file = self.file_at(path)?;
        let (_, facts) = self.file(file)?;
        let found = facts.defs.iter().position(|def| {
            let width = facts.name(def.name).encode_utf16().count() as u32;
            def.name_at.0 == line && (def.name_at.1..def.name_at.1 + width.max(1)).contains(&col)
        })?;
        Some(self.body_of(DefRef { file, def: DefIdx(found as u32) }))
    }

    /// Finds what the reference at a place means, and how sure that is; `None` where the map has no reference or cannot resolve it.
    /// `word` is what is written there: some references stand where their name does not, as a base's does at `super`.
    #[must_use]
    pub fn def_meant_at(&self, path: &str, at: (u32, u32), word: &str) -> Option<(DefRef, Confidence)> {
        let file = self.file_at(path)?;
        let (_, facts) = self.file(file)?;
        let width = word.encode_utf16().count() as u32;
        let is_here = |r: &&Ref| {
            r.line == at.0 && (r.col..=r.col + width).contains(&at.1) && facts.name(r.name) == word
        };
        let resolver = Resolver::new(&self.index);
        let r = facts.refs.iter().find(is_here)?;
        if let Some(confirmed) = self.confirmed_meaning(&resolver, file, r) {
            return Some((confirmed, Confidence::Live));
        }
        match resolver.resolve(file, r) {
            Resolution::To(Thing::Def(def), confidence) => Some((def, confidence)),
            _ => None,
        }
    }
}
