//! Tests calls that reach definitions through values.

use crate::fixture::{derived_map, lookup_node, map, show_edge, shown_uses};
use crate::graph::{EdgeKind, EdgeKinds, NodeRef};
use hob_base::CancelToken;

/// Checks that a fixture has these calls through values and no others, from both ends.
#[track_caller]
fn check_calls(fixture: &str, expected: &[&str]) {
    let map = map(fixture);
    let found: Vec<String> = shown_uses(&map).into_iter().filter(|edge| edge.ends_with(" flow")).collect();
    assert_eq!(found, expected, "{:#?}", shown_uses(&map));
    let calls: EdgeKinds = [EdgeKind::Calls].into_iter().collect();
    for edge in expected {
        let to = edge.split(' ').nth(2).expect("an edge has an end");
        let lang = if to.contains(".js#") { "js" } else { "py" };
        let back = map
            .edges_in(lookup_node(&map, &format!("{lang}:{to}")), calls, &CancelToken::default())
            .expect("nobody stops it");
        let back: Vec<String> = back.iter().map(|edge| show_edge(&map, edge)).collect();
        assert!(back.iter().any(|one| one == edge), "{edge} is not among {back:#?}");
    }
}

#[test]
fn a_variable_is_what_it_holds() {
    check_calls(
        "
//- /a.py
def f(): pass
def g(): pass
a = f
a()
b, (c, *d) = f, (g, f)
b()
c()
",
        &["a.py calls a.py#f flow", "a.py calls a.py#g flow"],
    );
}

#[test]
fn of_two_assignments_in_a_row_the_second_counts() {
    check_calls(
        "
//- /a.py
def f(): pass
def g(): pass
a = f
a = g
a()
",
        &["a.py calls a.py#g flow"],
    );
    check_calls(
        "
//- /a.py
def f(): pass
def g(): pass
a = f
if a:
    a = g
a()
",
        &["a.py calls a.py#f flow", "a.py calls a.py#g flow"],
    );
}

#[test]
fn arguments_reach_parameters_in_other_files() {
    check_calls(
        "
//- /lib.py
def run(task, *, after=None):
    task()
    after()
//- /a.py
from lib import run as start
def f(): pass
def g(): pass
start(f, after=g)
",
        &["lib.py#run calls a.py#f flow", "lib.py#run calls a.py#g flow"],
    );
}

#[test]
fn handlers_in_a_table_are_called_where_it_is_read() {
    check_calls(
        "
//- /table.py
from work import load, save
HANDLERS = {'load': load, 'save': save}
//- /work.py
def load(): pass
def save(): pass
//- /main.py
from table import HANDLERS
def dispatch(name):
    HANDLERS[name]()
",
        &["main.py#dispatch calls work.py#load flow", "main.py#dispatch calls work.py#save flow"],
    );
}

#[test]
fn fields_are_those_of_the_object_that_a_call_made() {
    check_calls(
        "
//- /a.py
def f(): pass
def g(): pass
class Box:
    def __init__(self, what):
        self.what = what
one = Box(f)
two = Box(g)
two.what()
",
        &["a.py calls a.py#g flow"],
    );
    check_calls(
        "
//- /a.py
class A:
    def func(self): pass
class B:
    def __init__(self, a):
        self.a = a
    def func(self):
        self.a.func()
a = A()
b = B(a)
b.func()
",
        &["a.py#B.func calls a.py#A.func flow"],
    );
}

#[test]
fn decorators_do_not_mix_what_they_decorate() {
    check_calls(
        "
//- /a.py
def same(f):
    return f
def wraps(f):
    def inner():
        return f()
    return inner
@same
def one(): pass
@same
def two(): pass
@wraps
def three(): pass
def go():
    one()
    three()
",
        &["a.py#go calls a.py#wraps.inner flow", "a.py#wraps.inner calls a.py#three flow"],
    );
}

#[test]
fn callbacks_of_the_library_are_called_where_they_are_passed() {
    check_calls(
        "
//- /a.py
def f(x): pass
def g(x): pass
map(f, [1])
sorted([1], key=g)
",
        &["a.py calls a.py#f flow", "a.py calls a.py#g flow"],
    );
    check_calls(
        "
//- /a.js
function f() {}
function g() {}
function go(list, page) {
  list.map(f);
  page.addEventListener('load', g);
}
",
        &["a.js#go calls a.js#f flow", "a.js#go calls a.js#g flow"],
    );
}

#[test]
fn an_object_that_is_called_runs_its_method() {
    check_calls(
        "
//- /a.py
class Job:
    def __call__(self): pass
def go():
    job = Job()
    job()
",
        &["a.py#go calls a.py#Job.__call__ flow"],
    );
}

#[test]
fn a_field_that_is_surely_stored_again_has_lost_what_the_constructor_gave_it() {
    check_calls(
        "
//- /box.js
export class Box {
  constructor(run) { this.run = run; }
  change(run) { this.run = run; }
}
export function set(box, run) {
  function store() { box.run = run; }
  store();
}
//- /main.js
import { Box, set } from './box.js';
function f() {}
function g() {}
function one() {
  const box = new Box(f);
  box.change(g);
  box.run();
}
function two() {
  const box = new Box(f);
  set(box, g);
  box.run();
}
",
        &["main.js#one calls main.js#g flow", "main.js#two calls main.js#g flow"],
    );
}

#[test]
fn a_field_that_may_be_stored_again_keeps_what_the_constructor_gave_it() {
    check_calls(
        "
//- /box.js
export class Box {
  constructor(run) { this.run = run; }
  change(run) { if (!run) return; this.run = run; }
  swap(run) { this.run = run; }
}
//- /main.js
import { Box } from './box.js';
function f() {}
function g() {}
function inner(yes) {
  const box = new Box(f);
  box.change(g);
  yes && box.swap(g);
  box.run();
}
function before() {
  const box = new Box(f);
  box.run();
  box.swap(f);
}
",
        &[
            "main.js#before calls main.js#f flow",
            "main.js#before calls main.js#g flow",
            "main.js#inner calls main.js#f flow",
            "main.js#inner calls main.js#g flow",
        ],
    );
}

#[test]
fn javascript_objects_destructuring_and_returns_are_followed() {
    check_calls(
        "
//- /work.js
export function load() {}
export function save() {}
//- /table.js
import { load, save } from './work.js';
export const handlers = { load, save };
export function pick() { return handlers; }
//- /main.js
import { handlers, pick } from './table.js';
export function dispatch(name) { handlers[name](); }
export function one() {
  const { save: keep } = pick();
  keep();
}
",
        &[
            "main.js#dispatch calls work.js#load flow",
            "main.js#dispatch calls work.js#save flow",
            "main.js#one calls work.js#save flow",
        ],
    );
}

#[test]
fn a_path_goes_through_values_in_the_drawn_graph_too() {
    let map = derived_map(
        "
//- /a.py
def f(): pass
def run(task):
    task()
def main():
    run(f)
",
    );
    let calls: EdgeKinds = [EdgeKind::Calls].into_iter().collect();
    let out = map.edges_out(lookup_node(&map, "run"), calls);
    let ends: Vec<NodeRef> = out.iter().map(|edge| edge.to).collect();
    assert_eq!(ends, [lookup_node(&map, "f")]);
}

/// Such a container once overflowed the daemon's stack.
#[test]
fn a_container_may_be_spread_into_itself() {
    let map = derived_map(
        "
//- /a.py
def f(): pass
handlers = []
def add(more):
    global handlers
    handlers = [*handlers, *more]
add([f])
for handler in handlers:
    handler()
//- /b.js
function g() {}
let all = {}
function join() { all = { ...all, go: g } }
all.go()
",
    );
    assert!(
        shown_uses(&map).iter().any(|edge| edge.starts_with("a.py calls a.py#add")),
        "{:#?}",
        shown_uses(&map)
    );
}
