//! Answers `edit_rename`: previews a language server's changes for another name, or for another place of a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use hob_base::WsPath;
use hob_bridge::Missing;
use hob_edit::{Proposal, ProposedFile, Splice};
use hob_live::requests::Renaming;
use hob_proto::ToolError;
use hob_proto::tools::edit::RenameArgs;
use hob_proto::tools::nav::PositionArgs;
use serde_json::{Value, json};

use super::super::{ToolCall, ToolOutcome, rename as live, unsaved};
use super::{EditDraft, guard};

const TOOL: &str = "edit_rename";

/// Most uses that keep the old name and are listed one by one.
const MOST_LEFT: usize = 40;

pub(crate) fn rename(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: RenameArgs = call.parse_args()?;
    // No server is started where edits are not allowed.
    guard::allowed(
        call,
        &*call.services.host.workspace(&call.terms.start).map_err(|error| super::errors::open(&error))?,
    )?;
    let (line, col) = (args.line, args.col);
    let target = PositionArgs { file: args.file, line, col, node_id: args.node_id, target: args.target };
    let renamed = live::rename(call, &target, &args.new_name)?;
    let left_behind: Vec<Value> = renamed.left_behind.iter().take(MOST_LEFT).map(missing_place).collect();
    let desk = EditDraft::new(call, renamed.workspace, args.stage)?;
    let label = rename_label(&renamed.renaming, &args.new_name);
    let changes = changes(call, &desk, renamed.renaming)?;
    let mut unsaved = unsaved::unsaved_files(&desk.workspace);
    unsaved.retain(|(path, _)| changes.iter().any(|change| change.path == *path));
    if let Some(error) = unsaved::refuse_unsaved(&unsaved) {
        return Err(error);
    }
    let mut details = json!({"completeness": renamed.completeness});
    if !left_behind.is_empty() {
        details["leftBehind"] = left_behind.into();
    }
    desk.propose(call, Proposal { label, tool: TOOL.to_owned(), changes }, Some(details))
}

fn missing_place(one: &Missing) -> Value {
    json!({"file": one.path.as_str(), "line": one.line, "fromMap": one.confidence.as_str()})
}

fn rename_label(renaming: &Renaming, new_name: &str) -> String {
    let files = renaming.files.len();
    match renaming.moves.first() {
        Some((from, to)) if renaming.old_name.is_empty() => format!("Move {from} to {to}"),
        _ => format!("Rename `{}` to `{new_name}` in {files} files", renaming.old_name),
    }
}

/// Returns the old name in the label of a rename, for the search for leftovers; `None` if the label has none.
pub(super) fn old_name(label: &str) -> Option<&str> {
    let (old, _) = label.strip_prefix("Rename `")?.split_once("` to `")?;
    (!old.is_empty()).then_some(old)
}

/// Converts a server's changes to whole files, each once.
fn changes(
    call: &ToolCall<'_>,
    desk: &EditDraft,
    renaming: Renaming,
) -> Result<Vec<ProposedFile>, ToolError> {
    let mut changes: BTreeMap<WsPath, ProposedFile> = BTreeMap::new();
    for file in renaming.files {
        let path = guard::found(&desk.workspace, &file.path)?;
        let splices: Vec<Splice> =
            file.edits.into_iter().map(|(range, text)| Splice { range, text }).collect();
        let before: Arc<[u8]> = file.text.as_bytes().into();
        if let Some(change) = EditDraft::change_of(path.clone(), before, &splices)? {
            changes.insert(path, change);
        }
    }
    for (from, to) in renaming.moves {
        let (from, to) = (guard::found(&desk.workspace, &from)?, guard::found(&desk.workspace, &to)?);
        let change = match changes.remove(&from) {
            Some(change) => change,
            None => {
                let contents = desk.contents_before(call, &from)?;
                ProposedFile::of_existing(from.clone(), Arc::clone(&contents), contents)
            }
        };
        changes.insert(from, ProposedFile { moved_to: Some(to), ..change });
    }
    for path in renaming.deleted {
        let path = guard::found(&desk.workspace, &path)?;
        let before = Some(desk.contents_before(call, &path)?);
        changes.insert(path.clone(), ProposedFile { path, moved_to: None, before, after: None });
    }
    for (path, text) in renaming.created {
        let path = guard::found(&desk.workspace, &path)?;
        let before = changes.remove(&path).and_then(|gone| gone.before);
        let after = Some(text.into_bytes().into());
        changes.insert(path.clone(), ProposedFile { path, moved_to: None, before, after });
    }
    Ok(changes.into_values().filter(|change| !change.is_nothing()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_name_is_read_back_from_the_label() {
        let renaming = Renaming { old_name: "get".to_owned(), ..Renaming::default() };
        assert_eq!(old_name(&rename_label(&renaming, "fetch")), Some("get"));
        assert_eq!(old_name("Replace text in a.py"), None);
    }
}
