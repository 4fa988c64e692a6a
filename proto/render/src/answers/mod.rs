//! One renderer for each tool: its typed result in, a document out.
//!
//! A result that does not have the tool's shape (another version's) falls to the general renderer, as do tools whose answers
//! only programs read.

mod candidates;
mod diagnostics;
mod edit;
mod flow;
mod general;
mod handle;
mod investigate;
mod nav;
mod neighbors;
mod overview;
mod path;
mod read;
mod resolve;
mod search;
mod text;

pub(crate) use handle::handle_of;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::Document;

/// The text form of `data`, the result of `tool`.
#[must_use]
pub fn document(tool: &str, data: &Value) -> Document {
    let rendered = match tool {
        "count_patterns" => typed(data, text::counts),
        "edit_pattern" | "edit_rename" | "edit_symbol" | "edit_text" => typed(data, edit::preview),
        "edit_pending" => typed(data, edit::pending),
        "flow_trace" => typed(data, flow::trace),
        "hob_undo" => typed(data, edit::undone),
        "impact" => typed(data, flow::impact),
        "investigate" => typed(data, investigate::first_answer),
        "investigate_expand" => typed(data, investigate::expanded),
        "investigate_hydrate" => typed(data, investigate::hydrated),
        "map_search" => typed(data, search::found),
        "map_neighbors" => typed(data, neighbors::neighbors),
        "map_overview" => typed(data, overview::overview),
        "map_path" => typed(data, path::chains),
        "nav_callHierarchy" => typed(data, nav::call_hierarchy),
        "nav_definition" | "nav_implementations" | "nav_references" => typed(data, nav::locations),
        "nav_diagnostics" => typed(data, diagnostics::diagnostics),
        "nav_symbols" => typed(data, nav::outline),
        "nav_type" => typed(data, nav::type_of),
        "nav_workspaceSymbols" => typed(data, nav::symbol_hits),
        "read_symbols" => typed(data, read::symbols),
        "regex_search" => typed(data, text::matches),
        "resolve" => resolve::resolved(data),
        "resolve_action" => typed(data, edit::decided),
        "text_search" => typed(data, text::ranked),
        _ => None,
    };
    rendered.unwrap_or_else(|| general::general(data))
}

/// Renders `data` with `render`; `None` if `data` has not the result's shape.
fn typed<T: DeserializeOwned>(data: &Value, render: fn(T) -> Document) -> Option<Document> {
    serde::Deserialize::deserialize(data).ok().map(render)
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::TOOLS;
    use serde_json::json;

    use super::*;

    #[test]
    fn strange_results_of_every_tool_still_print() {
        for tool in TOOLS {
            for odd in [json!(null), json!(7), json!([1]), json!({}), json!({"results": 3, "a\nb": "c\nd"})] {
                let document = document(tool.name, &odd);
                let lines =
                    document.sections.iter().flat_map(|section| &section.items).flat_map(|item| &item.lines);
                assert!(lines.count() > 0, "{}: {odd}", tool.name);
            }
        }
    }
}
