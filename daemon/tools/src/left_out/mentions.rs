//! Finds the source files that could use a name: the others give no reason to load their project.
//!
//! A file that uses something writes its name, or another name that an import or export gives it in a file that writes
//! its name. Only things that are exported as a default, or by a word of the language, may be used under any name. This
//! searches the text and not the map, because text also has the uses that the map does not know.

use std::collections::BTreeSet;

use hob_base::{CancelToken, Deadline, LineIndex, WsPath};
use hob_live::requests::RequestPosition;
use hob_text::{SearchOutput, SearchRequest, TextView, search};

use super::super::ask::text_of;
use super::super::nav_query::word_at;
use super::solution::is_source;
use hob_host::Workspace;

/// Longest time that the search may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// Most rounds in which other names of a name are followed.
const ROUNDS: usize = 4;

/// Most lines that are read; a name on more lines is a common word.
const MOST_LINES: usize = 20_000;

/// Words of the language, which uses do not write.
const KEYWORDS: &[&str] = &[
    "class",
    "constructor",
    "default",
    "export",
    "extends",
    "from",
    "function",
    "import",
    "new",
    "super",
    "this",
];

/// Words of types that follow `as` and are no other name.
const TYPES: &[&str] = &[
    "any",
    "bigint",
    "boolean",
    "const",
    "never",
    "null",
    "number",
    "object",
    "string",
    "symbol",
    "undefined",
    "unknown",
    "void",
];

/// Words between `export default` and the name of the declaration.
const DECLARES: &[&str] = &["*", "abstract", "async", "class", "enum", "function", "interface"];

/// Returns the files that write the name at `at`, or another name that it is given elsewhere; `None` if no file can be
/// ruled out.
pub(super) fn files_with(
    workspace: &Workspace,
    at: &RequestPosition,
    text: &TextView,
    cancel: &CancelToken,
) -> Option<BTreeSet<WsPath>> {
    let name = word_at(workspace, at);
    if name.is_empty() || KEYWORDS.contains(&name.as_str()) || is_quoted(workspace, at, &name) {
        return None;
    }
    let cancel = cancel.with_deadline(Deadline::after(PATIENCE));
    let (mut files, mut names, mut new) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::from([name]));
    for _ in 0..ROUNDS {
        let lines = lines_with(workspace, &new, text, &cancel)?;
        names.append(&mut new);
        for (path, line) in lines {
            let others = other_names(&line, &names)?;
            new.extend(others.into_iter().filter(|other| !names.contains(other)));
            files.insert(path);
        }
        if new.is_empty() {
            return Some(files);
        }
    }
    None
}

/// Returns the lines of source files that have one of the names; `None` if they were not all found.
fn lines_with(
    workspace: &Workspace,
    names: &BTreeSet<String>,
    text: &TextView,
    cancel: &CancelToken,
) -> Option<Vec<(WsPath, String)>> {
    let border = |is_there: bool| if is_there { r"\b" } else { "" };
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let pattern = |name: &String| {
        let (first, last) = (name.chars().next(), name.chars().next_back());
        format!("{}{}{}", border(is_word(first)), name.replace('$', r"\$"), border(is_word(last)))
    };
    let patterns: Vec<String> = names.iter().map(pattern).collect();
    let request = SearchRequest {
        pattern: patterns.join("|"),
        limit: Some(MOST_LINES),
        output: SearchOutput::Lines,
        ..SearchRequest::default()
    };
    let contents = workspace.disk_contents();
    let found = workspace.query_pool().install(|| search(text, &request, &contents, cancel)).ok()?;
    let is_cut = found.matches.iter().any(|one| one.text.len() >= hob_text::search::MAX_LINE);
    let is_whole =
        found.complete && found.unreadable == 0 && found.total_lines as usize == found.matches.len();
    let lines = found.matches.into_iter().filter(|one| is_source(one.path.as_str()));
    (is_whole && !is_cut).then(|| lines.map(|one| (one.path, one.text)).collect())
}

/// Returns the other names that a line gives to one of the names; `None` if it may give any.
fn other_names(line: &str, names: &BTreeSet<String>) -> Option<Vec<String>> {
    let words = words_of(line);
    let is = |at: usize, word: &str| words.get(at).is_some_and(|found| *found == word);
    if words.contains(&"exports") || is_default(&words, names) {
        return None;
    }
    let mut others = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| names.contains(**word)) {
        if !is(at + 1, "as") {
            continue;
        }
        match words.get(at + 2) {
            Some(&"default") | None => return None,
            Some(other) if TYPES.contains(other) => {}
            Some(other) => others.push((*other).to_owned()),
        }
    }
    // `import Other = space.name`
    if let Some(at) = words.iter().position(|word| *word == "import").filter(|at| is(at + 2, "=")) {
        others.push(words[at + 1].to_owned());
    }
    others.retain(|other| other.starts_with(is_part));
    Some(others)
}

/// Returns true if the line exports one of the names as the whole module. A name that is only used in such an
/// expression gets no other name.
fn is_default(words: &[&str], names: &BTreeSet<String>) -> bool {
    let is_export = |pair: &[&str]| pair[0] == "export" && (pair[1] == "default" || pair[1] == "=");
    let Some(at) = words.windows(2).position(is_export) else { return false };
    let rest = &words[at + 2..];
    let kinds = rest.iter().take_while(|word| DECLARES.contains(word)).count();
    match &rest[kinds..] {
        // The exported name follows on another line.
        [] => true,
        [name, next @ ..] => {
            let is_all = kinds > 0 || next.first().is_none_or(|next| matches!(*next, ";" | "/"));
            names.contains(*name) && is_all
        }
    }
}

/// Splits a line into names and single other characters.
fn words_of(line: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8());
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns true if the name is in a string, as the paths of modules do.
fn is_quoted(workspace: &Workspace, at: &RequestPosition, name: &str) -> bool {
    let text = text_of(workspace, &at.file).unwrap_or_default();
    let range = LineIndex::new(text.as_bytes()).line_range(at.line);
    let line = range.and_then(|range| text.get(range)).unwrap_or_default();
    let is_edge = |c: char| matches!(c, '"' | '\'' | '`' | '/' | '-');
    line.match_indices(name)
        .any(|(start, _)| line[..start].ends_with(is_edge) || line[start + name.len()..].starts_with(is_edge))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other_names_in(line: &str) -> Option<Vec<String>> {
        other_names(line, &BTreeSet::from(["name".to_owned()]))
    }

    #[test]
    fn other_names_are_those_that_imports_and_exports_give() {
        let none = Some(Vec::new());
        let all = [
            "import { name } from './a'",
            "name()",
            "x as name",
            "(name as any).y",
            "const other = name",
            "export default name ? other : null",
            "export default { name }",
            "export default function other(name) {",
        ];
        all.iter().for_each(|line| assert_eq!(other_names_in(line), none, "{line}"));
        for line in
            ["import { name as other } from './a'", "  name as other,", "export import other = a.name"]
        {
            assert_eq!(other_names_in(line), Some(vec!["other".to_owned()]), "{line}");
        }
        let any = [
            "export default name",
            "export default name; // it is",
            "export default async function* name() {",
            "  name as default,",
            "export = name",
            "exports.x = name",
            "name as",
        ];
        any.iter().for_each(|line| assert_eq!(other_names_in(line), None, "{line}"));
    }
}
