//! Tests what makes a second question unnecessary: answers that account for every line with a name, paths through
//! functions that are passed as values, and unused exports with the uses that they have nevertheless.

use hob_tests::World;
use serde_json::json;

const TREE: &str = r#"
//- /pool.py
class Pool:
    def checkout(self):
        return 1

    def spare(self):
        return self.checkout()


class Shelf:
    def checkout(self):
        return 2
//- /use.py
from pool import Pool, Shelf


def take(pool: Pool):
    return pool.checkout()


def lend(shelf: Shelf):
    return shelf.checkout()


def by_name(thing):
    # checkout is looked up
    return getattr(thing, "checkout")()
//- /work.py
def start(registry):
    registry.keep(finish)


def finish():
    return last()


def last():
    return 3
//- /test_work.py
from work import last


def test_last():
    assert last() == 3
"#;

#[test]
fn callers_come_with_every_other_line_that_has_the_name() {
    let world = World::new();
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let callers = mcp.read("map_neighbors", json!({"nodeId": "Pool.checkout", "direction": "in"}));
    assert!(callers.contains("5 take: return pool.checkout()"), "{callers}");
    assert!(
        callers.contains(
            "[Every line of code in scope with `checkout` was looked at; also stands at use.py:14; means another at use.py:9]"
        ),
        "{callers}"
    );
    let silent = mcp.read("map_neighbors", json!({"nodeId": "Pool.checkout", "direction": "out"}));
    assert!(!silent.contains("Every line"), "nothing is said where uses are not asked for: {silent}");
}

#[test]
fn a_chain_goes_through_what_is_handed_over_and_says_so() {
    let world = World::new();
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let chain = mcp.read("map_path", json!({"from": "start", "to": "last"}));
    assert!(chain.contains("2 start names: registry.keep(finish)"), "{chain}");
    assert!(
        chain.contains("6 finish: return last()") && chain.contains("No chain of calls alone"),
        "{chain}"
    );
    let calls = mcp.read("map_path", json!({"from": "start", "to": "last", "edgeKinds": ["calls"]}));
    assert!(calls.contains("no chain"), "calls alone where they are asked for: {calls}");
}

#[test]
fn an_unused_export_tells_the_uses_in_its_file_and_in_tests() {
    let world = World::new();
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let unused = mcp.read("map_search", json!({"callers": 0, "paths": ["work.py"]}));
    assert!(unused.contains("function last() (own file 1, tests 1)"), "{unused}");
    assert!(unused.contains("function finish() (own file 1)"), "{unused}");
}
