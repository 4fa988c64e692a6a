//! Tests the output on a terminal: names that are made to deceive are shown in escaped form, whatever command prints
//! them.

use std::path::Path;
use std::process::Command;

use hob_tests::{Mcp, McpOptions, Output, Tree, World, binaries, run};
use serde_json::{Value, json};

/// Characters that reverse, isolate or hide what follows.
const INVISIBLE: [char; 5] = ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}', '\u{200b}'];

/// Runs `hob` on a new terminal.
#[track_caller]
fn on_terminal(world: &World, place: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("python3");
    world.clean(&mut command);
    let spawn = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    command
        .env("TERM", "xterm")
        .current_dir(place)
        .args(["-c", spawn])
        .arg(binaries().join("hob"))
        .args(args);
    run(&mut command, b"")
}

fn deceiving(world: &World) -> Tree {
    let tree = world.tree("//- /plain.py\ndef plain(): pass\n");
    let text: String =
        INVISIBLE.iter().map(|c| format!("def found_{}(): pass  # {c}hidden\n", u32::from(*c))).collect();
    tree.write("gpj\u{202e}yp.py", &text);
    tree.write("a\nerror: all is lost.py", "def found_also(): pass\n");
    tree
}

#[track_caller]
fn is_tame(shown: &Output) {
    assert!(!shown.stdout.contains(INVISIBLE), "{shown:?}");
    let lost = |line: &str| line.trim_start_matches(['\u{1b}', '[', '0', 'm']).starts_with("error: all");
    assert!(!shown.stdout.lines().any(lost), "a name made a line{shown}");
}

#[test]
fn names_and_lines_of_a_project_are_shown_as_they_are() {
    let world = World::new();
    let tree = deceiving(&world);
    let mut mcp =
        Mcp::start(&world, &tree, &McpOptions { args: vec!["--edits".into()], ..McpOptions::default() });
    for file in ["gpj\u{202e}yp.py", "a\nerror: all is lost.py"] {
        let edit = json!({"file": file, "pattern": "found", "replacement": "lost"});
        let pending = mcp.call("edit_text", edit);
        let id = pending.ok()["pendingId"].as_str().expect("a name").to_owned();
        let shown = on_terminal(&world, tree.root(), &["pending", "show", &id]).code(0);
        is_tame(&shown);
        assert!(shown.stdout.contains("lost"), "{shown}");
    }
    for args in [
        &["search", "found"][..],
        &["map"],
        &["grep", "found"],
        &["grep", "--files-with-matches", "found"],
        &["grep", "--json", "found"],
        &["call", "regex_search", "found"],
        &["call", "read_symbols", "found_also"],
        &["pending"],
        &["status"],
        &["doctor", "--verbose"],
        &["top", "--once"],
        &["logs"],
    ] {
        let shown = on_terminal(&world, tree.root(), args);
        assert!(shown.stdout.len() > 20, "{shown}");
        is_tame(&shown);
    }
    let named = on_terminal(&world, tree.root(), &["search", "found"]).code(0).stdout;
    assert!(named.contains("gpj\\u{202e}yp.py") && named.contains("a\\nerror: all is lost.py"), "{named}");
}

#[test]
fn json_stays_json_with_the_same_contents() {
    let world = World::new();
    let tree = deceiving(&world);
    let shown = on_terminal(&world, tree.root(), &["search", "found_8238", "--json"]).code(0);
    is_tame(&shown);
    let piped = world.hob(tree.root(), &["search", "found_8238", "--json"]).success();
    assert!(piped.contains('\u{202e}'), "a pipe gets what there is: {piped}");
    let parsed = |text: &str| {
        // A progress bar may precede it.
        let text = &text[text.find("{\"ok").expect("an envelope")..];
        serde_json::from_str::<Value>(text.trim()).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    assert_eq!(parsed(&shown.stdout)["data"], parsed(&piped)["data"]);
}

/// The name of a project may deceive as well.
#[test]
fn a_project_with_a_deceiving_name_is_told_in_words() {
    let world = World::new();
    let tree = Tree::new(&world.path("my\nerror: all is lost\u{202e}"), "//- /a.py\ndef found(): pass\n");
    for args in [
        &["search", "found"][..],
        &["trust", "--yes"],
        &["trust", "--list"],
        &["status"],
        &["doctor", "--verbose"],
        &["logs"],
        &["graph"],
    ] {
        is_tame(&on_terminal(&world, tree.root(), args));
    }
    let log = world.log();
    assert!(
        log.contains("opening a workspace") && !log.lines().any(|line| line.starts_with("error: all")),
        "{log}"
    );
    let root = tree.root().to_str().expect("text");
    is_tame(&on_terminal(&world, &world.path("home"), &["purge", "--root", root]));
}
