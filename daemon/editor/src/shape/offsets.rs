//! Converts positions of the protocol to bytes of a text and back, in any encoding.
//!
//! A line ends at `\n`, or `\r\n`. The protocol also lets a lone `\r` end one; hob's index, most servers and most
//! editors do not, and an editor that does has turned it into `\n` before it shows the text. Positions out of range are
//! clamped as the protocol says: a column to the line's end before its line break, a line to the text's end. A column
//! inside a character means its start.

use memchr::{memchr, memchr_iter, memrchr};
use serde_json::{Value, json};

use super::encoding::Encoding;

/// A position in the protocol's form: both numbers are 0-based.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Position {
    /// Number of the line, from 0.
    pub(crate) line: u32,
    /// The column, in units of an [`Encoding`].
    pub(crate) character: u32,
}

impl Position {
    /// Reads a position from JSON; `None` if `value` is none.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let number = |key: &str| Some(u32::try_from(value.get(key)?.as_u64()?).unwrap_or(u32::MAX));
        Some(Self { line: number("line")?, character: number("character")? })
    }

    /// Writes the position as JSON.
    pub(crate) fn to_json(self) -> Value {
        json!({"line": self.line, "character": self.character})
    }
}

/// Returns the byte offset of a position, at most the text's length.
pub(crate) fn position_to_offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let Some(start) = line_start(text.as_bytes(), position.line) else { return text.len() };
    start + column_to_bytes(line_at(text, start), position.character, encoding)
}

/// Returns the position of a byte; one inside a character or a line break counts as its start, one past the text as the
/// text's end.
pub(crate) fn offset_to_position(text: &str, offset: usize, encoding: Encoding) -> Position {
    let offset = floor_char(text, offset);
    let before = &text.as_bytes()[..offset];
    let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = memchr_iter(b'\n', &before[..start]).count();
    let within = line_at(text, start);
    let character = bytes_to_column(within, offset - start, encoding);
    Position { line: u32::try_from(line).unwrap_or(u32::MAX), character }
}

/// Returns the line that begins at a byte, without its line break.
pub(crate) fn line_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let line = memchr(b'\n', rest.as_bytes()).map_or(rest, |end| &rest[..end]);
    let has_break = line.len() < rest.len();
    line.strip_suffix('\r').filter(|_| has_break).unwrap_or(line)
}

/// Returns the number of bytes of `line` before a column; the whole line for a column past it.
pub(crate) fn column_to_bytes(line: &str, column: u32, encoding: Encoding) -> usize {
    let column = column as usize;
    if encoding == Encoding::Utf8 {
        return floor_char(line, column);
    }
    let head = line.as_bytes().get(..column).unwrap_or(line.as_bytes());
    if head.is_ascii() {
        return head.len();
    }
    let mut columns = 0;
    let fits = |&(_, c): &(usize, char)| {
        columns += encoding.columns_of(c);
        columns > column
    };
    line.char_indices().find(fits).map_or(line.len(), |(at, _)| at)
}

/// Returns the column of a byte of `line`; the line's end for one past it.
pub(crate) fn bytes_to_column(line: &str, bytes: usize, encoding: Encoding) -> u32 {
    let head = &line[..floor_char(line, bytes)];
    let columns = match encoding {
        Encoding::Utf8 => head.len(),
        _ if head.is_ascii() => head.len(),
        _ => head.chars().map(|c| encoding.columns_of(c)).sum(),
    };
    u32::try_from(columns).unwrap_or(u32::MAX)
}

/// Returns the offset at which each line of a text begins; never empty.
pub(crate) fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect()
}

fn line_start(text: &[u8], line: u32) -> Option<usize> {
    match line.checked_sub(1) {
        None => Some(0),
        Some(breaks_before) => memchr_iter(b'\n', text).nth(breaks_before as usize).map(|at| at + 1),
    }
}

/// Returns the start of the character around a byte.
fn floor_char(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn position_at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn a_column_counts_what_its_encoding_says() {
        let text = "x\n\u{1F600}é=1\n";
        let equals = text.find('=').expect("there");
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            assert_eq!(offset_to_position(text, equals, encoding), position_at(1, column));
            assert_eq!(position_to_offset(text, position_at(1, column), encoding), equals);
        }
    }

    #[test]
    fn what_is_out_of_range_is_clamped() {
        let text = "ab\r\ncd";
        assert_eq!(
            position_to_offset(text, position_at(0, 99), Encoding::Utf16),
            2,
            "not into the line break"
        );
        assert_eq!(position_to_offset(text, position_at(1, 99), Encoding::Utf16), 6);
        assert_eq!(position_to_offset(text, position_at(7, 0), Encoding::Utf16), 6);
        assert_eq!(offset_to_position(text, 99, Encoding::Utf16), position_at(1, 2));
        assert_eq!(offset_to_position(text, 3, Encoding::Utf16), position_at(0, 2));
        assert_eq!(position_to_offset("", position_at(3, 3), Encoding::Utf8), 0);
        assert_eq!(
            position_to_offset("a\n", position_at(1, 5), Encoding::Utf8),
            2,
            "the empty line after the last break"
        );
        assert_eq!(
            position_to_offset("a\r", position_at(0, 5), Encoding::Utf8),
            2,
            "a lone return ends no line"
        );
    }

    #[test]
    fn a_column_inside_a_character_is_its_start() {
        let text = "a\u{1F600}b";
        assert_eq!(position_to_offset(text, position_at(0, 2), Encoding::Utf16), 1);
        assert_eq!(position_to_offset(text, position_at(0, 3), Encoding::Utf8), 1);
        assert_eq!(position_to_offset(text, position_at(0, 3), Encoding::Utf16), 5);
    }

    proptest! {
        #[test]
        fn every_character_is_found_again(text in "[a-cé\u{1F600}\r\n]{0,40}") {
            let visible = |at: &usize| !text[..*at].ends_with('\r') || !text[*at..].starts_with('\n');
            for offset in text.char_indices().map(|(at, _)| at).chain([text.len()]).filter(visible) {
                for encoding in ALL {
                    let position = offset_to_position(&text, offset, encoding);
                    prop_assert_eq!(position_to_offset(&text, position, encoding), offset);
                }
            }
        }

        #[test]
        fn any_position_is_a_place_in_the_text(text in ".{0,30}", line in 0u32..5, character in 0u32..50) {
            for encoding in ALL {
                let offset = position_to_offset(&text, position_at(line, character), encoding);
                prop_assert!(text.is_char_boundary(offset));
            }
        }
    }
}
