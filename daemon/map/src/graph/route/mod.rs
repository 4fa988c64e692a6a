//! A shortest connection between two nodes, over resolved edges, whichever way they point.
//!
//! The search runs over the graph as it was last derived ([`super::skeleton`], in `drawn.rs`), because that is a thousand times
//! quicker; each step of what it finds is then computed from the map as it is, and only that is answered. Where the two
//! disagree, where nothing is found though files have changed since, and before the first derivation, the search runs over
//! computed edges alone (`live.rs`), as far as a bound. While files have changed since the last derivation, a connection that is
//! found is one, but a shorter one that only the changes make might be missed.
//!
//! Packages outside are ends, never stations: that two functions both use `os` connects nothing.

mod drawn;
mod live;

use super::{Direction, EdgeKind, EdgeKinds, Map, NodeRef, PathAnswer, PathQuery, PathStep};
use crate::resolve::Resolver;
use drawn::Drawn;
use live::step;

/// A search was given up before everything within reach was seen.
#[derive(Debug)]
struct GivenUp;

impl Map {
    /// A shortest connection between two nodes, over edges in either direction.
    #[must_use]
    pub fn path(&self, query: &PathQuery) -> PathAnswer {
        let kinds = if query.include_references {
            EdgeKinds::ALL
        } else {
            EdgeKinds::ALL.without(EdgeKind::References)
        };
        let steps = match self.searched_drawn(query) {
            Drawn::Found(stations) => self.steps_along(&stations, kinds).map(Some),
            Drawn::Nothing => return PathAnswer::default(),
            Drawn::Unknown => None,
        };
        match steps.map_or_else(|| self.searched_live(query, kinds), Ok) {
            Ok(Some(steps)) => self.joined(query.from, steps),
            Ok(None) => PathAnswer::default(),
            Err(GivenUp) => PathAnswer { incomplete: true, ..PathAnswer::default() },
        }
    }

    fn joined(&self, from: NodeRef, steps: Vec<PathStep>) -> PathAnswer {
        let stations = std::iter::once(from).chain(steps.iter().map(|step| step.to));
        let nodes = stations.filter_map(|node| self.info(node)).collect();
        PathAnswer { nodes, steps, incomplete: false }
    }

    /// The steps between stations as the map has them now; `None` if two are not connected any more.
    fn steps_along(&self, stations: &[NodeRef], kinds: EdgeKinds) -> Option<Vec<PathStep>> {
        let resolver = Resolver::new(&self.index);
        stations.windows(2).map(|pair| self.step_between(&resolver, (pair[0], pair[1]), kinds)).collect()
    }

    /// The surest step from one node to another.
    fn step_between(
        &self,
        resolver: &Resolver<'_>,
        (from, to): (NodeRef, NodeRef),
        kinds: EdgeKinds,
    ) -> Option<PathStep> {
        let steps = [(from, to, Direction::Out), (to, from, Direction::In)].map(|(start, end, way)| {
            let edges = self.edges_out_with(resolver, start, kinds).into_iter();
            edges.filter(move |edge| edge.resolved() && edge.to == end).map(move |edge| step(&edge, way))
        });
        steps.into_iter().flatten().min_by_key(|step| (step.confidence, step.kind))
    }
}
