//! Finds the neighbours of several nodes at once, over the skeleton of the last derivation.
//!
//! Two steps from a busy function are a hundred thousand others, of which fifty are shown. While nothing has changed
//! since the derivation, the skeleton has the resolved edges, their order, confidence and lines. It lacks calls of
//! parameters and of what has no resolved name: a derivation does not follow callers.
//! Unresolved edges come after all others, so they are not looked for if there are enough resolved ones.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::edges::Edge;
use super::skeleton::Skeleton;
use super::skeleton_uses::UsesInSkeleton;
use super::{DefRef, Direction, EdgeKind, EdgeKinds, Map, NeighborsQuery, NodeRef};
use crate::resolve::Resolver;

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

/// The skeleton of a map that has not changed since the derivation.
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

    /// Returns true if another definition has the name of one at the top of the same file, as a type and a value may
    /// have in TypeScript: an import leads to one of them and means both.
    fn has_other_meaning(&self, def: DefRef) -> bool {
        let Some(entry) = self.index.entry(def.file).filter(|e| e.lang().semantics().types_beside_values)
        else {
            return false;
        };
        let Some(one) = entry.facts.defs.get(def.def.index()) else { return false };
        let mut of_name = entry.defs_named(entry.facts.name(one.name));
        one.parent.is_none() && of_name.any(|(other, found)| found.parent.is_none() && other != def.def)
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
    pub(super) fn skeleton(&self) -> &'m Skeleton {
        self.skeleton
    }

    /// Returns the node at the far end of an edge.
    pub(super) fn far_node(&self, line: &SkeletonEdge) -> Option<NodeRef> {
        self.skeleton.node(line.far)
    }

    /// Returns the best edges around nodes, best first, and the others; `None` if the skeleton does not have a node.
    pub(super) fn around(
        &self,
        resolver: &Resolver<'_>,
        asked: &SurroundingsQuery<'_>,
    ) -> Option<(Vec<SkeletonEdge>, Vec<SkeletonEdge>)> {
        let visited = asked.visited.iter().map(|node| self.skeleton.node_number(*node));
        let visited: FxHashSet<u32> = visited.collect::<Option<_>>()?;
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
        let itself = self.skeleton.node_number(node)?;
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
        self.map
            .body_beside(resolver, node)
            .map_or(Some(None), |body| self.skeleton.node_number(body).map(Some))
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

    /// Returns the sure ones among edges of the skeleton, with their confidence and lines. A search among the
    /// [other uses](Self::other_uses) finds the others.
    pub(super) fn sure_edges(&self, lines: &[SkeletonEdge]) -> Option<Vec<Edge>> {
        all_sure(lines.iter().map(|line| self.edge(line)))
    }

    /// Returns an edge of the skeleton with its confidence and lines, computed if it is not sure; `None` if it is not there
    /// then.
    pub(super) fn checked_edge(&self, resolver: &Resolver<'_>, line: &SkeletonEdge) -> Option<Edge> {
        let edge = self.edge(line)?;
        match edge.is_resolved() {
            true => Some(edge),
            false => self.map.edge_between(resolver, edge.from, edge.to, edge.kind),
        }
    }

    /// Returns the sure edges of some kinds that end at a node; `None` if the skeleton does not have it.
    pub(super) fn sure_edges_to(&self, node: NodeRef, kinds: EdgeKinds) -> Option<Vec<Edge>> {
        let to = self.skeleton.node_number(node)?;
        let edges = self.skeleton.edges(to, true).filter(|(kind, _)| kinds.has(*kind));
        all_sure(edges.map(|(kind, from)| self.edge_of_numbers(from, to, kind)))
    }

    fn edge(&self, line: &SkeletonEdge) -> Option<Edge> {
        let (near, far) = (line.near, line.far);
        let (from, to) = if line.way == Direction::Out { (near, far) } else { (far, near) };
        self.edge_of_numbers(from, to, line.kind)
    }

    fn edge_of_numbers(&self, from: u32, to: u32, kind: EdgeKind) -> Option<Edge> {
        let uses = self.skeleton.uses_of_edge(from, to, kind)?;
        Some(Edge {
            from: self.skeleton.node(from)?,
            to: self.skeleton.node(to)?,
            kind,
            confidence: uses.confidence,
            candidates: Vec::new(),
            sites: uses.lines,
            site_count: uses.count,
        })
    }

    /// Returns where else a search for the uses of a definition has to look, if its edges from these nodes are known.
    pub(super) fn other_uses(
        &self,
        def: DefRef,
        sources: impl IntoIterator<Item = NodeRef>,
    ) -> UsesInSkeleton<'m> {
        UsesInSkeleton::new(self.skeleton, sources, self.map.has_other_meaning(def))
    }
}

/// Returns the sure ones among edges; `None` if one is not there.
fn all_sure(edges: impl Iterator<Item = Option<Edge>>) -> Option<Vec<Edge>> {
    edges.filter(|edge| edge.as_ref().is_none_or(Edge::is_resolved)).collect()
}
