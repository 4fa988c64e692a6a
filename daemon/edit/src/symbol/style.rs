//! Describes the layout of a language, as far as moving whole definitions needs it.
//!
//! Not a parser: it knows which lines are comments, whether indentation is syntax, and what may follow a definition on
//! its line.

use std::ops::Range;

use crate::lines;

/// The comments of a language, and whether its blocks are made by indentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    /// Marks that begin a comment that goes to the end of its line.
    line: &'static [&'static str],
    /// Marks that look like the beginning of a comment and are code.
    but: &'static [&'static str],
    /// Marks that begin and end any other comment; `None` if there are none.
    block: Option<(&'static str, &'static str)>,
    /// True if blocks are made by indentation, and must not be empty.
    pub(super) by_indentation: bool,
}

const SLASHES: Style = Style { line: &["//"], but: &[], block: Some(("/*", "*/")), by_indentation: false };
const HASH: Style = Style { line: &["#"], but: &["#!"], block: None, by_indentation: false };

/// Returns the style of the language with this tag; like C's if it is unknown.
pub(super) fn style_of(language: &str) -> Style {
    match language {
        "py" => Style { by_indentation: true, ..HASH },
        "rb" | "sh" | "ex" => HASH,
        "sql" => Style { line: &["--"], ..SLASHES },
        "tf" => Style { line: &["#", "//"], ..SLASHES },
        "lua" => Style { line: &["--"], but: &[], block: Some(("--[[", "]]")), by_indentation: false },
        "php" => Style { line: &["//", "#"], but: &["#["], ..SLASHES },
        _ => SLASHES,
    }
}

impl Style {
    /// Returns true if a line without its indentation is a comment and nothing else, as far as its beginning tells.
    pub(super) fn is_comment(self, line: &str) -> bool {
        let begins = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        (begins(self.line) && !begins(self.but)) || self.block.is_some_and(|(open, _)| line.starts_with(open))
    }

    /// Finds the beginning of the comment that stands directly above the line that begins at `start`, as indented as that; `start` if
    /// there is none.
    pub(super) fn comment_above(self, text: &str, start: usize) -> usize {
        let indentation = lines::indentation_of(&text[start..]);
        let mut top = start;
        while let Some(line) = lines::line_before(text, top) {
            let Some(begin) = self.comment_line(text, &line) else { break };
            if lines::indentation_of(&text[begin..]) != indentation {
                break;
            }
            top = begin;
        }
        top
    }

    /// Returns the beginning of the first line of the comment whose last line this is.
    fn comment_line(self, text: &str, line: &Range<usize>) -> Option<usize> {
        let said = text[line.clone()].trim();
        if let Some((open, close)) = self.block.filter(|(_, close)| said.ends_with(close)) {
            let begin = text[..line.end]
                .rfind(open)
                .filter(|at| !text[*at..line.end - close.len()].contains(close))?;
            let first = lines::line_start(text, begin);
            return text[first..begin].trim().is_empty().then_some(first);
        }
        let is_line = self.line.iter().any(|mark| said.starts_with(mark));
        (is_line && self.is_comment(said)).then_some(line.start)
    }

    /// Returns the end of a definition's tail on the rest of its line: a separator, and a comment. `None` if there is
    /// code.
    pub(super) fn tail(self, text: &str, end: usize) -> Option<usize> {
        let line_end = lines::line_end(text, end);
        let rest = text[end..line_end].trim_start_matches([' ', '\t']);
        let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim();
        let is_whole_comment = match self.block.filter(|(open, _)| rest.starts_with(open)) {
            Some((_, close)) => rest.find(close).is_some_and(|at| at + close.len() == rest.len()),
            None => self.is_comment(rest),
        };
        (rest.is_empty() || is_whole_comment).then_some(line_end)
    }
}
