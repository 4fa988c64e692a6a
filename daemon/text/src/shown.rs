//! Formats a line as an answer shows it.

use hob_base::{FileId, WsPath};
use memchr::{memchr, memrchr};

use crate::search::LineMatch;

/// Most bytes of a line that an answer shows.
pub const MAX_LINE: usize = 64 * 1024;

/// A [`LineMatch`] without its file.
#[derive(Debug)]
pub(crate) struct ShownLine {
    pub(crate) line: u32,
    pub(crate) col: u32,
    pub(crate) byte_col: u32,
    pub(crate) text: String,
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
}

impl ShownLine {
    pub(crate) fn at_path(self, file: FileId, path: &WsPath) -> LineMatch {
        let Self { line, col, byte_col, text, before, after } = self;
        LineMatch { file, path: path.clone(), line, col, byte_col, text, before, after }
    }
}

/// Returns a line as answers show it.
pub(crate) fn shown_text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() <= MAX_LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    // A cut never splits a character, if the line is UTF-8 at all.
    let is_inside = |&at: &usize| line[at] & 0xC0 == 0x80;
    let end = (MAX_LINE - 3..=MAX_LINE).rev().find(|at| !is_inside(at)).unwrap_or(MAX_LINE);
    String::from_utf8_lossy(&line[..end]).into_owned()
}

/// Returns the lines before the one that starts at `start`, nearest first.
pub(crate) fn lines_before(text: &[u8], start: usize) -> impl Iterator<Item = String> + '_ {
    let mut end = start.min(text.len());
    std::iter::from_fn(move || {
        let last = end.checked_sub(1)?;
        let start = memrchr(b'\n', &text[..last]).map_or(0, |at| at + 1);
        let line = &text[start..end];
        end = start;
        Some(shown_text(line))
    })
}

/// Returns the lines from `start` on.
pub(crate) fn lines_after(text: &[u8], start: usize) -> impl Iterator<Item = String> + '_ {
    let mut rest = text.get(start..).unwrap_or_default();
    std::iter::from_fn(move || {
        let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, later) = rest.split_at(end);
        rest = later;
        (!line.is_empty()).then(|| shown_text(line))
    })
}
