//! Explains the edges of an answer, if a call asks why they exist, by the places along which a value flows.
//!
//! `map_neighbors` and `map_path` ask for this with the argument `why`.
//!
//! Files are read while the map is not locked. Otherwise whoever saves a file would have to wait for the explanation.

use hob_base::{CancelToken, Contents as _};
use hob_host::Workspace;
use hob_map::Map;
use hob_map::graph::{Chain, Confidence, Direction, FlowChain, FlowEdge, FlowSources, Neighbor, PathStep};
use hob_proto::tools::map::{FlowPlace, Neighbor as NeighborEntry};
use hob_proto::tools::path::PathChain;

use super::map::with_graph_deadline;

/// The most edges that one answer explains.
const MOST_EDGES: usize = 20;
/// The most attempts at one edge. Each attempt has the files that the last one lacked.
const LOOKS: usize = 24;

/// An edge of an answer that is to be explained.
pub(super) struct UnexplainedEdge {
    /// The index of the edge among the neighbours, or among the steps of its chain.
    at: usize,
    edge: FlowEdge,
}

/// The places of an edge, or the reason why it has none.
struct Explanation {
    places: Vec<FlowPlace>,
    note: Option<String>,
}

/// Returns the edges of confidence `flow`, in their order.
pub(super) fn edges_to_explain(map: &Map, neighbors: &[Neighbor]) -> Vec<UnexplainedEdge> {
    let edges = neighbors.iter().enumerate().filter(|(_, found)| found.confidence == Confidence::Flow);
    edges.map(|(at, found)| UnexplainedEdge { at, edge: edge_of(map, found) }).collect()
}

/// Returns the steps of confidence `flow` of a chain, in their order.
pub(super) fn steps_to_explain(map: &Map, chain: &Chain) -> Vec<UnexplainedEdge> {
    let steps = chain.steps.iter().enumerate().filter(|(_, step)| step.confidence == Confidence::Flow);
    steps.map(|(at, step)| UnexplainedEdge { at, edge: edge_of_step(map, step) }).collect()
}

/// Explains as many edges to neighbours as an answer may explain, and says of the others why they are not explained.
pub(super) fn add_chains(
    neighbors: &mut [NeighborEntry],
    edges: &[UnexplainedEdge],
    workspace: &Workspace,
    cancel: &CancelToken,
) {
    let mut explainer = Explainer::new(workspace, cancel);
    for one in edges {
        let Some(found) = neighbors.get_mut(one.at) else { continue };
        let explanation = explainer.explain(&one.edge);
        (found.chain, found.chain_note) = (explanation.places, explanation.note);
    }
}

/// Explains as many steps of a path as an answer may explain, and says of the others why they are not explained.
pub(super) fn add_chains_of_steps(
    chain: &mut PathChain,
    edges: &[UnexplainedEdge],
    workspace: &Workspace,
    cancel: &CancelToken,
) {
    let mut explainer = Explainer::new(workspace, cancel);
    for one in edges {
        let Some(step) = chain.edges.get_mut(one.at) else { continue };
        let explanation = explainer.explain(&one.edge);
        (step.chain, step.chain_note) = (explanation.places, explanation.note);
    }
}

/// Explains the edges of one answer one after another. Files that were read for one edge are kept for the next.
struct Explainer<'w> {
    workspace: &'w Workspace,
    sources: FlowSources,
    asked: usize,
}

impl<'w> Explainer<'w> {
    fn new(workspace: &'w Workspace, cancel: &CancelToken) -> Self {
        Self { workspace, sources: FlowSources::new(with_graph_deadline(cancel)), asked: 0 }
    }

    fn explain(&mut self, edge: &FlowEdge) -> Explanation {
        self.asked += 1;
        if self.asked > MOST_EDGES {
            return Explanation { places: Vec::new(), note: Some(not_asked()) };
        }
        match self.find_chain(edge) {
            Some(chain) => shown_chain(chain),
            None => Explanation { places: Vec::new(), note: Some(not_found()) },
        }
    }

    fn find_chain(&mut self, edge: &FlowEdge) -> Option<FlowChain> {
        let contents = self.workspace.disk_contents();
        for _ in 0..LOOKS {
            let chain = self.workspace.map().explain_flow(edge, &self.sources);
            let missing = self.sources.take_missing();
            if chain.is_some() || missing.is_empty() {
                return chain;
            }
            for file in missing {
                let bytes = contents.read(&file.path).ok();
                self.sources.add(file, bytes);
            }
        }
        None
    }
}

/// Returns the edge by which a neighbour was found, in the edge's own direction.
fn edge_of(map: &Map, found: &Neighbor) -> FlowEdge {
    let (from, to) = match found.direction {
        Direction::In => (found.info.node, found.names.unwrap_or(found.via)),
        _ => (found.via, found.info.node),
    };
    FlowEdge { from: map.id(from), to: map.id(to), lines: found.sites.clone() }
}

/// Returns the edge of a step, in the edge's own direction.
fn edge_of_step(map: &Map, step: &PathStep) -> FlowEdge {
    let (from, to) = match step.direction {
        Direction::In => (step.to, step.from),
        _ => (step.from, step.named.unwrap_or(step.to)),
    };
    let lines = if step.lines.is_empty() { step.line.into_iter().collect() } else { step.lines.clone() };
    FlowEdge { from: map.id(from), to: map.id(to), lines }
}

fn shown_chain(chain: FlowChain) -> Explanation {
    let place = |place: hob_map::graph::FlowPlace| FlowPlace {
        location: format!("{}:{}", place.path, place.line),
        text: place.text,
    };
    let left_out = chain.left_out;
    let note = (left_out > 0).then(|| format!("{left_out} places nearer the definition are left out"));
    Explanation { places: chain.places.into_iter().map(place).collect(), note }
}

fn not_asked() -> String {
    format!("not explained: only the first {MOST_EDGES} flow edges of an answer are; pass offset or paths")
}

fn not_found() -> String {
    "no chain of places could be rebuilt: a file changed, or the way is beyond hob's bounds".to_owned()
}
