//! Tests which files count as different from a revision.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hob_base::{CancelToken, Stopped, WsPath};
use hob_workspace::Stat;
use hob_workspace::git::{Checkout, Comparison, Differences, Oid, Repository, compare_files};

use super::{Git, never_cancelled, open};

/// The files below `folder`, with how they look.
fn present_files(folder: &Path) -> Vec<(WsPath, Option<Stat>)> {
    fn list(root: &Path, folder: &Path, found: &mut Vec<(WsPath, Option<Stat>)>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let at = entry.path();
            if at.is_dir() {
                list(root, &at, found);
            } else {
                let path = WsPath::from_path(at.strip_prefix(root).expect("below")).expect("a path");
                found.push((path, Some(Stat::of(&entry.metadata().expect("a file")))));
            }
        }
    }
    let mut found = Vec::new();
    list(folder, folder, &mut found);
    found.retain(|(path, _)| !path.as_str().starts_with(".git/"));
    found
}

fn find_differences(repository: &Repository, folder: &Path, commit: Oid, checkout: &Checkout) -> Differences {
    let root: PathBuf = folder.to_owned();
    let contents =
        move |path: &WsPath| -> std::io::Result<Arc<[u8]>> { Ok(fs::read(root.join(path.as_str()))?.into()) };
    let then = repository.files_at(commit, &never_cancelled()).expect("files");
    let question = Comparison { then: &then, now: &present_files(folder), checkout, contents: &contents };
    compare_files(&question, &never_cancelled()).expect("not stopped")
}

fn lines(differences: &Differences) -> Vec<String> {
    let files = |letter: char, files: &[hob_workspace::git::TreeFile]| -> Vec<String> {
        files.iter().map(|file| format!("{letter}\t{}", file.path)).collect()
    };
    let new = differences.new.iter().map(|path| format!("A\t{path}"));
    let mut lines = [files('M', &differences.changed), files('D', &differences.gone), new.collect()].concat();
    lines.sort_by(|a, b| a[2..].cmp(&b[2..]));
    lines
}

/// Returns what git says of the working tree; untracked files are made known to it first.
fn expected_by_git(git: &mut Git, commit: Oid) -> Vec<String> {
    git.run("add -A -N");
    let lines = git.run(&format!("diff --no-renames --name-status {commit}"));
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    lines.sort_by(|a, b| a[2..].cmp(&b[2..]));
    lines
}

/// Two commits of a hundred files, and edits that are not committed.
fn edited_repository() -> (Git, Oid) {
    let mut git = Git::new();
    for n in 0..100 {
        git.write(&format!("src/{}/f{n}.txt", n % 7), &format!("contents {n}\n"));
    }
    let first = git.commit("gone.txt", "soon gone", "first");
    fs::remove_file(git.path("gone.txt")).expect("there");
    git.commit("src/3/f3.txt", "committed later\n", "second");
    // Long before the index is written again, so that git and hob may believe what is noted.
    let old = SystemTime::now() - Duration::from_secs(3_600);
    for (path, _) in present_files(&git.path("")) {
        let file = fs::File::options().write(true).open(git.path(path.as_str())).expect("a file");
        file.set_modified(old).expect("its own file");
    }
    git.run("update-index -q --refresh");
    git.write("src/4/f4.txt", "edited, not committed\n");
    git.write("new.txt", "new\n");
    (git, first)
}

#[test]
fn differences_are_those_that_git_sees() {
    let (mut git, first) = edited_repository();
    let folder = git.path("");
    let repository = git.open();
    let checkout = repository.read_checkout();
    for commit in [first, git.oid_by_git("HEAD")] {
        let noted = find_differences(&repository, &folder, commit, &checkout);
        let hashed = find_differences(&repository, &folder, commit, &Checkout::default());
        assert_eq!(lines(&noted), expected_by_git(&mut git, commit));
        assert_eq!((lines(&noted), noted.same), (lines(&hashed), hashed.same));
        assert_eq!((noted.read, hashed.read), (1, 100), "only what was touched is read");
    }
    let differences = find_differences(&repository, &folder, first, &checkout);
    let then = &differences.changed[0];
    assert_eq!(then.path.as_str(), "src/3/f3.txt");
    assert_eq!(repository.read_blob(then.blob, 100).expect("there").as_deref(), Some(&b"contents 3\n"[..]));
}

#[test]
fn a_part_of_the_repository_is_compared_by_itself() {
    let (git, first) = edited_repository();
    let folder = git.path("src");
    let repository = open(&folder);
    let differences = find_differences(&repository, &folder, first, &repository.read_checkout());
    assert_eq!(lines(&differences), ["M\t3/f3.txt", "M\t4/f4.txt"]);
    assert_eq!(differences.read, 1);
}

#[test]
fn what_changes_in_the_second_of_the_index_is_read() {
    let mut git = Git::new();
    let commit = git.commit("a.txt", "one\n", "first");
    let repository = git.open();
    let checkout = repository.read_checkout();
    // The same length, perhaps the same time.
    git.write("a.txt", "two\n");
    assert_eq!(lines(&find_differences(&repository, &git.path(""), commit, &checkout)), ["M\ta.txt"]);
}

#[test]
fn line_ends_alone_are_no_difference_and_files_told_apart_are() {
    let mut git = Git::new();
    git.write("bin", "a\0b\n");
    git.write("mixed", "x\n");
    let commit = git.commit("text", "a\nb\n", "first");
    git.write("text", "a\r\nb\r\n");
    git.write("bin", "a\0b\r\n");
    git.write("mixed", "x\ny\r\n");
    let differences = find_differences(&git.open(), &git.path(""), commit, &Checkout::default());
    assert_eq!(lines(&differences), ["M\tbin", "M\tmixed"]);
}

#[test]
fn files_that_vanish_or_cannot_be_read_are_told() {
    let mut git = Git::new();
    git.write("b", "1");
    let commit = git.commit("a", "1", "first");
    let contents = |path: &WsPath| -> std::io::Result<Arc<[u8]>> {
        let kind = if path.as_str() == "a" {
            std::io::ErrorKind::NotFound
        } else {
            std::io::ErrorKind::PermissionDenied
        };
        Err(kind.into())
    };
    let then = git.open().files_at(commit, &never_cancelled()).expect("files");
    let now = present_files(&git.path(""));
    let question = Comparison { then: &then, now: &now, checkout: &Checkout::default(), contents: &contents };
    assert_eq!(lines(&compare_files(&question, &never_cancelled()).expect("not stopped")), ["D\ta", "M\tb"]);
    let cancel = CancelToken::default();
    cancel.cancel();
    assert_eq!(compare_files(&question, &cancel), Err(Stopped::Cancelled));
}
