//! Tests `flow_trace`, `impact`, and the commands that print them.

use hob_tests::{Answer, Tree, World};
use serde_json::{Value, json};

const SHOP: &str = r#"
//- /base.py
class Store:
    def save(self):
        pass


def price():
    return 1
//- /shop.py
import os

from base import Store, price


class Shop(Store):
    def save(self):
        return price()

    def close(self):
        self.save()


def total():
    return price() + price()


def bill():
    os.getcwd()
    return total()


def loop(n):
    bill()
    return again(n)


def again(n):
    return loop(n)


def guess(thing):
    thing.save()


def main():
    loop(1)
    Shop()
//- /test_shop.py
from shop import bill


def test_bill():
    assert bill() == 2
//- /twice/a.py
def same():
    return 1
//- /twice/b.py
def same():
    return 2
"#;

/// Returns the names in a tree, depth first, each with its marks.
fn names(node: &Value) -> Vec<String> {
    let marks = ["cycle", "seen", "unresolved"].into_iter().filter(|mark| node[*mark] == true);
    let own =
        std::iter::once(node["name"].as_str().unwrap_or("?")).chain(marks).collect::<Vec<_>>().join(" ");
    let below = node["calls"].as_array().into_iter().flatten().flat_map(names);
    std::iter::once(own).chain(below).collect()
}

fn nodes(node: &Value) -> Vec<&Value> {
    let below = node["calls"].as_array().into_iter().flatten().flat_map(nodes);
    std::iter::once(node).chain(below).collect()
}

#[track_caller]
fn root(answer: &Answer) -> &Value {
    &answer.ok()["root"]
}

#[test]
fn a_trace_is_the_tree_of_callees() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    let expected = ["main", "loop", "bill", "total", "price", "again", "loop cycle"];
    let detailed = mcp.call("flow_trace", json!({"symbol": "main"}));
    assert_eq!(names(root(&detailed)), expected, "{detailed}");
    let top = root(&detailed);
    let bill = nodes(top).into_iter().find(|node| node["name"] == "bill").expect("it is called");
    assert_eq!(
        (&top["leaves"], &bill["leaves"]),
        (&json!(["Shop"]), &json!(["os"])),
        "what is made, and packages, are no branches{detailed}"
    );
    assert_eq!(
        (&top["uid"], &top["file"], &top["depth"], &top["kind"]),
        (&json!("py:shop.py#main"), &json!("shop.py"), &json!(0), &json!("function")),
        "{detailed}"
    );
    let total = nodes(top).into_iter().find(|node| node["name"] == "total").expect("it is called");
    assert_eq!(
        (&total["depth"], &total["confidence"], &total["line"]),
        (&json!(3), &json!("exact"), &json!(14)),
        "{detailed}"
    );
    let price = nodes(top).into_iter().find(|node| node["name"] == "price").expect("it is called");
    assert_eq!((&price["sites"], &price["confidence"]), (&json!([15, 15]), &json!("import")), "{detailed}");
    assert_eq!(
        detailed.ok()["cycles"],
        json!([["py:shop.py#loop", "py:shop.py#again", "py:shop.py#loop"]]),
        "{detailed}"
    );
    assert!(detailed.ok().get("truncated_at").is_none(), "{detailed}");
    detailed.without_warnings();

    let concise = mcp.call("flow_trace", json!({"symbol": "main", "response_format": "concise"}));
    assert_eq!(names(root(&concise)), expected, "{concise}");
    let fields = ["name", "file", "line", "leaves", "calls", "cycle", "seen"];
    let only = |node: &&Value| {
        node.as_object().is_some_and(|node| node.keys().all(|key| fields.contains(&key.as_str())))
    };
    assert!(nodes(root(&concise)).iter().all(only), "names and lines alone{concise}");
    let files: Vec<&str> =
        nodes(root(&concise)).into_iter().filter_map(|node| node["file"].as_str()).collect();
    assert_eq!(files, ["shop.py", "base.py"], "a file stands where it changes{concise}");
    assert_eq!(concise.ok()["cycles"], json!([["loop", "again", "loop"]]), "{concise}");
    assert!(concise.text.len() * 10 <= detailed.text.len() * 4, "{concise}{detailed}");
    let text = mcp.read("flow_trace", json!({"symbol": "main", "response_format": "concise"}));
    let expected = "shop.py:36 main\n 23 loop\n  18 bill\n   14 total\n    base.py:6 price\n  28 again\n   23 loop (cycle)";
    assert_eq!(text, expected, "a tree of names and lines");
    let class = mcp.call("flow_trace", json!({"symbol": "Shop"}));
    assert_eq!(
        names(root(&class)),
        ["Shop", "Shop.save", "price", "Shop.close", "Shop.save seen"],
        "a class that is asked about stands for its methods{class}"
    );
}

#[test]
fn a_call_through_a_base_is_one_row_with_those_that_override_it() {
    let world = World::new();
    let tree = world.tree(SHOP);
    tree.write("late.py", "from base import Store\n\n\ndef keep(store: Store):\n    store.save()\n");
    let mut mcp = world.mcp(&tree);
    let trace = mcp.call("flow_trace", json!({"symbol": "keep"}));
    assert_eq!(names(root(&trace)), ["keep", "Store.save", "price"], "on through its one override{trace}");
    let base = &root(&trace)["calls"][0];
    assert_eq!(base["overriding"], json!(["py:shop.py#Shop.save"]), "{trace}");
    let through = mcp.call("impact", json!({"symbol": "Shop.save", "max_depth": 1}));
    let hit = through.list("/affected").iter().find(|hit| hit["name"] == "keep").expect("it calls the base");
    assert_eq!((&hit["cause"], &hit["via"]), (&json!("calls"), &json!("py:base.py#Store.save")), "{through}");
}

#[test]
fn a_symbol_is_given_by_id_or_by_name_and_several_are_candidates() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    for symbol in
        ["py:shop.py#Shop.close", "sym:py:shop.py#Shop.close", "close", "Shop.close", "shop.Shop.close"]
    {
        let trace = mcp.call("flow_trace", json!({"symbol": symbol}));
        assert_eq!(root(&trace)["uid"], "py:shop.py#Shop.close", "{trace}");
        let impact = mcp.call("impact", json!({"symbol": symbol}));
        assert_eq!(impact.ok()["symbol"]["uid"], "py:shop.py#Shop.close", "{impact}");
    }
    for tool in ["flow_trace", "impact"] {
        let several = mcp.call(tool, json!({"symbol": "same"}));
        let candidates = several.texts("/ambiguous/0/candidates", "uid");
        assert_eq!(candidates, ["py:twice/a.py#same", "py:twice/b.py#same"], "{several}");
        assert!(several.ok().get("root").is_none() && several.ok().get("symbol").is_none(), "{several}");
        assert!(several.warnings().contains("2 definitions"), "{several}");
        let read = mcp.call("read_symbols", json!({"targets": ["same"]}));
        assert_eq!(read.ok()["ambiguous"], several.ok()["ambiguous"], "as read_symbols does{several}");

        let missing = mcp.call(tool, json!({"symbol": "bil"}));
        let error = missing.error("SYMBOL_NOT_FOUND");
        assert!(error["similar"].to_string().contains("py:shop.py#bill"), "{missing}");
        let _ = mcp.call(tool, json!({"symbol": "py:shop.py#gone"})).error("NODE_NOT_FOUND");
        let _ = mcp.call(tool, json!({})).error("BAD_ARGS");
        let misspelt = mcp.call(tool, json!({"symbol": "main", "max_dept": 3}));
        assert!(misspelt.error("BAD_ARGS").to_string().contains("max_depth"), "{misspelt}");
        let deep = mcp.call(tool, json!({"symbol": "main", "maxDepth": 1000}));
        assert!(deep.warnings().contains("1000"), "clamped, and said{deep}");
    }
}

#[test]
fn a_guess_is_marked_and_not_followed() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    let trace = mcp.call("flow_trace", json!({"symbol": "guess"}));
    let calls = root(&trace)["calls"].as_array().expect("a list");
    assert_eq!((calls.len(), &calls[0]["confidence"]), (1, &json!("candidate")), "{trace}");
    assert_eq!(calls[0]["candidates"].as_array().map(Vec::len), Some(2), "{trace}");
    assert!(calls[0]["calls"].is_null(), "{trace}");
    let concise = mcp.call("flow_trace", json!({"symbol": "guess", "response_format": "concise"}));
    assert_eq!(root(&concise)["calls"][0]["unresolved"], true, "{concise}");
}

#[test]
fn depth_and_budget_cut_a_trace_from_its_ends() {
    let world = World::new();
    let tree = world.tree("//- /start.py\n");
    let mut text = String::from("def start():\n");
    (0..60).for_each(|n| text.push_str(&format!("    middle_{n:02}()\n")));
    for n in 0..60 {
        text.push_str(&format!("def middle_{n:02}():\n    leaf_{n:02}()\ndef leaf_{n:02}():\n    pass\n"));
    }
    tree.write("start.py", text);
    let mut mcp = world.mcp(&tree);
    let shallow = mcp.call("flow_trace", json!({"symbol": "start", "max_depth": 1, "tokenBudget": 10_000}));
    assert_eq!(shallow.ok()["truncated_at"], 1, "{shallow}");
    assert_eq!(nodes(root(&shallow)).len(), 61, "{shallow}");
    assert_eq!(root(&shallow)["calls"][0]["more"], 1, "{shallow}");

    let whole = mcp.call("flow_trace", json!({"symbol": "start", "tokenBudget": 10_000}));
    assert_eq!(nodes(root(&whole)).len(), 121, "{whole}");
    let _ = whole.whole();
    for budget in [100, 150, 400, 1_000, 3_000] {
        let cut = mcp.call("flow_trace", json!({"symbol": "start", "tokenBudget": budget}));
        let shown = nodes(root(&cut));
        assert!(shown.len() < 121 && cut.envelope["truncated"] == true, "{cut}");
        let note = cut.envelope["dropped"]["note"].as_str().unwrap_or_default();
        assert!(
            note.contains("tokenBudget") && root(&cut)["name"] == "start",
            "the way to get the rest{cut}"
        );
        if budget >= 400 {
            let dropped = cut.envelope["dropped"]["count"].as_u64();
            assert_eq!(dropped, Some(121 - shown.len() as u64), "{cut}");
            let deep = shown.iter().any(|node| node["depth"] == 2);
            let all_middle = shown.iter().filter(|node| node["depth"] == 1).count() == 60;
            assert!(!deep || all_middle, "what is deep goes first{cut}");
            assert_eq!(cut.ok()["truncated_at"], u64::from(all_middle), "{cut}");
        }
    }
    let again = mcp.call("flow_trace", json!({"symbol": "start", "tokenBudget": 1_000}));
    let once = mcp.call("flow_trace", json!({"symbol": "start", "tokenBudget": 1_000}));
    assert_eq!(again.text, once.text, "the order is the same every time");
}

#[test]
fn an_impact_ranks_who_is_affected_and_knows_tests() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("impact", json!({"symbol": "price"}));
    let affected = answer.list("/affected");
    let mut of_depth: Vec<Vec<&str>> = vec![Vec::new(); 5];
    for hit in affected {
        of_depth[hit["depth"].as_u64().expect("a depth") as usize].push(hit["uid"].as_str().expect("an ID"));
    }
    of_depth.iter_mut().for_each(|ids| ids.sort_unstable());
    assert_eq!(of_depth[1], ["py:shop.py#Shop.save", "py:shop.py#total"], "{answer}");
    assert_eq!(of_depth[2], ["py:shop.py#Shop.close", "py:shop.py#bill"], "{answer}");
    assert_eq!(of_depth[3], ["py:shop.py#loop", "py:test_shop.py#test_bill"], "{answer}");
    assert_eq!(of_depth[4], ["py:shop.py#again", "py:shop.py#main"], "{answer}");
    let depths: Vec<u64> = affected.iter().filter_map(|hit| hit["depth"].as_u64()).collect();
    assert!(depths.is_sorted(), "nearest first{answer}");
    let total = affected.iter().find(|hit| hit["name"] == "total").expect("it calls it");
    assert_eq!(
        (&total["cause"], &total["confidence"], &total["sites"]),
        (&json!("calls"), &json!("import"), &json!([15, 15]))
    );
    let test = affected.iter().find(|hit| hit["name"] == "test_bill").expect("it calls bill");
    assert_eq!((&test["test"], &test["via"]), (&json!(true), &json!("py:shop.py#bill")), "{answer}");
    assert_eq!(answer.ok()["tests"], json!(["py:test_shop.py#test_bill"]), "{answer}");
    let counts = &answer.ok()["counts"];
    assert_eq!(
        (&counts["affected"], &counts["tests"], &counts["files"], &counts["by_depth"]),
        (&json!(8), &json!(1), &json!(2), &json!([2, 2, 2, 2])),
        "{answer}"
    );
    assert_eq!(answer.texts("/files", "file"), ["shop.py", "test_shop.py"], "{answer}");
    let near = mcp.call("impact", json!({"symbol": "price", "max_depth": 1}));
    assert_eq!((near.list("/affected").len(), &near.ok()["truncated_at"]), (2, &json!(1)), "{near}");
}

#[test]
fn an_impact_follows_inheritance_and_keeps_guesses_apart() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    let method = mcp.call("impact", json!({"symbol": "Store.save", "max_depth": 1}));
    let over = method.list("/affected").iter().find(|hit| hit["uid"] == "py:shop.py#Shop.save");
    assert_eq!(over.map(|hit| &hit["cause"]), Some(&json!("overrides")), "{method}");
    assert!(
        method.texts("/possible", "uid").contains(&"py:shop.py#guess"),
        "an unresolved call may mean it{method}"
    );
    assert!(!method.texts("/affected", "uid").contains(&"py:shop.py#guess"), "{method}");
    let class = mcp.call("impact", json!({"symbol": "Store"}));
    let derived =
        class.list("/affected").iter().find(|hit| hit["uid"] == "py:shop.py#Shop").expect("it is derived");
    assert_eq!(derived["cause"], "extends", "{class}");
    let file = mcp.call("impact", json!({"symbol": "base.py", "max_depth": 1}));
    assert!(
        file.texts("/affected", "uid").contains(&"py:shop.py#total"),
        "whatever is in the file changes{file}"
    );
    let nobody = mcp.call("impact", json!({"symbol": "main"}));
    assert_eq!(nobody.ok()["counts"]["affected"], 0, "{nobody}");
}

/// Returns a tree with a function that is used very often, also by tests.
fn popular(world: &World) -> Tree {
    let tree = world.tree("//- /hub.py\ndef hub():\n    return 1\n");
    for n in 0..120 {
        let name = if n % 4 == 0 { format!("test_{n}") } else { format!("user_{n}") };
        tree.write(
            &format!("m{n}.py"),
            format!("from hub import hub\n\n\ndef {name}():\n    return hub()\n"),
        );
    }
    tree
}

#[test]
fn an_impact_is_read_page_by_page() {
    let world = World::new();
    let tree = popular(&world);
    let mut mcp = world.mcp(&tree);
    let mut seen: Vec<String> = Vec::new();
    while seen.len() < 120 {
        let args = json!({"symbol": "hub", "tokenBudget": 1_500, "offset": seen.len()});
        let page = mcp.call("impact", args);
        let more = page.texts("/affected", "uid");
        assert!(!more.is_empty() && page.ok()["counts"]["affected"] == 120, "{page}");
        seen.extend(more.into_iter().map(str::to_owned));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 120, "each once");
}

#[test]
fn an_impact_gives_each_list_its_share_and_counts_everything() {
    let world = World::new();
    let tree = popular(&world);
    let mut mcp = world.mcp(&tree);
    for budget in [100, 300, 1_000, 2_000, 10_000] {
        let answer = mcp.call("impact", json!({"symbol": "hub", "tokenBudget": budget}));
        if budget < 1_000 {
            continue;
        }
        let counts = &answer.ok()["counts"];
        assert_eq!((&counts["affected"], &counts["tests"]), (&json!(120), &json!(30)), "{answer}");
        for list in ["/affected", "/tests", "/files"] {
            assert!(answer.list(list).len() >= 3, "{list} has a share{answer}");
        }
        let cut = answer.list("/affected").len() < 120;
        assert_eq!(answer.envelope["truncated"], cut || answer.list("/files").len() < 120, "{answer}");
        if cut {
            assert!(
                answer.envelope["dropped"]["note"].as_str().is_some_and(|n| n.contains("max_depth")),
                "{answer}"
            );
        }
    }
}

#[test]
fn people_and_models_read_trees_and_lists() {
    let world = World::new();
    let tree = world.tree(SHOP);
    let say = |args: &[&str]| world.hob(tree.root(), args).success();
    let trace = say(&["trace", "main"]);
    let expected = "shop.py:36 main; also Shop\n 23 loop at 37\n  18 bill at 24; also os\n   14 total at 20\n    base.py:6 price at 15\n  \
                    28 again at 25\n   23 loop at 29 (cycle)\n";
    assert_eq!(trace, expected);
    let impact = say(&["impact", "price"]);
    assert!(impact.starts_with("8 affected in 2 files, 1 of them tests; "), "{impact}");
    assert!(impact.contains("\ndirectly:\n shop.py\n  8 Shop.save\n  15 total\nin 2 steps:\n"), "{impact}");
    assert!(impact.contains(" test_bill -> bill (test)\n"), "{impact}");
    let several = say(&["trace", "same"]);
    assert!(
        several.contains("twice/a.py:1 same function") && several.contains("the name of 2 definitions"),
        "{several}"
    );
    let json = say(&["impact", "price", "--json"]);
    let envelope: Value = serde_json::from_str(&json).expect("the envelope alone");
    assert_eq!(envelope["data"]["counts"]["affected"], 8, "{json}");
    let missing = world.hob(tree.root(), &["trace", "nobody_at_all"]).code(1);
    assert!(missing.stderr.contains("SYMBOL_NOT_FOUND") && missing.stdout.is_empty(), "{missing}");
    let wrong = world.hob(tree.root(), &["impact"]).code(2);
    assert!(wrong.stderr.contains("SYMBOL"), "{wrong}");
    let help = say(&["--help"]);
    assert!(["trace", "impact", "graph"].iter().all(|verb| help.contains(verb)), "{help}");
    assert!(say(&["trace", "--help"]).contains("concise"));
}
