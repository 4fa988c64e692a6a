//! Takes a step of a walk to neighbours while the skeleton is of an earlier state of the map.
//!
//! Edges are derived anew only after a pause, which is minutes in a large project whose files are being edited. Until then
//! a search for all users of fifty nodes would take seconds. So the skeleton proposes who uses them, and each proposed edge
//! is computed before it is shown. Edges that start at the queried nodes or in changed files are computed anyway. What the
//! step lacks are uses in unchanged files that mean something else since, because another file has changed:
//! [`FartherUsers::Earlier`](crate::graph::FartherUsers::Earlier) tells.

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Connection, FoundEdge, NeighborWalk};
use crate::graph::outbound::owner_node;
use crate::graph::surroundings::{SkeletonEdge, Surroundings, SurroundingsQuery};
use crate::graph::{DefRef, Direction, Edge, EdgeKind, NeighborsQuery, NodeRef};

impl NeighborWalk<'_> {
    /// Returns the best resolved edges around the frontier that are computed or that the earlier skeleton proposes, at most as
    /// many as there are places for.
    pub(super) fn edges_by_earlier_skeleton(&mut self, frontier: &[NodeRef]) -> Vec<FoundEdge> {
        let Some(earlier) = self.earlier.take() else { return Vec::new() };
        let mut found = self.best_by_skeleton(&earlier, frontier);
        self.earlier = Some(earlier);
        for inward in found.iter_mut().filter(|found| found.way == Direction::In) {
            inward.edge.to = frontier[inward.via];
        }
        found
    }

    fn best_by_skeleton(&mut self, earlier: &Surroundings<'_>, frontier: &[NodeRef]) -> Vec<FoundEdge> {
        let computed = self.computed_edges(earlier, frontier);
        let (proposed, others) = self.proposed_edges(earlier, frontier).unwrap_or_default();
        let places = self.query.max_nodes.saturating_sub(self.shown.len());
        let (mut shown, mut met) = (Vec::new(), FxHashSet::default());
        let mut group_sizes: FxHashMap<(usize, EdgeKind, Direction), usize> = FxHashMap::default();
        let (mut computed, mut proposed) = (computed.into_iter().peekable(), proposed.into_iter().peekable());
        while shown.len() < places && self.query.cancel.check().is_ok() {
            let takes_proposed = match (computed.peek(), proposed.peek()) {
                (None, None) => break,
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (Some(found), Some(line)) => self.is_before(earlier, line, found),
            };
            let found = if takes_proposed {
                proposed.next().and_then(|line| self.check_proposed(earlier, line))
            } else {
                computed.next()
            };
            let is_new = |found: &FoundEdge| {
                let seen = found.connection();
                let is_known = self.visited.contains(&seen.far) && seen.far != frontier[found.via];
                !is_known && !self.keys.contains(&seen.identity()) && met.insert(seen)
            };
            let Some(found) = found.filter(is_new) else { continue };
            let group = group_sizes.entry((found.via, found.edge.kind, found.way)).or_default();
            if *group < self.per_kind() {
                *group += 1;
                shown.push(found);
            } else {
                self.left_out.insert(found.connection().identity());
            }
        }
        self.left_out.extend(computed.map(|found| found.connection().identity()));
        for line in proposed.chain(others) {
            self.lines_left_out.insert(line.far, line.kind, line.way);
        }
        shown
    }

    /// Returns the resolved edges around the frontier that need no skeleton, best first: all that start there, are in changed
    /// files, or are confirmed, and all around nodes that are new since.
    fn computed_edges(&mut self, earlier: &Surroundings<'_>, frontier: &[NodeRef]) -> Vec<FoundEdge> {
        let mut inward = self.edges_in_from_changes(frontier);
        let mut found = Vec::new();
        for (via, &node) in frontier.iter().enumerate() {
            let best = if self.has_users_in(earlier, node) {
                let mut edges: Vec<(Edge, Direction)> = inward
                    .remove(&node)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|edge| (edge, Direction::In))
                    .collect();
                if self.query.direction != Direction::In {
                    let out = self.map.edges_out_with(&self.resolver, node, self.query.kinds);
                    edges.extend(out.into_iter().map(|edge| (edge, Direction::Out)));
                }
                self.best_of(node, edges)
            } else {
                self.best_edges_around(node)
            };
            let resolved = best.into_iter().filter(|(edge, _)| edge.is_resolved());
            found.extend(resolved.map(|(edge, way)| FoundEdge { via, edge, way }));
        }
        found.sort_by(|a, b| self.compare(&a.edge, a.way, &b.edge, b.way));
        found
    }

    /// Returns true if the skeleton has a node, and the definition that it announces, if it announces one.
    fn has_users_in(&self, earlier: &Surroundings<'_>, node: NodeRef) -> bool {
        let body = self.map.body_beside(&self.resolver, node);
        earlier.node_number(node).is_some() && body.is_none_or(|body| earlier.node_number(body).is_some())
    }

    /// Returns, for each node of the frontier, the edges that lead there from changed files, from its container, and by
    /// confirmed uses.
    fn edges_in_from_changes(&self, frontier: &[NodeRef]) -> FxHashMap<NodeRef, Vec<Edge>> {
        let mut found: FxHashMap<NodeRef, Vec<Edge>> = FxHashMap::default();
        if self.query.direction == Direction::Out {
            return found;
        }
        let (map, resolver, kinds) = (self.map, &self.resolver, self.query.kinds);
        // Uses resolve to the definition that a declaration announces.
        let mut targets: FxHashMap<NodeRef, Vec<NodeRef>> = FxHashMap::default();
        for &node in frontier {
            let body = map.body_beside(resolver, node);
            [Some(node), body]
                .into_iter()
                .flatten()
                .for_each(|end| targets.entry(end).or_default().push(node));
        }
        let mut add = |edge: Edge| {
            for &node in targets.get(&edge.to).into_iter().flatten() {
                found.entry(node).or_default().push(Edge { to: node, ..edge.clone() });
            }
        };
        let wanted: FxHashSet<NodeRef> = targets.keys().copied().collect();
        for &file in &map.standing.changed {
            self.edges_from_changed(file, &wanted).into_iter().for_each(&mut add);
        }
        let defs = |node: &NodeRef| if let NodeRef::Def(def) = node { Some(*def) } else { None };
        for def in wanted.iter().filter_map(defs) {
            self.confirmed_edges_to(def).into_iter().for_each(&mut add);
        }
        for def in frontier.iter().filter_map(defs).filter(|_| kinds.has(EdgeKind::Contains)) {
            let container = map.container(resolver, def);
            let edge =
                container.and_then(|from| map.edge_between(resolver, from, def.into(), EdgeKind::Contains));
            found.entry(def.into()).or_default().extend(edge);
        }
        found
    }

    /// Returns the edges from a changed file to any of some nodes, without containing.
    fn edges_from_changed(&self, file: FileId, targets: &FxHashSet<NodeRef>) -> Vec<Edge> {
        let kinds = self.query.kinds.without(EdgeKind::Contains);
        // Where nothing is renamed, few references need be looked at.
        let is_plain = self.map.index.entry(file).is_some_and(|entry| entry.lang().semantics().never_renames);
        match is_plain {
            true => self.map.edges_to_named(&self.resolver, file, targets, kinds),
            false => self.map.derived_edges_to_any(&self.passing, file, targets, kinds),
        }
    }

    /// Returns the edges to a definition from the nodes that have a confirmed use of it.
    fn confirmed_edges_to(&self, def: DefRef) -> Vec<Edge> {
        let uses = self.map.confirmed_uses(&self.resolver, def).into_iter();
        let sources: FxHashSet<(NodeRef, EdgeKind)> = uses
            .map(|(file, r)| (owner_node(file, r.owner), EdgeKind::for_ref_kind(r.kind())))
            .filter(|(_, kind)| self.query.kinds.has(*kind))
            .collect();
        let edge = |(from, kind)| self.map.edge_between(&self.resolver, from, def.into(), kind);
        sources.into_iter().filter_map(edge).collect()
    }

    /// Returns the edges that the skeleton has to the frontier, the best of each node in order, and the others.
    fn proposed_edges(
        &self,
        earlier: &Surroundings<'_>,
        frontier: &[NodeRef],
    ) -> Option<(Vec<SkeletonEdge>, Vec<SkeletonEdge>)> {
        if self.query.direction == Direction::Out {
            return Some((Vec::new(), Vec::new()));
        }
        let kinds = self.query.kinds.without(EdgeKind::Contains);
        let inward = &NeighborsQuery { direction: Direction::In, kinds, ..self.query.clone() };
        let known = frontier.iter().enumerate().filter(|(_, node)| self.has_users_in(earlier, **node));
        let (places, nodes): (Vec<usize>, Vec<NodeRef>) = known.map(|(at, node)| (at, *node)).unzip();
        let (visited, per_kind) = (&self.visited, self.per_kind());
        let asked = SurroundingsQuery { query: inward, nodes: &nodes, visited, per_kind };
        let (mut best, others) = earlier.around(&self.resolver, &asked)?;
        best.iter_mut().for_each(|line| line.via = places[line.via]);
        Some((best, others))
    }

    /// Returns a proposed edge as the map has it now; `None` if it is not there any more.
    fn check_proposed(&self, earlier: &Surroundings<'_>, line: SkeletonEdge) -> Option<FoundEdge> {
        let edge = earlier.computed_edge(&self.resolver, &self.passing, &line)?;
        Some(FoundEdge { via: line.via, edge, way: line.way })
    }

    /// Returns true if a proposed edge comes before a computed one.
    fn is_before(&self, earlier: &Surroundings<'_>, line: &SkeletonEdge, found: &FoundEdge) -> bool {
        // A node that is gone is passed over at once.
        let Some(far) = earlier.far_node(line) else { return true };
        let proposed = Connection { far, kind: line.kind, way: line.way };
        let order = self.compare_connections(&proposed, &found.connection());
        order.then(line.via.cmp(&found.via)).is_le()
    }
}
