//! Takes the steps of a walk to neighbours that an up-to-date skeleton shortens.
//!
//! At the first step the skeleton selects the users that may be shown, and a search finds only what it leaves open. Farther
//! steps take its edges as they are, and compute those that have open uses.

use rustc_hash::FxHashSet;

use super::NeighborWalk;
use crate::graph::inbound::{Inbound, KnownUsers, UsersQuery};
use crate::graph::surroundings::{SkeletonEdge, Surroundings, SurroundingsQuery};
use crate::graph::{DefRef, Direction, Edge, EdgeKind, NeighborsQuery, NodeRef};

impl NeighborWalk<'_> {
    /// Takes one step over the skeleton, if it is up to date. Returns `None`, and shows nothing, if the skeleton does not suffice.
    pub(super) fn step_over_skeleton(&mut self, frontier: &[NodeRef], depth: u32) -> Option<()> {
        let surroundings = self.surroundings.as_ref()?;
        let (query, visited, per_kind) = (self.query, &self.visited, self.per_kind());
        let asked = SurroundingsQuery { query, nodes: frontier, visited, per_kind };
        let (mut best, others) = surroundings.around(&self.resolver, &asked)?;
        let mut met = FxHashSet::default();
        best.retain(|line| {
            let key = surroundings.far_node(line).map(|node| (node, line.kind, line.way, true));
            met.insert((line.far, line.kind, line.way)) && key.is_some_and(|key| !self.keys.contains(&key))
        });
        let places = self.query.max_nodes.saturating_sub(self.shown.len());
        if best.len() < places {
            // Unresolved edges may have a place too.
            return None;
        }
        let (mut shown, mut looked_at) = (Vec::new(), 0);
        while shown.len() < places {
            query.cancel.check().ok()?;
            let drawn = best.get(looked_at)?;
            looked_at += 1;
            // If the map has no such edge, the next one has its place.
            shown.extend(surroundings.checked_edge(&self.resolver, drawn).map(|edge| (edge, *drawn)));
        }
        for (edge, line) in shown {
            let via = frontier[line.via];
            let edge = if line.way == Direction::In { Edge { to: via, ..edge } } else { edge };
            self.add_neighbor(via, depth, edge, line.way);
        }
        self.unresolved_left = true;
        let left = best.iter().skip(looked_at).chain(&others);
        left.for_each(|line| self.lines_left_out.insert(line.far, line.kind, line.way));
        Some(())
    }

    /// Returns the edges around a node and its family, or `None` if the skeleton does not suffice. Of the resolved
    /// edges that end there, it returns those from the nodes that may be shown, which the skeleton selects.
    pub(super) fn edges_by_skeleton(
        &mut self,
        node: NodeRef,
        kin: &[NodeRef],
    ) -> Option<Vec<(Edge, Direction)>> {
        let surroundings = self.surroundings.as_ref().filter(|_| self.query.direction != Direction::Out)?;
        let (per_kind, visited) = (self.per_kind(), &self.visited);
        let inward = &NeighborsQuery { direction: Direction::In, ..self.query.clone() };
        let asked = SurroundingsQuery { query: inward, nodes: &[node], visited, per_kind };
        let (mut best, mut others) = surroundings.around(&self.resolver, &asked)?;
        if !kin.is_empty() {
            let users = &NeighborsQuery { kinds: inward.kinds.of_users(), ..inward.clone() };
            let asked = SurroundingsQuery { query: users, nodes: kin, visited, per_kind };
            let (of_kin, more) = surroundings.around(&self.resolver, &asked)?;
            best.extend(of_kin);
            others.extend(more);
        }
        let found = match node {
            NodeRef::Def(def) => {
                let mut found = self.selected_edges_in(surroundings, def, kin, &best)?;
                let are_all = self.add_unfound(surroundings, def, &best, &mut found)?;
                if !are_all && !others.is_empty() {
                    // Others have the place of those that are none.
                    return None;
                }
                found
            }
            NodeRef::File(_) | NodeRef::External(_) => {
                self.selected_edges_in_file(surroundings, node, &best)?
            }
        };
        self.stopped = self.stopped.or(found.stopped);
        self.is_cut |= found.is_cut;
        let mut edges: Vec<(Edge, Direction)> =
            found.edges.into_iter().map(|edge| (edge, Direction::In)).collect();
        if self.query.direction == Direction::Both {
            let out = self.map.edges_out_with(&self.resolver, node, self.query.kinds);
            edges.extend(out.into_iter().map(|edge| (edge, Direction::Out)));
        }
        others.iter().for_each(|line| self.lines_left_out.insert(line.far, line.kind, line.way));
        Some(edges)
    }

    /// Returns the edges from the far ends of selected edges of the skeleton to a definition, its family and the
    /// definition that it announces, and the unresolved ones; `None` if the skeleton does not have one of them. A search
    /// need not find the selected edges all of whose uses are open.
    fn selected_edges_in(
        &self,
        surroundings: &Surroundings<'_>,
        def: DefRef,
        kin: &[NodeRef],
        selected: &[SkeletonEdge],
    ) -> Option<Inbound> {
        let (kinds, cancel) = (self.query.kinds, &self.query.cancel);
        let body = self.map.body_beside(&self.resolver, def.into());
        let edges = surroundings.known_edges(selected)?;
        let (of_body, own): (Vec<_>, Vec<_>) = edges.into_iter().partition(|edge| Some(edge.to) == body);
        let known = |of: DefRef, edges: Vec<Edge>| {
            let open_uses = surroundings.open_uses(of, edges.iter().map(|edge| edge.from));
            Some(KnownUsers { edges, open_uses })
        };
        let query = UsersQuery { def, kin, known: known(def, own), kinds, most_files: usize::MAX };
        let mut found = self.map.users_of(&self.resolver, query, cancel);
        if let Some(NodeRef::Def(body)) = body {
            let kinds = kinds.without(EdgeKind::Contains);
            let query = UsersQuery {
                def: body,
                kin: &[],
                known: known(body, of_body),
                kinds,
                most_files: usize::MAX,
            };
            let of_body = self.map.users_of(&self.resolver, query, cancel);
            let edges = of_body.edges.into_iter().map(|edge| Edge { to: def.into(), ..edge }).collect();
            found.merge(Inbound { edges, ..of_body });
        }
        Some(found)
    }

    /// Adds the selected edges that a search did not find, computed. Returns false if the map does not have one of them,
    /// and `None` if the skeleton does not. Following values backwards meets a bound where following them forwards, as
    /// derivations do, does not.
    fn add_unfound(
        &self,
        surroundings: &Surroundings<'_>,
        def: DefRef,
        selected: &[SkeletonEdge],
        found: &mut Inbound,
    ) -> Option<bool> {
        let resolved = found.edges.iter().filter(|edge| edge.is_resolved());
        let mut resolved: FxHashSet<_> = resolved.map(|edge| (edge.from, edge.to, edge.kind)).collect();
        let body = self.map.body_beside(&self.resolver, def.into());
        let mut are_all = true;
        for (drawn, edge) in selected.iter().zip(surroundings.known_edges(selected)?) {
            let to = if Some(edge.to) == body { def.into() } else { edge.to };
            if found.stopped.is_some() || !resolved.insert((edge.from, to, edge.kind)) {
                continue;
            }
            found.stopped = self.query.cancel.check().err();
            let computed = surroundings.checked_edge(&self.resolver, drawn);
            are_all &= computed.is_some();
            found.edges.extend(computed.map(|edge| Edge { to, ..edge }));
        }
        Some(are_all)
    }

    /// Returns the edges from the far ends of selected edges of the skeleton to a file or package, and the unresolved
    /// links to it; `None` if the map does not have one of them.
    fn selected_edges_in_file(
        &self,
        surroundings: &Surroundings<'_>,
        node: NodeRef,
        selected: &[SkeletonEdge],
    ) -> Option<Inbound> {
        let cancel = &self.query.cancel;
        let edges = selected.iter().map(|drawn| surroundings.checked_edge(&self.resolver, drawn));
        let edges = edges.collect::<Option<Vec<_>>>()?;
        let mut found = Inbound { edges, ..Inbound::default() };
        if self.query.kinds.has(EdgeKind::References) {
            let (links, stopped) = self.map.links_to(&self.resolver, node, cancel);
            found.edges.extend(links.into_iter().filter(|edge| !edge.is_resolved()));
            found.stopped = stopped;
        }
        Some(found)
    }
}
