//! Tests that names from dependencies lead to their definition in the dependency's source, without a language server.

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::{Value, json};

use super::many::git;

const PYTHON: &str = r#"
//- /app.py
import requests
import numpy as np
from yaml import load as read_yaml
from absent import thing


def load(session: requests.Session):
    answer = requests.get('x')
    np.linalg.norm(1)
    read_yaml('y')
    session.post('z')
    made = requests.Session()
    made.close()
    thing()
    return answer
//- /requirements.txt
requests==2.31.0
numpy==2.0.0
PyYAML==6.0.1
absent==1.0
//- /.gitignore
.venv/
//- /.venv/lib/python3.12/site-packages/requests/__init__.py
from .api import get
from .sessions import Session
//- /.venv/lib/python3.12/site-packages/requests/api.py
def get(url, params=None):
    """Sends a GET request."""
    return url
//- /.venv/lib/python3.12/site-packages/requests/sessions.py
class Base:
    def close(self):
        pass


class Session(Base):
    def post(self, url):
        return url
//- /.venv/lib/python3.12/site-packages/requests-2.31.0.dist-info/RECORD
requests/__init__.py,,
//- /.venv/lib/python3.12/site-packages/numpy/__init__.py
from . import linalg
//- /.venv/lib/python3.12/site-packages/numpy/linalg/__init__.py
from ._linalg import norm
//- /.venv/lib/python3.12/site-packages/numpy/linalg/_linalg.py


def norm(x):
    return x
//- /.venv/lib/python3.12/site-packages/yaml/__init__.py
def load(stream):
    return stream
//- /.venv/lib/python3.12/site-packages/PyYAML-6.0.1.dist-info/RECORD
yaml/__init__.py,,
"#;

const TYPESCRIPT: &str = r#"
//- /src/app.ts
import { z, parse } from "zod";
import * as plain from "plain";
import type { Kit } from "@scope/kit";

export function run(kit: Kit) {
  z.object();
  parse("x");
  plain.pad("y");
  kit.start();
  const made = plain.pad("y");
  made.width;
}
//- /package.json
{"dependencies": {"zod": "^3.0.0", "plain": "1.0.0", "@scope/kit": "1.0.0"}}
//- /.gitignore
node_modules/
//- /node_modules/zod/package.json
{"name": "zod", "version": "3.22.0", "main": "index.js", "types": "./types.d.ts"}
//- /node_modules/zod/index.js
exports.parse = function (text) {};
//- /node_modules/zod/types.d.ts
export * from "./parse";
export * as z from "./schema";
//- /node_modules/zod/parse.d.ts
export declare function parse(text: string): string;
//- /node_modules/zod/schema.d.ts
export declare function object(): void;
//- /node_modules/plain/package.json
{"name": "plain", "version": "1.0.0", "main": "index.js"}
//- /node_modules/plain/index.js
exports.pad = function (text) {};
//- /node_modules/@types/plain/package.json
{"name": "@types/plain", "version": "1.0.5", "types": "index.d.ts"}
//- /node_modules/@types/plain/index.d.ts
import { Padded } from "only-types";
export function pad(text: string): Padded;
//- /node_modules/@types/only-types/package.json
{"name": "@types/only-types", "version": "1.0.0", "types": "index.d.ts"}
//- /node_modules/@types/only-types/index.d.ts
export interface Padded {
  width: number;
}
//- /node_modules/@scope/kit/package.json
{"name": "@scope/kit", "version": "1.0.0", "exports": {".": {"types": "./dist/index.d.mts", "default": "./dist/index.mjs"}}}
//- /node_modules/@scope/kit/dist/index.d.mts
interface Kit {
  start(): void;
}
export { Kit };
"#;

const RUST_AND_GO: &str = r#"
//- /app/Cargo.toml
[package]
name = "app"
[dependencies]
serde-like = "1"
//- /app/Cargo.lock
[[package]]
name = "serde-like"
version = "1.2.0"
source = "registry+x"
//- /app/src/main.rs
use serde_like::Serialize;

fn main() {
    serde_like::make();
}

fn write<T: Serialize>(value: T) {}
//- /app/go.mod
module example.com/app
require example.com/Kit/cobra v1.8.0
//- /app/main.go
package main

import (
	"example.com/Kit/cobra"
	"fmt"
)

func main() {
	var command cobra.Command
	command.Execute()
	fmt.Println("x")
}
//- /home/registry/src/index.crates.io-1/serde-like-1.1.0/src/lib.rs
pub fn make() {}
//- /home/registry/src/index.crates.io-1/serde-like-1.2.0/Cargo.toml
[package]
name = "serde-like"
//- /home/registry/src/index.crates.io-1/serde-like-1.2.0/src/lib.rs
mod ser;
pub use ser::{Serialize, Maker};

pub fn make() -> Maker {
    Maker
}
//- /home/registry/src/index.crates.io-1/serde-like-1.2.0/src/ser.rs
pub trait Serialize {}

pub struct Maker;

impl Maker {
    pub fn run(&self) {}
}
//- /mod/example.com/!kit/cobra@v1.8.0/command.go
package cobra

type Command struct{}

func (c *Command) Execute() error { return nil }
//- /go/src/fmt/print.go
package fmt

func Println(a ...any) {}
"#;

/// Returns a world in which no language server is found.
fn quiet_world() -> World {
    World::new().env("PATH", "/nowhere")
}

fn define(mcp: &mut Mcp, root: &str, file: &str, line: u32, col: u32) -> Answer {
    mcp.call("nav_definition", json!({"file": file, "line": line, "col": col, "root": root}))
}

/// Returns the end of the path, and the line, of the only place in an answer.
fn place_below(answer: &Answer, folder: &str) -> String {
    let found = answer.list("/locations");
    assert_eq!(found.len(), 1, "{answer}");
    let file = found[0]["file"].as_str().unwrap_or_default();
    let below = file.split_once(folder).map_or(file, |(_, rest)| rest);
    format!("{below}:{}", found[0]["line"])
}

fn check_all(tree: &Tree, mcp: &mut Mcp, folder: &str, expected: &[(&str, u32, u32, &str)]) {
    for (file, line, col, wanted) in expected {
        let answer = define(mcp, &tree.root().display().to_string(), file, *line, *col);
        assert_eq!(place_below(&answer, folder), *wanted, "{file}:{line}:{col} {answer}");
        assert_eq!(answer.list("/locations")[0]["external"], Value::Bool(true), "{answer}");
    }
}

#[test]
fn python_names_lead_into_packages() {
    let world = quiet_world();
    let tree = world.tree(PYTHON);
    git(&World::new(), tree.root(), "init -q");
    let mut mcp = world.mcp(&tree);
    check_all(
        &tree,
        &mut mcp,
        "site-packages/",
        &[
            ("app.py", 8, 23, "requests/api.py:1"),
            ("app.py", 9, 16, "numpy/linalg/_linalg.py:3"),
            ("app.py", 10, 6, "yaml/__init__.py:1"),
            ("app.py", 3, 26, "yaml/__init__.py:1"),
            ("app.py", 7, 29, "requests/sessions.py:6"),
            ("app.py", 11, 14, "requests/sessions.py:7"),
            ("app.py", 13, 11, "requests/sessions.py:2"),
        ],
    );
    let answer = define(&mut mcp, ".", "app.py", 8, 23);
    answer.says("requests 2.31.0").says("dep:requests");
    assert!(answer.to_string().contains("def get(url, params=None)"), "{answer}");
    // The answer says that the package is not installed, and only the import is known.
    define(&mut mcp, ".", "app.py", 14, 6).says("`absent` is not on this machine");
    // The project's own map does not contain it.
    let own = mcp.call("map_search", json!({"query": ["norm"]}));
    assert!(own.list("/results").is_empty(), "{own}");
}

#[test]
fn what_a_function_calls_is_named_with_its_signature() {
    let world = quiet_world();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let out =
        mcp.call("map_neighbors", json!({"nodeId": "load", "direction": "out", "edgeKinds": ["calls"]}));
    let text = out.to_string();
    assert!(text.contains("requests/api.py:1") && text.contains("def get(url, params=None)"), "{out}");
    let read = mcp.call("read_symbols", json!({"targets": ["requests.get"]}));
    assert!(read.to_string().contains("Sends a GET request"), "{read}");
    read.says("requests 2.31.0");
    let none = mcp.call("read_symbols", json!({"targets": ["requests.nothing"]}));
    assert!(none.to_string().contains("requests.nothing"), "{none}");
}

#[test]
fn typescript_names_lead_to_declarations() {
    let world = quiet_world();
    let tree = world.tree(TYPESCRIPT);
    let mut mcp = world.mcp(&tree);
    check_all(
        &tree,
        &mut mcp,
        "node_modules/",
        &[
            ("src/app.ts", 6, 5, "zod/schema.d.ts:1"),
            ("src/app.ts", 7, 3, "zod/parse.d.ts:1"),
            ("src/app.ts", 1, 13, "zod/parse.d.ts:1"),
            ("src/app.ts", 8, 9, "@types/plain/index.d.ts:2"),
            ("src/app.ts", 5, 26, "@scope/kit/dist/index.d.mts:1"),
            ("src/app.ts", 9, 7, "@scope/kit/dist/index.d.mts:2"),
            ("src/app.ts", 11, 8, "@types/only-types/index.d.ts:2"),
        ],
    );
    define(&mut mcp, ".", "src/app.ts", 7, 3).says("zod 3.22.0");
}

#[test]
fn rust_and_go_names_lead_into_caches() {
    let mut world = quiet_world();
    let folder = world.tree(RUST_AND_GO);
    let below = |name: &str| folder.root().join(name).display().to_string();
    world = world.env("CARGO_HOME", below("home")).env("GOMODCACHE", below("mod")).env("GOROOT", below("go"));
    let app = below("app");
    git(&World::new(), &folder.root().join("app"), "init -q");
    let mut mcp = world.mcp(&folder);
    for (file, line, col, wanted) in [
        ("src/main.rs", 1, 17, "serde-like-1.2.0/src/ser.rs:1"),
        ("src/main.rs", 4, 17, "serde-like-1.2.0/src/lib.rs:4"),
        ("src/main.rs", 7, 13, "serde-like-1.2.0/src/ser.rs:1"),
        ("main.go", 9, 20, "cobra@v1.8.0/command.go:3"),
        ("main.go", 10, 10, "cobra@v1.8.0/command.go:5"),
        ("main.go", 11, 6, "fmt/print.go:3"),
    ] {
        let answer = define(&mut mcp, &app, file, line, col);
        assert!(place_below(&answer, "\0").ends_with(wanted), "{file}:{line}:{col} {answer}");
    }
}

#[test]
fn all_dependencies_are_asked_at_once() {
    let world = quiet_world();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("regex_search", json!({"pattern": "^def ", "in": "deps"}));
    let files = found.texts("/matches", "file").join(" ");
    assert!(files.contains("requests/api.py") && files.contains("yaml/__init__.py"), "{found}");
    found.says("Asked").says("not on this machine: absent");
    let read = mcp.call("read_symbols", json!({"targets": ["norm", "load"], "in": "deps"}));
    assert_eq!(read.list("/symbols").len(), 2, "{read}");
    let refused = mcp.call("map_path", json!({"from": "a", "to": "b", "in": "deps"}));
    assert!(refused.to_string().contains("does not take in"), "{refused}");
}
