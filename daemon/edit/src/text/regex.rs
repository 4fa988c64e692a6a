//! Replaces the matches of a regex.
//!
//! The engine is the one of the text search, and lines have the same meaning: `^` and `$` match at their ends, `.` does
//! not cross them, and a `\r` before the end belongs to it. Matching time grows linearly with the text, so limits on
//! the memory of the compiled pattern and on the bytes of the result are enough.

use std::ops::Range;

use regex::{Captures, Regex, RegexBuilder};

use super::error::TextEditError;
use super::splices::{as_text, in_style, line_numbers, that_change};
use crate::change::Splice;
use crate::lines::CRLF;

/// Most bytes of a compiled pattern.
const PROGRAM: usize = 10 * 1024 * 1024;

/// A regex, and the replacement of its matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegexEdit<'a> {
    /// A Rust regex. `^` and `$` are ends of lines unless it begins with `(?-m)`.
    pub pattern: &'a str,
    /// The replacement: `$1`, `${name}` and `$0` are groups, `$$` is a dollar.
    pub replacement: &'a str,
    /// Number of matches that are expected; `None` for one or more.
    pub expected: Option<usize>,
}

/// Returns the replacements of all matches.
///
/// # Errors
/// [`TextEditError`] when the pattern is no regex, matches nowhere or not as often as expected, the replacement names a
/// missing group, or nothing would change.
pub fn replace_matches(contents: &[u8], edit: &RegexEdit<'_>) -> Result<Vec<Splice>, TextEditError> {
    let text = as_text(contents)?;
    let regex = compile(edit.pattern, text.contains(CRLF))?;
    check_groups(&regex, edit.replacement)?;
    let found = matches(&regex, text);
    let places: Vec<Range<usize>> = found.iter().filter_map(|found| Some(found.get(0)?.range())).collect();
    if found.is_empty() {
        return Err(TextEditError::NoMatch { hint: hint_at_flags(edit.pattern, text) });
    }
    if let Some(expected) = edit.expected.filter(|expected| *expected != found.len()) {
        let lines = line_numbers(text, &places);
        return Err(TextEditError::Count { what: "pattern", found: found.len(), expected, lines });
    }
    let keeps_endings = edit.pattern.contains(r"\r") || edit.pattern.contains('\r');
    let splices = found.into_iter().zip(places).map(|(groups, range)| {
        let mut new = String::new();
        groups.expand(edit.replacement, &mut new);
        let new = if keeps_endings { new } else { in_style(text, &range, &new) };
        Splice { range, text: new }
    });
    that_change(text, splices)
}

fn compile(pattern: &str, has_returns: bool) -> Result<Regex, TextEditError> {
    let built = RegexBuilder::new(pattern).multi_line(true).crlf(has_returns).size_limit(PROGRAM).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => TextEditError::RegexTooLarge(limit),
        other => TextEditError::BadRegex(other.to_string()),
    })
}

/// Returns all matches. An empty match behind the last line's end, where there is no line, counts only if it is the
/// only one.
fn matches<'t>(regex: &Regex, text: &'t str) -> Vec<Captures<'t>> {
    let mut found: Vec<Captures<'t>> = regex.captures_iter(text).collect();
    let is_behind = |groups: &Captures<'_>| groups.get(0).is_some_and(|all| all.start() == text.len());
    if found.len() > 1 && text.ends_with('\n') && found.last().is_some_and(is_behind) {
        found.pop();
    }
    found
}

/// Refuses a replacement with missing groups: the engine would insert nothing, and delete text silently.
fn check_groups(regex: &Regex, replacement: &str) -> Result<(), TextEditError> {
    let Some(unknown) = named_groups(replacement).into_iter().find(|name| !has_group(regex, name)) else {
        return Ok(());
    };
    let digits = unknown.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = unknown.split_at(digits);
    let why = if !number.is_empty() && !rest.is_empty() && has_group(regex, number) {
        format!("is read as a group called `{unknown}`; write `${{{number}}}{rest}`")
    } else {
        format!("is no group of the pattern, which has {}; a dollar itself is `$$`", group_names(regex))
    };
    Err(TextEditError::BadReplacement(format!("`${unknown}` in the replacement {why}")))
}

fn has_group(regex: &Regex, name: &str) -> bool {
    match name.parse::<usize>() {
        Ok(number) => number < regex.captures_len(),
        Err(_) => regex.capture_names().flatten().any(|known| known == name),
    }
}

fn group_names(regex: &Regex) -> String {
    let name = |(number, name): (usize, Option<&str>)| {
        name.map_or_else(|| format!("`${number}`"), |name| format!("`${{{name}}}`"))
    };
    regex.capture_names().enumerate().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the groups that a replacement names, by the engine's rules.
fn named_groups(replacement: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        let behind = &rest[at + 1..];
        rest = behind;
        if let Some(after) = behind.strip_prefix('$') {
            rest = after;
        } else if let Some(braced) = behind.strip_prefix('{') {
            let Some(end) = braced.find('}') else { continue };
            found.push(&braced[..end]);
            rest = &braced[end + 1..];
        } else {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = behind.find(|c| !is_name(c)).unwrap_or(behind.len());
            found.extend(Some(&behind[..end]).filter(|name| !name.is_empty()));
            rest = &behind[end..];
        }
    }
    found
}

/// Returns a reason why a pattern may match nowhere: it would match without regard to case, or with `.` for newlines
/// too.
fn hint_at_flags(pattern: &str, text: &str) -> String {
    let matches = |flags: &str| {
        RegexBuilder::new(&format!("(?{flags}){pattern}"))
            .multi_line(true)
            .crlf(text.contains(CRLF))
            .size_limit(PROGRAM)
            .build()
            .is_ok_and(|regex| regex.is_match(text))
    };
    let flags = [("i", "without regard to case"), ("s", "where `.` may match a line's end")];
    let found = flags.into_iter().find(|(flag, _)| matches(flag));
    found.map(|(flag, words)| format!("; it would match {words}: `(?{flag})`")).unwrap_or_default()
}
