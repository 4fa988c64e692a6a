//! The files of a revision, and what differs between two.

use std::fs;

use hob_base::WsPath;
use hob_workspace::git::{Oid, Repository};

use super::{Git, never_cancelled, open};

fn files(repository: &Repository, commit: Oid) -> Vec<String> {
    let files = repository.files_at(commit, &never_cancelled()).expect("files");
    files.iter().map(|file| format!("{} {}", file.blob, file.path)).collect()
}

/// The same from git; `below` is a folder with a slash at its end, or nothing.
fn files_by_git(git: &mut Git, commit: Oid, below: &str) -> Vec<String> {
    let lines = git.run(&format!("ls-tree -r {commit} ./{below}"));
    let file = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        let id = about.split(' ').nth(2)?;
        about.starts_with("100").then(|| (path.strip_prefix(below).unwrap_or(path).to_owned(), id.to_owned()))
    };
    let mut files: Vec<_> = lines.lines().filter_map(file).collect();
    files.sort();
    files.into_iter().map(|(path, id)| format!("{id} {path}")).collect()
}

fn changes_between(repository: &Repository, before: Oid, after: Oid) -> Vec<String> {
    let changes = repository.changed_between(before, after, &never_cancelled()).expect("changes");
    let letter = |before: bool, after: bool| match (before, after) {
        (true, true) => "M",
        (true, false) => "D",
        _ => "A",
    };
    changes
        .iter()
        .map(|one| format!("{}\t{}", letter(one.before.is_some(), one.after.is_some()), one.path))
        .collect()
}

fn expected_changes(git: &mut Git, before: Oid, after: Oid) -> Vec<String> {
    let lines = git.run(&format!("diff --no-renames --name-status {before} {after}"));
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    lines.sort_by(|a, b| a[2..].cmp(&b[2..]));
    lines
}

/// A history with edits, moves, deletions, a folder that becomes a file, and names that sort oddly.
fn make_history(git: &mut Git) -> Vec<Oid> {
    let mut commits = Vec::new();
    git.write("src/lib/a.rs", "a");
    git.write("src/lib.rs", "lib");
    git.write("src/lib-extra/x", "x");
    git.write("README", "read me");
    fs::create_dir_all(git.path("empty")).expect("a folder");
    commits.push(git.commit("ünï cödé/ß.txt", "umlauts", "first"));
    git.run("mv src/lib/a.rs src/moved.rs");
    commits.push(git.commit("src/lib.rs", "edited", "moves and edits"));
    git.run("rm -q -r src/lib-extra");
    git.write("src/lib-extra", "now a file");
    fs::remove_file(git.path("README")).expect("it was there");
    commits.push(git.commit("README/now.txt", "now a folder", "kinds change"));
    commits
}

#[test]
fn files_are_those_that_git_lists() {
    let mut git = Git::new();
    git.run("config core.quotePath false");
    let commits = make_history(&mut git);
    let whole = git.open();
    for commit in &commits {
        assert_eq!(files(&whole, *commit), files_by_git(&mut git, *commit, ""));
    }
    // Packed, as deltas of each other.
    git.run("gc -q --aggressive");
    assert_eq!(files(&git.open(), commits[0]), files_by_git(&mut git, commits[0], ""));
    let part = open(&git.path("src"));
    assert_eq!(files(&part, commits[0]), files_by_git(&mut git, commits[0], "src/"));
    // A folder that was not there then.
    assert!(files(&open(&git.path("README")), commits[0]).is_empty());
    assert_eq!(files(&open(&git.path("README")), commits[2]).len(), 1);
}

#[cfg(unix)]
#[test]
fn links_submodules_and_odd_names_are_left_out() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let mut git = Git::new();
    git.commit("a", "1", "begin");
    let other = git.path_beside("other");
    git.run(&format!("clone -q . {}", other.display()));
    git.run(&format!("submodule --quiet add {} sub", other.display()));
    std::os::unix::fs::symlink("a", git.path("link")).expect("a link");
    let odd = git.path("").join(OsStr::from_bytes(b"n\xff.txt"));
    // Some file systems refuse the name; then there is nothing to leave out.
    let _ = fs::write(odd, "odd");
    let commit = git.commit("b", "2", "odd things");
    let repository = git.open();
    let names = repository.files_at(commit, &never_cancelled()).expect("files");
    let names: Vec<_> = names.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, [".gitmodules", "a", "b"]);
    // The submodule is a repository of its own.
    let sub = open(&git.path("sub"));
    assert_eq!(sub.head().expect("HEAD").commit, Some(git.oid_by_git("main~1")));
}

#[test]
fn changes_are_those_that_git_shows() {
    let mut git = Git::new();
    git.run("config core.quotePath false");
    let commits = make_history(&mut git);
    let repository = git.open();
    for before in &commits {
        for after in &commits {
            let expected = expected_changes(&mut git, *before, *after);
            assert_eq!(changes_between(&repository, *before, *after), expected, "{before} {after}");
        }
    }
    let part = changes_between(&open(&git.path("src")), commits[0], commits[1]);
    assert_eq!(part, ["M\tlib.rs", "D\tlib/a.rs", "A\tmoved.rs"]);
}

#[test]
fn contents_are_as_they_were_and_as_long_as_allowed() {
    let mut git = Git::new();
    let first = git.commit("a.txt", "then\r\n", "first");
    git.commit("a.txt", "now", "second");
    let repository = git.open();
    let then = &repository.files_at(first, &never_cancelled()).expect("files")[0];
    assert_eq!(then.path, WsPath::new("a.txt").expect("a path"));
    assert_eq!(repository.read_blob(then.blob, 6).expect("there").as_deref(), Some(&b"then\r\n"[..]));
    assert_eq!(repository.read_blob(then.blob, 5).expect("there"), None);
    assert_eq!(Oid::of_blob(b"then\r\n"), Some(then.blob));
    assert!(repository.read_blob(first, 1_000).is_err(), "a commit is no file");
}

#[test]
fn objects_of_an_alternate_are_found() {
    let mut git = Git::new();
    let commit = git.commit("a", "1", "begin");
    let clone = git.path_beside("borrowing");
    git.run(&format!("clone -q --shared . {}", clone.display()));
    assert_eq!(files(&open(&clone), commit), files_by_git(&mut git, commit, ""));
}
