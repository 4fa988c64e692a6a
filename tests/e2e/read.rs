//! `read_symbols`: the source of definitions.

use hob_tests::World;
use serde_json::json;

const FIXTURE: &str = r#"
//- /shop.py
import functools


class Cart:
    """What is bought."""

    def __init__(self):
        self.items = []

    @functools.cache
    def total(self):
        return sum(self.items)


def total(cart):
    return cart.total()
//- /other.py
def unique_name():
    return "ü"


class Other:
    def __init__(self):
        pass
"#;

#[test]
fn a_definition_is_read_whole_by_id_and_by_name() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let targets = json!(["py:shop.py#Cart.total", "unique_name", "sym:py:shop.py#total"]);
    let answer = mcp.call("read_symbols", json!({"targets": targets}));
    let symbols = answer.list("/symbols");
    let sources: Vec<&str> = symbols.iter().filter_map(|s| s["source"].as_str()).collect();
    assert_eq!(symbols.len(), 3, "{answer}");
    assert!(sources[0].contains("def total(self):\n        return sum(self.items)"), "{answer}");
    assert_eq!(sources[1], "def unique_name():\n    return \"ü\"", "{answer}");
    assert_eq!(sources[2], "def total(cart):\n    return cart.total()", "{answer}");
    assert!(symbols.iter().all(|s| s["body_complete"] == true), "{answer}");
    let lines = tree.read("shop.py");
    let (first, last) = (symbols[0]["start_line"].as_u64(), symbols[0]["end_line"].as_u64());
    let count = last.zip(first).map(|(last, first)| last - first + 1);
    assert_eq!(count, Some(sources[0].lines().count() as u64), "the lines are those of the source{answer}");
    assert!(lines.contains(sources[0]), "{answer}");
}

#[test]
fn what_is_ambiguous_or_missing_is_said() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("read_symbols", json!({"targets": ["__init__", "no_such_thing"]}));
    assert_eq!(answer.ok()["not_found"], json!(["no_such_thing"]), "{answer}");
    let mut candidates = answer.texts("/ambiguous/0/candidates", "uid");
    candidates.sort_unstable();
    assert_eq!(candidates, ["py:other.py#Other.__init__", "py:shop.py#Cart.__init__"], "{answer}");
    let qualified = mcp.call("read_symbols", json!({"targets": ["Cart.total"]}));
    assert_eq!(qualified.texts("/symbols", "uid"), ["py:shop.py#Cart.total"], "{qualified}");
}

#[test]
fn neighbours_come_along_when_asked_for() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let answer =
        world.call(&tree, "read_symbols", &json!({"targets": ["py:shop.py#total"], "include_neighbors": 1}));
    let asked = answer.list("/symbols").iter().filter(|s| s["is_neighbor"] != true).count();
    assert_eq!(asked, 1, "{answer}");
    assert!(answer.texts("/symbols", "uid").contains(&"py:shop.py#Cart.total"), "{answer}");
}
