//! Tests which nodes a change affects.

use hob_base::CancelToken;

use super::family::GO;
use crate::fixture::{lookup_node, map};
use crate::graph::{Affected, Following, ImpactAnswer, ImpactQuery, Map};

fn impact_of(map: &Map, target: &str, max_depth: u32) -> ImpactAnswer {
    map.impact(&ImpactQuery {
        node: lookup_node(map, target),
        max_depth,
        following: Following::Sure,
        cancel: CancelToken::default(),
    })
}

/// Returns affected nodes as `depth cause confidence who`, with a `T` for tests.
fn lines(map: &Map, hits: &[Affected]) -> Vec<String> {
    let line = |hit: &Affected| {
        let id = map.id(hit.node).to_string();
        let who = id.split_once(':').expect("an ID").1;
        let test = if hit.is_test { " T" } else { "" };
        format!("{} {} {} {who}{test}", hit.depth, hit.cause.as_str(), hit.confidence.as_str())
    };
    hits.iter().map(line).collect()
}

const SHOP: &str = "
//- /base.py
class Store:
    def save(self): pass
def price(): return 1
//- /shop.py
from base import Store, price
class Shop(Store):
    def save(self):
        return price()
def buy(store: Store):
    store.save()
def total():
    return price()
def bill():
    return total()
def guess(thing):
    thing.save()
//- /listing.py
from base import price
//- /test_shop.py
from shop import bill
def test_bill():
    assert bill() == 1
";

#[test]
fn users_of_users_are_affected_tests_among_them() {
    let map = map(SHOP);
    let answer = impact_of(&map, "price", 5);
    let expected = [
        "1 calls import shop.py#Shop.save",
        "1 calls import shop.py#total",
        "1 imports import listing.py",
        "2 calls import shop.py#bill",
        "3 calls import test_shop.py#test_bill T",
    ];
    let mut found = lines(&map, &answer.affected);
    found.sort();
    assert_eq!(found, expected);
    assert!(
        lines(&map, &answer.possible).contains(&"2 calls candidate shop.py#buy".to_owned()),
        "through the base"
    );
    assert_eq!((answer.whole_to, answer.incomplete), (None, false));
    assert_eq!(impact_of(&map, "price", 2).whole_to, Some(2));
}

#[test]
fn overriding_methods_and_derived_types_are_affected() {
    let map = map(SHOP);
    let mut found = lines(&map, &impact_of(&map, "Store.save", 1).affected);
    found.sort();
    assert_eq!(found, ["1 calls import shop.py#buy", "1 overrides import shop.py#Shop.save"]);
    let of_class = lines(&map, &impact_of(&map, "Store", 1).affected);
    assert!(of_class.contains(&"1 extends import shop.py#Shop".to_owned()), "{of_class:?}");
    assert!(
        of_class.contains(&"1 calls import shop.py#buy".to_owned())
            || of_class.contains(&"1 references import shop.py#buy".to_owned()),
        "{of_class:?}"
    );
}

#[test]
fn guesses_are_kept_apart() {
    let map = map(SHOP);
    let answer = impact_of(&map, "Shop.save", 5);
    let possible = lines(&map, &answer.possible);
    assert!(possible.contains(&"1 calls candidate shop.py#guess".to_owned()), "{possible:?}");
    let through_base = ["1 calls import shop.py#buy"];
    assert_eq!(lines(&map, &answer.affected), through_base, "who calls what it overrides reaches it");
}

fn may_run(map: &Map, target: &str) -> Vec<String> {
    let answer = map.impact(&ImpactQuery {
        node: lookup_node(map, target),
        max_depth: 8,
        following: Following::MayRun,
        cancel: CancelToken::default(),
    });
    lines(map, &answer.affected)
}

const PROTOCOL: &str = "
//- /app.py
class Base:
    def handle(self): pass
class App(Base):
    def __init__(self, name):
        self.name = tidy(name)
    def __call__(self, environ):
        return self.dispatch()
    def dispatch(self):
        return 1
    def handle(self):
        return helper()
class Small(App):
    pass
def tidy(name): return name
def helper(): return 2
def serve(base: Base):
    return base.handle()
//- /conftest.py
import pytest
from app import App
@pytest.fixture
def app():
    yield App('x')
//- /test_app.py
from app import Small, serve
def test_small():
    assert Small('y')
def test_dispatch(app):
    assert app.dispatch() == 1
def test_serve(app):
    serve(app)
def test_other(app):
    app = Small('z')
    app.dispatch()
";

#[test]
fn whoever_makes_an_object_runs_its_constructor() {
    let map = map(PROTOCOL);
    let answer = impact_of(&map, "tidy", 8);
    let expected = [
        "1 calls exact app.py#App.__init__",
        "2 calls import conftest.py#app",
        "2 calls import test_app.py#test_small T",
        "2 calls import test_app.py#test_other T",
        "3 calls framework test_app.py#test_dispatch T",
        "3 calls framework test_app.py#test_serve T",
    ];
    assert_eq!(lines(&map, &answer.affected), expected);
}

#[test]
fn a_fixture_gives_its_tests_what_it_yields() {
    let map = map(PROTOCOL);
    let answer = impact_of(&map, "App.dispatch", 1);
    let expected = [
        "1 calls exact app.py#App.__call__",
        "1 calls import test_app.py#test_dispatch T",
        "1 calls import test_app.py#test_other T",
    ];
    assert_eq!(lines(&map, &answer.affected), expected);
}

#[test]
fn what_may_run_is_found_through_bases_and_protocols() {
    let map = map(PROTOCOL);
    let reached = may_run(&map, "helper");
    assert!(reached.iter().any(|line| line.ends_with("app.py#serve")), "{reached:#?}");
    assert!(reached.iter().any(|line| line.ends_with("test_app.py#test_serve T")), "{reached:#?}");
    let called = "2 calls candidate test_app.py#test_small T".to_owned();
    assert!(may_run(&map, "App.dispatch").contains(&called), "{:#?}", may_run(&map, "App.dispatch"));
    let sure = lines(&map, &impact_of(&map, "helper", 8).affected);
    assert_eq!(sure, ["1 calls exact app.py#App.handle"]);
}

#[test]
fn a_call_of_a_parameter_says_nothing_of_other_callers() {
    let map = map("
//- /hooks.py
def checked(f):
    def wrapper(*args):
        return f(*args)
    return wrapper
class Router:
    @checked
    def route(self): pass
    @checked
    def hook(self): pass
def run(action):
    return action()
//- /test_hooks.py
from hooks import Router, run
def test_route():
    Router().route()
def test_hook():
    Router().hook()
def given(): pass
def test_given():
    run(given)
def test_other():
    run(len)
");
    let tests_of = |target: &str| -> Vec<String> {
        let affected = impact_of(&map, target, 8).affected;
        affected.iter().filter(|hit| hit.is_test).map(|hit| map.id(hit.node).to_string()).collect()
    };
    assert_eq!(tests_of("Router.hook"), ["py:test_hooks.py#test_hook"]);
    assert_eq!(tests_of("given"), ["py:test_hooks.py#test_given"]);
}

#[test]
fn a_class_method_that_makes_an_object_has_callers_of_its_own() {
    let map = map("
//- /ctx.py
class Context:
    def __init__(self, app):
        prepare(app)
    @classmethod
    def made_for(cls, app):
        return cls(app)
def prepare(app): pass
def push(app):
    return Context.made_for(app)
");
    let affected = lines(&map, &impact_of(&map, "prepare", 8).affected);
    assert!(affected.iter().any(|line| line.ends_with("ctx.py#push")), "{affected:#?}");
}

#[test]
fn who_calls_an_interface_is_affected_by_what_implements_it_silently() {
    let map = map(GO);
    let hits = lines(&map, &impact_of(&map, "Disk.Save", 1).affected);
    assert!(hits.iter().any(|hit| hit.ends_with("store.go#Flush")), "{hits:?}");
}
