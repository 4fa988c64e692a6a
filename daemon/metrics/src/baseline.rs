//! Estimates the tokens that an agent would have read without hob, from the files that an answer is about.
//!
//! The baseline of an answer that finds code is the whole of every file that it names or quotes, each once. That is an
//! upper bound: an agent without hob may read parts of files, and remembers what it has read. Answers that `grep`, a
//! compiler or `git` would have given at about the same length are their own baseline, so hob claims no savings for
//! them. One list has the rule of each tool; hob claims nothing for a tool that is in no list.

use std::collections::BTreeSet;

use hob_base::{AbsPath, WsPath};
use hob_proto::NodeId;
use hob_proto::tools::{ToolDef, ToolSet};
use serde_json::{Map, Value};

/// Most files of one answer that are measured.
const MOST_FILES: usize = 2_000;

/// The rule that finds the baseline of a tool's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The files that the answer names.
    Named,
    /// The file that the call asks about.
    Asked,
    /// The answer itself, because another program would have given it.
    Same,
    /// Nothing: no agent reads the answer.
    Unread,
}

impl Rule {
    /// Returns the rule of a tool.
    pub(super) fn for_tool(tool: &ToolDef) -> Self {
        match tool.name {
            _ if tool.set == ToolSet::Hidden => Self::Unread,
            "map_search"
            | "map_neighbors"
            | "map_path"
            | "map_overview"
            | "flow_trace"
            | "impact"
            | "change_impact"
            | "symbol_history"
            | "tests_for"
            | "investigate"
            | "investigate_expand"
            | "investigate_hydrate"
            | "read_symbols"
            | "resolve"
            | "text_search"
            | "nav_definition"
            | "nav_implementations"
            | "nav_references"
            | "nav_workspaceSymbols"
            | "nav_callHierarchy" => Self::Named,
            "nav_symbols" | "nav_type" => Self::Asked,
            _ => Self::Same,
        }
    }
}

/// Fields that hold a path, and fields that hold a node's ID, whatever tool they are of.
const PATHS: &[&str] = &["file"];
const IDS: &[&str] =
    &["id", "uid", "from", "to", "of", "node_id", "nodeId", "tests", "entry_point", "members"];

/// Fields whose contents are not results.
const NOT_FOUND: &[&str] = &["ambiguous", "candidates", "unresolved", "not_found", "alternatives"];

/// Returns the files that an answer names.
pub(super) fn files_named(answer: &Value) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    if let Value::Object(fields) = answer {
        gather_files(fields, &mut files);
    }
    files
}

/// Returns the files that a call asked about.
pub(super) fn files_asked_about(args: &Map<String, Value>) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    gather_files(args, &mut files);
    files
}

fn gather_files(fields: &Map<String, Value>, files: &mut BTreeSet<String>) {
    for (name, value) in fields.iter().filter(|(name, _)| !NOT_FOUND.contains(&name.as_str())) {
        visit(name, value, files);
    }
}

fn visit(name: &str, value: &Value, files: &mut BTreeSet<String>) {
    match value {
        _ if files.len() >= MOST_FILES => {}
        Value::String(text) if PATHS.contains(&name) => drop(files.insert(text.clone())),
        Value::String(text) if IDS.contains(&name) => {
            let id: Option<NodeId> = text.parse().ok();
            files.extend(id.as_ref().and_then(NodeId::path).map(str::to_owned));
        }
        Value::Array(all) => all.iter().for_each(|one| visit(name, one, files)),
        Value::Object(fields) => gather_files(fields, files),
        _ => {}
    }
}

/// Returns the cost of reading `files` whole, in tokens: a token is four bytes, which is no fewer than four
/// characters. Only the sizes of plain files within the project are read.
pub(super) fn tokens(root: &AbsPath, files: &BTreeSet<String>) -> u64 {
    let size = |path: &String| {
        let path = WsPath::new(path).ok()?;
        let metadata = root.join_ws(&path).as_path().symlink_metadata().ok()?;
        metadata.is_file().then(|| metadata.len().div_ceil(4))
    };
    files.iter().filter_map(size).sum()
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::TOOLS;
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_named_by_paths_and_ids_and_once() {
        let answer = json!({"results": [{"id": "py:a/b.py#f", "file": "a/b.py"}, {"uid": "ts:c.ts", "kind": "file"}],
            "edges": [{"from": "py:d.py#x", "to": "py:ext:requests"}], "tests": ["rs:t.rs#works"],
            "ambiguous": [{"candidates": [{"uid": "py:no.py#f", "file": "no.py"}]}], "snippet": "file e.py", "total": 3});
        let expected = ["a/b.py", "c.ts", "d.py", "t.rs"];
        assert_eq!(files_named(&answer).into_iter().collect::<Vec<_>>(), expected);
        let args = json!({"nodeId": "py:x.py#f", "line": 3});
        assert_eq!(
            files_asked_about(args.as_object().expect("an object")).into_iter().collect::<Vec<_>>(),
            ["x.py"]
        );
    }

    #[test]
    fn only_plain_files_within_the_project_count() {
        let temp = tempfile::tempdir().expect("a folder");
        let root = AbsPath::new(temp.path().join("p")).expect("absolute");
        std::fs::create_dir_all(root.as_path().join("folder")).expect("a folder");
        std::fs::write(root.as_path().join("a"), "12345").expect("written");
        std::fs::write(temp.path().join("outside"), "12345").expect("written");
        let files = ["a", "folder", "gone", "../outside", "/etc/passwd"].map(str::to_owned);
        assert_eq!(tokens(&root, &files.into()), 2);
    }

    #[test]
    fn what_people_and_measurements_use_has_no_tokens_and_edits_claim_nothing() {
        for tool in TOOLS {
            let rule = Rule::for_tool(tool);
            assert_eq!(rule == Rule::Unread, tool.set == ToolSet::Hidden, "{}", tool.name);
            let edits = tool.set == ToolSet::Edit || tool.name == "resolve_action";
            assert!(!edits || rule == Rule::Same, "{}", tool.name);
        }
    }
}
