//! Finds the definition that a question is about, in the map.

use std::time::Duration;

use hob_live::requests::{self, RequestPosition, ServerLocation};
use hob_live::uri::FileRef;
use hob_map::Map;
use hob_map::graph::{Confidence, DefRef};

use super::super::ToolCall;
use super::super::nav_query::{NavQuery, word_at};
use hob_host::Workspace;

/// Longest time in which the server has to say where something is defined.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the definitions whose names stand at places.
pub(super) fn defs_of(map: &Map, about: &[RequestPosition]) -> Vec<DefRef> {
    let named = about.iter().filter_map(|at| map.def_named_at(at.file.as_str(), at.line, at.col));
    let mut defs: Vec<DefRef> = named.collect();
    defs.sort_unstable();
    defs.dedup();
    defs
}

/// Returns the place of the definition's name: the place of the question, or the definition by the map, or by the
/// server. A definition with another name than the word at the place does not count, because servers take it for
/// something else: `super` is no use of the base.
pub(super) fn definition_places(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    workspace: &Workspace,
) -> Vec<RequestPosition> {
    let (at, word) = (&asked.at, word_at(workspace, &asked.at));
    let (path, place) = (at.file.as_str(), (at.line, at.col));
    let map = workspace.map();
    if map.def_named_at(path, at.line, at.col).is_some() {
        return vec![at.clone()];
    }
    let meant = map.def_meant_at(path, place, &word).filter(|(_, sure)| *sure <= Confidence::Import);
    let info = meant.and_then(|(def, _)| map.info(def.into()));
    drop(map);
    if let Some((info, file)) = info.and_then(|info| Some((info.name_at, info.path?))) {
        return vec![RequestPosition { file, line: info.0, col: info.1 }];
    }
    let mut found = defined_at(call, asked);
    found.retain(|at| word_at(workspace, at) == word);
    found
}

/// Returns the server's definition of the thing at the place, if it is one place in the workspace.
fn defined_at(call: &mut ToolCall<'_>, asked: &NavQuery) -> Vec<RequestPosition> {
    let found = asked.ask_server(call, PATIENCE, requests::definition);
    let places = found.map(|answer| answer.value).unwrap_or_default();
    let at = |place: &ServerLocation| match &place.file {
        FileRef::Inside(file) => {
            Some(RequestPosition { file: file.clone(), line: place.start.0, col: place.start.1 })
        }
        FileRef::Outside(_) => None,
    };
    if places.len() == 1 { places.iter().filter_map(at).collect() } else { Vec::new() }
}
