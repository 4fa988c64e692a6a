//! Tests what an answer shows, case by case.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{TextTree, count_request, matching_lines, path, request};
use hob_base::{CancelToken, WsPath};
use hob_text::search::MAX_LINE;
use hob_text::{SearchError, SearchOutput, SearchRequest, search};

#[track_caller]
fn check_lines(bytes: &[u8], pattern: &str, expected: &[&str]) {
    let answer = TextTree::new(&[("f", bytes)]).search(&request(pattern));
    assert_eq!(matching_lines(&answer), expected, "{pattern}");
}

#[test]
fn line_ends_are_as_ripgrep_has_them() {
    check_lines(b"one\r\ntwo\r\n", "one", &["f:1:1:one\r"]);
    check_lines(b"one\r\ntwo\r\n", "one$", &[]);
    check_lines(b"one\r\ntwo\r\n", "(?R)one$", &["f:1:1:one\r"]);
    check_lines(b"one\ntwo", "two$", &["f:2:1:two"]);
    check_lines(b"a\n\nb\n", "^$", &["f:2:1:"]);
    check_lines(b"a\n\nb\n", r"a\s+b", &[]);
    check_lines(b"", "^$", &[]);
    check_lines(b"\n", "", &["f:1:1:"]);
}

#[test]
fn byte_order_marks_are_no_text() {
    check_lines(b"\xEF\xBB\xBFfirst\n", "^first", &["f:1:1:first"]);
    check_lines(b"\xFF\xFEh\0i\0\n\0", "^hi$", &["f:1:1:hi"]);
}

#[test]
fn invalid_utf8_is_searched_and_shown() {
    check_lines(b"caf\xe9 noir\n", "noir", &["f:1:6:caf\u{FFFD} noir"]);
    check_lines(b"caf\xe9 noir\n", r"(?-u:\xe9)", &["f:1:4:caf\u{FFFD} noir"]);
    check_lines(b"caf\xe9 noir\n", "caf. noir", &[]);
}

#[test]
fn columns_are_of_the_first_match_in_both_counts() {
    let answer = TextTree::new(&[("f", "\u{1F600}é x x\n")]).search(&request("x"));
    let [line] = &answer.matches[..] else { panic!("one line: {answer:?}") };
    assert_eq!((line.line, line.col, line.byte_col), (1, 5, 8));
    assert_eq!((answer.total_lines, answer.total_matches), (1, 2));
}

#[test]
fn occurrences_are_counted_as_count_matches_does() {
    let count = |text: &str, pattern: &str| {
        TextTree::new(&[("f", text)]).search(&count_request(pattern)).total_matches
    };
    assert_eq!(count("aaa\naa\n", "a"), 5);
    assert_eq!(count("aaa\naa\n", "aa"), 2);
    assert_eq!(count("abab\n", "x*"), 5);
    assert_eq!(count("one two\n", r"\b"), 4);
    assert_eq!(count("a\nb", "$"), 2);
}

#[test]
fn a_nul_after_the_first_buffer_ends_the_search_there() {
    let mut bytes = b"needle\n".repeat(20_000);
    bytes.extend(b"\0needle\n");
    let tree = TextTree::new(&[("f", bytes)]);
    let lines = tree.search(&request("needle")).total_lines;
    assert!(0 < lines && lines < 20_000, "{lines}");
    assert_eq!(tree.search(&count_request("needle")).files_matched, 0, "ripgrep counts no such file");
    assert_eq!(TextTree::new(&[("f", b"needle\0\n")]).search(&request("needle")).total_lines, 0);
}

#[test]
fn large_files_give_the_same_lines_as_small_ones() {
    let mut text = String::new();
    for n in 0..200_000 {
        text.push_str(&format!("line {n}\n"));
    }
    let tree = TextTree::new(&[("f", &text)]);
    let answer = tree.search(&SearchRequest { context_lines: 1, ..request("line 1999(0|9)8$") });
    assert_eq!(matching_lines(&answer), ["f:199909:1:line 199908", "f:199999:1:line 199998"]);
    assert_eq!(answer.matches[1].before, ["line 199997"]);
    assert_eq!(answer.matches[1].after, ["line 199999"]);
    assert_eq!(tree.search(&count_request("line")).total_lines, 200_000);
}

#[test]
fn counting_large_files_finds_what_showing_finds() {
    let line = "some words, é and \u{1F600}, of a line with 12 and 3456\n\n  \t\nlast\r\n";
    for end in ["", "no newline at the end 77"] {
        let tree = TextTree::new(&[("f", line.repeat(3_000) + end)]);
        for pattern in
            ["words|12", r"\d+", "^", "$", r"\b", r"^\s*$", r"\w+ds\b", "x*", "(?i)LAST.*", r"\d$", "[^\n]*"]
        {
            let totals = |answer: hob_text::SearchAnswer| (answer.total_lines, answer.total_matches);
            let shown = totals(tree.search(&request(pattern)));
            assert_eq!(totals(tree.search(&count_request(pattern))), shown, "{pattern}");
        }
    }
}

#[test]
fn context_stops_at_the_ends_of_the_file() {
    let tree = TextTree::new(&[("f", "a\nb\n\nx\nd\n"), ("g", "x"), ("h", "\nx\n")]);
    let answer = tree.search(&SearchRequest { context_lines: 2, ..request("x") });
    let around = |at: usize| (answer.matches[at].before.join("|"), answer.matches[at].after.join("|"));
    assert_eq!(around(0), ("b|".to_owned(), "d".to_owned()));
    assert_eq!(answer.matches[1].before.len() + answer.matches[1].after.len(), 0);
    assert_eq!(answer.matches[2].before, [""]);
    assert_eq!(answer.matches[2].after.len(), 0);
}

#[test]
fn a_limit_cuts_what_is_shown_and_not_what_is_counted() {
    let files: Vec<(String, String)> =
        (0..300).map(|n| (format!("f{n:03}"), "x x\nx\n".to_owned())).collect();
    let files: Vec<(&str, &String)> = files.iter().map(|(path, text)| (path.as_str(), text)).collect();
    let tree = TextTree::new(&files);
    let limited = |limit, output| {
        let answer = tree.search(&SearchRequest { limit: Some(limit), output, ..request("x") });
        assert_eq!((answer.total_lines, answer.total_matches, answer.files_matched), (600, 900, 300));
        answer
    };
    assert_eq!(
        matching_lines(&limited(3, SearchOutput::Lines)),
        ["f000:1:1:x x", "f000:2:1:x", "f001:1:1:x x"]
    );
    assert_eq!(limited(0, SearchOutput::Lines).matches, []);
    let files = limited(2, SearchOutput::Files).files;
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["f000", "f001"]);
    assert_eq!((files[0].lines, files[0].matches), (2, 3));
    assert_eq!(tree.search(&count_request("x")).files.len(), 300);
}

#[test]
fn prefix_and_glob_narrow_everything() {
    let tree = TextTree::new(&[("a/x.rs", "hit"), ("a/x.py", "hit"), ("ab/x.rs", "hit")]);
    let mut narrowed = request("hit");
    narrowed.path_prefix = Some(path("a"));
    narrowed.glob = Some("*.rs".to_owned());
    let answer = tree.search(&narrowed);
    assert_eq!(matching_lines(&answer), ["a/x.rs:1:1:hit"]);
    assert_eq!((answer.total_lines, answer.candidates), (1, 1));
}

#[test]
fn bad_requests_are_refused_with_a_reason() {
    let refused = |request: &SearchRequest| {
        let tree = TextTree::new(&[("f", "x")]);
        search(&tree.index().snapshot(), request, &tree, &CancelToken::default()).expect_err("a bad request")
    };
    assert!(matches!(refused(&request("a(")), SearchError::Pattern(bad) if bad.offset == Some(1)));
    let glob = SearchRequest { glob: Some("{".to_owned()), ..request("a") };
    assert!(matches!(refused(&glob), SearchError::Glob(_)));
}

#[test]
fn a_cancelled_search_says_that_it_is_not_complete() {
    let tree = TextTree::new(&[("a", "x\n"), ("b", "x\n")]);
    let token = CancelToken::default();
    token.cancel();
    let answer = search(&tree.index().snapshot(), &request("x"), &tree, &token).expect("a valid pattern");
    assert!(!answer.complete);
    assert_eq!(answer.total_lines, 0);
}

#[test]
fn a_search_cancelled_on_its_way_keeps_what_it_found() {
    let mut tree = TextTree::default();
    for n in 0..10_000 {
        tree.set(&format!("f{n:05}"), b"x\n");
    }
    let (token, reads) = (CancelToken::default(), AtomicUsize::new(0));
    let cancelling = |_: &WsPath| -> io::Result<Arc<[u8]>> {
        if reads.fetch_add(1, Ordering::Relaxed) == 50 {
            token.cancel();
        }
        Ok(b"x\n"[..].into())
    };
    let answer =
        search(&tree.index().snapshot(), &count_request("x"), &cancelling, &token).expect("a valid pattern");
    assert!(!answer.complete);
    assert!((1..10_000).contains(&answer.files_matched), "{}", answer.files_matched);
}

#[test]
fn files_that_vanished_or_cannot_be_read_are_data() {
    let index = TextTree::new(&[("gone", "x"), ("locked", "x"), ("there", "x")]).index();
    let contents = |at: &WsPath| -> io::Result<Arc<[u8]>> {
        match at.as_str() {
            "gone" => Err(io::ErrorKind::NotFound.into()),
            "locked" => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Ok(b"x"[..].into()),
        }
    };
    let answer = search(&index.snapshot(), &request("x"), &contents, &CancelToken::default())
        .expect("a valid pattern");
    assert_eq!(matching_lines(&answer), ["there:1:1:x"]);
    assert_eq!((answer.unreadable, answer.complete, answer.covers_everything()), (1, true, false));
}

#[test]
fn a_very_long_line_is_cut_where_it_is_shown_only() {
    let line = format!("{}ä needle\nshort\n", "é".repeat(MAX_LINE));
    let answer =
        TextTree::new(&[("f", &line)]).search(&SearchRequest { context_lines: 1, ..request("needle") });
    let [found] = &answer.matches[..] else { panic!("one line: {}", answer.total_lines) };
    assert_eq!(found.text, "é".repeat(MAX_LINE / 2));
    assert_eq!(found.col as usize, MAX_LINE + 3);
    assert_eq!(found.after, ["short"]);
}
