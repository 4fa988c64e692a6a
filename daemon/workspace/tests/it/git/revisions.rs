//! Commits by words and by age.

use hob_workspace::git::{Commit, GitError};

use super::{Git, never_cancelled, open};
use crate::support::Random;

#[test]
fn expressions_mean_what_they_mean_to_git() {
    let mut git = Git::new();
    git.commit("a", "1", "one");
    git.run("tag -a v1 -m annotated");
    git.commit("a", "2", "two");
    git.run("checkout -q -b side HEAD~1");
    git.commit("b", "3", "three");
    git.run("checkout -q main");
    git.run("merge -q --no-ff -m merged side");
    let short = git.run("rev-parse --short=7 HEAD~1");
    let full = git.run("rev-parse HEAD~2");
    let repository = git.open();
    let expressions = [
        "HEAD",
        "@",
        "main",
        "refs/heads/side",
        "HEAD~1",
        "HEAD^2",
        "HEAD^2~1",
        "v1",
        "v1^{}",
        "v1^{commit}",
        "main@{1}",
        "heads/side^0",
        " main ",
    ];
    for expression in expressions.into_iter().chain([short.as_str(), full.as_str()]) {
        let commit = repository.commit(expression).expect(expression).expect(expression);
        assert_eq!(commit.oid, git.oid_by_git(&format!("{}^{{commit}}", expression.trim())), "{expression}");
    }
    let shown = repository.commit("side").expect("a commit").expect("there");
    let time = git.run("log -1 --format=%ct side").parse().expect("a number");
    let expected = Commit {
        oid: git.oid_by_git("side"),
        subject: "three".to_owned(),
        author: "Ada L.".to_owned(),
        time,
    };
    assert_eq!(shown, expected);
}

#[test]
fn what_is_not_there_is_none_and_what_is_no_revision_an_error() {
    let mut git = Git::new();
    git.commit("a", "1", "one");
    git.commit("a", "2", "two");
    let repository = git.open();
    for absent in ["nothing", "v9.9", "0123abc", "refs/heads/x", &"1".repeat(40)] {
        assert_eq!(repository.commit(absent).expect(absent), None, "{absent}");
    }
    let long = "x".repeat(100_000);
    for bad in [
        "",
        "  ",
        "HEAD~2",
        "HEAD~999999999",
        "HEAD^2",
        "main..HEAD",
        "HEAD~~~x",
        "^main",
        "HEAD^{",
        ":/one",
        "HEAD^{/one}",
        "HEAD:a",
        "HEAD^{tree}",
        "a b\u{0}c",
        &long,
    ] {
        let error = repository.commit(bad).expect_err(bad);

        assert!(matches!(error, GitError::BadRevision { .. }), "{bad}: {error:?}");
        assert!(error.to_string().contains("HEAD~3") && error.to_string().len() < 700, "{error}");
    }
}

#[test]
fn a_short_id_of_several_commits_lists_them() {
    let mut git = Git::new();
    git.commit("a", "0", "commit 0");
    // Sixteen first digits and seventeen more commits: two of them begin with the same.
    for n in 1..18 {
        git.run(&format!("commit -q --allow-empty -m commit+{n}"));
    }
    let all = git.run("log --format=%H");
    let all: Vec<&str> = all.lines().collect();
    let common = |digits: usize| {
        let begins = |id: &&&str| all.iter().filter(|other| other[..digits] == id[..digits]).count() > 1;
        all.iter().find(begins).map(|id| id[..digits].to_owned())
    };
    // Git wants four digits at least; fewer are nobody's.
    let few = common(1).expect("more commits than digits");
    assert!(git.open().commit(&few).is_ok_and(|commit| commit.is_none()), "one digit is no ID");
    // Commits until two begin with the same four digits.
    let mut tries = 0;
    let ambiguous = loop {
        let all = git.run("log --all --format=%h --abbrev=4");
        if let Some(longer) = all.lines().find(|id| id.len() > 4) {
            break longer[..4].to_owned();
        }
        tries += 1;
        assert!(tries < 40, "two of thousands have the same four digits");
        import_commits(&mut git, tries);
    };
    let error = git.open().commit(&ambiguous).expect_err("several");
    let GitError::Ambiguous { candidates, .. } = &error else { panic!("{error:?}") };
    assert!(
        candidates.len() >= 2 && candidates.iter().all(|one| one.starts_with(&ambiguous)),
        "{candidates:?}"
    );
    assert!(error.to_string().contains("Give more digits"), "{error}");
}

/// Fifty commits at once, on a branch of their own.
fn import_commits(git: &mut Git, round: usize) {
    let mut script = String::new();
    for n in 0..50 {
        let text = format!("{round} {n}");
        script.push_str(&format!(
            "commit refs/heads/round{round}\ncommitter A <a@b> {} +0000\ndata {}\n{text}\n",
            1_600_000_000 + round * 100 + n,
            text.len()
        ));
    }
    let file = git.path_beside("script");
    std::fs::write(&file, script).expect("written");
    let mut command = std::process::Command::new("git");
    let status = command
        .args(["fast-import", "--quiet"])
        .current_dir(git.path(""))
        .stdin(std::fs::File::open(file).expect("just written"))
        .status()
        .expect("git runs");
    assert!(status.success());
}

#[test]
fn the_latest_commits_come_newest_first() {
    let mut git = Git::new();
    git.commit("a", "1", "one");
    git.run("checkout -q -b side");
    git.commit("b", "2", "two");
    git.run("checkout -q main");
    git.commit("c", "3", "three\nover lines\n\nand a body");
    git.run("merge -q --no-ff -m merged side");
    let repository = git.open();
    let all = repository.latest_commits(100, &never_cancelled()).expect("commits");
    let shown: Vec<String> =
        all.commits.iter().map(|one| format!("{} {} {}", one.oid, one.time, one.subject)).collect();
    assert_eq!(shown.join("\n"), git.run("log --date-order --format=%H+%ct+%s"));
    assert!(!all.capped);
    let two = repository.latest_commits(2, &never_cancelled()).expect("commits");
    assert_eq!((two.commits.as_slice(), two.capped), (&all.commits[..2], true));
    assert!(
        repository
            .latest_commits(4, &never_cancelled())
            .is_ok_and(|all| !all.capped && all.commits.len() == 4)
    );
}

#[test]
fn a_shallow_clone_ends_where_it_was_cut() {
    let mut git = Git::new();
    for n in 0..5 {
        git.commit("a", &n.to_string(), &format!("commit {n}"));
    }
    let clone = git.path_beside("shallow");
    git.run(&format!("clone -q --depth 2 file://{} {}", git.path("").display(), clone.display()));
    let repository = open(&clone);
    let commits = repository.latest_commits(100, &never_cancelled()).expect("commits");
    assert_eq!((commits.commits.len(), commits.capped), (2, true));
    assert_eq!(
        repository.commit("HEAD~1").expect("there").map(|one| one.subject).as_deref(),
        Some("commit 3")
    );
    let error = repository.commit("HEAD~2").expect_err("it goes back too far").to_string();
    assert!(error.contains("out of range"), "{error}");
}

#[test]
fn random_expressions_are_judged_as_git_judges_them() {
    const WORDS: [&str; 41] = [
        "HEAD",
        "@",
        "main",
        "side",
        "v1",
        "light",
        "refs/heads/side",
        "heads/main",
        "origin",
        "~",
        "^",
        "~1",
        "~2",
        "^1",
        "^2",
        "^0",
        "^{}",
        "^{commit}",
        "^{tree}",
        "^{object}",
        "^{tag}",
        "@{0}",
        "@{1}",
        "@{-1}",
        "@{u}",
        "@{upstream}",
        "@{99}",
        "^@",
        "^!",
        "^-",
        "..",
        "...",
        ":",
        "a",
        "{",
        "}",
        "-",
        "v1-1-g",
        "0",
        "~-1",
        "-word",
    ];
    let mut git = Git::new();
    git.commit("a", "1", "one");
    git.run("tag -a v1 -m annotated");
    git.run("checkout -q -b side");
    git.commit("b", "2", "two");
    git.run("tag light");
    git.run("checkout -q main");
    git.commit("c", "3", "three");
    git.run("merge -q --no-ff -m merged side");
    let short = git.run("rev-parse --short HEAD");
    git.run(&format!("branch {short}-word"));
    let repository = git.open();
    let mut random = Random(0x8_1e55);
    let (mut meant, mut differing) = (0, Vec::new());
    for _ in 0..600 {
        let mut expression = (*random.pick_one(&["", "", "HEAD", "main", "v1", &short])).to_owned();
        for _ in 0..=random.number_below(3) {
            expression.push_str(random.pick_one::<&str>(&WORDS));
        }
        let own = repository.commit(&expression);
        let theirs = git.resolve(&expression);
        match (&own, theirs) {
            (Ok(Some(commit)), Some(theirs)) if commit.oid == theirs => meant += 1,
            (Ok(None) | Err(_), None) => {}
            // Whatever comes after `@{`, git takes for a date, and a brace too many it does not see.
            (_, Some(_)) if expression.contains("@{") || expression.contains("}}") => {}
            _ => differing.push(format!("`{expression}`: {own:?}, {theirs:?}")),
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(meant > 40, "{meant}");
}
