//! The symbol that a tool was asked about by name: one node, or an answer that says what the name may mean.
//!
//! A name that several definitions share is no error: candidates are what the caller needs next, as in `read_symbols`.

use hob_map::Map;
use hob_map::graph::{KindFilter, Lookup, NodeRef, SearchQuery};
use hob_proto::tools::read::Ambiguous;
use hob_proto::{NodeId, ToolError};

use super::{ToolCall, read};
use crate::host::Workspace;
use crate::to_proto::errors;

/// How many names that resemble one that is not there are told.
const SIMILAR: usize = 5;

/// What a target turned out to be.
pub(super) enum Target {
    /// This node.
    Node(NodeRef),
    /// One of several; likeliest first.
    Several(Ambiguous),
}

/// Finds what `text` means: a node ID with or without `sym:`, a path, a name, a qualified name.
///
/// # Errors
/// `NODE_NOT_FOUND` for an ID that names nothing, `SYMBOL_NOT_FOUND` for any other text.
pub(super) fn find(
    call: &mut ToolCall<'_>,
    (map, workspace): (&Map, &Workspace),
    text: &str,
) -> Result<Target, ToolError> {
    match read::lookup(map, text) {
        Lookup::One(node) => {
            call.warn_of_unmapped_around(map, node);
            Ok(Target::Node(node))
        }
        Lookup::Ambiguous(nodes) => {
            let several = read::ambiguous(map, text, &nodes);
            call.warnings.push(format!(
                "`{}` is the name of {} definitions: pass the uid of one.",
                short(text),
                nodes.len()
            ));
            call.omit(
                "candidates",
                nodes.len(),
                several.candidates.len(),
                "Pass a qualified name or a node ID.",
            );
            Ok(Target::Several(several))
        }
        Lookup::None => Err(missing((map, workspace), text)),
    }
}

fn missing((map, workspace): (&Map, &Workspace), text: &str) -> ToolError {
    if NodeId::looks_like(text)
        && let Ok(id) = text.parse::<NodeId>()
    {
        return errors::missing_node(map, workspace, &id);
    }
    let last = text.rsplit(['.', ':', '/', '#']).next().unwrap_or(text);
    let query = SearchQuery { text: last, kinds: KindFilter::Any, path_prefix: "", limit: SIMILAR };
    let similar = map.search(&query).hits.into_iter().map(|hit| hit.info.id.to_string()).collect();
    errors::no_such_symbol(&short(text), similar)
}

fn short(text: &str) -> String {
    text.chars().take(120).collect()
}
