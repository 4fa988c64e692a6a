//! Finds the definitions around the lines that answers show: without them, a reader has to ask which definition
//! contains a hit.
//!
//! Only files whose present state is in the map have them; nothing waits for the map.

use hob_base::{FileId, WsPath};
use hob_map::Map;
use hob_proto::Anchor;
use hob_proto::tools::text::TextMatch;
use rustc_hash::FxHashMap;

use hob_host::{Phase, Workspace};

/// A definition's lines and name.
struct SymbolLines {
    /// The line of its name: up to there, lines belong to the definition around it.
    name: u32,
    last: u32,
    qualified: String,
}

/// A finder of the definitions around lines, which caches those of each file.
struct Enclosing<'w> {
    workspace: &'w Workspace,
    files: FxHashMap<String, Vec<SymbolLines>>,
}

/// Writes the enclosing definition into each matching line.
pub(super) fn fill_matches(workspace: &Workspace, matches: &mut [TextMatch]) {
    let mut enclosing = Enclosing::in_workspace(workspace);
    for found in matches {
        let line = found.line.and_then(|line| u32::try_from(line).ok());
        found.symbol = line.and_then(|line| enclosing.symbol_at(&found.file, line));
    }
}

/// Writes the enclosing definition into each place inside the workspace.
pub(super) fn fill_places(workspace: &Workspace, places: &mut [Anchor]) {
    let mut enclosing = Enclosing::in_workspace(workspace);
    for place in places.iter_mut().filter(|place| !place.external) {
        place.symbol = enclosing.symbol_at(&place.file, place.line);
    }
}

/// Returns the definitions around places, each a path and a 1-based line. Places in no definition are left out.
pub(super) fn symbols_around(workspace: &Workspace, places: &[(String, u32)]) -> Vec<(String, u32, String)> {
    let mut enclosing = Enclosing::in_workspace(workspace);
    let around =
        |(path, line): &(String, u32)| Some((path.clone(), *line, enclosing.symbol_at(path, *line)?));
    places.iter().filter_map(around).collect()
}

impl<'w> Enclosing<'w> {
    fn in_workspace(workspace: &'w Workspace) -> Self {
        Self { workspace, files: FxHashMap::default() }
    }

    /// Returns the innermost definition that began on an earlier line and has not ended.
    fn symbol_at(&mut self, path: &str, line: u32) -> Option<String> {
        if !self.files.contains_key(path) {
            self.files.insert(path.to_owned(), spans_of(self.workspace, path));
        }
        let spans = self.files.get(path)?;
        let around = spans.iter().filter(|span| span.name < line && line <= span.last);
        // If two begin on the same line, the inner one comes later in the file's order.
        around.max_by_key(|span| span.name).map(|span| span.qualified.clone())
    }
}

/// Returns the definitions of a file in source order; none if the map does not have the file's present state.
fn spans_of(workspace: &Workspace, path: &str) -> Vec<SymbolLines> {
    let is_stale = || WsPath::new(path).is_ok_and(|path| workspace.stale_files().has(&path));
    if workspace.progress.now().phase != Phase::Done || is_stale() {
        return Vec::new();
    }
    let map = workspace.map();
    map.file_at(path).map(|file| spans_in(&map, file)).unwrap_or_default()
}

fn spans_in(map: &Map, file: FileId) -> Vec<SymbolLines> {
    let Some((_, facts)) = map.file(file) else { return Vec::new() };
    let code = map.outline(file).filter(|(_, def)| !def.kind.is_prose());
    let span = |def: &hob_map::facts::Def| SymbolLines {
        name: def.name_at.0,
        last: def.lines.1,
        qualified: facts.name(def.qualified).to_owned(),
    };
    code.map(|(_, def)| span(def)).collect()
}
