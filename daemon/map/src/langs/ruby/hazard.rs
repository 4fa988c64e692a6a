//! Measures the delimiters of here-documents, of which the scanner of the grammar can keep only so many bytes.

use memchr::memmem::find_iter;

/// Most bytes of delimiters begun in one line of a text that is parsed: Ruby's scanner writes a delimiter's length in
/// one byte, and 1,024 bytes for all that are open.
const DELIMITERS: usize = 200;

/// Returns true if a text comes near the limit of the scanner.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    longest_delimiters(source) > DELIMITERS
}

/// Returns the largest sum, in bytes, of the delimiters of here-documents that begin in one line.
fn longest_delimiters(source: &[u8]) -> usize {
    let in_line = |line: &[u8]| find_iter(line, b"<<").map(|at| delimiter_length(&line[at + 2..])).sum();
    source.split(|byte| *byte == b'\n').map(in_line).max().unwrap_or(0)
}

/// Returns the length of a delimiter, with what the scanner writes beside it.
fn delimiter_length(rest: &[u8]) -> usize {
    let rest = rest.strip_prefix(b"-").or(rest.strip_prefix(b"~")).unwrap_or(rest);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let length = match rest.first() {
        Some(quote @ (b'"' | b'\'' | b'`')) => rest[1..].iter().take_while(|byte| *byte != quote).count(),
        _ => rest.iter().take_while(|byte| is_word(byte)).count(),
    };
    if length == 0 { 0 } else { 4 + length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiters_of_a_line_add_up() {
        assert_eq!(longest_delimiters(b"a << b\nf(<<-\"a b\", <<~C) + x\n"), 7 + 5);
    }
}
