//! Searches for a connection over edges as they are computed now: always right, and slow in dense graphs.
//!
//! It works breadth first from both ends, and always continues from the end that has reached fewer nodes.

use hob_base::{CancelToken, Stopped};
use rustc_hash::FxHashMap;

use super::{Admits, GivenUp};
use crate::graph::{Direction, Edge, EdgeKinds, Map, NodeRef, PathQuery, PathStep, Tie};
use crate::resolve::Resolver;

/// Most nodes whose edges are computed for one answer.
const MAX_EXPANDED: usize = 4000;

/// The nodes that the search has reached from one end.
#[derive(Debug)]
struct LiveSide {
    end: NodeRef,
    /// Each node with the step that led to it, seen from this end; `None` for the end itself.
    met: FxHashMap<NodeRef, Option<PathStep>>,
    frontier: Vec<NodeRef>,
    depth: u32,
}

impl LiveSide {
    fn new(end: NodeRef) -> Self {
        Self { end, met: FxHashMap::from_iter([(end, None)]), frontier: vec![end], depth: 0 }
    }

    /// Returns the steps from this end to `node`.
    fn steps_to(&self, node: NodeRef) -> Vec<PathStep> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(Some(step)) = self.met.get(&at) {
            steps.push(step.clone());
            at = step.from;
        }
        steps.reverse();
        steps
    }
}

struct Routing<'m> {
    map: &'m Map,
    resolver: Resolver<'m>,
    kinds: EdgeKinds,
    cancel: &'m CancelToken,
    admits: Option<Admits<'m>>,
    expanded: usize,
    incomplete: bool,
}

impl Map {
    /// Returns the steps of a shortest connection over edges as they are computed now; `Err` if the search was given
    /// up.
    pub(super) fn search_computed_edges(
        &self,
        query: &PathQuery,
        admits: Option<Admits<'_>>,
    ) -> Result<Option<Vec<PathStep>>, GivenUp> {
        let mut routing = Routing {
            map: self,
            resolver: Resolver::new(&self.index),
            kinds: query.kinds,
            cancel: &query.cancel,
            admits,
            expanded: 0,
            incomplete: false,
        };
        let (mut near, mut far) = (LiveSide::new(query.from), LiveSide::new(query.to));
        match routing.search(&mut near, &mut far, query.max_len.max(1)) {
            Some(node) => {
                let back = far.steps_to(node).into_iter().rev().map(turned_step);
                Ok(Some(near.steps_to(node).into_iter().chain(back).collect()))
            }
            None if routing.incomplete => Err(GivenUp),
            None => Ok(None),
        }
    }

    /// Returns the resolved steps from a node over edges of some kinds in either direction, sorted, and true if time
    /// ran out before all were found.
    pub(super) fn steps_from(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        kinds: EdgeKinds,
        cancel: &CancelToken,
    ) -> (Vec<PathStep>, bool) {
        let out = self.edges_out_with(resolver, node, kinds);
        let inbound = self.edges_in_with(resolver, node, kinds, cancel);
        let late = matches!(inbound.stopped, Some(Stopped::Cancelled | Stopped::DeadlinePassed));
        let out = out.into_iter().filter(Edge::is_resolved).map(|edge| step_of_edge(&edge, Direction::Out));
        let inbound = inbound
            .edges
            .into_iter()
            .filter(Edge::is_resolved)
            .map(|edge| step_of_edge(&edge, Direction::In));
        let mut steps: Vec<PathStep> = out.chain(inbound).collect();
        steps.sort_by_cached_key(|step| (step.confidence, step.kind, self.id(step.to).to_string()));
        (steps, late)
    }
}

impl Routing<'_> {
    fn search(&mut self, near: &mut LiveSide, far: &mut LiveSide, max_len: u32) -> Option<NodeRef> {
        if near.frontier == far.frontier {
            return near.frontier.first().copied();
        }
        while near.depth + far.depth < max_len && !near.frontier.is_empty() && !far.frontier.is_empty() {
            let (side, other) = if near.frontier.len() <= far.frontier.len() {
                (&mut *near, &*far)
            } else {
                (&mut *far, &*near)
            };
            if let Some(meeting) = self.advance(side, other) {
                return Some(meeting);
            }
            if self.incomplete {
                return None;
            }
        }
        None
    }

    /// Takes one step outwards from one end; returns the node at which the ends meet, if they do.
    fn advance(&mut self, side: &mut LiveSide, other: &LiveSide) -> Option<NodeRef> {
        side.depth += 1;
        let mut meetings = Vec::new();
        for node in std::mem::take(&mut side.frontier) {
            if self.expanded >= MAX_EXPANDED || self.cancel.check().is_err() {
                self.incomplete = true;
                break;
            }
            self.expanded += 1;
            let (steps, late) = self.map.steps_from(&self.resolver, node, self.kinds, self.cancel);
            self.incomplete |= late;
            for step in steps {
                let next = step.to;
                let may_pass = self.admits.is_none_or(|admits| admits(next));
                let is_no_station = next != other.end && (matches!(next, NodeRef::External(_)) || !may_pass);
                if is_no_station || side.met.contains_key(&next) {
                    continue;
                }
                side.met.insert(next, Some(step));
                if other.met.contains_key(&next) {
                    meetings.push(next);
                } else {
                    side.frontier.push(next);
                }
            }
            if !meetings.is_empty() {
                break;
            }
        }
        meetings.into_iter().min_by_key(|node| self.map.id(*node).to_string())
    }
}

pub(super) fn step_of_edge(edge: &Edge, direction: Direction) -> PathStep {
    let (from, to) = if direction == Direction::Out { (edge.from, edge.to) } else { (edge.to, edge.from) };
    let (kind, line) = (Tie::Edge(edge.kind), edge.sites.first().copied());
    PathStep { from, to, kind, direction, confidence: edge.confidence, line, lines: Vec::new(), named: None }
}

/// Returns the step as walked the other way.
fn turned_step(step: PathStep) -> PathStep {
    let direction = if step.direction == Direction::Out { Direction::In } else { Direction::Out };
    PathStep { from: step.to, to: step.from, direction, ..step }
}
