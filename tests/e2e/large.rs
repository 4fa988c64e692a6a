//! Tests a tree of more than ten thousand source files: every tool gives the right answer.

use std::fmt::Write as _;

use hob_tests::{Tree, World};
use serde_json::json;

use super::map::hit;

const PYTHON: usize = 4_500;
const TYPESCRIPT: usize = 3_500;
const C: usize = 2_500;

/// Writes files in which module `i` of each language calls a function of module `i + 1`, so that there are long chains
/// and all answers are known.
fn write_large(tree: &Tree) {
    for i in 0..PYTHON {
        tree.write(&format!("py/p{}/m{i}.py", i % 90), python(i));
    }
    for i in 0..TYPESCRIPT {
        tree.write(&format!("ts/d{}/m{i}.ts", i % 70), typescript(i));
    }
    for i in 0..C {
        tree.write(&format!("c/c{}/m{i}.c", i % 50), c(i));
    }
}

fn python(i: usize) -> String {
    let next = (i + 1) % PYTHON;
    let mut text = format!("from py.p{}.m{next} import step_{next}\n\n\n", next % 90);
    let _ = write!(text, "class Worker{i}:\n    def run(self):\n        return step_{next}()\n\n\n");
    let _ = write!(
        text,
        "def step_{i}():\n    return Worker{i}().run()\n\n\ndef helper_{i}(value):\n    return step_{i}()\n"
    );
    text
}

fn typescript(i: usize) -> String {
    let next = (i + 1) % TYPESCRIPT;
    format!(
        "import {{ stage{next} }} from \"../d{}/m{next}\";\n\nexport interface Shape{i} {{ size: number }}\n\n\
         export function stage{i}(): number {{\n  return stage{next}() + {i};\n}}\n",
        next % 70
    )
}

fn c(i: usize) -> String {
    let next = (i + 1) % C;
    format!(
        "int link_{next}(int depth);\n\nint link_{i}(int depth) {{\n    return link_{next}(depth + 1);\n}}\n"
    )
}

#[test]
fn ten_thousand_files_are_answered_about() {
    let world = World::new();
    let tree = world.tree("//- /pyproject.toml\n[project]\nname = \"large\"\n");
    write_large(&tree);
    let _ = world.hob(tree.root(), &["index"]).success();
    let mut mcp = world.mcp(&tree);

    let overview = mcp.call("map_overview", json!({}));
    assert_eq!(overview.ok()["files"], PYTHON + TYPESCRIPT + C, "{overview}");
    let languages = &overview.ok()["languages"];
    assert_eq!(languages.as_object().map(serde_json::Map::len), Some(3), "{overview}");

    for i in [0, 1_234, 4_499] {
        let id = format!("py:py/p{}/m{i}.py#step_{i}", i % 90);
        let found = mcp.call("map_search", json!({"query": format!("step_{i}")}));
        assert_eq!(hit(&found, &id)["line"], 9, "{found}");
        let callers =
            mcp.call("map_neighbors", json!({"nodeId": id, "direction": "in", "edgeKinds": ["calls"]}));
        let before = (i + PYTHON - 1) % PYTHON;
        let caller = format!("py:py/p{}/m{before}.py#Worker{before}.run", before % 90);
        let mut ids = callers.texts("/neighbors", "id");
        ids.sort_unstable();
        let mut expected = [caller, format!("py:py/p{}/m{i}.py#helper_{i}", i % 90)];
        expected.sort();
        assert_eq!(ids, expected, "{callers}");
    }
    let path = json!({"from": "ts:ts/d10/m10.ts#stage10", "to": "ts:ts/d14/m14.ts#stage14"});
    let path = mcp.call("map_path", path);
    assert_eq!((&path.ok()["found"], &path.ok()["length"]), (&json!(true), &json!(4)), "{path}");
    let read = mcp.call("read_symbols", json!({"targets": ["link_777"]}));
    assert!(read.text.contains("return link_778(depth + 1);"), "{read}");
    let text = mcp.call("regex_search", json!({"pattern": "Worker1[0-9]{3}:", "output": "count"}));
    assert_eq!(text.ok()["total_lines"], 1_000, "{text}");
    let status = mcp.call("map_status", json!({}));
    // A class, its method, two functions; an interface, its property, a function; a function and the declaration of
    // another.
    assert_eq!(status.ok()["symbols"], PYTHON * 4 + TYPESCRIPT * 3 + C * 2, "{status}");
    assert_eq!(status.ok()["text"]["files"], PYTHON + TYPESCRIPT + C + 1, "{status}");

    // A change in a large tree is noticed as quickly as in a small one.
    tree.write("py/p0/m0.py", "def brand_new():\n    return 1\n");
    let changed = mcp.call("map_search", json!({"query": "brand_new"}));
    assert_eq!(hit(&changed, "py:py/p0/m0.py#brand_new")["line"], 1, "{changed}");
}
