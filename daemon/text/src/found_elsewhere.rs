//! Checks lines that another search found, with hob's own engine.
//!
//! Another machine's search has its own regexes and its own notion of a line. Whatever it sends, a line is in
//! hob's answer exactly if ripgrep would print it.

use grep_matcher::Matcher as _;
use hob_base::line_index::utf16_len;

use crate::pattern::{BadPattern, Pattern};
use crate::shown::shown_text;

/// A line with a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedLine {
    /// 1-based UTF-16 column of the first match.
    pub col: u32,
    /// Number of matches.
    pub matches: u64,
    /// The line without its newline, with invalid UTF-8 replaced, cut if it is very long.
    pub text: String,
}

/// Searches one line, which may end with its newline; `None` if there is no match.
///
/// # Errors
/// [`BadPattern`] if the pattern could not be compiled after all.
pub fn check_line(pattern: &Pattern, line: &[u8]) -> Result<Option<CheckedLine>, BadPattern> {
    let bytes = line.strip_suffix(b"\n").unwrap_or(line);
    let (mut matches, mut first) = (0, None);
    let each = |found: grep_matcher::Match| {
        matches += 1;
        first.get_or_insert(found.start());
        true
    };
    let searched = pattern.deciding_matcher()?.find_iter(bytes, each);
    let first = first.filter(|_| searched.is_ok());
    Ok(first.map(|first| CheckedLine {
        col: 1 + utf16_len(&bytes[..first]),
        matches,
        text: shown_text(line),
    }))
}

/// Splits a text into its lines, as answers show them.
#[must_use]
pub fn shown_lines(text: &[u8]) -> Vec<String> {
    text.split_inclusive(|byte| *byte == b'\n').map(shown_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, line: &str) -> Option<(u32, u64, String)> {
        let pattern = Pattern::new(pattern).expect("a valid pattern");
        let checked = check_line(&pattern, line.as_bytes()).expect("it compiles");
        checked.map(|line| (line.col, line.matches, line.text))
    }

    #[test]
    fn a_line_has_its_matches() {
        assert_eq!(check("a.", "xab ac\n"), Some((2, 2, "xab ac".to_owned())));
        assert_eq!(check(r"\bcharge", "écharge"), None);
        assert_eq!(check("c$", "😀c\n"), Some((3, 1, "😀c".to_owned())));
        assert_eq!(check("^$", "\n"), Some((1, 1, String::new())));
        assert_eq!(check("d", "abc"), None);
    }

    #[test]
    fn lines_are_shown_one_by_one() {
        assert_eq!(shown_lines(b"a\n\nb"), ["a", "", "b"]);
        assert_eq!(shown_lines(b""), [""; 0]);
    }
}
