//! Tests which files a question is likeliest about, by their trigrams and paths.

use hob_text::PathFilter;
use hob_text::ranked::likeliest_files;

use crate::common::{TextTree, path};

fn kernel_tree() -> TextTree {
    TextTree::new(&[
        ("mm/reclaim.c", "void shrink(void) { lock(); }"),
        ("fs/inode.c", "/* Reclaims pages of an inode. */ void evict(void) { lock(); }"),
        ("fs/super.c", "void mount(void) { lock(); }"),
        ("fs/page.c", "struct page { int lock; };"),
        ("doc/empty.txt", "nothing of the sort to query"),
    ])
}

/// Returns the paths of the likeliest files, at most `most`.
fn likeliest_paths(question: &str, filter: &PathFilter, most: usize) -> Vec<String> {
    let tree = kernel_tree();
    let path_of =
        |file| tree.numbers.iter().find(|(_, number)| **number == file).map(|(path, _)| path.clone());
    let files = likeliest_files(&tree.index().snapshot(), question, filter, most);
    files.into_iter().flatten().filter_map(path_of).collect()
}

#[test]
fn files_with_more_and_rarer_words_come_first() {
    let all = PathFilter::default();
    // The first has both rare words; "lock" is in nearly every file, and so tells little.
    assert_eq!(likeliest_paths("where does reclaiming lock pages?", &all, 2), ["fs/inode.c", "fs/page.c"]);
    assert_eq!(likeliest_paths("mounted", &all, 9), ["fs/super.c"]);
    assert!(likeliest_paths("absent", &all, 9).is_empty());
    // "query" and "queries" are one word.
    assert_eq!(likeliest_paths("run the queries", &all, 9), ["doc/empty.txt"]);
}

#[test]
fn a_question_without_a_word_to_look_for_names_no_files() {
    let find =
        |question| likeliest_files(&kernel_tree().index().snapshot(), question, &PathFilter::default(), 9);
    assert_eq!(find("io mm"), None);
    assert_eq!(find("absent"), Some(Vec::new()));
    // As in a search, words that say nothing count if there are no others.
    assert!(find("where is it").is_none_or(|files| files.is_empty()));
    // Of a long text, the words of its first line and those written as code are searched, not the first of all.
    let log = format!("mount fails\n{}", (0..90_000).map(|at| format!("word{at} ")).collect::<String>());
    assert_eq!(find(&log).map(|files| files.len()), Some(1));
}

#[test]
fn only_admitted_files_are_looked_at() {
    let below = PathFilter::new(Some(path("mm")), None).expect("no glob");
    assert_eq!(likeliest_paths("lock the pages", &below, 9), ["mm/reclaim.c"]);
}
