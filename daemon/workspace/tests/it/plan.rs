//! From marks to what has to be read and forgotten.

use std::fs;

use hob_base::Change;
use hob_workspace::Batch;

use crate::support::{Indexer, WorkspaceTree, ws};

fn batch_of_paths(paths: &[&str]) -> Batch {
    Batch { paths: paths.iter().map(|path| ws(path)).collect(), ..Batch::default() }
}

fn batch_of_trees(trees: &[&str]) -> Batch {
    Batch { trees: trees.iter().map(|path| ws(path)).collect(), ..Batch::default() }
}

/// After `change`, a look at `batch` is enough to know the truth.
#[track_caller]
fn check_after_change(
    files: &[(&str, &str)],
    change: impl FnOnce(&WorkspaceTree),
    batch: &Batch,
) -> Vec<Change> {
    let tree = WorkspaceTree::with_files(files);
    let mut indexer = Indexer::unwatched(&tree);
    indexer.sweep_all();
    assert_eq!(indexer.known_contents(), tree.true_contents());
    change(&tree);
    let changes = indexer.apply(batch);
    assert_eq!(indexer.known_contents(), tree.true_contents());
    changes
}

#[test]
fn single_files() {
    let files = [("a.py", "1"), ("b.py", "2"), ("c.py", "3")];
    let changes = check_after_change(
        &files,
        |tree| {
            tree.write("a.py", "changed");
            tree.remove("b.py");
            tree.write("new/d.py", "4");
        },
        &batch_of_paths(&["a.py", "b.py", "c.py", "new/d.py", "never/was.py"]),
    );
    assert_eq!(changes.len(), 3, "{changes:?}");
}

#[test]
fn a_file_becomes_a_folder_and_back() {
    check_after_change(
        &[("x", "file"), ("y/z.py", "")],
        |tree| {
            tree.remove("x");
            tree.write("x/inner.py", "");
            tree.remove("y");
            tree.write("y", "file");
        },
        &batch_of_paths(&["x", "y"]),
    );
}

#[test]
fn a_tree_that_moved() {
    let changes = check_after_change(
        &[("old/a.py", "1"), ("old/deep/b.py", "2"), ("old-not.py", "3")],
        |tree| tree.rename("old", "new"),
        &batch_of_trees(&["old", "new"]),
    );
    assert_eq!(changes.len(), 4, "two gone, two new, the neighbour untouched: {changes:?}");
}

#[test]
fn rules_decide_about_marked_paths() {
    check_after_change(
        &[("a.log", ""), ("d/x.py", ""), ("b.py", "")],
        |tree| {
            tree.write(".gitignore", "*.log\nd/\n");
            tree.write("c.log", "");
        },
        &Batch { sweep: true, ..Batch::default() },
    );
    // Ignored from the start: a mark does not let them in.
    check_after_change(
        &[(".gitignore", "*.log\nd/\n"), ("b.py", "")],
        |tree| {
            tree.write("c.log", "");
            tree.write("d/x.py", "");
            tree.write(".hidden/x.py", "");
        },
        &Batch {
            trees: batch_of_trees(&["d", ".hidden", ".git"]).trees,
            ..batch_of_paths(&["c.log", "d/x.py", ".git/HEAD", ".hidden/x.py"])
        },
    );
}

#[cfg(unix)]
#[test]
fn a_folder_replaced_by_a_link_takes_its_files_along() {
    let files = [("lib/a.py", "1"), ("lib/deep/b.py", "2"), ("c.py", "")];
    let swap = |tree: &WorkspaceTree| {
        fs::rename(tree.path("lib"), tree.path_beside("elsewhere")).expect("rename");
        std::os::unix::fs::symlink(tree.path_beside("elsewhere"), tree.path("lib")).expect("symlink");
    };
    check_after_change(&files, swap, &batch_of_trees(&["lib"]));
    check_after_change(&files, swap, &batch_of_paths(&["lib"]));
    check_after_change(&files, swap, &batch_of_paths(&["lib/a.py", "lib/deep/b.py"]));
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_changes_under_both() {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("c.py", "")]);
    fs::hard_link(tree.path("a.py"), tree.path("b.py")).expect("link");
    let mut indexer = Indexer::unwatched(&tree);
    indexer.sweep_all();
    assert_eq!(indexer.table.links().len(), 2);
    tree.write("a.py", "changed through one name");
    assert_eq!(indexer.apply(&batch_of_paths(&["a.py"])).len(), 2);
    assert_eq!(indexer.known_contents(), tree.true_contents());
}

#[test]
fn unchanged_files_are_not_read_again() {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("b.py", "2")]);
    let mut indexer = Indexer::unwatched(&tree);
    indexer.sweep_all();
    assert_eq!(indexer.reads, 2);
    // Both were read right after they were written, so their times prove nothing: read once more, without a change.
    assert_eq!(indexer.sweep_all(), []);
    assert_eq!(indexer.reads, 4);
    let settled: Vec<_> = indexer.table.iter().map(|(_, path, record)| (path.clone(), *record)).collect();
    for (path, mut record) in settled {
        record.read_at_ns += 10_000_000_000;
        indexer.table.restore_record(&path, record);
    }
    assert_eq!(indexer.sweep_all(), []);
    assert_eq!(indexer.reads, 4, "their times prove it now");
    tree.write("a.py", "3");
    assert_eq!(indexer.sweep_all().len(), 1);
    assert_eq!(indexer.reads, 5, "same size, other time");
}

#[test]
fn numbers_stay_with_their_paths() {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("b.py", "2")]);
    let mut indexer = Indexer::unwatched(&tree);
    indexer.sweep_all();
    let a = indexer.table.id(&ws("a.py")).expect("known");
    tree.remove("a.py");
    assert_eq!(indexer.sweep_all(), [Change::Remove { file: a }]);
    assert_eq!((indexer.table.len(), indexer.table.record(a)), (1, None));
    tree.write("c.py", "3");
    indexer.sweep_all();
    assert_ne!(indexer.table.id(&ws("c.py")), Some(a));
    tree.write("a.py", "4");
    indexer.sweep_all();
    assert_eq!(indexer.table.id(&ws("a.py")), Some(a));
    assert_eq!(indexer.table.path(a), Some(&ws("a.py")));
}

/// It may be unmounted, or on its way to another place: nothing says that its files are gone.
#[test]
fn a_root_that_is_gone_takes_no_files_with_it() {
    let files = [("a.py", ""), ("d/b.py", "")];
    let tree = WorkspaceTree::with_files(&files);
    let mut indexer = Indexer::unwatched(&tree);
    indexer.sweep_all();
    tree.remove("");
    assert_eq!(indexer.sweep_all(), []);
    assert_eq!(indexer.table.len(), 2);
    tree.write("d/b.py", "");
    assert_eq!(indexer.sweep_all().len(), 1, "it is back, with one file");
    assert_eq!(indexer.known_contents(), tree.true_contents());
}
