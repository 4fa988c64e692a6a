//! The content cache changes how files are read, never what is found.

use std::fs;

use hob_base::{AbsPath, CancelToken};
use hob_text::{ContentKeeper, SearchAnswer, Snapshot, TrigramIndex, search};
use proptest::prelude::*;

use crate::common::{Tree, request, shown};

/// Enough files for a cache to be kept.
const FILES: usize = 300;

fn text(number: usize, version: usize) -> Vec<u8> {
    match number % 7 {
        0 => format!("\u{feff}needle at the head {number}\n").into_bytes(),
        1 => {
            [b"\xFF\xFE".to_vec(), "a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
        }
        2 => [&vec![b'x'; 70_000][..], b"\nneedle\0after\nneedle\n"].concat(),
        3 => Vec::new(),
        _ => format!("line\r\nneedle {number} of {version}\nthe last needle").into_bytes(),
    }
}

fn tree(version: usize) -> Tree {
    let mut tree = Tree::default();
    for number in 0..FILES {
        tree.set(&format!("dir{}/f{number}", number % 5), &text(number, version));
    }
    tree
}

/// A folder for a cache.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn keeper(&self) -> ContentKeeper {
        ContentKeeper::open(&AbsPath::new(self.0.path().join("contents")).expect("an absolute path"))
    }

    fn packs(&self) -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(self.0.path().join("contents")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// The index of a tree with a cache brought up to date.
fn cached(tree: &Tree, keeper: &mut ContentKeeper) -> TrigramIndex {
    let mut index = tree.index();
    keeper.refresh(&index.snapshot(), tree, &CancelToken::default()).expect("a folder of our own");
    index.set_contents(keeper.cache().clone());
    index
}

fn found(snapshot: &Snapshot, tree: &Tree) -> SearchAnswer {
    let answer = search(snapshot, &request("needle|^$"), tree, &CancelToken::default()).expect("a pattern");
    SearchAnswer { elapsed: std::time::Duration::ZERO, ..answer }
}

#[test]
fn answers_are_those_of_the_files() {
    let (tree, disk) = (tree(0), Disk::new());
    let mut keeper = disk.keeper();
    let index = cached(&tree, &mut keeper);
    assert!(keeper.cache().stats().texts > FILES / 2);
    let without = found(&index.snapshot().without_contents(), &tree);
    assert_eq!(found(&index.snapshot(), &tree), without);
    // The files themselves are not looked at.
    assert_eq!(found(&index.snapshot(), &Tree::default()), without);
    // The next run has it too.
    let mut index = tree.index();
    index.set_contents(disk.keeper().cache().clone());
    assert_eq!(found(&index.snapshot(), &Tree::default()), without);
}

#[test]
fn a_changed_file_is_read_from_where_it_is() {
    let (mut tree, disk) = (tree(0), Disk::new());
    let mut index = cached(&tree, &mut disk.keeper());
    let change = tree.set("dir4/f4", b"needle, quite another one\n");
    index.apply(vec![change]);
    let lines = shown(&found(&index.snapshot(), &tree));
    assert!(lines.iter().any(|line| line == "dir4/f4:1:1:needle, quite another one"), "{lines:?}");
}

#[test]
fn the_folder_does_not_grow_for_ever() {
    let disk = Disk::new();
    let mut keeper = disk.keeper();
    for version in 0..30 {
        let tree = tree(version);
        let index = cached(&tree, &mut keeper);
        assert_eq!(found(&index.snapshot(), &Tree::default()), found(&tree.index().snapshot(), &tree));
        assert!(disk.packs().len() <= 8, "{:?}", disk.packs());
    }
    keeper.clear();
    assert!(disk.packs().is_empty());
}

#[test]
fn a_few_missing_texts_are_not_worth_a_file() {
    let (mut tree, disk) = (tree(0), Disk::new());
    let mut keeper = disk.keeper();
    let mut index = cached(&tree, &mut keeper);
    let change = tree.set("dir0/new", b"needle");
    index.apply(vec![change]);
    let refreshed = keeper.refresh(&index.snapshot(), &tree, &CancelToken::default());
    assert!(!refreshed.expect("nothing is written"));
    assert_eq!(disk.packs().len(), 1);
}

#[test]
fn being_stopped_leaves_nothing() {
    let (tree, disk) = (tree(0), Disk::new());
    let (mut keeper, token) = (disk.keeper(), CancelToken::default());
    token.cancel();
    let refreshed = keeper.refresh(&tree.index().snapshot(), &tree, &token);
    assert!(!refreshed.expect("a folder of our own"));
    assert!(keeper.cache().is_empty() && disk.packs().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn damage_costs_time_and_no_answer(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..300),
        from_end in any::<bool>(),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let (tree, disk) = (tree(0), Disk::new());
        drop(cached(&tree, &mut disk.keeper()));
        let path = disk.packs().remove(0);
        let mut bytes = fs::read(&path).expect("just written");
        for (at, byte) in edits {
            let near = bytes.len().min(4096);
            let at = at.index(near);
            let at = if from_end { bytes.len() - 1 - at } else { at };
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&path, bytes).expect("a folder of our own");
        let mut keeper = disk.keeper();
        let mut index = tree.index();
        let truth = found(&index.snapshot(), &tree);
        index.set_contents(keeper.cache().clone());
        prop_assert_eq!(&found(&index.snapshot(), &tree), &truth);
        // What is damaged is made anew, if it is much.
        keeper.refresh(&index.snapshot(), &tree, &CancelToken::default()).expect("a folder of our own");
        index.set_contents(keeper.cache().clone());
        prop_assert_eq!(&found(&index.snapshot(), &tree), &truth);
    }
}
