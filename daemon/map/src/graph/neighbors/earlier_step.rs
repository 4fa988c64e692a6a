//! Takes a step of a walk to neighbours while the skeleton is of an earlier state of the map.
//!
//! Edges are derived anew only after a pause, which is minutes in a large project whose files are being edited. Until then
//! a search for all users of fifty nodes would take seconds. So the skeleton proposes who uses them, and each proposed edge
//! is computed before it is shown. Edges that start at the queried nodes or in changed files are found anyway. What the
//! step lacks are uses in unchanged files that mean something else since, because another file has changed:
//! [`FartherUsers::Earlier`](crate::graph::FartherUsers::Earlier) tells. It also lacks what a step over an up-to-date
//! skeleton lacks: calls of parameters, and unresolved edges.

use std::rc::Rc;

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Connection, FoundEdge, NeighborIdentity, NeighborWalk};
use crate::graph::derived_uses::FoundUse;
use crate::graph::outbound::owner_node;
use crate::graph::surroundings::{SkeletonEdge, Surroundings, SurroundingsQuery};
use crate::graph::{DefRef, Direction, Edge, EdgeKind, NeighborsQuery, NodeRef};

/// The edges that a step over an earlier skeleton found.
#[derive(Default)]
pub(super) struct EarlierStep {
    /// The best resolved edges, in the order of the answer, at most as many as there are places for.
    pub(super) found: Vec<FoundEdge>,
    /// The others that are computed.
    pub(super) left_out: Vec<NeighborIdentity>,
    /// The others that are proposed.
    pub(super) lines_left_out: Vec<SkeletonEdge>,
}

impl NeighborWalk<'_> {
    /// Takes a step over the earlier skeleton; finds nothing if there is none.
    pub(super) fn earlier_step(&mut self, frontier: &[NodeRef]) -> EarlierStep {
        let Some(earlier) = self.earlier else { return EarlierStep::default() };
        let unproposed = self.unproposed_edges(&earlier, frontier);
        let (proposed, others) = self.proposed_edges(&earlier, frontier).unwrap_or_default();
        let places = self.query.max_nodes.saturating_sub(self.shown.len());
        let mut step = EarlierStep { lines_left_out: others, ..EarlierStep::default() };
        let mut met = FxHashSet::default();
        let mut group_sizes: FxHashMap<(usize, EdgeKind, Direction), usize> = FxHashMap::default();
        let mut unproposed = unproposed.into_iter().peekable();
        let mut proposed = proposed.into_iter().peekable();
        while step.found.len() < places && self.query.cancel.check().is_ok() {
            let takes_proposed = match (unproposed.peek(), proposed.peek()) {
                (None, None) => break,
                (found, Some(line)) => found.is_none_or(|found| self.is_before(&earlier, line, found)),
                (Some(_), None) => false,
            };
            let found = match takes_proposed {
                true => proposed.next().and_then(|line| self.check_proposal(&earlier, &line, frontier, &met)),
                false => unproposed.next(),
            };
            let is_new =
                |found: &FoundEdge| !self.is_known(frontier[found.via], found.seen_connection(), &met);
            let Some(found) = found.filter(is_new) else { continue };
            met.insert(found.seen_connection());
            let group = group_sizes.entry((found.via, found.edge.kind, found.way)).or_default();
            if *group < self.per_kind() {
                *group += 1;
                step.found.push(found);
            } else {
                step.left_out.push(found.seen_connection().neighbor_identity());
            }
        }
        if let Err(stopped) = self.query.cancel.check() {
            // What is computed is shown.
            self.stopped = self.stopped.or(Some(stopped));
            step.found.extend(unproposed);
        } else {
            step.left_out.extend(unproposed.map(|found| found.seen_connection().neighbor_identity()));
        }
        step.lines_left_out.extend(proposed);
        step
    }

    /// Returns true if a connection of a node is shown already, in this step or before.
    fn is_known(&self, via: NodeRef, seen: Connection, met: &FxHashSet<Connection>) -> bool {
        // A recursive function is its own caller.
        let was_visited = self.visited.contains(&seen.far) && seen.far != via;
        was_visited || self.keys.contains(&seen.neighbor_identity()) || met.contains(&seen)
    }

    /// Returns the resolved edges around the frontier that need no proposal, best first: those that start there or in changed
    /// files, and confirmed ones, and all around nodes that the skeleton does not have.
    fn unproposed_edges(&mut self, earlier: &Surroundings<'_>, frontier: &[NodeRef]) -> Vec<FoundEdge> {
        let mut inward = self.edges_from_changes(frontier);
        let mut found = Vec::new();
        for (via, &node) in frontier.iter().enumerate() {
            let best = if self.has_number(earlier, node) {
                let inward = inward.remove(&node).unwrap_or_default().into_iter();
                let mut edges: Vec<(Edge, Direction)> = inward.map(|edge| (edge, Direction::In)).collect();
                if self.query.direction != Direction::In {
                    let out = self.map.edges_out_with(&self.resolver, node, self.query.kinds);
                    edges.extend(out.into_iter().map(|edge| (edge, Direction::Out)));
                }
                self.best_of(node, edges)
            } else {
                self.best_edges_around(node, Vec::new())
            };
            let resolved = best.into_iter().filter(|(edge, _)| edge.is_resolved());
            found.extend(resolved.map(|(edge, way)| FoundEdge { via, edge, way }));
        }
        found.sort_by(|a, b| self.compare(&a.edge, a.way, &b.edge, b.way));
        found
    }

    /// Returns true if the skeleton has a node, and the definition that it announces, if it announces one.
    fn has_number(&self, earlier: &Surroundings<'_>, node: NodeRef) -> bool {
        let body = self.map.body_beside(&self.resolver, node);
        [Some(node), body].into_iter().flatten().all(|node| earlier.node_number(node).is_some())
    }

    /// Returns, for each node of the frontier, the edges that lead there from changed files, from its container, and by
    /// confirmed uses.
    fn edges_from_changes(&mut self, frontier: &[NodeRef]) -> FxHashMap<NodeRef, Vec<Edge>> {
        let mut found: FxHashMap<NodeRef, Vec<Edge>> = FxHashMap::default();
        // Uses resolve to the definition that a declaration announces.
        let mut targets: FxHashMap<NodeRef, Vec<NodeRef>> = FxHashMap::default();
        for &node in frontier {
            let body = self.map.body_beside(&self.resolver, node);
            [Some(node), body]
                .into_iter()
                .flatten()
                .for_each(|end| targets.entry(end).or_default().push(node));
        }
        let wanted: FxHashSet<NodeRef> = targets.keys().copied().collect();
        let mut edges = self.edges_from_changed_files(&wanted);
        let defs = |node: &NodeRef| if let NodeRef::Def(def) = node { Some(*def) } else { None };
        edges.extend(wanted.iter().filter_map(defs).flat_map(|def| self.confirmed_edges_to(def)));
        let mut met = FxHashSet::default();
        edges.retain(|edge| met.insert((edge.from, edge.to, edge.kind)));
        for edge in edges {
            for &node in targets.get(&edge.to).into_iter().flatten() {
                found.entry(node).or_default().push(Edge { to: node, ..edge.clone() });
            }
        }
        for def in frontier.iter().filter_map(defs).filter(|_| self.query.kinds.has(EdgeKind::Contains)) {
            let container = self.map.container(&self.resolver, def);
            let edge = |from| self.map.edge_between(&self.resolver, from, def.into(), EdgeKind::Contains);
            found.entry(def.into()).or_default().extend(container.and_then(edge));
        }
        found
    }

    /// Returns the edges from changed files to any of some nodes, without containing.
    fn edges_from_changed_files(&mut self, targets: &FxHashSet<NodeRef>) -> Vec<Edge> {
        let kinds = self.query.kinds.without(EdgeKind::Contains);
        let is_wanted = |one: &&FoundUse| targets.contains(&one.to) && kinds.has(one.kind);
        let uses: Vec<FoundUse> = self.uses_in_changed_files().iter().filter(is_wanted).copied().collect();
        let mut edges = self.map.edges_of_uses(&self.resolver, &uses);
        let plain = self.map.standing.changed.iter().filter(|file| self.is_plain(**file));
        for &file in plain.take_while(|_| self.query.cancel.check().is_ok()) {
            edges.extend(self.map.edges_to_named(&self.resolver, file, targets, kinds));
        }
        edges
    }

    /// Returns true if the language of a file never renames, so that a few references need be looked at.
    fn is_plain(&self, file: FileId) -> bool {
        self.map.index.entry(file).is_some_and(|entry| entry.lang().semantics().never_renames)
    }

    /// Returns the uses in the changed files of other languages, sorted; found once for all steps.
    fn uses_in_changed_files(&mut self) -> Rc<[FoundUse]> {
        if let Some(known) = &self.changed_uses {
            return Rc::clone(known);
        }
        let go_on = || self.query.cancel.check().is_ok();
        let mut uses = Vec::new();
        for &file in self.map.standing.changed.iter().filter(|file| !self.is_plain(**file)) {
            uses.extend(self.map.uses_in_file(&self.passing, file, &go_on));
        }
        uses.sort_unstable();
        self.stopped = self.stopped.or(self.query.cancel.check().err());
        let uses: Rc<[FoundUse]> = uses.into();
        self.changed_uses = Some(Rc::clone(&uses));
        uses
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
        let kinds = self.query.kinds.without(EdgeKind::Contains);
        let inward = &NeighborsQuery { direction: Direction::In, kinds, ..self.query.clone() };
        let known = frontier.iter().enumerate().filter(|(_, node)| self.has_number(earlier, **node));
        let (places, nodes): (Vec<usize>, Vec<NodeRef>) = known.map(|(at, node)| (at, *node)).unzip();
        let (visited, per_kind) = (&self.visited, self.per_kind());
        let asked = SurroundingsQuery { query: inward, nodes: &nodes, visited, per_kind };
        let (mut best, others) = earlier.around(&self.resolver, &asked)?;
        best.iter_mut().for_each(|line| line.via = places[line.via]);
        Some((best, others))
    }

    /// Returns a proposed edge as the map has it now; `None` if it is shown already, or no longer there.
    fn check_proposal(
        &self,
        earlier: &Surroundings<'_>,
        line: &SkeletonEdge,
        frontier: &[NodeRef],
        met: &FxHashSet<Connection>,
    ) -> Option<FoundEdge> {
        let (via, way) = (line.via, line.way);
        let seen = Connection { far: earlier.far_node(line)?, kind: line.kind, way };
        if self.is_known(frontier[via], seen, met) {
            return None;
        }
        let edge = earlier.computed_edge(&self.resolver, &self.passing, line)?;
        Some(FoundEdge { via, edge: Edge { to: frontier[via], ..edge }, way })
    }

    /// Returns true if a proposed edge comes before a computed one.
    fn is_before(&self, earlier: &Surroundings<'_>, line: &SkeletonEdge, found: &FoundEdge) -> bool {
        // A node that is gone is passed over at once.
        let Some(far) = earlier.far_node(line) else { return true };
        let proposed = Connection { far, kind: line.kind, way: line.way };
        let order = self.compare_connections(&proposed, &found.seen_connection());
        order.then(line.via.cmp(&found.via)).is_le()
    }
}
