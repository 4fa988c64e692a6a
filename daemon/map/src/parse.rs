//! Parsing that ends.
//!
//! A parser that has to guess what broken text means takes time that grows faster than the text: 15 kB of `case a: case a: ...`
//! are two million steps of Go's. Steps are the parser's own, so that the same bytes come to the same end on every machine;
//! what takes too many is text and nothing else. A time limit would do neither.
//!
//! But steps may grow too: 16,000 links of `a->a->...` make each of Lua's take ten times as long as usual. Nothing that the parser
//! tells shows that, so whoever has a clock may bring [`Patience`], for what would take minutes.
//!
//! And a parser that has several readings of a text forgets one by calling itself for each token of it: `/*/*/*...` in Python
//! needs megabytes of stack, and there is no way back from a stack that is too small. Each text has one of its length.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// The parser reports after every hundred of its steps. Lists of one-digit numbers, the densest there is, take 90 reports for a
/// kilobyte; sources by people take 4 to 12.
const REPORTS_PER_KB: usize = 200;
/// What a file may take whatever its length.
const REPORTS: usize = 1_000;

/// What a byte may take of the stack: a token is no shorter, and frees itself in a frame of 96 bytes.
const STACK_PER_BYTE: usize = 160;
/// What any text may take.
const STACK: usize = 1 << 18;

/// What is usual, generously.
const USUAL_PER_KB: usize = 30;
const USUAL: usize = 100;

thread_local! {
    /// The reports of the last parse.
    static REPORTED: Cell<usize> = const { Cell::new(0) };
}

/// Asked again and again while a file is parsed; `false` ends that.
pub type Patience<'a> = &'a dyn Fn() -> bool;

/// It is asked once in so many reports.
const ASKED: usize = 16;

/// Parses `source`; `None` when that takes too many steps. The parser can be used again. `old` is a tree of another text, which
/// has been told what has changed since.
pub(crate) fn parse(parser: &mut Parser, source: &[u8], old: Option<&Tree>) -> Option<Tree> {
    parse_patiently(parser, (source, old), &|| true)
}

/// The same; `None` also once patience is out.
pub(crate) fn parse_patiently(
    parser: &mut Parser,
    (source, old): (&[u8], Option<&Tree>),
    patience: Patience<'_>,
) -> Option<Tree> {
    parse_within(parser, (source, old), (REPORTS + source.len() / 1024 * REPORTS_PER_KB, patience))
}

/// Whether this thread's last parse of a text of this length took many times the steps that sources by people take: then another
/// reading is not worth having.
pub(crate) fn was_laborious(length: usize) -> bool {
    REPORTED.get() > USUAL + length / 1024 * USUAL_PER_KB
}

fn parse_within(
    parser: &mut Parser,
    (source, old): (&[u8], Option<&Tree>),
    (reports, patience): (usize, Patience<'_>),
) -> Option<Tree> {
    let made = Cell::new(0);
    let mut report = |_: &ParseState| {
        made.set(made.get() + 1);
        let left = reports.saturating_sub(made.get());
        let goes_on = left > 0 && (!left.is_multiple_of(ASKED) || patience());
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    let mut read = |at: usize, _| source.get(at..).unwrap_or_default();
    let stack = STACK + source.len().saturating_mul(STACK_PER_BYTE);
    stacker::maybe_grow(stack, stack, || {
        let tree = parser.parse_with_options(&mut read, old, Some(options));
        REPORTED.set(made.get());
        if tree.is_none() {
            // It would go on where it stopped.
            parser.reset();
        }
        tree
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{Lang, extract, extract_within};

    fn parser() -> Parser {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_go::LANGUAGE.into()).expect("a grammar of this version");
        parser
    }

    #[test]
    fn a_parser_that_gave_up_is_as_new() {
        let mut parser = parser();
        let source = format!("package a\n{}", "func f() { g() }\n".repeat(1_000));
        assert!(parse_within(&mut parser, (source.as_bytes(), None), (5, &|| true)).is_none());
        let tree = parse(&mut parser, b"package a\nfunc f() {}\n", None).expect("a small file");
        assert!(!tree.root_node().has_error() && tree.root_node().end_byte() == 22);
        assert!(parse(&mut parser, source.as_bytes(), None).is_some());
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
    fn what_outlasts_patience_is_only_text() {
        let source = format!("package a\n{}", "func f() { g() }\n".repeat(10_000));
        let asked = Cell::new(0);
        let patience = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let facts = extract_within(Lang::Go, "a.go", source.as_bytes(), &patience);
        assert!(facts.has_errors && facts.defs.is_empty() && asked.get() == 3);
        let whole = extract_within(Lang::Go, "a.go", source.as_bytes(), &|| true);
        assert!(!whole.has_errors && whole.defs.len() == 10_000);
    }

    /// On a test's thread, whose stack has two megabytes.
    #[test]
    fn readings_of_a_long_text_are_forgotten_on_a_stack_for_them() {
        let divided = format!("def f(): pass\nx = {}", "/*".repeat(500_000));
        let _ = extract(Lang::Python, "a.py", divided.as_bytes());
        assert_eq!(extract(Lang::Python, "a.py", b"def f(): pass\n").defs.len(), 1);
    }

    #[test]
    fn dense_lists_are_parsed() {
        let dense = format!("package a\nvar a = []int{{{}}}\nfunc f() {{}}\n", "0,".repeat(50_000));
        assert!(extract(Lang::Go, "a.go", dense.as_bytes()).defs.len() == 2);
    }
}
