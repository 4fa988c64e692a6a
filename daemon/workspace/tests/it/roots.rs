//! Which folder becomes the workspace.

use std::fs;

use hob_base::AbsPath;
use hob_workspace::{RootError, RootKind, find_root};

use crate::support::Tree;

#[track_caller]
fn check(tree: &Tree, start: &str, expected: &str, kind: RootKind) {
    check_with_home(tree, start, "nobody", (expected, kind));
}

#[track_caller]
fn check_with_home(tree: &Tree, start: &str, home: &str, expected: (&str, RootKind)) {
    let path = |p: &str| AbsPath::new(tree.path(p)).expect("absolute");
    let root = find_root(&path(start), Some(&path(home))).expect("a root");
    assert_eq!((root.path, root.kind), (path(expected.0), expected.1));
}

#[test]
fn the_nearest_version_control_root_wins_over_nearer_project_files() {
    let tree = Tree::new();
    tree.mkdir("repo/.git");
    tree.write("repo/crates/a/Cargo.toml", "");
    tree.write("repo/crates/a/src/lib.rs", "");
    check(&tree, "repo/crates/a/src", "repo", RootKind::Vcs);
    check(&tree, "repo/crates/a/src/lib.rs", "repo", RootKind::Vcs);
    check(&tree, "repo", "repo", RootKind::Vcs);
}

#[test]
fn worktrees_and_submodules_are_workspaces_of_their_own() {
    let tree = Tree::new();
    tree.mkdir("repo/.git");
    tree.write("repo/sub/.git", "gitdir: ../.git/modules/sub");
    tree.mkdir("repo/sub/src");
    tree.mkdir("repo/nested/.jj");
    tree.mkdir("hg/.hg");
    check(&tree, "repo/sub/src", "repo/sub", RootKind::Vcs);
    check(&tree, "repo/nested", "repo/nested", RootKind::Vcs);
    check(&tree, "hg", "hg", RootKind::Vcs);
    // A file named .hg is no repository.
    tree.write("odd/.hg", "");
    check(&tree, "odd", "odd", RootKind::Plain);
}

#[test]
fn without_version_control_the_nearest_project_counts() {
    let tree = Tree::new();
    tree.write("outer/package.json", "{}");
    tree.write("outer/inner/go.mod", "");
    tree.mkdir("outer/inner/pkg/deep");
    tree.mkdir("outer/other");
    check(&tree, "outer/inner/pkg/deep", "outer/inner", RootKind::Project);
    check(&tree, "outer/other", "outer", RootKind::Project);
    tree.write("dotnet/App.sln", "");
    tree.mkdir("dotnet/src");
    check(&tree, "dotnet/src", "dotnet", RootKind::Project);
    // A folder with the name of a project file is none.
    tree.mkdir("plain/Makefile");
    check(&tree, "plain", "plain", RootKind::Plain);
}

#[cfg(unix)]
#[test]
fn home_and_slash_are_never_chosen_for_a_stray_marker() {
    let tree = Tree::new();
    tree.mkdir("home/.git");
    tree.write("home/package.json", "{}");
    tree.mkdir("home/notes/today");
    check_with_home(&tree, "home/notes/today", "home", ("home/notes/today", RootKind::Plain));
    check_with_home(&tree, "home", "home", ("home", RootKind::Plain));
    // Seen from elsewhere the same folder is an ordinary repository.
    check_with_home(&tree, "home/notes/today", "nobody", ("home", RootKind::Vcs));
    let slash = AbsPath::new("/").expect("absolute");
    let root = find_root(&slash, None).expect("a root");
    assert_eq!((root.path, root.kind), (slash, RootKind::Plain));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_a_start_is_said() {
    let tree = Tree::new();
    tree.write("file", "");
    let find = |path: &str| find_root(&AbsPath::new(tree.path(path)).expect("absolute"), None);
    assert!(matches!(find("missing"), Err(RootError::Missing(_))));
    assert!(matches!(find("file/below"), Err(RootError::NotAFolder(_))));
    let null = AbsPath::new("/dev/null").expect("absolute");
    assert!(matches!(find_root(&null, None), Err(RootError::NotAFolder(_))));
}

#[cfg(unix)]
#[test]
fn two_ways_to_one_folder_are_one_workspace() {
    let tree = Tree::new();
    tree.mkdir("real/.git");
    tree.mkdir("real/src");
    std::os::unix::fs::symlink(tree.path("real/src"), tree.path("link")).expect("symlink");
    check(&tree, "link", "real", RootKind::Vcs);
    fs::remove_file(tree.path("link")).expect("remove");
    std::os::unix::fs::symlink(tree.path("link"), tree.path("link")).expect("symlink");
    let own = AbsPath::new(tree.path("link")).expect("absolute");
    assert!(matches!(find_root(&own, None), Err(RootError::Unreadable { .. })));
}
