//! Tests small files that cost as much as large ones could: the daemon survives, everything else is answered, and
//! answers say which files are text only.

use std::fs;
use std::time::Duration;

use hob_base::ContentHash;
use hob_tests::{Tree, World, ends};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const GOOD: &str = "//- /src/Good.java\nclass Good { int found() { return 1; } }\n//- /src/bad.c\nint a;\n";

/// Returns the largest memory that a process has had, in MiB.
fn most_held(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("Linux says it");
    line.split_ascii_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number") / 1024
}

fn write_bombs(tree: &Tree) {
    tree.write("src/Bomb.java", "a<".repeat(32_000));
    tree.write("src/Long.java", "a<".repeat(100_000));
    tree.write("src/bomb.c", "a=>".repeat(22_000));
    tree.write("src/bomb.cpp", "%q(".repeat(22_000));
    tree.write("src/bomb.rs", "%q(".repeat(22_000));
    tree.write("src/Bomb.cs", "a<".repeat(32_000));
}

#[test]
fn a_file_whose_parser_would_hold_gigabytes_is_text_only_for_good() {
    let world = World::new();
    let tree = world.tree(GOOD);
    write_bombs(&tree);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["java:src/Good.java#Good.found"], "{answer}");
    let pid = world.daemon_pid().expect("it runs");
    let held = most_held(pid);
    assert!(held < 1_500, "{held} MiB were held");
    // Every answer names the files that are still pending, because they may be missing from it.
    let good = json!({"file": "src/Good.java"});
    while mcp.call("nav_symbols", good.clone()).warnings().contains("still being parsed") {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let status = mcp.call("map_status", json!({}));
    let notes = status.ok()["notes"].to_string();
    assert!(notes.contains("src/Bomb.java") && notes.contains("too much memory"), "{status}");
    let asked = mcp.call("nav_symbols", json!({"file": "src/Bomb.java"}));
    assert!(asked.warnings().contains("text only"), "an answer about it says so{asked}");
    let other = mcp.call("nav_symbols", good);
    assert!(!other.warnings().contains("text only"), "and one about another does not{other}");
    let text = mcp.call("regex_search", json!({"pattern": "class Good|^a<a<", "output": "files"}));
    let files = text.texts("/matches", "file");
    assert!(files.contains(&"src/Bomb.java") && files.contains(&"src/Good.java"), "{text}");
    assert_eq!(world.daemon_pid(), Some(pid), "the daemon survived");

    // The next daemon knows them by their content, wherever they are by then.
    world.stop();
    tree.write("src/again/Copied.java", "a<".repeat(32_000));
    let searched = world.call(&tree, "map_search", &json!({"query": "found"}));
    assert_eq!(searched.texts("/results", "id"), ["java:src/Good.java#Good.found"], "{searched}");
    let status = world.call(&tree, "map_status", &json!({}));
    let notes = status.ok()["notes"].to_string();
    assert!(notes.contains("src/Bomb.java") && notes.contains("too much memory"), "{status}");
    assert_eq!(status.ok()["memory"]["factsExtracted"], 0, "{status}");
    // A file that was repaired is read again.
    tree.write("src/Bomb.java", "class Mended {}\n");
    let mended = world.call(&tree, "map_search", &json!({"query": "Mended"}));
    assert_eq!(mended.texts("/results", "id"), ["java:src/Bomb.java#Mended"], "{mended}");
}

#[test]
fn what_is_text_only_in_one_project_is_not_said_of_another() {
    let world = World::new();
    let (heavy, light) = (world.tree(GOOD), Tree::new(&world.path("light"), GOOD));
    heavy.write("src/Bomb.java", "a<".repeat(32_000));
    light.write("src/Bomb.java", "class Bomb {}\n");
    let mut mcp = world.mcp(&heavy);
    let bomb = |root: &Tree| json!({"file": "src/Bomb.java", "root": root.root()});
    for root in [&heavy, &light] {
        let _ = mcp.call("map_search", json!({"query": "found", "root": root.root()})).ok();
    }
    let there = mcp.call("nav_symbols", bomb(&heavy));
    assert!(there.warnings().contains("text only"), "{there}");
    let here = mcp.call("nav_symbols", bomb(&light));
    assert!(!here.warnings().contains("text only"), "{here}");
    let found = mcp.call("map_search", json!({"query": "Bomb", "root": light.root()}));
    assert_eq!(found.texts("/results", "id")[0], "java:src/Bomb.java#Bomb", "{found}");
    assert!(!found.warnings().contains("text only"), "neither is a file that is still pending there{found}");
    let again = mcp.call("nav_symbols", bomb(&heavy));
    assert!(again.warnings().contains("text only"), "{again}");
}

#[test]
fn what_two_daemons_ended_with_is_left_out_by_the_third() {
    let world = World::new();
    let tree = world.tree(GOOD);
    let deadly = "class Deadly { }\n";
    tree.write("src/Deadly.java", deadly);
    // The file that remains of a daemon that was killed while it parsed this file, for the second time.
    let cache = world.dir().join("cache");
    fs::create_dir_all(&cache).expect("a folder");
    let mut slot = ContentHash::of(deadly.as_bytes()).as_bytes().to_vec();
    slot.push(1);
    fs::write(cache.join("parsing"), slot).expect("written");
    let answer = world.call(&tree, "map_search", &json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["java:src/Good.java#Good.found"], "{answer}");
    let none = world.call(&tree, "map_search", &json!({"query": "Deadly"}));
    assert!(none.texts("/results", "id").iter().all(|id| !id.contains("#Deadly")), "{none}");
    let status = world.call(&tree, "map_status", &json!({}));
    let notes = status.ok()["notes"].to_string();
    assert!(notes.contains("src/Deadly.java") && notes.contains("ended twice"), "{status}");
}

/// Nobody waits long for files that take long to parse, and neither does the end of the daemon.
#[test]
fn a_daemon_that_parses_what_takes_long_ends_when_it_is_told_to() {
    let world = World::new();
    let tree = world.tree(GOOD);
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let pid = world.daemon_pid().expect("it runs");
    for number in 0..40 {
        tree.write(&format!("slow/{number}.lua"), format!("x={number}\n{}", "f(<".repeat(40_000)));
        tree.write(&format!("slow/{number}.sh"), format!("x={number}\n{}", "a?".repeat(60_000)));
    }
    let text = mcp.call("regex_search", json!({"pattern": "int found"}));
    assert_eq!(text.texts("/matches", "file"), ["src/Good.java"], "text does not wait for the map{text}");
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process number");
    kill_process(number, Signal::TERM).expect("it runs");
    // The parse that it has begun would take minutes and is cancelled.
    assert!(ends(pid, Duration::from_secs(30)), "it ends\n{}", world.log());
}
