//! Renders previews, pending changes, and the outcome of decisions.

use hob_proto::tools::edit::{
    FileCount, PendingItem, PendingResult, PreviewResult, ResolveActionResult, UndoResult,
};
use serde_json::Value;

use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Renders a preview: its files, its diff, and the ID that decides about it.
pub(super) fn render_preview(result: PreviewResult) -> AnswerDocument {
    let head = Section::new("files", result.files.iter().map(file_count).collect())
        .with_title(one_line(&result.label));
    let mut document =
        AnswerDocument { sections: vec![head, diff_section(&result.diff)], ..AnswerDocument::default() };
    document.notes.push(format!("pending: {}; {}", result.pending_id, result.next));
    if let Some(details) = &result.details {
        document.sections.push(details_section(details));
    }
    document
}

fn file_count(file: &FileCount) -> AnswerItem {
    let moved = file.moved_to.as_deref().map(|to| format!(" -> {}", one_line(to))).unwrap_or_default();
    let fate = match (file.created, file.deleted) {
        (true, _) => " new",
        (_, true) => " deleted",
        _ => "",
    };
    AnswerItem::line(format!(
        " {}{moved} +{} -{}{fate}",
        one_line(&file.file),
        file.additions,
        file.deletions
    ))
}

fn diff_section(text: &str) -> Section {
    let lines: Vec<String> = text.lines().map(|line| one_line(line).into_owned()).collect();
    let items =
        if lines.is_empty() { Vec::new() } else { vec![AnswerItem { lines, ..AnswerItem::default() }] };
    Section::new("diff lines", items)
}

fn details_section(details: &Value) -> Section {
    let mut lines = super::general::lines_of(details);
    lines.retain(|line| !line.is_empty());
    Section::new("details", lines.into_iter().map(AnswerItem::line).collect())
}

/// Renders all pending changes, or one with its diff.
pub(super) fn render_pending(result: PendingResult) -> AnswerDocument {
    if result.pending.is_empty() {
        return AnswerDocument::of_line("nothing is pending");
    }
    let mut sections =
        vec![Section::new("pending actions", result.pending.iter().map(pending_item).collect())];
    let files = result.files.iter().flatten().map(file_count).collect();
    sections.push(Section::new("files", files));
    sections.extend(result.diff.as_deref().map(diff_section));
    let mut document = AnswerDocument { sections, ..AnswerDocument::default() };
    if let (Some(next), Some(total)) = (result.next_offset, result.diff_lines) {
        document.notes.push(format!("lines up to {next} of {total} of the diff; next: offset {next}"));
    }
    document
}

fn pending_item(item: &PendingItem) -> AnswerItem {
    let whose = if item.yours { "" } else { ", by another client" };
    let staged = if item.staged { ", change set" } else { "" };
    let head =
        format!("{} {} ({}{whose}{staged})", item.pending_id, one_line(&item.label), item.source_tool_name);
    let files = item.files.iter().map(|path| format!(" {}", one_line(path)));
    AnswerItem { lines: std::iter::once(head).chain(files).collect(), ..AnswerItem::default() }
}

/// Renders a decision: the applied or discarded change, and the new problems or leftovers.
pub(super) fn render_decision(result: ResolveActionResult) -> AnswerDocument {
    let files = result.files.iter().flatten().map(file_count).collect();
    let head = Section::new("files", files).with_title(one_line(&result.message));
    let mut document = AnswerDocument::of_section(head);
    document.sections.extend(result.source_result_details.as_ref().map(details_section));
    document
}

/// Renders an undo: the edit and its files.
pub(super) fn render_undo(result: UndoResult) -> AnswerDocument {
    let files = result.files.iter().map(|path| AnswerItem::line(format!(" {}", one_line(path)))).collect();
    AnswerDocument::of_section(Section::new("files", files).with_title(one_line(&result.message)))
}
