//! Text that ends the process if a grammar gets to see it.
//!
//! Some grammars come with a scanner in C that keeps a stack of its own, and has 1,024 bytes to write it to: when the stack is
//! deeper than that they abort, and the daemon with them. Others have the parser take minutes and gigabytes in one step, where
//! it cannot be stopped. What could come near that is text and nothing else. Each limit is far above what people write, and each
//! measure is an upper bound: it holds however wrongly a parser that has lost its way understands the text.

use memchr::memchr_iter;
use memchr::memmem::find_iter;
use rustc_hash::FxHashSet;

use crate::langs::Lang;

/// Python's scanner writes two bytes for each open indentation and up to 257 more.
const INDENTATIONS: usize = 380;
/// Kotlin's scanner writes two bytes for each open string.
const INTERPOLATIONS: usize = 500;
/// Ruby's scanner writes a delimiter's length in one byte, and 1,024 bytes of all that are open.
const DELIMITERS: usize = 200;
/// C's parser takes a second to find the error in so many conditions within each other, and minutes for ten times as
/// many.
const CONDITIONS: usize = 1_000;
/// The time of Scala's grammar grows with the square of how deep square brackets are nested, to minutes for a file of nothing else.
const BRACKETS: usize = 500;

/// Returns true if a file must not be given to its language's grammar.
pub(crate) fn is_hazardous(lang: Lang, source: &[u8]) -> bool {
    match lang {
        Lang::Python => count_indentations(source) > INDENTATIONS,
        Lang::Kotlin => find_iter(source, b"${").count() > INTERPOLATIONS,
        Lang::Ruby => longest_delimiters(source) > DELIMITERS,
        // All of them are counted much faster, and nearly no file has so many.
        Lang::C | Lang::Cpp => {
            memchr_iter(b'?', source).count() > CONDITIONS && most_conditions(source) > CONDITIONS
        }
        Lang::Scala => deepest_brackets(source) > BRACKETS,
        _ => false,
    }
}

/// Counts the different indentations of a text, in the scanner's columns: no more can be open at once.
fn count_indentations(source: &[u8]) -> usize {
    let mut widths = FxHashSet::default();
    let mut continued = 0;
    let mut width = Some(0_u32);
    for byte in source {
        width = match (byte, width) {
            (b'\n', _) | (b'\r' | b'\x0c', Some(_)) => Some(0),
            (b' ', Some(width)) => Some(width + 1),
            (b'\t', Some(width)) => Some(width + 8),
            (_, None) => None,
            (byte, Some(width)) => {
                // An indentation that may go on in the next line has a width of its own.
                continued += usize::from(*byte == b'\\');
                widths.insert(width);
                None
            }
        };
    }
    widths.len() + continued
}

/// The most that the delimiters of here-documents begun in one line come to, in bytes.
fn longest_delimiters(source: &[u8]) -> usize {
    let in_line = |line: &[u8]| find_iter(line, b"<<").map(|at| delimiter_length(&line[at + 2..])).sum();
    source.split(|byte| *byte == b'\n').map(in_line).max().unwrap_or(0)
}

/// The length of a delimiter, with what the scanner writes beside it.
fn delimiter_length(rest: &[u8]) -> usize {
    let rest = rest.strip_prefix(b"-").or(rest.strip_prefix(b"~")).unwrap_or(rest);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let length = match rest.first() {
        Some(quote @ (b'"' | b'\'' | b'`')) => rest[1..].iter().take_while(|byte| *byte != quote).count(),
        _ => rest.iter().take_while(|byte| is_word(byte)).count(),
    };
    if length == 0 { 0 } else { 4 + length }
}

/// The most `?` without an end of a statement or a block among them.
fn most_conditions(source: &[u8]) -> usize {
    let statements = source.split(|byte| matches!(byte, b';' | b'{' | b'}'));
    statements.map(|statement| memchr_iter(b'?', statement).count()).max().unwrap_or(0)
}

/// Measures how deep square brackets are nested; brackets in strings and comments count too.
fn deepest_brackets(source: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in source {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    /// It is text only, and the same with fewer of it is not.
    #[track_caller]
    fn only_text(lang: Lang, bad: &str, good: &str) {
        let facts = extract(lang, "a", bad.as_bytes());
        assert!(facts.has_errors && facts.defs.is_empty());
        assert!(!extract(lang, "a", good.as_bytes()).defs.is_empty());
    }

    fn indented_source(levels: usize) -> String {
        let lines: String = (0..levels).map(|level| format!("{}if a:\n", " ".repeat(level))).collect();
        format!("def f(): pass\n{lines}{}x = f\"a{{\"\n", " ".repeat(levels))
    }

    #[test]
    fn indentations_that_pythons_scanner_cannot_keep() {
        only_text(Lang::Python, &indented_source(511), &indented_source(100));
        assert_eq!(count_indentations(b"a\n  b\n\tc\n        d\n  \\\n  e\n"), 3 + 1);
    }

    #[test]
    fn strings_that_kotlins_scanner_cannot_keep() {
        let nested = |times: usize| format!("fun f() {{}}\nval x = {}", "\"${".repeat(times));
        only_text(Lang::Kotlin, &nested(2_000), &nested(100));
    }

    #[test]
    fn delimiters_that_rubys_scanner_cannot_keep() {
        let document = |length: usize| {
            let word = "A".repeat(length);
            format!("def f\nend\nx = <<~{word}\n  a\n{word}\n")
        };
        only_text(Lang::Ruby, &document(300), &document(100));
        assert_eq!(longest_delimiters(b"a << b\nf(<<-\"a b\", <<~C) + x\n"), 7 + 5);
    }

    #[test]
    fn conditions_that_cs_parser_would_not_finish() {
        let chain = |times: usize| format!("int f(void) {{ return 0; }}\n{}", "a?.".repeat(times));
        only_text(Lang::C, &chain(100_000), &chain(100));
        only_text(Lang::Cpp, &chain(100_000), &chain(100));
    }

    #[test]
    fn brackets_that_scalas_parser_would_not_finish() {
        let nested = |times: usize| format!("def f = 1\nval x = {}", "[".repeat(times));
        only_text(Lang::Scala, &nested(10_000), &nested(100));
    }
}
