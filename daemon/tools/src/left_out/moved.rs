//! Finds the files that import a file to be moved, and that the move would not change.

use hob_base::{Deadline, WsPath};
use hob_bridge::{Listed, Missing};
use hob_map::Map;
use hob_map::graph::{Confidence, Edge, EdgeKind, NodeRef};

use super::super::{NeededIndex, ToolCall};
use super::{MAP_PATIENCE, MapComparison};

/// Returns sure imports of a file, in files that have no change in `changed`.
pub(crate) fn find_importers(call: &mut ToolCall<'_>, file: &WsPath, changed: &Listed) -> MapComparison {
    let server = "the language server";
    let workspace = match call.workspace(NeededIndex::Map) {
        Ok(workspace) => workspace,
        Err(error) => {
            let doubt =
                format!("the edit was not compared with the map: {}", error.message.trim_end_matches('.'));
            return MapComparison { server, doubt: Some(doubt), ..MapComparison::default() };
        }
    };
    let cancel = call.cancel.with_deadline(Deadline::after(MAP_PATIENCE));
    let map = workspace.map();
    let kinds = [EdgeKind::Imports, EdgeKind::Exports].into_iter().collect();
    let edges = map.file_at(file.as_str()).map(|at| map.edges_in(NodeRef::File(at), kinds, &cancel));
    let Some(Ok(edges)) = edges else { return MapComparison { server, ..MapComparison::default() } };
    let sure = edges.iter().filter(|edge| edge.confidence <= Confidence::Import);
    let mut missing: Vec<Missing> = sure.filter_map(|edge| missing_import(&map, edge)).collect();
    missing.retain(|one| one.path != *file && !changed.has_file(&one.path));
    missing.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    missing.dedup_by(|a, b| a.path == b.path);
    MapComparison { server, name: file.file_name().to_owned(), missing, doubt: None }
}

fn missing_import(map: &Map, edge: &Edge) -> Option<Missing> {
    let from = map.info(edge.from)?;
    let line = edge.sites.first().copied().unwrap_or(1);
    Some(Missing { path: from.path.clone()?, line, col: None, confidence: edge.confidence, from })
}
