//! Branches, tags and HEAD.

use std::fs;

use hob_base::{CancelToken, Stopped};
use hob_workspace::git::{GitError, Head, RefKind, RefName, Repository, list_ref_names};

use super::{Git, abs, never_cancelled, open};

/// The refs in the form of `for-each-ref`.
fn listed_refs(repository: &Repository) -> Vec<String> {
    let refs = repository.list_refs(&never_cancelled()).expect("refs");
    assert!(!refs.capped);
    let one = refs.refs.iter();
    one.map(|one| format!("{} {} {} {}", one.full_name, one.target, one.time, one.subject)).collect()
}

/// The same from git: the peeled commit where there is one.
fn refs_by_git(git: &mut Git) -> Vec<String> {
    let format = "--format=%(refname)+%(if)%(*objectname)%(then)%(*objectname)+%(*committerdate:unix)+%(*subject)\
                  %(else)%(objectname)+%(committerdate:unix)+%(subject)%(end)";
    let folders = ["refs/heads", "refs/remotes", "refs/tags"];
    let lines = folders.map(|folder| git.run(&format!("for-each-ref {format} {folder}")));
    lines
        .iter()
        .flat_map(|lines| lines.lines())
        .filter(|line| !line.contains("origin/HEAD"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn loose_and_packed_refs_are_what_git_lists() {
    let mut git = Git::new();
    git.commit("a", "1", "begin the thing");
    git.run("tag v1");
    git.run("tag -a v1.1 -m an+annotated+tag");
    git.run("tag -a nested -m a+tag+of+a+tag v1.1");
    git.run("branch feature/pairing");
    git.commit("a", "2", "decide where\nretries end\n\nA body.");
    assert_eq!(listed_refs(&git.open()), refs_by_git(&mut git));
    git.run("pack-refs --all");
    assert!(!git.path(".git/refs/heads/main").exists(), "they are packed now");
    assert_eq!(listed_refs(&git.open()), refs_by_git(&mut git));
    // A loose ref stands before the packed one of its name.
    git.commit("a", "3", "later");
    git.run("branch -f feature/pairing");
    let all = refs_by_git(&mut git);
    assert_eq!((listed_refs(&git.open()), all.len()), (all, 5));

    let clone = git.path_beside("clone");
    git.run(&format!("clone -q . {}", clone.display()));
    let repository = open(&clone);
    let refs = repository.list_refs(&never_cancelled()).expect("refs").refs;
    let names: Vec<_> = refs.iter().map(|one| (one.kind, one.name.as_str())).collect();
    let remote = RefKind::RemoteBranch;
    let expected = [
        (RefKind::Branch, "main"),
        (remote, "origin/feature/pairing"),
        (remote, "origin/main"),
        (RefKind::Tag, "nested"),
        (RefKind::Tag, "v1"),
        (RefKind::Tag, "v1.1"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn refs_that_lead_nowhere_are_counted() {
    let mut git = Git::new();
    let commit = git.commit("a", "1", "begin");
    let blob = git.run("hash-object a");
    git.run(&format!("tag of-a-file {blob}"));
    fs::write(git.path(".git/refs/heads/gone"), "1234567890123456789012345678901234567890\n")
        .expect("written");
    fs::write(git.path(".git/refs/heads/torn"), "12345").expect("written");
    let refs = git.open().list_refs(&never_cancelled()).expect("refs");
    assert_eq!((refs.refs.len(), refs.unreadable, refs.refs[0].target), (1, 3, commit));
}

#[test]
fn head_is_a_branch_a_commit_or_nothing_yet() {
    let mut git = Git::new();
    assert_eq!(git.open().head().expect("HEAD"), Head { branch: Some("main".to_owned()), commit: None });
    assert_eq!(git.open().commit("HEAD").expect("no error"), None);
    assert!(git.open().latest_commits(10, &never_cancelled()).expect("none").commits.is_empty());
    assert!(git.open().list_refs(&never_cancelled()).expect("none").refs.is_empty());
    let first = git.commit("a", "1", "begin");
    git.run("checkout -q -b feature/x");
    let on_branch = Head { branch: Some("feature/x".to_owned()), commit: Some(first) };
    assert_eq!(git.open().head().expect("HEAD"), on_branch);
    git.run("checkout -q --detach");
    assert_eq!(git.open().head().expect("HEAD"), Head { branch: None, commit: Some(first) });
}

#[test]
fn a_linked_worktree_has_its_own_head_and_the_same_refs() {
    let mut git = Git::new();
    git.commit("src/a", "1", "begin");
    let tree = git.path_beside("tree");
    git.run(&format!("worktree add -q -b side {}", tree.display()));
    fs::write(tree.join("src/b"), "2").expect("written");
    git.run_in(&tree, "add -A");
    git.run_in(&tree, "commit -q -m aside");
    let side = open(&tree.join("src"));
    assert_eq!(side.head().expect("HEAD").branch.as_deref(), Some("side"));
    assert_eq!(side.head().expect("HEAD").commit, Some(git.oid_by_git("side")));
    assert_eq!(git.open().head().expect("HEAD").branch.as_deref(), Some("main"));
    assert_eq!(listed_refs(&side), listed_refs(&git.open()));
    let files = side.files_at(git.oid_by_git("side"), &never_cancelled()).expect("files");
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_folder_without_a_repository_has_none() {
    let git = Git::new();
    let other = git.path_beside("plain");
    fs::create_dir(&other).expect("a folder");
    assert!(Repository::discover(&abs(&other)).expect("no error").is_none());
    // The innards of a repository are no workspace of it.
    assert!(Repository::discover(&abs(&git.path(".git/refs"))).expect("no error").is_none());
}

#[test]
fn a_call_that_is_not_wanted_any_more_ends() {
    let mut git = Git::new();
    let commit = git.commit("a", "1", "begin");
    let cancel = CancelToken::default();
    cancel.cancel();
    let repository = git.open();
    let stopped = |error| matches!(error, GitError::Stopped(Stopped::Cancelled));
    assert!(repository.list_refs(&cancel).is_err_and(stopped));
    assert!(repository.latest_commits(1, &cancel).is_err_and(stopped));
    assert!(repository.files_at(commit, &cancel).is_err_and(stopped));
    assert!(repository.changed_between(commit, commit, &cancel).is_err_and(stopped));
}

/// The names that are listed without opening the repository are those of the refs that opening it lists.
#[test]
fn names_alone_are_those_of_the_refs() {
    let mut git = Git::new();
    git.commit("a", "1", "begin");
    git.run("tag -a v1 -m a+tag");
    git.run("branch feature/pairing");
    let by_library = |repository: &Repository| -> Vec<RefName> {
        let refs = repository.list_refs(&never_cancelled()).expect("refs").refs;
        refs.into_iter().map(|one| RefName { kind: one.kind, name: one.name }).collect()
    };
    assert_eq!(list_ref_names(&abs(&git.path(""))), Some(by_library(&git.open())));
    git.run("pack-refs --all");
    git.run("branch later");
    let names = list_ref_names(&abs(&git.path(""))).expect("an ordinary repository");
    assert_eq!(names, by_library(&git.open()));
    assert_eq!(names[0].full_name(), "refs/heads/feature/pairing");
    // A clone has remote branches, one of which repeats another; a work tree shares the names of its repository.
    let clone = git.path_beside("clone");
    git.run(&format!("clone -q . {}", clone.display()));
    assert_eq!(list_ref_names(&abs(&clone)), Some(by_library(&open(&clone))));
    let second = git.path_beside("second");
    git.run(&format!("worktree add -q --detach {}", second.display()));
    assert_eq!(list_ref_names(&abs(&second)), Some(names));
}

/// Whatever is not an ordinary repository is left to the library.
#[test]
fn names_are_not_told_of_what_is_not_ordinary() {
    let mut git = Git::new();
    git.commit("a", "1", "begin");
    let root = abs(&git.path(""));
    assert!(list_ref_names(&root).is_some());
    fs::create_dir(git.path(".git/reftable")).expect("the test's own folder");
    assert_eq!(list_ref_names(&root), None);
    fs::remove_dir(git.path(".git/reftable")).expect("the test's own folder");
    fs::create_dir(git.path(".git/packed-refs")).expect("the test's own folder");
    assert_eq!(list_ref_names(&root), None);
}
