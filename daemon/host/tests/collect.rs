//! Tests hob's files on disk: their data is needed, and they do not grow with every start.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hob_base::{AbsPath, CancelToken};
use hob_host::{CollectError, Collected, Freshness, Host, HostOptions, Phase, RetentionLimits, Workspace};
use hob_store::{OpenedStore, Store, StoreNotice, StoreTree};
use tempfile::TempDir;

const FILES: usize = 30;

fn host(dir: &Path) -> Host {
    let options = HostOptions::in_folder(&AbsPath::new(dir).expect("absolute"));
    drop(store(dir));
    Host::new(options).expect("threads can be started")
}

/// Returns the store, after the threads of the host before have closed it.
fn store(dir: &Path) -> Arc<dyn Store> {
    for _ in 0..6_000 {
        let OpenedStore { store, notice } = hob_store::open(&dir.join("store"));
        match notice {
            None => return store,
            Some(StoreNotice::InMemory { .. }) => std::thread::sleep(Duration::from_millis(10)),
            Some(notice) => panic!("{notice}"),
        }
    }
    panic!("a closed host does not let go of the store");
}

fn open(host: &Host, tree: &Path) -> Arc<Workspace> {
    let workspace = host.workspace(&AbsPath::new(tree).expect("absolute")).expect("the tree is there");
    workspace.progress.wait_past(Phase::Map, &CancelToken::default(), &|_| {}).expect("nobody cancels");
    assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
    workspace
}

/// Writes a project whose files differ on each branch.
fn check_out(tree: &Path, branch: &str) {
    fs::create_dir_all(tree.join(".git")).expect("made");
    for i in 0..FILES {
        let text = format!("def on_{branch}_{i}():\n    return {i}\n");
        fs::write(tree.join(format!("m{i}.py")), text).expect("written");
    }
}

/// Opens the project in a host of its own until its hub scores exist, which are saved too. Returns the number of parsed
/// files.
fn visit(dir: &Path, tree: &Path) -> u64 {
    let host = host(dir);
    let workspace = open(&host, tree);
    workspace.wait_derived(&CancelToken::default());
    let (parsed, _) = workspace.facts_counts();
    drop(workspace);
    host.close();
    parsed
}

fn days(days: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs((20_000 + days) * 24 * 3600)
}

/// Runs the collection in a host of its own, in which nothing is open.
fn collect(dir: &Path, keep: RetentionLimits, day: u64) -> Collected {
    let host = host(dir);
    let done = host.collect_unused(keep, days(day)).expect("nothing is in the way");
    host.close();
    done
}

fn facts(dir: &Path) -> usize {
    store(dir).keys(StoreTree::Facts, b"").expect("readable").len()
}

#[test]
fn facts_of_a_branch_stay_for_a_fortnight_after_it_was_left() {
    let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let (dir, tree) = (dir.path(), tree.path());
    for branch in ["one", "two"] {
        check_out(tree, branch);
        assert_eq!(visit(dir, tree), FILES as u64);
    }
    for day in [0, 13] {
        let done = collect(dir, RetentionLimits::default(), day);
        assert_eq!((done.removed, done.unused, done.kept.0), (0, FILES as u64, 2 * FILES as u64));
    }
    check_out(tree, "one");
    assert_eq!(visit(dir, tree), 0, "coming back parses nothing");
    // These facts are in use again, so their time starts again; now the others are unused.
    assert_eq!(collect(dir, RetentionLimits::default(), 15).removed, 0);
    assert_eq!(collect(dir, RetentionLimits::default(), 28).removed, 0);
    assert_eq!(collect(dir, RetentionLimits::default(), 30).removed, FILES as u64);
    assert_eq!(facts(dir), FILES);
    assert_eq!(visit(dir, tree), 0, "what is in use is never removed");
    check_out(tree, "two");
    assert_eq!(visit(dir, tree), FILES as u64, "what was removed is parsed again");
}

#[test]
fn facts_of_an_open_workspace_are_in_use_before_they_are_saved() {
    let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    check_out(tree.path(), "one");
    let host = host(dir.path());
    let workspace = open(&host, tree.path());
    check_out(tree.path(), "two");
    assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
    // The last events of the checkout may still be worked off; they change nothing.
    let done = loop {
        match host.collect_unused(RetentionLimits::default(), days(0)) {
            Err(CollectError::Busy) => std::thread::sleep(Duration::from_millis(10)),
            done => break done.expect("nothing else is in the way"),
        }
    };
    assert_eq!((done.kept.0, done.removed), (2 * FILES as u64, 0));
    assert!(done.unused <= FILES as u64, "only those of branch one may be: {done:?}");
    host.close();
}

#[test]
fn facts_that_nobody_can_read_go_at_once() {
    let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    check_out(tree.path(), "one");
    visit(dir.path(), tree.path());
    {
        let store = store(dir.path());
        for mut key in store.keys(StoreTree::Facts, b"").expect("readable") {
            let value = store.get(StoreTree::Facts, &key).expect("readable").expect("just listed");
            // The extractor's version follows the hash and the language.
            key[33] ^= 0x80;
            store.put(StoreTree::Facts, &key, &value).expect("put");
        }
        store.flush().expect("flush");
    }
    assert_eq!(facts(dir.path()), 2 * FILES);
    let done = collect(dir.path(), RetentionLimits::default(), 0);
    assert_eq!((done.removed, done.kept.0, done.unused), (FILES as u64, FILES as u64, 0));
    assert_eq!(visit(dir.path(), tree.path()), 0);
}

#[test]
fn too_much_is_reduced_by_what_is_unused() {
    let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let (dir, tree) = (dir.path(), tree.path());
    for branch in ["one", "two", "three"] {
        check_out(tree, branch);
        visit(dir, tree);
    }
    let little = RetentionLimits { bytes: 1, ..RetentionLimits::default() };
    let noted = collect(dir, little, 0);
    assert_eq!((noted.removed, noted.unused), (0, 2 * FILES as u64), "what was just noted stays");
    // Room for one unused branch, roughly: the grace period does not count, and facts in use stay.
    let (all, bytes) = noted.kept;
    let some = collect(dir, RetentionLimits { bytes: bytes * 2 / 3, ..RetentionLimits::default() }, 1);
    assert!((1..=FILES as u64 + 2).contains(&some.removed) && some.kept.1 <= bytes * 2 / 3, "{some:?}");
    let rest = collect(dir, little, 2);
    assert_eq!((some.removed + rest.removed, rest.unused), (all - FILES as u64, 0));
    assert_eq!(visit(dir, tree), 0);
}

#[test]
fn a_deleted_worktree_is_forgotten_after_the_grace() {
    let dir = TempDir::new().expect("a folder");
    let (kept, deleted) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let snapshots = || fs::read_dir(dir.path().join("snapshots")).expect("it is there").count();
    check_out(kept.path(), "one");
    check_out(deleted.path(), "two");
    visit(dir.path(), kept.path());
    visit(dir.path(), deleted.path());
    assert_eq!(snapshots(), 2);
    let place = deleted.path().to_path_buf();
    // Like a disk that is not mounted for a while.
    let away = place.with_extension("away");
    fs::rename(&place, &away).expect("moved");
    assert_eq!(collect(dir.path(), RetentionLimits::default(), 0).snapshots, 0);
    fs::rename(&away, &place).expect("moved");
    assert_eq!(collect(dir.path(), RetentionLimits::default(), 10).snapshots, 0);
    drop(deleted);
    assert_eq!(collect(dir.path(), RetentionLimits::default(), 20).snapshots, 0, "it was seen since");
    assert_eq!(collect(dir.path(), RetentionLimits::default(), 30).snapshots, 0);
    assert_eq!(snapshots(), 2);
    assert_eq!(collect(dir.path(), RetentionLimits::default(), 35).snapshots, 1);
    assert_eq!(snapshots(), 1);
    // No workspace claims its facts now; they have a grace period of their own.
    assert_eq!(facts(dir.path()), 2 * FILES);
    collect(dir.path(), RetentionLimits::default(), 36);
    assert_eq!(collect(dir.path(), RetentionLimits::default(), 60).removed, FILES as u64);
    assert_eq!(facts(dir.path()), FILES);
    assert_eq!(visit(dir.path(), kept.path()), 0);
}

#[test]
fn space_is_given_back() {
    let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let (dir, tree) = (dir.path(), tree.path());
    let size = || {
        let host = host(dir);
        let size = host.store_bytes();
        host.close();
        size
    };
    for round in 0..40 {
        check_out(tree, &format!("branch{round}_{}", "x".repeat(2_000)));
        visit(dir, tree);
    }
    let keep = RetentionLimits { slack: 0, ..RetentionLimits::default() };
    collect(dir, keep, 0);
    let before = size();
    let done = collect(dir, keep, 20);
    assert_eq!((done.removed, done.kept.0), (39 * FILES as u64, FILES as u64));
    assert!(done.compacted && size() * 2 < before, "{before} bytes became {}", size());
    assert_eq!(visit(dir, tree), 0);
}

#[test]
fn the_store_does_not_grow_by_starting_again() {
    let (dir, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let (dir, tree) = (dir.path(), tree.path());
    check_out(tree, "one");
    visit(dir, tree);
    let files = || {
        let mut found = Vec::new();
        list(dir, &mut found);
        found.sort();
        found
    };
    visit(dir, tree);
    let first = files();
    for _ in 0..10 {
        assert_eq!(visit(dir, tree), 0);
        assert_eq!(facts(dir), FILES);
    }
    let last = files();
    assert_eq!(first.len(), last.len(), "{first:?} became {last:?}");
    let total = |files: &[(String, u64)]| files.iter().map(|(_, len)| len).sum::<u64>();
    // The log of the database is written in steps of half a MiB.
    assert!(total(&last) <= total(&first) + (512 << 10), "{first:?} became {last:?}");
}

fn list(folder: &Path, found: &mut Vec<(String, u64)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let meta = entry.metadata().expect("it is there");
        match meta.is_dir() {
            true => list(&entry.path(), found),
            false => found.push((entry.path().display().to_string(), meta.len())),
        }
    }
}
