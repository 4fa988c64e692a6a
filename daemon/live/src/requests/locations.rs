//! Asks where something is defined, used or implemented: the answers are places.

use hob_base::AbsPath;
use lsp_types::request::{GotoDefinition, GotoImplementation, References};
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location, ReferenceContext, ReferenceParams};

use super::context::ServerQueryContext;
use super::marked::Marked;
use super::place::{RequestPosition, ServerLocation};
use crate::instance::{Instance, ServerAnswer};
use crate::live::LiveError;
use crate::uri::FileRefResolver;

/// Returns the definitions of the name that stands at `at`.
///
/// # Errors
/// [`LiveError`].
pub fn definition(
    instance: &Instance,
    at: &RequestPosition,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<ServerLocation>>, LiveError> {
    let params = goto_params(at, instance.root());
    let answer = asking.ask_about_place::<GotoDefinition>(instance, at, ("definitionProvider", &params))?;
    Ok(answer.map(|found| to_locations(found, instance, asking)))
}

/// Returns the places that implement or override the definition that stands at `at`.
///
/// # Errors
/// [`LiveError`].
pub fn implementations(
    instance: &Instance,
    at: &RequestPosition,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<ServerLocation>>, LiveError> {
    let params = goto_params(at, instance.root());
    let answer =
        asking.ask_about_place::<GotoImplementation>(instance, at, ("implementationProvider", &params))?;
    Ok(answer.map(|found| to_locations(found, instance, asking)))
}

/// Returns the uses of the name that stands at `at`, sorted, each place once.
///
/// # Errors
/// [`LiveError`].
pub fn references(
    instance: &Instance,
    at: &RequestPosition,
    include_declaration: bool,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<ServerLocation>>, LiveError> {
    let params = ReferenceParams {
        text_document_position: at.to_lsp_params(instance.root()),
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
        context: ReferenceContext { include_declaration },
    };
    let answer = asking.ask_about_place::<References>(instance, at, ("referencesProvider", &params))?;
    Ok(answer.map(|found| of_locations(&found.unwrap_or_default(), instance, asking)))
}

fn goto_params(at: &RequestPosition, root: &AbsPath) -> GotoDefinitionParams {
    GotoDefinitionParams {
        text_document_position_params: at.to_lsp_params(root),
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
    }
}

fn to_locations(
    found: Option<GotoDefinitionResponse>,
    instance: &Instance,
    asking: ServerQueryContext<'_>,
) -> Vec<ServerLocation> {
    match found {
        None => Vec::new(),
        Some(GotoDefinitionResponse::Scalar(location)) => of_locations(&[location], instance, asking),
        Some(GotoDefinitionResponse::Array(locations)) => of_locations(&locations, instance, asking),
        Some(GotoDefinitionResponse::Link(links)) => {
            let files = FileRefResolver::new(instance.root());
            in_order(links.iter().filter_map(|link| ServerLocation::of_link(link, &files)), instance, asking)
        }
    }
}

fn of_locations(
    locations: &[Location],
    instance: &Instance,
    asking: ServerQueryContext<'_>,
) -> Vec<ServerLocation> {
    let files = FileRefResolver::new(instance.root());
    in_order(
        locations.iter().filter_map(|location| ServerLocation::of_location(location, &files)),
        instance,
        asking,
    )
}

/// Sorts places and drops repeats: servers send them in any order, and sometimes twice.
fn in_order(
    places: impl Iterator<Item = ServerLocation>,
    instance: &Instance,
    asking: ServerQueryContext<'_>,
) -> Vec<ServerLocation> {
    let mut marked = Marked::for_question(instance, asking);
    let mut places: Vec<ServerLocation> = places.map(|place| marked.place_without_mark(place)).collect();
    places.sort();
    places.dedup();
    places
}
