//! Lists the symbols of a document, and those of the workspace.

use hob_map::facts::{Def, DefIdx, DefKind};
use hob_map::graph::{KindFilter, NodeInfo, NodeKind, SearchQuery};
use serde_json::{Value, json};

use super::MapQuestion;
use super::document::{MapDocument, wait_for_map};
use super::place::{FilePlace, range};

/// Most symbols of a workspace.
const MOST_SYMBOLS: usize = 128;

/// Number of symbols asked for: the search finds files and packages as well, which are dropped.
const ASKED: usize = 2 * MOST_SYMBOLS;

/// Most symbols of a document.
const MOST_OF_DOCUMENT: usize = 10_000;

/// Deepest level of an outline; deeper symbols are shown at this one, because editors and parsers of JSON recurse.
const DEEPEST: usize = 40;

/// Answers `textDocument/documentSymbol` from the document's facts.
pub(super) fn of_document(question: &MapQuestion<'_>) -> Value {
    MapDocument::from_question(question).map_or_else(|| json!([]), |document| document.symbol_tree())
}

/// Answers `workspace/symbol` from the map.
pub(super) fn of_workspace(question: &MapQuestion<'_>) -> Value {
    let text = question.params.get("query").and_then(Value::as_str).unwrap_or_default();
    wait_for_map(question);
    let query = SearchQuery { text, kinds: KindFilter::Any, path_prefix: "", limit: ASKED };
    let hits = question.workspace.map().search(&query).hits;
    let symbols = hits.into_iter().filter_map(|hit| symbol(question, &hit.info));
    symbols.take(MOST_SYMBOLS).collect()
}

fn symbol(question: &MapQuestion<'_>, info: &NodeInfo) -> Option<Value> {
    let NodeKind::Def(kind) = info.kind else { return None };
    let place = FilePlace::from_node(info)?;
    let around = info.qualified.strip_suffix(&info.name).unwrap_or_default();
    let container = match around.trim_end_matches(['.', '/']) {
        "" => place.path.as_str(),
        around => around,
    };
    Some(json!({
        "name": name_or_kind(&info.name, kind),
        "kind": kind_number(kind),
        "containerName": container,
        "location": place.to_location(question.workspace),
    }))
}

impl MapDocument {
    fn symbol_tree(&self) -> Value {
        let defs: Vec<(DefIdx, &Def)> = self.facts.defs_indexed().take(MOST_OF_DOCUMENT).collect();
        let mut depths: Vec<usize> = Vec::with_capacity(defs.len());
        let mut homes: Vec<Option<usize>> = Vec::with_capacity(defs.len());
        for (_, def) in &defs {
            let parent = def.parent.map(DefIdx::index).filter(|parent| *parent < depths.len());
            let home = parent.and_then(|at| if depths[at] >= DEEPEST { homes[at] } else { Some(at) });
            depths.push(home.map_or(0, |home| depths[home] + 1));
            homes.push(home);
        }
        // Children come behind their parents, so from the end each is complete when it is handed to its parent.
        let mut children: Vec<Vec<Value>> = vec![Vec::new(); defs.len()];
        let mut top = Vec::new();
        for (at, (_, def)) in defs.iter().enumerate().rev() {
            let mut inner = std::mem::take(&mut children[at]);
            inner.reverse();
            let symbol = self.symbol(def, inner);
            homes[at].map_or(&mut top, |home| &mut children[home]).push(symbol);
        }
        top.reverse();
        Value::Array(top)
    }

    fn symbol(&self, def: &Def, children: Vec<Value>) -> Value {
        let name = self.name_of(def);
        let name_end = (name.at.0, name.at.1 + name.width);
        // Some editors refuse a symbol whose name lies outside of it.
        let from = self.text.place_of_byte(def.bytes.0).min(name.at);
        let to = self.text.place_of_byte(def.bytes.1).max(name_end);
        let mut symbol = json!({
            "name": name_or_kind(self.name(def.name), def.kind),
            "kind": kind_number(def.kind),
            "range": range(from, to),
            "selectionRange": name.range(),
        });
        let detail = self.facts.signature(def);
        if !detail.is_empty() && !def.kind.is_prose() {
            symbol["detail"] = detail.into();
        }
        if !children.is_empty() {
            symbol["children"] = Value::Array(children);
        }
        symbol
    }
}

/// Returns the name of a symbol, or its kind: editors refuse symbols without a name.
fn name_or_kind(name: &str, kind: DefKind) -> &str {
    if name.trim().is_empty() { kind.as_str() } else { name }
}

/// Returns the protocol's number of a kind of symbol.
fn kind_number(kind: DefKind) -> u8 {
    match kind {
        DefKind::Module => 2,
        DefKind::Class => 5,
        DefKind::Method => 6,
        DefKind::Field => 8,
        DefKind::Enum => 10,
        DefKind::Interface | DefKind::Trait => 11,
        DefKind::Function | DefKind::Macro => 12,
        DefKind::Variable => 13,
        DefKind::Constant => 14,
        DefKind::Section | DefKind::Note => 15,
        DefKind::Route => 20,
        DefKind::Struct => 23,
        DefKind::TypeAlias => 26,
    }
}
