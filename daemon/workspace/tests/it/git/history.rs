//! Where changes begin, and what a path had in each commit, against git itself.

use hob_base::{CancelToken, WsPath};
use hob_workspace::git::ChangeCounts;

use super::Git;

/// Two branches that part after the second commit.
fn two_branches() -> Git {
    let mut git = Git::new();
    git.commit("a", "1", "one");
    git.commit("dir/b", "2", "two");
    git.run("checkout -q -b side");
    git.commit("a", "3", "three");
    git.run("checkout -q main");
    git.commit("dir/b", "4", "four");
    git
}

#[test]
fn parents_and_merge_bases_are_those_of_git() {
    let mut git = two_branches();
    git.run("merge -q --no-ff -m merged side");
    let repository = git.open();
    let oid = |git: &mut Git, name: &str| git.oid_by_git(name);
    let (head, side) = (oid(&mut git, "HEAD"), oid(&mut git, "side"));
    let expected = [oid(&mut git, "HEAD^1"), oid(&mut git, "HEAD^2")];
    assert_eq!(repository.parents_of(head).expect("read"), expected);
    assert_eq!(repository.read_history().parents_of(head).expect("read").present, expected);
    let first = oid(&mut git, "side~2");
    assert_eq!(repository.parents_of(first).expect("read"), []);
    assert_eq!(repository.merge_base(expected[0], side).expect("read"), Some(oid(&mut git, "side~1")));
    git.run("checkout -q --orphan alone");
    git.run("commit -q --allow-empty -m alone");
    let alone = oid(&mut git, "HEAD");
    assert_eq!(repository.merge_base(alone, side).expect("read"), None);
}

#[test]
fn changes_are_counted_where_they_were_made() {
    let mut git = two_branches();
    git.run("merge -q --no-ff -m merged side");
    let repository = git.open();
    let all = repository.count_changes(0, &CancelToken::default()).expect("read");
    let count = |counts: &ChangeCounts, path: &str| {
        counts.files.get(&WsPath::new(path).expect("a path")).copied().unwrap_or(0)
    };
    assert_eq!(
        (count(&all, "a"), count(&all, "dir/b")),
        (1, 2),
        "the first commit and the merge change nothing"
    );
    assert_eq!((all.commits, all.is_cut), (3, false));
    let since = git.run("log -1 --format=%ct main~1").parse().expect("a number");
    let late = repository.count_changes(since, &CancelToken::default()).expect("read");
    assert_eq!((count(&late, "a"), count(&late, "dir/b")), (0, 1), "{late:?}");
}

#[test]
fn a_base_is_the_upstream_or_the_branch_that_everybody_has() {
    let mut git = two_branches();
    let repository = git.open();
    let main = git.oid_by_git("main");
    assert_eq!(git_guess(&git, "side"), Some(("main".to_owned(), main)));
    assert_eq!(git_guess(&git, "main"), None, "nothing is its own base");
    git.run("update-ref refs/remotes/origin/trunk side");
    git.run("update-ref refs/remotes/origin/side side");
    git.run("symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/trunk");
    let side = git.oid_by_git("side");
    assert_eq!(git_guess(&git, "side"), Some(("origin/trunk".to_owned(), side)));
    git.run("config remote.origin.url x");
    git.run("config remote.origin.fetch refs/heads/*:refs/remotes/origin/*");
    git.run("config branch.side.remote origin");
    git.run("config branch.side.merge refs/heads/side");
    assert_eq!(
        git_guess(&git, "side"),
        Some(("origin/trunk".to_owned(), side)),
        "its own branch at the remote is no base"
    );
    git.run("update-ref refs/remotes/origin/main main~1");
    git.run("symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main");
    git.run("config branch.main.remote origin");
    git.run("config branch.main.merge refs/heads/main");
    let pushed = git.oid_by_git("main~1");
    assert_eq!(git_guess(&git, "main"), Some(("origin/main".to_owned(), pushed)), "what is not pushed");
    assert_eq!(repository.branch_commit("side"), Some(side));
    assert_eq!(repository.branch_commit("origin/trunk"), Some(side));
    assert_eq!(repository.branch_commit("side~1"), None);
}

fn git_guess(git: &Git, name: &str) -> Option<(String, hob_workspace::git::Oid)> {
    git.open().guess_base(Some(name)).map(|guess| (guess.name, guess.commit))
}

#[test]
fn staged_files_are_those_of_the_index() {
    let mut git = two_branches();
    std::fs::write(git.path("a"), "staged").expect("written");
    git.run("add a");
    std::fs::write(git.path("a"), "later").expect("written");
    let staged = git.open().staged_files().expect("read");
    let listed: Vec<String> =
        staged.files.iter().map(|file| format!("{} {}", file.blob, file.path)).collect();
    let expected = git.run("ls-files -s");
    let expected: Vec<String> = expected
        .lines()
        .map(|line| {
            let (head, path) = line.split_once('\t').expect("a tab");
            format!("{} {path}", head.split(' ').nth(1).expect("an ID"))
        })
        .collect();
    assert_eq!(listed, expected);
}

#[test]
fn a_path_has_the_contents_that_git_shows() {
    let mut git = two_branches();
    let repository = git.open();
    let reader = repository.read_history();
    for (commit, path) in [
        ("main", "dir/b"),
        ("main~1", "dir/b"),
        ("main~2", "dir/b"),
        ("side", "a"),
        ("side", "dir"),
        ("side", "no"),
    ] {
        let oid = git.oid_by_git(commit);
        let blob = reader.blob_at(oid, &WsPath::new(path).expect("a path")).expect("read");
        let shown = blob.map(|blob| {
            String::from_utf8(repository.read_blob(blob, 100).expect("read").expect("small")).expect("text")
        });
        let expected = match (commit, path) {
            ("main", "dir/b") => Some("4"),
            ("main~1", "dir/b") => Some("2"),
            ("side", "a") => Some("3"),
            _ => None,
        };
        assert_eq!(shown.as_deref().map(str::trim), expected, "{commit}:{path}");
    }
}
