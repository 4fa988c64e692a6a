//! Several workspaces on one instance of inotify: to each its own events, and to nobody another's.

use std::fs;
use std::sync::Arc;

use hob_base::AbsPath;
use hob_workspace::{RuleOptions, Rules, SharedWatch, WatchSetup, Watcher, WatcherState};

use crate::support::{Indexer, WorkspaceTree, soon};

fn start(tree: &WorkspaceTree, shared: &SharedWatch) -> Indexer {
    let mut indexer = Indexer::watching(tree, |setup| Watcher::with_backend(setup, shared.backend_maker()));
    indexer.catch_up();
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
    indexer
}

/// An indexer of a folder of the tree.
fn start_below(tree: &WorkspaceTree, below: &str, shared: &SharedWatch) -> Indexer {
    let root = AbsPath::new(tree.path(below)).expect("absolute");
    let mut indexer = Indexer::unwatched(tree);
    let options = RuleOptions { global: false, ..RuleOptions::default() };
    indexer.rules = Arc::new(Rules::new(root, options));
    let setup = WatchSetup {
        rules: Arc::clone(&indexer.rules),
        dirty: Arc::clone(&indexer.dirty),
        cookie_dir: AbsPath::new(tree.path_beside("other-cookies")).expect("absolute"),
    };
    indexer.watcher = Some(Watcher::with_backend(setup, shared.backend_maker()));
    indexer.catch_up();
    indexer
}

/// The call of one empties the queue; what it finds there for another is not lost.
#[test]
fn a_call_hands_on_what_is_of_others() {
    let shared = SharedWatch::default();
    let [one, other] = [(); 2].map(|()| WorkspaceTree::with_files(&[("a.py", "1"), ("d/b.py", "2")]));
    let (mut first, mut second) = (start(&one, &shared), start(&other, &shared));
    one.write("a.py", "changed");
    other.write("d/b.py", "changed");
    other.write("new/c.py", "3");
    first.watcher().barrier(soon()).expect("passed");
    assert_eq!(first.catch_up().paths.len(), 1, "its own alone");
    assert_eq!(first.known_contents(), one.true_contents());
    second.watcher().barrier(soon()).expect("passed");
    assert!(!second.catch_up().sweep);
    assert_eq!(second.known_contents(), other.true_contents());
}

/// A repository in a repository is a part of the one and a workspace of its own; the system has one watch for both.
#[test]
fn a_folder_that_two_watch_is_watched_for_each_as_long_as_it_wants() {
    let shared = SharedWatch::default();
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("sub/.git/HEAD", ""), ("sub/d/b.py", "2")]);
    let mut around = start(&tree, &shared);
    let mut within = start_below(&tree, "sub", &shared);
    let check = |around: &mut Indexer, within: Option<&mut Indexer>, text: &str| {
        tree.write("sub/d/b.py", text);
        around.watcher().barrier(soon()).expect("passed");
        assert_eq!(around.catch_up().paths.len(), 1, "{text}");
        assert_eq!(around.known_contents(), tree.true_contents());
        let Some(within) = within else { return };
        within.watcher().barrier(soon()).expect("passed");
        assert_eq!(within.catch_up().paths.len(), 1, "{text}");
        assert_eq!(within.known_contents().len(), 1);
    };
    check(&mut around, Some(&mut within), "both");
    drop(within);
    check(&mut around, None, "the one around it");
    let mut within = start_below(&tree, "sub", &shared);
    check(&mut around, Some(&mut within), "both again");
    drop(around);
    tree.write("sub/d/b.py", "the one within");
    within.watcher().barrier(soon()).expect("passed");
    assert_eq!(within.catch_up().paths.len(), 1);
}

#[test]
fn a_workspace_that_begins_anew_leaves_the_others_alone() {
    let shared = SharedWatch::default();
    let [one, other] = [(); 2].map(|()| WorkspaceTree::with_files(&[("a.py", "1")]));
    let (mut first, mut second) = (start(&one, &shared), start(&other, &shared));
    fs::rename(one.root.as_path(), one.path_beside("away")).expect("rename");
    fs::create_dir(one.root.as_path()).expect("mkdir");
    one.write("b.py", "2");
    other.write("a.py", "changed");
    first.watcher().barrier(soon()).expect_err("the root is another");
    first.catch_up();
    assert_eq!(first.known_contents(), one.true_contents());
    assert_eq!(first.watcher().state(), WatcherState::Live);
    second.watcher().barrier(soon()).expect("passed");
    assert!(!second.catch_up().sweep, "nothing happened to it");
    assert_eq!(second.known_contents(), other.true_contents());
}

/// A move above the root is no event in it; the folders above are watched for that alone.
#[test]
fn a_move_above_the_root_is_noticed_by_itself() {
    let tree = WorkspaceTree::with_files(&[("a.py", "1"), ("up/ws/b.py", "2")]);
    let shared = SharedWatch::default();
    let mut indexer = start_below(&tree, "up/ws", &shared);
    tree.write("up/other.py", "nobody's business");
    indexer.watcher().barrier(soon()).expect("passed");
    assert!(indexer.dirty.take_pending().is_empty());
    tree.rename("up", "away");
    tree.rename("away", "up");
    // Looked at it is what it was.
    assert!(!indexer.watcher().check_root());
    indexer.watcher().barrier(soon()).expect_err("it moved meanwhile");
    assert!(indexer.catch_up().sweep);
    assert_eq!(indexer.known_contents().len(), 1);
    assert_eq!(indexer.watcher().state(), WatcherState::Live);
}
