//! Tests that counting many patterns at once gives the counts of each.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use hob_base::{CancelToken, WsPath};
use hob_text::count::{MAX_PATTERNS, TOP_FILES};
use hob_text::{
    CountAnswer, CountError, CountRequest, LineScope, LineSet, PatternCounts, SearchOutput, SearchRequest,
    count,
};

use crate::common::{TextTree, count_request, path};

fn request_of(patterns: &[&str]) -> CountRequest {
    let patterns = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    CountRequest { patterns, ..CountRequest::default() }
}

fn count_in_tree(tree: &TextTree, request: &CountRequest) -> CountAnswer {
    count(&tree.mapped_index().snapshot(), request, tree, &CancelToken::default()).expect("a valid request")
}

fn counts_at(answer: &CountAnswer, at: usize) -> &PatternCounts {
    &answer.counts[at]
}

fn mixed_tree() -> TextTree {
    let mut tree = TextTree::default();
    for n in 0..200u32 {
        let text =
            format!("{}needle {n}\nhay{}\n", "needle ".repeat(n as usize % 7), "\u{e9}".repeat(n as usize));
        tree.set(&format!("d{}/f{n:03}", n % 3), text.as_bytes());
    }
    tree.set("late-nul", &[&b"needle\n".repeat(20_000)[..], b"\0needle\n"].concat());
    tree.set("large", &b"a needle in a large file, many times over\n".repeat(9_000));
    tree
}

#[test]
fn every_pattern_counts_as_it_does_alone() {
    let all = [
        "needle",
        r"needle \d+$",
        "(?i)HAY|needle",
        r"\w+edle\b",
        "absent",
        "",
        r"(?R)\d$",
        "x*",
        r"[^\n]{100}",
    ];
    let tree = mixed_tree();
    let answer = count_in_tree(&tree, &request_of(&all));
    assert!(answer.complete);
    for (at, pattern) in all.iter().enumerate() {
        let alone = tree.search(&count_request(pattern));
        let counts = counts_at(&answer, at);
        assert_eq!(
            (counts.total_lines, counts.total_matches, counts.files_matched),
            (alone.total_lines, alone.total_matches, alone.files_matched),
            "{pattern}"
        );
        let mut by_path: BTreeMap<&str, u64> = BTreeMap::new();
        by_path.extend(alone.files.iter().map(|file| (file.path.as_str(), file.matches)));
        let mut top: Vec<(&str, u64)> = by_path.into_iter().collect();
        top.sort_by_key(|(_, matches)| std::cmp::Reverse(*matches));
        top.truncate(TOP_FILES);
        let named: Vec<_> = counts.top_files.iter().map(|file| (file.path.as_str(), file.matches)).collect();
        assert_eq!(named, top, "{pattern}");
    }
}

#[test]
fn each_file_is_read_once_and_only_if_needed() {
    let tree = TextTree::new(&[("one", "alpha beta"), ("two", "beta"), ("three", "gamma")]);
    let reads = Mutex::new(Vec::new());
    let contents = |at: &WsPath| -> io::Result<Arc<[u8]>> {
        reads.lock().expect("no panic").push(at.to_string());
        Ok(tree.files[at.as_str()].clone())
    };
    let request = request_of(&["alpha", "beta", "al|be[t]a"]);
    let answer =
        count(&tree.index().snapshot(), &request, &contents, &CancelToken::default()).expect("valid");
    let mut reads = reads.into_inner().expect("no panic");
    reads.sort();
    assert_eq!(reads, ["one", "three", "two"], "`al` has no trigram, so every file is looked at");
    assert_eq!(answer.candidates, 3);
    let narrow =
        count(&tree.index().snapshot(), &request_of(&["alpha", "beta"]), &tree, &CancelToken::default());
    assert_eq!(narrow.expect("valid").candidates, 2);
}

#[test]
fn a_bad_pattern_is_named() {
    let tree = TextTree::new(&[("f", "aaa")]);
    let refused =
        count(&tree.index().snapshot(), &request_of(&["a", "a(", "b["]), &tree, &CancelToken::default());
    let Err(CountError::Pattern { number: 1, error }) = refused else { panic!("an open group: {refused:?}") };
    assert_eq!(error.offset, Some(1));
}

#[test]
fn filters_narrow_and_bad_requests_are_refused() {
    let tree = TextTree::new(&[("a/x.rs", "hit"), ("a/x.py", "hit"), ("b/x.rs", "hit")]);
    let narrow =
        CountRequest { path_prefix: Some(path("a")), glob: Some("*.rs".to_owned()), ..request_of(&["hit"]) };
    assert_eq!(counts_at(&count_in_tree(&tree, &narrow), 0).files_matched, 1);
    let refused = |request: &CountRequest| {
        count(&tree.index().snapshot(), request, &tree, &CancelToken::default()).expect_err("a bad request")
    };
    assert!(matches!(refused(&CountRequest { glob: Some("{".to_owned()), ..narrow }), CountError::Glob(_)));
    assert_eq!(refused(&request_of(&["x"; MAX_PATTERNS + 1])), CountError::TooMany(MAX_PATTERNS + 1));
    assert_eq!(count_in_tree(&tree, &request_of(&[])).counts, []);
}

#[test]
fn a_cancelled_count_says_that_it_is_not_complete() {
    let (tree, token) = (mixed_tree(), CancelToken::default());
    token.cancel();
    let answer = count(&tree.index().snapshot(), &request_of(&["needle"]), &tree, &token).expect("valid");
    assert!(!answer.complete);
    assert_eq!(counts_at(&answer, 0).total_matches, 0);
}

#[test]
fn only_the_lines_of_the_scope_count() {
    let tree = TextTree::new(&[("a", "hit hit\nhit\n\nhit hit hit\n"), ("b", "hit\n"), ("c", "hit hit\nx")]);
    let (all, none) = (tree.numbers["c"], tree.numbers["b"]);
    let lines_of = move |file, _: &WsPath| match file {
        file if file == all => LineSet::every_line(),
        file if file == none => LineSet::default(),
        _ => LineSet::from_stretches([(4, 9), (1, 1)]),
    };
    let request = CountRequest { scope: Some(LineScope::new(lines_of)), ..request_of(&["hit", "^"]) };
    let answer = count(&tree.index().snapshot(), &request, &tree, &CancelToken::default()).expect("valid");
    let totals = |at| {
        (
            counts_at(&answer, at).total_lines,
            counts_at(&answer, at).total_matches,
            counts_at(&answer, at).files_matched,
        )
    };
    assert_eq!((totals(0), totals(1)), ((3, 7, 2), (4, 4, 2)));
    for output in [SearchOutput::Lines, SearchOutput::Files, SearchOutput::Count] {
        let request = SearchRequest {
            scope: request.scope.clone(),
            limit: Some(2),
            output,
            ..crate::common::request("hit")
        };
        let found = tree.search(&request);
        assert_eq!((found.total_lines, found.total_matches, found.files_matched), (3, 7, 2), "{output:?}");
        let shown = if output == SearchOutput::Lines { found.matches.len() } else { found.files.len() };
        assert_eq!(shown, 2, "{output:?}");
    }
}
