//! No path argument leads out of the workspace.

use hob_workspace::{ConfineError, confine};

use crate::support::Tree;

#[track_caller]
fn inside(tree: &Tree, argument: &str, expected: &str) {
    let path = confine(&tree.root, argument).expect("inside");
    assert_eq!(path.as_str(), expected);
}

#[track_caller]
fn outside(tree: &Tree, argument: &str) {
    let result = confine(&tree.root, argument);
    assert!(matches!(result, Err(ConfineError::Outside(_))), "{argument}: {result:?}");
}

#[test]
fn relative_and_absolute_paths_within_the_root() {
    let tree = Tree::with(&[("src/a.py", "")]);
    inside(&tree, "src/a.py", "src/a.py");
    inside(&tree, "./src//../src/a.py", "src/a.py");
    inside(&tree, ".", "");
    inside(&tree, "", "");
    inside(&tree, "not/there/yet.py", "not/there/yet.py");
    inside(&tree, "src/a.py/below", "src/a.py/below");
    let absolute = tree.path("src/a.py");
    inside(&tree, absolute.to_str().expect("unicode"), "src/a.py");
    for odd in ["new\nline", "100%", "a#b", "sp ace", "ünï"] {
        inside(&tree, odd, odd);
    }
}

#[test]
fn everything_else_is_outside() {
    let tree = Tree::new();
    for argument in ["..", "../sibling", "/etc/passwd", "a/../../b", "/", "nul\0byte"] {
        outside(&tree, argument);
    }
    // A sibling whose name begins like the root's.
    let sibling = format!("{}-other", tree.root);
    outside(&tree, &sibling);
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_judging() {
    use std::os::unix::fs::symlink;
    let tree = Tree::with(&[("src/a.py", "")]);
    std::fs::create_dir(tree.beside("secret")).expect("mkdir");
    symlink(tree.beside("secret"), tree.path("out")).expect("symlink");
    symlink("src", tree.path("in")).expect("symlink");
    symlink("loop", tree.path("loop")).expect("symlink");
    symlink(tree.beside("nowhere"), tree.path("dangling")).expect("symlink");
    outside(&tree, "out");
    outside(&tree, "out/new-file");
    inside(&tree, "in/a.py", "src/a.py");
    inside(&tree, "in/new.py", "src/new.py");
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
    let tree = Tree::with(&[("project/src/a.py", "inside"), ("private/a.py", "secret")]);
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
