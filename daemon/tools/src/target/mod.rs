//! Resolves every argument that means a symbol or a place: a node ID, `name`, `Class.name`, `Class.#private`,
//! `path#name`, `path`, `path:line`, `path:line:col`, `path:from-to`.
//!
//! `form` parses the text, `look` finds its meaning. A name that several definitions share is no error for a question,
//! because the caller needs the candidates next. If an answer has no place for candidates, and for edits, the error
//! lists them.

mod absent;
mod form;
mod look;
mod paths;
#[cfg(test)]
mod tests;

use hob_base::WsPath;
use hob_map::Map;
use hob_map::graph::{KindFilter, NodeRef, SearchQuery};
use hob_proto::tools::read::{Ambiguous, AmbiguousCandidate};
use hob_proto::{ClientKind, NodeId, ToolError};

pub(super) use absent::why_absent;
use form::WrittenLines;
use look::LookupContext;
pub(super) use look::{TargetMeaning, handle};
pub(super) use paths::Paths;

use super::ToolCall;
use super::position::LineSpot;
use hob_host::Workspace;
use hob_results::errors;

/// Most similar names that the error for an absent name lists.
const SIMILAR: usize = 5;

/// Most candidates that are named for an ambiguous target, and most characters of their lines together.
const CANDIDATES: usize = 12;
const ROOM: usize = 700;

/// The meaning of a target.
pub(super) enum Target {
    /// The target means this node.
    Node(NodeRef),
    /// The target means one of several nodes; the likeliest first.
    Several(Ambiguous),
}

/// Finds the meaning of `text`, and warns if it is not plainly the written one.
///
/// # Errors
/// `NODE_NOT_FOUND` for an ID that names nothing, `SYMBOL_NOT_FOUND` for any other text.
pub(super) fn find(
    call: &mut ToolCall<'_>,
    map: &Map,
    workspace: &Workspace,
    text: &str,
) -> Result<Target, ToolError> {
    match look_up(call, map, workspace, text) {
        TargetMeaning::One(meant) => {
            call.notes.warnings.extend(meant.note);
            call.warn_of_unmapped_around(map, meant.node);
            Ok(Target::Node(meant.node))
        }
        TargetMeaning::Several(nodes) => {
            let several = ambiguous(map, text, &nodes);
            call.notes.warnings.push(format!(
                "`{}` is the name of {} definitions: pass one of them.",
                short(text),
                nodes.len()
            ));
            call.omit_items(
                "candidates",
                nodes.len(),
                several.candidates.len(),
                "Pass a qualified name or `path#name`.",
            );
            Ok(Target::Several(several))
        }
        TargetMeaning::Text(path, _) => Err(errors::not_mapped(&path)),
        TargetMeaning::Nothing => {
            let shows = |path: &WsPath| workspace.is_visible(path);
            let look = LookupContext { map, paths: paths(call, workspace), shows: &shows };
            match look.folder(form::trimmed(text)) {
                Some(folder) => Err(errors::folder_as_symbol(&folder)),
                None => Err(missing(map, workspace, text)),
            }
        }
    }
}

/// Finds one node like [`find`], for answers without a place for several, or returns an error that lists the
/// candidates.
///
/// # Errors
/// The errors of [`find`]; `BAD_ARGS` with `candidates` if several have the name.
pub(super) fn one(
    call: &mut ToolCall<'_>,
    map: &Map,
    workspace: &Workspace,
    text: &str,
) -> Result<NodeRef, ToolError> {
    match look_up(call, map, workspace, text) {
        TargetMeaning::Several(nodes) => {
            let lines = shown(nodes.iter().map(|node| handle(map, *node)));
            Err(errors::several_nodes(&short(text), nodes.len(), lines))
        }
        _ => match find(call, map, workspace, text)? {
            Target::Node(node) => Ok(node),
            Target::Several(several) => {
                Err(errors::several_nodes(&several.target, several.candidates.len(), Vec::new()))
            }
        },
    }
}

/// Finds the meaning of a text without any warning.
pub(super) fn look_up(call: &ToolCall<'_>, map: &Map, workspace: &Workspace, text: &str) -> TargetMeaning {
    let shows = |path: &WsPath| workspace.is_visible(path);
    LookupContext { map, paths: paths(call, workspace), shows: &shows }.up(text)
}

/// Returns true if a text ends with a line, as places do.
pub(super) fn has_line(text: &str) -> bool {
    form::places(form::trimmed(text)).len() > 1
}

/// Returns the line, and the column if there is one, that a text gives in an existing file. Needs no map.
pub(super) fn position(call: &ToolCall<'_>, workspace: &Workspace, text: &str) -> Option<LineSpot> {
    let paths = paths(call, workspace);
    let is_file = |path: &WsPath| workspace.root().join_ws(path).as_path().is_file();
    form::places(form::trimmed(text)).into_iter().find_map(|(path, span)| {
        let WrittenLines::At { line, col } = span else { return None };
        let file = paths.spelled(path).into_iter().flatten().find(is_file)?;
        Some(LineSpot { file, line, col })
    })
}

/// Returns the paths that a target may name: as a whole, before lines, before the name of a definition, in a node ID.
pub(super) fn paths_in(target: &str) -> Vec<&str> {
    let text = form::trimmed(target);
    let first = text.split_whitespace().next().unwrap_or(text);
    let places = form::places(first).into_iter().map(|(path, _)| path);
    let mut paths: Vec<&str> = places.chain(form::members(first).map(|(path, _)| path)).collect();
    // A node ID begins with the language.
    let without_language: Vec<&str> = paths.iter().filter_map(|path| Some(path.split_once(':')?.1)).collect();
    paths.extend(without_language);
    paths.retain(|path| path.contains(['/', '.']));
    paths
}

/// Returns the rules for the caller's paths: people write paths relative to their own folder.
pub(super) fn paths<'a>(call: &'a ToolCall<'_>, workspace: &'a Workspace) -> Paths<'a> {
    Paths {
        root: workspace.root(),
        folder: &call.terms.start,
        folder_first: call.request.client == ClientKind::Cli,
    }
}

/// Returns the first lines that fit.
fn shown(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut left = ROOM;
    let fits = |line: &String| {
        let fits = line.len() + 3 <= left;
        left = left.saturating_sub(line.len() + 3);
        fits
    };
    lines.take(CANDIDATES).take_while(fits).collect()
}

/// Lists the candidates for a name that several share, the likeliest first.
pub(super) fn ambiguous(map: &Map, target: &str, nodes: &[NodeRef]) -> Ambiguous {
    let lines = shown(nodes.iter().map(|node| handle(map, *node))).len().max(2);
    let infos = nodes.iter().take(lines).filter_map(|node| map.info(*node));
    let candidates: Vec<AmbiguousCandidate> = infos
        .map(|info| AmbiguousCandidate {
            uid: info.id.to_string(),
            kind: info.kind.as_str().to_owned(),
            file: info.path.as_ref().map(ToString::to_string).unwrap_or_default(),
            line: info.name_at.0,
        })
        .collect();
    Ambiguous { target: target.to_owned(), more: nodes.len().saturating_sub(candidates.len()), candidates }
}

/// Returns the error for a text that means nothing.
pub(super) fn missing(map: &Map, workspace: &Workspace, text: &str) -> ToolError {
    let text = form::trimmed(text);
    if NodeId::looks_like(text) {
        return match text.parse::<NodeId>() {
            Ok(id) => errors::missing_node(map, workspace, &id),
            Err(error) => errors::bad_node_id(&error, text),
        };
    }
    if let Some(why) = absent::why_nowhere(map, text) {
        return errors::absent_symbol(&short(text), why);
    }
    let last = absent::last_part(text);
    let query = SearchQuery { text: last, kinds: KindFilter::Any, path_prefix: "", limit: SIMILAR };
    let similar = map.search(&query).hits.into_iter().map(|hit| hit.info.id.to_string()).collect();
    errors::no_such_symbol(&short(text), similar)
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(120).collect()
}
