//! Connections between two nodes.
//!
//! Asked one way, the answer is chains: who leads to whom, call by call (`chain.rs`). Asked either way at each step, it is a
//! shortest connection over resolved edges, whichever way they point, and the rest of this header is about that.
//!
//! The search runs over the graph as it was last derived ([`super::skeleton`], in `drawn.rs`), because that is a thousand times
//! quicker; each step of what it finds is then computed from the map as it is, and only that is answered. Where the two
//! disagree, where nothing is found though files have changed since, and before the first derivation, the search runs over
//! computed edges alone (`live.rs`), as far as a bound. While files have changed since the last derivation, a connection that is
//! found is one, but a shorter one that only the changes make might be missed.
//!
//! Packages outside are ends, never stations: that two functions both use `os` connects nothing.

mod ahead;
mod chain;
mod drawn;
mod links;
mod live;

use super::{Chain, Direction, EdgeKinds, Map, NodeRef, PathAnswer, PathQuery, PathStep};
use crate::resolve::Resolver;
use drawn::Drawn;
use live::step_of_edge;

/// A test of nodes: true if a connection may lead through the node.
pub type Admits<'a> = &'a dyn Fn(NodeRef) -> bool;

/// A search was given up before everything within reach was seen.
#[derive(Debug)]
struct GivenUp;

impl Map {
    /// The best connections between two nodes.
    #[must_use]
    pub fn path(&self, query: &PathQuery) -> PathAnswer {
        self.path_through(query, None)
    }

    /// As [`Self::path`], with stations that `admits` alone; the ends need not be.
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

    /// A shortest connection over edges in either direction. What was drawn knows nothing of what is admitted.
    fn shortest_connection(&self, query: &PathQuery, admits: Option<Admits<'_>>) -> PathAnswer {
        let drawn = if admits.is_none() { self.searched_drawn(query) } else { Drawn::Unknown };
        let steps = match drawn {
            Drawn::Found(stations) => self.steps_along(&stations, query.kinds).map(Some),
            Drawn::Nothing => return PathAnswer::default(),
            Drawn::Unknown => None,
        };
        match steps.map_or_else(|| self.searched_live(query, admits), Ok) {
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

    /// The steps between stations as the map has them now; `None` if two are not connected any more.
    fn steps_along(&self, stations: &[NodeRef], kinds: EdgeKinds) -> Option<Vec<PathStep>> {
        let resolver = Resolver::new(&self.index);
        stations.windows(2).map(|pair| self.step_between(&resolver, pair[0], pair[1], kinds)).collect()
    }

    /// The surest step from one node to another.
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

/// The same connections from their other end.
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
