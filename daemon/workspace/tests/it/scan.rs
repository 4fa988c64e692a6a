//! Tests what a scan finds, passes over and explains.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use hob_base::{AbsPath, CancelToken, Stopped};
use hob_workspace::{RuleOptions, Rules, ScanNote, ScanRequest, scan_tree};

use crate::support::{Indexer, WorkspaceTree};

fn scan_notes(tree: &WorkspaceTree) -> Vec<ScanNote> {
    tree.scan().notes
}

#[test]
fn files_and_folders_come_sorted_with_their_sizes() {
    let tree =
        WorkspaceTree::with_files(&[("b.py", "12345"), ("a/z.py", ""), ("a-b.py", ""), ("a/b/c.py", "1")]);
    let found = tree.scan();
    let files: Vec<_> = found.files.iter().map(|f| (f.path.as_str(), f.stat.len)).collect();
    assert_eq!(files, [("a-b.py", 0), ("a/b/c.py", 1), ("a/z.py", 0), ("b.py", 5)]);
    let dirs: Vec<_> = found.dirs.iter().map(hob_base::WsPath::as_str).collect();
    assert_eq!(dirs, ["", "a", "a/b"]);
    assert_eq!(found.notes, []);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_sockets_are_passed_over() {
    use std::os::unix::fs::symlink;
    let tree = WorkspaceTree::with_files(&[("real.py", ""), ("dir/x.py", "")]);
    symlink("real.py", tree.path("link.py")).expect("symlink");
    symlink("..", tree.path("dir/up")).expect("symlink");
    symlink("self", tree.path("self")).expect("symlink");
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("socket.py")).expect("bind");
    let pipe = std::process::Command::new("mkfifo").arg(tree.path("pipe.py")).status().expect("mkfifo");
    assert!(pipe.success());
    assert_eq!(tree.found_paths(), ["dir/x.py", "real.py"]);
    for special in ["pipe.py", "socket.py", "link.py", "dir"] {
        let path = crate::support::ws(special);
        let read = hob_workspace::read::read_file(&tree.root, &path, 100);
        assert!(read.is_err(), "{special} must neither be read nor waited for");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_counted_once() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = WorkspaceTree::with_files(&[("a.py", "")]);
    let bad = tree.path("x").with_file_name(OsStr::from_bytes(b"bad-\xff.py"));
    fs::write(bad, "").expect("write");
    let bad_dir = tree.path("x").with_file_name(OsStr::from_bytes(b"dir-\xff"));
    fs::create_dir(&bad_dir).expect("mkdir");
    fs::write(bad_dir.join("inside.py"), "").expect("write");
    assert_eq!(tree.found_paths(), ["a.py"]);
    let notes = scan_notes(&tree);
    assert!(matches!(&notes[..], [ScanNote::NotUnicode(names)] if names.count == 2), "{notes:?}");
}

#[test]
fn too_large_files_are_noted_not_listed() {
    let tree = WorkspaceTree::with_files(&[
        ("small.py", "12"),
        ("large.bin", "1234567"),
        ("larger.bin", "12345678"),
    ]);
    let options = RuleOptions { read_max: 5, parse_max: 1, global: false, ..RuleOptions::default() };
    let rules = Rules::new(tree.root.clone(), options);
    let found = scan_tree(&ScanRequest::new(&rules)).expect("not cancelled");
    assert_eq!(found.files.len(), 1);
    let [ScanNote::TooLarge { limit: 5, files }] = &found.notes[..] else { panic!("{:?}", found.notes) };
    assert_eq!((files.count, &files.names[..]), (2, &["large.bin".to_owned(), "larger.bin".to_owned()][..]));
}

#[test]
fn a_rule_that_ignores_everything_is_named() {
    let tree = WorkspaceTree::with_files(&[(".gitignore", "*\n"), ("kernel/sched.c", ""), ("Makefile", "")]);
    assert_eq!(
        scan_notes(&tree),
        [ScanNote::IgnoredByDefault { kept: 0, by: vec![".gitignore".to_owned()] }]
    );
    assert!(scan_notes(&tree)[0].to_string().contains(".gitignore"), "{}", scan_notes(&tree)[0]);
    // Debian's way: everything but one folder.
    tree.write(".gitignore", "/*\n!/debian/\n");
    tree.write("debian/rules", "");
    assert_eq!(
        scan_notes(&tree),
        [ScanNote::IgnoredByDefault { kept: 1, by: vec![".gitignore".to_owned()] }]
    );
}

#[test]
fn rules_that_happen_to_leave_nothing_are_named_too() {
    let tree = WorkspaceTree::with_files(&[(".git/info/exclude", "*.c\n"), ("a.c", ""), ("b.c", "")]);
    let expected = ScanNote::IgnoredByDefault { kept: 0, by: vec![".git/info/exclude".to_owned()] };
    assert_eq!(scan_notes(&tree), [expected]);
    // Only rules that count are blamed: without a repository, git's do not.
    let tree = WorkspaceTree::new();
    tree.write(".gitignore", "*\n");
    tree.write(".ignore", "*.c\n");
    tree.write("a.c", "");
    assert_eq!(scan_notes(&tree), [ScanNote::IgnoredByDefault { kept: 0, by: vec![".ignore".to_owned()] }]);
    // The file responsible lies above the root.
    let tree = WorkspaceTree::new();
    fs::write(tree.path_beside(".ignore"), "*.c\n").expect("write");
    tree.write("a.c", "");
    let expected = tree.path_beside(".ignore").display().to_string();
    assert_eq!(scan_notes(&tree), [ScanNote::IgnoredByDefault { kept: 0, by: vec![expected] }]);
}

#[test]
fn an_ordinary_project_has_no_notes_and_an_empty_one_says_so() {
    let tree = WorkspaceTree::with_files(&[(".gitignore", "target\n"), ("target/x", ""), ("a.rs", "")]);
    assert_eq!(scan_notes(&tree), []);
    assert_eq!(scan_notes(&WorkspaceTree::with_git()), [ScanNote::Empty]);
    assert_eq!(scan_notes(&WorkspaceTree::with_files(&[(".hidden", "")])), [ScanNote::Empty]);
}

#[test]
fn a_missing_root_is_a_note_not_a_failure() {
    let root = AbsPath::new(WorkspaceTree::new().path("gone")).expect("absolute");
    let found =
        scan_tree(&ScanRequest::new(&Rules::new(root, RuleOptions::default()))).expect("not cancelled");
    assert!(matches!(&found.notes[..], [ScanNote::RootGone { .. }]), "{:?}", found.notes);
    assert!(found.files.is_empty() && found.dirs.is_empty());
}

/// Root may read everything, so for root there is nothing to see here.
#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_noted_and_not_gone() {
    use std::os::unix::fs::PermissionsExt;
    let tree = WorkspaceTree::with_files(&[("a.py", ""), ("locked/b.py", ""), ("locked/deep/c.py", "")]);
    let mut indexer = Indexer::unwatched(&tree);
    indexer.sweep_all();
    let mode =
        |mode| fs::set_permissions(tree.path("locked"), fs::Permissions::from_mode(mode)).expect("chmod");
    mode(0o000);
    let is_root = fs::read_dir(tree.path("locked")).is_ok();
    indexer.sweep_all();
    assert_eq!(indexer.known_contents().len(), 3);
    let note = indexer.table.unread().note_for_status();
    mode(0o755);
    if !is_root {
        let Some(ScanNote::Unreadable(names)) = note else { panic!("it is told") };
        assert!(names.count == 1 && names.names[0].starts_with("locked ("), "{names}");
        assert!(indexer.table.unread().mark_again(&tree.root, &indexer.dirty), "it is worth a try again");
    }
    tree.remove("locked/b.py");
    indexer.sweep_all();
    assert_eq!(indexer.known_contents(), tree.true_contents());
    assert_eq!(indexer.table.unread().note_for_status(), None);
}

#[test]
fn a_cancelled_scan_says_so() {
    let tree = WorkspaceTree::with_files(&[("a.py", "")]);
    let rules = tree.plain_rules();
    let cancel = CancelToken::default();
    cancel.cancel();
    let request = ScanRequest { cancel, ..ScanRequest::new(&rules) };
    assert_eq!(scan_tree(&request), Err(Stopped::Cancelled));
}

#[test]
fn progress_is_reported() {
    let tree = WorkspaceTree::with_git();
    (0..1000).for_each(|n| tree.write(&format!("d{}/f{n}.py", n % 7), ""));
    let last = AtomicU64::new(0);
    let progress = |count| {
        last.fetch_max(count, Ordering::Relaxed);
    };
    let rules = tree.plain_rules();
    let found =
        scan_tree(&ScanRequest { progress: Some(&progress), ..ScanRequest::new(&rules) }).expect("scan");
    assert_eq!(found.files.len(), 1000);
    assert!((256..=1000).contains(&last.into_inner()));
}
