//! Answers the `edit_*` tools: each turns its arguments into whole files before and after, which wait for a decision.
//!
//! Each kind of edit has a file of its own. Their common parts are here: whether edits are allowed, which files may be
//! touched, the contents of a file for this client (its change set comes before the disk), and the answer. Nothing here
//! writes to a workspace; `decide` has `hob-edit` do so.

mod checks;
mod decide;
mod guard;
mod pattern;
mod rename;
mod symbol;
mod text;

use std::sync::Arc;

use hob_base::{Contents as _, WsPath};
use hob_edit::{Owner, Preview, Proposal, ProposedFile, Splice, Staged, apply_splices};
use hob_proto::ToolError;
use hob_proto::tools::edit::PreviewResult;
use serde_json::Value;

use super::{ToolCall, ToolOutcome, to_data};
use hob_host::{Host, Workspace};
use hob_results::{edit as to_proto, errors};

pub(super) use decide::{pending, resolve_action, undo};
pub(super) use pattern::pattern;
pub(super) use rename::rename;
pub(super) use symbol::symbol;
pub(super) use text::text;

/// The hint for an agent after a preview, in the words of its tools.
const NEXT: &str = "This is a preview. Call the `resolve_action` tool to apply or discard these changes.";

/// Most pending changes that a reminder names.
const REMINDED: usize = 3;

/// Share of the room that the diff may take, in percent.
const DIFF_SHARE: usize = 80;

/// Reminds a client of its pending changes; `None` if it has none.
#[must_use]
pub fn pending_reminder(host: &Host, identity: &str) -> Option<String> {
    let waiting = host.edits().pending_edits(&|one| one.owner.client == identity);
    let newest = waiting.first()?;
    let ids: Vec<String> = waiting.iter().take(REMINDED).map(|one| format!("`{}`", one.id)).collect();
    let others = match waiting.len() - ids.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (ids, label) = (ids.join(", "), shorten_label(&newest.label));
    Some(format!("Pending: {ids}{others}. Call `resolve_action` to apply or discard ({label})."))
}

fn shorten_label(label: &str) -> String {
    const ENOUGH: usize = 80;
    let mut short: String = label.chars().take(ENOUGH).collect();
    if short.len() < label.len() {
        short.push('…');
    }
    short
}

/// A workspace in which this client may edit.
struct EditDraft {
    workspace: Arc<Workspace>,
    owner: Owner,
    /// True if the change goes into the client's change set.
    stage: bool,
}

impl EditDraft {
    /// Makes the desk, and refuses if edits are not enabled.
    fn new(call: &ToolCall<'_>, workspace: Arc<Workspace>, stage: bool) -> Result<Self, ToolError> {
        guard::allowed(call, &workspace)?;
        let owner = Owner { client: call.request.identity.clone(), root: workspace.root().clone() };
        Ok(Self { workspace, owner, stage })
    }

    /// Returns the contents of a file before the change: as the change set makes it, if the change is to go there,
    /// else as it is on the disk.
    fn contents_before(&self, call: &ToolCall<'_>, path: &WsPath) -> Result<Arc<[u8]>, ToolError> {
        if self.stage {
            match call
                .services
                .host
                .edits()
                .staged_contents(&self.owner, path)
                .map_err(|error| to_proto::error(&error))?
            {
                Some(Staged::Contents(bytes)) => return Ok(bytes),
                Some(Staged::Gone) => return Err(to_proto::gone_in_change_set(path)),
                None => {}
            }
        }
        self.workspace.disk_contents().read(path).map_err(|error| to_proto::unreadable_file(path, &error))
    }

    /// Returns the change that replacements make to a file; `None` if the file stays the same.
    fn change_of(
        path: WsPath,
        before: Arc<[u8]>,
        splices: &[Splice],
    ) -> Result<Option<ProposedFile>, ToolError> {
        let after = apply_splices(&before, splices).map_err(|error| to_proto::bad_splices(&path, &error))?;
        let change = ProposedFile::of_existing(path, before, after);
        Ok((!change.is_nothing()).then_some(change))
    }

    /// Queues or stages a proposal, and answers with its preview.
    fn propose(&self, call: &mut ToolCall<'_>, proposal: Proposal, details: Option<Value>) -> ToolOutcome {
        let edits = call.services.host.edits();
        let failed = |error| to_proto::error(&error);
        let (id, proposal) = if self.stage {
            let staged = edits.stage(&self.owner, proposal).map_err(failed)?;
            (staged.summary.id, staged.proposal)
        } else {
            let preview = proposal.clone();
            (edits.propose(&self.owner, proposal).map_err(failed)?.id, preview)
        };
        let preview = Preview::of(&proposal);
        let room = call.terms.room * DIFF_SHARE / 100;
        let whole = preview.diff();
        let (diff, next) = to_proto::part_with_room(&whole, 0, room);
        let lines = whole.lines().count();
        let shown = next.map_or(lines, |_| diff.matches('\n').count());
        call.omit_items("diff lines", lines, shown, "Call edit_pending with pendingId, and file or offset.");
        to_data(&PreviewResult {
            pending_id: id.to_string(),
            label: proposal.label,
            files: preview.files.iter().map(to_proto::count).collect(),
            diff,
            next: NEXT.to_owned(),
            details,
        })
    }
}
