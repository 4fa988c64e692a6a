//! Tests a cache, configuration or runtime folder that is full, damaged, occupied or too deep: answers come
//! nevertheless, with a warning.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hob_tests::{Answer, Rng, Tree, World, binaries};
use serde_json::json;

const SMALL: &str = "//- /a.py\ndef found():\n    return 1\n";

#[track_caller]
fn ask(world: &World, tree: &Tree) -> Answer {
    let answer = world.call(tree, "map_search", &json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    answer
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => files_below(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

#[test]
fn a_damaged_store_is_begun_anew_and_said() {
    for seed in 0..4 {
        let world = World::new();
        let tree = world.tree(SMALL);
        ask(&world, &tree).without_warnings();
        world.stop();
        let mut files = Vec::new();
        files_below(&world.dir().join("cache"), &mut files);
        assert!(!files.is_empty(), "the store lies in the cache");
        scribble(&files, seed);
        let answer = ask(&world, &tree);
        if seed == 0 {
            assert!(answer.warnings().to_lowercase().contains("store"), "{answer}");
        }
        world.stop();
        ask(&world, &tree).without_warnings();
    }
}

/// Damages files: first with random bytes over whole files, then at single places, then by cutting off the end, and at
/// last by emptying them.
fn scribble(files: &[PathBuf], seed: u64) {
    let mut rng = Rng::new(seed);
    for file in files {
        let mut bytes = fs::read(file).expect("read");
        match seed {
            0 => bytes.iter_mut().for_each(|byte| *byte = rng.bits() as u8),
            1 if !bytes.is_empty() => (0..50).for_each(|_| {
                let at = rng.below(bytes.len());
                bytes[at] = rng.bits() as u8;
            }),
            2 => bytes.truncate(bytes.len() / 2),
            _ => bytes.clear(),
        }
        fs::write(file, bytes).expect("written");
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_done_without() {
    let world = World::new();
    let tree = world.tree(SMALL);
    fs::create_dir_all(world.dir()).expect("made");
    fs::set_permissions(world.dir(), fs::Permissions::from_mode(0o700)).expect("ours");
    // Not even the superuser can make a folder in a file.
    fs::write(world.dir().join("cache"), "not a folder").expect("written");
    let answer = ask(&world, &tree);
    assert!(answer.warnings().contains("cache"), "the folder is named{answer}");
    tree.write("b.py", "def later(): pass\n");
    let later = world.call(&tree, "map_search", &json!({"query": "later"}));
    assert_eq!(later.texts("/results", "id"), ["py:b.py#later"], "changes are followed all the same{later}");
}

/// A limit on the size of files simulates a full disk: writing fails at the same places, on any machine.
#[test]
fn a_full_disk_costs_the_store_and_no_answer() {
    let world = World::new();
    let wrapper = world.path("hobd-on-a-full-disk");
    let daemon = binaries().join("hobd");
    let script = format!("#!/bin/sh\ntrap '' XFSZ\nulimit -f 1\nexec '{}' \"$@\"\n", daemon.display());
    fs::write(&wrapper, script).expect("written");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("ours");
    // It must be older than the daemon, because otherwise each client would take it for a newer build.
    let file = fs::File::options().write(true).open(&wrapper).expect("ours");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("ours");
    drop(file);
    let world = world.env("HOB_DAEMON", wrapper.display().to_string());
    let tree = world.tree(SMALL);
    let mut mcp = world.mcp(&tree);
    // That something does not fit is noticed when it is written, a moment after it was answered.
    let warned = (0..200).any(|round| {
        (0..20).for_each(|i| {
            tree.write(&format!("m{i}.py"), format!("def later_{round}_{i}():\n    return {round}\n"));
        });
        let name = format!("later_{round}_7");
        let answer = mcp.call("map_search", json!({"query": name}));
        assert_eq!(answer.texts("/results", "name").first(), Some(&name.as_str()), "{answer}");
        std::thread::sleep(Duration::from_millis(50));
        let warnings = answer.warnings();
        ["nothing is remembered after this run", "kept in memory"].iter().any(|said| warnings.contains(said))
    });
    assert!(warned, "what is not kept is said\n{}", world.log());
    let _ = ask(&world, &tree);
}

#[test]
fn a_folder_too_deep_for_a_socket_works() {
    let world = World::new();
    let deep = world.path("home").join("d".repeat(90)).join("e".repeat(90));
    let world = world.hob_dir(deep);
    let tree = world.tree(SMALL);
    ask(&world, &tree).without_warnings();
    let first = world.daemon_pid();
    let _ = ask(&world, &tree);
    assert_eq!(world.daemon_pid(), first, "it is found again");
}

#[test]
fn a_folder_that_cannot_be_had_is_named() {
    let world = World::new();
    fs::write(world.path("file"), "").expect("written");
    let world = world.env("HOB_DIR", "relative/folder");
    let tree = world.tree(SMALL);
    let answer = world.call(&tree, "map_search", &json!({"query": "found"}));
    assert!(
        answer.error("DAEMON_UNAVAILABLE")["message"].as_str().is_some_and(|m| m.contains("relative/folder")),
        "{answer}"
    );
    let in_a_file = world.path("file").join("h");
    let world = World::new().hob_dir(in_a_file.clone());
    let tree = world.tree(SMALL);
    let answer = world.call(&tree, "map_search", &json!({"query": "found"}));
    let error = answer.error("DAEMON_UNAVAILABLE");
    assert!(
        error["message"].as_str().is_some_and(|m| m.contains(&in_a_file.display().to_string())),
        "{answer}"
    );
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("HOB_DIR")), "{answer}");
}

#[test]
fn a_daemon_that_cannot_start_is_explained_and_the_shim_lives() {
    let world = World::new().env("HOB_DAEMON", "/no/such/hobd");
    let tree = world.tree(SMALL);
    let mut mcp = world.mcp(&tree);
    assert!(mcp.request("tools/list", json!({}))["tools"].as_array().is_some_and(|tools| tools.len() > 5));
    let answer = mcp.call("map_search", json!({"query": "found"}));
    answer.says("/no/such/hobd");
    let _ = answer.error("DAEMON_UNAVAILABLE");
    let world = World::new().env("HOB_DAEMON", "/bin/false");
    let tree = world.tree(SMALL);
    let answer = world.call(&tree, "map_search", &json!({"query": "found"}));
    let _ = answer.error("DAEMON_UNAVAILABLE");
    assert_eq!(world.hob(tree.root(), &["search", "found"]).code, Some(2), "the command line says the same");
}
