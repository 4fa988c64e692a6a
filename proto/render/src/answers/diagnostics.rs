//! Renders errors and warnings of language servers, under their files.

use hob_proto::tools::nav::{DiagnosticEntry, DiagnosticsResult};

use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Renders one line for each diagnostic.
pub(super) fn diagnostics(result: DiagnosticsResult) -> AnswerDocument {
    let mut document = match (result.diagnostics.is_empty(), result.complete) {
        (true, true) => AnswerDocument::of_line("nothing is wrong"),
        (true, false) => AnswerDocument::of_line("nothing known to be wrong"),
        (false, _) => AnswerDocument::of_section(Section::new_paged(
            "diagnostics",
            result.diagnostics.iter().map(diagnostic_item).collect(),
        )),
    };
    if !result.complete {
        document.notes.push("partial".to_owned());
    }
    document
}

fn diagnostic_item(entry: &DiagnosticEntry) -> AnswerItem {
    let code = entry.code.as_deref().map(|code| format!(" ({})", one_line(code))).unwrap_or_default();
    let message: Vec<&str> = entry.message.split_whitespace().collect();
    let message = message.join(" ");
    let row = format!("{}:{} {} {}{code}", entry.line, entry.col, entry.severity, one_line(&message));
    AnswerItem::below_header(one_line(&entry.file), row)
}
