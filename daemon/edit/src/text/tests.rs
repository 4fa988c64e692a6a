//! Tests text edits as agents use them.

use super::*;
use crate::apply_splices;

#[track_caller]
fn text_edited(contents: &str, old: &str, new: &str) -> String {
    text_after(contents, &replace_text(contents.as_bytes(), &TextEdit { old, new, expected: 1 }))
}

#[track_caller]
fn text_after(contents: &str, splices: &Result<Vec<Splice>, TextEditError>) -> String {
    let splices = splices.as_ref().unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(apply_splices(contents.as_bytes(), splices).expect("they fit")).expect("text")
}

#[track_caller]
fn refusal_of(contents: &str, old: &str, expected: usize) -> String {
    let refused = replace_text(contents.as_bytes(), &TextEdit { old, new: "other", expected });
    refused.expect_err("it must be refused").to_string()
}

#[track_caller]
fn matches_rewritten(contents: &str, pattern: &str, replacement: &str) -> String {
    text_after(
        contents,
        &replace_matches(contents.as_bytes(), &RegexEdit { pattern, replacement, expected: None }),
    )
}

#[track_caller]
fn regex_refused(contents: &str, pattern: &str, replacement: &str, expected: Option<usize>) -> String {
    let edit = RegexEdit { pattern, replacement, expected };
    replace_matches(contents.as_bytes(), &edit).expect_err("it must be refused").to_string()
}

#[test]
fn a_text_that_is_there_once_is_replaced() {
    assert_eq!(text_edited("let a = 1;\nlet b = 2;\n", "b = 2", "b = 3"), "let a = 1;\nlet b = 3;\n");
    assert_eq!(text_edited("grüße 😀 x", "😀 ", ""), "grüße x");
    let both = replace_text(b"a b a", &TextEdit { old: "a", new: "c", expected: 2 });
    assert_eq!(text_after("a b a", &both), "c b c");
}

#[test]
fn a_text_that_is_there_twice_is_not_guessed_at() {
    let said = refusal_of("x = 1\ny = 2\nx = 1\n", "x = 1", 1);
    assert_eq!(
        said,
        "`old` occurs 2 times, not once: at lines 1, 3. Use a longer `old` that occurs only at the place you mean, or pass \
         expected=2 to replace all."
    );
    let once = refusal_of("x = 1\n", "x = 1", 3);
    assert_eq!(once, "`old` occurs once, not 3 times: at line 1. Pass expected=1 to replace it.");
    let many = refusal_of(&"a\n".repeat(15), "a", 1);
    assert!(many.contains("at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 5 more."), "{many}");
}

#[test]
fn places_that_overlap_cannot_all_be_replaced() {
    assert!(refusal_of("a\n\n\nb", "\n\n", 1).contains("occurs 2 times"));
    assert!(refusal_of("a\n\n\nb", "\n\n", 2).contains("the two overlap"));
}

#[test]
fn line_endings_are_the_files() {
    let windows = "a\r\n  b\r\nc\r\n";
    assert_eq!(text_edited(windows, "a\n  b\n", "a\n  b2\n  b3\n"), "a\r\n  b2\r\n  b3\r\nc\r\n");
    assert_eq!(text_edited(windows, "b", "b\n  b3"), "a\r\n  b\r\n  b3\r\nc\r\n");
    assert_eq!(text_edited(windows, "\nc", "\nd"), "a\r\n  b\r\nd\r\n");
    assert_eq!(text_edited(windows, "b\n", ""), "a\r\n  c\r\n");
    assert_eq!(text_edited("a\nb\n", "a\r\nb", "x\r\ny"), "x\ny\n");
    // A caller that writes them out means them.
    assert_eq!(text_edited(windows, "a\r\n", "a\n"), "a\n  b\r\nc\r\n");
    // Each place has its own style, if they are mixed.
    let mixed = replace_text(b"a\r\nb\na\r\n", &TextEdit { old: "a", new: "a\n-", expected: 2 });
    assert_eq!(text_after("a\r\nb\na\r\n", &mixed), "a\r\n-\r\nb\na\r\n-\r\n");
}

#[test]
fn a_miss_says_what_differs_and_where() {
    let file = "fn main() {\n    let total = sum(1, 2);\n\tprint(\"total\");\n}\n";
    let cases = [
        (
            "  let total = sum(1, 2);\n  print(\"total\");",
            "Only indentation differs at lines 2-3; line 2 is `    let total",
        ),
        ("let total  = sum(1,2);", "Only blanks differ at line 2"),
        ("LET total = sum(1, 2);", "Only upper and lower case differ at line 2"),
        (
            "print(\u{201c}total\u{201d});",
            "Only quotes, dashes or blanks that look alike differ at line 3; line 3 is `\\tprint",
        ),
        ("fn main() {\\n    let total", "It does at line 1 once its escapes"),
        (
            "2\t    let total = sum(1, 2);\n3\t\tprint(\"total\");",
            "It does at line 2 without the line numbers",
        ),
        (
            "fn main() {\n    let total = sum(1, 2);\n\tprint(\"sum\");\n}\n",
            "The nearest place begins at line 1: 2 of 4 lines are there; line 3 is `print(\"total\");` where `old` has \
             `print(\"sum\");`.",
        ),
        ("let totals = summe(1, 2);", "The nearest line is 2: `let total = sum(1, 2);`."),
        ("nothing like it at all", "Nothing in it comes near"),
    ];
    for (old, said) in cases {
        let refused = refusal_of(file, old, 1);
        assert!(
            refused.starts_with("`old` does not occur in the file. ") && refused.contains(said),
            "{old}: {refused}"
        );
    }
    assert!(
        refusal_of("a  \nb\n", "a\nb", 1).contains("Only blanks at the end of a line differ at lines 1-2")
    );
}

#[test]
fn what_is_no_text_is_refused_in_words() {
    let refuse = |contents: &[u8]| {
        let refused = replace_text(contents, &TextEdit { old: "a", new: "b", expected: 1 });
        refused.expect_err("it must be refused").to_string()
    };
    assert!(refuse(b"").starts_with("the file is empty"));
    assert!(refuse(b"a\0b").starts_with("the file is binary: it has a NUL byte at 1"));
    assert!(refuse(b"ok\nna\xefve a").starts_with("the file is not UTF-8 (byte 5, line 2)"));
    assert!(refusal_of("text", "", 1).starts_with("`old` is empty"));
    assert_eq!(
        replace_text(b"same", &TextEdit { old: "same", new: "same", expected: 1 }),
        Err(TextEditError::NothingChanges)
    );
    assert_eq!(refuse(b"ok\nna\xefve a"), regex_error(b"ok\nna\xefve a"));
}

fn regex_error(contents: &[u8]) -> String {
    let edit = RegexEdit { pattern: "a", replacement: "b", expected: None };
    replace_matches(contents, &edit).expect_err("it must be refused").to_string()
}

#[test]
fn a_regex_replaces_all_its_matches() {
    assert_eq!(matches_rewritten("get(a) get(b)", r"get\((\w+)\)", "fetch($1)"), "fetch(a) fetch(b)");
    assert_eq!(matches_rewritten("a=1", r"(?<key>\w)=(?<value>\w)", "${value}=${key}$$"), "1=a$");
    let counted = RegexEdit { pattern: "a", replacement: "b", expected: Some(2) };
    assert_eq!(text_after("a a", &replace_matches(b"a a", &counted)), "b b");
    assert_eq!(
        regex_refused("a\na\na", "a", "b", Some(2)),
        "`pattern` occurs 3 times, not 2 times: at lines 1, 2, 3. Pass expected=3 to replace all."
    );
}

#[test]
fn ends_of_lines_are_where_searches_have_them() {
    assert_eq!(matches_rewritten("a\nb\n", "^", "> "), "> a\n> b\n");
    assert_eq!(matches_rewritten("a\nb\n", "$", ";"), "a;\nb;\n");
    assert_eq!(matches_rewritten("a\r\nb\r\n", "$", ";"), "a;\r\nb;\r\n");
    assert_eq!(matches_rewritten("a\r\nb\r\n", "^b$", "b\nc"), "a\r\nb\r\nc\r\n");
    assert_eq!(matches_rewritten("a\nb\n", r"\z", "c\n"), "a\nb\nc\n");
    assert_eq!(matches_rewritten("a\r\nb\r\n", r"\r\n", "\n"), "a\nb\n");
    assert_eq!(matches_rewritten("f(\n  1,\n)", r"(?s)\(.*\)", "()"), "f()");
}

#[test]
fn a_regex_that_is_wrong_is_explained() {
    let bad = regex_refused("a", "a(b", "c", None);
    assert!(bad.contains("a(b\n") && bad.contains('^') && bad.contains("unclosed group"), "{bad}");
    assert!(regex_refused("a", r"(\w{1000}){1000}", "", None).starts_with("the pattern is too large"));
    assert_eq!(regex_refused("a", "b", "c", None), "the pattern matches nowhere in the file");
    assert!(
        regex_refused("Abc", "abc", "c", None).ends_with("it would match without regard to case: `(?i)`")
    );
    assert!(regex_refused("a\nb", "a.b", "c", None).ends_with("may match a line's end: `(?s)`"));
    assert_eq!(
        regex_refused("ab", "(a)(?<z>b)", "$3", None),
        "`$3` in the replacement is no group of the pattern, which has `$0`, `$1`, `${z}`; a dollar itself is `$$`"
    );
    assert_eq!(
        regex_refused("ab", "(a)", "$1b", None),
        "`$1b` in the replacement is read as a group called `1b`; write `${1}b`"
    );
}

#[test]
fn no_input_panics() {
    let texts = ["", "\r", "\r\n", "\n\r\n", "é", "a\rb\r\n\r\n", "\u{feff}a\n", "12: x\n13: y"];
    for contents in texts {
        for old in texts {
            let _ = replace_text(contents.as_bytes(), &TextEdit { old, new: "\n", expected: 1 });
            let edit = RegexEdit { pattern: old, replacement: "$0\n", expected: None };
            let _ = replace_matches(contents.as_bytes(), &edit);
        }
    }
}
