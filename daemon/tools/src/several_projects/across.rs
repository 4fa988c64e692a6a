//! Adds to the callers of a symbol those in the other projects of the question.
//!
//! One project's map knows nothing of another's code. What connects them is looked for when somebody asks who calls: the path of an HTTP
//! route that the symbol serves, written as a literal in the other project. Such callers are guesses and marked as candidates.

use hob_proto::tools::map::NeighborsArgs;
use hob_proto::{NodeId, ToolError};
use serde_json::{Map, Value};

use super::ProjectsCall;
use super::relocate::ProjectPlace;
use super::routing::{Route, route};
use crate::Needs;
use crate::call::AnswerNotes;
use crate::map::{asks_for_calls, with_graph_deadline};
use crate::route_requests::{find_requests, neighbors_by_requests, routes_of};

/// Adds the callers in other projects to the result of `map_neighbors`; notes which projects could not be asked.
pub(super) fn add_callers(
    call: &ProjectsCall<'_>,
    places: &[ProjectPlace],
    data: &mut Value,
    notes: &mut AnswerNotes,
) {
    let args: Option<NeighborsArgs> = serde_json::from_value(Value::Object(call.terms.args.clone())).ok();
    if !args.is_some_and(|args| asks_for_calls(&args)) {
        return;
    }
    let Some((own, routes)) = routes_of_answer(call, places, data) else { return };
    for place in places.iter().filter(|place| place.root != own.root && !routes.is_empty()) {
        let Some(Value::Array(neighbors)) = data.get_mut("neighbors") else { return };
        match requests_in(call, place, &routes) {
            Ok(found) => neighbors.extend(found),
            Err(error) => {
                let said = format!("Callers in `{}` are missing: {}.", place.name, error.message);
                notes.warnings.push(said);
            }
        }
    }
}

/// The project of the symbol that the result is about, and the routes that it serves.
fn routes_of_answer<'p>(
    call: &ProjectsCall<'_>,
    places: &'p [ProjectPlace],
    data: &Value,
) -> Option<(&'p ProjectPlace, Vec<String>)> {
    let id = data["node"]["id"].as_str()?;
    let named = places.iter().filter_map(|place| match route(id, place, places) {
        Route::Here(own) => Some((place, own)),
        Route::Elsewhere => None,
    });
    let (place, own) = named.max_by_key(|(place, _)| place.prefix.len())?;
    let workspace = call.services.host.workspace(&place.root).ok()?;
    let map = workspace.map();
    let node = map.node(&own.parse::<NodeId>().ok()?)?;
    Some((place, routes_of(&map, node, &with_graph_deadline(&call.request.cancel))))
}

fn requests_in(
    call: &ProjectsCall<'_>,
    place: &ProjectPlace,
    routes: &[String],
) -> Result<Vec<Value>, ToolError> {
    let workspace = call.call_about(place, Map::new()).workspace(Needs::Map)?;
    let requests = find_requests(&workspace, routes, &call.request.cancel);
    let entries = neighbors_by_requests(&workspace, &requests, &|_, _| true);
    let mut entries: Vec<Value> =
        entries.into_iter().filter_map(|entry| serde_json::to_value(entry).ok()).collect();
    entries.iter_mut().for_each(|entry| place.relocate(entry));
    Ok(entries)
}
