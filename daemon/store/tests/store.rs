//! Tests the store as its owner uses it: round trips, damage, foreign versions, folders that cannot be used.

use std::fs;
use std::path::{Path, PathBuf};

use hob_store::{
    FORMAT_VERSION, MemoryStore, OpenedStore, Store, StoreNotice, StoreOperation, StoreTree, open,
};

fn put_op(key: &str, value: &str) -> StoreOperation {
    StoreOperation::Put { key: key.into(), value: value.into() }
}

fn remove(key: &str) -> StoreOperation {
    StoreOperation::Remove { key: key.into() }
}

/// Fills a store with enough entries that damage hits one.
fn fill_store(folder: &Path) {
    let OpenedStore { store, notice } = open(folder);
    assert_eq!(notice, None);
    for n in 0..2_000u32 {
        let value = n.to_le_bytes().repeat(50);
        store.put(StoreTree::Facts, format!("key-{n:05}").as_bytes(), &value).expect("put");
    }
    store.flush().expect("flush");
}

fn database_file(folder: &Path) -> PathBuf {
    let file = folder.join("data").join("db");
    assert!(file.is_file(), "the test knows where sled keeps its data");
    file
}

#[test]
fn both_stores_keep_the_same_promises() {
    let folder = tempfile::tempdir().expect("tempdir");
    let disk = open(folder.path());
    assert_eq!(disk.notice, None);
    for store in [&*disk.store, &MemoryStore::new() as &dyn Store] {
        store
            .batch(StoreTree::Facts, vec![put_op("b", "2"), put_op("a", "1"), put_op("ax", "3")])
            .expect("batch");
        store.put(StoreTree::Files, b"a", b"other tree").expect("put");
        assert_eq!(store.get(StoreTree::Facts, b"a").expect("get").as_deref(), Some(&b"1"[..]));
        assert_eq!(store.get(StoreTree::Confirmed, b"a").expect("get"), None);
        assert_eq!(store.keys(StoreTree::Facts, b"").expect("keys"), [&b"a"[..], b"ax", b"b"]);
        assert_eq!(store.keys(StoreTree::Facts, b"a").expect("keys"), [&b"a"[..], b"ax"]);
        store.batch(StoreTree::Facts, vec![remove("a"), put_op("b", "4"), remove("absent")]).expect("batch");
        let mut seen = Vec::new();
        store
            .each(StoreTree::Facts, b"", &mut |key, value| {
                seen.push((key.to_vec(), value.to_vec()));
                false
            })
            .expect("each");
        assert_eq!(seen, [(b"ax".to_vec(), b"3".to_vec())], "stops when told to");
        store.remove(StoreTree::Facts, b"ax").expect("remove");
        assert_eq!(store.keys(StoreTree::Facts, b"").expect("keys"), [&b"b"[..]]);
        store.flush().expect("flush");
    }
}

#[test]
fn what_was_flushed_is_there_again() {
    let folder = tempfile::tempdir().expect("tempdir");
    fill_store(folder.path());
    let OpenedStore { store, notice } = open(folder.path());
    assert_eq!(notice, None);
    assert_eq!(store.keys(StoreTree::Facts, b"key-").expect("keys").len(), 2_000);
    assert!(store.size_on_disk() > 0);
}

#[test]
fn a_second_opener_gets_memory_and_leaves_the_first_alone() {
    let folder = tempfile::tempdir().expect("tempdir");
    let first = open(folder.path());
    first.store.put(StoreTree::Facts, b"k", b"v").expect("put");
    let second = open(folder.path());
    assert!(matches!(second.notice, Some(StoreNotice::InMemory { .. })), "{:?}", second.notice);
    second.store.put(StoreTree::Facts, b"k", b"w").expect("put");
    drop(second);
    assert_eq!(first.store.get(StoreTree::Facts, b"k").expect("get").as_deref(), Some(&b"v"[..]));
    drop(first);
    assert_eq!(open(folder.path()).notice, None);
}

#[test]
fn a_database_that_lost_its_records_is_rebuilt_with_a_notice() {
    for cut in [0, 7, 100] {
        let folder = tempfile::tempdir().expect("tempdir");
        fill_store(folder.path());
        let file = database_file(folder.path());
        fs::OpenOptions::new().write(true).open(&file).expect("open").set_len(cut).expect("cut");
        let opened = open(folder.path());
        assert!(
            matches!(opened.notice, Some(StoreNotice::Rebuilt { .. })),
            "cut at {cut}: {:?}",
            opened.notice
        );
        opened.store.put(StoreTree::Facts, b"k", b"v").expect("a rebuilt store works");
        opened.store.flush().expect("flush");
        drop(opened);
        let again = open(folder.path());
        assert_eq!(again.notice, None, "told once");
        assert_eq!(again.store.get(StoreTree::Facts, b"k").expect("get").as_deref(), Some(&b"v"[..]));
    }
}

/// Damages any byte: nothing panics, and each returned value is the one that was put.
#[test]
fn flipped_bytes_never_panic_and_never_lie() {
    let original = tempfile::tempdir().expect("tempdir");
    fill_store(original.path());
    let bytes = fs::read(database_file(original.path())).expect("read");
    for round in 0..24 {
        let folder = tempfile::tempdir().expect("tempdir");
        fill_store(folder.path());
        let mut bytes = bytes.clone();
        let step = bytes.len() / 24;
        for byte in bytes.iter_mut().skip(round * step).take(16) {
            *byte ^= 0x5a;
        }
        fs::write(database_file(folder.path()), &bytes).expect("write");
        check_survives(folder.path());
    }
    for name in ["data/conf", "format"] {
        let folder = tempfile::tempdir().expect("tempdir");
        fill_store(folder.path());
        assert!(folder.path().join(name).is_file(), "the test knows the files");
        fs::write(folder.path().join(name), b"\xff\xfe garbage").expect("write");
        check_survives(folder.path());
        assert_eq!(open(folder.path()).notice, None, "{name}: told once");
    }
}

fn check_survives(folder: &Path) {
    let OpenedStore { store, .. } = open(folder);
    for n in 0..2_000u32 {
        if let Ok(Some(value)) = store.get(StoreTree::Facts, format!("key-{n:05}").as_bytes()) {
            assert_eq!(value, n.to_le_bytes().repeat(50));
        }
    }
    let _ = store.keys(StoreTree::Facts, b"");
    let _ = store.put(StoreTree::Facts, b"new", b"value");
    let _ = store.flush();
    drop(store);
    // The next start repairs damage that only showed in use.
    let OpenedStore { store, .. } = open(folder);
    store.put(StoreTree::Facts, b"new", b"value").expect("usable again");
}

#[test]
fn another_version_is_rebuilt_and_named() {
    let folder = tempfile::tempdir().expect("tempdir");
    let other = FORMAT_VERSION + 1;
    {
        let opened = open(folder.path());
        opened.store.put(StoreTree::Meta, b"format-version", &other.to_le_bytes()).expect("put");
        opened.store.put(StoreTree::Facts, b"k", b"from the future").expect("put");
        opened.store.flush().expect("flush");
    }
    fs::write(folder.path().join("format"), format!("hob-store {other}\n")).expect("write");
    let opened = open(folder.path());
    assert_eq!(opened.notice, Some(StoreNotice::OtherVersion { found: other }));
    assert_eq!(opened.store.get(StoreTree::Facts, b"k").expect("get"), None);
}

#[test]
fn a_folder_that_cannot_be_used_gives_memory_and_a_notice() {
    let folder = tempfile::tempdir().expect("tempdir");
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").expect("write");
    for bad in [file.join("store"), file.clone(), PathBuf::from("/proc/hob-store")] {
        let opened = open(&bad);
        assert!(matches!(opened.notice, Some(StoreNotice::InMemory { .. })), "{bad:?}: {:?}", opened.notice);
        opened.store.put(StoreTree::Facts, b"k", b"v").expect("put");
        assert_eq!(opened.store.get(StoreTree::Facts, b"k").expect("get").as_deref(), Some(&b"v"[..]));
    }
    assert_eq!(fs::read_to_string(&file).expect("read"), "not a folder");
}

#[test]
fn a_file_in_the_place_of_the_data_is_set_aside() {
    let folder = tempfile::tempdir().expect("tempdir");
    fs::write(folder.path().join("data"), "x").expect("write");
    assert!(matches!(open(folder.path()).notice, Some(StoreNotice::Rebuilt { .. })));
    assert_eq!(open(folder.path()).notice, None);
}

/// Makes a store from which most entries have been removed again.
fn hollow_store(folder: &Path) -> std::sync::Arc<dyn Store> {
    let OpenedStore { store, notice } = open(folder);
    assert_eq!(notice, None);
    for n in 0..8_000u32 {
        store.put(StoreTree::Facts, format!("key-{n:05}").as_bytes(), &value(n)).expect("put");
    }
    let dead = (0..8_000u32).filter(|n| n % 20 != 0);
    store.batch(StoreTree::Facts, dead.map(|n| remove(&format!("key-{n:05}"))).collect()).expect("batch");
    store.put(StoreTree::Meta, b"note", b"of another tree").expect("put");
    store.flush().expect("flush");
    store
}

fn value(n: u32) -> Vec<u8> {
    n.to_le_bytes().repeat(400)
}

fn assert_hollow(store: &dyn Store) {
    let keys = store.keys(StoreTree::Facts, b"key-").expect("keys");
    assert_eq!(keys.len(), 400);
    for n in (0..8_000u32).step_by(20) {
        let found = store.get(StoreTree::Facts, format!("key-{n:05}").as_bytes()).expect("get");
        assert_eq!(found, Some(value(n)));
    }
    assert_eq!(store.get(StoreTree::Meta, b"note").expect("get").as_deref(), Some(&b"of another tree"[..]));
}

fn entries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn compacting_gives_space_back_and_keeps_everything() {
    let folder = tempfile::tempdir().expect("tempdir");
    let store = hollow_store(folder.path());
    let before = store.size_on_disk();
    for _ in 0..2 {
        assert!(store.compact(&|| true).expect("room on the disk"));
        assert_hollow(&*store);
    }
    let after = store.size_on_disk();
    assert!(after * 4 < before, "{before} bytes became {after}");
    store.put(StoreTree::Facts, b"later", b"v").expect("put");
    store.flush().expect("flush");
    drop(store);
    assert_eq!(entries(folder.path()), ["data-2", "format"], "one database is left");
    let OpenedStore { store, notice } = open(folder.path());
    assert_eq!(notice, None);
    assert_hollow(&*store);
    assert_eq!(store.get(StoreTree::Facts, b"later").expect("get").as_deref(), Some(&b"v"[..]));
    drop(store);
    fs::write(folder.path().join("damaged-2"), "a test says so").expect("written");
    assert!(matches!(open(folder.path()).notice, Some(StoreNotice::Rebuilt { .. })));
    assert_eq!(open(folder.path()).notice, None, "told once");
}

#[test]
fn what_is_written_while_compacting_is_kept() {
    let folder = tempfile::tempdir().expect("tempdir");
    let store = hollow_store(folder.path());
    let written = std::sync::atomic::AtomicU32::new(0);
    let compacted = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..3_000u32 {
                let ops = vec![put_op(&format!("new-{n:05}"), "v"), remove(&format!("new-{:05}", n / 2))];
                store.batch(StoreTree::Facts, ops).expect("batch");
                written.store(n, std::sync::atomic::Ordering::Release);
            }
        });
        // In the middle of the writing, and again and again until its end.
        let mut compacted = 0;
        while !writer.is_finished() {
            let begun = written.load(std::sync::atomic::Ordering::Acquire) > 10;
            compacted += u32::from(begun && store.compact(&|| true).expect("room on the disk"));
        }
        compacted
    });
    assert!(compacted > 0);
    let check = |store: &dyn Store| {
        assert_hollow(store);
        let expected: Vec<Vec<u8>> = (1_500..3_000).map(|n| format!("new-{n:05}").into_bytes()).collect();
        assert_eq!(store.keys(StoreTree::Facts, b"new-").expect("keys"), expected);
    };
    check(&*store);
    store.flush().expect("flush");
    drop(store);
    check(&*open(folder.path()).store);
}

#[test]
fn compacting_that_is_given_up_changes_nothing() {
    let folder = tempfile::tempdir().expect("tempdir");
    let store = hollow_store(folder.path());
    let asked = std::cell::Cell::new(0);
    let done = store.compact(&|| {
        asked.set(asked.get() + 1);
        asked.get() < 2
    });
    assert!(!done.expect("room on the disk"));
    assert_hollow(&*store);
    assert_eq!(entries(folder.path()), ["data", "format"], "nothing is left of it");
    drop(store);
    assert_hollow(&*open(folder.path()).store);
}

#[test]
fn what_a_kill_leaves_behind_costs_nothing_and_goes() {
    let folder = tempfile::tempdir().expect("tempdir");
    drop(hollow_store(folder.path()));
    // The process was killed while copying, and while sled opened the database.
    fs::create_dir(folder.path().join("data-1")).expect("made");
    fs::write(folder.path().join("data-1/db"), b"half a copy").expect("written");
    fs::write(folder.path().join("format.new"), b"hob-").expect("written");
    fs::write(folder.path().join("data/snap.7FFFFFFFFFFFFFFF.generating"), b"torn").expect("written");
    let OpenedStore { store, notice } = open(folder.path());
    assert_eq!(notice, None);
    assert_hollow(&*store);
    drop(store);
    assert_eq!(open(folder.path()).notice, None);
    let left = entries(folder.path());
    assert!(!left.contains(&"data-1".to_owned()), "{left:?}");
    assert!(!entries(&folder.path().join("data")).iter().any(|name| name.ends_with("generating")));
    // The process was killed while it created the database.
    let young = tempfile::tempdir().expect("tempdir");
    fs::create_dir(young.path().join("data")).expect("made");
    fs::write(young.path().join("data/conf"), b"segment_size: 524288\nuse_comp").expect("written");
    assert_eq!(open(young.path()).notice, None, "there was nothing to lose");
}
