//! Adds to the edges of an answer the places along which values go, where a call asks why an edge is there.
//!
//! Files are read between the looks at the map, never while it is held: else whoever saves a file would wait for the explanation.

use hob_base::{CancelToken, Contents as _};
use hob_host::Workspace;
use hob_map::Map;
use hob_map::graph::{Confidence, Direction, FlowChain, FlowEdge, FlowSources, Neighbor};
use hob_proto::tools::map::{FlowPlace, Neighbor as NeighborEntry};

use super::map::with_graph_deadline;

/// Most edges that one answer explains.
const MOST_EDGES: usize = 20;
/// Most times that one edge is looked at, each time with the files that the last look lacked.
const LOOKS: usize = 24;

/// An edge of an answer that is to be explained.
pub(super) struct UnexplainedEdge {
    /// Index of the edge among the neighbours.
    at: usize,
    edge: FlowEdge,
}

/// Returns the edges of confidence `flow`, in their order.
pub(super) fn edges_to_explain(map: &Map, neighbors: &[Neighbor]) -> Vec<UnexplainedEdge> {
    let edges = neighbors.iter().enumerate().filter(|(_, found)| found.confidence == Confidence::Flow);
    edges.map(|(at, found)| UnexplainedEdge { at, edge: edge_of(map, found) }).collect()
}

/// Explains edges, as many as an answer may explain, and says of the others why they are not.
pub(super) fn add_chains(
    neighbors: &mut [NeighborEntry],
    edges: &[UnexplainedEdge],
    workspace: &Workspace,
    cancel: &CancelToken,
) {
    let mut sources = FlowSources::new(with_graph_deadline(cancel));
    for (number, one) in edges.iter().enumerate() {
        let Some(found) = neighbors.get_mut(one.at) else { continue };
        if number >= MOST_EDGES {
            found.chain_note = Some(not_asked());
            continue;
        }
        match explain_edge(workspace, &one.edge, &mut sources) {
            Some(chain) => (found.chain, found.chain_note) = shown_chain(chain),
            None => found.chain_note = Some(not_found()),
        }
    }
}

fn explain_edge(workspace: &Workspace, edge: &FlowEdge, sources: &mut FlowSources) -> Option<FlowChain> {
    let contents = workspace.disk_contents();
    for _ in 0..LOOKS {
        let chain = workspace.map().explain_flow(edge, sources);
        let missing = sources.take_missing();
        if chain.is_some() || missing.is_empty() {
            return chain;
        }
        for file in missing {
            let bytes = contents.read(&file.path).ok();
            sources.add(file, bytes);
        }
    }
    None
}

/// The edge by which a neighbour was found, as it points.
fn edge_of(map: &Map, found: &Neighbor) -> FlowEdge {
    let (from, to) = match found.direction {
        Direction::In => (found.info.node, found.names.unwrap_or(found.via)),
        _ => (found.via, found.info.node),
    };
    FlowEdge { from: map.id(from), to: map.id(to), lines: found.sites.clone() }
}

fn shown_chain(chain: FlowChain) -> (Vec<FlowPlace>, Option<String>) {
    let place = |place: hob_map::graph::FlowPlace| FlowPlace {
        location: format!("{}:{}", place.path, place.line),
        text: place.text,
    };
    let left_out = chain.left_out;
    let note = (left_out > 0).then(|| format!("{left_out} places nearer the definition are left out"));
    (chain.places.into_iter().map(place).collect(), note)
}

fn not_asked() -> String {
    format!("not explained: only the first {MOST_EDGES} flow edges of an answer are; pass offset or paths")
}

fn not_found() -> String {
    "no chain of places could be rebuilt: a file changed, or the way is beyond hob's bounds".to_owned()
}
