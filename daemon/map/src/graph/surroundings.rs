//! Finds the neighbours of several nodes at once, over the skeleton of the last derivation.
//!
//! Two steps from a busy function are a hundred thousand others, of which fifty are shown. While nothing has changed
//! since the derivation, the skeleton has the resolved edges and their order, so that only shown edges are computed. It
//! lacks calls of parameters: a derivation does not follow callers.
//! Unresolved edges come after all others, so they are not looked for if there are enough resolved ones.

use std::cmp::Ordering;

use hob_base::CancelToken;
use rustc_hash::{FxHashMap, FxHashSet};

use super::edges::Edge;
use super::inbound::UsersQuery;
use super::skeleton::Skeleton;
use super::skeleton_uses::UsesInSkeleton;
use super::{Direction, EdgeKind, EdgeKinds, Map, NeighborsQuery, NodeRef};
use crate::resolve::Resolver;

/// An edge of the skeleton, seen from a node of the query.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SkeletonEdge {
    /// The node whose surroundings are searched; for uses of a declaration, which resolve to its body, that body.
    near: u32,
    /// The index of the node in [`SurroundingsQuery::nodes`].
    via: usize,
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
        is_current.then_some(Surroundings { map: self, skeleton })
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

    /// Returns the computed edges for edges of the skeleton, in their order, each with the node of the query at its near
    /// end; `None` if the map lacks one of them.
    pub(super) fn computed_edges(
        &self,
        resolver: &Resolver<'_>,
        lines: &[SkeletonEdge],
        nodes: &[NodeRef],
        cancel: &CancelToken,
    ) -> Option<Vec<(Edge, NodeRef)>> {
        let mut by_near: FxHashMap<(u32, bool), Vec<&SkeletonEdge>> = FxHashMap::default();
        for line in lines {
            by_near.entry((line.near, line.way == Direction::In)).or_default().push(line);
        }
        let mut found: FxHashMap<(NodeRef, NodeRef, EdgeKind), Edge> = FxHashMap::default();
        for lines in by_near.values() {
            cancel.check().ok()?;
            let edges = self.edges_along(resolver, lines, cancel)?.into_iter().filter(Edge::is_resolved);
            found.extend(edges.map(|edge| ((edge.from, edge.to, edge.kind), edge)));
        }
        let computed = lines.iter().map(|line| {
            let (from, to) = self.end_nodes(line)?;
            let edge = match found.get(&(from, to, line.kind)) {
                Some(edge) => edge.clone(),
                None => {
                    cancel.check().ok()?;
                    self.map.edge_between(resolver, from, to, line.kind)?
                }
            };
            let via = *nodes.get(line.via)?;
            let to = if line.way == Direction::In { via } else { to };
            Some((Edge { to, ..edge }, via))
        });
        computed.collect()
    }

    /// Returns edges of the map among which are most of those of some edges of the skeleton, which have the near end and
    /// the direction in common; `None` if that takes too long. It returns none if each is better computed by itself.
    fn edges_along(
        &self,
        resolver: &Resolver<'_>,
        lines: &[&SkeletonEdge],
        cancel: &CancelToken,
    ) -> Option<Vec<Edge>> {
        let kinds: EdgeKinds = lines.iter().map(|line| line.kind).collect();
        let first = lines.first()?;
        match (self.skeleton.node(first.near)?, first.way) {
            (NodeRef::Def(target), Direction::In) => {
                let sources = lines.iter().map(|line| self.far_node(line)).collect::<Option<Vec<_>>>()?;
                let uses = UsesInSkeleton::only_from(self.skeleton, target, sources)?;
                let query = UsersQuery { def: target, kin: &[], uses: Some(uses), kinds };
                let found = self.map.users_of(resolver, query, cancel);
                found.stopped.is_none().then_some(found.edges)
            }
            (near, Direction::Out) if lines.len() > 1 && !self.map.never_renames(near) => {
                Some(self.map.edges_out_with(resolver, near, kinds))
            }
            _ => Some(Vec::new()),
        }
    }

    /// Returns the nodes from which and to which an edge of the skeleton leads.
    fn end_nodes(&self, line: &SkeletonEdge) -> Option<(NodeRef, NodeRef)> {
        let (near, far) = (self.skeleton.node(line.near)?, self.skeleton.node(line.far)?);
        Some(if line.way == Direction::Out { (near, far) } else { (far, near) })
    }

    /// Returns the node at the near end of an edge.
    pub(super) fn near_node(&self, line: &SkeletonEdge) -> Option<NodeRef> {
        self.skeleton.node(line.near)
    }
}
