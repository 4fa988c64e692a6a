//! Adds to the edges of an answer the places along which values go, where a call asks why an edge is there.

use hob_base::{CancelToken, Contents as _, WsPath};
use hob_host::Workspace;
use hob_map::Map;
use hob_map::graph::{Confidence, Direction, FlowChain, FlowEdge, FlowSources, Neighbor};
use hob_proto::tools::map::{FlowPlace, Neighbor as NeighborEntry};

use super::map::with_graph_deadline;

/// Most edges that one answer explains.
const MOST_EDGES: usize = 20;

/// The chain of places of one edge, or the reason why there is none.
pub(super) struct Explanation {
    /// Index of the edge among the neighbours.
    at: usize,
    chain: Vec<FlowPlace>,
    note: Option<String>,
}

/// Explains the edges of confidence `flow`, the first of them.
pub(super) fn explain_edges(
    map: &Map,
    workspace: &Workspace,
    neighbors: &[Neighbor],
    cancel: &CancelToken,
) -> Vec<Explanation> {
    let contents = workspace.disk_contents();
    let read = |path: &WsPath| contents.read(path).ok();
    let sources = FlowSources::new(&read, with_graph_deadline(cancel));
    let edges = neighbors.iter().enumerate().filter(|(_, found)| found.confidence == Confidence::Flow);
    let mut explanations = Vec::new();
    for (at, found) in edges {
        let asked = (explanations.len() < MOST_EDGES).then(|| map.explain_flow(&edge_of(found), &sources));
        explanations.push(match asked {
            Some(Some(chain)) => explanation_of(at, chain),
            Some(None) => unexplained(at, not_found()),
            None => unexplained(at, not_asked()),
        });
    }
    explanations
}

/// Puts explanations to their edges.
pub(super) fn add_chains(neighbors: &mut [NeighborEntry], explanations: Vec<Explanation>) {
    for explanation in explanations {
        if let Some(found) = neighbors.get_mut(explanation.at) {
            (found.chain, found.chain_note) = (explanation.chain, explanation.note);
        }
    }
}

/// The edge by which a neighbour was found, as it points.
fn edge_of(found: &Neighbor) -> FlowEdge {
    let lines = found.sites.clone();
    match found.direction {
        Direction::In => FlowEdge { from: found.info.node, to: found.names.unwrap_or(found.via), lines },
        _ => FlowEdge { from: found.via, to: found.info.node, lines },
    }
}

fn explanation_of(at: usize, chain: FlowChain) -> Explanation {
    let place = |place: hob_map::graph::FlowPlace| FlowPlace {
        location: format!("{}:{}", place.path, place.line),
        text: place.text,
    };
    let left_out = chain.left_out;
    let note = (left_out > 0).then(|| format!("{left_out} places nearer the definition are left out"));
    Explanation { at, chain: chain.places.into_iter().map(place).collect(), note }
}

fn unexplained(at: usize, note: String) -> Explanation {
    Explanation { at, chain: Vec::new(), note: Some(note) }
}

fn not_asked() -> String {
    format!("not explained: only the first {MOST_EDGES} flow edges of an answer are; pass offset or paths")
}

fn not_found() -> String {
    "no chain of places could be rebuilt: a file changed, or the way is beyond hob's bounds".to_owned()
}
