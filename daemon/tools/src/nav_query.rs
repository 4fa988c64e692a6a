//! Reads the place that a `nav_*` call is about, and puts questions about it to the server of its file.

use std::sync::Arc;
use std::time::Duration;

use hob_base::LineIndex;
use hob_bridge::AnsweredQuestion;
use hob_host::{Freshness, Workspace, WorkspaceRevision};
use hob_live::instance::{Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{RequestPosition, ServerQueryContext};
use hob_map::graph::{NodeKind, NodeRef};
use hob_proto::tools::nav::PositionArgs;
use hob_proto::{NodeId, ToolError};
use hob_results::errors;

use super::ask::{ask, await_server, text_of};
use super::position::LineSpot;
use super::{NeededIndex, ToolCall, target};

/// Longest time that most questions may take, the start of a server included.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// The place that a question is about, with its workspace and revision.
pub(super) struct NavQuery {
    pub(super) workspace: Arc<Workspace>,
    pub(super) at: RequestPosition,
    /// The revision at which it is asked; `None` if the index may not be fresh.
    pub(super) revision: Option<WorkspaceRevision>,
}

impl NavQuery {
    pub(super) fn new(call: &mut ToolCall<'_>, args: &PositionArgs) -> Result<Self, ToolError> {
        let target = match (&args.node_id, &args.target) {
            (Some(_), Some(_)) => return Err(errors::position_or_node()),
            (id, target) => id.as_ref().or(target.as_ref()),
        };
        let is_named = target.is_some_and(|target| !target::has_line(target));
        let mut workspace = call.workspace(if is_named { NeededIndex::Map } else { NeededIndex::Text })?;
        let at = match (target, &args.file) {
            (Some(_), Some(_)) | (None, None) => return Err(errors::position_or_node()),
            (Some(target), None) => match target::position(call, &workspace, target) {
                Some(spot) => spot.name(&workspace, &call.cancel)?,
                None => {
                    workspace = call.workspace(NeededIndex::Map)?;
                    place_of_node(call, &workspace, target)?
                }
            },
            (None, Some(file)) => {
                let file = hob_workspace::confine(workspace.root(), file)
                    .map_err(|error| errors::outside_workspace(&error, workspace.root()))?;
                let line = args.line.ok_or_else(errors::position_or_node)?;
                let spot = LineSpot { file, line, col: args.col };
                spot.check_file_exists(&workspace)?;
                spot.name(&workspace, &call.cancel)?
            }
        };
        if !workspace.root().join_ws(&at.file).as_path().exists() {
            return Err(errors::file_deleted(&at.file));
        }
        let revision = revision_of_call(call, &workspace);
        Ok(Self { workspace, at, revision })
    }

    pub(super) fn ask_server<T>(
        &self,
        call: &mut ToolCall<'_>,
        patience: Duration,
        question: impl Fn(&Instance, &RequestPosition, ServerQueryContext<'_>) -> Result<T, LiveError>,
    ) -> Result<T, ToolError> {
        let outcome = ask(call, &self.workspace, &self.at.file, patience, |server, asking| {
            question(server, &self.at, asking)
        });
        outcome.map_err(|error| errors::server_failed(&error, patience))
    }

    /// Waits a moment for the server. The error tells whether it is late, which may be waited for, or why it cannot be
    /// asked.
    pub(super) fn await_server(&self, call: &ToolCall<'_>) -> Result<(), ToolError> {
        let outcome = await_server(call, &self.workspace, &self.at.file);
        outcome.map_err(|error| {
            errors::server_loading(&error).unwrap_or_else(|| errors::server_failed(&error, PATIENCE))
        })
    }

    /// Promotes an answer to edges of the map, if it is complete. This returns immediately, but the work that it starts
    /// takes processor time, so it comes last.
    pub(super) fn promote_answer<T>(
        &self,
        answer: ServerAnswer<T>,
        answered: impl FnOnce(RequestPosition, T) -> AnsweredQuestion,
    ) {
        if let Some(revision) = self.revision.filter(|_| answer.is_complete()) {
            self.workspace.promote_answer(answered(self.at.clone(), answer.value), revision);
        }
    }

    /// Returns the place of the name of the innermost function around the position, as far as the map knows.
    pub(super) fn enclosing_name(&self) -> Option<(u32, u32)> {
        let map = self.workspace.map();
        let file = map.file_at(self.at.file.as_str())?;
        let around = |info: &hob_map::graph::NodeInfo| {
            (info.lines.0..=info.lines.1).contains(&self.at.line)
                && matches!(info.kind, NodeKind::Def(kind) if kind.is_callable())
        };
        let infos = map.defs_of(file).into_iter().filter_map(|def| map.info(def.into()));
        let nearest = infos.filter(around).min_by_key(|info| info.lines.1 - info.lines.0)?;
        Some(nearest.name_at).filter(|at| *at != (self.at.line, self.at.col))
    }
}

/// Returns the revision at which a call asks; `None` if the index may not be fresh.
pub(super) fn revision_of_call(call: &ToolCall<'_>, workspace: &Workspace) -> Option<WorkspaceRevision> {
    workspace.current_revision().filter(|_| call.notes.freshness == Freshness::Fresh)
}

fn place_of_node(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    text: &str,
) -> Result<RequestPosition, ToolError> {
    let map = workspace.map();
    let node = target::one(call, &map, workspace, text)?;
    if matches!(node, NodeRef::File(_)) && !NodeId::looks_like(text) {
        return Err(errors::position_or_node());
    }
    let info = map.info(node).ok_or_else(|| errors::node_not_found(text))?;
    let Some(file) = info.path else { return Err(errors::node_without_file(text)) };
    let (line, col) = if info.name_at.0 == 0 { (1, 1) } else { info.name_at };
    Ok(RequestPosition { file, line, col: col.max(1) })
}

/// Returns the name at a place; empty if there is none.
pub(super) fn word_at(workspace: &Workspace, at: &RequestPosition) -> String {
    let text = text_of(workspace, &at.file).unwrap_or_default();
    word_in(&text, &LineIndex::new(text.as_bytes()), at.line, at.col)
}

/// Returns the name at a line and column of a text; empty if there is none.
pub(super) fn word_in(text: &str, index: &LineIndex, line: u32, col: u32) -> String {
    let range = index.line_range(line);
    let line = range.and_then(|range| text.get(range)).unwrap_or_default();
    let units: Vec<u16> = line.encode_utf16().collect();
    let (before, after) = units.split_at((col.saturating_sub(1) as usize).min(units.len()));
    let (before, after) = (String::from_utf16_lossy(before), String::from_utf16_lossy(after));
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = before.trim_end_matches(is_part).len();
    let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
    format!("{}{}", &before[start..], &after[..end])
}
