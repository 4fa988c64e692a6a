//! Renders answers, with one renderer for each tool: from its typed result to a document.
//!
//! The general renderer takes a result that does not have the tool's shape (another version's), and the
//! answers that only programs read.

mod candidates;
mod diagnostics;
mod edit;
mod flow;
mod general;
mod handle;
mod history;
mod investigate;
mod nav;
mod neighbors;
mod overview;
mod path;
mod read;
mod resolve;
mod review;
mod search;
mod tests_for;
mod text;

pub(crate) use handle::handle_of;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::AnswerDocument;

/// Renders `data`, the result of `tool`, as text.
#[must_use]
pub fn document(tool: &str, data: &Value) -> AnswerDocument {
    let rendered = match tool {
        "change_impact" => render_typed(data, review::render_review),
        "count_patterns" => render_typed(data, text::render_counts),
        "edit_pattern" | "edit_rename" | "edit_symbol" | "edit_text" => {
            render_typed(data, edit::render_preview)
        }
        "edit_pending" => render_typed(data, edit::render_pending),
        "flow_trace" => render_typed(data, flow::render_trace),
        "hob_undo" => render_typed(data, edit::render_undo),
        "impact" => render_typed(data, flow::render_impact),
        "investigate" => render_typed(data, investigate::first_answer),
        "investigate_expand" => render_typed(data, investigate::render_expanded),
        "investigate_hydrate" => render_typed(data, investigate::render_hydrated),
        "map_search" => render_typed(data, search::render_hits),
        "map_neighbors" => render_typed(data, neighbors::render_neighbors),
        "map_overview" => render_typed(data, overview::render_overview),
        "map_path" => render_typed(data, path::render_chains),
        "nav_callHierarchy" => render_typed(data, nav::call_hierarchy),
        "nav_definition" | "nav_implementations" | "nav_references" => {
            render_typed(data, nav::render_locations)
        }
        "nav_diagnostics" => render_typed(data, diagnostics::diagnostics),
        "nav_symbols" => render_typed(data, nav::render_outline),
        "nav_type" => render_typed(data, nav::type_of),
        "nav_workspaceSymbols" => render_typed(data, nav::symbol_hits),
        "read_symbols" => render_typed(data, read::symbols),
        "regex_search" => render_typed(data, text::matches),
        "resolve" => resolve::render_resolved(data),
        "resolve_action" => render_typed(data, edit::render_decision),
        "symbol_history" => render_typed(data, history::render_history),
        "tests_for" => render_typed(data, tests_for::render_tests),
        "text_search" => render_typed(data, text::render_ranked),
        _ => None,
    };
    rendered.unwrap_or_else(|| general::render_general(data))
}

/// Renders `data` with `render`; `None` if `data` does not have the result's shape.
fn render_typed<T: DeserializeOwned>(
    data: &Value,
    render: fn(T) -> AnswerDocument,
) -> Option<AnswerDocument> {
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
