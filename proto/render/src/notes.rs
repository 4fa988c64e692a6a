//! Formats the notes of an answer about itself: one bracketed line each, after the facts.

use hob_proto::ToolError;
use hob_proto::tools::{ToolDef, same_name};

use crate::one_line::{one_line, shorten_to};

/// Length of the longest note, in characters.
const NOTE: usize = 400;

/// The vocabulary in which notes name a tool's arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoteVocabulary {
    /// Notes use the names of arguments: `offset 6`.
    #[default]
    Tool,
    /// Notes use the options of the command line: `--offset 6`.
    CommandLine,
}

/// Omitted items of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmissionLine {
    /// The word for the items: `references`.
    pub kind: String,
    /// Number of items that the answer lacks.
    pub count: u64,
    /// The way to get the items, as a clause: `narrow with paths`.
    pub way: String,
}

/// Formats a bracketed line, whose text is on one line and of bounded length.
pub(crate) fn bracketed_note(note: &str) -> String {
    format!("[{}]", shorten_to(one_line(note).trim_end_matches('.'), NOTE))
}

/// Describes the omitted items of one kind, and the way to get them. `next` is the start of the next page.
pub(crate) fn left_out(shown: usize, missing: &OmissionLine, next: Option<u64>) -> String {
    let ways = next.map(|offset| format!("next: offset {offset}"));
    let clause = missing.way.trim().trim_end_matches('.');
    let ways: Vec<String> =
        ways.into_iter().chain((!clause.is_empty()).then(|| lower_first(clause))).collect();
    let ways = if ways.is_empty() { "raise tokenBudget".to_owned() } else { ways.join(", or ") };
    match shown {
        0 => format!("{} more {}; {ways}", missing.count, missing.kind),
        _ => format!("{shown} of {} {}; {ways}", shown as u64 + missing.count, missing.kind),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// The command-line commands for the tools that people use most.
const COMMANDS: &[(&str, &str)] = &[
    ("map_overview", "hob map"),
    ("map_search", "hob search"),
    ("map_neighbors", "hob neighbors"),
    ("map_path", "hob path"),
    ("map_status", "hob status"),
    ("read_symbols", "hob read"),
    ("flow_trace", "hob trace"),
    ("tests_for", "hob tests"),
    ("symbol_history", "hob history"),
    ("change_impact", "hob review"),
    ("regex_search", "hob grep"),
];

/// Returns the command for a tool; `None` for a word that is no tool's name, or that is also an ordinary
/// word.
#[must_use]
pub fn command_for(tool: &str) -> Option<String> {
    let short = COMMANDS.iter().find(|(name, _)| *name == tool).map(|(_, command)| (*command).to_owned());
    let is_name = || tool.contains('_') && hob_proto::tools::find(tool).is_some();
    short.or_else(|| is_name().then(|| format!("hob call {tool}")))
}

impl NoteVocabulary {
    /// Rewrites an error for this voice: on the command line, its hint names commands and options instead of
    /// tools and arguments.
    #[must_use]
    pub fn rewrite_error(self, error: &ToolError, tool: Option<&ToolDef>) -> ToolError {
        ToolError { hint: self.rewrite_note(&error.hint, tool), ..error.clone() }
    }

    /// Rewrites `note` for this voice: on the command line the names of `tool`'s arguments become options if
    /// they are used as names (after a verb like `pass` or `raise`, or in backticks), and names of tools
    /// become commands.
    pub(crate) fn rewrite_note(self, note: &str, tool: Option<&ToolDef>) -> String {
        let (Self::CommandLine, Some(tool)) = (self, tool) else { return note.to_owned() };
        let mut out = String::with_capacity(note.len() + 16);
        let mut before = "";
        for word in note.split_inclusive(' ') {
            let (name, rest) = name_and_rest(word);
            let opening = &word[..word.len() - name.len() - rest.len()];
            if let Some(command) = command_for(name).filter(|_| !rest.starts_with(['(', '*'])) {
                let (open, close) = if opening.ends_with('`') { ("", "") } else { ("`", "`") };
                out.push_str(&format!("{opening}{open}{command}{close}{rest}"));
                before = word.trim();
                continue;
            }
            let is_argument = tool.accepted_args().any(|arg| same_name(arg.name, name));
            if is_argument && is_named(name, before, opening) {
                out.push_str(&format!("--{}{}", kebab_case(name), rest.trim_start_matches('`')));
            } else {
                out.push_str(word);
            }
            before = word.trim();
        }
        out
    }
}

/// Splits a word into its name and the characters behind it, without those before: `("limit", ", ")` of
/// "`limit, ".
fn name_and_rest(word: &str) -> (&str, &str) {
    let start = word.find(|c: char| c.is_alphanumeric()).unwrap_or(word.len());
    let bare = &word[start..];
    let end = bare.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(bare.len());
    bare.split_at(end)
}

/// Returns true if a word means the argument of that name and not the ordinary word.
fn is_named(name: &str, before: &str, opening: &str) -> bool {
    const VERBS: &[&str] =
        &["pass", "Pass", "raise", "Raise", "with", "and", "or", "next:", "by", "set", "Set"];
    let is_written_as_one = name.contains('_') || name.chars().any(char::is_uppercase);
    is_written_as_one || opening.ends_with('`') || VERBS.contains(&before) || before.ends_with(',')
}

fn kebab_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_uppercase() || c == '_' {
            out.push('-');
        }
        out.extend((c != '_').then(|| c.to_ascii_lowercase()));
    }
    out
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::map;

    use super::*;

    #[test]
    fn what_is_left_out_is_counted_with_the_way_to_it() {
        let missing =
            OmissionLine { kind: "results".into(), count: 11, way: "Narrow with pathPrefix.".into() };
        assert_eq!(
            left_out(6, &missing, Some(6)),
            "6 of 17 results; next: offset 6, or narrow with pathPrefix"
        );
        assert_eq!(
            left_out(0, &OmissionLine { way: String::new(), ..missing }, None),
            "11 more results; raise tokenBudget"
        );
    }

    #[test]
    fn the_command_line_hears_of_options() {
        let speak = |note: &str| NoteVocabulary::CommandLine.rewrite_note(note, Some(&map::SEARCH));
        assert_eq!(
            speak("raise limit (<=100), or pass kind, pathPrefix or a longer query"),
            "raise --limit (<=100), or pass --kind, --path-prefix or a longer query"
        );
        assert_eq!(
            speak(
                "map_search finds names, `regex_search` any text, nav_references uses; nav_* need a server."
            ),
            "`hob search` finds names, `hob grep` any text, `hob call nav_references` uses; nav_* need a server."
        );
        let error = ToolError::bad_args("`/x` does not exist.").hint("Pass `root`: a folder of the project.");
        let told = NoteVocabulary::CommandLine.rewrite_error(&error, Some(&map::SEARCH));
        assert_eq!(told.hint, "Pass --root: a folder of the project.");
        assert_eq!(
            NoteVocabulary::Tool.rewrite_note("pass pathPrefix", Some(&map::SEARCH)),
            "pass pathPrefix"
        );
    }

    #[test]
    fn a_note_is_one_line_of_bounded_length() {
        assert_eq!(bracketed_note("a\nb."), "[a\\nb]");
        assert!(bracketed_note(&"x".repeat(9_000)).chars().count() < 410);
    }
}
