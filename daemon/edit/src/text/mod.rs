//! Replaces text in one file: an exact piece, or the matches of a regex.
//!
//! A piece must occur exactly as often as the caller says, because one that occurs twice was meant once. The error says
//! where the piece is, or which text is nearest: an agent that knows the difference does not read the file again. The
//! file decides line endings: a piece with the other kind is found, and new lines end as the file's do. Pure functions
//! of the contents; the caller chooses the file, and decides whether it may be edited.

mod error;
mod miss;
mod regex;
mod splices;

use std::ops::Range;

pub use error::TextEditError;
pub use regex::{RegexEdit, replace_matches};

use crate::change::Splice;
use crate::lines::{self, CRLF, LF};
use splices::{as_text, in_style, line_numbers, that_change};

/// An exact piece of text, and its replacement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextEdit<'a> {
    /// The piece, not empty.
    pub old: &'a str,
    /// The replacement.
    pub new: &'a str,
    /// Number of times that it must occur; 1 unless the caller says otherwise.
    pub expected: usize,
}

/// Returns the replacements that `edit` asks for.
///
/// # Errors
/// [`TextEditError`] when the piece does not occur exactly as often as expected, or nothing would change.
pub fn replace_text(contents: &[u8], edit: &TextEdit<'_>) -> Result<Vec<Splice>, TextEditError> {
    let text = as_text(contents)?;
    if edit.old.is_empty() {
        return Err(TextEditError::EmptyOld);
    }
    let found = find(text, edit.old);
    check_places(text, edit, &found)?;
    let keeps_endings = edit.old.contains('\r');
    let splices = found.into_iter().map(|range| {
        // A caller that writes the endings out, and gets them right, means them.
        let is_exact = keeps_endings && text[range.clone()] == *edit.old;
        let new = if is_exact { edit.new.to_owned() } else { in_style(text, &range, edit.new) };
        Splice { range, text: new }
    });
    that_change(text, splices)
}

/// Returns every place of `old`, overlapping ones too; if there is none, every place that matches without regard to
/// line endings.
fn find(text: &str, old: &str) -> Vec<Range<usize>> {
    // A range must not part a newline from the return before it.
    let whole = |range: Range<usize>| {
        let is_half = old.starts_with('\n') && text[..range.start].ends_with('\r');
        range.start - usize::from(is_half)..range.end
    };
    let exact: Vec<Range<usize>> = find_occurrences(text, old).into_iter().map(whole).collect();
    if !exact.is_empty() || !(old.contains('\n') && (text.contains(CRLF) || old.contains(CRLF))) {
        return exact;
    }
    let (plain, removed) = without_returns(text);
    let old = lines::with_ending(old, LF);
    // A return lies before its newline, so both ends of a range are behind the returns of all newlines before them.
    let place = |at: usize| at + removed.partition_point(|newline| *newline < at);
    find_occurrences(&plain, &old).into_iter().map(|range| place(range.start)..place(range.end)).collect()
}

/// Returns the text with `\n` for every `\r\n`, and the offsets in it of the newlines that lost a return.
fn without_returns(text: &str) -> (String, Vec<usize>) {
    let (mut plain, mut removed) = (String::with_capacity(text.len()), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find(CRLF) {
        plain.push_str(&rest[..at]);
        removed.push(plain.len());
        plain.push('\n');
        rest = &rest[at + CRLF.len()..];
    }
    plain.push_str(rest);
    (plain, removed)
}

fn find_occurrences(text: &str, old: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(old) {
        let start = from + at;
        found.push(start..start + old.len());
        from = start + old.chars().next().map_or(1, char::len_utf8);
    }
    found
}

fn check_places(text: &str, edit: &TextEdit<'_>, found: &[Range<usize>]) -> Result<(), TextEditError> {
    if found.is_empty() {
        return Err(TextEditError::NotFound { hint: miss::hint_at_nearest(text, edit.old) });
    }
    if found.len() != edit.expected {
        let lines = line_numbers(text, found);
        return Err(TextEditError::Count { what: "old", found: found.len(), expected: edit.expected, lines });
    }
    match found.windows(2).find(|pair| pair[1].start < pair[0].end) {
        Some(pair) => {
            let line = |range: &Range<usize>| lines::line_number(text, range.start);
            Err(TextEditError::Overlap { lines: (line(&pair[0]), line(&pair[1])) })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
