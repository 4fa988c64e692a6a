//! Tests edits: they are previewed, then applied completely or not at all, by several clients at once.

mod after;
mod clients;
mod decisions;
mod guards;
mod many;
mod previews;

use hob_tests::{Answer, Mcp, McpOptions, Tree, World};
use serde_json::{Value, json};

/// Returns a client whose user allows edits.
pub(crate) fn editor(world: &World, tree: &Tree) -> Mcp {
    let args = ["--tools", "all", "--edits"].map(str::to_owned).to_vec();
    Mcp::start(world, tree, &McpOptions { args, ..McpOptions::default() })
}

/// Returns the ID of a preview.
#[track_caller]
pub(crate) fn id(preview: &Answer) -> String {
    preview.ok()["pendingId"].as_str().expect("a preview has a name").to_owned()
}

/// Previews the replacement of a text.
#[track_caller]
fn replace(mcp: &mut Mcp, file: &str, old: &str, new: &str) -> Answer {
    mcp.call("edit_text", json!({"file": file, "old": old, "new": new}))
}

/// Decides on the newest preview.
#[track_caller]
fn decide(mcp: &mut Mcp, action: &str) -> Answer {
    mcp.call("resolve_action", json!({"action": action, "reason": "it is a test"}))
}

/// Applies a preview by its ID.
#[track_caller]
pub(crate) fn apply(mcp: &mut Mcp, id: &str) -> Answer {
    mcp.call("resolve_action", json!({"action": "apply", "reason": "it is a test", "pendingId": id}))
}

/// Returns the files of an answer with their counts.
#[track_caller]
fn counted(answer: &Answer) -> Vec<(String, u64, u64)> {
    let count = |file: &Value, what: &str| file[what].as_u64().expect("a number");
    let one = |file: &Value| {
        let path = file["file"].as_str().expect("a path").to_owned();
        (path, count(file, "additions"), count(file, "deletions"))
    };
    answer.list("/files").iter().map(one).collect()
}
