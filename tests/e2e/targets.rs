//! Tests the targets of every tool that takes a symbol or a place: one resolver serves them all.

use hob_tests::World;
use serde_json::{Value, json};

const PROJECT: &str = r#"
//- /app/session.py
import os


class Session:
    def refresh(self):
        return self.load()

    def load(self):
        return os.getcwd()


def run():
    return Session().refresh()
//- /app/other.py
class Other:
    def refresh(self):
        return helper()


def helper():
    return 1
//- /tests/test_helper.py
def helper():
    return 2


def test_it():
    assert helper() == 2
//- /src/hono.ts
export class Hono {
  #path = "/"
  #handleError(err: Error) {
    return err
  }
  get(a: string) {
    return this.#handleError(new Error(a))
  }
}
"#;

const REFRESH: &str = "py:app/session.py#Session.refresh";

/// The tools that take a symbol, and the part of their answer that says which one was found.
const TOOLS: &[(&str, &str, &str)] = &[
    ("map_neighbors", "nodeId", "/node/id"),
    ("read_symbols", "targets", "/symbols/0/uid"),
    ("resolve", "nodeId", "/nodeId"),
    ("flow_trace", "symbol", "/root/uid"),
    ("impact", "symbol", "/symbol/uid"),
];

#[test]
fn every_tool_takes_every_form() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let absolute = format!("{}:5", tree.at("app/session.py").display());
    for (tool, arg, place) in TOOLS {
        for form in [
            REFRESH,
            "sym:py:app/session.py#Session.refresh",
            "Session.refresh",
            "Session::refresh",
            "app.session.Session.refresh",
            "app/session.py#refresh",
            "app/session.py:5",
            "app/session.py:5:9",
            "app/session.py:6",
            &absolute,
        ] {
            let answer = mcp.call(tool, json!({*arg: form}));
            let found = answer.ok().pointer(place).and_then(Value::as_str).unwrap_or_default();
            assert_eq!(found, REFRESH, "{tool} {form}{answer}");
        }
        let private = mcp.call(tool, json!({*arg: "Hono.#handleError"}));
        let found = private.ok().pointer(place).and_then(Value::as_str);
        assert_eq!(found, Some("ts:src/hono.ts#Hono.%23handleError"), "{tool}{private}");
        let inner = mcp.call(tool, json!({*arg: "app/session.py:6"}));
        inner.says("app/session.py:6 is in app/session.py:5 Session.refresh");
        let tests = mcp.call(tool, json!({*arg: "helper"}));
        assert_eq!(
            tests.ok().pointer(place).and_then(Value::as_str),
            Some("py:app/other.py#helper"),
            "{tests}"
        );
        tests.says("one other is in tests");
    }
    let path = mcp.call("map_path", json!({"from": "run", "to": "app/session.py:8"}));
    assert_eq!(path.ok()["found"], true, "{path}");
}

#[test]
fn a_name_of_several_is_answered_with_lines_that_can_be_passed_back() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    for (tool, arg) in [("map_neighbors", "nodeId"), ("resolve", "nodeId"), ("nav_definition", "target")] {
        let several = mcp.call(tool, json!({arg: "refresh"}));
        let error = several.error("BAD_ARGS");
        let lines: Vec<&str> =
            error["candidates"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!(lines.len(), 2, "{several}");
        let mut found: Vec<String> = Vec::new();
        for line in lines {
            let answer = mcp.call("map_neighbors", json!({"nodeId": line}));
            found.push(answer.ok()["node"]["id"].as_str().expect("an ID").to_owned());
        }
        found.sort_unstable();
        assert_eq!(found, ["py:app/other.py#Other.refresh", REFRESH], "{several}");
    }
    for (tool, arg) in [("flow_trace", "symbol"), ("impact", "symbol"), ("read_symbols", "targets")] {
        let several = mcp.call(tool, json!({arg: "refresh"}));
        assert_eq!(several.list("/ambiguous/0/candidates").len(), 2, "{several}");
    }
}

#[test]
fn very_many_of_a_name_are_told_in_few_words() {
    let world = World::new();
    let files: String = (0..200)
        .map(|n| format!("//- /package/module_{n:03}.py\nclass C{n}:\n    def save(self): pass\n"))
        .collect();
    let tree = world.tree(&files);
    let mut mcp = world.mcp(&tree);
    let several = mcp.call("map_neighbors", json!({"nodeId": "save"}));
    let used = several.envelope["tokenBudget"]["used"].as_u64().expect("a number");
    assert!(used < 300, "the whole envelope{several}");
    several.says("200 definitions");
    several.says("more are not shown");
}

#[test]
fn the_command_line_reads_paths_from_where_its_user_stands() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let said = world.hob(&tree.at("app"), &["neighbors", "session.py:5"]).success();
    assert!(said.contains("run: return Session().refresh()"), "{said}");
    let read = world.hob(&tree.at("app"), &["read", "session.py:13-14", "Other.refresh"]).success();
    assert!(read.contains("return Session().refresh()") && read.contains("return helper()"), "{read}");
    let outline = world.hob(tree.root(), &["outline", "app", "Session"]).success();
    assert!(outline.contains("app/session.py: class Session 4-9; function run 12-13"), "{outline}");
    assert!(outline.contains("5-6 method refresh(self)"), "{outline}");
}

#[test]
fn a_name_that_is_not_there_says_where_it_may_be() {
    let world = World::new();
    let tree = world.tree(
        "
//- /pool.py
from vendor.locks import BoundedLock


class Pool:
    def open(self):
        return BoundedLock()

    def close(self):
        pass
",
    );
    let mut mcp = world.mcp(&tree);
    let text = mcp.read("read_symbols", json!({"targets": ["BoundedLock", "Pool.opn"]}));
    assert!(text.contains("imported from `vendor.locks` at pool.py:1"), "{text}");
    assert!(text.contains("`Pool` has no `opn`; it has open, close"), "{text}");
    let error = mcp.read("map_neighbors", json!({"nodeId": "BoundedLock"}));
    assert!(error.contains("vendor.locks"), "{error}");
}
