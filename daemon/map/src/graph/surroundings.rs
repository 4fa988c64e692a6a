//! Finds the neighbours of several nodes at once, and the edges of one, over the skeleton of the last derivation.
//!
//! Two steps from a busy function are a hundred thousand others, of which fifty are shown. While nothing has changed
//! since the derivation, and no server has confirmed an edge, the skeleton has the resolved edges, their order, and the
//! confidence and lines of their sure uses. It lacks calls of parameters and of what has no resolved name: a derivation
//! does not follow callers.
//! Unresolved edges come after all others, so they are not looked for if there are enough resolved ones.

use std::cmp::Ordering;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::edge_sites::EdgeUses;
use super::edges::Edge;
use super::open_uses::OpenUses;
use super::skeleton::Skeleton;
use super::{DefRef, Direction, EdgeKind, EdgeKinds, Map, NeighborsQuery, NodeRef};
use crate::facts::{DefIdx, DefKind};
use crate::resolve::Resolver;

/// Most changed files since the derivation with which its skeleton still proposes edges. A question looks into each of them.
const MOST_CHANGED: usize = 32;

/// An edge of the skeleton, seen from a node of the query.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SkeletonEdge {
    /// The node whose surroundings are searched; for uses of a declaration, which resolve to its body, that body.
    near: u32,
    /// The index of the node in [`SurroundingsQuery::nodes`].
    pub(super) via: usize,
    pub(super) far: u32,
    pub(super) kind: EdgeKind,
    pub(super) way: Direction,
}

/// The skeleton of a map: of one that has not changed since the derivation ([`Map::surroundings`]), or of an earlier state of
/// it ([`Map::earlier_surroundings`]), which only proposes edges.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'m> {
    map: &'m Map,
    skeleton: &'m Skeleton,
}

impl Map {
    /// Removes the skeleton, so that all edges are computed.
    #[cfg(test)]
    pub(crate) fn remove_skeleton(&mut self) {
        self.standing.skeleton = None;
    }

    /// Returns the skeleton, if it is up to date: nothing has changed since, and nothing is confirmed.
    pub(super) fn surroundings(&self) -> Option<Surroundings<'_>> {
        let skeleton = self.standing.skeleton.as_ref()?;
        let is_current = self.standing.changed.is_empty() && self.confirmed.is_empty();
        (is_current && skeleton.has_sites()).then_some(Surroundings { map: self, skeleton })
    }

    /// Returns the skeleton of an earlier state of the map, unless it proposes too little: many files have changed since, or
    /// a project file, on which the edges of all files depend.
    pub(super) fn earlier_surroundings(&self) -> Option<Surroundings<'_>> {
        let skeleton = self.standing.skeleton.as_ref()?;
        let changed = &self.standing.changed;
        let is_manifest = |file: &FileId| {
            let is_now = self.index.entry(*file).is_some_and(|entry| entry.lang().is_manifest());
            is_now || skeleton.built_from().manifests.iter().any(|manifest| manifest.file == *file)
        };
        let proposes_most = changed.len() <= MOST_CHANGED && !changed.iter().any(is_manifest);
        proposes_most.then_some(Surroundings { map: self, skeleton })
    }

    /// Returns true if another definition has the name of one in the same place, as a type and a value may have in
    /// TypeScript, where an import can name them: an import leads to one of them and means both.
    pub(super) fn has_other_meaning(&self, def: DefRef) -> bool {
        let Some(entry) = self.index.entry(def.file).filter(|e| e.lang().semantics().types_beside_values)
        else {
            return false;
        };
        let Some(one) = entry.facts.defs.get(def.def.index()) else { return false };
        let is_module =
            |parent: DefIdx| entry.facts.defs.get(parent.index()).is_some_and(|d| d.kind == DefKind::Module);
        let mut of_name = entry.defs_named(entry.facts.name(one.name));
        one.parent.is_none_or(is_module)
            && of_name.any(|(other, found)| found.parent == one.parent && other != def.def)
    }
}

/// A query for neighbours: the nodes, the most neighbours of each, and the nodes that are known already.
pub(super) struct SurroundingsQuery<'q> {
    pub(super) query: &'q NeighborsQuery,
    pub(super) nodes: &'q [NodeRef],
    pub(super) visited: &'q FxHashSet<NodeRef>,
    pub(super) per_kind: usize,
}

impl<'m> Surroundings<'m> {
    /// Returns the node at the far end of an edge; `None` if it is gone.
    pub(super) fn far_node(&self, line: &SkeletonEdge) -> Option<NodeRef> {
        self.map.node_since_derivation(self.skeleton, line.far)
    }

    /// Returns true if the skeleton may lack edges: files have changed since the derivation, or came and went during it.
    pub(super) fn is_out_of_date(&self) -> bool {
        !self.map.standing.changed.is_empty() || !self.skeleton.has_sites()
    }

    /// Returns the number that a node has in the skeleton.
    pub(super) fn node_number(&self, node: NodeRef) -> Option<u32> {
        match node {
            NodeRef::Def(def) => self.map.number_at_derivation(self.skeleton, def),
            NodeRef::File(_) | NodeRef::External(_) => self.skeleton.node_number(node),
        }
    }

    /// Returns the best edges around nodes, best first, and the others; `None` if the skeleton does not have a node.
    pub(super) fn around(
        &self,
        resolver: &Resolver<'_>,
        asked: &SurroundingsQuery<'_>,
    ) -> Option<(Vec<SkeletonEdge>, Vec<SkeletonEdge>)> {
        let visited: FxHashSet<u32> =
            asked.visited.iter().filter_map(|node| self.node_number(*node)).collect();
        let (mut best, mut others) = (Vec::new(), Vec::new());
        for (via, node) in asked.nodes.iter().enumerate() {
            for mut group in self.grouped_edges(resolver, via, *node, asked, &visited)? {
                if group.len() > asked.per_kind {
                    group.select_nth_unstable_by(asked.per_kind, |a, b| self.compare(a, b));
                    others.extend(group.drain(asked.per_kind..));
                }
                best.extend(group);
            }
        }
        best.sort_by(|a, b| self.compare(a, b));
        Some((best, others))
    }

    /// Returns the edges around a node, grouped by kind and direction.
    fn grouped_edges(
        &self,
        resolver: &Resolver<'_>,
        via: usize,
        node: NodeRef,
        asked: &SurroundingsQuery<'_>,
        visited: &FxHashSet<u32>,
    ) -> Option<Vec<Vec<SkeletonEdge>>> {
        let itself = self.node_number(node)?;
        let mut ends = Vec::new();
        if asked.query.direction != Direction::In {
            ends.push((itself, Direction::Out, true));
        }
        if asked.query.direction != Direction::Out {
            ends.push((itself, Direction::In, true));
            ends.extend(self.body_number(resolver, node)?.map(|body| (body, Direction::In, false)));
        }
        let mut groups: Vec<Vec<SkeletonEdge>> = Vec::new();
        groups.resize_with(2 * EdgeKind::ALL.len(), Vec::new);
        for (near, way, contains) in ends {
            for (kind, far) in self.skeleton.edges(near, way == Direction::In) {
                let wanted = asked.query.kinds.has(kind) && (contains || kind != EdgeKind::Contains);
                // A recursive function is its own caller.
                if wanted && (far == itself || !visited.contains(&far)) {
                    let group = 2 * kind as usize + usize::from(way == Direction::In);
                    groups[group].push(SkeletonEdge { near, via, far, kind, way });
                }
            }
        }
        Some(groups)
    }

    /// Returns the number of the definition that a C or C++ declaration announces, `Some(None)` for other nodes; `None`
    /// if the definition has no number.
    fn body_number(&self, resolver: &Resolver<'_>, node: NodeRef) -> Option<Option<u32>> {
        self.map.body_beside(resolver, node).map_or(Some(None), |body| self.node_number(body).map(Some))
    }

    /// Compares edges as neighbours are compared. Numbers are in order of path and place, except for packages.
    fn compare(&self, a: &SkeletonEdge, b: &SkeletonEdge) -> Ordering {
        let outside = |line: &SkeletonEdge| line.far as usize >= self.skeleton.len();
        let score = |line: &SkeletonEdge| match self.skeleton.node(line.far).filter(|_| outside(line)) {
            Some(node) => self.map.score(node),
            None => f32::from(self.skeleton.score(line.far)) / 1e4,
        };
        let place = || match (outside(a) && outside(b))
            .then(|| self.skeleton.node(a.far).zip(self.skeleton.node(b.far)))
        {
            Some(Some((a, b))) => self.map.compare_places(a, b),
            _ => a.far.cmp(&b.far),
        };
        let by_score = if outside(a) || outside(b) {
            score(b).total_cmp(&score(a))
        } else {
            self.skeleton.score(b.far).cmp(&self.skeleton.score(a.far))
        };
        by_score
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(place)
            .then_with(|| (a.way == Direction::Out).cmp(&(b.way == Direction::Out)))
    }

    /// Returns edges of the skeleton with their confidence and the lines of their sure uses. A search among the
    /// [open uses](Self::open_uses) finds the lines of the others; an edge without sure uses is not resolved.
    pub(super) fn known_edges(&self, drawn: &[SkeletonEdge]) -> Option<Vec<Edge>> {
        drawn.iter().map(|edge| Some(self.edge_with_uses(edge)?.0)).collect()
    }

    /// Returns an edge of the skeleton as the map has it: known if all its uses are sure, otherwise computed. `None` if the
    /// map has no such edge.
    pub(super) fn checked_edge(&self, resolver: &Resolver<'_>, drawn: &SkeletonEdge) -> Option<Edge> {
        let (edge, has_open) = self.edge_with_uses(drawn)?;
        if !has_open {
            return Some(edge);
        }
        let computed = self.map.edge_between(resolver, edge.from, edge.to, edge.kind);
        computed.or_else(|| edge.is_resolved().then_some(edge))
    }

    /// Returns a proposed edge as the map has it now; `None` if it no longer has it. `passing` is the resolver of a derivation,
    /// which sees whether the uses that the skeleton is sure of are still there.
    pub(super) fn computed_edge(
        &self,
        resolver: &Resolver<'_>,
        passing: &Resolver<'_>,
        proposed: &SkeletonEdge,
    ) -> Option<Edge> {
        let known = self.edge_with_uses(proposed).filter(|(edge, has_open)| {
            let has_changed = |file| self.map.standing.changed.contains(&file);
            let are_as_before = ![edge.from, edge.to].iter().filter_map(|node| node.file()).any(has_changed);
            are_as_before && !has_open && self.map.confirmed.is_empty()
        });
        if let Some(edge) = known.and_then(|(edge, _)| self.map.edge_on_its_lines(passing, &edge)) {
            return Some(edge);
        }
        let near = self.map.node_since_derivation(self.skeleton, proposed.near)?;
        let far = self.far_node(proposed)?;
        let (from, to) = if proposed.way == Direction::Out { (near, far) } else { (far, near) };
        self.map.edge_between(resolver, from, to, proposed.kind)
    }

    /// Returns the edges of some kinds that end at a node, as [`Self::known_edges`] does; `None` if the skeleton does not
    /// have the node.
    pub(super) fn known_edges_to(&self, node: NodeRef, kinds: EdgeKinds) -> Option<Vec<Edge>> {
        self.known_edges(&self.drawn_to(node, kinds)?)
    }

    /// Returns the edges of some kinds that end at a node, as [`Self::checked_edge`] does; `None` if the skeleton does not
    /// have the node.
    pub(super) fn checked_edges_to(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
    ) -> Option<Vec<Edge>> {
        let drawn = self.drawn_to(node, kinds)?;
        Some(drawn.iter().filter_map(|edge| self.checked_edge(resolver, edge)).collect())
    }

    /// Returns the edges of some kinds that start at a node, as [`Self::known_edges`] does, without containing; `None` if the
    /// skeleton does not have the node.
    pub(super) fn known_edges_from(&self, from: NodeRef, kinds: EdgeKinds) -> Option<Vec<Edge>> {
        let edges = self.skeleton.edges_with_uses(self.skeleton.node_number(from)?, kinds);
        let edge = |(kind, to, uses): (EdgeKind, u32, EdgeUses)| {
            Some(edge_of_uses(from, self.skeleton.node(to)?, kind, uses))
        };
        edges.map(edge).collect()
    }

    /// Returns true if the derivation left a reference open: a query may find another meaning than the skeleton has.
    pub(super) fn is_open(&self, file: FileId, reference: usize) -> bool {
        self.skeleton.is_open(file, reference)
    }

    fn drawn_to(&self, node: NodeRef, kinds: EdgeKinds) -> Option<Vec<SkeletonEdge>> {
        let near = self.skeleton.node_number(node)?;
        let edges = self.skeleton.edges(near, true).filter(|(kind, _)| kinds.has(*kind));
        let drawn = |(kind, far)| SkeletonEdge { near, via: 0, far, kind, way: Direction::In };
        Some(edges.map(drawn).collect())
    }

    /// Returns an edge of the skeleton, and true if it has open uses.
    fn edge_with_uses(&self, drawn: &SkeletonEdge) -> Option<(Edge, bool)> {
        let (near, far, kind) = (drawn.near, drawn.far, drawn.kind);
        let (from, to) = if drawn.way == Direction::Out { (near, far) } else { (far, near) };
        let uses = self.skeleton.uses_of_edge(from, to, kind)?;
        let has_open = uses.has_open;
        Some((edge_of_uses(self.skeleton.node(from)?, self.skeleton.node(to)?, kind, uses), has_open))
    }

    /// Returns where else a search for the uses of a definition has to look, if its edges from these nodes are known.
    pub(super) fn open_uses(&self, def: DefRef, sources: impl IntoIterator<Item = NodeRef>) -> OpenUses<'m> {
        OpenUses::new(self.skeleton, sources, self.map.has_other_meaning(def))
    }
}

fn edge_of_uses(from: NodeRef, to: NodeRef, kind: EdgeKind, uses: EdgeUses) -> Edge {
    let (confidence, sites, site_count) = (uses.confidence, uses.lines, uses.count);
    Edge { from, to, kind, confidence, candidates: Vec::new(), sites, site_count }
}
