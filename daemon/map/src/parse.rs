//! Parsing that ends.
//!
//! A parser that has to guess what broken text means takes time that grows faster than the text: 15 kB of `case a: case a: ...`
//! are two million steps of Go's. Steps are the parser's own, so that the same bytes come to the same end on every machine;
//! what takes too many is text and nothing else. A time limit would do neither.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// The parser reports after every hundred of its steps. Lists of one-digit numbers, the densest there is, take 90 reports for a
/// kilobyte; sources by people take 4 to 12.
const REPORTS_PER_KB: usize = 200;
/// What a file may take whatever its length.
const REPORTS: usize = 1_000;

/// Parses `source`; `None` when that takes too many steps. The parser can be used again.
pub(crate) fn parse(parser: &mut Parser, source: &[u8]) -> Option<Tree> {
    parse_within(parser, source, REPORTS + source.len() / 1024 * REPORTS_PER_KB)
}

fn parse_within(parser: &mut Parser, source: &[u8], reports: usize) -> Option<Tree> {
    let mut left = reports;
    let mut report = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    let mut read = |at: usize, _| source.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        // It would go on where it stopped.
        parser.reset();
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lang, extract};

    fn parser() -> Parser {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_go::LANGUAGE.into()).expect("a grammar of this version");
        parser
    }

    #[test]
    fn a_parser_that_gave_up_is_as_new() {
        let mut parser = parser();
        let source = format!("package a\n{}", "func f() { g() }\n".repeat(1_000));
        assert!(parse_within(&mut parser, source.as_bytes(), 5).is_none());
        let tree = parse(&mut parser, b"package a\nfunc f() {}\n").expect("a small file");
        assert!(!tree.root_node().has_error() && tree.root_node().end_byte() == 22);
        assert!(parse(&mut parser, source.as_bytes()).is_some());
    }

    #[test]
    fn text_that_cannot_be_parsed_in_reason_is_only_text() {
        let hopeless = format!("package a\n\nimport (\n{}(", "case a: ".repeat(700));
        let facts = extract(Lang::Go, "a.go", hopeless.as_bytes());
        assert!(facts.has_errors);
        let after = extract(Lang::Go, "b.go", b"package a\nfunc f() {}\n");
        assert!(!after.has_errors && after.defs.len() == 1);
    }

    #[test]
    fn dense_lists_are_parsed() {
        let dense = format!("package a\nvar a = []int{{{}}}\nfunc f() {{}}\n", "0,".repeat(50_000));
        assert!(extract(Lang::Go, "a.go", dense.as_bytes()).defs.len() == 2);
    }
}
