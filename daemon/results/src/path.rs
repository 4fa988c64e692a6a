//! Turns chains between symbols into a tool result.

use hob_map::Map;
use hob_map::graph;
use hob_proto::tools::path as proto;

use super::map::node_entry;

/// Makes the result of `map_path`. The handler adds the texts of lines, because it reads files when it holds
/// no lock.
#[must_use]
pub fn path(map: &Map, answer: graph::PathAnswer) -> proto::PathResult {
    let found = answer.is_connected();
    let mut chains = answer.chains.iter().map(|chain| path_chain(map, chain));
    proto::PathResult {
        found,
        best: chains.next().unwrap_or_default(),
        others: chains.collect(),
        reached: answer.reached.as_ref().map(path_reached),
    }
}

fn path_chain(map: &Map, chain: &graph::Chain) -> proto::PathChain {
    let edges = chain.steps.iter().map(|step| proto::PathEdge {
        from: map.id(step.from).to_string(),
        to: map.id(step.to).to_string(),
        kind: step.kind.as_str().to_owned(),
        direction: step.direction.as_str().to_owned(),
        confidence: step.confidence.as_str().to_owned(),
        line: step.line,
        lines: step.lines.clone(),
        text: String::new(),
        named: step.named.map(|node| map.id(node).to_string()),
        chain: Vec::new(),
        chain_note: None,
    });
    proto::PathChain {
        length: chain.steps.len(),
        nodes: chain.nodes.iter().map(node_entry).collect(),
        edges: edges.collect(),
    }
}

fn path_reached(reached: &graph::Reached) -> proto::PathReached {
    let reach = |(nodes, steps): (usize, u32)| proto::PathReach { nodes, steps };
    let nearest = reached.nearest.iter().flat_map(|(near, far)| [node_entry(near), node_entry(far)]);
    let entries = reached.entries.iter().map(|entry| proto::PathEntry {
        node: node_entry(&entry.node),
        uses: entry
            .uses
            .iter()
            .map(|(file, line)| proto::PathUse { file: file.to_string(), line: *line })
            .collect(),
    });
    proto::PathReached {
        from: reach(reached.from),
        to: reach(reached.to),
        nearest: nearest.collect(),
        entries: entries.collect(),
    }
}
