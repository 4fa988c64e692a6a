//! Decides which files are text, and which of their bytes are searched.
//!
//! The policy is ripgrep's for files found by walking. A UTF-8 byte order mark is skipped; a file with a
//! UTF-16 one is decoded to UTF-8; any other file is searched as its raw bytes, valid UTF-8 or not. ripgrep
//! reads through a 64 KiB buffer and abandons a file at the first buffer that holds a NUL byte, so a file
//! with a NUL in its first 64 KiB never shows a line: that is [`is_binary`]. A file whose first NUL comes
//! later is text up to the buffer before it; `verify` passes such files to the very same buffered reader.
//!
//! UTF-16 comes to ripgrep's buffer in smaller pieces, so a UTF-16 file counts as binary only if its first
//! line has a U+0000, which is in the first buffer wherever that ends; the reader decides about all others.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The size of ripgrep's first read; a NUL within it hides the whole file.
pub(crate) const FIRST_BUFFER: usize = 64 * 1024;

/// The longest byte order mark.
const MARK: usize = 3;

/// Returns true if ripgrep would skip a file with these bytes as binary, so that the index need not have it.
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    match Mark::mark_of(bytes) {
        Mark::Utf16Le | Mark::Utf16Be => {
            // Two bytes become at most three, at least one.
            let text = searchable_bytes(&bytes[..bytes.len().min(2 + 2 * FIRST_BUFFER)]);
            memchr2(0, b'\n', &text).is_some_and(|at| text[at] == 0)
        }
        Mark::Utf8 | Mark::None => {
            let text = searchable_bytes(bytes);
            memchr(0, &text[..text.len().min(first_buffer(bytes))]).is_some()
        }
    }
}

/// Returns the number of bytes that ripgrep searches first. It reads three bytes separately to find a byte
/// order mark, and searches a line that ends in them before it reads more.
fn first_buffer(bytes: &[u8]) -> usize {
    let head = &bytes[..bytes.len().min(MARK)];
    if matches!(Mark::mark_of(bytes), Mark::None) && head.contains(&b'\n') { MARK } else { FIRST_BUFFER }
}

/// Returns the bytes to search and index: without byte order mark, UTF-16 decoded to UTF-8 (unpaired
/// surrogates and a stray last byte become U+FFFD).
#[must_use]
pub fn searchable_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    match Mark::mark_of(bytes) {
        Mark::None => Cow::Borrowed(bytes),
        Mark::Utf8 => Cow::Borrowed(&bytes[3..]),
        Mark::Utf16Le => Cow::Owned(decode(&bytes[2..], u16::from_le_bytes)),
        Mark::Utf16Be => Cow::Owned(decode(&bytes[2..], u16::from_be_bytes)),
    }
}

/// Returns true if a file begins with a byte order mark, so that [`searchable_bytes`] differs from the bytes
/// themselves.
pub(crate) fn is_marked(bytes: &[u8]) -> bool {
    !matches!(Mark::mark_of(bytes), Mark::None)
}

/// A byte order mark at the beginning of a file.
enum Mark {
    None,
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Mark {
    fn mark_of(bytes: &[u8]) -> Self {
        match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Self::Utf8,
            [0xFF, 0xFE, ..] => Self::Utf16Le,
            [0xFE, 0xFF, ..] => Self::Utf16Be,
            _ => Self::None,
        }
    }
}

fn decode(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let mut text: String =
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode_utf16(text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn utf16_with_a_mark_is_text() {
        for file in [
            encode_utf16("häl\u{1F600}\n", [0xFF, 0xFE], u16::to_le_bytes),
            encode_utf16("häl\u{1F600}\n", [0xFE, 0xFF], u16::to_be_bytes),
        ] {
            assert!(!is_binary(&file));
            assert_eq!(&*searchable_bytes(&file), "häl\u{1F600}\n".as_bytes());
        }
    }

    #[test]
    fn a_nul_in_the_first_buffer_makes_a_file_binary() {
        assert!(is_binary(b"ELF\0"));
        assert!(is_binary(&encode_utf16("a\0b", [0xFF, 0xFE], u16::to_le_bytes)));
        assert!(!is_binary(&encode_utf16("a\nb\0", [0xFF, 0xFE], u16::to_le_bytes)));
        let mut late = vec![b'x'; FIRST_BUFFER];
        late.push(0);
        assert!(!is_binary(&late));
        late[FIRST_BUFFER - 1] = 0;
        assert!(is_binary(&late));
        assert!(!is_binary(b""));
        assert!(is_binary(b"x\n\0") && !is_binary(b"ab\n\0") && is_binary(b"abc\n\0"));
    }

    #[test]
    fn a_utf8_mark_is_not_part_of_the_text() {
        assert_eq!(&*searchable_bytes(b"\xEF\xBB\xBFabc"), b"abc");
        assert_eq!(&*searchable_bytes(b"\xFF\xFEa"), "\u{FFFD}".as_bytes());
    }
}
