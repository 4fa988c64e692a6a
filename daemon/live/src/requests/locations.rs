//! Where is it defined, used, implemented: questions answered with places.

use hob_base::AbsPath;
use lsp_types::request::{GotoDefinition, GotoImplementation, References};
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location, ReferenceContext, ReferenceParams};

use super::marked::Marked;
use super::{Asking, At, Place};
use crate::instance::{Answer, Instance};
use crate::live::LiveError;
use crate::uri::Files;

/// Where what stands at `at` is defined.
///
/// # Errors
/// [`LiveError`].
pub fn definition(instance: &Instance, at: &At, asking: Asking<'_>) -> Result<Answer<Vec<Place>>, LiveError> {
    let params = goto(at, instance.root());
    let answer = asking.about::<GotoDefinition>(instance, at, ("definitionProvider", &params))?;
    Ok(answer.map(|found| places(found, (instance, asking))))
}

/// Returns the places that implement or override the definition that stands at `at`.
///
/// # Errors
/// [`LiveError`].
pub fn implementations(
    instance: &Instance,
    at: &At,
    asking: Asking<'_>,
) -> Result<Answer<Vec<Place>>, LiveError> {
    let params = goto(at, instance.root());
    let answer = asking.about::<GotoImplementation>(instance, at, ("implementationProvider", &params))?;
    Ok(answer.map(|found| places(found, (instance, asking))))
}

/// Where what stands at `at` is used, sorted and each place once.
///
/// # Errors
/// [`LiveError`].
pub fn references(
    instance: &Instance,
    at: &At,
    include_declaration: bool,
    asking: Asking<'_>,
) -> Result<Answer<Vec<Place>>, LiveError> {
    let params = ReferenceParams {
        text_document_position: at.params(instance.root()),
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
        context: ReferenceContext { include_declaration },
    };
    let answer = asking.about::<References>(instance, at, ("referencesProvider", &params))?;
    Ok(answer.map(|found| of_locations(&found.unwrap_or_default(), (instance, asking))))
}

fn goto(at: &At, root: &AbsPath) -> GotoDefinitionParams {
    GotoDefinitionParams {
        text_document_position_params: at.params(root),
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
    }
}

fn places(found: Option<GotoDefinitionResponse>, by: (&Instance, Asking<'_>)) -> Vec<Place> {
    match found {
        None => Vec::new(),
        Some(GotoDefinitionResponse::Scalar(location)) => of_locations(&[location], by),
        Some(GotoDefinitionResponse::Array(locations)) => of_locations(&locations, by),
        Some(GotoDefinitionResponse::Link(links)) => {
            let files = Files::new(by.0.root());
            in_order(links.iter().filter_map(|link| Place::of_link(link, &files)), by)
        }
    }
}

fn of_locations(locations: &[Location], by: (&Instance, Asking<'_>)) -> Vec<Place> {
    let files = Files::new(by.0.root());
    in_order(locations.iter().filter_map(|location| Place::of_location(location, &files)), by)
}

/// Servers give places in any order, and sometimes twice.
fn in_order(places: impl Iterator<Item = Place>, (instance, asking): (&Instance, Asking<'_>)) -> Vec<Place> {
    let mut marked = Marked::of(instance, asking);
    let mut places: Vec<Place> = places.map(|place| marked.place(place)).collect();
    places.sort();
    places.dedup();
    places
}
