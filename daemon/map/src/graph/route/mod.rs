//! Finds connections between two nodes.
//!
//! In one direction, the answer is chains of calls or other edges (`chain.rs`). In either direction at each step, it is
//! a shortest connection over resolved edges, which the rest of this header describes.
//!
//! The search runs over the skeleton of the last derivation ([`super::skeleton`], in `skeleton_search.rs`), because that is a
//! thousand times quicker. Each step of the result is then computed from the map as it is, and only computed steps are
//! answered. If the two disagree, if nothing is found though files have changed since, and before the first derivation,
//! the search runs over computed edges alone (`live.rs`), up to a bound. While files have changed since the last
//! derivation, every connection found is right, but a shorter one that only the changes make may be missed.
//!
//! Packages outside are ends, never stations: two functions are not connected because both use `os`.

mod ahead;
mod chain;
mod links;
mod live;
mod skeleton_search;

use super::{Chain, Direction, EdgeKinds, Map, NodeRef, PathAnswer, PathQuery, PathStep};
use crate::resolve::Resolver;
use live::step_of_edge;
use skeleton_search::SkeletonOutcome;

/// A test of nodes: true if a connection may lead through the node.
pub type Admits<'a> = &'a dyn Fn(NodeRef) -> bool;

/// Signals that a search was given up before everything within reach was seen.
#[derive(Debug)]
struct GivenUp;

impl Map {
    /// Returns the best connections between two nodes.
    #[must_use]
    pub fn path(&self, query: &PathQuery) -> PathAnswer {
        self.path_through(query, None)
    }

    /// Finds connections as [`Self::path`] does, through stations that `admits` accepts; the ends are exempt.
    #[must_use]
    pub fn path_through(&self, query: &PathQuery, admits: Option<Admits<'_>>) -> PathAnswer {
        match query.direction {
            Direction::Out => self.find_chains(query, admits),
            Direction::In => {
                let (from, to) = (query.to, query.from);
                let other = PathQuery { from, to, direction: Direction::Out, ..query.clone() };
                turned_answer(self.find_chains(&other, admits))
            }
            Direction::Both => self.shortest_connection(query, admits),
        }
    }

    /// Finds a shortest connection over edges in either direction. With `admits` it cannot use the skeleton.
    fn shortest_connection(&self, query: &PathQuery, admits: Option<Admits<'_>>) -> PathAnswer {
        let outcome = if admits.is_none() { self.search_skeleton(query) } else { SkeletonOutcome::Unknown };
        let steps = match outcome {
            SkeletonOutcome::Found(stations) => self.steps_along(&stations, query.kinds).map(Some),
            SkeletonOutcome::Nothing => return PathAnswer::default(),
            SkeletonOutcome::Unknown => None,
        };
        match steps.map_or_else(|| self.search_computed_edges(query, admits), Ok) {
            Ok(Some(steps)) => {
                PathAnswer { chains: vec![self.chain_of_steps(query.from, steps)], ..PathAnswer::default() }
            }
            Ok(None) => PathAnswer::default(),
            Err(GivenUp) => PathAnswer { incomplete: true, ..PathAnswer::default() },
        }
    }

    fn chain_of_steps(&self, from: NodeRef, steps: Vec<PathStep>) -> Chain {
        let stations = std::iter::once(from).chain(steps.iter().map(|step| step.to));
        let nodes = stations.filter_map(|node| self.info(node)).collect();
        Chain { nodes, steps }
    }

    /// Returns the steps between stations in the map as it is now; `None` if two are no longer connected.
    fn steps_along(&self, stations: &[NodeRef], kinds: EdgeKinds) -> Option<Vec<PathStep>> {
        let resolver = Resolver::new(&self.index);
        stations.windows(2).map(|pair| self.step_between(&resolver, pair[0], pair[1], kinds)).collect()
    }

    /// Returns the surest step from one node to another.
    fn step_between(
        &self,
        resolver: &Resolver<'_>,
        from: NodeRef,
        to: NodeRef,
        kinds: EdgeKinds,
    ) -> Option<PathStep> {
        let steps = [(from, to, Direction::Out), (to, from, Direction::In)].map(|(start, end, way)| {
            let edges = self.edges_out_with(resolver, start, kinds).into_iter();
            edges
                .filter(move |edge| edge.is_resolved() && edge.to == end)
                .map(move |edge| step_of_edge(&edge, way))
        });
        steps.into_iter().flatten().min_by_key(|step| (step.confidence, step.kind))
    }
}

/// Returns the connections as seen from their other end.
fn turned_answer(answer: PathAnswer) -> PathAnswer {
    let back = |step: PathStep| PathStep { from: step.to, to: step.from, direction: Direction::In, ..step };
    let chains = answer.chains.into_iter().map(|chain| Chain {
        nodes: chain.nodes.into_iter().rev().collect(),
        steps: chain.steps.into_iter().rev().map(back).collect(),
    });
    let reached = answer.reached.map(|reached| super::Reached {
        from: reached.to,
        to: reached.from,
        nearest: reached.nearest.map(|(near, far)| (far, near)),
        entries: reached.entries,
    });
    PathAnswer { chains: chains.collect(), reached, ..answer }
}
