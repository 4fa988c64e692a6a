//! No path argument leads out of the workspace.

use hob_workspace::{ConfineError, confine};

use crate::support::WorkspaceTree;

#[track_caller]
fn check_inside(tree: &WorkspaceTree, argument: &str, expected: &str) {
    let path = confine(&tree.root, argument).expect("inside");
    assert_eq!(path.as_str(), expected);
}

#[track_caller]
fn check_outside(tree: &WorkspaceTree, argument: &str) {
    let result = confine(&tree.root, argument);
    assert!(matches!(result, Err(ConfineError::Outside(_))), "{argument}: {result:?}");
}

#[test]
fn relative_and_absolute_paths_within_the_root() {
    let tree = WorkspaceTree::with_files(&[("src/a.py", "")]);
    check_inside(&tree, "src/a.py", "src/a.py");
    check_inside(&tree, "./src//../src/a.py", "src/a.py");
    check_inside(&tree, ".", "");
    check_inside(&tree, "", "");
    check_inside(&tree, "not/there/yet.py", "not/there/yet.py");
    check_inside(&tree, "src/a.py/below", "src/a.py/below");
    let absolute = tree.path("src/a.py");
    check_inside(&tree, absolute.to_str().expect("unicode"), "src/a.py");
    for odd in ["new\nline", "100%", "a#b", "sp ace", "ünï"] {
        check_inside(&tree, odd, odd);
    }
}

#[test]
fn everything_else_is_outside() {
    let tree = WorkspaceTree::new();
    for argument in ["..", "../sibling", "/etc/passwd", "a/../../b", "/", "nul\0byte"] {
        check_outside(&tree, argument);
    }
    // A sibling whose name begins like the root's.
    let sibling = format!("{}-other", tree.root);
    check_outside(&tree, &sibling);
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_judging() {
    use std::os::unix::fs::symlink;
    let tree = WorkspaceTree::with_files(&[("src/a.py", "")]);
    std::fs::create_dir(tree.path_beside("secret")).expect("mkdir");
    symlink(tree.path_beside("secret"), tree.path("out")).expect("symlink");
    symlink("src", tree.path("in")).expect("symlink");
    symlink("loop", tree.path("loop")).expect("symlink");
    symlink(tree.path_beside("nowhere"), tree.path("dangling")).expect("symlink");
    check_outside(&tree, "out");
    check_outside(&tree, "out/new-file");
    check_inside(&tree, "in/a.py", "src/a.py");
    check_inside(&tree, "in/new.py", "src/new.py");
    for argument in ["loop", "loop/x", "dangling", "dangling/x"] {
        let result = confine(&tree.root, argument);
        assert!(matches!(result, Err(ConfineError::Unreadable { .. })), "{argument}: {result:?}");
    }
}

#[cfg(unix)]
#[test]
fn reading_does_not_leave_the_root_through_a_linked_folder() {
    use hob_base::{Contents as _, WsPath};
    use hob_workspace::read::DiskContents;
    let tree = WorkspaceTree::with_files(&[("project/src/a.py", "inside"), ("private/a.py", "secret")]);
    let root = hob_base::AbsPath::new(tree.path("project")).expect("absolute");
    let link = |target: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(target, tree.path("project").join(name)).expect("a link");
    };
    link(std::path::Path::new("../private"), "lib");
    link(&tree.path("private"), "absolute");
    link(std::path::Path::new("src"), "alias");
    link(&tree.path("project/src"), "real");
    let contents = DiskContents { root, limit: 100 };
    let read = |path: &str| contents.read(&WsPath::new(path).expect("relative"));
    for path in ["lib/a.py", "absolute/a.py"] {
        let error = read(path).expect_err("it lies outside");
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{path}: {error}");
    }
    for path in ["src/a.py", "alias/a.py", "real/a.py"] {
        assert_eq!(read(path).expect("it lies inside").as_ref(), b"inside", "{path}");
    }
}
