//! Turns the answers of `resolve` into results.

use hob_base::WsPath;
use hob_bridge::Enclosing;
use hob_map::graph::NodeInfo;
use hob_proto::Anchor;
use hob_proto::tools::resolve::{EnclosingSymbol, LineRange, PositionResult};

/// Converts a place in a file of the workspace.
#[must_use]
pub fn anchor_at(file: &WsPath, line: u32, col: u32) -> Anchor {
    Anchor {
        file: file.to_string(),
        line: line.max(1),
        col: col.max(1),
        end_line: None,
        snippet: None,
        external: false,
        from_map: None,
        symbol: None,
    }
}

/// Returns the lines that the map has for a definition.
#[must_use]
pub fn map_range(def: &NodeInfo) -> LineRange {
    LineRange { line: def.lines.0, end_line: def.lines.1 }
}

/// Returns the definitions that enclose a position. At the top of a file the file itself encloses it.
#[must_use]
pub fn position(
    enclosing: &Enclosing<'_>,
    file: &WsPath,
    at: (u32, u32),
    file_id: Option<String>,
) -> PositionResult {
    let top = enclosing.chain.is_empty();
    let node_id = match enclosing.node {
        Some(node) => Some(node.id.to_string()),
        None => file_id.clone().filter(|_| top),
    };
    let nearest = enclosing.nearest.map(|node| node.id.to_string()).or(file_id);
    let symbol = |link: &hob_bridge::EnclosingLink| EnclosingSymbol {
        name: link.name.clone(),
        kind: link.kind.to_owned(),
        line: link.name_at.0,
    };
    let (line, col) = enclosing.name_at().unwrap_or(at);
    PositionResult {
        in_map: node_id.is_some(),
        nearest_node_id: if node_id.is_some() { None } else { nearest },
        node_id,
        map_stale: enclosing.map_stale,
        verified: false,
        qualified_name: enclosing.qualified.clone(),
        enclosing_symbols: enclosing.chain.iter().map(symbol).collect(),
        location: anchor_at(file, line, col),
    }
}
