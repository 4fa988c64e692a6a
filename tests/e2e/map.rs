//! Tests the map on small projects: which definitions are in which file, who uses them, and with what confidence.

use hob_tests::{Answer, World};
use serde_json::{Value, json};

/// One definition for each language that the map knows, each used from another file.
const POLYGLOT: &str = r#"
//- /py/shapes.py
class Shape:
    def area(self):
        return 0


def make_shape():
    return Shape()
//- /py/main.py
from py.shapes import make_shape


def draw_py():
    return make_shape()
//- /ts/shapes.ts
export interface Drawable { draw(): void }
export function makeShape(): Drawable {
  return { draw() {} };
}
//- /ts/main.ts
import { makeShape } from "./shapes";
export function drawTs() {
  return makeShape();
}
//- /js/shapes.js
export function makeJs() { return 1; }
//- /js/main.jsx
import { makeJs } from "./shapes.js";
export function DrawJs() { return makeJs(); }
//- /Cargo.toml
[package]
name = "shapes"
version = "0.1.0"
edition = "2024"
//- /src/lib.rs
pub mod shapes;

pub fn draw_rs() -> u32 {
    shapes::make_rs()
}
//- /src/shapes.rs
pub fn make_rs() -> u32 {
    1
}
//- /go.mod
module example.com/shapes
//- /goshapes/shapes.go
package goshapes

func MakeGo() int { return 1 }
//- /goshapes/main.go
package goshapes

func DrawGo() int { return MakeGo() }
//- /c/shapes.h
int make_c(int sides);
//- /c/shapes.c
#include "shapes.h"
int make_c(int sides) { return sides; }
//- /c/main.c
#include "shapes.h"
int draw_c(void) { return make_c(3); }
//- /cpp/shapes.hpp
namespace shapes {
class Circle {
public:
  double area() const;
};
}
//- /cpp/shapes.cpp
#include "shapes.hpp"
namespace shapes {
double Circle::area() const { return 3.14; }
double draw_cpp() { return Circle().area(); }
}
//- /java/shapes/Shape.java
package shapes;

public class Shape {
    public int makeJava() { return 1; }
}
//- /java/shapes/Main.java
package shapes;

public class Main {
    int drawJava() { return new Shape().makeJava(); }
}
//- /cs/Shape.cs
namespace Shapes;

public class Shape
{
    public int MakeSharp() { return 1; }
}
//- /cs/Main.cs
namespace Shapes;

public class Program
{
    public int DrawSharp() { return new Shape().MakeSharp(); }
}
//- /kt/Shapes.kt
package figures

fun makeKt(): Int = 1
//- /kt/Main.kt
package figures

fun drawKt(): Int = makeKt()
//- /scala/Maker.scala
package drawings

object Maker {
  def makeScala(): Int = 1
}
//- /scala/Main.scala
package drawings

object Main {
  def drawScala(): Int = Maker.makeScala()
}
//- /Sources/Shapes/Shapes.swift
func makeSwift() -> Int { return 1 }
//- /Sources/Shapes/Main.swift
func drawSwift() -> Int { return makeSwift() }
//- /rb/maker.rb
class Maker
  def self.make_rb
    1
  end
end
//- /rb/main.rb
require_relative "maker"

def draw_rb
  Maker.make_rb
end
//- /php/shapes.php
<?php
function make_php() { return 1; }
//- /php/main.php
<?php
require __DIR__ . "/shapes.php";
function draw_php() { return make_php(); }
//- /lua/shapes.lua
local M = {}
function M.make_lua() return 1 end
return M
//- /lua/main.lua
local shapes = require("shapes")
local function draw_lua() return shapes.make_lua() end
return draw_lua
//- /sh/shapes.sh
make_sh() { echo 1; }
//- /sh/main.sh
. ./shapes.sh
draw_sh() { make_sh; }
//- /web/App.vue
<template><p/></template>
<script setup lang="ts">
import { makeShape } from "../ts/shapes";
function drawWeb() { return makeShape(); }
</script>
"#;

/// The query, the node, the file and the line of each definition.
const DEFINITIONS: &[(&str, &str, &str, u64)] = &[
    ("Shape.area", "py:py/shapes.py#Shape.area", "py/shapes.py", 2),
    ("make_shape", "py:py/shapes.py#make_shape", "py/shapes.py", 6),
    ("makeShape", "ts:ts/shapes.ts#makeShape", "ts/shapes.ts", 2),
    ("Drawable", "ts:ts/shapes.ts#Drawable", "ts/shapes.ts", 1),
    ("makeJs", "js:js/shapes.js#makeJs", "js/shapes.js", 1),
    ("make_rs", "rs:src/shapes.rs#make_rs", "src/shapes.rs", 1),
    ("MakeGo", "go:goshapes/shapes.go#MakeGo", "goshapes/shapes.go", 3),
    ("make_c", "c:c/shapes.c#make_c", "c/shapes.c", 2),
    ("Circle", "cpp:cpp/shapes.hpp#shapes.Circle", "cpp/shapes.hpp", 2),
    ("makeJava", "java:java/shapes/Shape.java#Shape.makeJava", "java/shapes/Shape.java", 4),
    ("MakeSharp", "cs:cs/Shape.cs#Shape.MakeSharp", "cs/Shape.cs", 5),
    ("makeKt", "kt:kt/Shapes.kt#makeKt", "kt/Shapes.kt", 3),
    ("makeScala", "scala:scala/Maker.scala#Maker.makeScala", "scala/Maker.scala", 4),
    ("makeSwift", "swift:Sources/Shapes/Shapes.swift#makeSwift", "Sources/Shapes/Shapes.swift", 1),
    ("make_rb", "rb:rb/maker.rb#Maker.make_rb", "rb/maker.rb", 2),
    ("make_php", "php:php/shapes.php#make_php", "php/shapes.php", 2),
    ("make_lua", "lua:lua/shapes.lua#M.make_lua", "lua/shapes.lua", 2),
    ("make_sh", "sh:sh/shapes.sh#make_sh", "sh/shapes.sh", 1),
    ("drawWeb", "vue:web/App.vue#drawWeb", "web/App.vue", 4),
];

/// Pairs of node IDs: the used definition, and the definition that uses it.
const USES: &[(&str, &str)] = &[
    ("py:py/shapes.py#make_shape", "py:py/main.py#draw_py"),
    ("ts:ts/shapes.ts#makeShape", "ts:ts/main.ts#drawTs"),
    ("js:js/shapes.js#makeJs", "js:js/main.jsx#DrawJs"),
    ("rs:src/shapes.rs#make_rs", "rs:src/lib.rs#draw_rs"),
    ("go:goshapes/shapes.go#MakeGo", "go:goshapes/main.go#DrawGo"),
    ("c:c/shapes.c#make_c", "c:c/main.c#draw_c"),
    ("java:java/shapes/Shape.java#Shape.makeJava", "java:java/shapes/Main.java#Main.drawJava"),
    ("cs:cs/Shape.cs#Shape.MakeSharp", "cs:cs/Main.cs#Program.DrawSharp"),
    ("kt:kt/Shapes.kt#makeKt", "kt:kt/Main.kt#drawKt"),
    ("scala:scala/Maker.scala#Maker.makeScala", "scala:scala/Main.scala#Main.drawScala"),
    ("swift:Sources/Shapes/Shapes.swift#makeSwift", "swift:Sources/Shapes/Main.swift#drawSwift"),
    ("rb:rb/maker.rb#Maker.make_rb", "rb:rb/main.rb#draw_rb"),
    ("php:php/shapes.php#make_php", "php:php/main.php#draw_php"),
    ("lua:lua/shapes.lua#M.make_lua", "lua:lua/main.lua#draw_lua"),
    ("sh:sh/shapes.sh#make_sh", "sh:sh/main.sh#draw_sh"),
    ("ts:ts/shapes.ts#makeShape", "vue:web/App.vue#drawWeb"),
];

/// Returns the one result with this ID.
#[track_caller]
pub(crate) fn hit<'a>(answer: &'a Answer, id: &str) -> &'a Value {
    let found = answer.list("/results").iter().find(|hit| hit["id"] == id);
    found.unwrap_or_else(|| panic!("`{id}` was to be found{answer}"))
}

#[test]
fn a_definition_is_found_in_every_language() {
    let world = World::new();
    let tree = world.tree(POLYGLOT);
    let mut mcp = world.mcp(&tree);
    for (query, id, file, line) in DEFINITIONS {
        let answer = mcp.call("map_search", json!({"query": query}));
        let hit = hit(&answer, id);
        assert_eq!((&hit["file"], &hit["line"]), (&json!(file), &json!(line)), "{id}{answer}");
        answer.without_warnings();
    }
}

#[test]
fn a_user_is_found_in_every_language() {
    let world = World::new();
    let tree = world.tree(POLYGLOT);
    let mut mcp = world.mcp(&tree);
    for (used, user) in USES {
        let inward =
            mcp.call("map_neighbors", json!({"nodeId": used, "direction": "in", "edgeKinds": ["calls"]}));
        let edge = inward.list("/neighbors").iter().find(|n| n["id"] == *user);
        let edge = edge.unwrap_or_else(|| panic!("`{user}` calls `{used}`{inward}"));
        assert_eq!((&edge["resolved"], &edge["direction"]), (&json!(true), &json!("in")), "{inward}");
        assert!(edge["sites"].as_array().is_some_and(|sites| !sites.is_empty()), "a call has a line{inward}");
        let outward =
            mcp.call("map_neighbors", json!({"nodeId": user, "direction": "out", "edgeKinds": ["calls"]}));
        assert!(
            outward.texts("/neighbors", "id").contains(used),
            "the same edge from its other end{outward}"
        );
    }
}

#[test]
fn a_foreign_function_is_never_taken_for_ones_own() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /own.py
def loads(text):
    return text
//- /user.py
from json import loads


def use():
    return loads("1")
"#,
    );
    let answer = world.call(&tree, "map_neighbors", &json!({"nodeId": "py:own.py#loads", "direction": "in"}));
    let calls = answer.list("/neighbors").iter().filter(|n| n["edge"] == "calls").count();
    assert_eq!(calls, 0, "`json.loads` is not `own.loads`{answer}");
}

#[test]
fn a_path_leads_from_caller_to_callee_and_says_when_there_is_none() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /a.py
from b import middle
def start(): return middle()
//- /b.py
from c import end
def middle(): return end()
//- /c.py
def end(): return 1
//- /d.py
def alone(): return 1
"#,
    );
    let mut mcp = world.mcp(&tree);
    let path = mcp.call("map_path", json!({"from": "py:a.py#start", "to": "py:c.py#end"}));
    assert_eq!(path.whole()["found"], true, "{path}");
    assert_eq!(path.texts("/nodes", "id"), ["py:a.py#start", "py:b.py#middle", "py:c.py#end"], "{path}");
    assert_eq!(path.texts("/edges", "kind"), ["calls", "calls"], "{path}");
    let args = json!({"from": "py:c.py#end", "to": "py:a.py#start", "direction": "in"});
    let back = mcp.call("map_path", args);
    assert_eq!(back.texts("/edges", "direction"), ["in", "in"], "the way back is asked for{back}");
    let none = mcp.call("map_path", json!({"from": "py:a.py#start", "to": "py:d.py#alone"}));
    assert_eq!((&none.ok()["found"], &none.ok()["length"]), (&json!(false), &json!(0)), "{none}");
    assert!(none.warnings().contains("No chain"), "{none}");
}

#[test]
fn an_overview_names_the_parts_and_the_languages() {
    let world = World::new();
    let tree = world.tree(POLYGLOT);
    let mut mcp = world.mcp(&tree);
    let overview = mcp.call("map_overview", json!({}));
    let languages = overview.whole()["languages"].as_object().expect("languages by name");
    assert_eq!(languages.len(), 17, "{overview}");
    let files: u64 = languages.values().filter_map(Value::as_u64).sum();
    assert_eq!(overview.ok()["files"], files, "{overview}");
    let in_clusters: u64 = overview.list("/clusters").iter().filter_map(|c| c["files"].as_u64()).sum();
    assert_eq!(in_clusters, files, "every file is in one cluster{overview}");
    let focused = mcp.call("map_overview", json!({"focus": "java"}));
    let hubs = focused.list("/clusters").iter().flat_map(|c| c["hubs"].as_array().into_iter().flatten());
    let ids: Vec<_> = hubs.filter_map(|hub| hub["id"].as_str()).collect();
    assert!(!ids.is_empty() && ids.iter().all(|id| id.starts_with("java:")), "{focused}");
    let unknown = mcp.call("map_overview", json!({"focus": "no-such-part"}));
    let error = unknown.error("SYMBOL_NOT_FOUND");
    assert!(error["message"].to_string().contains("no-such-part"), "{unknown}");
}

#[test]
fn a_status_says_what_is_there() {
    let world = World::new();
    let tree = world.tree(POLYGLOT);
    let mut mcp = world.mcp(&tree);
    let search = mcp.call("map_search", json!({"query": "make"}));
    assert!(search.ok()["total"].as_u64() >= Some(6), "{search}");
    let status = mcp.call("map_status", json!({}));
    let data = status.whole();
    assert_eq!(data["root"], tree.root().to_str().expect("a plain path"), "{status}");
    assert_eq!((&data["built"], &data["staleFiles"]), (&json!(true), &json!(0)), "{status}");
    assert!(data["symbols"].as_u64() >= Some(15), "{status}");
    assert_eq!(data["daemon"]["pid"], world.daemon_pid().expect("it runs"), "{status}");
}

#[test]
fn kinds_and_folders_narrow_a_search() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /a/x.py
class Widget:
    def widget(self): pass
def widget_of(): pass
//- /b/widget.py
WIDGET = 1
"#,
    );
    let mut mcp = world.mcp(&tree);
    let mut ids = |args: Value| {
        let answer = mcp.call("map_search", args);
        let mut ids: Vec<String> = answer.texts("/results", "id").iter().map(|id| (*id).to_owned()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(json!({"query": "widget", "kind": "class"})), ["py:a/x.py#Widget"]);
    assert_eq!(ids(json!({"query": "widget", "kind": "method"})), ["py:a/x.py#Widget.widget"]);
    assert_eq!(ids(json!({"query": "widget", "kind": "function"})), ["py:a/x.py#widget_of"]);
    assert_eq!(ids(json!({"query": "widget", "kind": "file"})), ["py:b/widget.py"]);
    assert!(ids(json!({"query": "widget", "pathPrefix": "b"})).iter().all(|id| id.starts_with("py:b/")));
    assert_eq!(
        ids(json!({"query": "widgit_of"})),
        ["py:a/x.py#widget_of"],
        "a slip of the finger still finds it"
    );
}

/// A handler that is put into a table in one file and called by a key in another.
const HANDLERS: &str = r#"
//- /handlers.py
def save(order):
    return order


keep = save
TABLE = {
    "save": keep,
}
//- /main.py
from handlers import TABLE


def dispatch(name, order):
    handler = TABLE[name]
    return handler(order)
"#;

#[test]
fn an_edge_by_values_is_explained_on_request() {
    let world = World::new();
    let tree = world.tree(HANDLERS);
    let mut mcp = world.mcp(&tree);
    let args = |why: bool| json!({"nodeId": "save", "direction": "in", "edgeKinds": ["calls"], "why": why});
    let plain = mcp.call("map_neighbors", args(false));
    let caller = &plain.list("/neighbors")[0];
    assert_eq!((&caller["confidence"], caller.get("chain")), (&json!("flow"), None), "{plain}");
    let explained = mcp.call("map_neighbors", args(true));
    let place = |location: &str, text: &str| json!({"location": location, "text": text});
    let expected = json!([
        place("handlers.py:1", "def save(order):"),
        place("handlers.py:5", "keep = save"),
        place("handlers.py:7", "\"save\": keep,"),
        place("handlers.py:6", "TABLE = {"),
        place("main.py:5", "handler = TABLE[name]"),
        place("main.py:6", "return handler(order)"),
    ]);
    assert_eq!(explained.list("/neighbors")[0]["chain"], expected, "{explained}");
    let forwards = json!({"nodeId": "dispatch", "direction": "out", "edgeKinds": ["calls"], "why": true});
    let forwards = mcp.call("map_neighbors", forwards);
    assert_eq!(forwards.list("/neighbors")[0]["chain"], expected, "from the other end{forwards}");
    let text = mcp.read("map_neighbors", args(true));
    let lines = "main.py\n >6 dispatch: return handler(order)\n   handlers.py:1 def save(order):\n   handlers.py:5 keep = save\n   \
                 handlers.py:7 \"save\": keep,\n   handlers.py:6 TABLE = {\n   main.py:5 handler = TABLE[name]\n   \
                 main.py:6 return handler(order)\n";
    assert!(text.starts_with(lines), "{text}");
    assert!(!mcp.read("map_neighbors", args(false)).contains("keep = save"));
    let path = |why: bool| json!({"from": "dispatch", "to": "save", "why": why});
    assert_eq!(mcp.call("map_path", path(true)).ok()["edges"][0]["chain"], expected, "as a step of a path");
    let text = mcp.read("map_path", path(true));
    assert!(
        text.starts_with("main.py\n >6 dispatch: return handler(order)\n   handlers.py:1 def save(order):\n"),
        "{text}"
    );
    assert!(!mcp.read("map_path", path(false)).contains("keep = save"));
}
