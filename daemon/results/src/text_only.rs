//! Warns about files that hob has only as text, though their language is known: an answer about one says so,
//! because without its definitions and references it looks complete and is not.

use hob_base::AbsPath;
use hob_map::GaveUp;
use serde_json::{Map, Value};

use hob_host::{Host, Workspace};

/// Most files that a warning names.
const NAMED: usize = 3;

/// An answered call.
pub struct AnsweredCall<'c> {
    /// Name of the tool.
    pub tool: &'c str,
    /// The project of the call, if it had one.
    pub root: Option<&'c AbsPath>,
    /// Its arguments.
    pub args: &'c Map<String, Value>,
    /// Its data; null if the call failed.
    pub answer: &'c Value,
}

/// Returns true if a tool answers from the definitions and references of files.
fn is_of_the_map(tool: &str) -> bool {
    const FAMILIES: &[&str] =
        &["map_", "nav_", "impact", "change_", "tests_", "flow_", "investigate", "resolve", "edit_symbol"];
    FAMILIES.iter().any(|family| tool.starts_with(family)) && tool != "map_status"
}

/// Returns the warning on a question about such a file, or on an answer that names one. Only the project at `root`,
/// which the call was about, counts: others may have files of the same names.
#[must_use]
pub fn text_only_warning(host: &Host, call: &AnsweredCall<'_>) -> Option<String> {
    let root = call.root.filter(|_| is_of_the_map(call.tool))?;
    let workspace = host.workspaces().into_iter().find(|workspace| workspace.root() == root)?;
    let map = workspace.map();
    if map.is_whole() {
        return None;
    }
    // Definitions of pending files may be missing from any answer.
    let mut told: Vec<(String, GaveUp)> =
        map.pending_files().into_iter().map(|path| (path.to_string(), GaveUp::Pending)).collect();
    let mut met = |text: &str| {
        let found = paths_in(text).find_map(|path| Some((path.to_owned(), map.gave_up(path)?)));
        told.extend(found);
    };
    call.args.values().chain([call.answer]).for_each(|value| each_text(value, &mut met));
    told.sort_unstable();
    told.dedup();
    text_only_sentence(&told)
}

/// Returns the sentence of `map_status` about a workspace's files that are text only.
pub fn text_only_note(workspace: &Workspace) -> Option<String> {
    let map = workspace.map();
    let told: Vec<_> = map.given_up().into_iter().map(|(path, why)| (path.to_string(), why)).collect();
    text_only_sentence(&told)
}

fn text_only_sentence(told: &[(String, GaveUp)]) -> Option<String> {
    let named: Vec<String> =
        told.iter().take(NAMED).map(|(path, why)| format!("`{path}` ({})", why.as_str())).collect();
    let more = match told.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| {
        let files = named.join(", ");
        format!(
            "Searched as text only, without definitions and references, wholly or in part: {files}{more}."
        )
    })
}

/// Returns the parts of an answer's text that may be a path: all of it, or the part before a place or a name in it;
/// node IDs have their language before that.
fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split_once(':').filter(|(before, _)| before.len() <= 4).map_or(text, |(_, rest)| rest);
    let ends = text.match_indices(['#', ':', '@']).map(|(at, _)| at);
    ends.chain([text.len()]).filter_map(|end| text.get(..end))
}

fn each_text(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(all) => all.iter().for_each(|one| each_text(one, visit)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            visit(name);
            each_text(value, visit);
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_ids_places_and_by_itself() {
        for text in ["a/b.java", "java:a/b.java#C.f", "a/b.java:3:4", "java:a/b.java@12"] {
            assert!(paths_in(text).any(|path| path == "a/b.java"), "{text}");
        }
        assert!(paths_in("@types/a#b.ts:1").any(|path| path == "@types/a#b.ts"));
        assert!(!paths_in("x/a/b.java").any(|path| path == "a/b.java"));
    }

    #[test]
    fn few_are_named_and_the_rest_is_counted() {
        let all: Vec<_> = (0..5).map(|at| (format!("{at}.c"), GaveUp::Memory)).collect();
        let words = text_only_sentence(&all).expect("some");
        assert!(
            words.contains("`0.c` (parsing takes too much memory") && words.contains("and 2 more"),
            "{words}"
        );
        assert_eq!(text_only_sentence(&[]), None);
    }
}
