//! Answers from imported indexes in place of a language server that has no answer. A compiler's word about contents
//! that are still the same is trusted more than the map, and less than a running server.
//!
//! In files that are not as they were indexed, and in those that no index has, the map answers: its uses are added,
//! each with its confidence. So an answer is `partial`, like every answer without a server.

use std::collections::{HashMap, HashSet};

use hob_base::{ContentHash, WsPath};
use hob_host::{IndexedPlace, NamedSymbols, PlaceInFile, Workspace, symbols_named_at};
use hob_live::requests::RequestPosition;
use hob_live::uri::FileRef;
use hob_proto::Anchor;
use hob_proto::tools::map::Neighbor;
use hob_results::{FileLineCache, current_bytes};

/// The word for answers of imported indexes, and for places that they have.
pub(super) const SCIP: &str = "scip";

/// The knowledge of imported indexes about the name at a place.
pub(super) struct ImportedAnswer<'w> {
    symbols: NamedSymbols,
    contents: PresentContents<'w>,
}

/// The hashes of present contents, unsaved texts of editors included; each is computed once.
struct PresentContents<'w> {
    workspace: &'w Workspace,
    hashes: HashMap<WsPath, Option<ContentHash>>,
}

impl PresentContents<'_> {
    fn hash_of(&mut self, path: &WsPath) -> Option<ContentHash> {
        if let Some(known) = self.hashes.get(path) {
            return *known;
        }
        let hash = current_bytes(self.workspace, path).map(|bytes| ContentHash::of(&bytes));
        self.hashes.insert(path.clone(), hash);
        hash
    }
}

impl<'w> ImportedAnswer<'w> {
    /// Asks the imported indexes about the name at a place; `None` if no index that is believed has one there.
    pub(super) fn at(workspace: &'w Workspace, at: &RequestPosition) -> Option<Self> {
        let indexes = workspace.imported_indexes();
        if indexes.is_empty() {
            return None;
        }
        let mut contents = PresentContents { workspace, hashes: HashMap::new() };
        let place = PlaceInFile { path: &at.file, line: at.line, col: at.col };
        let symbols = symbols_named_at(indexes, place, &mut |path| contents.hash_of(path))?;
        Some(Self { symbols, contents })
    }

    pub(super) fn definitions(&mut self) -> Vec<IndexedPlace> {
        self.symbols.definitions(&mut |path| self.contents.hash_of(path))
    }

    pub(super) fn uses(&mut self) -> Vec<IndexedPlace> {
        self.symbols.uses(&mut |path| self.contents.hash_of(path))
    }

    pub(super) fn implementations(&mut self) -> Vec<IndexedPlace> {
        self.symbols.implementations(&mut |path| self.contents.hash_of(path))
    }

    /// Returns true if an index is believed about a file: the map then adds nothing there.
    pub(super) fn is_of(&mut self, path: &WsPath) -> bool {
        self.contents.hash_of(path).is_some_and(|now| self.symbols.has_file(path, now))
    }
}

/// Raises the confidence of users of the definition at `place` that the map only guesses, if an imported index has a
/// use on one of their lines.
pub(super) fn confirm_users(workspace: &Workspace, place: &RequestPosition, users: &mut [Neighbor]) {
    let is_unsure = |user: &&mut Neighbor| {
        let is_guess = ["candidate", "name", "flow", "framework"].contains(&user.confidence.as_str());
        is_guess && user.direction == "in" && user.depth == 1 && user.names.is_none()
    };
    let mut unsure = users.iter_mut().filter(is_unsure).peekable();
    if unsure.peek().is_none() {
        return;
    }
    let Some(mut known) = ImportedAnswer::at(workspace, place) else { return };
    let lines: HashSet<(String, u32)> =
        known.uses().into_iter().map(|place| (place.path.to_string(), place.line)).collect();
    let has_use =
        |user: &&mut Neighbor| user.sites.iter().any(|line| lines.contains(&(user.file.clone(), *line)));
    for user in unsure.filter(has_use) {
        user.confidence = SCIP.to_owned();
        user.resolved = true;
        user.candidates.clear();
    }
}

/// Converts places of imported indexes to anchors with their lines.
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
