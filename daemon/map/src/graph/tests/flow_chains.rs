//! Tests the places along which values get to a call.

use std::sync::Arc;

use hob_base::CancelToken;

use crate::fixture::{files, lookup_node, map};
use crate::graph::{Confidence, EdgeKind, EdgeKinds, FlowChain, FlowEdge, FlowSources, Map, NodeRef};

/// Returns a node by its ID, whose language follows from the path.
fn node_called(map: &Map, id: &str) -> NodeRef {
    let path = id.split('#').next().unwrap_or_default();
    let lang = path.rsplit('.').next().unwrap_or_default();
    lookup_node(map, &format!("{lang}:{id}"))
}

/// Returns the chain of the only `flow` edge between two nodes; files are read from `fixture`.
fn chain_between(map: &Map, fixture: &str, from: &str, to: &str) -> Option<FlowChain> {
    let (from, to) = (node_called(map, from), node_called(map, to));
    let calls: EdgeKinds = [EdgeKind::Calls].into_iter().collect();
    let edges = map.edges_out(from, calls);
    let edge = edges.iter().find(|edge| edge.to == to && edge.confidence == Confidence::Flow);
    let lines = edge.expect("an edge through values").sites.clone();
    let edge = FlowEdge { from: map.id(from), to: map.id(to), lines };
    explain(map, &edge, fixture)
}

/// Explains an edge; files are read from `fixture`.
fn explain(map: &Map, edge: &FlowEdge, fixture: &str) -> Option<FlowChain> {
    let texts = files(fixture);
    let mut sources = FlowSources::new(CancelToken::default());
    loop {
        let chain = map.explain_flow(edge, &sources);
        let missing = sources.take_missing();
        if chain.is_some() || missing.is_empty() {
            return chain;
        }
        for missing in missing {
            let text = texts.iter().find(|(known, _)| known == missing.path.as_str());
            let bytes = text.map(|(_, text)| Arc::from(text.as_bytes()));
            sources.add(missing, bytes);
        }
    }
}

/// Checks the places of an edge, a line for each: `path:line text`.
#[track_caller]
fn check_chain(fixture: &str, from: &str, to: &str, expected: &str) {
    let chain = chain_between(&map(fixture), fixture, from, to).expect("a chain");
    let shown: Vec<String> =
        chain.places.iter().map(|place| format!("{}:{} {}", place.path, place.line, place.text)).collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(shown, expected);
    assert_eq!(chain.left_out, 0);
}

#[test]
fn a_chain_names_every_variable_that_carries_a_function() {
    check_chain(
        "
//- /a.py
def f(): pass
a = f
def other(): pass
b = a
b()
",
        "a.py",
        "a.py#f",
        "a.py:1 def f(): pass
         a.py:2 a = f
         a.py:4 b = a
         a.py:5 b()",
    );
    check_chain(
        "
//- /a.js
function f() {}
const a = f;
let b;
b = (a);
b();
",
        "a.js",
        "a.js#f",
        "a.js:1 function f() {}
         a.js:2 const a = f;
         a.js:4 b = (a);
         a.js:5 b();",
    );
}

#[test]
fn a_chain_leads_through_arguments_into_other_files() {
    check_chain(
        "
//- /lib.py
def run(task, *, after=None):
    after()
//- /a.py
from lib import run as start
def f(): pass
def g(): pass
last = g
start(
    f,
    after=last,
)
",
        "lib.py#run",
        "a.py#g",
        "a.py:3 def g(): pass
         a.py:4 last = g
         a.py:7 after=last,
         lib.py:2 after()",
    );
    check_chain(
        "
//- /lib.ts
export function run(task: () => void) {
  const again = task;
  again();
}
//- /a.ts
import { run } from './lib';
function f() {}
run(f);
",
        "lib.ts#run",
        "a.ts#f",
        "a.ts:2 function f() {}
         a.ts:3 run(f);
         lib.ts:2 const again = task;
         lib.ts:3 again();",
    );
}

#[test]
fn a_chain_leads_through_tables() {
    check_chain(
        "
//- /table.py
from work import load
HANDLERS = {
    'load': load,
}
//- /work.py
def load(): pass
//- /main.py
from table import HANDLERS
def dispatch(name):
    HANDLERS[name]()
",
        "main.py#dispatch",
        "work.py#load",
        "work.py:1 def load(): pass
         table.py:3 'load': load,
         table.py:2 HANDLERS = {
         main.py:3 HANDLERS[name]()",
    );
    check_chain(
        "
//- /a.js
function f() {}
const table = {};
table.go = f;
function main(name) {
  table[name]();
}
",
        "a.js#main",
        "a.js#f",
        "a.js:1 function f() {}
         a.js:3 table.go = f;
         a.js:2 const table = {};
         a.js:5 table[name]();",
    );
}

#[test]
fn a_chain_leads_through_fields() {
    check_chain(
        "
//- /a.py
def f(): pass
class Box:
    def __init__(self, what):
        self.what = what
    def open(self):
        self.what()
Box(f).open()
",
        "a.py#Box.open",
        "a.py#f",
        "a.py:1 def f(): pass
         a.py:7 Box(f).open()
         a.py:4 self.what = what
         a.py:6 self.what()",
    );
    check_chain(
        "
//- /a.js
function f() {}
class Box {
  constructor(what) { this.what = what; }
}
const box = new Box(f);
function main(given) {
  given.what();
}
main(box);
",
        "a.js#main",
        "a.js#f",
        "a.js:1 function f() {}
         a.js:5 const box = new Box(f);
         a.js:3 constructor(what) { this.what = what; }
         a.js:9 main(box);
         a.js:7 given.what();",
    );
}

#[test]
fn a_chain_leads_through_results() {
    check_chain(
        "
//- /a.py
def make():
    def inner(): pass
    return inner
made = make()
made()
",
        "a.py",
        "a.py#make.inner",
        "a.py:2 def inner(): pass
         a.py:3 return inner
         a.py:4 made = make()
         a.py:5 made()",
    );
    check_chain(
        "
//- /a.js
function f() {}
const choose = () => f;
choose()();
",
        "a.js",
        "a.js#f",
        "a.js:1 function f() {}
         a.js:2 const choose = () => f;
         a.js:3 choose()();",
    );
}

const DECORATED: &str = "
//- /a.py
def traced(function):
    def wrapper():
        function()
    return wrapper
@traced
def f(): pass
f()
";

#[test]
fn a_chain_leads_through_a_decorator_from_both_sides() {
    check_chain(
        DECORATED,
        "a.py",
        "a.py#traced.wrapper",
        "a.py:2 def wrapper():
         a.py:4 return wrapper
         a.py:5 @traced
         a.py:7 f()",
    );
    check_chain(
        DECORATED,
        "a.py#traced.wrapper",
        "a.py#f",
        "a.py:6 def f(): pass
         a.py:5 @traced
         a.py:3 function()",
    );
}

#[test]
fn a_callback_of_the_library_ends_where_it_is_handed_over() {
    check_chain(
        "
//- /a.py
def f(x): return x
key = f
sorted([1], key=key)
",
        "a.py",
        "a.py#f",
        "a.py:1 def f(x): return x
         a.py:2 key = f
         a.py:3 sorted([1], key=key)",
    );
}

#[test]
fn two_loops_over_one_list_have_nothing_to_do_with_one_another() {
    check_chain(
        "
//- /a.py
def f(): pass
hooks = [f]
def first():
    for hook in hooks:
        hook()
def second():
    for hook in hooks:
        hook()
    for hook in hooks:
        hook()
",
        "a.py#second",
        "a.py#f",
        "a.py:1 def f(): pass
         a.py:2 hooks = [f]
         a.py:7 for hook in hooks:
         a.py:8 hook()",
    );
}

#[test]
fn a_long_chain_is_cut_at_the_definition() {
    let names: Vec<String> = (1..30).map(|at| format!("a{at} = a{}\n", at - 1)).collect();
    let fixture = format!("//- /a.py\ndef f(): pass\na0 = f\n{}a29()\n", names.concat());
    let chain = chain_between(&map(&fixture), &fixture, "a.py", "a.py#f").expect("a chain");
    assert_eq!((chain.places.len(), chain.left_out), (16, 16));
    assert_eq!(chain.places.last().map(|place| place.text.as_str()), Some("a29()"));
}

#[test]
fn a_file_that_is_not_as_the_map_has_it_explains_nothing() {
    let fixture = "//- /a.py\ndef f(): pass\na = f\na()\n";
    let known = map(fixture);
    assert!(chain_between(&known, fixture, "a.py", "a.py#f").is_some());
    assert!(chain_between(&known, "//- /a.py\n\ndef f(): pass\na = f\na()\n", "a.py", "a.py#f").is_none());
    assert!(chain_between(&known, "", "a.py", "a.py#f").is_none());
}

#[test]
fn chains_of_notebooks_have_the_lines_of_the_notebook() {
    let cells = r#"{"cells": [{"cell_type": "code", "source": [
"def f(): pass\n",
"a = f\n",
"a()\n"
]}], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
"#;
    let fixture = format!("//- /a.ipynb\n{cells}");
    let chain = chain_between(&map(&fixture), &fixture, "a.ipynb", "a.ipynb#f").expect("a chain");
    let lines: Vec<u32> = chain.places.iter().map(|place| place.line).collect();
    assert_eq!(lines, [2, 3, 4]);
}
