//! Declares the edge, and gathers many uses into one edge.

use rustc_hash::FxHashMap;

use super::{Confidence, EdgeKind, EdgeKinds, MAX_SITES, NodeRef};

/// A directed connection between two nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// The node that the edge starts at.
    pub from: NodeRef,
    /// The node that the edge leads to; the likeliest of `candidates` if it is not resolved.
    pub to: NodeRef,
    /// The kind of connection.
    pub kind: EdgeKind,
    /// The confidence of the edge.
    pub confidence: Confidence,
    /// The definitions that the name may mean if it is not resolved, likeliest first; otherwise empty.
    pub candidates: Vec<NodeRef>,
    /// Lines of the edge's starting file at which it is written, ascending; the first [`MAX_SITES`].
    pub sites: Vec<u32>,
    /// Number of all such places, also those beyond [`MAX_SITES`].
    pub site_count: usize,
}

impl Edge {
    /// Returns true if the target of the edge is known.
    #[must_use]
    pub fn is_resolved(&self) -> bool {
        self.confidence != Confidence::Candidate
    }
}

/// Gathers uses into edges: one for each combination of ends, kind and being resolved or not.
#[derive(Debug, Default)]
pub(super) struct Edges {
    found: FxHashMap<(NodeRef, NodeRef, EdgeKind, bool), Edge>,
}

impl Edges {
    pub(super) fn add(&mut self, edge: Edge) {
        let key = (edge.from, edge.to, edge.kind, edge.is_resolved());
        match self.found.entry(key) {
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(edge);
            }
            std::collections::hash_map::Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.confidence = known.confidence.min(edge.confidence);
                known.site_count += edge.site_count;
                known.sites.extend(edge.sites);
            }
        }
    }

    /// Adds a resolved use at one line.
    pub(super) fn add_resolved(
        &mut self,
        from: NodeRef,
        to: NodeRef,
        kind: EdgeKind,
        confidence: Confidence,
        line: Option<u32>,
    ) {
        let sites: Vec<u32> = line.into_iter().collect();
        let site_count = sites.len();
        self.add(Edge { from, to, kind, confidence, candidates: Vec::new(), sites, site_count });
    }

    pub(super) fn add_unresolved(
        &mut self,
        from: NodeRef,
        kind: EdgeKind,
        candidates: Vec<NodeRef>,
        line: u32,
    ) {
        let Some(&to) = candidates.first() else { return };
        let confidence = Confidence::Candidate;
        self.add(Edge { from, to, kind, confidence, candidates, sites: vec![line], site_count: 1 });
    }

    /// Drops the edges of other kinds.
    pub(super) fn retain_kinds(&mut self, kinds: EdgeKinds) {
        self.found.retain(|(_, _, kind, _), _| kinds.has(*kind));
    }

    /// Adds edges gathered elsewhere.
    pub(super) fn merge(&mut self, other: Self) {
        if self.found.is_empty() {
            *self = other;
        } else {
            other.found.into_values().for_each(|edge| self.add(edge));
        }
    }

    /// Adds edges of which some lines may be there already: these are not counted again.
    pub(super) fn merge_repeated(&mut self, repeated: Self) {
        for mut edge in repeated.found.into_values() {
            let key = (edge.from, edge.to, edge.kind, edge.is_resolved());
            if let Some(known) = self.found.get(&key) {
                // Of an edge with very many lines, the last ones are counted and not known.
                let last = known.sites.last().copied().filter(|_| known.site_count > known.sites.len());
                let is_new = |line: &u32| !known.sites.contains(line) && last.is_none_or(|last| *line < last);
                edge.sites.retain(is_new);
                edge.site_count = edge.sites.len();
            }
            self.add(edge);
        }
    }

    pub(super) fn into_vec(self) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.found.into_values().collect();
        for edge in &mut edges {
            edge.sites.sort_unstable();
            edge.sites.truncate(MAX_SITES);
        }
        edges
    }
}
