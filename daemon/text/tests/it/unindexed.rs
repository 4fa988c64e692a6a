//! Tests that a view with files that the index lacks answers as an index of all of them.

use hob_base::{CancelToken, FileId, WsPath};
use hob_text::{
    CountRequest, PathFilter, SearchOutput, SearchRequest, TextView, TrigramIndex, count, search,
};

use crate::common::{TextTree, matching_lines, path, request};

fn tree() -> TextTree {
    TextTree::new(&[
        ("a/one.txt", &b"alpha\nbeta alpha\n"[..]),
        ("a/two.txt", b"\xFF\xFEa\0l\0p\0h\0a\0\n\0"),
        ("b/binary", b"alpha\n\0alpha\n"),
        ("b/empty", b""),
        ("b/three.txt", b"nothing\n"),
        ("c/four.txt", b"gamma alpha\n"),
    ])
}

/// Returns a view of an index with every second text file, and all files beside it.
fn view_of_half(tree: &TextTree) -> TextView {
    let indexed = ["a/one.txt", "b/three.txt"];
    let mut whole = tree.clone();
    let mut index = TrigramIndex::new();
    index.apply(indexed.iter().map(|at| whole.set(at, &tree.files[*at])).collect());
    let all: Vec<(FileId, WsPath)> = tree.numbers.iter().map(|(at, file)| (*file, path(at))).collect();
    index.snapshot().with_unindexed(all)
}

#[test]
fn files_that_the_index_lacks_are_searched_all_the_same() {
    let tree = tree();
    let view = view_of_half(&tree);
    for pattern in ["alpha", "^alpha", "(?i)GAMMA", r"\w+", "absent", "a"] {
        for output in [SearchOutput::Lines, SearchOutput::Files, SearchOutput::Count] {
            let request = SearchRequest { output, ..request(pattern) };
            let found = search(&view, &request, &tree, &CancelToken::default()).expect("a valid request");
            // The whole index has no binary file either, as the indexer leaves them out.
            let mut text_only = tree.clone();
            text_only.files.remove("b/binary");
            let expected = text_only.search(&request);
            assert_eq!(matching_lines(&found), matching_lines(&expected), "{pattern}");
            assert_eq!((found.files, found.total_matches), (expected.files, expected.total_matches));
        }
    }
}

#[test]
fn a_file_that_is_in_the_index_by_now_is_searched_once() {
    let tree = tree();
    let candidates = |filter: &PathFilter| {
        let pattern = hob_text::Pattern::new("absent").expect("a valid pattern");
        let found = view_of_half(&tree).candidate_files(pattern.query(), filter);
        found.into_iter().map(|file| file.path.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(candidates(&PathFilter::default()), ["a/two.txt", "b/binary", "b/empty", "c/four.txt"]);
    let below = PathFilter::new(Some(path("c")), None).expect("no glob");
    assert_eq!(candidates(&below), ["c/four.txt"]);
}

#[test]
fn patterns_are_counted_there_too() {
    let tree = tree();
    let request =
        CountRequest { patterns: vec!["alpha".into(), "nothing".into()], ..CountRequest::default() };
    let answer = count(&view_of_half(&tree), &request, &tree, &CancelToken::default()).expect("valid");
    let counts: Vec<_> =
        answer.counts.iter().map(|counts| (counts.total_matches, counts.files_matched)).collect();
    assert_eq!(counts, [(4, 3), (1, 1)]);
}
