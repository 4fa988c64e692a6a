//! Tests which files a question is likeliest about, by their trigrams and paths.

use hob_text::PathFilter;
use hob_text::ranked::likeliest_files;

use crate::common::{TextTree, path};

fn tree() -> TextTree {
    TextTree::new(&[
        ("mm/reclaim.c", "void shrink(void) { lock(); }"),
        ("fs/inode.c", "/* Reclaims pages of an inode. */ void evict(void) { lock(); }"),
        ("fs/super.c", "void mount(void) { lock(); }"),
        ("fs/page.c", "struct page { int lock; };"),
        ("doc/empty.txt", "nothing of the sort"),
    ])
}

/// Returns the paths of the likeliest files, at most `most`.
fn likeliest(question: &str, filter: &PathFilter, most: usize) -> Vec<String> {
    let tree = tree();
    let path_of =
        |file| tree.numbers.iter().find(|(_, number)| **number == file).map(|(path, _)| path.clone());
    let files = likeliest_files(&tree.index().snapshot(), question, filter, most);
    files.into_iter().filter_map(path_of).collect()
}

#[test]
fn files_with_more_and_rarer_words_come_first() {
    let all = PathFilter::default();
    // The first has both rare words; "lock" is in nearly every file, and so tells little.
    assert_eq!(likeliest("where does reclaiming lock pages?", &all, 2), ["fs/inode.c", "fs/page.c"]);
    assert_eq!(likeliest("mounted", &all, 9), ["fs/super.c"]);
    assert!(likeliest("how is it", &all, 9).is_empty() && likeliest("absent", &all, 9).is_empty());
}

#[test]
fn only_admitted_files_are_looked_at() {
    let below = PathFilter::new(Some(path("mm")), None).expect("no glob");
    assert_eq!(likeliest("lock the pages", &below, 9), ["mm/reclaim.c"]);
}
