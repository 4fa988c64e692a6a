//! Tests `paths` and `tests`: the same arguments give the same scope in every tool that answers with places.

use hob_tests::{Answer, World};
use serde_json::{Value, json};

const PROJECT: &str = r#"
//- /src/commands.py
from src.core import open_it

def first():
    return open_it()
//- /src/commands/typed.py
from src.core import open_it

def second():
    return open_it()
//- /src/core.py
def open_it():
    return 1
//- /lib/extra.py
from src.core import open_it

def third():
    return open_it()
//- /tests/test_core.py
from src.core import open_it

def test_open():
    assert open_it() == 1
"#;

/// Returns the files in a list of an answer, each once.
fn files(answer: &Answer, list: &str, field: &str) -> Vec<String> {
    let mut files: Vec<String> = answer.texts(list, field).into_iter().map(str::to_owned).collect();
    files.sort();
    files.dedup();
    files
}

#[test]
fn one_scope_means_the_same_everywhere() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let tools: &[(&str, Value, &str, &str)] = &[
        ("regex_search", json!({"pattern": "open_it"}), "/matches", "file"),
        ("text_search", json!({"query": "open it"}), "/results", "file"),
        ("map_search", json!({"query": ["first", "second", "third", "test_open"]}), "/results", "file"),
        (
            "map_neighbors",
            json!({"nodeId": "open_it", "direction": "in", "edgeKinds": ["calls"]}),
            "/neighbors",
            "file",
        ),
        ("impact", json!({"symbol": "open_it"}), "/affected", "file"),
    ];
    for (tool, args, list, field) in tools {
        let mut ask = |scope: Value| {
            let mut args = args.clone();
            args.as_object_mut().expect("an object").extend(scope.as_object().expect("an object").clone());
            mcp.call(tool, args)
        };
        let within = |files: &[String]| files.iter().all(|file| file.starts_with("src/commands"));
        let prefix = ask(json!({"paths": ["src/commands"]}));
        let found = files(&prefix, list, field);
        assert!(found.len() == 2 && within(&found), "the module's file too: {tool} {found:?}{prefix}");
        let excluded = ask(json!({"paths": ["src", "!src/commands/**", "!core.py"]}));
        assert_eq!(files(&excluded, list, field), ["src/commands.py"], "{tool}{excluded}");
        let glob = ask(json!({"paths": ["l*/*.py"]}));
        assert_eq!(files(&glob, list, field), ["lib/extra.py"], "{tool}{glob}");
        let without = ask(json!({"tests": "exclude"}));
        let found = files(&without, list, field);
        assert!(found.len() >= 3 && !found.iter().any(|file| file.starts_with("tests")), "{tool}{without}");
        let only = ask(json!({"tests": "only"}));
        assert_eq!(files(&only, list, field), ["tests/test_core.py"], "{tool}{only}");
        prefix.says("outside `paths`");
        without.says("in tests");
        let _ = ask(json!({"paths": ["../elsewhere"]})).error("OUTSIDE_WORKSPACE");
        ask(json!({"paths": ["src/nowhere"]})).says("Nothing is at `src/nowhere`");
    }
}

#[test]
fn what_an_investigation_leaves_out_is_counted() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let topic = "how does it open";
    let all = mcp.call("investigate", json!({"query": topic}));
    assert!(!all.warnings().contains("Not in scope"), "{all}");
    mcp.call("investigate", json!({"query": topic, "paths": ["src/commands"]})).says("outside `paths`");
    mcp.call("investigate", json!({"query": topic, "tests": "exclude"})).says("in tests");
    mcp.call("investigate", json!({"query": topic, "tests": "only"})).says("outside tests");
}

const WITHIN: &str = "\
//- /Cargo.toml
[package]
name = \"net\"
version = \"0.1.0\"
//- /src/lib.rs
pub trait Listener {
    fn accept_one(&self);
}

pub struct Tcp;

impl Listener for Tcp {
    fn accept_one(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ready;

    impl Listener for Ready {
        fn accept_one(&self) {}
    }

    #[test]
    fn it_accepts() {
        helper(&Ready);
    }

    fn helper(listener: &Ready) {
        listener.accept_one();
    }
}
//- /notes/tests/plan.txt
accept_one
";

#[test]
fn tests_within_a_source_file_are_tests() {
    let world = World::new();
    let tree = world.tree(WITHIN);
    let mut mcp = world.mcp(&tree);
    let mut lines = |tests: &str| {
        let answer = mcp.call("regex_search", json!({"pattern": "accept_one", "tests": tests}));
        let found = answer.ok()["matches"].as_array().cloned().unwrap_or_default();
        (found.iter().map(|one| one["line"].as_u64().unwrap_or(0)).collect::<Vec<_>>(), answer)
    };
    let (without, answer) = lines("exclude");
    assert_eq!(without, [2, 8], "{answer}");
    answer.says("Not in scope: 3 in tests");
    let (only, answer) = lines("only");
    assert_eq!(only, [1, 18, 27], "{answer}");
    answer.says("Not in scope: 2 outside tests");
    let hierarchy =
        json!({"nodeId": "Listener", "direction": "in", "edgeKinds": ["implements"], "tests": "exclude"});
    let derived = mcp.call("map_neighbors", hierarchy);
    assert_eq!(derived.texts("/neighbors", "id"), ["rs:src/lib.rs#Tcp"], "{derived}");
    derived.says("Not in scope: 1 in tests");
    let words = mcp.call("text_search", json!({"query": "listener ready", "tests": "exclude"}));
    let ids = words.texts("/results", "id");
    assert!(!ids.is_empty() && !ids.iter().any(|id| id.contains("#tests")), "{words}");
    let symbols = mcp.call("map_search", json!({"query": "Ready", "tests": "exclude"}));
    assert!(symbols.texts("/results", "id").is_empty(), "{symbols}");
}

#[test]
fn methods_that_override_are_in_scope_or_counted() {
    let world = World::new();
    let tree = world.tree(
        "\
//- /app/base.py
class Pipeline:
    def path(self):
        return 1
//- /app/images.py
from app.base import Pipeline

class Images(Pipeline):
    def path(self):
        return 2
//- /tests/test_base.py
from app.base import Pipeline

class Flat(Pipeline):
    def path(self):
        return 3

class Deep(Flat):
    def path(self):
        return 4
",
    );
    let mut mcp = world.mcp(&tree);
    let mut ask = |more: Value| {
        let mut args = json!({"nodeId": "Pipeline.path", "direction": "in"});
        args.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        mcp.call("map_neighbors", args)
    };
    let all = ask(json!({}));
    assert_eq!(all.texts("/family", "file").len(), 3, "{all}");
    let without = ask(json!({"tests": "exclude"}));
    assert_eq!(without.texts("/family", "file"), ["app/images.py"], "{without}");
    without.says("Not in scope: 2 in tests");
    let elsewhere = ask(json!({"paths": ["tests"]}));
    assert_eq!(elsewhere.texts("/family", "file"), ["tests/test_base.py"; 2], "{elsewhere}");
    elsewhere.says("outside `paths`");
}

const CHAINS: &str = "\
//- /app/start.py
from lib.long import begin
from lib.short import skip

def start():
    begin()
    skip()
//- /lib/long.py
from lib.more import go_on

def begin():
    go_on()
//- /lib/more.py
from core.end import finish

def go_on():
    finish()
//- /lib/short.py
from core.end import finish

def skip():
    finish()
//- /core/end.py
def finish():
    return 1
";

#[test]
fn a_chain_runs_through_what_the_scope_admits_and_its_ends_need_not_be_in_it() {
    let world = World::new();
    let tree = world.tree(CHAINS);
    let mut mcp = world.mcp(&tree);
    let mut stations = |more: Value| {
        let mut args = json!({"from": "start", "to": "finish"});
        args.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let answer = mcp.call("map_path", args);
        let nodes = answer.ok()["nodes"].as_array().cloned().unwrap_or_default();
        let ids = nodes.iter().filter_map(|node| node["id"].as_str()?.rsplit_once('#'));
        (ids.map(|(_, name)| name.to_owned()).collect::<Vec<_>>(), answer)
    };
    assert_eq!(stations(json!({})).0, ["start", "skip", "finish"]);
    let around = ["start", "begin", "go_on", "finish"];
    for paths in [json!(["!lib/short.py"]), json!(["lib/long.py", "lib/more.py"])] {
        let (found, answer) = stations(json!({"paths": paths}));
        assert_eq!(found, around, "{answer}");
    }
    let (either, answer) =
        stations(json!({"direction": "both", "edgeKinds": ["calls"], "paths": ["lib", "!short.py"]}));
    assert_eq!(either, around, "{answer}");
    let (none, answer) = stations(json!({"paths": ["app"]}));
    assert!(none.is_empty(), "{answer}");
    answer.says("Only what `paths` and `tests` admit");
}

#[test]
fn older_names_of_paths_mean_what_they_did() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let prefix = mcp.call("regex_search", json!({"pattern": "open_it", "path_prefix": "src/commands"}));
    assert_eq!(files(&prefix, "/matches", "file"), ["src/commands/typed.py"], "{prefix}");
    let glob = mcp.call("regex_search", json!({"pattern": "open_it", "glob": "!src/"}));
    assert_eq!(files(&glob, "/matches", "file"), ["lib/extra.py", "tests/test_core.py"], "{glob}");
    let both = mcp.call("map_search", json!({"query": "second", "pathPrefix": "src"}));
    assert_eq!(files(&both, "/results", "file"), ["src/commands/typed.py"], "{both}");
    let listed = mcp.request("tools/list", json!({}));
    let search =
        listed["tools"].as_array().and_then(|tools| tools.iter().find(|tool| tool["name"] == "regex_search"));
    let properties = &search.expect("it is listed")["inputSchema"]["properties"];
    assert!(properties["paths"].is_object() && properties["path_prefix"].is_null(), "{properties}");
}

#[test]
fn what_nobody_uses_is_found_and_names_are_asked_together() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /api.ts
export function used() { return helper() }
export function unused() { return 1 }
export function tested() { return 2 }
function helper() { return 3 }
export class Box {
    open() { return this.turn() }
    turn() { return 4 }
    shut() { return 5 }
}
//- /main.ts
import { used, Box } from "./api"
used()
new Box().open()
//- /api.test.ts
import { tested } from "./api"
tested()
"#,
    );
    let mut mcp = world.mcp(&tree);
    let none = mcp.call("map_search", json!({"callers": 0, "paths": ["api.ts"]}));
    assert_eq!(none.texts("/results", "name"), ["unused", "tested", "turn", "shut"], "{none}");
    let members = mcp.call("map_search", json!({"query": "Box.", "callers": 0}));
    assert_eq!(members.texts("/results", "name"), ["turn", "shut"], "{members}");
    let named = mcp.call("map_search", json!({"query": "used", "callers": 0}));
    assert_eq!(named.texts("/results", "name"), ["unused"], "{named}");
    let several = mcp.call("map_search", json!({"query": ["tested", "nobody_at_all"]}));
    assert_eq!(several.texts("/results", "query"), ["tested"], "{several}");
    assert_eq!(several.ok()["none"], json!(["nobody_at_all"]), "{several}");
}
