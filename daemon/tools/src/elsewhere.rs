//! Lists the places at which the name of a symbol occurs in addition to the uses that an answer lists, so that nobody
//! has to search the text to believe the answer.
//!
//! The text index finds every line with the name. Lines that the answer lists, that define or import the name, that
//! certainly mean another definition, and comments are removed. The others are listed, separated by whether the map
//! knows that another definition is meant. If the name is on too many lines, or if the search takes too long, nothing
//! is said, and silence makes no claim.

use std::collections::HashSet;
use std::time::Duration;

use hob_base::{CancelToken, Deadline};
use hob_map::Map;
use hob_map::graph::{Confidence, DefRef};
use hob_text::{LineMatch, SearchOutput, SearchRequest, search};

use super::ToolCall;
use super::scope::CallScope;
use hob_host::Workspace;

/// Longest time of the search: the answer itself is complete without it.
const PATIENCE: Duration = Duration::from_millis(20);

/// Most lines with a name that are judged; a name on more of them is a common word.
const MOST_LINES: usize = 200;

/// Most places that are named of each kind.
const NAMED: usize = 4;

/// Length of the shortest name that is searched, in bytes.
const SHORTEST: usize = 3;

/// Beginnings of lines that bring a name in or pass it on.
const IMPORTS: [&str; 8] =
    ["import ", "from ", "use ", "pub use ", "export {", "export *", "#include", "require("];

/// Beginnings of comments. Some have a space behind them, because `*p`, `--n`, `#define` and `#[...]` are code.
const COMMENTS: [&str; 7] = ["//", "# ", "* ", "/*", "-- ", "\"\"\"", "<!--"];

/// The uses of a symbol that an answer lists.
pub(super) struct Listed {
    /// The definition whose uses the answer lists, with the methods of its family.
    pub(super) family: HashSet<DefRef>,
    /// The name of the definition, as it is written.
    pub(super) name: String,
    /// Path and line of each use.
    pub(super) lines: HashSet<(String, u32)>,
}

impl Listed {
    /// Sets the places that the answer lists.
    pub(super) fn with_lines(self, lines: HashSet<(String, u32)>) -> Self {
        Self { lines, ..self }
    }
}

/// Tells the places at which the map does not know what the name means, and those at which it means another definition.
pub(super) fn tell(call: &mut ToolCall<'_>, workspace: &Workspace, listed: &Listed, scope: &CallScope) {
    let cancel = call.cancel.with_deadline(Deadline::after(PATIENCE));
    let Some(found) = lines_with_word(workspace, &listed.name, &cancel) else { return };
    let map = workspace.map();
    let (mut unknown, mut of_others) = (Vec::new(), Vec::new());
    let is_open = |line: &&LineMatch| {
        is_code(&map, line.path.as_str())
            && !listed.lines.contains(&(line.path.to_string(), line.line))
            && !is_told_by_its_beginning(&line.text)
            && scope.admits_line(&map, &line.path, line.line)
    };
    for line in found.iter().filter(is_open) {
        let place = format!("{}:{}", line.path, line.line);
        match meaning(&map, line, listed) {
            Meaning::Definition => {}
            Meaning::Another => of_others.push(place),
            Meaning::Unknown => unknown.push(place),
        }
    }
    drop(map);
    call.notes.warnings.push(sentence(&listed.name, &unknown, &of_others));
}

/// Returns true if a file is mapped, and not as prose.
fn is_code(map: &Map, path: &str) -> bool {
    let facts = map.file_at(path).and_then(|file| map.file(file));
    facts.is_some_and(|(_, facts)| !facts.lang.is_prose())
}

/// The meaning of the name on a line, for the symbol of the question.
enum Meaning {
    /// It defines something of that name.
    Definition,
    /// It uses another definition of that name.
    Another,
    /// The map does not know.
    Unknown,
}

fn meaning(map: &Map, line: &LineMatch, listed: &Listed) -> Meaning {
    let (path, at) = (line.path.as_str(), (line.line, line.col));
    if map.def_named_at(path, line.line, line.col).is_some() {
        // A definition on one line may use the name of another in its body.
        let is_named_again = line.text.matches(&listed.name).nth(1).is_some();
        return if is_named_again { Meaning::Unknown } else { Meaning::Definition };
    }
    match map.def_meant_at(path, at, &listed.name) {
        Some((def, sure)) if sure < Confidence::Name && !listed.family.contains(&def) => Meaning::Another,
        _ => Meaning::Unknown,
    }
}

/// Writes one clause for each kind of place that has any.
fn sentence(name: &str, unknown: &[String], of_others: &[String]) -> String {
    let clause = |what: &str, places: &[String]| {
        let named = places.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = places.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!places.is_empty()).then(|| format!("; {what} {named}{more}"))
    };
    let clauses = [clause("also stands at", unknown), clause("means another at", of_others)];
    let clauses: String = clauses.into_iter().flatten().collect();
    format!("Every line of code in scope with `{name}` was looked at{clauses}")
}

/// Returns all lines that have a name as a word; `None` if they were not all found in time, or are too many.
pub(super) fn lines_with_word(
    workspace: &Workspace,
    name: &str,
    cancel: &CancelToken,
) -> Option<Vec<LineMatch>> {
    let is_word = name.len() >= SHORTEST && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_word {
        return None;
    }
    let text = workspace.text();
    let request = SearchRequest {
        pattern: format!(r"\b{name}\b"),
        limit: Some(MOST_LINES),
        output: SearchOutput::Lines,
        ..SearchRequest::default()
    };
    let contents = workspace.disk_contents();
    let found = workspace.query_pool().install(|| search(&text, &request, &contents, cancel)).ok()?;
    let is_whole =
        found.complete && found.unreadable == 0 && found.total_lines as usize == found.matches.len();
    is_whole.then_some(found.matches)
}

/// Returns true if a line brings names in from elsewhere, or passes them on.
pub(super) fn brings_in(line: &str) -> bool {
    IMPORTS.iter().any(|start| line.trim_start().starts_with(start))
}

fn is_told_by_its_beginning(line: &str) -> bool {
    let line = line.trim_start();
    IMPORTS.iter().chain(&COMMENTS).any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_and_the_rest_is_counted() {
        let places: Vec<String> = (1..=6).map(|line| format!("a.py:{line}")).collect();
        assert_eq!(sentence("get", &[], &[]), "Every line of code in scope with `get` was looked at");
        assert_eq!(
            sentence("get", &places, &places[..1]),
            "Every line of code in scope with `get` was looked at; also stands at a.py:1, a.py:2, a.py:3, a.py:4 and 2 more; means another at a.py:1"
        );
    }

    #[test]
    fn imports_and_comments_are_no_uses() {
        for line in ["from a import get", "  // get", "# get", "import {get} from 'a'", "pub use a::get;"] {
            assert!(is_told_by_its_beginning(line), "{line}");
        }
        for line in ["x = get", "*self.get() = 1;", "--get(n);", "#define GET get()", "requires(get)"] {
            assert!(!is_told_by_its_beginning(line), "{line}");
        }
    }
}
