//! Damaged and hostile repositories: an error or less of an answer, never a panic, and nothing is run.

use std::fs;
use std::path::Path;

use hob_workspace::git::{GitError, Repository};

use super::{Git, abs, never_cancelled};

/// Asks everything; what comes of it must only be an answer or an error.
fn ask_everything(folder: &Path) -> Vec<String> {
    let repository = match Repository::discover(&abs(folder)) {
        Ok(Some(repository)) => repository,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![error.to_string()],
    };
    let mut errors = Vec::new();
    let mut note = |error: Option<GitError>| errors.extend(error.map(|error| error.to_string()));
    let _ = repository.read_checkout();
    note(repository.list_refs(&never_cancelled()).err());
    note(repository.head().err());
    note(repository.latest_commits(100, &never_cancelled()).err());
    for revision in ["HEAD", "main", "HEAD~1", "v1", "abcd"] {
        match repository.commit(revision) {
            Ok(Some(commit)) => {
                note(repository.files_at(commit.oid, &never_cancelled()).err());
                note(repository.changed_between(commit.oid, commit.oid, &never_cancelled()).err());
            }
            Ok(None) => {}
            Err(error) => note(Some(error)),
        }
    }
    errors
}

fn sample_repository() -> Git {
    let mut git = Git::new();
    git.commit("src/a", "1", "one");
    git.run("tag -a v1 -m tag");
    git.commit("src/a", "2", "two");
    git
}

/// Every file below `folder`.
fn list_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => list_files(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

#[test]
fn every_file_of_a_repository_may_be_torn_or_empty_or_gone() {
    let mut git = sample_repository();
    for packed in [false, true] {
        if packed {
            git.run("gc -q");
            git.run("pack-refs --all");
        }
        assert_eq!(ask_everything(&git.path("")), Vec::<String>::new());
        let mut files = Vec::new();
        list_files(&git.path(".git"), &mut files);
        for file in files.iter().filter(|file| !file.starts_with(git.path(".git/hooks"))) {
            let whole = fs::read(file).expect("a file");
            fs::remove_file(file).expect("objects are read-only, their folders are not");
            let _ = ask_everything(&git.path(""));
            for part in [&whole[..whole.len() / 2], &[], &b"\xff\x00garbage\n"[..]] {
                fs::write(file, part).expect("written");
                let _ = ask_everything(&git.path(""));
            }
            fs::write(file, whole).expect("written");
        }
        assert_eq!(ask_everything(&git.path("")), Vec::<String>::new(), "everything is as it was");
    }
}

#[test]
fn a_missing_object_is_named() {
    let mut git = sample_repository();
    let tree = git.run("rev-parse HEAD:src");
    fs::remove_file(git.path(&format!(".git/objects/{}/{}", &tree[..2], &tree[2..])))
        .expect("a loose object");
    let repository = git.open();
    let commit = repository.commit("HEAD").expect("it is there").expect("it is there");
    let error = repository.files_at(commit.oid, &never_cancelled()).expect_err("its tree is not").to_string();
    assert!(error.contains(&tree) && error.contains("git fsck"), "{error}");
    assert!(repository.commit("HEAD~1").is_ok_and(|commit| commit.is_some()));
}

#[test]
fn a_format_that_is_not_known_is_an_error_that_says_so() {
    let mut git = sample_repository();
    git.run("config core.repositoryFormatVersion 1");
    git.run("config extensions.objectFormat sha1024");
    let error = Repository::discover(&abs(&git.path(""))).expect_err("no such format").to_string();
    assert!(error.contains("cannot be opened") && error.contains("sha1024"), "{error}");
}

#[cfg(unix)]
#[test]
fn nothing_that_a_repository_names_is_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut git = sample_repository();
    let proof = git.path_beside("it-ran");
    let script = git.path(".git/hooks/any");
    fs::create_dir_all(git.path(".git/hooks")).expect("a folder");
    fs::write(&script, format!("#!/bin/sh\ntouch {}\ncat\n", proof.display())).expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("ours");
    let program = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "core.alternateRefsCommand",
        "diff.external",
        "filter.x.smudge",
        "filter.x.clean",
        "filter.x.process",
        "diff.x.textconv",
        "uploadpack.packObjectsHook",
        "credential.helper",
        "gpg.program",
    ] {
        git.run(&format!("config {key} {program}"));
    }
    for hook in
        ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"]
    {
        fs::copy(&script, git.path(&format!(".git/hooks/{hook}"))).expect("copied");
    }
    let included = git.path_beside("included");
    fs::write(&included, "[core]\n\tbare = true\n").expect("written");
    git.write(".git/info/attributes", "* filter=x diff=x\n");
    fs::write(git.path(".gitattributes"), "* filter=x diff=x\n").expect("written");
    // What git itself ran so far, in writing the configuration, is not the question.
    let _ = fs::remove_file(&proof);
    fs::write(
        git.path(".git/config"),
        format!(
            "{}[include]\n\tpath = {}\n",
            fs::read_to_string(git.path(".git/config")).expect("text"),
            included.display()
        ),
    )
    .expect("written");
    assert_eq!(ask_everything(&git.path("")), Vec::<String>::new());
    let repository = git.open();
    let commit = repository.commit("HEAD").expect("read").expect("there");
    let file = &repository.files_at(commit.oid, &never_cancelled()).expect("files")[0];
    assert_eq!(repository.read_blob(file.blob, 10).expect("read").as_deref(), Some(&b"2"[..]));
    assert!(!proof.exists(), "a program of the repository was run");
}

#[test]
fn refs_of_a_format_that_is_not_known_are_not_taken_for_none() {
    let mut git = sample_repository();
    git.run("config core.repositoryFormatVersion 1");
    // Set by hand: not every git can make such a repository.
    let config = fs::read_to_string(git.path(".git/config")).expect("text");
    fs::write(git.path(".git/config"), format!("{config}[extensions]\n\trefStorage = reftable\n"))
        .expect("written");
    let error = Repository::discover(&abs(&git.path(""))).expect_err("no such format").to_string();
    assert!(error.contains("reftable"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn every_file_of_a_repository_may_be_a_pipe() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    let mut git = sample_repository();
    for packed in [false, true] {
        if packed {
            git.run("gc -q");
            git.run("pack-refs --all");
        }
        let mut files = Vec::new();
        list_files(&git.path(".git"), &mut files);
        for file in files {
            let aside = git.path("aside");
            fs::rename(&file, &aside).expect("moved");
            mkfifoat(CWD, &file, Mode::from_raw_mode(0o600)).expect("a pipe");
            // It ends; a file that nobody needs costs nothing.
            let _ = ask_everything(&git.path(""));
            fs::remove_file(&file).expect("removed");
            fs::rename(&aside, &file).expect("moved back");
        }
        assert_eq!(ask_everything(&git.path("")), Vec::<String>::new(), "it is whole again");
    }
    let alone = tempfile::tempdir().expect("a folder");
    mkfifoat(CWD, alone.path().join(".git"), Mode::from_raw_mode(0o600)).expect("a pipe");
    let said = ask_everything(&alone.path().canonicalize().expect("it is there"));
    assert!(said[0].contains("neither a folder nor a file"), "{said:?}");
}
