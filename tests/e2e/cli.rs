//! Tests the command line.

use std::process::{Command, Stdio};
use std::time::Duration;

use hob_tests::{Answer, Output, Tree, World, repository};
use serde_json::{Value, json};

const FIXTURE: &str = r#"
//- /src/a.py
from src.b import there


def begin():
    return there()
//- /src/b.py
def there():
    return 1
"#;

/// Returns the envelope of `--json`.
#[track_caller]
fn envelope(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}{output}"))
}

fn ids(output: &Output) -> Vec<String> {
    let results = envelope(output)["data"]["results"].as_array().cloned().unwrap_or_default();
    results.iter().filter_map(|hit| hit["id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_call_takes_its_arguments_in_every_spelling() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let spellings: &[&[&str]] = &[
        &["--query", "there", "--path-prefix", "src"],
        &["--query", "there", "--pathPrefix", "src"],
        &["--query", "there", "--path_prefix", "src"],
        &["--query=there", "--path-prefix=src/b.py"],
        &[r#"{"query": "there", "pathPrefix": "src"}"#],
        &[r#"{"query": "there", "path_prefix": "src"}"#],
    ];
    for args in spellings {
        let call = [&["call", "map_search", "--json"], *args].concat();
        let output = world.hob(tree.root(), &call).code(0);
        assert_eq!(ids(&output), ["py:src/b.py#there"], "{output}");
    }
    let input = r#"{"query": "there", "pathPrefix": "src"}"#;
    let output = world.hob_with_input(tree.root(), &["call", "map_search", "--json", "-"], input).code(0);
    assert_eq!(ids(&output), ["py:src/b.py#there"], "standard input{output}");
}

#[test]
fn json_is_the_envelope_as_agents_get_it() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let args = json!({"targets": ["begin"]});
    let agents: Answer = world.call(&tree, "read_symbols", &args);
    let output = world.hob(tree.root(), &["call", "read_symbols", "--json", &args.to_string()]).code(0);
    let mut persons = envelope(&output);
    // Scripts are told which revision of the project an answer describes. For agents this would cost tokens.
    assert!(persons["generation"].is_u64(), "{output}");
    let mut agents = agents.envelope;
    for envelope in [&mut persons, &mut agents] {
        envelope["generation"].take();
        envelope["tokenBudget"]["used"].take();
    }
    assert_eq!(persons, agents);
    assert_eq!(output.stdout.lines().count(), 1, "one line{output}");
}

#[test]
fn exit_codes_say_how_it_ended() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let code = |args: &[&str]| world.hob(tree.root(), args);
    let _ = code(&["call", "map_search", "--query", "there"]).code(0);
    let refused = code(&["call", "map_neighbors", "--node-id", "py:src/a.py#gone"]).code(1);
    assert!(refused.stderr.contains("NODE_NOT_FOUND") && refused.stdout.is_empty(), "{refused}");
    let as_json = code(&["call", "map_neighbors", "--json", "--node-id", "py:src/a.py#gone"]).code(1);
    assert_eq!(envelope(&as_json)["error"]["code"], "NODE_NOT_FOUND", "{as_json}");
    let unknown = code(&["call", "map_serch", "--query", "x"]).code(2);
    assert!(unknown.stderr.contains("map_search"), "the nearest name{unknown}");
    let option = code(&["call", "map_search", "--qery", "there"]).code(2);
    assert!(option.stderr.contains("--query"), "the nearest option{option}");
    let short = code(&["call", "map_search", "--query", ""]).code(2);
    assert!(short.stderr.contains("at least 1 character"), "{short}");
    let not_json = code(&["call", "map_search", "{query: 1}"]).code(2);
    assert!(not_json.stderr.contains("JSON"), "{not_json}");
    let _ = code(&["no-such-command"]).code(2);
    let _ = code(&[]).code(2);
}

#[test]
fn short_verbs_answer_for_people() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let say = |args: &[&str]| world.hob(tree.root(), args).success();
    let found = say(&["search", "there"]);
    assert!(found.contains("src/b.py\n") && found.contains("1 function there()"), "{found}");
    assert!(!found.contains('\u{1b}'), "no colours where no terminal is: {found}");
    let around = say(&["neighbors", "py:src/b.py#there"]);
    assert!(around.contains("called by:") && around.contains("5 begin: return there()"), "{around}");
    let way = say(&["path", "py:src/a.py#begin", "py:src/b.py#there"]);
    assert!(way.contains("begin") && way.contains("there"), "{way}");
    let map = say(&["map"]);
    assert!(map.contains("there") && map.to_lowercase().contains("python"), "{map}");
    let elsewhere =
        world.hob(&world.path("tmp"), &["--root", &tree.root().display().to_string(), "search", "there"]);
    assert!(elsewhere.success().contains("src/b.py"));
}

#[test]
fn the_daemon_is_shown_stopped_and_not_started_for_that() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let status = world.hob(tree.root(), &["status"]).success();
    assert!(status.contains("not running"), "{status}");
    assert!(world.hob(tree.root(), &["stop"]).success().contains("not running"));
    assert_eq!(world.daemon_pid(), None, "asking does not start one");
    let _ = world.hob(tree.root(), &["search", "there"]).success();
    let pid = world.daemon_pid().expect("a question starts it");
    let status = world.hob(tree.root(), &["status"]).success();
    let folder = tree.root().file_name().expect("named").to_string_lossy();
    assert!(status.contains(&pid.to_string()) && status.contains(&*folder), "{status}");
    assert!(world.hob(tree.root(), &["stop"]).success().contains(&pid.to_string()));
    assert_eq!(world.daemon_pid(), None);
}

#[test]
fn a_project_is_indexed_on_demand_and_the_log_can_be_read() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let said = world.hob(&world.path("tmp"), &["index", &tree.root().display().to_string()]).success();
    assert!(said.contains("2 files"), "{said}");
    let again = world.hob(tree.root(), &["index"]).success();
    assert!(again.contains("0 new or changed"), "{again}");
    let nowhere = world.hob(tree.root(), &["index", "/no/such/place"]).code(1);
    assert!(nowhere.stderr.contains("/no/such/place"), "{nowhere}");
    let log = world.hob(tree.root(), &["logs"]).success();
    assert!(log.contains("opening a workspace"), "{log}");
}

#[test]
fn completions_and_help_come_without_a_daemon() {
    let world = World::new();
    let place = Tree::existing(repository());
    for (shell, sign) in [("bash", "complete -F"), ("zsh", "#compdef hob"), ("fish", "complete -c hob")] {
        let script = world.hob(place.root(), &["completions", shell]).success();
        assert!(script.contains(sign) && script.contains("map_search"), "{shell}: {script}");
    }
    for args in [&["--help"][..], &["call", "--help"], &["call", "regex_search", "--help"], &["--version"]] {
        let help = world.hob(place.root(), args).success();
        assert!(help.contains("hob"), "{help}");
    }
    let tools = world.hob(place.root(), &["tools"]).success();
    assert!(tools.contains("map_neighbors") && !tools.contains("hob_noop"), "{tools}");
    assert_eq!(world.daemon_pid(), None);
}

const TWO_PARTS: &str = "\
//- /src/a.py
from src.b import there
def begin():
    return there()
def twin(): pass
//- /src/b.py
def there():
    return 1
//- /lib/c.py
def elsewhere(): pass
def twin(): pass
//- /notes/read.txt
nothing that is mapped
";

#[test]
fn a_focus_is_a_path_from_where_the_user_stands_or_an_error() {
    let world = World::new();
    let tree = world.tree(TWO_PARTS);
    let map = |place: &str, focus: &str| world.hob(&tree.at(place), &["map", focus]);
    let lib = map("", "lib").success();
    assert!(lib.contains("elsewhere") && !lib.contains("there()"), "{lib}");
    let absolute = tree.at("lib").display().to_string();
    for (place, focus) in [
        ("", "lib/"),
        ("", "./lib"),
        ("lib", "."),
        ("src", "../lib"),
        ("src", "lib"),
        ("src", absolute.as_str()),
    ] {
        assert_eq!(map(place, focus).success(), lib, "{focus} in `{place}`");
    }
    let whole = map("", ".").success();
    assert!(whole.contains("elsewhere") && whole.contains("#there"), "{whole}");
    for (focus, code, words) in [
        ("nonexistent", "SYMBOL_NOT_FOUND", "nonexistent"),
        ("notes", "SYMBOL_NOT_FOUND", "Nothing in `notes` is mapped"),
        ("/usr", "OUTSIDE_WORKSPACE", "/usr"),
    ] {
        let refused = map("", focus).code(1);
        assert!(
            refused.stdout.is_empty() && refused.stderr.contains(code) && refused.stderr.contains(words),
            "{refused}"
        );
    }
    let agents = world.call(&tree, "map_overview", &json!({"focus": absolute}));
    assert!(agents.texts("/clusters/0/hubs", "id").contains(&"py:lib/c.py#elsewhere"), "{agents}");
}

#[test]
fn a_name_or_a_path_does_for_a_node() {
    let world = World::new();
    let tree = world.tree(TWO_PARTS);
    let around = |target: &str| world.hob(tree.root(), &["neighbors", target]);
    // That the text was searched too is said only if that was done within 20 ms.
    let neighbors = |target: &str| {
        let answer = around(target).success();
        answer.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(neighbors("there"), neighbors("py:src/b.py#there"));
    assert_eq!(neighbors("src/b.py"), neighbors("py:src/b.py"));
    assert!(!neighbors("there").is_empty());
    let way = world.hob(tree.root(), &["path", "begin", "there"]).success();
    assert!(way.contains("begin: return there()") && way.contains("src/b.py"), "{way}");
    let several = around("twin").code(1);
    for part in ["BAD_ARGS", "2 definitions", "src/a.py:", "lib/c.py:", " twin function"] {
        assert!(several.stderr.contains(part), "{part}{several}");
    }
    let none = around("nobody").code(1);
    assert!(none.stderr.contains("SYMBOL_NOT_FOUND") && none.stderr.contains("hob search"), "{none}");
}

#[test]
fn what_is_left_out_is_what_most_want() {
    let world = World::new();
    let tree = world.tree(TWO_PARTS);
    let say = |args: &[&str]| world.hob(tree.root(), args);
    // The languages of a project are known after it is indexed.
    let _ = say(&["map"]).success();
    assert_eq!(say(&["servers"]).success(), say(&["servers", "list"]).success());
    assert_eq!(
        say(&["call", "investigate", "there and back"]).success(),
        say(&["call", "investigate", "--query", "there and back"]).success()
    );
    assert_eq!(
        say(&["ask", "there and back"]).success(),
        say(&["call", "investigate", "there and back"]).success()
    );
    let unclear = say(&["call", "map_status", "there and back"]).code(2);
    assert!(unclear.stderr.contains("takes no text"), "{unclear}");
    let here = |folder: &str, args: &[&str]| world.hob(&tree.at(folder), args);
    let folder = here("src", &["impact", "."]).code(1);
    assert!(folder.stderr.contains("`src` is a folder") && folder.stderr.contains("`hob map`"), "{folder}");
    assert!(here("src", &["neighbors", "./b.py"]).success().contains("b.py"));
    let absent = say(&["search", "there and back again"]);
    assert!(absent.stderr.contains("hob ask 'there and back again'"), "{absent}");
    let wrong = say(&["read", "no/such/file.py"]).code(1);
    assert!(wrong.stdout.contains("not found: no/such/file.py"), "{wrong}");
    let files = [
        (&["completions", "bash"][..], "new/folder/hob", "complete -F"),
        (&["config", "schema"], "another/new/schema.json", "json-schema.org"),
        (&["graph"], "drawn/page.html", "<!doctype html>"),
    ];
    for (command, file, sign) in files {
        let _ = say(&[command, &["--out", file]].concat()).success();
        assert!(tree.read(file).contains(sign), "{file}");
    }
}

/// The daemon pauses in the middle of a first index, for longer than an agent would be kept waiting.
#[test]
fn a_person_waits_for_a_first_index_as_long_as_it_takes() {
    let world = World::new().env("HOB_INDEX_THREADS", "1");
    let _ = world.hob(world.tree(FIXTURE).root(), &["search", "there"]).success();
    let pid = world.daemon_pid().expect("it runs").to_string();
    let big = Tree::new(&world.path("big"), "");
    let body: String =
        (0..200).map(|n| format!("def f{n}(a, b):\n    return a.g{n}(b) + f{}(b)\n\n", n / 2)).collect();
    (0..4_000).for_each(|n| big.write(&format!("part{}/m{n}.py", n % 40), &body));
    let soon = world.hob(big.root(), &["--timeout", "1", "map"]).code(1);
    assert!(soon.stderr.contains("MAP_NOT_BUILT") && soon.stderr.contains("filesDone"), "{soon}");
    let asked = world
        .command("hob")
        .arg("map")
        .current_dir(big.root())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    std::thread::sleep(Duration::from_millis(500));
    let signal =
        |name: &str| assert!(Command::new("kill").args([name, &pid]).status().expect("a program").success());
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(11));
    signal("-CONT");
    let answer = asked.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&answer.stdout);
    assert!(answer.status.success() && said.contains("4000 files"), "{said}");
}
