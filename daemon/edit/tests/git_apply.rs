//! A preview's diff means what it says: the real git, given the old tree and the diff, makes the new tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hob_base::WsPath;
use hob_edit::{Preview, Proposal, ProposedFile};
use proptest::prelude::*;

type DiffTree = BTreeMap<String, Vec<u8>>;

fn path(text: &str) -> WsPath {
    WsPath::new(text).expect("relative")
}

fn write(root: &Path, tree: &DiffTree) {
    for (name, contents) in tree {
        let file = root.join(name);
        fs::create_dir_all(file.parent().expect("below the root")).expect("folder");
        fs::write(file, contents).expect("file");
    }
}

fn read(root: &Path) -> DiffTree {
    fn walk(root: &Path, folder: &Path, out: &mut DiffTree) {
        for entry in fs::read_dir(folder).expect("folder") {
            let at = entry.expect("entry").path();
            if at.is_dir() {
                walk(root, &at, out);
            } else {
                let name = at.strip_prefix(root).expect("below").to_str().expect("Unicode").to_owned();
                out.insert(name, fs::read(&at).expect("file"));
            }
        }
    }
    let mut out = DiffTree::new();
    walk(root, root, &mut out);
    out
}

/// Returns what git makes of `old` with `diff`; an error is what git said.
fn apply_by_git(old: &DiffTree, diff: &str) -> Result<DiffTree, String> {
    let folder = tempfile::tempdir().expect("folder");
    write(folder.path(), old);
    if diff.is_empty() {
        return Ok(read(folder.path()));
    }
    let patch = tempfile::NamedTempFile::new().expect("file");
    fs::write(patch.path(), diff).expect("written");
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "--unidiff-zero"])
        .arg(patch.path())
        .current_dir(folder.path())
        .env("GIT_CEILING_DIRECTORIES", folder.path().parent().expect("not the root"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .expect("git runs");
    match output.status.success() {
        true => Ok(read(folder.path())),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The tree that a proposal means, by the words of `Change` alone.
fn tree_as_meant(old: &DiffTree, proposal: &Proposal) -> DiffTree {
    let mut tree = old.clone();
    for change in proposal.changes.iter().filter(|change| change.before.is_some()) {
        tree.remove(change.path.as_str());
    }
    for change in &proposal.changes {
        if let Some(after) = &change.after {
            let to = change.moved_to.as_ref().unwrap_or(&change.path);
            tree.insert(to.as_str().to_owned(), after.to_vec());
        }
    }
    tree
}

fn proposal_of(changes: Vec<ProposedFile>) -> Proposal {
    Proposal { label: "test".into(), tool: "edit_text".into(), changes }
}

fn creation_of(name: &str, after: &str) -> ProposedFile {
    ProposedFile { path: path(name), moved_to: None, before: None, after: Some(after.as_bytes().into()) }
}

fn deletion_of(name: &str, before: &str) -> ProposedFile {
    ProposedFile { path: path(name), moved_to: None, before: Some(before.as_bytes().into()), after: None }
}

fn move_of(from: &str, to: &str, before: &str, after: &str) -> ProposedFile {
    ProposedFile {
        moved_to: Some(path(to)),
        ..ProposedFile::of_existing(path(from), before.as_bytes(), after.as_bytes())
    }
}

#[track_caller]
fn check_agreement(old: &DiffTree, proposal: &Proposal) {
    let diff = Preview::of(proposal).diff();
    assert_eq!(apply_by_git(old, &diff).as_ref(), Ok(&tree_as_meant(old, proposal)), "{diff}");
}

fn tree_of(files: &[(&str, &str)]) -> DiffTree {
    files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

#[test]
fn every_kind_of_change_is_what_git_understands() {
    let old = tree_of(&[
        ("edit.txt", "one\ntwo\nthree\n"),
        ("end.txt", "no newline"),
        ("gets end.txt", "line\nlast"),
        ("crlf.txt", "a\r\nb\r\nc"),
        ("bom.txt", "\u{feff}a\n"),
        ("gone.txt", "x\ny\n"),
        ("gone-empty.txt", ""),
        ("from/a.txt", "kept\n"),
        ("from/b.txt", "kept\nchanged\n"),
        ("swap1", "1\n"),
        ("swap2", "2\n"),
    ]);
    check_agreement(
        &old,
        &proposal_of(vec![
            ProposedFile::of_existing(path("edit.txt"), *b"one\ntwo\nthree\n", *b"one\n2\nthree\n"),
            ProposedFile::of_existing(path("end.txt"), *b"no newline", *b"still none"),
            ProposedFile::of_existing(path("gets end.txt"), *b"line\nlast", *b"line\nlast\n"),
            ProposedFile::of_existing(path("crlf.txt"), *b"a\r\nb\r\nc", *b"a\r\nB\nc\r\n"),
            ProposedFile::of_existing(path("bom.txt"), "\u{feff}a\n".as_bytes(), *b"a\n"),
            deletion_of("gone.txt", "x\ny\n"),
            deletion_of("gone-empty.txt", ""),
            creation_of("new/deep/file.txt", "hello"),
            creation_of("new/empty.txt", ""),
            move_of("from/a.txt", "to/a.txt", "kept\n", "kept\n"),
            move_of("from/b.txt", "to/b c.txt", "kept\nchanged\n", "kept\nnow\n"),
            move_of("swap1", "swap2", "1\n", "1\n"),
            move_of("swap2", "swap1", "2\n", "2\nmore\n"),
        ]),
    );
}

#[test]
fn awkward_names_are_read_back() {
    let names =
        ["a b.txt", "tab\there", "quo\"te", "back\\slash", "new\nline", "ünïcode/ß.rs", " lead", "trail "];
    let old: DiffTree = names.iter().map(|name| ((*name).to_owned(), b"old\n".to_vec())).collect();
    let changes = names.iter().map(|name| ProposedFile::of_existing(path(name), *b"old\n", *b"new\n"));
    check_agreement(&old, &proposal_of(changes.collect()));
    let moves = names.iter().map(|name| move_of(name, &format!("there/{name}"), "old\n", "old\n2\n"));
    check_agreement(&old, &proposal_of(moves.collect()));
}

#[test]
fn a_diff_reads_as_git_writes_it() {
    let change = ProposedFile::of_existing(
        path("src/a.rs"),
        *b"1\n2\n3\n4\n5\n6\n7\n8\n9",
        *b"1\n2\n3\n4\nfive\n6\n7\n8\n9",
    );
    let preview = Preview::of(&proposal_of(vec![change]));
    assert_eq!(
        preview.diff(),
        "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n\
         @@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    );
    assert_eq!(preview.line_totals(), (1, 1));
}

#[test]
fn what_is_no_text_is_said_to_differ() {
    let latin = ProposedFile::of_existing(path("latin.txt"), *b"caf\xe9\n", *b"th\xe9\n");
    let preview = Preview::of(&proposal_of(vec![latin]));
    assert!(!preview.files[0].is_text);
    assert_eq!(
        preview.diff(),
        "diff --git a/latin.txt b/latin.txt\nBinary files a/latin.txt and b/latin.txt differ\n"
    );
    assert_eq!(preview.line_totals(), (1, 1));
}

/// Contents of few kinds of lines, so that there is much to align wrongly.
fn any_contents() -> impl Strategy<Value = String> {
    let line =
        prop_oneof!["[ab]?", "\t?\\{", "\\}", "-- x", "\\+\\+ y", "@@ -1 \\+1 @@", "\\\\ No", "é{1,2}", "\r"];
    let end = prop_oneof![6 => Just("\n"), 2 => Just("\r\n")];
    let lines = prop::collection::vec((line, end), 0..30);
    (lines, any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: String = lines.into_iter().map(|(line, end)| line + end).collect();
        if cut {
            text.pop();
        }
        text
    })
}

/// A text and another that shares most of its lines.
fn any_edit() -> impl Strategy<Value = (String, String)> {
    (any_contents(), prop::collection::vec((any::<prop::sample::Index>(), any_contents(), 0..4usize), 0..3))
        .prop_map(|(old, edits)| {
            let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
            for (at, text, removed) in edits {
                let start = at.index(lines.len() + 1);
                let end = (start + removed).min(lines.len());
                lines.splice(start..end, text.split_inclusive('\n').take(4).map(str::to_owned));
            }
            (old, lines.concat())
        })
}

fn any_change(index: usize) -> impl Strategy<Value = ProposedFile> {
    let name = format!("dir {}/file{index}.txt", index % 3);
    let kinds = (any_edit(), 0..10u8);
    kinds.prop_map(move |((old, new), kind)| match kind {
        0 => creation_of(&name, &new),
        1 => deletion_of(&name, &old),
        2 => move_of(&name, &format!("moved/{index}"), &old, &new),
        _ => ProposedFile::of_existing(path(&name), old.into_bytes(), new.into_bytes()),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn git_makes_the_new_tree_of_the_old_one_and_the_diff(
        changes in (1..12usize).prop_flat_map(|count| (0..count).map(any_change).collect::<Vec<_>>()),
    ) {
        let changes: Vec<ProposedFile> = changes.into_iter().filter(|change| !change.is_nothing()).collect();
        let before = |change: &ProposedFile| Some((change.path.as_str().to_owned(), change.before.as_deref()?.to_vec()));
        let old: DiffTree = changes.iter().filter_map(before).collect();
        let proposal = proposal_of(changes);
        let preview = Preview::of(&proposal);
        let diff = preview.diff();
        prop_assert_eq!(apply_by_git(&old, &diff), Ok(tree_as_meant(&old, &proposal)), "{}", diff);
        let lines = |side: fn(&ProposedFile) -> Option<&[u8]>| -> usize {
            let contents = proposal.changes.iter().filter_map(side);
            contents.map(|bytes| bytes.split_inclusive(|byte| *byte == b'\n').count()).sum()
        };
        let (old_lines, new_lines) = (lines(|one| one.before.as_deref()), lines(|one| one.after.as_deref()));
        let (added, removed) = preview.line_totals();
        prop_assert_eq!(old_lines + added, new_lines + removed);
    }
}
