//! Imported indexes in place of a language server that has no answer: a compiler's word about contents that are still the same stands
//! above what the map makes out, and below a server that runs.
//!
//! Of a file that is not as it was indexed, and of one that no index has, the map answers: its uses are added, each with how sure it
//! is. So an answer is `partial`, as every answer without a server.

use std::collections::HashMap;

use hob_base::{ContentHash, WsPath};
use hob_host::{ImportedIndex, IndexedPlace, NamedPlaces, Workspace, places_named_at};
use hob_live::requests::RequestPosition;
use hob_live::uri::FileRef;
use hob_proto::Anchor;
use hob_results::{FileLineCache, current_bytes};

/// The word for answers of imported indexes, and for places that they have.
pub(super) const SCIP: &str = "scip";

/// The answer of the imported indexes about the name at a place.
pub(super) struct ImportedAnswer {
    /// The places that they have.
    pub(super) places: NamedPlaces,
    indexes: std::sync::Arc<[ImportedIndex]>,
    hashes: HashMap<WsPath, Option<ContentHash>>,
}

impl ImportedAnswer {
    /// Asks the imported indexes about the name at a place; `None` where no index that is believed has one there.
    pub(super) fn at(workspace: &Workspace, at: &RequestPosition) -> Option<Self> {
        let indexes = workspace.imported_indexes();
        if indexes.is_empty() {
            return None;
        }
        let mut hashes = HashMap::new();
        let mut current = |path: &WsPath| {
            let hash = || current_bytes(workspace, path).map(|bytes| ContentHash::of(&bytes));
            *hashes.entry(path.clone()).or_insert_with(hash)
        };
        let places = places_named_at(&indexes, (&at.file, at.line, at.col), &mut current)?;
        Some(Self { places, indexes, hashes })
    }

    /// Says whether an index is believed of a file: then the map has nothing to add there.
    pub(super) fn is_of(&mut self, workspace: &Workspace, path: &WsPath) -> bool {
        let hash = || current_bytes(workspace, path).map(|bytes| ContentHash::of(&bytes));
        let now = *self.hashes.entry(path.clone()).or_insert_with(hash);
        let indexed = |one: &ImportedIndex| one.index.file_at(path.as_str()).map(|file| file.hash);
        now.is_some() && self.indexes.iter().any(|one| indexed(one) == now)
    }
}

/// Places of imported indexes with the lines that they are on.
pub(super) fn anchors_of(workspace: &Workspace, places: &[IndexedPlace]) -> Vec<Anchor> {
    let mut lines = FileLineCache::in_workspace(workspace);
    let anchor = |place: &IndexedPlace| Anchor {
        file: place.path.to_string(),
        line: place.line,
        col: place.col,
        end_line: None,
        snippet: lines.line(&FileRef::Inside(place.path.clone()), place.line),
        external: false,
        from_map: Some(SCIP.to_owned()),
        symbol: None,
    };
    places.iter().map(anchor).collect()
}
