//! Runs the tools: turns checked arguments into answers, with one file or folder per tool or family of tools.
//!
//! A handler gets checked arguments and a `ToolCall` through which it reaches its workspace. That is a step of its own,
//! so that a handler says what it needs (text, or the map too), and the waiting for a first index, the barrier and
//! their warnings are the same everywhere.

mod admin;
mod ask;
mod call;
mod call_hierarchy;
mod callers;
mod change_impact;
mod context;
mod edit;
mod elsewhere;
mod enclosing;
mod entity;
mod every_package;
mod excerpt;
mod first_index;
mod flow_trace;
mod fuse;
mod graph;
mod grep;
mod impact;
mod implementers;
mod imported;
mod indexes;
mod investigate;
mod lacks;
mod left_out;
mod map;
mod map_path;
mod map_search;
mod meaning;
mod metrics;
mod models;
mod nav;
mod nav_query;
mod organization;
mod package_meaning;
mod package_neighbors;
mod package_targets;
mod position;
mod read_symbols;
mod rename;
mod resolve;
mod route_requests;
mod scope;
mod servers;
mod several_projects;
mod stand_in;
mod status;
mod symbol_history;
mod symbol_question;
mod target;
mod tests_for;
mod text;
mod text_search;
mod unsaved;
mod unused;
mod whole_tests;
mod why;

use hob_proto::{ErrorCode, ToolError};
use serde::Serialize;
use serde_json::Value;

pub use call::{AnswerNotes, CallServices, CallTerms, Handled, ToolCall};
pub(crate) use call::{BARRIER_PATIENCE, FIRST_INDEX_PATIENCE, NeededIndex};
pub use edit::pending_reminder;
pub use every_package::{AllPackages, ask_every_package};
pub use organization::{OrgQuestion, ask_organization};
pub use several_projects::{ProjectsCall, run_in_projects};
pub use status::status_for_people;
pub use unsaved::not_taken_into_account;

/// The data or the error that a handler answers with.
pub type ToolOutcome = Result<Value, ToolError>;

/// The function that runs a tool.
pub type Handler = fn(&mut ToolCall<'_>) -> ToolOutcome;

/// Returns the handler of a tool; a test compares this table with the tool definitions.
#[must_use]
pub fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "change_impact" => change_impact::change_impact,
        "count_patterns" => text::count_patterns,
        "edit_pattern" => edit::pattern,
        "edit_pending" => edit::pending,
        "edit_rename" => edit::rename,
        "edit_symbol" => edit::symbol,
        "edit_text" => edit::text,
        "flow_trace" => flow_trace::flow_trace,
        "hob_context" => context::answer_context,
        "hob_digest" => admin::digest,
        "hob_graph" => graph::graph,
        "hob_grep" => grep::grep,
        "hob_index" => indexes::indexes,
        "hob_models" => models::models,
        "hob_noop" => admin::noop,
        "hob_org" => organization::answer_org_status,
        "hob_purge" => admin::purge,
        "hob_close" => admin::close,
        "hob_servers" => servers::servers,
        "hob_stats" => metrics::stats,
        "hob_undo" => edit::undo,
        "impact" => impact::impact,
        "investigate" => investigate::investigate,
        "investigate_expand" => investigate::expand,
        "investigate_hydrate" => investigate::hydrate,
        "map_neighbors" => map::neighbors,
        "map_overview" => map::overview,
        "map_path" => map_path::path,
        "map_rebuild" => map::rebuild,
        "map_search" => map_search::search,
        "map_status" => map::status,
        "metrics_report" => metrics::report,
        "nav_callHierarchy" => call_hierarchy::call_hierarchy,
        "nav_definition" => nav::definition,
        "nav_diagnostics" => nav::diagnostics,
        "nav_implementations" => nav::implementations,
        "nav_references" => nav::references,
        "nav_symbols" => nav::symbols,
        "nav_type" => nav::type_of,
        "nav_workspaceSymbols" => nav::workspace_symbols,
        "read_symbols" => read_symbols::read_symbols,
        "regex_search" => text::regex_search,
        "resolve" => resolve::resolve,
        "resolve_action" => edit::resolve_action,
        "symbol_history" => symbol_history::symbol_history,
        "tests_for" => tests_for::tests_for,
        "text_search" => text_search::text_search,
        _ => return None,
    })
}

/// Serialises a result as the envelope's data.
pub(crate) fn to_data(result: &impl Serialize) -> ToolOutcome {
    serde_json::to_value(result).map_err(|error| {
        ToolError::new(ErrorCode::Internal, format!("the result could not be written: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::TOOLS;

    #[test]
    fn every_tool_has_a_handler() {
        for tool in TOOLS {
            assert!(super::handler(tool.name).is_some(), "{}", tool.name);
        }
    }
}
