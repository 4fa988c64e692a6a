//! Warns about answers that concern files with unsaved changes. Language servers answer for the unsaved text, while the
//! map and the text index answer for the files on disk. The warning says which of the two the answer describes.

use hob_base::WsPath;
use hob_proto::{ErrorCode, ToolError};
use serde_json::Value;

use hob_host::{Host, Workspace};

/// The number of files that a warning names.
const NAMED: usize = 3;

/// A file, and the editor in which it has unsaved changes.
pub(crate) type Unsaved = (WsPath, String);

/// Returns the files of a workspace that have unsaved text in an editor, if that text counts.
pub(crate) fn unsaved_files(workspace: &Workspace) -> Vec<Unsaved> {
    let view = workspace.live().pool().known_view(workspace.root());
    view.map(|view| view.unsaved_files()).unwrap_or_default()
}

/// Returns the warning for an answer of the live layer, which takes all unsaved text into account.
pub(crate) fn taken_into_account(unsaved: &[Unsaved]) -> Option<String> {
    list_unsaved(unsaved).map(|files| {
        format!("This reflects unsaved changes in {files}; positions there are those of the unsaved text.")
    })
}

/// Returns the warning for an answer of the other layers, if it concerns a file with unsaved changes.
#[must_use]
pub fn not_taken_into_account(host: &Host, answer: &Value) -> Option<String> {
    let all = host.workspaces().into_iter().flat_map(|workspace| unsaved_files(&workspace));
    let touched: Vec<Unsaved> = all.filter(|(path, _)| mentions_path(answer, path.as_str())).collect();
    list_unsaved(&touched).map(|files| format!("This is of the disk: there are unsaved changes in {files}."))
}

/// Refuses an edit that was computed from unsaved text, or that would be written to a file with unsaved changes.
pub(crate) fn refuse_unsaved(unsaved: &[Unsaved]) -> Option<ToolError> {
    let files = list_unsaved(unsaved)?;
    let paths: Vec<Value> = unsaved.iter().map(|(path, _)| path.as_str().into()).collect();
    Some(
        ToolError::new(ErrorCode::Conflict, format!("There are unsaved changes in {files}."))
            .hint("Have them saved or undone in the editor, then ask again.")
            .with_field("files", Value::Array(paths)),
    )
}

fn list_unsaved(unsaved: &[Unsaved]) -> Option<String> {
    let mut files: Vec<String> =
        unsaved.iter().take(NAMED).map(|(path, editor)| format!("`{path}` ({editor})")).collect();
    match unsaved.len().saturating_sub(NAMED) {
        0 => {}
        more => files.push(format!("{more} more files")),
    }
    (!files.is_empty()).then(|| files.join(", "))
}

/// Returns true if a text in the answer is the path or begins with it. In a node ID, the path follows the language.
fn mentions_path(answer: &Value, path: &str) -> bool {
    let is_of = |text: &str| {
        let text =
            text.split_once(':').filter(|(before, _)| before.len() <= 4).map_or(text, |(_, rest)| rest);
        text.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['#', ':', '@']))
    };
    match answer {
        Value::String(text) => is_of(text),
        Value::Array(all) => all.iter().any(|one| mentions_path(one, path)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name == path || mentions_path(value, path))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_found_wherever_an_answer_has_it() {
        for answer in [
            json!({"file": "a/b.py"}),
            json!([{"x": {"id": "py:a/b.py#f"}}]),
            json!({"a/b.py": 3}),
            json!("a/b.py:12"),
        ] {
            assert!(mentions_path(&answer, "a/b.py"), "{answer}");
        }
        assert!(!mentions_path(&json!(["a/b.pyi", "x/a/b.py", {"text": "see a/b.py"}]), "a/b.py"));
    }

    #[test]
    fn few_are_named_and_the_rest_is_counted() {
        let all: Vec<Unsaved> = (0..5)
            .map(|at| (WsPath::new(&format!("{at}.py")).expect("relative"), "Vim".to_owned()))
            .collect();
        let words = taken_into_account(&all).expect("some");
        assert!(words.contains("`0.py` (Vim)") && words.contains("2 more files"), "{words}");
        assert_eq!(taken_into_account(&[]), None);
        assert!(refuse_unsaved(&all[..1]).is_some_and(|error| error.message.contains("0.py")));
    }
}
