//! Tests writes for which the system sends few events or none, files where folders are expected, and how much of the
//! user's limits watching needs.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use hob_tests::{Mcp, Tree, World};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
use serde_json::json;

use super::watching::fresh;

/// Returns the lines that begin with `line `.
#[track_caller]
fn lines(mcp: &mut Mcp) -> Vec<String> {
    let answer = fresh(mcp, "regex_search", &json!({"pattern": "^line .*"}));
    let mut found: Vec<String> =
        answer.without_warnings().texts("/matches", "text").iter().map(|text| (*text).to_owned()).collect();
    found.sort();
    found
}

/// Returns true if the map has a function with this name. A search is no proof, because it also reads files that the
/// daemon does not know to have changed.
#[track_caller]
fn is_defined(mcp: &mut Mcp, name: &str) -> bool {
    let answer = fresh(mcp, "map_search", &json!({"query": name}));
    answer.without_warnings().texts("/results", "name").contains(&name)
}

#[test]
fn a_file_that_was_made_without_a_name_is_followed_once_it_has_one() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline a\n//- /d/b.py\nline b\n");
    let mut mcp = world.mcp(&tree);
    assert_eq!(lines(&mut mcp), ["line a", "line b"]);
    let made = open(tree.at("d"), OFlags::TMPFILE | OFlags::RDWR, Mode::from_raw_mode(0o644));
    let Ok(made) = made else { return eprintln!("NOT TRIED: this file system makes no file without a name") };
    let by_number = format!("/proc/self/fd/{}", made.as_raw_fd());
    let mut file = File::from(made);
    file.write_all(b"line before\n").expect("it is open");
    linkat(CWD, by_number.as_str(), CWD, tree.at("d/n.py"), AtFlags::SYMLINK_FOLLOW)
        .expect("it can be named");
    assert_eq!(lines(&mut mcp), ["line a", "line b", "line before"]);
    for i in 0..3 {
        writeln!(file, "def made_{i}(): pass").expect("it is open");
        assert!(is_defined(&mut mcp, &format!("made_{i}")), "{i}");
    }
}

#[test]
fn a_write_through_a_name_that_is_gone_shows_under_the_one_that_is_left() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline a\n//- /c.py\nline c\n");
    let outside = Tree::unversioned(&world.path("outside"), "//- /x.py\nline x\n");
    let mut mcp = world.mcp(&tree);
    assert_eq!(lines(&mut mcp), ["line a", "line c"]);
    // The file gets another name and loses the first one, with and without a call in between.
    for (round, look) in [true, false].into_iter().enumerate() {
        let (old, new) = (format!("old{round}.py"), format!("d/new{round}.py"));
        tree.write(&old, "");
        tree.write("d/keep.txt", "");
        let mut file = File::options().append(true).open(tree.at(&old)).expect("it is there");
        let _ = lines(&mut mcp);
        fs::hard_link(tree.at(&old), tree.at(&new)).expect("a link");
        if look {
            let _ = lines(&mut mcp);
        }
        tree.remove(&old);
        let _ = lines(&mut mcp);
        for i in 0..3 {
            writeln!(file, "def left_{round}_{i}(): pass").expect("it is open");
            assert!(is_defined(&mut mcp, &format!("left_{round}_{i}")), "{round} {i}");
        }
    }
    // The removed name was in another folder.
    let mut file = File::options().append(true).open(outside.at("x.py")).expect("it is there");
    fs::hard_link(outside.at("x.py"), tree.at("x.py")).expect("a link");
    assert!(lines(&mut mcp).contains(&"line x".to_owned()));
    outside.remove("x.py");
    for i in 0..3 {
        writeln!(file, "def outside_{i}(): pass").expect("it is open");
        assert!(is_defined(&mut mcp, &format!("outside_{i}")), "{i}");
    }
}

#[test]
fn rules_through_a_link_count_as_they_are_now() {
    let world = World::new();
    let tree =
        world.tree("//- /a.py\nline a\n//- /gen/b.py\nline b\n//- /rules/base\ngen/\n//- /rules/hard\n\n");
    symlink("rules/base", tree.at(".gitignore")).expect("a link");
    let mut mcp = world.mcp(&tree);
    assert_eq!(lines(&mut mcp), ["line a"]);
    tree.write("rules/base", "nothing\n");
    assert_eq!(lines(&mut mcp), ["line a", "line b"]);
    tree.write("rules/base", "a.py\n");
    assert_eq!(lines(&mut mcp), ["line b"]);
    tree.remove("rules/base");
    assert_eq!(lines(&mut mcp), ["line a", "line b"]);
    fs::hard_link(tree.at("rules/hard"), tree.at(".ignore")).expect("a link");
    assert_eq!(lines(&mut mcp), ["line a", "line b"]);
    tree.write("rules/hard", "gen/\n");
    assert_eq!(lines(&mut mcp), ["line a"]);
}

/// Maps a file, writes through the mapping and has it synced. Prints a line, and unmaps the file when its input has a
/// line.
const MAPPER: &str = "
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    mapped = mmap.mmap(file.fileno(), 0)
mapped[0:6] = b'line m'
mapped.flush()
print('written', flush=True)
sys.stdin.readline()
mapped.close()
print('unmapped', flush=True)
sys.stdin.readline()
";

#[test]
fn a_file_that_is_mapped_is_named_and_its_writes_show_when_it_is_unmapped() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline a\n//- /m.py\nline b\n");
    let mut mcp = world.mcp(&tree);
    assert_eq!(lines(&mut mcp), ["line a", "line b"]);
    let mut python = Command::new("python3");
    python.args(["-c", MAPPER]).arg(tree.at("m.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut python) = python.spawn() else {
        return eprintln!("NOT TRIED: a mapped file (no `python3` here)");
    };
    let mut said = BufReader::new(python.stdout.take().expect("it is piped")).lines();
    let mut input = python.stdin.take().expect("it is piped");
    assert_eq!(said.next().expect("it says something").expect("text"), "written");
    let notes = mcp.call("map_status", json!({})).ok()["notes"].to_string();
    assert!(notes.contains("m.py") && notes.contains("unmapped"), "{notes}");
    writeln!(input).expect("it listens");
    assert_eq!(said.next().expect("it says something").expect("text"), "unmapped");
    assert_eq!(lines(&mut mcp), ["line a", "line m"]);
    let notes = mcp.call("map_status", json!({})).ok()["notes"].to_string();
    assert!(!notes.contains("m.py"), "{notes}");
    drop(input);
    assert!(python.wait().expect("it ends").success());
}

/// Returns the number of inotify instances that a process has.
fn instances(pid: u32) -> usize {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs").flatten();
    let links = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter(|link| link.to_string_lossy().contains("inotify")).count()
}

/// A user has 128 of them, for all programs.
#[test]
fn however_many_projects_there_are_one_instance_of_inotify_does() {
    let world = World::new();
    let first = world.tree("//- /a.py\nline a\n");
    let mut mcp = world.mcp(&first);
    let trees: Vec<Tree> = (0..8)
        .map(|i| Tree::new(&world.path(&format!("ws{i}")), &format!("//- /f{i}.py\nline {i}\n")))
        .collect();
    let of = |mcp: &mut Mcp, tree: &Tree| {
        let args = json!({"pattern": "^line .*", "root": tree.root()});
        let answer = fresh(mcp, "regex_search", &args);
        answer.without_warnings().texts("/matches", "text").concat()
    };
    assert_eq!(of(&mut mcp, &first), "line a");
    let pid = world.daemon_pid().expect("it runs");
    // One more is used for the daemon's own files.
    let with_one = instances(pid);
    assert!((1..=2).contains(&with_one), "{with_one}");
    for (i, tree) in trees.iter().enumerate() {
        assert_eq!(of(&mut mcp, tree), format!("line {i}"));
    }
    assert_eq!(instances(pid), with_one);
    for round in 0..3 {
        for (i, tree) in trees.iter().enumerate() {
            tree.write(&format!("f{i}.py"), format!("line {i} {round}\n"));
        }
        for (i, tree) in trees.iter().enumerate().rev() {
            assert_eq!(of(&mut mcp, tree), format!("line {i} {round}"));
        }
    }
}

#[test]
fn where_the_system_shows_itself_is_no_project() {
    let world = World::new();
    let tree = world.tree("//- /a.py\nline a\n");
    let mut mcp = world.mcp(&tree);
    for place in ["/proc", "/proc/1", "/sys", "/sys/kernel", "/dev"] {
        let answer = mcp.call("regex_search", json!({"pattern": "x", "root": place}));
        let error = answer.error("BAD_ARGS");
        assert!(error["message"].to_string().contains("is no project"), "{answer}");
        assert!(error["hint"].to_string().contains("root"), "{answer}");
    }
}
