//! The one resolver of every argument that means a symbol or a place: a node ID, `name`, `Class.name`, `Class.#private`,
//! `path#name`, `path`, `path:line`, `path:line:col`, `path:from-to`.
//!
//! `form` reads the text, `look` finds what it names. A name that several definitions share is no error for a question: what it
//! may mean is what the caller needs next. Where an answer has no place for that, and for edits, it is the error's list.

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
use look::Look;
pub(super) use look::{Named, handle};
pub(super) use paths::Paths;

use super::ToolCall;
use super::position::LineSpot;
use hob_host::Workspace;
use hob_results::errors;

/// How many names that resemble one that is not there are told.
const SIMILAR: usize = 5;

/// Candidates named for an ambiguous target, and how many characters their lines may have.
const CANDIDATES: usize = 12;
const ROOM: usize = 700;

/// What a target turned out to be.
pub(super) enum Target {
    /// This node.
    Node(NodeRef),
    /// One of several; likeliest first.
    Several(Ambiguous),
}

/// Finds what `text` means, and warns where that is not plainly what was written.
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
        Named::One(meant) => {
            call.notes.warnings.extend(meant.note);
            call.warn_of_unmapped_around(map, meant.node);
            Ok(Target::Node(meant.node))
        }
        Named::Several(nodes) => {
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
        Named::Text(path, _) => Err(errors::not_mapped(&path)),
        Named::Nothing => {
            let shows = |path: &WsPath| workspace.is_visible(path);
            let look = Look { map, paths: paths(call, workspace), shows: &shows };
            match look.folder(form::trimmed(text)) {
                Some(folder) => Err(errors::folder_as_symbol(&folder)),
                None => Err(missing(map, workspace, text)),
            }
        }
    }
}

/// As [`find`], for answers that have no place for several: one node, or an error that lists what is meant.
///
/// # Errors
/// Those of [`find`]; `BAD_ARGS` with `candidates` where several have the name.
pub(super) fn one(
    call: &mut ToolCall<'_>,
    map: &Map,
    workspace: &Workspace,
    text: &str,
) -> Result<NodeRef, ToolError> {
    match look_up(call, map, workspace, text) {
        Named::Several(nodes) => {
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

/// Finds what a text names, without saying anything of it.
pub(super) fn look_up(call: &ToolCall<'_>, map: &Map, workspace: &Workspace, text: &str) -> Named {
    let shows = |path: &WsPath| workspace.is_visible(path);
    Look { map, paths: paths(call, workspace), shows: &shows }.up(text)
}

/// True if a text ends with a line, as places do.
pub(super) fn has_line(text: &str) -> bool {
    form::places(form::trimmed(text)).len() > 1
}

/// Returns the line, and the column if there is one, that a text gives of a file that is there. Asks no map.
pub(super) fn position(call: &ToolCall<'_>, workspace: &Workspace, text: &str) -> Option<LineSpot> {
    let paths = paths(call, workspace);
    let is_file = |path: &WsPath| workspace.root().join_ws(path).as_path().is_file();
    form::places(form::trimmed(text)).into_iter().find_map(|(path, span)| {
        let WrittenLines::At { line, col } = span else { return None };
        let file = paths.spelled(path).into_iter().flatten().find(is_file)?;
        Some(LineSpot { file, line, col })
    })
}

/// How the caller's paths are read: people mean what they see from where they stand.
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

/// What a name that several share may mean, the likeliest first.
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

/// Returns the error for a text that names nothing.
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
