//! Reads the contents as text, and makes replacements that fit the file, for every kind of text edit.

use std::ops::Range;

use super::error::{RESULT, TextEditError};
use crate::change::Splice;
use crate::lines::{self, Ending};

/// Returns the file's text, if it is text.
pub(super) fn as_text(contents: &[u8]) -> Result<&str, TextEditError> {
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

/// Returns the 1-based lines of sorted places.
pub(super) fn line_numbers(text: &str, places: &[Range<usize>]) -> Vec<usize> {
    let (mut line, mut done) = (1, 0);
    let number = |place: &Range<usize>| {
        line += text.as_bytes()[done..place.start].iter().filter(|byte| **byte == b'\n').count();
        done = place.start;
        line
    };
    places.iter().map(number).collect()
}

/// Returns `new` with the line endings of its place.
pub(super) fn in_style(text: &str, range: &Range<usize>, new: &str) -> String {
    let style: Ending = lines::ending_near(text, range.start);
    if new.contains('\n') { lines::with_ending(new, style) } else { new.to_owned() }
}

/// Drops the replacements that change nothing, and refuses those that would make the file too large.
pub(super) fn that_change(
    text: &str,
    splices: impl Iterator<Item = Splice>,
) -> Result<Vec<Splice>, TextEditError> {
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
