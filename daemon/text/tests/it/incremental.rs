//! Tests that changes and merges in any order give the index that is built from scratch.

use crate::common::{TextTree, candidate_paths, count_request, matching_lines, path, request};
use crate::disk::IndexDisk;
use hob_base::{CancelToken, FileId};
use hob_text::{GramChange, TextBatch, TrigramIndex, search};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum TreeStep {
    Apply(Vec<(u8, Option<String>)>),
    Merge,
    /// A merge during which a batch is installed.
    SlowMerge(Vec<(u8, Option<String>)>),
    Save,
    /// The process ends and files change; a new process restores the index as far as possible and indexes the
    /// rest.
    Restart(Vec<(u8, Option<String>)>),
}

fn any_step() -> impl Strategy<Value = TreeStep> {
    let change = (0..24u8, prop::option::weighted(0.7, "[abc]{0,8}( [abc]{3,8}){0,3}\n"));
    let changes = prop::collection::vec(change, 0..6);
    prop_oneof![
        12 => changes.clone().prop_map(TreeStep::Apply),
        4 => Just(TreeStep::Merge),
        2 => changes.clone().prop_map(TreeStep::SlowMerge),
        1 => Just(TreeStep::Save),
        1 => changes.prop_map(TreeStep::Restart),
    ]
}

fn changes_of(tree: &mut TextTree, edits: &[(u8, Option<String>)]) -> Vec<GramChange> {
    edits
        .iter()
        .map(|(file, text)| {
            let at = format!("dir{}/file{file}", file % 4);
            match text {
                Some(text) => tree.set(&at, text.as_bytes()),
                None => tree.remove(&at),
            }
        })
        .collect()
}

/// Restores an index and updates it to `tree`, whose files have new numbers.
fn restart_index(tree: &mut TextTree, disk: &mut IndexDisk) -> TrigramIndex {
    let restored = disk.restart_process(tree);
    assert!(restored.rejected.is_empty());
    let mut index = restored.index;
    tree.renumber_files();
    let missing: Vec<(String, Vec<u8>)> = tree
        .files
        .iter()
        .filter(|(at, _)| !index.contains(tree.numbers[*at]))
        .map(|(at, bytes)| (at.clone(), bytes.to_vec()))
        .collect();
    index.apply(missing.iter().map(|(at, bytes)| tree.set(at, bytes)).collect());
    index
}

fn run(step: &TreeStep, tree: &mut TextTree, index: &mut TrigramIndex, disk: &mut IndexDisk) {
    match step {
        TreeStep::Apply(edits) => index.apply(changes_of(tree, edits)),
        TreeStep::Merge => {
            index.merge_step();
        }
        TreeStep::SlowMerge(edits) => {
            let merged = index.merge_due().map(|job| job.run());
            index.apply(changes_of(tree, edits));
            if let Some(merged) = merged {
                index.install_merged(merged);
            }
        }
        TreeStep::Save => disk.save(index),
        TreeStep::Restart(edits) => {
            changes_of(tree, edits);
            *index = restart_index(tree, disk);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_from_scratch(steps in prop::collection::vec(any_step(), 0..60)) {
        let (mut tree, mut index, mut disk) = (TextTree::default(), TrigramIndex::new(), IndexDisk::new());
        for step in &steps {
            run(step, &mut tree, &mut index, &mut disk);
        }
        let (now, scratch) = (index.snapshot(), tree.index().snapshot());
        prop_assert_eq!(now.export_contents(), scratch.export_contents());
        prop_assert_eq!(index.len(), tree.files.len());
        prop_assert_eq!(now.stats().files, tree.files.len());
        for pattern in ["aab", "abc|cba", "ccc?", "(?i)CAB.*aa", "zzz", ""] {
            prop_assert_eq!(candidate_paths(&now, pattern), candidate_paths(&scratch, pattern), "{}", pattern);
        }
    }

    #[test]
    fn segments_stay_few_and_hold_nothing_dead_for_long(edits in prop::collection::vec(0..40u8, 200..400)) {
        let (mut tree, mut index) = (TextTree::default(), TrigramIndex::new());
        for (n, file) in edits.iter().enumerate() {
            index.apply(changes_of(&mut tree, &[(*file, Some(format!("text {n}\n")))]));
            while index.merge_step() {}
            let stats = index.stats();
            prop_assert!(stats.segments <= 16, "{:?}", stats);
            prop_assert!(stats.dead <= stats.files + 8, "{:?}", stats);
        }
    }
}

#[test]
fn a_removed_file_is_gone_at_once() {
    let mut tree = TextTree::default();
    let mut index = TrigramIndex::new();
    index.apply(vec![tree.set("a", b"needle"), tree.set("b", b"needle")]);
    index.apply(vec![tree.remove("a")]);
    assert_eq!(candidate_paths(&index.snapshot(), "needle"), ["b"]);
    assert_eq!(index.snapshot().indexed_paths().map(|(_, path)| path.to_string()).collect::<Vec<_>>(), ["b"]);
    index.apply(vec![tree.remove("b")]);
    assert!(index.is_empty());
    assert_eq!(index.stats(), hob_text::IndexStats::default());
}

#[test]
fn the_last_of_several_changes_in_a_batch_holds() {
    let mut tree = TextTree::default();
    let mut index = TrigramIndex::new();
    index.apply(vec![
        tree.set("a", b"first"),
        tree.set("a", b"second"),
        tree.set("b", b"x"),
        tree.remove("b"),
    ]);
    assert_eq!(index.snapshot().export_contents(), tree.index().snapshot().export_contents());
    index.apply(vec![tree.remove("a"), tree.set("a", b"third")]);
    assert_eq!(candidate_paths(&index.snapshot(), "third"), ["a"]);
    assert_eq!(candidate_paths(&index.snapshot(), "second"), [""; 0]);
}

#[test]
fn removing_what_was_never_there_changes_nothing() {
    let mut index = TrigramIndex::new();
    index.apply(vec![GramChange::Remove { file: FileId(u32::MAX) }]);
    assert!(index.is_empty() && !index.contains(FileId(u32::MAX)));
}

#[test]
fn a_snapshot_does_not_see_later_changes() {
    let mut tree = TextTree::default();
    let mut index = TrigramIndex::new();
    index.apply(vec![tree.set("a", b"needle one")]);
    let (before, then) = (index.snapshot(), tree.clone());
    index.apply(vec![tree.set("a", b"other"), tree.set("b", b"needle two")]);
    let found = |snapshot, tree: &TextTree| {
        matching_lines(
            &search(snapshot, &request("needle"), tree, &CancelToken::default()).expect("a valid pattern"),
        )
    };
    assert_eq!(found(&before, &then), ["a:1:1:needle one"]);
    assert_eq!(found(&index.snapshot(), &tree), ["b:1:1:needle two"]);
}

#[test]
fn a_merge_whose_sources_are_gone_is_refused() {
    let mut tree = TextTree::default();
    let mut index = TrigramIndex::new();
    for n in 0..8 {
        index.apply(vec![tree.set(&format!("f{n}"), b"text")]);
    }
    let (first, second) = (index.merge_due().expect("eight"), index.merge_due().expect("eight"));
    assert!(index.install_merged(first.run()));
    assert!(!index.install_merged(second.run()));
    assert_eq!(index.snapshot().export_contents(), tree.index().snapshot().export_contents());
    assert_eq!(index.stats().segments, 1);
}

#[test]
fn many_files_in_one_batch_are_all_found() {
    let mut tree = TextTree::default();
    let all: Vec<GramChange> = (0..10_000)
        .map(|n| tree.set(&format!("dir{}/f{n}.txt", n % 97), format!("common word{n} end\n").as_bytes()))
        .collect();
    let mut index = TrigramIndex::new();
    index.install(TextBatch::from_changes(all));
    assert!(index.stats().segments > 1, "a large batch is shared out");
    while index.merge_step() {}
    let snapshot = index.snapshot();
    assert_eq!(candidate_paths(&snapshot, "common").len(), 10_000);
    assert_eq!(candidate_paths(&snapshot, r"word1234\b"), ["dir70/f1234.txt"]);
    let answer = search(&snapshot, &count_request(r"word\d*7 "), &tree, &CancelToken::default())
        .expect("a valid pattern");
    assert_eq!((answer.total_lines, answer.files_matched), (1000, 1000));
    let one = snapshot.indexed_paths().find(|(_, at)| **at == path("dir70/f1234.txt"));
    assert!(one.is_some_and(|(file, _)| index.contains(file)));
}
