//! Errors and warnings of language servers, under their files.

use hob_proto::tools::nav::{DiagnosticEntry, DiagnosticsResult};

use crate::document::{Document, Item, Section};
use crate::one_line::one_line;

/// One line for each thing that is wrong.
pub(super) fn diagnostics(result: DiagnosticsResult) -> Document {
    let mut document = match (result.diagnostics.is_empty(), result.complete) {
        (true, true) => Document::of_line("nothing is wrong"),
        (true, false) => Document::of_line("nothing known to be wrong"),
        (false, _) => Document::of_section(Section::paged(
            "diagnostics",
            result.diagnostics.iter().map(diagnostic).collect(),
        )),
    };
    if !result.complete {
        document.notes.push("partial".to_owned());
    }
    document
}

fn diagnostic(entry: &DiagnosticEntry) -> Item {
    let code = entry.code.as_deref().map(|code| format!(" ({})", one_line(code))).unwrap_or_default();
    let message: Vec<&str> = entry.message.split_whitespace().collect();
    let message = message.join(" ");
    let row = format!("{}:{} {} {}{code}", entry.line, entry.col, entry.severity, one_line(&message));
    Item::below(one_line(&entry.file), row)
}
