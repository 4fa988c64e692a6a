//! Tests `read_symbols`: the source text of definitions.

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

#[test]
fn lines_files_and_folders_are_read_too() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    tree.write("notes.txt", "one\ntwo\nthree\n");
    let mut mcp = world.mcp(&tree);
    let targets = json!(["shop.py:15-16", "other.py", "notes.txt:2-3"]);
    let answer = mcp.call("read_symbols", json!({"targets": targets}));
    let symbols = answer.list("/symbols");
    assert_eq!(symbols.len(), 3, "{answer}");
    assert_eq!((&symbols[0]["start_line"], &symbols[0]["end_line"]), (&json!(15), &json!(16)), "{answer}");
    let lines: Vec<&str> = tree.read("shop.py").leak().lines().skip(14).take(2).collect();
    assert_eq!(symbols[0]["source"], lines.join("\n"), "{answer}");
    assert_eq!(symbols[1]["source"].as_str(), Some(tree.read("other.py").trim_end()), "{answer}");
    assert_eq!(symbols[2]["source"], "two\nthree", "{answer}");
    let outline = mcp.call("read_symbols", json!({"targets": ["shop.py"], "outline": true}));
    assert_eq!(outline.texts("/outlines/0/symbols", "name"), ["Cart", "total"], "{outline}");
    assert_eq!(
        outline.texts("/outlines/0/symbols/0/children", "name"),
        ["__init__", "items", "total"],
        "{outline}"
    );
    let class = mcp.call("read_symbols", json!({"targets": ["Cart"], "outline": true}));
    assert_eq!(
        class.texts("/outlines/0/symbols/0/children", "name"),
        ["__init__", "items", "total"],
        "{class}"
    );
    let folder = mcp.call("read_symbols", json!({"targets": ["."]}));
    assert!(folder.texts("/outlines", "file").contains(&"shop.py"), "{folder}");
}

#[test]
fn a_long_body_keeps_what_was_asked_for_and_says_what_is_missing() {
    let world = World::new();
    let steps: String = (0..400).map(|n| format!("    step_{n} = {n}\n")).collect();
    let tree = world.tree(&format!(
        "//- /long.py\ndef long_one(first):\n    \"\"\"Says.\"\"\"\n{steps}    return first\n"
    ));
    let mut mcp = world.mcp(&tree);
    let answer = mcp
        .call("read_symbols", json!({"targets": ["long_one"], "around": "step_200 ", "token_budget": 300}));
    let symbol = &answer.list("/symbols")[0];
    let source = symbol["source"].as_str().expect("text");
    assert!(source.starts_with("def long_one(first):") && source.contains("step_200 = 200"), "{answer}");
    assert!(symbol["body_complete"] == false && source.lines().count() < 20, "{answer}");
    let missing = symbol["missing"][0].as_str().expect("a stretch").to_owned();
    let rest =
        mcp.call("read_symbols", json!({"targets": [format!("long.py:{missing}")], "token_budget": 10_000}));
    assert!(
        rest.list("/symbols")[0]["source"].as_str().is_some_and(|text| text.contains("step_100 = 100")),
        "{rest}"
    );
    let without =
        mcp.call("read_symbols", json!({"targets": ["long_one"], "docs": false, "token_budget": 10_000}));
    let symbol = &without.list("/symbols")[0];
    assert!(!symbol["source"].as_str().expect("text").contains("Says."), "{without}");
    assert_eq!((&symbol["body_complete"], &symbol["missing"]), (&json!(true), &json!(["2-2"])), "{without}");
}

#[test]
fn a_question_folds_the_lines_that_do_not_bear_on_it_and_ranges_stay_whole() {
    let world = World::new();
    let steps = |word: &str| (0..12).map(|n| format!("        {word}_{n}(order)\n")).collect::<String>();
    let tree = world.tree(&format!(
        "//- /shop.py\ndef settle(order):\n    if order.paid:\n{}    elif order.late:\n        remind(order)\n        return None\n    else:\n{}    return order\n",
        steps("ship"),
        steps("wait")
    ));
    let mut mcp = world.mcp(&tree);
    let about =
        mcp.read("read_symbols", json!({"targets": ["settle"], "about": "when is a late order reminded"}));
    assert!(
        about.contains(" 15     elif order.late:\n 16         remind(order)\n 17         return None"),
        "the line, its branch and the way out: {about}"
    );
    assert!(about.contains("… 3-14 calls ship_0, ship_1, ship_2, ship_3"), "what the gap does: {about}");
    assert!(!about.contains("wait_5"), "{about}");
    let range = mcp.read("read_symbols", json!({"targets": ["shop.py:18-24"], "about": "late"}));
    assert!(
        range.contains("wait_4(order)") && !range.contains('…'),
        "lines that are asked for are shown: {range}"
    );
    let empty = mcp.read("read_symbols", json!({"targets": ["settle"], "about": "?!"}));
    assert!(empty.contains("ship_5(order)"), "a question without a word folds nothing: {empty}");
}
