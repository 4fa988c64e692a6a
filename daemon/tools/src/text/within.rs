//! Describes the part of a project's text that a search covers: files are selected by `paths`, and their lines by
//! `kinds` and `tests`.
//!
//! The map is locked for one file at a time, and never while a file is read.

use std::sync::Arc;

use hob_base::WsPath;
use hob_map::Map;
use hob_proto::ToolError;
use hob_text::{Admits, LineScope, LineSet};

use super::super::scope::{CallScope, Place, Rules};
use super::super::{NeededIndex, ToolCall};
use super::kinds::Kinds;
use hob_host::Workspace;

/// The files, selected by path, and the lines in them. `None` stands for all files or all lines.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchedFiles {
    pub(super) admits: Option<Admits>,
    pub(super) lines: Option<LineScope>,
}

/// Returns the workspace of a call, with the map if `kinds` or `tests` need it.
pub(super) fn workspace(call: &mut ToolCall<'_>, kinds: Kinds) -> Result<Arc<Workspace>, ToolError> {
    let asks_map = kinds.ask_map() || call.scope_args.tests.as_deref().is_some_and(|word| word != "include");
    if asks_map { call.workspace(NeededIndex::Map) } else { call.workspace_for_text() }
}

impl SearchedFiles {
    /// Returns the text that is in scope.
    pub(super) fn scope(scope: &CallScope, kinds: Kinds, workspace: &Arc<Workspace>) -> Self {
        let rules = Arc::clone(scope.rules());
        let by_path = move |path: &WsPath| rules.may_have_text(path);
        let rules = Arc::clone(scope.rules());
        let of_file =
            move |map: &Map, place: Place<'_>| rules.parted(map, place, &kinds.lines(map, place.0)).0;
        Self {
            admits: (!scope.is_all()).then(|| Admits(Arc::new(by_path))),
            lines: lines(scope.rules(), kinds, workspace, of_file),
        }
    }

    /// Returns the text that `paths` or `tests` exclude from the scope, or `None` if nothing is excluded.
    pub(super) fn besides(scope: &CallScope, kinds: Kinds, workspace: &Arc<Workspace>) -> Option<Self> {
        if scope.is_all() {
            return None;
        }
        let rules = Arc::clone(scope.rules());
        let by_path = move |path: &WsPath| rules.ask_map() || !rules.has_path(path);
        let rules = Arc::clone(scope.rules());
        let of_file = move |map: &Map, place: Place<'_>| {
            let lines = kinds.lines(map, place.0);
            if rules.has_path(place.1) { rules.parted(map, place, &lines).1 } else { lines }
        };
        let lines = lines(scope.rules(), kinds, workspace, of_file);
        Some(Self { admits: Some(Admits(Arc::new(by_path))), lines })
    }
}

/// Returns a function that asks the map for the lines of a file, or `None` if the map is not needed.
fn lines(
    rules: &Rules,
    kinds: Kinds,
    workspace: &Arc<Workspace>,
    of_file: impl Fn(&Map, Place<'_>) -> LineSet + Send + Sync + 'static,
) -> Option<LineScope> {
    let workspace = Arc::clone(workspace);
    let asks_map = kinds.ask_map() || rules.ask_map();
    asks_map.then(|| LineScope::new(move |file, path| of_file(&workspace.map(), (file, path))))
}
