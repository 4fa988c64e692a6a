//! Replacing text in one file: an exact piece, or what a regex matches.
//!
//! A piece must be there exactly as often as the caller thinks, because one that is there twice was meant once. Whoever gets
//! it wrong is told where it is, or what comes nearest: an agent that knows what differs does not read the file again.
//! Line endings are the file's affair: a piece written with the other kind is found, and what is new ends its lines as the
//! file does. Pure functions of the contents; which file it is, and whether it may be touched, is the caller's to know.

mod miss;
mod regex;

use std::fmt::Write as _;
use std::ops::Range;

pub use regex::{RegexEdit, replace_matches};

use crate::change::Splice;
use crate::lines::{self, CRLF, Ending, LF};

/// Lines that an error names.
const LINES_NAMED: usize = 10;
/// Bytes that a file may have afterwards.
const RESULT: usize = 64 * 1024 * 1024;

/// An exact piece of text, and what takes its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextEdit<'a> {
    /// The piece, not empty.
    pub old: &'a str,
    /// The text that takes its place.
    pub new: &'a str,
    /// Number of times that it must be there; 1 unless the caller says otherwise.
    pub expected: usize,
}

/// Why text cannot be replaced, in words for whoever asked for it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextEditError {
    /// It has a byte that no text has.
    #[error("the file is binary: it has a NUL byte at {0}; text edits are for text")]
    Binary(usize),
    /// It is not UTF-8.
    #[error("the file is not UTF-8 (byte {at}, line {line}); its encoding would not survive an edit")]
    NotUtf8 {
        /// Offset of the first wrong byte.
        at: usize,
        /// The 1-based line of that byte.
        line: usize,
    },
    /// There is nothing in the file.
    #[error("the file is empty, so there is nothing to replace")]
    EmptyFile,
    /// There is nothing to look for.
    #[error("`old` is empty; quote the text that the new text belongs to, and repeat it in `new`")]
    EmptyOld,
    /// The file would stay as it is.
    #[error("nothing would change: what is there is already what would take its place")]
    NothingChanges,
    /// It is not there.
    #[error("`old` does not occur in the file. {hint}")]
    NotFound {
        /// The nearest text in the file, or what to do.
        hint: String,
    },
    /// It is there, but not as often as was said.
    #[error("{}", count_message(.what, *.found, *.expected, .lines))]
    Count {
        /// The argument in question: `old` or `pattern`.
        what: &'static str,
        /// Number of times that it is there.
        found: usize,
        /// Number of times that it should be there.
        expected: usize,
        /// The 1-based lines at which it begins.
        lines: Vec<usize>,
    },
    /// Two places where it is share bytes, so that not all can be replaced.
    #[error(
        "`old` occurs at lines {} and {}, and the two overlap; use a longer `old` for each place", .lines.0, .lines.1
    )]
    Overlap {
        /// 1-based lines of the first two.
        lines: (usize, usize),
    },
    /// The regex is none.
    #[error("the pattern is no Rust regex:\n{0}")]
    BadRegex(String),
    /// The regex would need too much memory.
    #[error("the pattern is too large: compiled it would take more than {0} bytes. Use smaller repetitions")]
    RegexTooLarge(usize),
    /// The regex matches nowhere.
    #[error("the pattern matches nowhere in the file{hint}")]
    NoMatch {
        /// A possible reason, or an empty text.
        hint: String,
    },
    /// The replacement names a group that the pattern lacks.
    #[error("{0}")]
    BadReplacement(String),
    /// The file would be larger than any source.
    #[error("the file would have more than {} MiB afterwards", RESULT >> 20)]
    TooLarge,
}

fn count_message(what: &str, found: usize, expected: usize, lines: &[usize]) -> String {
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let mut said = format!("`{what}` occurs {}, not {}: at line", times(found), times(expected));
    said.push_str(if lines.len() == 1 { " " } else { "s " });
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(ToString::to_string).collect();
    said.push_str(&named.join(", "));
    if lines.len() > LINES_NAMED {
        let _ = write!(said, " and {} more", lines.len() - LINES_NAMED);
    }
    let longer = match (what, expected) {
        ("old", 1) => "Use a longer `old` that occurs only at the place you mean, or pass",
        _ => "Pass",
    };
    let _ = write!(said, ". {longer} expected={found} to replace {}.", if found == 1 { "it" } else { "all" });
    said
}

/// The replacements that `edit` asks for.
///
/// # Errors
/// [`TextEditError`] when the piece is not there exactly as often as expected, or nothing would change.
pub fn replace_text(contents: &[u8], edit: &TextEdit<'_>) -> Result<Vec<Splice>, TextEditError> {
    let text = as_text(contents)?;
    if edit.old.is_empty() {
        return Err(TextEditError::EmptyOld);
    }
    let found = find(text, edit.old);
    check_places(text, edit, &found)?;
    let keeps_endings = edit.old.contains('\r');
    let splices = found.into_iter().map(|range| {
        // Whoever writes the endings out, and gets them right, means them.
        let is_exact = keeps_endings && text[range.clone()] == *edit.old;
        let new = if is_exact { edit.new.to_owned() } else { in_style(text, &range, edit.new) };
        Splice { range, text: new }
    });
    that_change(text, splices)
}

/// The file's text, if it is one.
fn as_text(contents: &[u8]) -> Result<&str, TextEditError> {
    if contents.is_empty() {
        return Err(TextEditError::EmptyFile);
    }
    let text = std::str::from_utf8(contents);
    let has_nul = contents.iter().position(|byte| *byte == 0);
    if let Some(at) = has_nul {
        return Err(TextEditError::Binary(at));
    }
    text.map_err(|error| {
        let at = error.valid_up_to();
        let line = 1 + contents[..at].iter().filter(|byte| **byte == b'\n').count();
        TextEditError::NotUtf8 { at, line }
    })
}

/// Every place where `old` is, overlapping ones too; if there is none, every place where it is but for line endings.
fn find(text: &str, old: &str) -> Vec<Range<usize>> {
    // A newline that ends a line together with a return is not parted from it.
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

/// The text with `\n` for every `\r\n`, and the offsets in it of the newlines that lost a return.
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

/// The 1-based lines of places that are in order.
fn line_numbers(text: &str, places: &[Range<usize>]) -> Vec<usize> {
    let (mut line, mut done) = (1, 0);
    let number = |place: &Range<usize>| {
        line += text.as_bytes()[done..place.start].iter().filter(|byte| **byte == b'\n').count();
        done = place.start;
        line
    };
    places.iter().map(number).collect()
}

/// `new` with the line endings of the place it goes to.
fn in_style(text: &str, range: &Range<usize>, new: &str) -> String {
    let style: Ending = lines::ending_near(text, range.start);
    if new.contains('\n') { lines::with_ending(new, style) } else { new.to_owned() }
}

/// The replacements that are any, if they do not grow out of all bounds.
fn that_change(text: &str, splices: impl Iterator<Item = Splice>) -> Result<Vec<Splice>, TextEditError> {
    let (mut kept, mut size) = (Vec::new(), text.len());
    for splice in splices {
        size += splice.text.len();
        if size > RESULT {
            return Err(TextEditError::TooLarge);
        }
        if text[splice.range.clone()] != *splice.text {
            kept.push(splice);
        }
    }
    if kept.is_empty() { Err(TextEditError::NothingChanges) } else { Ok(kept) }
}

#[cfg(test)]
mod tests;
