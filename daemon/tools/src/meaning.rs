//! Finds what the name at a place means without a language server: a local name by the scopes of its file, anything else by the map.
//!
//! A local name hides what the map knows by the same name, and what the map is sure of hides guesses. Candidates are given only where
//! nothing is known, and never beside anything else.

use hob_base::CancelToken;
use hob_live::requests::RequestPosition;
use hob_map::graph::{Confidence, DefRef, NodeInfo, NodeRef};
use hob_map::locals::{LocalName, NamePlace, local_name_at};
use hob_map::{Lang, Map, language_of};

use super::ask::text_of;
use super::nav_query::word_at;
use hob_host::Workspace;

/// A file's beginning, by which its language is told.
const HEAD: usize = 4096;

/// The meaning of a name.
pub(super) enum Meaning {
    /// A name that the file itself binds, and that no definition of the map is.
    Local(LocalName),
    /// The node that is meant; several where each may be; none where nothing is known.
    Nodes(Vec<MeantNode>),
}

/// A node that a name means or may mean.
pub(super) struct MeantNode {
    /// The node.
    pub(super) info: NodeInfo,
    /// The confidence that it is meant.
    pub(super) sure: Confidence,
}

/// Finds what is meant by the name at a place.
pub(super) fn meaning_at(workspace: &Workspace, at: &RequestPosition, cancel: &CancelToken) -> Meaning {
    let (local, word) = (local_name(workspace, at, cancel), word_at(workspace, at));
    let map = workspace.map();
    let Some(local) = local else { return Meaning::Nodes(nodes_at(&map, at, &word)) };
    let path = at.file.as_str();
    let defined = local.bindings.iter().find_map(|place| map.def_named_at(path, place.line, place.col));
    if let Some(def) = defined {
        return Meaning::Nodes(infos(&map, [(def.into(), Confidence::Exact)]));
    }
    if local.is_local {
        return Meaning::Local(local);
    }
    let known = nodes_at(&map, at, &word);
    if known.iter().any(|one| one.sure < Confidence::Name) {
        return Meaning::Nodes(known);
    }
    let led = local.bindings.iter().find_map(|place| map.imported_at(path, place.line, &local.name));
    match led {
        Some(node) => Meaning::Nodes(infos(&map, [(node, Confidence::Import)])),
        None => Meaning::Local(local),
    }
}

/// The definition whose name stands at a place, or that the reference there surely means.
pub(super) fn def_at(map: &Map, at: &RequestPosition, word: &str) -> Option<DefRef> {
    let path = at.file.as_str();
    if let Some(named) = map.def_named_at(path, at.line, at.col) {
        return Some(named);
    }
    if let Some((meant, _)) = map.def_meant_at(path, (at.line, at.col), word) {
        return Some(meant);
    }
    match map.imported_at(path, at.line, word)? {
        NodeRef::Def(def) => Some(def),
        _ => None,
    }
}

/// The nodes that the map gives for a place.
fn nodes_at(map: &Map, at: &RequestPosition, word: &str) -> Vec<MeantNode> {
    let path = at.file.as_str();
    if let Some(named) = map.def_named_at(path, at.line, at.col) {
        return infos(map, [(named.into(), Confidence::Exact)]);
    }
    let meant = map.defs_meant_at(path, (at.line, at.col), word);
    let is_known = meant.iter().any(|(_, sure)| *sure < Confidence::Name);
    match map.imported_at(path, at.line, word).filter(|_| !is_known) {
        Some(node) => infos(map, [(node, Confidence::Import)]),
        None => infos(map, meant.into_iter().map(|(def, sure)| (def.into(), sure))),
    }
}

fn infos(map: &Map, nodes: impl IntoIterator<Item = (NodeRef, Confidence)>) -> Vec<MeantNode> {
    let info = |(node, sure)| Some(MeantNode { info: map.info(node)?, sure });
    nodes.into_iter().filter_map(info).collect()
}

/// The name at a place, if its file binds it.
fn local_name(workspace: &Workspace, at: &RequestPosition, cancel: &CancelToken) -> Option<LocalName> {
    let text = text_of(workspace, &at.file)?;
    let lang = language_of(at.file.file_name(), &text.as_bytes()[..text.len().min(HEAD)]);
    let lang = lang.filter(|lang| *lang != Lang::Manifest);
    let place = NamePlace { line: at.line, col: at.col };
    local_name_at(lang, text.as_bytes(), place, &|| cancel.check().is_ok())
}
