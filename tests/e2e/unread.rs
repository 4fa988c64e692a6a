//! Tests files that cannot be read for a while: such a file is not removed, its last contents count, answers say so,
//! and the first call that can read it again is right.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use hob_tests::{Answer, Mcp, Tree, World};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use super::root_identity::world_of_modes;
use super::watching::fresh;

/// Asks for the lines that begin with `line `.
#[track_caller]
fn ask(mcp: &mut Mcp) -> Answer {
    fresh(mcp, "regex_search", &json!({"pattern": "^line .*", "tokenBudget": 10_000}))
}

/// Returns each line with its file.
fn lines(answer: &Answer) -> Vec<String> {
    let hit = |hit: &serde_json::Value| {
        format!("{}: {}", hit["file"].as_str().unwrap_or_default(), hit["text"].as_str().unwrap_or_default())
    };
    let mut lines: Vec<String> = answer.list("/matches").iter().map(hit).collect();
    lines.sort();
    lines
}

/// Checks that the map has a function with this name, and says that not everything could be read.
#[track_caller]
fn is_kept(mcp: &mut Mcp, name: &str, unread: &str) {
    let answer = fresh(mcp, "map_search", &json!({"query": name}));
    assert!(answer.says(SAYS).says(unread).texts("/results", "name").contains(&name), "{name}{answer}");
}

const SAYS: &str = "could not be read";

#[track_caller]
fn all_is_well(mcp: &mut Mcp, expected: &[String]) {
    let answer = ask(mcp);
    assert_eq!(lines(&answer), expected);
    assert!(!answer.warnings().contains(SAYS), "{answer}");
}

/// Takes all free descriptors away from the daemon, or returns them.
struct Descriptors {
    daemon: Pid,
    usual: Rlimit,
}

impl Descriptors {
    fn of(world: &World) -> Self {
        let pid = world.daemon_pid().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("a daemon runs");
        let usual = read_limit(pid);
        Self { daemon: pid, usual }
    }

    fn take(&self) {
        self.set(Some(3));
    }

    fn give_back(&self) {
        self.set(self.usual.current);
    }

    fn set(&self, current: Option<u64>) {
        let limit = Rlimit { current, maximum: self.usual.maximum };
        prlimit(Some(self.daemon), Resource::Nofile, limit).expect("it is ours");
    }
}

/// Returns the soft and the hard limit of a process, as the system reports them.
fn read_limit(pid: Pid) -> Rlimit {
    let limits = fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero())).expect("it runs");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("there is one");
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    Rlimit { current: numbers.next(), maximum: numbers.next() }
}

#[test]
fn a_daemon_without_descriptors_keeps_what_it_knew_and_catches_up_at_once() {
    let world = World::new();
    let tree = world.tree("//- /.gitignore\nout/\n//- /d/e/deep.py\nline deep\n");
    let name = |i: usize| format!("f{i:02}.py");
    let line = |i: usize, what: &str| format!("{}: line {what}", name(i));
    (0..12).for_each(|i| tree.write(&name(i), "line old\n"));
    tree.write("f01.py", "line old\n\ndef known(): pass\n");
    let mut mcp = world.mcp(&tree);
    let deep = |what: &str| format!("d/e/deep.py: line {what}");
    let mut before = vec![deep("deep")];
    before.extend((0..12).map(|i| line(i, "old")));
    all_is_well(&mut mcp, &before);
    let descriptors = Descriptors::of(&world);
    assert_eq!(descriptors.usual.current, descriptors.usual.maximum, "the daemon takes all that it may have");

    for round in 0..2 {
        let what = format!("new {round}");
        descriptors.take();
        (0..8).for_each(|i| tree.write(&name(i), format!("line {what}\n\ndef made_{round}_{i}(): pass\n")));
        tree.write("d/e/deep.py", format!("line {what}\n"));
        tree.write(&format!("fresh{round}/n.py"), format!("line {what}\n"));
        // Rules that cannot be read must neither admit ignored files nor lose others.
        tree.write("d/.gitignore", "*.log\n");
        tree.write("d/e/x.log", "line ignored\n");
        tree.write("out/o.py", "line ignored\n");
        let answer = ask(&mut mcp);
        assert!(!answer.says(SAYS).envelope.to_string().contains("line ignored"), "{answer}");
        let last = if round == 0 { "known" } else { "made_0_1" };
        is_kept(&mut mcp, last, "f00.py");
        let notes = mcp.call("map_status", json!({})).ok()["notes"].to_string();
        assert!(notes.contains("f00.py") && notes.contains("cannot be read"), "{notes}");
        descriptors.give_back();
        let mut after = vec![deep(&what)];
        after.extend((0..12).map(|i| if i < 8 { line(i, &what) } else { line(i, "old") }));
        after.extend((0..=round).map(|made| format!("fresh{made}/n.py: line new {made}")));
        all_is_well(&mut mcp, &after);
        let made = mcp.call("map_search", json!({"query": format!("made_{round}_7")}));
        assert!(made.texts("/results", "name").contains(&&*format!("made_{round}_7")), "{made}");
        let notes = mcp.call("map_status", json!({})).ok()["notes"].to_string();
        assert!(!notes.contains("cannot be read"), "{notes}");
    }
}

/// The whole project is compared while nothing can be opened.
#[test]
fn a_sweep_without_descriptors_loses_nothing() {
    let world = World::new();
    let tree =
        world.tree("//- /.gitignore\nout/\n//- /a.py\nline a\n\ndef of_a(): pass\n//- /d/b.py\nline b\n//- /out/o.py\nline o\n");
    let mut mcp = world.mcp(&tree);
    let known = ["a.py: line a".to_owned(), "d/b.py: line b".to_owned()];
    all_is_well(&mut mcp, &known);
    let descriptors = Descriptors::of(&world);
    descriptors.take();
    let _ = mcp.call("map_rebuild", json!({}));
    is_kept(&mut mcp, "of_a", "could not be read");
    descriptors.give_back();
    // Nobody asks for files: the daemon tries again by itself.
    let told = |mcp: &mut Mcp| mcp.call("map_status", json!({})).ok()["notes"].to_string();
    while told(&mut mcp).contains("cannot be read") {
        std::thread::sleep(Duration::from_millis(100));
    }
    tree.write("d/b.py", "line c\n");
    all_is_well(&mut mcp, &["a.py: line a".to_owned(), "d/b.py: line c".to_owned()]);
}

#[test]
fn what_may_not_be_read_for_a_while_counts_as_it_was() {
    let Some(world) = world_of_modes() else { return };
    let tree: Tree =
        world.tree("//- /a.py\nline 1\n\ndef of_a(): pass\n//- /d/b.py\nline 2\n\ndef of_b(): pass\n//- /d/e/c.py\nline 3\n\ndef of_c(): pass\n//- /never.py\nline 4\n");
    let mode = |path: &str, mode| {
        fs::set_permissions(tree.at(path), fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    mode("never.py", 0);
    let mut mcp = world.mcp(&tree);
    let mut all: Vec<String> =
        ["a.py: line 1", "d/b.py: line 2", "d/e/c.py: line 3"].map(String::from).into();
    all_is_well(&mut mcp, &all);
    let notes = mcp.call("map_status", json!({})).ok()["notes"].to_string();
    assert!(notes.contains("never.py"), "what was never read is told where nobody is disturbed: {notes}");
    for closed in ["d", "d/e", "a.py", "d/e/c.py"] {
        mode(closed, 0);
        ["of_a", "of_b", "of_c"].into_iter().for_each(|name| is_kept(&mut mcp, name, closed));
        let is_folder = tree.at(closed).is_dir();
        mode(closed, if is_folder { 0o755 } else { 0o644 });
        all_is_well(&mut mcp, &all);
    }
    mode("d", 0);
    tree.remove("a.py");
    all.remove(0);
    is_kept(&mut mcp, "of_b", "d (");
    let answer = fresh(&mut mcp, "map_search", &json!({"query": "of_a"}));
    assert!(!answer.texts("/results", "name").contains(&"of_a"), "what is gone is gone{answer}");
    mode("d", 0o755);
    tree.write("d/e/c.py", "line 5\n");
    all[1] = "d/e/c.py: line 5".to_owned();
    all_is_well(&mut mcp, &all);
    mode("never.py", 0o644);
    all.push("never.py: line 4".to_owned());
    all_is_well(&mut mcp, &all);
}
