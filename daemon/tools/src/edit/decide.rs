//! Answers `resolve_action`, `edit_pending` and `hob_undo`: lists pending changes, and applies, discards or undoes
//! them.

use std::sync::Arc;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_edit::{Owner, Pending, Preview, Proposal, Summary};
use hob_proto::ToolError;
use hob_proto::tools::edit::{
    Action, FileCount, PendingArgs, PendingResult, ResolveActionArgs, ResolveActionResult, UndoResult,
};
use serde_json::Value;

use super::super::{NeededIndex, ToolCall, ToolOutcome, rename as live, to_data};
use super::{checks, guard};
use hob_host::{Freshness, Workspace};
use hob_results::{edit as to_proto, errors};

/// Most characters in addition to the diff in an answer that shows a part of one.
const BESIDE_DIFF: usize = 2_000;

/// Longest time for the diagnostics of servers, before an edit and after it each.
const JUDGED_WITHIN: Duration = Duration::from_secs(5);

pub(crate) fn resolve_action(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ResolveActionArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::State)?;
    guard::allowed(call, &workspace)?;
    let owner = Owner { client: call.request.identity.clone(), root: workspace.root().clone() };
    let found = call
        .services
        .host
        .edits()
        .find(&owner, args.pending_id.as_deref())
        .map_err(|e| to_proto::error(&e))?;
    // A pending change that is named by ID may be of another workspace.
    let workspace =
        call.services.host.workspace(&found.summary.owner.root).map_err(|error| errors::open(&error))?;
    guard::allowed(call, &workspace)?;
    let Pending { summary, proposal } = found;
    tracing::info!(id = %summary.id, label = summary.label, action = ?args.action, reason = args.reason, "decided");
    let (message, details, files) = match args.action {
        Action::Discard => {
            call.services.host.edits().discard(&summary.id).map_err(|error| to_proto::error(&error))?;
            call.notes.is_done = true;
            (format!("Discarded: {}. Reason: {}.", summary.label, args.reason), None, None)
        }
        Action::Apply => {
            let (message, details) = apply(call, &workspace, &summary, &proposal)?;
            (message, details, Some(file_counts(&proposal)))
        }
    };
    to_data(&ResolveActionResult {
        action: args.action,
        reason: args.reason,
        extra: args.extra,
        source_tool_name: summary.tool,
        label: summary.label,
        source_result_details: details,
        message,
        files,
    })
}

fn file_counts(proposal: &Proposal) -> Vec<FileCount> {
    Preview::of(proposal).files.iter().map(to_proto::count).collect()
}

/// Applies the pending change, and checks its effects.
fn apply(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    summary: &Summary,
    proposal: &Proposal,
) -> Result<(String, Option<Value>), ToolError> {
    let files: Vec<WsPath> = proposal.changes.iter().map(|change| change.path.clone()).collect();
    let moves: Vec<(WsPath, WsPath)> = proposal
        .changes
        .iter()
        .filter_map(|change| Some((change.path.clone(), change.moved_to.clone()?)))
        .collect();
    let whole_call = call.cancel.clone();
    call.cancel = whole_call.with_deadline(Deadline::after(JUDGED_WITHIN));
    let before = live::judge(call, workspace, &files);
    if whole_call.is_cancelled() {
        return Err(errors::cancelled());
    }
    let applied = call.services.host.edits().apply(&summary.id).map_err(|error| to_proto::error(&error))?;
    // From here on nothing can fail: the change is written, and the answer says so.
    call.notes.is_done = true;
    call.notes.warnings.extend(applied.warnings);
    live::announce_moves(workspace, &moves);
    call.notes.freshness = workspace.barrier(true, crate::BARRIER_PATIENCE);
    if let Freshness::Unknown(Some(why)) = &call.notes.freshness {
        call.notes.warnings.push(why.clone());
    }
    call.cancel = whole_call.with_deadline(Deadline::after(JUDGED_WITHIN));
    let (worse, after) = live::worse(call, workspace, &before, &moves);
    // However long that took, the search for leftovers has its own time.
    call.cancel = whole_call;
    let leftovers = super::rename::old_name(&summary.label)
        .filter(|_| summary.tool == "edit_rename")
        .and_then(|name| checks::leftovers(call, workspace, name));
    Ok((checks::message(&summary.label, &leftovers, &worse), checks::check_details(leftovers, worse, after)))
}

pub(crate) fn pending(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PendingArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::State)?;
    guard::allowed(call, &workspace)?;
    let client = call.request.identity.clone();
    let edits = call.services.host.edits();
    let Some(id) = &args.pending_id else {
        if args.file.is_some() {
            return Err(ToolError::bad_args("`file` is part of a diff: `pendingId` says of which"));
        }
        let all = edits.pending_edits(&|one: &Summary| one.owner.root == *workspace.root());
        let pending = all.iter().map(|one| to_proto::pending_item(one, &client)).collect();
        return to_data(&PendingResult { pending, ..PendingResult::default() });
    };
    let owner = Owner { client: client.clone(), root: workspace.root().clone() };
    let found = edits.find(&owner, Some(id)).map_err(|error| to_proto::error(&error))?;
    let preview = Preview::of(&found.proposal);
    let diff = match &args.file {
        None => preview.diff(),
        Some(file) => {
            let of_file = preview.files.iter().find(|one| {
                one.path.as_str() == file || one.moved_to.as_ref().is_some_and(|to| to.as_str() == file)
            });
            let missing = || {
                ToolError::bad_args(format!("`{id}` does not touch `{file}`"))
                    .hint("Pass one of its files, as edit_pending names them.")
            };
            of_file.ok_or_else(missing)?.diff.clone()
        }
    };
    let Some(room) = call.terms.room.checked_sub(BESIDE_DIFF) else {
        return Err(
            ToolError::bad_args("tokenBudget is too small to show a diff in").hint("Pass at least 600.")
        );
    };
    let (shown, next) = to_proto::part_with_room(&diff, args.offset, room);
    to_data(&PendingResult {
        pending: vec![to_proto::pending_item(&found.summary, &client)],
        files: Some(preview.files.iter().map(to_proto::count).collect()),
        diff: Some(shown),
        diff_lines: Some(diff.lines().count()),
        next_offset: next,
    })
}

pub(crate) fn undo(call: &mut ToolCall<'_>) -> ToolOutcome {
    let workspace = call.workspace(NeededIndex::State)?;
    guard::allowed(call, &workspace)?;
    let undone =
        call.services.host.edits().undo(workspace.root()).map_err(|error| to_proto::error(&error))?;
    call.notes.is_done = true;
    call.notes.warnings.extend(undone.warnings);
    to_data(&UndoResult {
        message: format!("Undone: {}.", undone.label),
        label: undone.label,
        files: undone.files.iter().map(ToString::to_string).collect(),
    })
}
