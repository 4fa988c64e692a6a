//! Estimates what is left of a chain from each node, for ends to which no sure way leads.
//!
//! A search from the start alone would go through everything that the start may reach by guesses before it could say
//! that there is no chain. This search goes backwards from the end, cheapest nodes first (Dijkstra), over the edges of the
//! skeleton and over those that only a query for one node finds, guesses and calls through values. If it comes to an end
//! without reaching the start, no chain exists. Otherwise its costs guide the search from the start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use hob_base::{CancelToken, Deadline};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ahead::Ahead;
use super::links::{GUESSED, SURE};
use crate::graph::family::Families;
use crate::graph::{EdgeKind, EdgeKinds, Map, NodeRef, PathQuery};
use crate::resolve::Resolver;

/// The time that an estimate may take. Ends that few places lead to are done in a part of it; ends with a common name
/// are led to by half of a project, which this search would go through no faster than the one from the start.
const PATIENCE: Duration = Duration::from_millis(150);

/// Most nodes whose uses are searched.
const MOST: usize = 100;

/// The least costs of chains from nodes to the end.
#[derive(Debug)]
pub(super) struct Estimate {
    costs: FxHashMap<NodeRef, u32>,
    /// The least cost of a chain from any other node; `None` if no chain starts at another node.
    beyond: Option<u32>,
}

impl Estimate {
    /// Returns the least cost of a chain from a node; `None` if there is none.
    pub(super) fn cost_from(&self, node: NodeRef) -> Option<u32> {
        self.costs.get(&node).copied().or(self.beyond)
    }
}

impl Map {
    /// Estimates the chains from `starts`. Returns `None` if a sure way leads from one of them, if edges other than calls
    /// and references are followed, or if the map is no longer that of the derivation.
    pub(super) fn estimate_chains(
        &self,
        families: &Families<'_, '_>,
        starts: &[NodeRef],
        ahead: &Ahead,
        query: &PathQuery,
    ) -> Option<Estimate> {
        let estimated: EdgeKinds = [EdgeKind::Calls, EdgeKind::References].into_iter().collect();
        let is_estimated = EdgeKind::ALL.iter().all(|kind| !query.kinds.has(*kind) || estimated.has(*kind));
        let has_sure_way = starts.iter().any(|start| ahead.steps.contains_key(start));
        if !is_estimated || has_sure_way || !ahead.is_whole || !self.confirmed.is_empty() {
            return None;
        }
        let mut open = BinaryHeap::new();
        open.extend(ahead.steps.iter().map(|(node, steps)| Reverse((steps * SURE, *node))));
        let cancel = query.cancel.with_deadline(Deadline::after(PATIENCE));
        let search = EstimateSearch {
            map: families.parts().0,
            families,
            query,
            cancel,
            costs: FxHashMap::default(),
            settled: FxHashSet::default(),
            expanded: 0,
            open,
        };
        Some(search.run(starts))
    }
}

struct EstimateSearch<'a, 's, 'm> {
    map: &'m Map,
    families: &'a Families<'s, 'm>,
    query: &'a PathQuery,
    cancel: CancelToken,
    costs: FxHashMap<NodeRef, u32>,
    settled: FxHashSet<NodeRef>,
    expanded: usize,
    open: BinaryHeap<Reverse<(u32, NodeRef)>>,
}

impl EstimateSearch<'_, '_, '_> {
    fn run(mut self, starts: &[NodeRef]) -> Estimate {
        while let Some(Reverse((cost, node))) = self.open.pop() {
            if !self.settled.insert(node) {
                continue;
            }
            self.note_cost(node, cost);
            if starts.contains(&node) || self.expanded >= MOST || !self.expand(node, cost) {
                return Estimate { costs: self.costs, beyond: Some(cost) };
            }
            self.expanded += 1;
        }
        Estimate { costs: self.costs, beyond: None }
    }

    fn note_cost(&mut self, node: NodeRef, cost: u32) {
        let known = self.costs.entry(node).or_insert(cost);
        *known = (*known).min(cost);
    }

    /// Adds the nodes that lead to a node; returns false if time ran out.
    fn expand(&mut self, node: NodeRef, cost: u32) -> bool {
        let (map, resolver) = self.families.parts();
        let mut named = map.named_for(resolver, self.families, node);
        named.push(node);
        for end in named {
            self.note_cost(end, cost);
            self.add_sure_sources(node, end, cost);
            if !self.add_other_sources(resolver, end, cost) {
                return false;
            }
        }
        true
    }

    fn add_sure_sources(&mut self, node: NodeRef, end: NodeRef, cost: u32) {
        let Some(skeleton) = &self.map.standing.skeleton else { return };
        let Some(number) = skeleton.node_number(end) else { return };
        for (kind, from) in skeleton.edges(number, true) {
            if self.query.kinds.has(kind) || self.map.is_nesting(self.query, kind, node) {
                self.open.extend(skeleton.node(from).map(|from| Reverse((cost + SURE, from))));
            }
        }
    }

    /// Adds the sources of the edges that the skeleton lacks; returns false if time ran out.
    fn add_other_sources(&mut self, resolver: &Resolver<'_>, end: NodeRef, cost: u32) -> bool {
        let Some(skeleton) = &self.map.standing.skeleton else { return false };
        let found = self.map.unresolved_in(resolver, end, &[], skeleton, self.query.kinds, &self.cancel);
        for edge in found.edges {
            let step = if edge.is_resolved() { SURE } else { GUESSED };
            self.open.push(Reverse((cost + step, edge.from)));
        }
        found.stopped.is_none()
    }
}
