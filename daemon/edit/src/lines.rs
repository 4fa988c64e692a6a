//! Finds the lines of a text, with their endings and indentation.
//!
//! An edit must leave a file in its own style: new lines end as the lines around them do. Offsets are bytes of UTF-8
//! text. A byte order mark belongs to no line.

use std::ops::Range;

/// The characters that end a line.
pub(crate) type Ending = &'static str;

/// The line end of Unix.
pub(crate) const LF: Ending = "\n";
/// The line end of Windows.
pub(crate) const CRLF: Ending = "\r\n";

const BOM: char = '\u{feff}';

/// Returns the line end of most lines of `text`.
pub(crate) fn line_ending_of(text: &str) -> Ending {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let crlf = text.matches(CRLF).count();
    if crlf * 2 > all { CRLF } else { LF }
}

/// Returns the end of the line of byte `at`, or else of the one before it, or else of most lines.
pub(crate) fn ending_near(text: &str, at: usize) -> Ending {
    let next = text[at..].find('\n').map(|found| at + found);
    let Some(end) = next.or_else(|| text[..at].rfind('\n')) else { return LF };
    if text[..end].ends_with('\r') { CRLF } else { LF }
}

/// Returns `text` with every line ended by `ending`.
pub(crate) fn with_ending(text: &str, ending: Ending) -> String {
    let plain = text.replace(CRLF, LF);
    if ending == CRLF { plain.replace(LF, CRLF) } else { plain }
}

/// Returns the offset at which the line of byte `at` begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let first = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    text[..at].rfind('\n').map_or(first.min(at), |found| found + 1)
}

/// Returns the offset at which the line of byte `at` ends, before its line ending.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    if end > at && text[..end].ends_with('\r') && end < text.len() { end - 1 } else { end }
}

/// Returns the offset at which the line after that of byte `at` begins; the text's end if there is none.
pub(crate) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}

/// Returns the line before the one that begins at `start`, without its ending; `None` before the first.
pub(crate) fn line_before(text: &str, start: usize) -> Option<Range<usize>> {
    let end = start.checked_sub(1).filter(|end| text.as_bytes()[*end] == b'\n')?;
    let begin = line_start(text, end);
    Some(begin..line_end(text, begin))
}

/// Returns the 1-based number of the line of byte `at`.
pub(crate) fn line_number(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the spaces and tabs at the beginning of a line.
pub(crate) fn indentation_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
