//! Previews, what waits for a decision, and what became of it.

use hob_proto::tools::edit::{
    FileCount, PendingItem, PendingResult, PreviewResult, ResolveActionResult, UndoResult,
};
use serde_json::Value;

use crate::document::{Document, Item, Section};
use crate::one_line::one_line;

/// A preview: its files, its diff, and the ID that decides about it.
pub(super) fn preview(result: PreviewResult) -> Document {
    let head =
        Section::new("files", result.files.iter().map(file_count).collect()).titled(one_line(&result.label));
    let mut document = Document { sections: vec![head, diff(&result.diff)], ..Document::default() };
    document.notes.push(format!("pending: {}; {}", result.pending_id, result.next));
    if let Some(details) = &result.details {
        document.sections.push(details_section(details));
    }
    document
}

fn file_count(file: &FileCount) -> Item {
    let moved = file.moved_to.as_deref().map(|to| format!(" -> {}", one_line(to))).unwrap_or_default();
    let fate = match (file.created, file.deleted) {
        (true, _) => " new",
        (_, true) => " deleted",
        _ => "",
    };
    Item::line(format!(" {}{moved} +{} -{}{fate}", one_line(&file.file), file.additions, file.deletions))
}

fn diff(text: &str) -> Section {
    let lines: Vec<String> = text.lines().map(|line| one_line(line).into_owned()).collect();
    let items = if lines.is_empty() { Vec::new() } else { vec![Item { lines, ..Item::default() }] };
    Section::new("diff lines", items)
}

fn details_section(details: &Value) -> Section {
    let mut lines = super::general::lines_of(details);
    lines.retain(|line| !line.is_empty());
    Section::new("details", lines.into_iter().map(Item::line).collect())
}

/// Everything that waits, or one preview with its diff.
pub(super) fn pending(result: PendingResult) -> Document {
    if result.pending.is_empty() {
        return Document::of_line("nothing is pending");
    }
    let mut sections =
        vec![Section::new("pending actions", result.pending.iter().map(pending_item).collect())];
    let files = result.files.iter().flatten().map(file_count).collect();
    sections.push(Section::new("files", files));
    sections.extend(result.diff.as_deref().map(diff));
    let mut document = Document { sections, ..Document::default() };
    if let (Some(next), Some(total)) = (result.next_offset, result.diff_lines) {
        document.notes.push(format!("lines up to {next} of {total} of the diff; next: offset {next}"));
    }
    document
}

fn pending_item(item: &PendingItem) -> Item {
    let whose = if item.yours { "" } else { ", by another client" };
    let staged = if item.staged { ", change set" } else { "" };
    let head =
        format!("{} {} ({}{whose}{staged})", item.pending_id, one_line(&item.label), item.source_tool_name);
    let files = item.files.iter().map(|path| format!(" {}", one_line(path)));
    Item { lines: std::iter::once(head).chain(files).collect(), ..Item::default() }
}

/// Renders a decision: what was applied or discarded, and what it made worse or left behind.
pub(super) fn decided(result: ResolveActionResult) -> Document {
    let files = result.files.iter().flatten().map(file_count).collect();
    let head = Section::new("files", files).titled(one_line(&result.message));
    let mut document = Document::of_section(head);
    document.sections.extend(result.source_result_details.as_ref().map(details_section));
    document
}

/// Renders an undo: the edit and files that were taken back.
pub(super) fn undone(result: UndoResult) -> Document {
    let files = result.files.iter().map(|path| Item::line(format!(" {}", one_line(path)))).collect();
    Document::of_section(Section::new("files", files).titled(one_line(&result.message)))
}
