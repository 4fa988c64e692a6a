//! Tests each rung of the confidence ladder, and cases that must not be mistaken for it.

use crate::fixture::{check_edges, lookup_node, map, show_edge, shown_edges};
use crate::graph::{Direction, EdgeKind, EdgeKinds};
use hob_base::CancelToken;

/// Returns the edges that end at a node, as lines, sorted.
fn inbound_lines(fixture: &str, target: &str) -> Vec<String> {
    let map = map(fixture);
    let node = lookup_node(&map, target);
    let kinds = EdgeKinds::ALL.without(EdgeKind::Contains);
    let found = map.edges_in(node, kinds, &CancelToken::default()).expect("no deadline");
    let mut shown: Vec<String> = found.iter().map(|edge| show_edge(&map, edge)).collect();
    shown.sort();
    shown
}

#[test]
fn scopes_of_the_file_and_the_class_at_hand_are_exact() {
    check_edges(
        "
//- /a.py
def helper(): pass

class Base:
    def run(self):
        helper()
        self.step()

    def step(self): pass

def outer():
    def inner(): pass
    inner()
    Base()
",
        "
a.py#Base.run calls a.py#helper exact
a.py#Base.run calls a.py#Base.step exact
a.py#outer calls a.py#outer.inner exact
a.py#outer calls a.py#Base exact
",
    );
}

#[test]
fn imports_are_followed_through_packages_and_renames() {
    check_edges(
        "
//- /pkg/__init__.py
from .impl import work as do_work
from .impl import *
//- /pkg/impl.py
def work(): pass
def other(): pass
//- /main.py
from pkg import do_work, other
import pkg.impl as m
import pkg.impl
def go():
    do_work()
    other()
    m.work()
    pkg.impl.work()
",
        "
main.py#go calls pkg/impl.py#other import
main.py#go calls pkg/impl.py#work import
pkg/__init__.py exports pkg/impl.py import
pkg/__init__.py exports pkg/impl.py#work import
",
    );
}

#[test]
fn a_submodule_is_imported_by_name() {
    check_edges(
        "
//- /pkg/__init__.py
//- /pkg/sub.py
def f(): pass
//- /pkg/use.py
from . import sub
from pkg import sub as again
def g():
    sub.f()
    again.f()
",
        "pkg/use.py#g calls pkg/sub.py#f import",
    );
}

#[test]
fn a_package_s_own_submodule_goes_before_one_behind_a_star() {
    check_edges(
        "
//- /base/__init__.py
class Model: pass
//- /base/functions/__init__.py
def lower(): pass
//- /gis/__init__.py
from base import *
//- /gis/functions.py
def snap(): pass
//- /use.py
from gis import functions
def go():
    functions.snap()
",
        "
gis/__init__.py exports base/__init__.py import
use.py#go calls gis/functions.py#snap import
",
    );
}

#[test]
fn members_come_from_bases_in_other_files() {
    check_edges(
        "
//- /base.py
class Root:
    def ping(self): pass
class Base(Root):
    pass
//- /child.py
import base
class Child(base.Base):
    def go(self):
        self.ping()
        super().ping()
    def ping(self): pass
class Grandchild(Child):
    def go(self):
        super().go()
",
        "
base.py#Base extends base.py#Root exact
child.py#Child extends base.py#Base import
child.py#Child.go calls child.py#Child.ping exact
child.py#Child.go calls base.py#Root.ping import
child.py#Grandchild extends child.py#Child exact
child.py#Grandchild.go calls child.py#Child.go exact
",
    );
}

#[test]
fn a_typed_receiver_leads_to_its_type() {
    check_edges(
        "
//- /db.py
class Store:
    def load(self): pass
class Cache:
    def load(self): pass
//- /use.py
from db import Store
def f(store: Store):
    store.load()
def g():
    s = Store()
    s.load()
",
        "
use.py#f calls db.py#Store.load import
use.py#f references db.py#Store import
use.py#g calls db.py#Store import
use.py#g calls db.py#Store.load import
",
    );
}

#[test]
fn a_unique_name_is_the_last_resort() {
    check_edges(
        "
//- /a.py
class Job:
    def reschedule(self): pass
    def start(self): pass
//- /b.py
def f(x):
    x.y().reschedule()
    x.y().start()
",
        "
b.py#f calls a.py#Job.reschedule name
b.py#f calls [a.py#Job.start] candidate
",
    );
}

#[test]
fn shared_names_stay_unresolved_with_the_nearest_first() {
    check_edges(
        "
//- /x/a.py
class A:
    def handle(self): pass
//- /y/b.py
class B:
    def handle(self): pass
//- /y/use.py
def f(thing):
    thing().handle()
",
        "y/use.py#f calls [y/b.py#B.handle x/a.py#A.handle] candidate",
    );
}

#[test]
fn ambiguous_callers_are_seen_from_the_definition() {
    let fixture = "
//- /x/a.py
class A:
    def handle(self): pass
//- /y/b.py
class B:
    def handle(self): pass
//- /y/use.py
def f(thing):
    thing().handle()
";
    assert_eq!(
        inbound_lines(fixture, "A.handle"),
        ["y/use.py#f calls [x/a.py#A.handle y/b.py#B.handle] candidate"]
    );
    assert_eq!(
        inbound_lines(fixture, "B.handle"),
        ["y/use.py#f calls [y/b.py#B.handle x/a.py#A.handle] candidate"]
    );
}

#[test]
fn what_is_imported_from_outside_is_never_pinned_on_the_project() {
    check_edges(
        "
//- /a.py
def dumps(x): pass
class Session:
    def get(self): pass
//- /b.py
import json
from requests import Session, dumps
def f():
    json.dumps(1)
    dumps(2)
    Session().get()
    s = Session()
    s.get()
",
        "
b.py#f calls py:ext:json import
b.py#f calls py:ext:requests import
b.py#f references py:ext:json import
",
    );
}

#[test]
fn names_of_the_language_are_not_the_projects() {
    check_edges(
        "
//- /a.py
def print(x): pass
class Stack:
    def append(self, x): pass
//- /b.py
def f(items):
    print(items)
    items.append(1)
",
        "b.py#f calls [a.py#Stack.append] candidate",
    );
}

#[test]
fn an_unseen_base_keeps_members_open() {
    check_edges(
        "
//- /a.py
class Other:
    def render(self): pass
//- /b.py
from django.views import View
class Page(View):
    def get(self):
        self.render()
",
        "
b.py#Page extends py:ext:django import
b.py#Page.get calls [a.py#Other.render] candidate
",
    );
}

#[test]
fn a_name_bound_to_an_attribute_is_the_variable() {
    check_edges(
        "
//- /registry.py
class Library:
    def register(self): pass
library = Library()
register = library.register
//- /use.py
from registry import register
def f():
    register()
",
        "
registry.py calls registry.py#Library exact
registry.py references registry.py#Library.register import
registry.py references registry.py#library exact
use.py#f calls registry.py#Library.register flow
use.py#f references registry.py#register import
",
    );
}

#[test]
fn cycles_end() {
    check_edges(
        "
//- /a.py
from b import thing
from b import *
class A(B): pass
//- /b.py
from a import thing
from a import *
class B(A): pass
//- /c.py
from a import thing, A
def f(): thing()
class C(A):
    def g(self):
        self.nothing()
",
        "
a.py#A extends b.py#B import
b.py#B extends a.py#A import
c.py#C extends a.py#A import
",
    );
}

#[test]
fn a_class_may_be_called_like_its_base() {
    check_edges(
        "
//- /a.py
class Form: pass
//- /b.py
from a import Form as BaseForm
import a
class Form(a.Form): pass
class Other(BaseForm): pass
",
        "
b.py#Form extends a.py#Form import
b.py#Other extends a.py#Form import
",
    );
}

#[test]
fn renamed_imports_are_seen_from_the_definition() {
    let fixture = "
//- /pkg/__init__.py
from .impl import work as do_work
//- /pkg/impl.py
def work(): pass
//- /main.py
from pkg import do_work as w
def go():
    w()
    w()
";
    assert_eq!(
        inbound_lines(fixture, "work"),
        [
            "main.py imports pkg/impl.py#work import",
            "main.py#go calls pkg/impl.py#work import",
            "pkg/__init__.py exports pkg/impl.py#work import",
            "pkg/__init__.py imports pkg/impl.py#work import",
        ]
    );
}

#[test]
fn files_know_who_imports_them() {
    let fixture = "
//- /pkg/__init__.py
//- /pkg/sub.py
//- /pkg/use.py
from . import sub
//- /main.py
import pkg.sub
//- /other/sub.py
//- /elsewhere.py
import sub
";
    assert_eq!(
        inbound_lines(fixture, "pkg/sub.py"),
        ["main.py imports pkg/sub.py import", "pkg/use.py imports pkg/sub.py import"]
    );
}

#[test]
fn a_second_definition_is_a_node_of_its_own() {
    let map = map("
//- /a.py
def f(): pass
def g(): pass
def f():
    g()
");
    let second = map.node(&"py:a.py#f~2".parse().expect("an id")).expect("the second f");
    assert_eq!(map.info(second).expect("info").lines, (3, 4));
    let out = map.edges_out(second, EdgeKinds::ALL);
    let shown: Vec<String> = out.iter().map(|edge| show_edge(&map, edge)).collect();
    assert_eq!(shown, ["a.py#f~2 calls a.py#g exact"]);
    assert_eq!(map.node(&"py:a.py#f~3".parse().expect("an id")), None);
}

#[test]
fn call_sites_are_kept() {
    let map = map("
//- /a.py
def f(): pass
def g():
    f()
    f()

    f()
");
    let f = lookup_node(&map, "f");
    let query = crate::graph::NeighborsQuery {
        node: f,
        direction: Direction::In,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: 1,
        max_nodes: 10,
        family: false,
        cancel: CancelToken::default(),
    };
    let answer = map.neighbors(&query).expect("the node is there");
    let [caller] = &answer.neighbors[..] else { panic!("{answer:?}") };
    assert_eq!((caller.site_count, &caller.sites[..]), (3, &[3, 4, 6][..]));
}

#[test]
fn containment_is_an_edge() {
    let map = map("
//- /a.py
class A:
    def f(self): pass
");
    assert_eq!(
        shown_edges(&map, [EdgeKind::Contains].into_iter().collect()),
        ["a.py contains a.py#A exact", "a.py#A contains a.py#A.f exact"]
    );
}
