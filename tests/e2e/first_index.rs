//! Tests that searches answer truly while the first index of a project is still being made.

use hob_tests::{Answer, Tree, World};
use serde_json::json;

/// Begins the warning of each answer that has only a part of the index.
const UNFINISHED: &str = "The first index is still being made";

/// A tree whose index takes one thread many seconds; the last of its files is another than all others.
fn slow_tree(world: &World) -> Tree {
    let tree = Tree::new(&world.path("big"), "");
    let body: String =
        (0..200).map(|n| format!("def f{n}(a, b):\n    return a.g{n}(b) + f{}(b)\n\n", n / 2)).collect();
    // No two are the same: facts of the same contents are extracted once.
    (0..4_000).for_each(|n| tree.write(&format!("part{}/m{n}.py", n % 40), format!("# {n}\n{body}")));
    tree.write("zone/last.py", "class Zebra:\n    def gallop(self):\n        return f7\n");
    tree
}

#[test]
fn searches_for_names_do_not_wait_for_a_whole_first_index() {
    let world = World::new().env("HOB_INDEX_THREADS", "1");
    let tree = slow_tree(&world);
    let mut mcp = world.mcp(&tree);
    let mut search = |name: &str| -> Answer { mcp.call("map_search", json!({"query": name})) };
    let one = search("Zebra.gallop");
    assert_eq!(one.texts("/results", "id"), ["py:zone/last.py#Zebra.gallop"], "{one}");
    // A name that is also that of a file.
    let both = search("last");
    assert_eq!(both.texts("/results", "id"), ["py:zone/last.py"], "{both}");
    let none = search("no_such_name");
    assert_eq!(none.ok()["total"], 0, "{none}");
    // Each other file has this name, so that it is found long before all of them are mapped.
    let many = search("f7");
    assert!(many.warnings().contains(" files that may have the name are not mapped yet"), "{many}");
    for answer in [one, both, none, many] {
        assert!(answer.warnings().contains(UNFINISHED), "{answer}");
    }
    let read =
        mcp.call("read_symbols", json!({"targets": ["zone/last.py:2-3", "py:zone/last.py#Zebra.gallop"]}));
    assert_eq!(read.list("/symbols").len(), 2, "{read}");
    let status = mcp.call("map_status", json!({}));
    assert!(status.says("mapping symbols").ok().is_object(), "the index was whole by then{status}");
}
