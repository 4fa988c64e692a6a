//! Turns edits into results: counts, times, parts of a diff, and the errors of edits.

use std::io;

use hob_base::WsPath;
use hob_edit::{EditError, FileKind, FilePreview, PendingKind, SpliceError, Summary, TextEditError};
use hob_proto::tools::edit::{FileCount, PendingItem};
use hob_proto::{ErrorCode, ToolError};
use serde_json::json;

use super::map::rfc3339;

/// Counts the lines of a file in a preview.
pub fn count(file: &FilePreview) -> FileCount {
    FileCount {
        file: file.path.to_string(),
        additions: file.additions,
        deletions: file.deletions,
        moved_to: file.moved_to.as_ref().map(ToString::to_string),
        created: file.kind == FileKind::Created,
        deleted: file.kind == FileKind::Deleted,
    }
}

/// Returns the entry of a pending change in a list, without its diff.
pub fn pending_item(summary: &Summary, client: &str) -> PendingItem {
    PendingItem {
        pending_id: summary.id.to_string(),
        label: summary.label.clone(),
        source_tool_name: summary.tool.clone(),
        created_at: rfc3339(Some(summary.made)),
        expires_at: rfc3339(Some(summary.made + hob_edit::LIFE)),
        yours: summary.owner.client == client,
        staged: summary.kind == PendingKind::ChangeSet,
        files: summary.files.iter().map(ToString::to_string).collect(),
    }
}

/// Returns as much of `text` from the byte `offset` on as has room, and the place where the next part begins
/// if there is more. A part ends between lines unless a single line has no room: no part is empty, and all
/// parts together are the text.
pub fn part_with_room(text: &str, offset: usize, room: usize) -> (String, Option<usize>) {
    let mut start = offset.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let rest = &text[start..];
    let (mut taken, mut end, mut line_end) = (0, 0, 0);
    for (at, c) in rest.char_indices() {
        taken += written_len(c);
        if taken > room && end > 0 {
            let end = if line_end > 0 { line_end } else { end };
            return (rest[..end].to_owned(), Some(start + end));
        }
        end = at + c.len_utf8();
        if c == '\n' {
            line_end = end;
        }
    }
    (rest.to_owned(), None)
}

/// Returns the number of characters that one character takes in the envelope.
fn written_len(c: char) -> usize {
    match c {
        '\n' | '\r' | '\t' | '"' | '\\' | '\u{8}' | '\u{c}' => 2,
        c if c < ' ' => 6,
        _ => 1,
    }
}

/// Returns the error for an edit that was not queued, applied, discarded or undone.
pub fn error(error: &EditError) -> ToolError {
    let message = error.to_string();
    match error {
        EditError::NothingPending | EditError::NothingToUndo(_) => {
            ToolError::new(ErrorCode::NoPendingAction, message)
        }
        EditError::Unknown(_) | EditError::Settled { .. } => {
            ToolError::new(ErrorCode::NoPendingAction, as_sentence(&message))
        }
        EditError::Conflict(conflict) => {
            let files: Vec<_> = conflict
                .files
                .iter()
                .map(|one| json!({"file": one.path.as_str(), "why": one.how.to_string()}))
                .collect();
            ToolError::new(ErrorCode::Conflict, message).with_field("files", files)
        }
        EditError::Failed { .. } | EditError::Unfinished { .. } => {
            ToolError::new(ErrorCode::ApplyFailed, message)
                .hint("It is still pending: mend the cause and apply again, or discard it.")
        }
        EditError::Refused { .. } => ToolError::new(ErrorCode::OutsideWorkspace, as_sentence(&message)),
        EditError::TooMuch(_) | EditError::Staged { .. } => ToolError::bad_args(as_sentence(&message)),
        EditError::Nothing => ToolError::bad_args("The edit changes nothing: the files are already so.")
            .hint("Nothing is pending because of it."),
        EditError::State { .. } => ToolError::new(ErrorCode::ApplyFailed, as_sentence(&message))
            .hint("`hob status` shows where hob keeps its state."),
    }
}

/// Returns the error for a text that cannot be replaced.
pub fn text_error(error: &TextEditError, path: &WsPath) -> ToolError {
    let code = match error {
        TextEditError::BadRegex(_) | TextEditError::RegexTooLarge(_) => ErrorCode::BadPattern,
        _ => ErrorCode::BadArgs,
    };
    ToolError::new(code, format!("`{path}`: {error}"))
}

/// Returns the error for replacements that do not fit the text; the fault is hob's or a server's.
pub fn bad_splices(path: &WsPath, error: &SpliceError) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("The changes of `{path}` do not fit it: {error}."))
        .hint("Nothing is pending. Try again; if it stays so, please report it.")
}

/// Returns the error for a file that is to be edited and cannot be read.
pub fn unreadable_file(path: &WsPath, error: &io::Error) -> ToolError {
    if error.kind() == io::ErrorKind::NotFound {
        return super::errors::file_deleted(path);
    }
    ToolError::bad_args(format!("`{path}` cannot be read: {error}."))
}

/// Returns the error for a file that the change set deletes.
pub fn gone_in_change_set(path: &WsPath) -> ToolError {
    ToolError::bad_args(format!("`{path}` is deleted by your change set."))
        .hint("Apply or discard the change set first, or make the edit without stage.")
}

fn as_sentence(text: &str) -> String {
    let whole = text.ends_with(['.', '?', '!']);
    if whole { text.to_owned() } else { crate::to_sentence(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_between_lines_where_they_can_and_lose_nothing() {
        assert_eq!(part_with_room("one\ntwo\nthree\n", 0, 11), ("one\ntwo\n".to_owned(), Some(8)));
        assert_eq!(part_with_room("one\ntwo", 0, 100), ("one\ntwo".to_owned(), None));
        for room in 0..40 {
            let text = "a long line: \"üö\u{1}😀\"\nand\n\nanother one\\ without an end";
            let (mut all, mut offset) = (String::new(), 0);
            loop {
                let (part, next) = part_with_room(text, offset, room);
                all.push_str(&part);
                match next {
                    Some(next) => assert!(next > offset, "{room}"),
                    None => break,
                }
                offset = next.unwrap_or(offset);
            }
            assert_eq!(all, text, "{room}");
        }
    }
}
