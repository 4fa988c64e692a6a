//! Tests that a view with files that the index lacks answers as an index of all of them.

use hob_base::{CancelToken, FileId, WsPath};
use hob_text::{
    CountRequest, PathFilter, SearchOutput, SearchRequest, TextView, TrigramIndex, count, search,
};

use crate::common::{TextTree, matching_lines, path, request};

fn mixed_tree() -> TextTree {
    TextTree::new(&[
        ("a/one.txt", &b"alpha\nbeta alpha\n"[..]),
        ("a/two.txt", b"\xFF\xFEa\0l\0p\0h\0a\0\n\0"),
        ("b/binary", b"alpha\n\0alpha\n"),
        ("b/empty", b""),
        ("b/three.txt", b"nothing\n"),
        ("c/four.txt", b"gamma alpha\n"),
    ])
}

/// Returns a view of an index that has other contents of one file, the right ones of another, and lacks all others.
fn partial_view(tree: &TextTree) -> TextView {
    let mut older = tree.clone();
    let mut index = TrigramIndex::new();
    index.apply(vec![older.set("a/one.txt", b"nothing yet\n"), older.set("b/three.txt", b"nothing\n")]);
    let lacking = tree.numbers.iter().filter(|(at, _)| *at != "b/three.txt");
    let lacking: Vec<(FileId, WsPath)> = lacking.map(|(at, file)| (*file, path(at))).collect();
    index.snapshot().with_unindexed(lacking)
}

#[test]
fn files_that_the_index_lacks_are_searched_all_the_same() {
    let tree = mixed_tree();
    let view = partial_view(&tree);
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
fn each_file_is_a_candidate_once() {
    let tree = mixed_tree();
    let candidates = |filter: &PathFilter| {
        let pattern = hob_text::Pattern::new("nothing yet").expect("a valid pattern");
        let found = partial_view(&tree).candidate_files(pattern.query(), filter);
        found.into_iter().map(|file| file.path.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(
        candidates(&PathFilter::default()),
        ["a/one.txt", "a/two.txt", "b/binary", "b/empty", "c/four.txt"]
    );
    let below = PathFilter::new(Some(path("c")), None).expect("no glob");
    assert_eq!(candidates(&below), ["c/four.txt"]);
}

#[test]
fn patterns_are_counted_there_too() {
    let tree = mixed_tree();
    let request =
        CountRequest { patterns: vec!["alpha".into(), "nothing".into()], ..CountRequest::default() };
    let answer = count(&partial_view(&tree), &request, &tree, &CancelToken::default()).expect("valid");
    let counts: Vec<_> =
        answer.counts.iter().map(|counts| (counts.total_matches, counts.files_matched)).collect();
    assert_eq!(counts, [(4, 3), (1, 1)]);
}
