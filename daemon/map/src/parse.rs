//! Parses with bounds on steps, stack and memory.
//!
//! A parser that has to guess the meaning of broken text takes time that grows faster than the text: 15 kB of `case a:
//! case a: ...` are two million steps of Go's. Steps are the parser's own, so the same bytes lead to the same result on
//! every machine; text that takes too many is text only. A time limit would do neither.
//!
//! But steps may grow too: 16,000 links of `a->a->...` make each step of Lua's take ten times as long as usual. Nothing
//! that the parser reports shows that, so callers with a clock may pass [`Patience`], against texts that would take
//! minutes.
//!
//! A parser with several readings of a text drops one by calling itself for each token of it: `/*/*/*...` in Python
//! needs megabytes of stack, and there is no recovery from a stack that is too small. So each text is parsed on a stack
//! for its length.
//!
//! The memory of a parser may grow with the square of the text, or worse, in one step: `bounded` counts it.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{Language, Parser, Tree};

use crate::bounded::{self, BoundedSession, Parsed};
use crate::facts::GaveUp;

/// Most reports for each kilobyte of text; the parser reports after every hundred of its steps. Lists of one-digit
/// numbers, the densest text there is, take 90 reports for a kilobyte; sources by people take 4 to 12.
const REPORTS_PER_KB: usize = 200;
/// Reports that any file may take in addition, whatever its length.
const REPORTS: usize = 1_000;

/// Bytes of stack for each byte of a text: a token has at least one byte, and freeing it takes a frame of 96 bytes.
const STACK_PER_BYTE: usize = 160;
/// Bytes of stack that any text may take in addition.
const STACK: usize = 1 << 18;

/// Reports that sources by people take for a kilobyte, counted generously.
const USUAL_PER_KB: usize = 30;
const USUAL: usize = 100;

thread_local! {
    /// The number of reports of the last parse.
    static REPORTED: Cell<usize> = const { Cell::new(0) };
}
/// Bytes that parsers and trees may take for each byte of text: sources by people take 30 to 100.
const HELD_PER_BYTE: usize = 128;
/// Bytes that parsers and trees may take for any text in addition.
const HELD: usize = 64 << 20;

/// A callback of the caller, called repeatedly while a file is parsed; `false` stops the parser.
pub type Patience<'a> = &'a dyn Fn() -> bool;

/// The number of reports for one call of [`Patience`].
const ASKED: usize = 4;

/// Returns the number of bytes of stack on which a text of this length is parsed. A thread with less gets a stack for it.
#[must_use]
pub const fn parser_stack(length: usize) -> usize {
    STACK + length.saturating_mul(STACK_PER_BYTE)
}

/// Returns the most bytes that the parsers and trees of a text of this length may hold at once.
#[must_use]
pub fn may_hold(length: usize) -> usize {
    HELD + length.saturating_mul(HELD_PER_BYTE)
}

/// A language's parser, kept for the next text.
#[derive(Default)]
pub(crate) struct ThreadParser {
    parser: Option<Parser>,
    /// The number of the session that used it last.
    session: u64,
}

/// Returns true if this thread's last parse, of a text of this length, took many more steps than sources by people
/// take: then another reading is not worth its time.
pub(crate) fn was_laborious(length: usize) -> bool {
    REPORTED.get() > USUAL + length / 1024 * USUAL_PER_KB
}

impl ThreadParser {
    /// Parses a text, or a part of it; an error if that takes too much.
    pub(crate) fn parse(
        &mut self,
        grammar: fn() -> Option<Language>,
        asked: &TreeParseInput<'_>,
    ) -> Result<Tree, GaveUp> {
        let reports = REPORTS + asked.byte_length() / 1024 * REPORTS_PER_KB;
        self.parse_within(grammar, asked, reports)
    }

    fn parse_within(
        &mut self,
        grammar: fn() -> Option<Language>,
        asked: &TreeParseInput<'_>,
        reports: usize,
    ) -> Result<Tree, GaveUp> {
        let parser = self.parser.take().or_else(|| bounded::parser_for(&grammar()?));
        let mut parser = parser.ok_or(GaveUp::Hazard)?;
        self.session = BoundedSession::current_number();
        // An empty list of ranges means the whole text.
        let _ = parser.set_included_ranges(asked.part.as_slice());
        let (parsed, gave_up) = parse_counted(parser, asked, reports);
        let (parser, tree) = match parsed {
            Parsed::Left => return Err(GaveUp::Memory),
            Parsed::Stopped(parser) => (parser, Err(gave_up)),
            Parsed::Tree(parser, tree) => (parser, Ok(tree)),
        };
        self.parser = Some(parser);
        tree
    }

    /// Forgets the parser, without dropping it, if this thread's session used it, since nothing of the session may be
    /// used any more.
    pub(crate) fn forget_parser(&mut self) {
        if self.session == BoundedSession::current_number() {
            std::mem::forget(self.parser.take());
        }
    }
}

/// A text to parse.
pub(crate) struct TreeParseInput<'a> {
    pub(crate) source: &'a [u8],
    /// The part of the text to read; `None` for all of it.
    pub(crate) part: Option<tree_sitter::Range>,
    /// A tree of another text, which was told the changes since.
    pub(crate) old: Option<&'a Tree>,
    pub(crate) patience: Patience<'a>,
}

impl TreeParseInput<'_> {
    fn byte_length(&self) -> usize {
        self.part.as_ref().map_or(self.source.len(), |part| part.end_byte - part.start_byte)
    }
}

fn parse_counted(parser: Parser, asked: &TreeParseInput<'_>, reports: usize) -> (Parsed, GaveUp) {
    let (mut left, mut gave_up) = (reports, GaveUp::Steps);
    let mut report = || {
        left = left.saturating_sub(1);
        if left > 0 && left.is_multiple_of(ASKED) && !(asked.patience)() {
            gave_up = GaveUp::Time;
            return ControlFlow::Break(());
        }
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let stack = parser_stack(asked.byte_length());
    let (source, old) = (asked.source, asked.old);
    let parsed = stacker::maybe_grow(stack, stack, || bounded::parse(parser, source, old, &mut report));
    REPORTED.set(reports - left);
    (parsed, gave_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{Lang, extract, extract_within};

    fn go_grammar() -> Option<Language> {
        Some(tree_sitter_go::LANGUAGE.into())
    }

    fn tree_parse_input(source: &[u8]) -> TreeParseInput<'_> {
        TreeParseInput { source, part: None, old: None, patience: &|| true }
    }

    #[test]
    fn a_parser_that_gave_up_is_as_new() {
        let mut kept = ThreadParser::default();
        let source = format!("package a\n{}", "func f() { g() }\n".repeat(1_000));
        assert_eq!(
            kept.parse_within(go_grammar, &tree_parse_input(source.as_bytes()), 5).err(),
            Some(GaveUp::Steps)
        );
        let tree =
            kept.parse(go_grammar, &tree_parse_input(b"package a\nfunc f() {}\n")).expect("a small file");
        assert!(!tree.root_node().has_error() && tree.root_node().end_byte() == 22);
        assert!(kept.parse(go_grammar, &tree_parse_input(source.as_bytes())).is_ok());
    }

    #[test]
    fn a_parser_at_the_end_of_its_memory_is_left_and_the_next_is_as_new() {
        let mut kept = ThreadParser::default();
        let source = format!("package a\n{}", "func f() { g() }\n".repeat(1_000));
        {
            let _session = BoundedSession::begin(1 << 16);
            assert_eq!(
                kept.parse(go_grammar, &tree_parse_input(source.as_bytes())).err(),
                Some(GaveUp::Memory)
            );
            assert!(BoundedSession::was_left());
            assert_eq!(
                kept.parse(go_grammar, &tree_parse_input(b"package a\n")).err(),
                Some(GaveUp::Memory),
                "the session is over"
            );
            kept.forget_parser();
        }
        // The second parser was made outside of any session, where nothing is limited.
        assert!((1..=2 << 16).contains(&bounded::held_at_most()), "{}", bounded::held_at_most());
        let _session = BoundedSession::begin(1 << 24);
        let tree =
            kept.parse(go_grammar, &tree_parse_input(source.as_bytes())).expect("there is room for it");
        assert!(!tree.root_node().has_error() && !BoundedSession::was_left());
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

    /// A test's thread has a stack of two megabytes.
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
