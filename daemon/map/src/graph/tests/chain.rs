//! Tests chains of calls from one definition to another.

use hob_base::CancelToken;

use super::family::GO;
use crate::fixture::{derived_map, lookup_node, map};
use crate::graph::{Direction, EdgeKind, Map, NodeKind, NodeRef, PathAnswer, PathQuery};

/// A session whose commit reaches a driver through base classes, an attribute, and one call on something unknown.
const SESSION: &str = "
//- /lib/session.py
class Session:
    _transaction: 'Step'
    def commit(self):
        trans = self._transaction
        trans.commit()
class Step:
    def commit(self):
        for _, trans in self.all.values():
            trans.commit()
        self.close()
    def close(self): pass
//- /lib/engine.py
from lib.dialect import Dialect
class Transaction:
    connection: 'Connection'
    def _do_commit(self):
        raise NotImplementedError()
    def commit(self):
        self._do_commit()
class Root(Transaction):
    def _do_commit(self):
        self._impl()
    def _impl(self):
        self.connection._commit_impl()
class Connection:
    dialect: Dialect
    def _commit_impl(self):
        self.dialect.do_commit()
//- /lib/dialect.py
class Dialect:
    def do_commit(self):
        raise NotImplementedError()
//- /lib/default.py
from lib.dialect import Dialect
class Default(Dialect):
    def do_commit(self):
        pass
def unrelated(): pass
//- /test/test_all.py
from lib.default import Default
from lib.session import Session
def test_short_cut():
    Default().do_commit()
def helper(): test_short_cut()
class Fixture(Session):
    def commit(self):
        helper()
";

fn ask_path(map: &Map, from: &str, to: &str, direction: Direction) -> PathAnswer {
    let kinds = [EdgeKind::Calls].into_iter().collect();
    let (from, to) = (lookup_node(map, from), lookup_node(map, to));
    map.path(&PathQuery { from, to, max_len: 12, kinds, direction, cancel: CancelToken::default() })
}

/// Returns the stations of the best chain, each with the peculiarities of the step to it.
fn best_chain(map: &Map, answer: &PathAnswer) -> Vec<String> {
    let Some(chain) = answer.chains.first() else { return Vec::new() };
    let said = chain.steps.iter().map(|step| {
        let named = step.named.and_then(|node| map.info(node)).map(|info| format!(" as {}", info.qualified));
        let line = step.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        format!(" {} {line}{}", step.confidence.as_str(), named.unwrap_or_default())
    });
    let said = std::iter::once(String::new()).chain(said);
    chain.nodes.iter().zip(said).map(|(node, said)| format!("{}{said}", node.qualified)).collect()
}

const COMMIT: [&str; 7] = [
    "Session.commit",
    "Step.commit import 5",
    "Transaction.commit candidate 9",
    "Root._do_commit exact 7 as Transaction._do_commit",
    "Root._impl exact 10",
    "Connection._commit_impl exact 12",
    "Default.do_commit import 16 as Dialect.do_commit",
];

#[test]
fn a_chain_follows_calls_to_overriding_methods_and_not_through_tests() {
    for map in [map(SESSION), derived_map(SESSION)] {
        let answer = ask_path(&map, "Session.commit", "Default.do_commit", Direction::Out);
        let found = best_chain(&map, &answer);
        let names = |lines: &[String]| {
            lines.iter().map(|line| line.split(' ').next().unwrap_or("").to_owned()).collect::<Vec<_>>()
        };
        let expected: Vec<String> = COMMIT.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(names(&found), names(&expected), "{found:?}");
        assert_eq!(found[2], expected[2], "a call on something unknown is a guess");
        assert_eq!(found[3], expected[3], "the method that is named is told");
    }
}

#[test]
fn the_way_back_is_asked_for() {
    let map = derived_map(SESSION);
    let none = ask_path(&map, "Default.do_commit", "Session.commit", Direction::Out);
    assert!(!none.is_connected() && !none.incomplete, "{none:?}");
    let back = ask_path(&map, "Default.do_commit", "Session.commit", Direction::In);
    let mut there = best_chain(&map, &ask_path(&map, "Session.commit", "Default.do_commit", Direction::Out));
    there.reverse();
    let names = |lines: &[String]| {
        lines.iter().map(|line| line.split(' ').next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&best_chain(&map, &back)), names(&there));
    assert!(back.chains[0].steps.iter().all(|step| step.direction == Direction::In));
}

#[test]
fn where_there_is_none_the_answer_says_how_far_the_search_got() {
    let map = derived_map(SESSION);
    let answer = ask_path(&map, "Session.commit", "unrelated", Direction::Out);
    let reached = answer.reached.expect("it says so");
    assert!(reached.from.0 >= 6 && reached.to.0 == 0, "{reached:?}");
    let (near, far) = reached.nearest.expect("something is near");
    assert_eq!((near.path, far.qualified.as_str()), (far.path, "unrelated"), "the same file is nearest");
}

#[test]
fn where_there_is_none_the_answer_says_who_leads_to_the_end_uncalled() {
    let map = derived_map(
        "
//- /app.py
from views import show
def start(server):
    server.run(ROUTES)
ROUTES = {'/': show}
//- /views.py
def show(request):
    return render(request)
def render(request): pass
",
    );
    let answer = ask_path(&map, "start", "render", Direction::Out);
    let entries = answer.reached.expect("no chain").entries;
    let shown: Vec<_> =
        entries.iter().map(|entry| (entry.node.qualified.as_str(), &entry.uses[..])).collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!((shown[0].0, shown[0].1[0].0.as_str(), shown[0].1[0].1), ("show", "app.py", 4));
}

#[test]
fn a_class_stands_for_its_methods_and_its_constructor() {
    let map = derived_map(
        "
//- /a.py
from b import Cart
def shop():
    cart = Cart()
    cart.check()
class Till:
    def open(self):
        shop()
//- /b.py
class Cart:
    def __init__(self):
        self.total()
    def total(self):
        ring()
    def check(self): pass
def ring(): pass
",
    );
    let names = |from: &str, to: &str| {
        let answer = ask_path(&map, from, to, Direction::Out);
        answer.chains.first().map(|chain| chain.nodes.iter().map(|n| n.qualified.clone()).collect::<Vec<_>>())
    };
    let found = names("Till", "ring").expect("there is one");
    assert_eq!(found, ["Till.open", "shop", "Cart", "Cart.total", "ring"], "by its constructor");
    let to_class = names("Till.open", "Cart").expect("there is one");
    assert_eq!(to_class[..2], ["Till.open", "shop"], "{to_class:?}");
    assert_eq!(to_class.len(), 3, "whatever of the class is called");
}

#[test]
fn two_ways_that_are_as_good_are_both_told() {
    let map = derived_map(
        "
//- /a.py
def start():
    left()
    right()
def left(): end()
def right(): end()
def end(): pass
",
    );
    let answer = ask_path(&map, "start", "end", Direction::Out);
    let middle: Vec<&str> = answer.chains.iter().map(|chain| chain.nodes[1].name.as_str()).collect();
    assert_eq!(middle, ["left", "right"]);
}

#[test]
fn tests_are_stations_where_there_is_no_other_way() {
    let map = derived_map(
        "
//- /test_a.py
def test_go(): inner()
//- /lib.py
from test_a import test_go
def outer(): test_go()
//- /c.py
def inner(): pass
",
    );
    let answer = ask_path(&map, "outer", "inner", Direction::Out);
    let names: Vec<&str> = answer.chains[0].nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["outer", "test_go", "inner"]);
}

/// Two guesses lead to the end, and the start leads to other functions.
const GUESSED: &str = "
//- /ends.py
class Ender:
    def finish_all(self): self.target_of_all()
    def target_of_all(self): pass
//- /starts.py
from crowd import crowd
def begin(thing):
    thing.go_on_with_it()
    crowd(thing)
class Middle:
    def go_on_with_it(self):
        self.unknown.finish_all()
//- /others.py
class Other:
    def go_on_with_it(self): pass
    def finish_all(self): pass
//- /crowd.py
def crowd(thing): crowd(thing)
";

#[test]
fn a_chain_goes_over_guesses_where_nothing_sure_leads_on() {
    let expected = [
        "begin",
        "Middle.go_on_with_it candidate 3",
        "Ender.finish_all candidate 7",
        "Ender.target_of_all exact 2",
    ];
    for map in [map(GUESSED), derived_map(GUESSED)] {
        let found = best_chain(&map, &ask_path(&map, "begin", "target_of_all", Direction::Out));
        assert_eq!(found, expected);
    }
}

#[test]
fn a_call_of_an_interface_leads_to_what_implements_it_silently() {
    for map in [map(GO), derived_map(GO)] {
        let found = best_chain(&map, &ask_path(&map, "Flush", "Disk.Save", Direction::Out));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].ends_with("as Store.Save"), "{found:?}");
    }
}

/// Functions that call one another by name, through a parameter, a variable, a member of something unknown, a list and a
/// method that is overridden, some twice.
const WAYS: &str = "
//- /ways/main.py
from ways.work import Base, Special, apply, first, second, end as again
HANDLERS = [first, second]
def wait(unknown):
    unknown.finish()
def start():
    step()
    step()
    apply(first)
    return sorted(HANDLERS, key=rank)
def rank(one):
    first(); second(); one.first()
    return list(map(again, [one]))
def step():
    handler = second
    handler()
    for one in HANDLERS:
        one()
def make() -> Base:
    return Special()
def run():
    make().go()
    make().go()
//- /ways/work.py
def apply(task):
    task()
def first(): end()
def second():
    end()
    end()
class Base:
    def go(self): pass
class Special(Base):
    def __init__(self): end()
    def go(self): first()
class Job:
    def finish(self): end()
def end(): pass
";

/// Languages whose values are not followed, so that a derivation knows their calls: one to a method that another overrides, two of
/// one method of which one is sure, a name that only its spelling tells, a handler that a framework calls, a function that is named
/// and not called.
const PLAIN_LANGUAGES: &str = "
//- /shop/store.go
package shop
type Store struct{}
func (s *Store) save() { sync(s) }
func sync(s *Store) { close(s); close(s) }
func close(s *Store) { run(finish) }
func run(f func()) {}
func finish() {}
func handle(mux *http.ServeMux) { mux.HandleFunc(\"/save\", finish) }
//- /src/main/java/Base.java
class Base {
  void go() { end(); }
  void end() {}
  void other(Unknown it) { it.go(); this.go(); it.rare(); }
}
//- /src/main/java/Special.java
class Special extends Base {
  @Override void go() { rare(); }
  void rare() { Base b = new Base(); b.go(); }
}
//- /kernel/io.h
int io_read(int at);
//- /kernel/io.c
#include \"io.h\"
static int step(int at) { return at; }
int io_read(int at) { return step(at) + step(at); }
//- /kernel/use.c
#include \"io.h\"
struct ops { int (*read)(int); };
int start(void) { struct ops o = { .read = io_read }; return io_read(1); }
int named(void) { return elsewhere(start); }
//- /lib/job.rb
class Job
  def finish; clean; end
  def clean; Job.new.finish; unknown.finish; end
end
";

#[test]
fn a_derivation_changes_no_best_chain() {
    let mut by_names = 0;
    for fixture in [WAYS, SESSION, PLAIN_LANGUAGES] {
        let (plain, derived) = (map(fixture), derived_map(fixture));
        let is_code = |node: &NodeRef| {
            let kind = plain.info(*node).map(|info| info.kind);
            matches!(kind, Some(NodeKind::Def(kind)) if kind.is_callable() || kind.is_type())
        };
        let nodes = plain.files().flat_map(|(file, ..)| plain.defs_of(file)).map(NodeRef::Def);
        let nodes: Vec<NodeRef> = nodes.filter(is_code).collect();
        let name = |node: NodeRef| plain.info(node).map(|info| info.qualified);
        let mut connected = 0;
        for (from, to) in nodes.iter().flat_map(|from| nodes.iter().map(|to| (*from, *to))) {
            let kinds = [EdgeKind::Calls].into_iter().collect();
            let (direction, cancel) = (Direction::Out, CancelToken::default());
            let query = PathQuery { from, to, max_len: 12, kinds, direction, cancel };
            let (one, other) = (plain.path(&query), derived.path(&query));
            connected += usize::from(one.is_connected());
            let steps = |answer: &PathAnswer| {
                let steps = answer.chains.first().into_iter().flat_map(|chain| chain.steps.clone());
                let figures = |step: crate::graph::PathStep| {
                    (step.to, step.kind, step.confidence, step.named, step.line, step.lines)
                };
                steps.map(figures).collect::<Vec<_>>()
            };
            assert_eq!(steps(&other), steps(&one), "{:?} to {:?}", name(from), name(to));
            let mut with_names = |map: &crate::graph::Map| {
                let answer = map.path_by_calls_or_names(&query, None);
                by_names += usize::from(answer.by_names);
                (answer.by_names, steps(&answer))
            };
            assert_eq!(with_names(&derived), with_names(&plain), "{:?} to {:?}", name(from), name(to));
            // The second search alone, which has nothing of the first.
            let kinds = [EdgeKind::Calls, EdgeKind::References].into_iter().collect();
            let is_code = |node| is_code(&node);
            let alone = plain.path_through(&PathQuery { kinds, ..query.clone() }, Some(&is_code));
            let expected = if one.is_connected() { steps(&one) } else { steps(&alone) };
            assert_eq!(with_names(&derived).1, expected, "{:?} to {:?}", name(from), name(to));
        }
        assert!(connected > 20, "{connected} pairs are connected");
    }
    assert!(by_names > 0, "some are connected by names");
}
