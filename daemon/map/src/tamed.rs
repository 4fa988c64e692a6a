//! Blanks long runs of comments, which some parsers would read many times.
//!
//! The scanners of some grammars look past all comments that follow before they return the next token, and do so again
//! at each of them: 20,000 lines of comments are read 20,000 times. So a parser gets blanks instead of most lines of a
//! long run of comments. Every byte keeps its place, and the grammar reads the rest as before: the run's first and last
//! lines stay, and so does any line with a character that could have a meaning if the line was part of a string after
//! all.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;

use crate::langs::lang::Lang;

/// Number of comments at each end of a run that stay.
const STAY: usize = 8;

/// Returns the text that a language's parser gets for `source`: of the same length and with the same lines.
pub(crate) fn tame_comments(lang: Lang, source: &[u8]) -> Cow<'_, [u8]> {
    let rules = lang.source_rules();
    let rewritten = rules.rewrite.and_then(|rewrite| rewrite(source));
    let mut text = rewritten.map_or(Cow::Borrowed(source), Cow::Owned);
    let Some(comment) = rules.slow_comments else { return text };
    let mut run = Vec::new();
    let mut start = 0;
    for end in memchr_iter(b'\n', source).chain([source.len()]) {
        let line = source[start..end].trim_ascii_start();
        if line.starts_with(comment.as_bytes()) {
            run.push(start..end);
        } else if !line.is_empty() {
            blank_middle(&mut text, &run);
            run.clear();
        }
        start = end + 1;
    }
    blank_middle(&mut text, &run);
    text
}

/// Blanks the lines in the middle of a run.
fn blank_middle(text: &mut Cow<'_, [u8]>, run: &[Range<usize>]) {
    let Some(middle) = run.get(STAY..run.len().saturating_sub(STAY)) else { return };
    for line in middle.iter().filter(|line| is_idle(&text[(*line).clone()])).cloned().collect::<Vec<_>>() {
        text.to_mut()[line].iter_mut().filter(|byte| **byte != b'\r').for_each(|byte| *byte = b' ');
    }
}

/// Returns true if a line could neither end a string nor interpolate within one, nor end the code.
fn is_idle(line: &[u8]) -> bool {
    !line.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'`' | b'\\' | b'{' | b'}' | b'$' | b'?' | b'<'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    #[test]
    fn short_runs_and_other_languages_stay_as_they_are() {
        let some = "x = 1\n".to_owned() + &"# a\n".repeat(2 * STAY) + "y = 2\n";
        assert!(matches!(tame_comments(Lang::Python, some.as_bytes()), Cow::Borrowed(_)));
        let many = "# a\n".repeat(100);
        assert!(matches!(tame_comments(Lang::Ruby, many.as_bytes()), Cow::Borrowed(_)));
        let text = tame_comments(Lang::Python, many.as_bytes());
        assert_eq!(text.len(), many.len());
        assert_eq!(text.iter().filter(|byte| **byte == b'#').count(), 2 * STAY);
    }

    #[test]
    fn what_a_file_says_is_the_same_with_long_comments() {
        let lines = |comment: &str| {
            let run = comment.repeat(100);
            let source =
                format!("def f():\n    a()\n{run}\ndef g():\n    \"\"\"\n{run}    \"\"\"\n    b()\n");
            let facts = extract(Lang::Python, "a.py", source.as_bytes());
            assert!(!facts.has_errors);
            facts.defs.iter().map(|def| (def.lines, def.bytes)).collect::<Vec<_>>()
        };
        // A line with a quote stays.
        let (blank, same) = (lines("    # its\n\n"), lines("    # it'\n\n"));
        assert_eq!(blank, same);
        assert_eq!(blank.len(), 2);
        let php =
            format!("<?php\nfunction f() {{ g(); }}\n{}\nfunction h() {{}}\n", "// more\n".repeat(1_000));
        let facts = extract(Lang::Php, "a.php", php.as_bytes());
        assert!(!facts.has_errors && facts.defs.len() == 2);
    }
}
