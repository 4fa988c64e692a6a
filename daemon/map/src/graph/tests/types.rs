//! Tests the types of values as other files state them: results, fields, annotations, and arguments of functions.

use crate::fixture::{check_edges, lookup_node, map, show_edge, shown_uses};
use crate::graph::EdgeKinds;
use hob_base::CancelToken;

/// Returns the edges that end at a node, as lines, sorted.
fn inbound_lines(fixture: &str, target: &str) -> Vec<String> {
    let map = map(fixture);
    let kinds = EdgeKinds::ALL.without(crate::graph::EdgeKind::Contains);
    let found = map.edges_in(lookup_node(&map, target), kinds, &CancelToken::default()).expect("no deadline");
    let mut shown: Vec<String> = found.iter().map(|edge| show_edge(&map, edge)).collect();
    shown.sort();
    shown
}

const SHOP: &str = "
//- /shop.py
class Cart:
    def add(self): pass
    def copy(self):
        return self

class Other:
    def add(self): pass

class Store:
    def __init__(self, cart: Cart):
        self.cart = cart
        self.spare = Other()

    @property
    def current(self) -> Cart: ...

def open_store() -> Store: ...

def made():
    store = open_store()
    return store

default_store = open_store()
";

/// Checks the only edge that a file beside [`SHOP`] has to an `add`.
#[track_caller]
fn check_adds(text: &str, expected: &[&str]) {
    let fixture = format!("{SHOP}//- /use.py\n{text}");
    let map = map(&fixture);
    let found: Vec<String> = crate::fixture::shown_uses(&map)
        .into_iter()
        .filter(|edge| edge.starts_with("use.py") && edge.contains(".add"))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_declared_result_is_followed() {
    check_adds(
        "from shop import open_store\ndef go():\n    store = open_store()\n    store.cart.add()\n    store.spare.add()\n",
        &["use.py#go calls shop.py#Cart.add import", "use.py#go calls shop.py#Other.add import"],
    );
}

#[test]
fn a_result_that_all_returns_agree_on_is_followed() {
    check_adds(
        "import shop\ndef go():\n    shop.made().current.copy().add()\n",
        &["use.py#go calls shop.py#Cart.add import"],
    );
}

#[test]
fn a_variable_of_another_file_has_the_type_of_its_value() {
    check_adds(
        "from shop import default_store\ndef go():\n    default_store.cart.add()\n",
        &["use.py#go calls shop.py#Cart.add import"],
    );
}

#[test]
fn fields_of_a_base_in_another_file_have_its_types() {
    check_adds(
        "from shop import Store\nclass Mine(Store):\n    def go(self):\n        self.cart.add()\n",
        &["use.py#Mine.go calls shop.py#Cart.add import"],
    );
}

#[test]
fn what_a_package_outside_gives_is_not_the_projects() {
    check_adds(
        "import shelf\ndef go():\n    book = shelf.take()\n    book.add()\n    shelf.open().cart.add()\n",
        &[],
    );
}

#[test]
fn an_unknown_value_keeps_its_candidates() {
    check_adds(
        "def go(thing):\n    made = thing.make()\n    made.add()\n",
        &["use.py#go calls [shop.py#Cart.add shop.py#Other.add] candidate"],
    );
}

#[test]
fn what_with_enters_is_known() {
    check_adds(
        "from contextlib import contextmanager\nfrom collections.abc import Iterator\nfrom shop import Cart\n\n\
         @contextmanager\ndef held() -> Iterator[Cart]: ...\n\ndef go():\n    with held() as cart:\n        cart.add()\n",
        &["use.py#go calls shop.py#Cart.add import"],
    );
}

#[test]
fn a_name_below_decorators_with_keywords_is_no_reference() {
    check_edges(
        "
//- /a.py
def route(**options): ...

@route(methods=1)
def index(): ...
",
        "a.py#index calls a.py#route exact",
    );
}

const STREAM: &str = "
//- /stream.ts
export class Sink<T> {
  next(value: T) {}
}
export class Other {
  next() {}
}
export class Source<T> {
  constructor(run?: (this: Source<T>, sink: Sink<T>) => void) {}
  pipe(): Source<T> { return this; }
  map(): this { return this; }
  sink!: Sink<T>;
  subscribe(observer: (sink: Sink<T>, other?: Other) => void): void {}
}
export class Special<T> extends Source<T> {
  other() { return new Other(); }
}
export function operate<T>(init: (source: Source<T>, sink: Sink<T>) => void): void {}
export const create = <T>() => new Special<T>();
export const make = create;
";

#[track_caller]
fn check_nexts(text: &str, expected: &[&str]) {
    let map = map(&format!("{STREAM}//- /use.ts\n{text}"));
    let found: Vec<String> = crate::fixture::shown_uses(&map)
        .into_iter()
        .filter(|edge| edge.starts_with("use.ts") && edge.contains(".next"))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn functions_that_are_passed_get_what_is_declared() {
    let expected = ["use.ts calls stream.ts#Sink.next import"];
    check_nexts(
        "import { operate } from './stream';\noperate((source, sink) => { sink.next(1); });\n",
        &expected,
    );
    check_nexts("import { Source } from './stream';\nnew Source(sink => sink.next(1));\n", &expected);
    check_nexts(
        "import { Source } from './stream';\ndeclare const s: Source<number>;\ns.subscribe(function (sink) { sink.next(1); });\n",
        &expected,
    );
    check_nexts(
        "import { Source } from './stream';\ndeclare const s: Source<number>;\ns.subscribe((sink, other) => { other.next(1); });\n",
        &["use.ts calls stream.ts#Other.next import"],
    );
}

#[test]
fn chains_of_calls_are_followed() {
    let expected = ["use.ts#go calls stream.ts#Sink.next import"];
    check_nexts(
        "import { create } from './stream';\nfunction go() { create().pipe().sink.next(1); }\n",
        &expected,
    );
    check_nexts(
        "import * as all from './stream';\nfunction go() { const one = all.make().map(); one.other().next(); }\n",
        &["use.ts#go calls stream.ts#Other.next import"],
    );
}

#[test]
fn a_type_parameter_is_no_type() {
    check_nexts(
        "import { Sink } from './stream';\nfunction go<T>(make: () => T) { const one = make(); one.next(); }\n",
        &["use.ts#go calls [stream.ts#Sink.next stream.ts#Other.next] candidate"],
    );
}

#[test]
fn a_type_and_a_value_of_one_name_are_told_apart() {
    check_edges(
        "
//- /a.ts
export interface Shape { size: number }
export const Shape = make();
declare function make(): any;
//- /b.ts
import { Shape } from './a';
export function go(shape: Shape) { return Shape; }
",
        "
a.ts calls a.ts#make exact
b.ts#go references a.ts#Shape import
b.ts#go references a.ts#Shape~2 import
",
    );
}

#[test]
fn the_unlikeliest_candidate_is_seen_from_its_end() {
    let classes = (0..9).map(|at| format!("//- /m{at}.py\nclass C{at}:\n    def act(self): pass\n"));
    let fixture = classes.collect::<String>() + "//- /use.py\ndef go(thing):\n    thing.act()\n";
    let found = inbound_lines(&fixture, "C8.act");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("use.py#go calls [m8.py#C8.act "), "{found:?}");
}

#[test]
fn a_local_that_is_one_of_two_members_has_their_type_if_it_is_the_same() {
    let edges = shown_uses(&map("
//- /a.py
class Step:
    def commit(self): pass
class Other:
    def commit(self): pass
class Session:
    _step: 'Step | None'
    _other: Other
    def commit(self):
        step = self._step
        if step is None:
            step = self._begin()
        step.commit()
    def mixed(self):
        step = self._step
        if step is None:
            step = self._other
        step.commit()
    def _begin(self) -> Step: ...
"));
    let from = |who: &str| edges.iter().filter(|edge| edge.starts_with(who)).cloned().collect::<Vec<_>>();
    let commit = from("a.py#Session.commit calls");
    assert!(commit.contains(&"a.py#Session.commit calls a.py#Step.commit import".to_owned()), "{edges:?}");
    let mixed =
        ["a.py#Session.mixed calls a.py#Other.commit flow", "a.py#Session.mixed calls a.py#Step.commit flow"];
    assert_eq!(from("a.py#Session.mixed calls"), mixed);
}

#[test]
fn a_base_that_two_bases_share_comes_after_both_in_python() {
    let edges = shown_uses(&map("
//- /a.py
class Dialect:
    def roll(self): pass
class Multi(Dialect): pass
class Default(Dialect):
    def roll(self): pass
class MS(Multi, Default):
    def roll(self):
        super().roll()
    def run(self):
        self.other()
"));
    assert!(edges.iter().any(|edge| edge == "a.py#MS.roll calls a.py#Default.roll exact"), "{edges:?}");
}
