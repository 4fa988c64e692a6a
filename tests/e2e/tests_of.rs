//! Tests `tests_for` and `hob tests`: tests that edges lead to, nearest first, with command lines that run them.

use std::process::Command;

use hob_tests::{World, run};
use serde_json::json;

use super::many::git;

const PROJECT: &str = "\
//- /shop/__init__.py
//- /shop/store.py
class Store:
    def open(self, path):
        return self.load(path)

    def load(self, path):
        return path.strip()


def named_test_in_words():
    return 1


def lonely():
    return 2
//- /tests/__init__.py
//- /tests/conftest.py
import pytest

from shop.store import Store


@pytest.fixture
def store():
    return Store()
//- /tests/test_store.py
from shop.store import Store


def helper():
    return Store().load(' a ')


def test_load():
    assert helper() == 'a'


class TestOpen:
    def test_open(self, store):
        assert store.open('a') == 'a'


def test_nothing():
    assert 'load'
//- /go.mod
module example.com/m
//- /pack/add.go
package pack

func Add(a int, b int) int {
	return a + b
}
//- /pack/add_test.go
package pack

import \"testing\"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal()
	}
}
//- /web/package.json
{\"devDependencies\": {\"vitest\": \"1\"}}
//- /web/src/sum.ts
export function sum(a: number, b: number) {
  return a + b;
}
//- /web/src/sum.test.ts
import { test } from 'vitest';
import { sum } from './sum';

test('sums', () => {
  sum(1, 2);
});
//- /Cargo.toml
[package]
name = \"m\"
//- /src/lib.rs
pub fn twice(a: u32) -> u32 {
    a * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles() {
        assert_eq!(twice(2), 4);
    }
}
";

#[test]
fn tests_are_found_by_edges_and_not_by_names() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let load = mcp.call("tests_for", json!({"target": "Store.load"}));
    let found = load.texts("/found", "name");
    assert!(found.contains(&"test_load") && found.contains(&"TestOpen.test_open"), "{load}");
    assert!(!found.contains(&"test_nothing"), "its text alone has the word{load}");
    let depths: Vec<u64> = load.list("/found").iter().filter_map(|test| test["depth"].as_u64()).collect();
    assert!(depths.is_sorted(), "nearest first{load}");
    let command = load.list("/commands")[0]["command"].as_str().expect("a command").to_owned();
    assert!(command.starts_with("pytest "), "{load}");
    assert!(command.contains("tests/test_store.py::TestOpen::test_open"), "{load}");
    assert!(command.contains("tests/test_store.py::test_load"), "{load}");
    let none = mcp.read("tests_for", json!({"target": "lonely"}));
    assert!(none.starts_with("no test is known to reach it"), "{none}");
    let file = mcp.call("tests_for", json!({"target": "shop/store.py"}));
    assert!(file.texts("/found", "name").contains(&"test_load"), "{file}");
}

#[test]
fn every_runner_gets_its_command_line() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    for (target, runner, command) in [
        ("Add", "go", "go test -run '^(TestAdd)$' ./pack"),
        ("sum", "vitest", "cd web && npx vitest run src/sum.test.ts"),
        ("twice", "cargo", "cargo test -- tests::it_doubles"),
    ] {
        let answer = mcp.call("tests_for", json!({"target": target}));
        let commands = answer.list("/commands");
        assert_eq!(commands.len(), 1, "{answer}");
        assert_eq!(
            (&commands[0]["runner"], &commands[0]["command"]),
            (&json!(runner), &json!(command)),
            "{answer}"
        );
    }
}

#[test]
fn a_command_line_runs_where_it_says() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("tests_for", json!({"target": "Store.open"}));
    let command = answer.list("/commands")[0]["command"].as_str().expect("a command").to_owned();
    // Without pytest, the shell still splits its arguments.
    let script = command.replacen("pytest", "printf '%s\\n'", 1);
    let told = run(Command::new("sh").current_dir(tree.root()).args(["-c", &script]), b"").success();
    let is_there = |line: &str| line.split("::").next().is_some_and(|path| tree.at(path).is_file());
    assert!(told.lines().all(is_there), "{told}");
}

#[test]
fn a_change_is_covered_by_the_tests_of_its_symbols() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    git(&world, tree.root(), "init -q -b main");
    git(&world, tree.root(), "add -A");
    git(&world, tree.root(), "commit -q -m first");
    let mut mcp = world.mcp(&tree);
    tree.write(
        "shop/store.py",
        PROJECT
            .split("store.py\n")
            .nth(1)
            .expect("the file")
            .split("//- ")
            .next()
            .expect("its text")
            .replace("strip()", "lstrip()"),
    );
    let answer = mcp.call("tests_for", json!({}));
    assert!(
        answer.ok()["of"].as_str().is_some_and(|of| of.starts_with("working tree against HEAD")),
        "{answer}"
    );
    assert!(answer.texts("/found", "name").contains(&"test_load"), "{answer}");
    let text = world.hob(tree.root(), &["tests", "--change", "worktree"]).success();
    assert!(text.contains("\n$ pytest "), "{text}");
    let both = mcp.call("tests_for", json!({"target": "Store", "change": "HEAD"}));
    assert!(
        both.error("BAD_ARGS")["message"]
            .as_str()
            .is_some_and(|message| message.contains("exclude each other"))
    );
}

#[test]
fn the_other_way_says_what_a_test_covers() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("tests_for", json!({"target": "test_load", "direction": "out"}));
    let found = answer.texts("/found", "name");
    assert!(found.contains(&"Store.load"), "{answer}");
    assert!(!found.contains(&"lonely") && !found.contains(&"helper"), "{answer}");
    assert_eq!(answer.list("/commands").len(), 0, "{answer}");
}

#[test]
fn a_method_that_no_test_reaches_by_calls_has_the_tests_of_its_type() {
    let world = World::new();
    let tree = world.tree(
        "//- /work.py\nimport threading\n\n\nclass Worker(threading.Thread):\n    def run(self):\n        return 1\n\n\nclass Idle:\n    def wait(self):\n        return 2\n\
         //- /tests/test_work.py\nfrom work import Idle, Worker\n\n\ndef test_worker():\n    Worker().start()\n\n\ndef test_idle():\n    Idle().wait()\n",
    );
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("tests_for", json!({"target": "Worker.run"}));
    assert_eq!(answer.texts("/found", "name"), ["test_worker"], "{answer}");
    assert_eq!(answer.texts("/found", "confidence"), ["candidate"], "{answer}");
    answer.says("No test reaches it by calls; these may run it");
    let sure = mcp.call("tests_for", json!({"target": "Idle.wait"}));
    assert_eq!(sure.texts("/found", "name"), ["test_idle"], "{sure}");
}
