//! Tests that a restored index is the saved one, without documents that are out of date.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use hob_base::{AbsPath, ContentHash, FileId, WsPath};
use hob_text::{DiskError, FormatError, Restored, Saver, TrigramIndex, restore_index};

use crate::common::{TextTree, candidate_paths};

/// A folder for an index, removed at the end.
pub(crate) struct IndexDisk {
    folder: tempfile::TempDir,
    saver: Saver,
}

impl IndexDisk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let saver = Saver::new(&absolute_path(folder.path().join("index")));
        Self { folder, saver }
    }

    pub(crate) fn save(&mut self, index: &mut TrigramIndex) {
        let saved = self.saver.save(&index.snapshot()).expect("a folder of our own");
        index.install_saved(saved);
    }

    /// Returns the index that a new process restores, when the files are now those of `tree`.
    pub(crate) fn restart_process(&mut self, tree: &TextTree) -> Restored {
        self.saver = Saver::new(&absolute_path(self.index_folder()));
        restore_index(&absolute_path(self.index_folder()), &tree.kept_files()).expect("a good manifest")
    }

    fn index_folder(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// Returns the names of all files, unfinished and unnamed ones included.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.index_folder()).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("ASCII")).collect()
    }

    fn segments(&self) -> Vec<PathBuf> {
        let names = self.files().into_iter().filter(|name| name.ends_with(".grams"));
        names.map(|name| self.index_folder().join(name)).collect()
    }
}

fn absolute_path(path: PathBuf) -> AbsPath {
    AbsPath::new(path).expect("an absolute path")
}

impl TextTree {
    /// Returns the answers of a host that knows this tree: the number of each unchanged file.
    pub(crate) fn kept_files(&self) -> impl Fn(&WsPath, &ContentHash) -> Option<FileId> {
        let mut tree = self.clone();
        tree.renumber_files();
        let hashed =
            tree.files.iter().map(|(at, bytes)| (at.clone(), (ContentHash::of(bytes), tree.numbers[at])));
        let known: BTreeMap<String, (ContentHash, FileId)> = hashed.collect();
        move |path, hash| known.get(path.as_str()).filter(|(known, _)| known == hash).map(|(_, file)| *file)
    }

    /// Returns the index of all files, saved and restored.
    pub(crate) fn mapped_index(&self) -> TrigramIndex {
        let mut disk = IndexDisk::new();
        disk.save(&mut self.index());
        let restored = disk.restart_process(self);
        assert!(restored.rejected.is_empty());
        restored.index
    }
}

fn tree_of_three() -> TextTree {
    TextTree::new(&[("a/one", "needle one\n"), ("a/two", "needle two\n"), ("b", "haystack\n")])
}

#[test]
fn a_saved_index_comes_back_under_new_numbers() {
    let tree = tree_of_three();
    let index = tree.mapped_index();
    assert_eq!(index.snapshot().export_contents(), tree.index().snapshot().export_contents());
    assert_eq!(candidate_paths(&index.snapshot(), "needle"), ["a/one", "a/two"]);
    let numbers: Vec<u32> = { index.snapshot() }.indexed_paths().map(|(file, _)| file.0).collect();
    assert_eq!(numbers, [100, 101, 102]);
    assert!(index.contains(FileId(102)) && !index.contains(FileId(0)));
    assert_eq!(index.stats().unsaved, 0);
}

#[test]
fn only_files_that_are_as_they_were_come_back() {
    let (mut tree, mut disk) = (tree_of_three(), IndexDisk::new());
    disk.save(&mut tree.index());
    tree.set("a/one", b"changed\n");
    tree.remove("b");
    tree.set("new", b"needle\n");
    let mut index = disk.restart_process(&tree).index;
    assert_eq!(candidate_paths(&index.snapshot(), ""), ["a/two"]);
    // Dead documents stay dead through merges and further saves.
    while index.merge_step() {}
    disk.save(&mut index);
    assert_eq!(candidate_paths(&disk.restart_process(&tree_of_three()).index.snapshot(), ""), ["a/two"]);
}

#[test]
fn content_that_came_back_is_known_again() {
    let (mut tree, mut disk) = (tree_of_three(), IndexDisk::new());
    let mut index = tree.index();
    disk.save(&mut index);
    let old = tree.clone();
    index.apply(vec![tree.set("a/one", b"other\n")]);
    disk.save(&mut index);
    assert_eq!(
        disk.restart_process(&tree).index.snapshot().export_contents(),
        tree.index().snapshot().export_contents()
    );
    assert_eq!(
        disk.restart_process(&old).index.snapshot().export_contents(),
        old.index().snapshot().export_contents()
    );
}

#[test]
fn saving_moves_segments_out_of_memory() {
    let text = "some words that take room in an index ".repeat(100);
    let files: Vec<(String, String)> = (0..500).map(|n| (format!("f{n}"), format!("{text} {n:x}"))).collect();
    let files: Vec<(&str, &String)> = files.iter().map(|(path, text)| (path.as_str(), text)).collect();
    let tree = TextTree::new(&files);
    let mut index = tree.index();
    let before = index.stats();
    assert_eq!(before.unsaved, 500);
    IndexDisk::new().save(&mut index);
    let after = index.stats();
    let moved = after.postings_bytes + after.table_bytes + 500 * 32;
    assert_eq!((after.unsaved, before.private_bytes - after.private_bytes), (0, moved));
    // Its files are deleted by now, which does not affect a mapping.
    #[cfg(unix)]
    assert_eq!(index.snapshot().export_contents(), tree.index().snapshot().export_contents());
}

#[test]
fn what_is_no_longer_used_is_deleted() {
    let (mut tree, mut disk, mut index) = (TextTree::default(), IndexDisk::new(), TrigramIndex::new());
    for n in 0..8 {
        index.apply(vec![tree.set(&format!("f{n}"), format!("text {n}").as_bytes())]);
        disk.save(&mut index);
    }
    assert_eq!(disk.segments().len(), 8);
    fs::write(disk.index_folder().join("segment.new"), "half a segment").expect("a folder of our own");
    fs::write(disk.index_folder().join("keepsake"), "not ours").expect("a folder of our own");
    assert!(index.merge_step());
    disk.save(&mut index);
    let mut files = disk.files();
    files.sort();
    assert_eq!(files.len(), 3, "{files:?}");
    assert_eq!(files[1..], ["keepsake", "manifest"]);
    assert_eq!(
        disk.restart_process(&tree).index.snapshot().export_contents(),
        tree.index().snapshot().export_contents()
    );
}

#[test]
fn a_kill_before_the_manifest_leaves_the_old_index_and_no_litter() {
    let (mut tree, mut disk, mut index) = (tree_of_three(), IndexDisk::new(), tree_of_three().index());
    disk.save(&mut index);
    let manifest = fs::read(disk.index_folder().join("manifest")).expect("a manifest");
    index.apply(vec![tree.set("late", b"needle late\n")]);
    disk.save(&mut index);
    fs::write(disk.index_folder().join("manifest"), manifest).expect("a folder of our own");
    let restored = disk.restart_process(&tree);
    assert_eq!(candidate_paths(&restored.index.snapshot(), "needle"), ["a/one", "a/two"]);
    assert_eq!(disk.segments().len(), 1);
}

#[test]
fn nothing_new_writes_nothing() {
    let (mut disk, mut index) = (IndexDisk::new(), tree_of_three().index());
    disk.save(&mut index);
    let modified =
        |disk: &IndexDisk| fs::metadata(disk.index_folder().join("manifest")).and_then(|m| m.modified()).ok();
    let before = modified(&disk);
    assert_eq!(disk.saver.save(&index.snapshot()).expect("nothing to do").written, 0);
    assert_eq!(modified(&disk), before);
}

#[test]
fn a_segment_that_somebody_deleted_is_written_again() {
    let (tree, mut disk) = (tree_of_three(), IndexDisk::new());
    let mut index = tree.index();
    disk.save(&mut index);
    fs::remove_file(&disk.segments()[0]).expect("there is one");
    disk.save(&mut index);
    assert_eq!(
        disk.restart_process(&tree).index.snapshot().export_contents(),
        tree.index().snapshot().export_contents()
    );
}

#[test]
fn one_damaged_segment_costs_its_own_files_alone() {
    let (mut tree, mut disk) = (tree_of_three(), IndexDisk::new());
    let mut index = tree.index();
    disk.save(&mut index);
    let first = disk.segments();
    index.apply(vec![tree.set("late", b"needle late\n")]);
    disk.save(&mut index);
    drop(index);
    let mut bytes = fs::read(&first[0]).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&first[0], bytes).expect("a folder of our own");
    let Restored { mut index, rejected } = disk.restart_process(&tree);
    assert_eq!(candidate_paths(&index.snapshot(), ""), ["late"]);
    let [DiskError::Format { source: FormatError::Damaged(_), .. }] = &rejected[..] else {
        panic!("{rejected:?}")
    };
    disk.save(&mut index);
    assert!(!first[0].exists());
    assert!(disk.restart_process(&tree).rejected.is_empty());
}

#[test]
fn a_segment_in_anothers_place_is_refused() {
    let (mut tree, mut disk) = (tree_of_three(), IndexDisk::new());
    let mut index = tree.index();
    disk.save(&mut index);
    let first = disk.segments().remove(0);
    index.apply(vec![tree.set("late", b"needle late\n")]);
    disk.save(&mut index);
    let second = disk.segments().into_iter().find(|path| *path != first).expect("two segments");
    drop(index);
    fs::copy(&second, &first).expect("a folder of our own");
    let restored = disk.restart_process(&tree);
    assert_eq!(candidate_paths(&restored.index.snapshot(), ""), ["late"]);
    assert_eq!(restored.rejected.len(), 1);
}

#[test]
fn a_bad_manifest_is_an_error_and_the_next_saving_repairs_it() {
    let (tree, mut disk) = (tree_of_three(), IndexDisk::new());
    disk.save(&mut tree.index());
    fs::write(disk.index_folder().join("manifest"), "hello").expect("a folder of our own");
    let error =
        restore_index(&absolute_path(disk.index_folder()), &tree.kept_files()).expect_err("no manifest");
    assert!(matches!(error, DiskError::Format { source: FormatError::Foreign, .. }), "{error}");
    disk = IndexDisk { saver: Saver::new(&absolute_path(disk.index_folder())), ..disk };
    disk.save(&mut TextTree::new(&[("x", "other text")]).index());
    assert_eq!(disk.segments().len(), 1);
}

#[test]
fn no_folder_is_an_empty_index() {
    let mut disk = IndexDisk::new();
    let restored = disk.restart_process(&tree_of_three());
    assert!(restored.index.is_empty() && restored.rejected.is_empty());
    disk.save(&mut TrigramIndex::new());
    assert!(disk.restart_process(&tree_of_three()).index.is_empty());
}

#[test]
fn a_saving_respects_what_happened_meanwhile() {
    let (mut tree, mut disk, mut index) = (tree_of_three(), IndexDisk::new(), tree_of_three().index());
    let saved = disk.saver.save(&index.snapshot()).expect("a folder of our own");
    index.apply(vec![tree.set("a/one", b"changed\n"), tree.remove("b")]);
    index.install_saved(saved);
    assert_eq!(index.snapshot().export_contents(), tree.index().snapshot().export_contents());
    assert_eq!(index.stats().unsaved, 1);
    disk.save(&mut index);
    assert_eq!(
        disk.restart_process(&tree).index.snapshot().export_contents(),
        tree.index().snapshot().export_contents()
    );
}

#[cfg(unix)]
#[test]
fn the_files_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mut disk = IndexDisk::new();
    disk.save(&mut tree_of_three().index());
    for path in disk.segments().into_iter().chain([disk.index_folder(), disk.index_folder().join("manifest")])
    {
        let mode = fs::metadata(&path).expect("just written").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}
