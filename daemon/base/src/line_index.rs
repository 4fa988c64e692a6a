//! Converts byte offsets to the positions that clients use: 1-based lines, columns in UTF-16 code units.
//!
//! Lines end at `\n`; a `\r` before it belongs to the line, as for ripgrep and the language servers. Invalid UTF-8
//! counts one unit per replacement character, so a position is always defined. A byte order mark is no part of the first line, as for
//! ripgrep, editors and the language servers: the first column is the one behind it.

use memchr::memchr_iter;

/// The mark with which a file may begin to say that it is UTF-8. It is not part of the text.
pub const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns the number of bytes of a file that come before its text: 3 or 0.
#[must_use]
pub fn mark_len(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Returns a text without its byte order mark, if it has one.
#[must_use]
pub fn without_mark(text: String) -> String {
    match mark_len(text.as_bytes()) {
        0 => text,
        mark => text[mark..].to_owned(),
    }
}

/// A place in a text as users see it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Utf16Position {
    /// The line of the position, from 1.
    pub line: u32,
    /// 1-based column in UTF-16 code units.
    pub col: u32,
}

/// The line starts of one text.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Byte offset at which each line starts; never empty.
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    /// Scans `text` once. Texts over 4 GiB are cut there; hob never indexes one that large.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut starts = vec![mark_len(text) as u32];
        starts.extend(memchr_iter(b'\n', &text[..len as usize]).map(|at| at as u32 + 1));
        Self { starts, len }
    }

    /// Returns the number of lines; a final newline opens one last empty line.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the 1-based line that contains byte `offset`.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> u32 {
        (self.starts.partition_point(|&start| start <= offset) as u32).max(1)
    }

    /// Returns the byte range of 1-based `line`, without its `\n`; `None` when there is no such line.
    #[must_use]
    pub fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).map_or(self.len, |next| next - 1);
        Some(start as usize..end as usize)
    }

    /// Returns the position of byte `offset` of the same text.
    #[must_use]
    pub fn position(&self, text: &[u8], offset: u32) -> Utf16Position {
        let line = self.line_of(offset);
        let start = self.starts[line as usize - 1] as usize;
        let end = (offset.min(self.len) as usize).min(text.len()).max(start);
        Utf16Position { line, col: 1 + utf16_len(&text[start..end]) }
    }

    /// Returns the byte offset of a position; columns past the line's end are clamped to it, lines past the
    /// text give `None`.
    #[must_use]
    pub fn offset(&self, text: &[u8], position: Utf16Position) -> Option<u32> {
        let range = self.line_range(position.line)?;
        let line = String::from_utf8_lossy(&text[range.clone()]);
        let mut units = position.col.saturating_sub(1);
        let mut bytes = 0;
        for c in line.chars() {
            let width = c.len_utf16() as u32;
            if units < width {
                break;
            }
            units -= width;
            bytes += c.len_utf8();
        }
        Some((range.start + bytes.min(range.len())) as u32)
    }
}

/// Returns the length in UTF-16 code units of bytes that should be UTF-8.
#[must_use]
pub fn utf16_len(bytes: &[u8]) -> u32 {
    if bytes.is_ascii() {
        return bytes.len() as u32;
    }
    String::from_utf8_lossy(bytes).chars().map(|c| c.len_utf16() as u32).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let text = "a\n\u{1F600}é x\nlast".as_bytes();
        let index = LineIndex::new(text);
        let x = text.iter().position(|&b| b == b'x').expect("x") as u32;
        let at = index.position(text, x);
        assert_eq!((at.line, at.col), (2, 5));
        assert_eq!(index.offset(text, at), Some(x));
        assert_eq!(index.line_count(), 3);
        assert_eq!(index.line_range(3), Some(text.len() - 4..text.len()));
        assert_eq!(index.line_range(4), None);
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let text = "\u{feff}ab\ncd".as_bytes();
        let index = LineIndex::new(text);
        let places: Vec<(u32, u32)> =
            [0, 2, 3, 4, 6].map(|at| index.position(text, at)).map(|at| (at.line, at.col)).to_vec();
        assert_eq!(places, [(1, 1), (1, 1), (1, 1), (1, 2), (2, 1)]);
        assert_eq!(index.line_range(1), Some(3..5));
        assert_eq!(index.offset(text, Utf16Position { line: 1, col: 2 }), Some(4));
        assert_eq!(without_mark("\u{feff}a\u{feff}".to_owned()), "a\u{feff}");
        assert_eq!(LineIndex::new("\u{feff}".as_bytes()).line_range(1), Some(3..3));
    }

    #[test]
    fn every_offset_of_invalid_utf8_has_a_position() {
        let text = b"\xff\xfe\nok\xff";
        let index = LineIndex::new(text);
        for offset in 0..=text.len() as u32 {
            assert!(index.position(text, offset).line >= 1);
        }
    }
}
