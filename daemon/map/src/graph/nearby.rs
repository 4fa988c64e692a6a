//! Finds the nodes near some nodes by personalised PageRank over the skeleton of the last derivation.
//!
//! It uses forward push (Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006): the
//! work depends on the precision of the answer, not on the size of the graph, and a hub whose thousand neighbours would
//! each get next to nothing is never expanded. Edges are followed either way, weighted by how much they say about a
//! topic: a call says more than an import. Walks do not pass through packages outside; nodes of files that have changed
//! since are neither seeds nor results.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::skeleton::Skeleton;
use super::{EdgeKind, Map, NodeRef};

/// Probability, at each step, that a walk begins anew.
const RESTART: f64 = 0.25;
/// Most rank that may stay undistributed at a node, for each unit of its edges.
const PRECISION: f64 = 2e-5;

impl Map {
    /// Returns true if there is a skeleton, which the first derivation makes.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.standing.skeleton.is_some()
    }

    /// Returns the nodes that random walks from `seeds` visit, with their shares of the visits, best first; the shares
    /// sum to at most one. Empty until the first derivation.
    #[must_use]
    pub fn nearby_nodes(&self, seeds: &[(NodeRef, f64)]) -> Vec<(NodeRef, f64)> {
        let Some(skeleton) = &self.standing.skeleton else { return Vec::new() };
        let is_current =
            |node: &NodeRef| node.file().is_some_and(|file| !self.standing.changed.contains(&file));
        let starts = seeds.iter().filter(|(node, weight)| *weight > 0.0 && is_current(node));
        let numbered: Vec<(u32, f64)> =
            starts.filter_map(|(node, weight)| Some((skeleton.node_number(*node)?, *weight))).collect();
        let mut walk = RankWalk::new(skeleton);
        walk.start(&numbered);
        walk.run();
        let mut found: Vec<(u32, f64)> = walk.rank.into_iter().collect();
        found.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        let named = found.into_iter().filter_map(|(number, rank)| Some((skeleton.node(number)?, rank)));
        named.filter(|(node, _)| is_current(node)).collect()
    }
}

/// Returns the weight with which an edge suggests that its ends are about the same topic.
fn topic_weight(kind: EdgeKind) -> f64 {
    match kind {
        EdgeKind::Calls | EdgeKind::Extends | EdgeKind::Implements => 1.0,
        EdgeKind::Contains => 0.5,
        EdgeKind::References => 0.4,
        EdgeKind::Imports | EdgeKind::Exports => 0.3,
    }
}

struct RankWalk<'s> {
    skeleton: &'s Skeleton,
    rank: FxHashMap<u32, f64>,
    /// The rank that has arrived at a node and was not passed on.
    rest: FxHashMap<u32, f64>,
    /// The sum of the weights of each node's edges.
    sums: FxHashMap<u32, f64>,
    waiting: VecDeque<u32>,
}

impl<'s> RankWalk<'s> {
    fn new(skeleton: &'s Skeleton) -> Self {
        let (rank, rest) = (FxHashMap::default(), FxHashMap::default());
        Self { skeleton, rank, rest, sums: FxHashMap::default(), waiting: VecDeque::new() }
    }

    fn start(&mut self, seeds: &[(u32, f64)]) {
        let total: f64 = seeds.iter().map(|(_, weight)| weight).sum();
        for (node, weight) in seeds {
            self.add_rank(*node, weight / total);
        }
    }

    fn run(&mut self) {
        while let Some(node) = self.waiting.pop_front() {
            let rest = std::mem::take(self.rest.entry(node).or_default());
            *self.rank.entry(node).or_default() += RESTART * rest;
            let sum = self.sum(node);
            if sum == 0.0 {
                continue;
            }
            let share = (1.0 - RESTART) * rest / sum;
            let skeleton = self.skeleton;
            for (kind, end) in inside_edges(skeleton, node) {
                self.add_rank(end, share * topic_weight(kind));
            }
        }
    }

    /// Adds rank to a node. The node enters the queue once, when its rest exceeds what may stay there.
    fn add_rank(&mut self, node: u32, amount: f64) {
        let most = PRECISION * self.sum(node).max(1.0);
        let rest = self.rest.entry(node).or_default();
        let before = *rest;
        *rest += amount;
        if before <= most && *rest > most {
            self.waiting.push_back(node);
        }
    }

    fn sum(&mut self, node: u32) -> f64 {
        let skeleton = self.skeleton;
        *self
            .sums
            .entry(node)
            .or_insert_with(|| inside_edges(skeleton, node).map(|(kind, _)| topic_weight(kind)).sum())
    }
}

/// Yields the edges of a node, either way, whose other ends are nodes of the workspace.
fn inside_edges(skeleton: &Skeleton, node: u32) -> impl Iterator<Item = (EdgeKind, u32)> + '_ {
    let inside = move |(_, end): &(EdgeKind, u32)| (*end as usize) < skeleton.len();
    skeleton.edges(node, false).chain(skeleton.edges(node, true)).filter(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{derived_map, lookup_node};

    const FIXTURE: &str = "\
//- /pair.py
from store import save

def pair(device):
    check(device)
    save(device)

def check(device):
    pass
//- /store.py
def save(thing):
    write(thing)

def write(thing):
    pass
//- /other.py
def alone():
    return far()

def far():
    pass
";

    fn nearby_names(map: &Map, seed: &str) -> Vec<(String, f64)> {
        let found = map.nearby_nodes(&[(lookup_node(map, seed), 1.0)]);
        let name = |node: NodeRef| map.info(node).map(|info| info.name).unwrap_or_default();
        found.into_iter().map(|(node, rank)| (name(node), rank)).collect()
    }

    #[test]
    fn what_is_called_is_nearer_than_what_that_calls_and_strangers_are_not_near() {
        let map = derived_map(FIXTURE);
        let near = nearby_names(&map, "pair");
        let place = |name: &str| near.iter().position(|(near, _)| near == name);
        assert_eq!(place("pair"), Some(0), "{near:?}");
        assert!(place("save") < place("write") && place("write").is_some(), "{near:?}");
        assert!(place("alone").is_none() && place("far").is_none(), "{near:?}");
        let total: f64 = near.iter().map(|(_, rank)| rank).sum();
        assert!(total > 0.5 && total <= 1.0 + 1e-9, "{total}");
    }

    #[test]
    fn without_a_drawn_graph_nothing_is_near() {
        assert!(Map::new().nearby_nodes(&[]).is_empty());
    }
}
