//! Tests that the content cache changes how files are read, never what a search finds.

use std::fs;

use hob_base::{AbsPath, CancelToken};
use hob_text::{ContentKeeper, SearchAnswer, TextView, TrigramIndex, search};
use proptest::prelude::*;

use crate::common::{TextTree, matching_lines, request};

/// A number of files that is enough for a cache.
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

fn tree_of_version(version: usize) -> TextTree {
    let mut tree = TextTree::default();
    for number in 0..FILES {
        tree.set(&format!("dir{}/f{number}", number % 5), &text(number, version));
    }
    tree
}

/// A folder for a cache.
struct PackDisk(tempfile::TempDir);

impl PackDisk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn open_keeper(&self) -> ContentKeeper {
        ContentKeeper::open(&AbsPath::new(self.0.path().join("contents")).expect("an absolute path"))
    }

    fn pack_paths(&self) -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(self.0.path().join("contents")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// Returns the index of a tree with an updated cache.
fn index_with_cache(tree: &TextTree, keeper: &mut ContentKeeper) -> TrigramIndex {
    let mut index = tree.index();
    keeper.refresh_packs(&index.snapshot(), tree, &CancelToken::default()).expect("a folder of our own");
    index.set_contents(keeper.cache().clone());
    index
}

fn search_needles(snapshot: &TextView, tree: &TextTree) -> SearchAnswer {
    let answer = search(snapshot, &request("needle|^$"), tree, &CancelToken::default()).expect("a pattern");
    SearchAnswer { elapsed: std::time::Duration::ZERO, ..answer }
}

#[test]
fn answers_are_those_of_the_files() {
    let (tree, disk) = (tree_of_version(0), PackDisk::new());
    let mut keeper = disk.open_keeper();
    let index = index_with_cache(&tree, &mut keeper);
    assert!(keeper.cache().stats().texts > FILES / 2);
    let without = search_needles(&index.snapshot().without_contents(), &tree);
    assert_eq!(search_needles(&index.snapshot(), &tree), without);
    // The search reads no file.
    assert_eq!(search_needles(&index.snapshot(), &TextTree::default()), without);
    // The next run has the cache too.
    let mut index = tree.index();
    index.set_contents(disk.open_keeper().cache().clone());
    assert_eq!(search_needles(&index.snapshot(), &TextTree::default()), without);
}

#[test]
fn a_changed_file_is_read_from_where_it_is() {
    let (mut tree, disk) = (tree_of_version(0), PackDisk::new());
    let mut index = index_with_cache(&tree, &mut disk.open_keeper());
    let change = tree.set("dir4/f4", b"needle, quite another one\n");
    index.apply(vec![change]);
    let lines = matching_lines(&search_needles(&index.snapshot(), &tree));
    assert!(lines.iter().any(|line| line == "dir4/f4:1:1:needle, quite another one"), "{lines:?}");
}

#[test]
fn the_folder_does_not_grow_for_ever() {
    let disk = PackDisk::new();
    let mut keeper = disk.open_keeper();
    for version in 0..30 {
        let tree = tree_of_version(version);
        let index = index_with_cache(&tree, &mut keeper);
        assert_eq!(
            search_needles(&index.snapshot(), &TextTree::default()),
            search_needles(&tree.index().snapshot(), &tree)
        );
        assert!(disk.pack_paths().len() <= 8, "{:?}", disk.pack_paths());
    }
    keeper.clear();
    assert!(disk.pack_paths().is_empty());
}

#[test]
fn a_few_missing_texts_are_not_worth_a_file() {
    let (mut tree, disk) = (tree_of_version(0), PackDisk::new());
    let mut keeper = disk.open_keeper();
    let mut index = index_with_cache(&tree, &mut keeper);
    let change = tree.set("dir0/new", b"needle");
    index.apply(vec![change]);
    let refreshed = keeper.refresh_packs(&index.snapshot(), &tree, &CancelToken::default());
    assert!(!refreshed.expect("nothing is written"));
    assert_eq!(disk.pack_paths().len(), 1);
}

#[test]
fn being_stopped_leaves_nothing() {
    let (tree, disk) = (tree_of_version(0), PackDisk::new());
    let (mut keeper, token) = (disk.open_keeper(), CancelToken::default());
    token.cancel();
    let refreshed = keeper.refresh_packs(&tree.index().snapshot(), &tree, &token);
    assert!(!refreshed.expect("a folder of our own"));
    assert!(keeper.cache().is_empty() && disk.pack_paths().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn damage_costs_time_and_no_answer(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..300),
        from_end in any::<bool>(),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let (tree, disk) = (tree_of_version(0), PackDisk::new());
        drop(index_with_cache(&tree, &mut disk.open_keeper()));
        let path = disk.pack_paths().remove(0);
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
        let mut keeper = disk.open_keeper();
        let mut index = tree.index();
        let truth = search_needles(&index.snapshot(), &tree);
        index.set_contents(keeper.cache().clone());
        prop_assert_eq!(&search_needles(&index.snapshot(), &tree), &truth);
        // A damaged cache is made anew, if much of it is damaged.
        keeper.refresh_packs(&index.snapshot(), &tree, &CancelToken::default()).expect("a folder of our own");
        index.set_contents(keeper.cache().clone());
        prop_assert_eq!(&search_needles(&index.snapshot(), &tree), &truth);
    }
}
