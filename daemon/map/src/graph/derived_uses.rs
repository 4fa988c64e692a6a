//! Finds the uses in one file that make the edges of a derivation.
//!
//! A derivation resolves as a pass over the whole map: it does not follow values into callers, which would cost for every
//! function what a query spends on one. So it leaves some uses open, and queries resolve these again.

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::edges::{Edge, Edges};
use super::outbound::owner_node;
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{Ref, StrId};
use crate::resolve::{Resolution, ResolvedNoteLink, Resolver};

/// A file some of whose references are resolved.
#[derive(Debug, Default)]
pub(super) struct PartialFile {
    /// Number of references that are done.
    pub(super) refs: usize,
    /// The references among them that are left open.
    pub(super) open: Vec<usize>,
    pub(super) found: Vec<FoundUse>,
}

/// A use that makes an edge of a derivation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FoundUse {
    pub(super) from: NodeRef,
    pub(super) to: NodeRef,
    pub(super) kind: EdgeKind,
    /// The line of the use; 0 if it has none.
    pub(super) line: u32,
    pub(super) confidence: Confidence,
    /// False if no score counts the edge: it connects a note with code.
    pub(super) is_scored: bool,
    /// False if a query may find that the use means something else.
    pub(super) is_sure: bool,
}

impl FoundUse {
    fn new(from: NodeRef, to: NodeRef, kind: EdgeKind, confidence: Confidence, line: u32) -> Self {
        Self { from, to, kind, line, confidence, is_scored: true, is_sure: true }
    }

    /// Returns true if another use makes the same edge.
    pub(super) fn is_of_edge(&self, other: &Self) -> bool {
        (self.from, self.to, self.kind) == (other.from, other.to, other.kind)
    }
}

impl Map {
    /// Collects the resolved edges that start in a file, once for each use, without `contains`. Returns false if
    /// stopped before all were found.
    pub(super) fn resolved_uses_of(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        begun: &mut PartialFile,
        go_on: &dyn Fn() -> bool,
    ) -> bool {
        let Some(entry) = self.index.entry(file) else { return true };
        for r in entry.facts.refs.iter().skip(begun.refs) {
            if !go_on() {
                return false;
            }
            begun.refs += 1;
            if entry.lang().is_prose() {
                begun.found.extend(self.use_of_link(resolver, file, r));
                continue;
            }
            let found = resolver.resolve(file, r);
            let is_unresolved = matches!(found, Resolution::Unresolved);
            if !self.add_uses_of_code(resolver, file, r, found, &mut begun.found) || is_unresolved {
                begun.open.push(begun.refs - 1);
            }
        }
        for call in self.calls_of_values(resolver, file, None) {
            let (from, to) = (owner_node(file, call.from), call.to.into());
            let found = FoundUse::new(from, to, EdgeKind::Calls, Confidence::Flow, call.line);
            begun.found.push(FoundUse { is_sure: call.is_sure, ..found });
        }
        let imports = self.imports_of(resolver, file, EdgeKinds::ALL.without(EdgeKind::Contains));
        for edge in imports.into_iter().filter(super::Edge::is_resolved) {
            let new = |line| FoundUse::new(edge.from, edge.to, edge.kind, edge.confidence, line);
            begun.found.extend(edge.sites.iter().copied().map(new));
        }
        true
    }

    /// Returns the uses in a file that a derivation finds with the resolver `passing`, as far as `go_on` lets it come.
    pub(super) fn uses_in_file(
        &self,
        passing: &Resolver<'_>,
        file: FileId,
        go_on: &dyn Fn() -> bool,
    ) -> Vec<FoundUse> {
        let mut begun = PartialFile::default();
        self.resolved_uses_of(passing, file, &mut begun, go_on);
        begun.found
    }

    /// Returns the edges that sorted uses make. Edges of which a derivation is not sure, and any that a server may overrule, are
    /// computed.
    pub(super) fn edges_of_uses(&self, resolver: &Resolver<'_>, uses: &[FoundUse]) -> Vec<Edge> {
        let edges = uses.chunk_by(FoundUse::is_of_edge).map(|uses| {
            let FoundUse { from, to, kind, .. } = uses[0];
            let sure = edge_of_sure_uses(uses).filter(|_| self.confirmed.is_empty());
            sure.or_else(|| self.edge_between(resolver, from, to, kind))
        });
        edges.flatten().collect()
    }

    /// Returns an edge of an unchanged file as a derivation finds it now with the resolver `passing`; `None` if it is not sure
    /// of the edge, or references of the names that made the edge now make it on other lines.
    pub(super) fn edge_on_its_lines(&self, passing: &Resolver<'_>, known: &Edge) -> Option<Edge> {
        let file = known.from.file()?;
        let entry = self.index.entry(file).filter(|entry| !entry.lang().is_prose())?;
        let own = || entry.facts.refs.iter().filter(|r| owner_node(file, r.owner) == known.from);
        let on_lines = own().filter(|r| known.sites.binary_search(&r.line).is_ok());
        let names: FxHashSet<StrId> = on_lines.map(|r| r.name).collect();
        let mut found = Vec::new();
        for r in own().filter(|r| names.contains(&r.name)) {
            self.add_uses_of_code(passing, file, r, passing.resolve(file, r), &mut found);
        }
        found.retain(|one| (one.to, one.kind) == (known.to, known.kind));
        let edge = edge_of_sure_uses(&found)?;
        (edge.sites == known.sites && edge.site_count == known.site_count).then_some(edge)
    }

    /// Adds the uses that one reference in code makes. Returns false if a query may find other ones: because queries follow
    /// values into callers, or because this resolution was cut, and the resolver of a query has other results cached.
    fn add_uses_of_code(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        r: &Ref,
        found: Resolution,
        uses: &mut Vec<FoundUse>,
    ) -> bool {
        let was_cut = resolver.was_cut();
        let through = self.through_values(resolver, file, r, &found);
        let is_sure = !was_cut && !self.may_mean_something_else(resolver, file, r, &found, through.as_ref());
        let (from, kind) = (owner_node(file, r.owner), EdgeKind::for_ref_kind(r.kind()));
        let new =
            |to, kind, confidence| FoundUse { is_sure, ..FoundUse::new(from, to, kind, confidence, r.line) };
        let instead = through.as_ref().is_some_and(|through| through.instead);
        let reached = through.into_iter().flat_map(|through| through.reached);
        uses.extend(reached.map(|to| new(to.into(), EdgeKind::Calls, Confidence::Flow)));
        if let Resolution::To(thing, confidence) = found {
            // A call of a variable reads the variable.
            let kind = if instead { EdgeKind::References } else { kind };
            uses.extend(self.used_node(file, r, &thing).map(|to| new(to, kind, confidence)));
        }
        is_sure
    }

    /// Returns the use that a link of a note makes. Links from notes to code count for neither scores nor clusters: a
    /// chapter that names every file would tie together files that have nothing in common.
    fn use_of_link(&self, resolver: &Resolver<'_>, file: FileId, r: &Ref) -> Option<FoundUse> {
        let ResolvedNoteLink::To(to, confidence) = resolver.resolve_link(file, r) else { return None };
        let from = owner_node(file, r.owner);
        let target = self.index.entry(to.file()?)?;
        let is_scored = target.lang().is_prose();
        let found =
            FoundUse { is_scored, ..FoundUse::new(from, to, EdgeKind::References, confidence, r.line) };
        (to != from && to != NodeRef::File(file)).then_some(found)
    }

    /// Returns an edge from the container of each definition of a file.
    pub(super) fn containers_of(&self, resolver: &Resolver<'_>, file: FileId) -> Vec<(NodeRef, NodeRef)> {
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        let defs = entry.facts.defs_indexed().map(|(def, _)| DefRef { file, def });
        defs.filter_map(|def| Some((self.container(resolver, def)?, def.into()))).collect()
    }
}

/// Returns the edge that uses make; `None` if there are none, or a query may find that one means something else.
fn edge_of_sure_uses(uses: &[FoundUse]) -> Option<Edge> {
    let mut edges = Edges::default();
    for one in uses {
        let line = Some(one.line).filter(|line| *line > 0);
        edges.add_resolved(one.from, one.to, one.kind, one.confidence, line);
    }
    let are_sure = uses.iter().all(|one| one.is_sure);
    edges.into_vec().pop().filter(|_| are_sure)
}
