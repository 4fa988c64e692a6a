//! Adds the callers of a symbol in the other projects of the question.
//!
//! One project's map knows nothing about another's code. Two connections between projects are searched when somebody
//! asks for callers: a package that the other project imports and that the symbol's project publishes
//! ([`super::uses`]), and the path of an HTTP route that the symbol serves, written as a literal. The former are as
//! sure as the map's rules make them; the latter are guesses, marked as candidates.

use std::sync::Arc;

use hob_host::Workspace;
use hob_map::graph::EdgeKind;
use hob_proto::tools::map::{Neighbor, NeighborsArgs};
use hob_proto::{NodeId, ToolError};
use serde_json::{Map, Value};

use super::relocate::ProjectPlace;
use super::routing::{Route, route};
use super::uses::SymbolOfSibling;
use super::{ProjectsCall, take_notes};
use crate::NeededIndex;
use crate::call::AnswerNotes;
use crate::map::{asks_for_calls, with_graph_deadline};
use crate::route_requests::{find_requests, neighbors_by_requests, routes_among};

/// The symbol of an answer, in the ways in which other projects can reach it.
struct SharedSymbol<'p> {
    place: &'p ProjectPlace,
    /// The paths of the routes that it serves.
    routes: Vec<String>,
    definition: Option<SymbolOfSibling>,
}

/// Adds the callers in other projects to the result of `map_neighbors`, and notes which projects could not be asked.
pub(super) fn add_callers(
    call: &ProjectsCall<'_>,
    places: &[ProjectPlace],
    data: &mut Value,
    notes: &mut AnswerNotes,
) {
    let args: Option<NeighborsArgs> = serde_json::from_value(Value::Object(call.terms.args.clone())).ok();
    // Only on the last page: earlier pages are full of neighbours in the symbol's own project.
    let is_last = data["omitted"] == 0;
    let Some(args) = args.filter(|args| is_last && asks_for_calls(args)) else { return };
    let Some(symbol) = symbol_of_answer(call, places, data) else { return };
    for place in places.iter().filter(|place| place.root != symbol.place.root) {
        let Some(Value::Array(neighbors)) = data.get_mut("neighbors") else { return };
        match callers_in(call, place, &symbol, notes) {
            Ok(mut found) => {
                found.retain(|one| args.edge_kinds.is_empty() || args.edge_kinds.contains(&one.edge));
                let entries = found.into_iter().filter_map(|one| serde_json::to_value(one).ok());
                neighbors.extend(entries.map(|mut entry| {
                    place.relocate(&mut entry);
                    entry
                }));
            }
            Err(error) => {
                let said = format!("Callers in `{}` are missing: {}.", place.name, error.message);
                notes.warnings.push(said);
            }
        }
    }
}

fn symbol_of_answer<'p>(
    call: &ProjectsCall<'_>,
    places: &'p [ProjectPlace],
    data: &Value,
) -> Option<SharedSymbol<'p>> {
    let id = data["node"]["id"].as_str()?;
    let named = places.iter().filter_map(|place| match route(id, place, places) {
        Route::Here(own) => Some((place, own)),
        Route::Elsewhere => None,
    });
    let (place, own) = named.max_by_key(|(place, _)| place.prefix.len())?;
    let workspace: Arc<Workspace> = call.services.host.workspace(&place.root).ok()?;
    let map = workspace.map();
    let node = map.node(&own.parse::<NodeId>().ok()?)?;
    let definition = map.info(node).and_then(|info| SymbolOfSibling::of_node(&workspace, &info));
    let calls = [EdgeKind::Calls].into_iter().collect();
    let edges = map.edges_in(node, calls, &with_graph_deadline(&call.request.cancel)).unwrap_or_default();
    let routes = routes_among(&map, node, edges.iter().map(|edge| edge.from));
    Some(SharedSymbol { place, routes, definition })
}

fn callers_in(
    call: &ProjectsCall<'_>,
    place: &ProjectPlace,
    symbol: &SharedSymbol<'_>,
    notes: &mut AnswerNotes,
) -> Result<Vec<Neighbor>, ToolError> {
    let mut own_call = call.call_about(place, Map::new());
    let workspace = own_call.workspace(NeededIndex::Map)?;
    let mut found = match &symbol.definition {
        Some(definition) => definition.users_in(&mut own_call, &workspace),
        None => Vec::new(),
    };
    let requests = find_requests(&workspace, &symbol.routes, &call.request.cancel);
    requests.warn_of_gaps(&mut own_call.notes.warnings);
    found.extend(neighbors_by_requests(&workspace, &requests.lines, &|_, _| true));
    // The freshness of the project, and the gaps of the search.
    take_notes(notes, own_call.notes, place);
    Ok(found)
}
