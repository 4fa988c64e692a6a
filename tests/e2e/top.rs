//! Tests `hob top`: on a real terminal, in a pipe, and without a daemon.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use hob_tests::{Tree, World, outside, repository};
use serde_json::{Value, json};

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def found():
    return 1
";

/// A program on a terminal; see `clients/terminal.py`.
struct Terminal {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Terminal {
    fn start(world: &World, place: &Path, columns: u16, rows: u16) -> Self {
        let hob = world.command("hob").get_program().to_owned();
        let mut command = world.command(outside::python());
        command.arg(repository().join("tests/clients/terminal.py"));
        command.args([columns.to_string(), rows.to_string()]).arg(hob).arg("top");
        command.env("TERM", "xterm-256color").current_dir(place);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("python runs");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, input, output }
    }

    #[track_caller]
    fn order(&mut self, order: &str) -> Value {
        writeln!(self.input, "{order}").expect("the terminal lives");
        let mut line = String::new();
        let _ = self.output.read_line(&mut line).expect("the terminal answers");
        let answer: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {error}: {line}"));
        assert_eq!(answer["ok"], true, "{order}: {answer:#}");
        answer
    }

    /// Checks that the program has ended normally and the terminal is restored.
    #[track_caller]
    fn is_given_back(&mut self) {
        let end = self.order("end");
        let left = [&end["code"], &end["settings"], &end["own"], &end["cursor"]];
        assert_eq!(left, [&json!(0), &json!(true), &json!(false), &json!(true)], "{end:#}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(answer: &Value) -> Vec<&str> {
    answer["screen"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn it_shows_what_others_do_at_any_size_and_gives_the_terminal_back() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut top = Terminal::start(&world, tree.root(), 80, 24);
    let none = top.order("until the daemon is not running");
    assert_eq!(none["own"], true, "it has a screen of its own: {none:#}");
    assert_eq!(world.status(), None, "watching starts no daemon");

    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let shown = top.order("until indexed");
    let root = tree.root().file_name().expect("a name").to_string_lossy().into_owned();
    assert!(lines(&shown).iter().any(|line| line.contains(&root) && line.contains("indexed")), "{shown:#}");
    assert!(lines(&shown)[0].starts_with("hobd "), "{shown:#}");
    let counted = top.order("until map_search");
    assert!(lines(&counted).iter().any(|line| line.starts_with("TOOL")), "{counted:#}");

    let _ = top.order("size 40 10");
    let small = top.order("until q quit");
    assert_eq!(lines(&small).len(), 10, "{small:#}");
    assert!(lines(&small)[0].starts_with("hobd ") && lines(&small)[9].starts_with("q quit"), "{small:#}");
    let _ = top.order("size 120 40");
    let large = top.order("until BASELINE");
    assert!(lines(&large)[39].starts_with("q quit"), "{large:#}");

    let _ = top.order("keys s");
    let _ = top.order("until s sort: p99");
    let _ = top.order("keys h");
    let _ = top.order("until an upper bound");
    let _ = top.order("keys h");
    let _ = top.order("without an upper bound");

    world.stop();
    let _ = top.order("until the daemon is not running");
    let _ = world.hob(tree.root(), &["search", "found"]).code(0);
    let _ = top.order("until indexed");
    let _ = top.order("keys q");
    top.is_given_back();
}

#[test]
fn every_way_out_gives_the_terminal_back() {
    let world = World::new();
    let tree = Tree::new(&world.path("ws"), FIXTURE);
    for way in ["keys q", "keys \\x03", "signal TERM", "signal INT", "signal HUP"] {
        let mut top = Terminal::start(&world, tree.root(), 80, 24);
        let _ = top.order("until the daemon is not running");
        let _ = top.order(way);
        top.is_given_back();
    }
}

#[test]
fn colours_are_shown_unless_the_user_wants_none() {
    for (world, wanted) in [(World::new(), true), (World::new().env("NO_COLOR", "1"), false)] {
        let tree = world.tree(FIXTURE);
        let _ = world.hob(tree.root(), &["search", "found"]).code(0);
        // A folder that is no longer watched is shown in a colour, and so is a note.
        let _ = std::fs::write(world.dir().join("config/config.toml"), "x = ").or_else(|_| {
            std::fs::create_dir_all(world.dir().join("config"))?;
            std::fs::write(world.dir().join("config/config.toml"), "x = ")
        });
        let _ = world.hob(tree.root(), &["search", "found"]).code(0);
        let mut top = Terminal::start(&world, tree.root(), 80, 24);
        let shown = top.order("until note: ");
        assert_eq!(shown["colours"], wanted, "{shown:#}");
        let _ = top.order("keys q");
        top.is_given_back();
    }
}

#[test]
fn in_a_pipe_it_prints_one_frame() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    assert_eq!(world.hob(tree.root(), &["top"]).success(), "the daemon is not running\n");
    assert_eq!(world.hob(tree.root(), &["top", "--json"]).success(), "{\"running\":false}\n");
    assert_eq!(world.status(), None, "it starts none");
    let _ = world.hob(tree.root(), &["search", "found"]).code(0);
    let frame = world.hob(tree.root(), &["top", "--once"]).success();
    assert!(frame.starts_with("hobd ") && frame.contains("PROJECT") && frame.contains("indexed"), "{frame}");
    assert!(!frame.contains('\x1b') && !frame.contains("q quit"), "{frame}");
    let said = world.hob(tree.root(), &["top", "--json"]).success();
    let status: Value = serde_json::from_str(&said).expect("one JSON");
    assert_eq!(status["workspaces"][0]["files"], 1, "{said}");
    assert_eq!(status["workspaces"][0]["state"], "indexed", "{said}");
}
