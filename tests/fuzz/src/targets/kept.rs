//! Files that hob keeps: any bytes may stand where facts, images, scores, bundles and edits were.

use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use hob_base::{AbsPath, ContentHash, FileId, WsPath};
use hob_edit::Edits;
use hob_map::graph::RestoredMap;
use hob_map::{FileFacts, Lang, Map, MapChange, PreparedFile, extract, persist};
use hob_store::{MemoryStore, Store as _, StoreTree};
use hob_words::investigate::bundle;

use super::extraction::{ask_about_file, derive_all};
use crate::input::FuzzInput;
use crate::targets::project::scratch_folder;

fn path_of(name: &str) -> WsPath {
    WsPath::new(name).expect("a relative path")
}

/// Two small files that know each other.
fn sample_files() -> [(WsPath, Arc<FileFacts>); 2] {
    let of = |name: &str, text: &str| (path_of(name), Arc::new(extract(Lang::Python, name, text.as_bytes())));
    [
        of("a.py", "from b import Base\n\nclass A(Base):\n    def run(self):\n        return self.stop()\n"),
        of("b.py", "class Base:\n    def stop(self):\n        return 1\n\ndef go():\n    Base().stop()\n"),
    ]
}

/// The files, and the image and the scores of a map of them.
struct SampleProject {
    files: [(WsPath, Arc<FileFacts>); 2],
    image: Vec<u8>,
    ranking: Vec<u8>,
}

/// Made once: a run that makes it anew is ten times slower.
static SAMPLE: LazyLock<SampleProject> = LazyLock::new(|| {
    let map = sample_map();
    let ranking = map.ranking_bytes().unwrap_or_default();
    SampleProject { files: sample_files(), image: map.image(), ranking }
});

fn prepared_files() -> Vec<PreparedFile> {
    let files = SAMPLE.files.iter().cloned().zip(0..);
    files.map(|((path, facts), file)| PreparedFile::new(FileId(file), path, facts)).collect()
}

fn sample_map() -> Map {
    let mut map = Map::new();
    let files = sample_files().into_iter().zip(0..);
    map.apply(
        files.map(|((path, facts), file)| MapChange::Set { file: FileId(file), path, facts }).collect(),
    );
    derive_all(&mut map);
    map
}

/// Facts that can be read are written as the same facts, and a map of them can be asked.
pub(crate) fn check_facts(bytes: &[u8]) {
    let Ok(facts) = persist::decode(bytes) else { return };
    let again = persist::decode(&persist::encode(&facts)).expect("what was just written can be read");
    assert!(again == facts, "facts come back as they were kept");
    let mut map = Map::restore(prepared_files(), Some(&SAMPLE.image)).map;
    map.apply(vec![MapChange::Set { file: FileId(2), path: path_of("c.py"), facts: Arc::new(facts) }]);
    derive_all(&mut map);
    (0..3).map(FileId).for_each(|file| ask_about_file(&map, file));
}

/// A map that comes back with any image can be asked. The first byte says whether it is the real image with a change.
pub(crate) fn check_image(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let is_changed = input.take_byte().is_multiple_of(2);
    let image = if is_changed { changed(SAMPLE.image.clone(), input) } else { input.rest().to_vec() };
    let RestoredMap { mut map, .. } = Map::restore(prepared_files(), Some(&image));
    (0..2).map(FileId).for_each(|file| ask_about_file(&map, file));
    map.apply(vec![MapChange::Remove { file: FileId(1) }]);
    derive_all(&mut map);
    ask_about_file(&map, FileId(0));
}

/// Puts bytes of the input over bytes of a file: each change is a place, a length and the bytes.
fn changed(mut whole: Vec<u8>, mut input: FuzzInput<'_>) -> Vec<u8> {
    while !input.rest().is_empty() {
        let at = (usize::from(input.take_byte()) << 8 | usize::from(input.take_byte())) % (whole.len() + 1);
        let gone = usize::from(input.take_byte() % 8).min(whole.len() - at);
        let put: Vec<u8> = (0..input.take_byte() % 8).map(|_| input.take_byte()).collect();
        whole.splice(at..at + gone, put);
    }
    whole
}

/// Scores of an earlier run: refused, or taken over by a map that can be asked.
pub(crate) fn check_ranking(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let is_changed = input.take_byte().is_multiple_of(2);
    let ranking = if is_changed { changed(SAMPLE.ranking.clone(), input) } else { input.rest().to_vec() };
    let mut map = Map::restore(prepared_files(), Some(&SAMPLE.image)).map;
    let _ = map.restore_ranking(&ranking);
    (0..2).map(FileId).for_each(|file| ask_about_file(&map, file));
    derive_all(&mut map);
}

/// A bundle of the store.
pub(crate) fn check_bundle(bytes: &[u8]) {
    let store = MemoryStore::new();
    store.put(StoreTree::Meta, b"bundle/x", bytes).expect("memory");
    let root = AbsPath::new("/p").expect("absolute");
    let _ = bundle::of_root(&store, &root).expect("memory can be read");
    let Some(found) = bundle::load(&store, "x").expect("memory can be read") else { return };
    let _ = (found.id(), found.position("a1"));
    found.keep_for_a_day(&store).expect("memory can be written");
}

const PENDING: &str = "e01234567";

/// Files of pending edits and of decisions, whole by their checksum and otherwise anything. Journals are left out: what they say is done.
pub(crate) fn check_edit_files(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let is_decision = input.take_byte() % 2 == 1;
    let mut file = b"hobedits".to_vec();
    file.push(if is_decision { b'S' } else { b'P' });
    file.extend(2u32.to_le_bytes());
    file.extend(input.rest());
    let sum = ContentHash::of(&file);
    file.extend(sum.as_bytes());
    let folder = scratch_folder();
    let pending = folder.path().join("pending");
    std::fs::create_dir(&pending).expect("the folder can be written to");
    let name = if is_decision { "settled.list".to_owned() } else { format!("{PENDING}.edit") };
    std::fs::write(pending.join(name), file).expect("the folder can be written to");
    let root = AbsPath::new(folder.path()).expect("a folder of the system's is absolute");
    let (edits, _) = Edits::open(&root, Box::new(|| SystemTime::UNIX_EPOCH));
    let shown = edits.pending_edits(&|_| true);
    for summary in shown {
        let _ = edits.find(&summary.owner, Some(summary.id.as_str()));
    }
}
