//! Tests which folder becomes the root of a workspace.

use std::fs;

use hob_base::AbsPath;
use hob_workspace::{BroadFolders, Root, RootError, RootKind, find_root};

use crate::support::WorkspaceTree;

#[track_caller]
fn check_root(tree: &WorkspaceTree, start: &str, expected: &str, kind: RootKind) {
    check_with_home(tree, start, "nobody", (expected, kind));
}

#[track_caller]
fn check_with_home(tree: &WorkspaceTree, start: &str, home: &str, expected: (&str, RootKind)) {
    let root = find(tree, start, &at_home(tree, home)).expect("a root");
    assert_eq!((root.path, root.kind), (path(tree, expected.0), expected.1));
}

fn path(tree: &WorkspaceTree, path: &str) -> AbsPath {
    AbsPath::new(tree.path(path)).expect("absolute")
}

fn at_home(tree: &WorkspaceTree, home: &str) -> BroadFolders {
    BroadFolders::new(Some(&path(tree, home)))
}

fn find(tree: &WorkspaceTree, start: &str, broad: &BroadFolders) -> Result<Root, RootError> {
    find_root(&path(tree, start), broad)
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_system_shows_of_itself_is_no_project() {
    for place in ["/proc", "/proc/self", "/sys", "/sys/kernel", "/dev", "/proc/self/../../sys"] {
        let found = find_root(&AbsPath::new(place).expect("absolute"), &BroadFolders::default());
        assert!(matches!(found, Err(RootError::Pseudo { .. })), "{place}: {found:?}");
    }
    assert!(
        find_root(&AbsPath::new("/proc/self/cwd").expect("absolute"), &BroadFolders::default()).is_ok(),
        "it leads elsewhere"
    );
}

#[test]
fn the_nearest_version_control_root_wins_over_nearer_project_files() {
    let tree = WorkspaceTree::new();
    tree.mkdir("repo/.git");
    tree.write("repo/crates/a/Cargo.toml", "");
    tree.write("repo/crates/a/src/lib.rs", "");
    check_root(&tree, "repo/crates/a/src", "repo", RootKind::Vcs);
    check_root(&tree, "repo/crates/a/src/lib.rs", "repo", RootKind::Vcs);
    check_root(&tree, "repo", "repo", RootKind::Vcs);
}

#[test]
fn worktrees_and_submodules_are_workspaces_of_their_own() {
    let tree = WorkspaceTree::new();
    tree.mkdir("repo/.git");
    tree.write("repo/sub/.git", "gitdir: ../.git/modules/sub");
    tree.mkdir("repo/sub/src");
    tree.mkdir("repo/nested/.jj");
    tree.mkdir("hg/.hg");
    check_root(&tree, "repo/sub/src", "repo/sub", RootKind::Vcs);
    check_root(&tree, "repo/nested", "repo/nested", RootKind::Vcs);
    check_root(&tree, "hg", "hg", RootKind::Vcs);
    // A file named .hg is no repository.
    tree.write("odd/.hg", "");
    check_root(&tree, "odd", "odd", RootKind::Plain);
}

#[test]
fn without_version_control_the_nearest_project_counts() {
    let tree = WorkspaceTree::new();
    tree.write("outer/package.json", "{}");
    tree.write("outer/inner/go.mod", "");
    tree.mkdir("outer/inner/pkg/deep");
    tree.mkdir("outer/other");
    check_root(&tree, "outer/inner/pkg/deep", "outer/inner", RootKind::Project);
    check_root(&tree, "outer/other", "outer", RootKind::Project);
    tree.write("dotnet/App.sln", "");
    tree.mkdir("dotnet/src");
    check_root(&tree, "dotnet/src", "dotnet", RootKind::Project);
    // A folder with the name of a project file is none.
    tree.mkdir("plain/Makefile");
    check_root(&tree, "plain", "plain", RootKind::Plain);
}

#[test]
fn a_home_folder_and_what_it_lies_in_are_no_projects_whatever_marks_them() {
    let tree = WorkspaceTree::new();
    tree.mkdir("users/.git");
    tree.mkdir("users/me/.git");
    tree.write("users/me/package.json", "{}");
    tree.mkdir("users/me/notes/today");
    tree.mkdir("users/me/src/app/.git");
    let home = at_home(&tree, "users/me");
    for broad in ["users/me", "users/me/package.json", "users", "."] {
        let refused = find(&tree, broad, &home);
        assert!(matches!(refused, Err(RootError::TooBroad(_))), "{broad}: {refused:?}");
    }
    check_with_home(&tree, "users/me/notes/today", "users/me", ("users/me/notes/today", RootKind::Plain));
    check_with_home(&tree, "users/me/src/app", "users/me", ("users/me/src/app", RootKind::Vcs));
    // Seen from elsewhere the same folder is an ordinary repository.
    check_with_home(&tree, "users/me/notes/today", "nobody/else", ("users/me", RootKind::Vcs));
    let allowed = home.with_allowed(&[tree.path("users/me")]);
    let root = find(&tree, "users/me/notes", &allowed).expect("the user said so");
    assert_eq!((root.path, root.kind), (path(&tree, "users/me"), RootKind::Vcs));
    assert!(matches!(find(&tree, "users", &allowed), Err(RootError::TooBroad(_))));
}

#[test]
fn where_programs_keep_their_things_is_a_project_only_under_version_control() {
    let tree = WorkspaceTree::new();
    tree.write("me/.config/package.json", "{}");
    tree.mkdir("me/.config/editor");
    tree.mkdir("me/.local/share");
    let home = at_home(&tree, "me");
    for broad in ["me/.config", "me/.local", "me/.local/share"] {
        assert!(matches!(find(&tree, broad, &home), Err(RootError::TooBroad(_))), "{broad}");
    }
    check_with_home(&tree, "me/.config/editor", "me", ("me/.config/editor", RootKind::Plain));
    tree.mkdir("me/.config/.git");
    check_with_home(&tree, "me/.config/editor", "me", ("me/.config", RootKind::Vcs));
}

#[cfg(unix)]
#[test]
fn folders_of_the_system_are_no_projects_and_those_below_are() {
    let find = |path: &str| find_root(&AbsPath::new(path).expect("absolute"), &BroadFolders::default());
    for broad in ["/", "/tmp", "/var/tmp", "/usr", "/etc", "/usr/lib"] {
        let refused = find(broad);
        assert!(matches!(refused, Err(RootError::TooBroad(_))), "{broad}: {refused:?}");
    }
    let below = tempfile::tempdir_in("/tmp").expect("a folder");
    let root = find(below.path().to_str().expect("text")).expect("a folder like others");
    let real = fs::canonicalize(below.path()).expect("it is there");
    assert_eq!((root.path.as_path(), root.kind), (real.as_path(), RootKind::Plain));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_a_start_is_said() {
    let tree = WorkspaceTree::new();
    tree.write("file", "");
    let find = |path: &str| self::find(&tree, path, &BroadFolders::default());
    assert!(matches!(find("missing"), Err(RootError::Missing(_))));
    assert!(matches!(find("file/below"), Err(RootError::NotAFolder(_))));
    let null = AbsPath::new("/dev/null").expect("absolute");
    assert!(matches!(find_root(&null, &BroadFolders::default()), Err(RootError::NotAFolder(_))));
}

#[cfg(unix)]
#[test]
fn two_ways_to_one_folder_are_one_workspace() {
    let tree = WorkspaceTree::new();
    tree.mkdir("real/.git");
    tree.mkdir("real/src");
    std::os::unix::fs::symlink(tree.path("real/src"), tree.path("link")).expect("symlink");
    check_root(&tree, "link", "real", RootKind::Vcs);
    fs::remove_file(tree.path("link")).expect("remove");
    std::os::unix::fs::symlink(tree.path("link"), tree.path("link")).expect("symlink");
    let own = AbsPath::new(tree.path("link")).expect("absolute");
    assert!(matches!(find_root(&own, &BroadFolders::default()), Err(RootError::Unreadable { .. })));
}
