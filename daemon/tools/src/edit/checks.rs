//! Checks an applied edit for leftovers of the old name, and for new diagnostics of the servers.
//!
//! The edit is written by then, so the findings are only reported and decide nothing.

use std::time::Duration;

use hob_base::Deadline;
use hob_live::requests::{FileDiagnostics, WorseFile};
use hob_text::{SearchOutput, SearchRequest, search};
use serde_json::{Value, json};

use super::super::ToolCall;
use hob_host::Workspace;
use hob_results::live::diagnostic_entry;

/// Most lines that are shown.
const SHOWN: usize = 10;

/// Most new diagnostics that are shown for a file.
const NEW: usize = 3;

/// Longest time that the search for leftovers of the old name takes.
const LOOKED_FOR: Duration = Duration::from_secs(2);

/// Lines that still have a name as a word.
pub(super) struct Leftovers {
    name: String,
    lines: u64,
    files: usize,
    shown: Vec<Value>,
    complete: bool,
}

/// Searches the present workspace for `name` as a word; `None` if the search fails.
pub(super) fn leftovers(call: &ToolCall<'_>, workspace: &Workspace, name: &str) -> Option<Leftovers> {
    let request = SearchRequest {
        pattern: format!(r"\b{}\b", regex_escaped(name)),
        limit: Some(SHOWN),
        output: SearchOutput::Lines,
        ..SearchRequest::default()
    };
    let cancel = call.cancel.with_deadline(Deadline::after(LOOKED_FOR));
    let (snapshot, contents) = (call.text(workspace), workspace.disk_contents());
    let found = workspace.query_pool().install(|| search(&snapshot, &request, &contents, &cancel)).ok()?;
    let shown = found
        .matches
        .iter()
        .map(|one| json!({"file": one.path.as_str(), "line": one.line, "text": one.text.trim()}));
    Some(Leftovers {
        name: name.to_owned(),
        lines: found.total_lines,
        files: found.files_matched,
        shown: shown.collect(),
        complete: found.covers_everything(),
    })
}

/// Escapes a name for a regex: in some languages, names have more than letters.
fn regex_escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if !c.is_alphanumeric() && c != '_' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the outcome in a few sentences, for people.
pub(super) fn message(label: &str, leftovers: &Option<Leftovers>, worse: &[WorseFile]) -> String {
    let mut message = format!("Applied: {label}.");
    if let Some(left) = leftovers.as_ref().filter(|left| left.lines > 0) {
        message.push_str(&format!(
            " {} lines in {} files still have `{}`: other names, comments or texts.",
            left.lines, left.files, left.name
        ));
    }
    if let Some(left) = leftovers.as_ref().filter(|left| !left.complete) {
        message.push_str(&format!(" `{}` was not looked for everywhere: text_search can.", left.name));
    }
    if !worse.is_empty() {
        let more: usize = worse.iter().map(|one| one.after.saturating_sub(one.before)).sum();
        message.push_str(&format!(" There are {more} more errors or warnings than before."));
    }
    message
}

/// Returns the outcome as data, for programs; `None` if there is nothing to tell.
pub(super) fn check_details(
    leftovers: Option<Leftovers>,
    worse: Vec<WorseFile>,
    after: FileDiagnostics,
) -> Option<Value> {
    let mut details = serde_json::Map::new();
    if let Some(left) = leftovers {
        let leftovers = json!({
            "name": left.name, "lines": left.lines, "files": left.files, "shown": left.shown, "complete": left.complete,
        });
        details.insert("leftovers".to_owned(), leftovers);
    }
    let worse: Vec<Value> = worse.into_iter().map(worse_file).collect();
    let judged = after.files.len();
    if judged > 0 || !worse.is_empty() {
        details.insert("diagnostics".to_owned(), json!({"filesJudged": judged, "worse": worse}));
    }
    (!details.is_empty()).then_some(Value::Object(details))
}

fn worse_file(worse: WorseFile) -> Value {
    let new: Vec<_> = worse.new.into_iter().take(NEW).map(diagnostic_entry).collect();
    json!({
        "file": worse.file.as_str(),
        "severity": worse.severity.word(),
        "before": worse.before,
        "after": worse.after,
        "new": new,
    })
}
