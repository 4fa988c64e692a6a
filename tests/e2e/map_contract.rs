//! Tests the six `map_*` tools against their documentation: every field, limit, order and error.

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::{Value, json};

const SHOP: &str = r#"
//- /base.py
class Store:
    """Keeps things."""

    def save(self):
        pass
//- /shop.py
import os

from base import Store


class Shop(Store):
    def save(self):
        return helper() + helper() + \
            helper()


def helper():
    return os.getcwd()


def guess(thing):
    thing.save()
//- /pkg/helper_more.py
def helper_two(): pass
def my_helper(): pass
def Helper(): pass
def halper(): pass
"#;

/// Checks the fields of an object: exactly `required`, and in addition only some of `optional`.
#[track_caller]
fn fields(value: &Value, required: &[&str], optional: &[&str], answer: &Answer) {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is no object{answer}"));
    for name in required {
        assert!(object.contains_key(*name), "`{name}` is missing in {value}{answer}");
    }
    for name in object.keys() {
        assert!([required, optional].concat().contains(&name.as_str()), "`{name}` is unheard of{answer}");
    }
}

fn shop(world: &World) -> (Tree, Mcp) {
    let tree = world.tree(SHOP);
    let mcp = world.mcp(&tree);
    (tree, mcp)
}

#[track_caller]
fn refused(mcp: &mut Mcp, tool: &str, args: Value, words: &[&str]) {
    let answer = mcp.call(tool, args);
    let error = answer.error("BAD_ARGS");
    let text = format!("{} {}", error["message"], error["hint"]);
    assert!(words.iter().all(|word| text.contains(word)), "{words:?}{answer}");
}

#[track_caller]
fn clamped(mcp: &mut Mcp, tool: &str, args: Value, words: &[&str]) {
    let answer = mcp.call(tool, args);
    let _ = answer.ok();
    assert!(words.iter().all(|word| answer.warnings().contains(word)), "{words:?}{answer}");
}

#[test]
fn overview() {
    let world = World::new();
    let (_tree, mut mcp) = shop(&world);
    let answer = mcp.call("map_overview", json!({}));
    fields(
        answer.whole(),
        &["builtAt", "files", "symbols", "staleFiles", "languages", "clusters"],
        &[],
        &answer,
    );
    assert_eq!(
        (&answer.ok()["files"], &answer.ok()["languages"]),
        (&json!(3), &json!({"Python": 3})),
        "{answer}"
    );
    for (number, cluster) in answer.list("/clusters").iter().enumerate() {
        fields(cluster, &["id", "label", "files", "hubs"], &[], &answer);
        assert_eq!(cluster["id"], number, "{answer}");
        for hub in cluster["hubs"].as_array().expect("a list") {
            fields(hub, &["id", "kind", "signature", "doc", "score"], &[], &answer);
        }
        let scores: Vec<f64> =
            cluster["hubs"].as_array().into_iter().flatten().filter_map(|h| h["score"].as_f64()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "best first{answer}");
    }
    let sizes: Vec<u64> = answer.list("/clusters").iter().filter_map(|c| c["files"].as_u64()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "largest first{answer}");
    answer.says("Keeps things.");
    let one = mcp.call("map_overview", json!({"hubsPerCluster": 1}));
    assert!(one.list("/clusters").iter().all(|c| c["hubs"].as_array().map_or(0, Vec::len) <= 1), "{one}");
    clamped(&mut mcp, "map_overview", json!({"hubsPerCluster": 21}), &["hubsPerCluster", "20"]);
    clamped(&mut mcp, "map_overview", json!({"hubs_per_cluster": 0}), &["hubsPerCluster", "1"]);
    refused(&mut mcp, "map_overview", json!({"hubs": 1}), &["hubsPerCluster"]);
    refused(&mut mcp, "map_overview", json!({"focus": 7}), &["focus", "string"]);
}

#[test]
fn search() {
    let world = World::new();
    let (_tree, mut mcp) = shop(&world);
    let answer = mcp.call("map_search", json!({"query": "helper"}));
    fields(answer.whole(), &["results", "total"], &[], &answer);
    for hit in answer.list("/results") {
        fields(
            hit,
            &["id", "kind", "name", "file", "line", "col", "signature", "score"],
            &["stale"],
            &answer,
        );
    }
    let expected = [
        "py:shop.py#helper",
        "py:pkg/helper_more.py#Helper",
        "py:pkg/helper_more.py#helper_two",
        "py:pkg/helper_more.py#my_helper",
        "py:pkg/helper_more.py",
    ];
    assert_eq!(answer.texts("/results", "id"), expected, "exact, prefix, substring, path{answer}");
    assert_eq!(answer.ok()["total"], 5, "{answer}");
    let qualified = mcp.call("map_search", json!({"query": "shop.save"}));
    assert_eq!(qualified.texts("/results", "id"), ["py:shop.py#Shop.save"], "{qualified}");
    let fuzzy = mcp.call("map_search", json!({"query": "hilper"}));
    assert!(fuzzy.texts("/results", "id").contains(&"py:shop.py#helper"), "{fuzzy}");
    let two = mcp.call("map_search", json!({"query": "helper", "limit": 2}));
    assert_eq!((two.list("/results").len(), &two.ok()["total"]), (2, &json!(5)), "{two}");
    assert_eq!(two.envelope["dropped"]["count"], 3, "no silent cap{two}");
    assert!(two.envelope["dropped"]["note"].as_str().is_some_and(|note| note.contains("limit")), "{two}");
    refused(&mut mcp, "map_search", json!({"query": "h"}), &["query", "at least 2 characters"]);
    refused(&mut mcp, "map_search", json!({}), &["needs `query`"]);
    refused(&mut mcp, "map_search", json!({"query": "helper", "kind": "klass"}), &["kind", "class"]);
    refused(&mut mcp, "map_search", json!({"query": "helper", "pathprefiks": "a"}), &["pathPrefix"]);
    clamped(&mut mcp, "map_search", json!({"query": "helper", "limit": 101}), &["limit", "100"]);
    let outside = mcp.call("map_search", json!({"query": "helper", "pathPrefix": "../.."}));
    let _ = outside.error("OUTSIDE_WORKSPACE");
}

#[test]
fn neighbors() {
    let world = World::new();
    let (_tree, mut mcp) = shop(&world);
    let answer = mcp.call("map_neighbors", json!({"nodeId": "py:shop.py#helper"}));
    fields(answer.whole(), &["node", "neighbors", "omitted", "mapBuiltAt", "staleFiles"], &[], &answer);
    for found in answer.list("/neighbors") {
        let required = ["id", "kind", "edge", "direction", "resolved", "confidence", "depth", "score"];
        let optional = ["file", "line", "sites", "siteCount", "text", "candidates", "stale"];
        fields(found, &required, &optional, &answer);
        let outside = found["kind"] == "external";
        assert_eq!(
            found["file"].is_string() && found["line"].is_u64(),
            !outside,
            "only packages have no place{answer}"
        );
    }
    // The same call from both of its ends, with its lines.
    let from = |answer: &Answer, id: &str| -> Value {
        let found = answer.list("/neighbors").iter().find(|n| n["id"] == id && n["edge"] == "calls").cloned();
        found.unwrap_or_else(|| panic!("no call of `{id}`{answer}"))
    };
    let caller = from(&answer, "py:shop.py#Shop.save");
    let other = mcp.call("map_neighbors", json!({"nodeId": "py:shop.py#Shop.save", "direction": "out"}));
    let callee = from(&other, "py:shop.py#helper");
    assert_eq!((&caller["direction"], &callee["direction"]), (&json!("in"), &json!("out")));
    for field in ["sites", "siteCount", "confidence", "resolved"] {
        assert_eq!(caller[field], callee[field], "{answer}{other}");
    }
    let lines = caller["sites"].as_array().expect("lines");
    let count = caller["siteCount"].as_u64().unwrap_or(lines.len() as u64);
    assert!(
        lines.first() == Some(&json!(8)) && lines.last() == Some(&json!(9)) && count == 3,
        "line and count{answer}"
    );
    assert_eq!(caller["text"], "return helper() + helper() + \\", "the first of them{answer}");

    let guess = mcp.call("map_neighbors", json!({"nodeId": "py:shop.py#guess", "direction": "out"}));
    let unresolved: Vec<&Value> =
        guess.list("/neighbors").iter().filter(|n| n["resolved"] == false).collect();
    assert_eq!(unresolved.len(), 1, "once{guess}");
    assert_eq!(unresolved[0]["confidence"], "candidate", "{guess}");
    let mut candidates: Vec<&str> =
        unresolved[0]["candidates"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    candidates.sort_unstable();
    assert_eq!(candidates, ["py:base.py#Store.save", "py:shop.py#Shop.save"], "{guess}");
    for candidate in candidates {
        let back = mcp
            .call("map_neighbors", json!({"nodeId": candidate, "direction": "in", "edgeKinds": ["calls"]}));
        let seen = back.list("/neighbors").iter().find(|n| n["id"] == "py:shop.py#guess");
        assert_eq!(seen.map(|n| &n["confidence"]), Some(&json!("name")), "one of the family for sure{back}");
        assert!(back.ok().get("candidates").is_none(), "and of nothing else{back}");
        let args = json!({"nodeId": candidate, "direction": "in", "edgeKinds": ["calls"], "family": false});
        let alone = mcp.call("map_neighbors", args);
        let seen = alone.list("/neighbors").iter().find(|n| n["id"] == "py:shop.py#guess");
        assert_eq!(
            seen.map(|n| &n["confidence"]),
            Some(&json!("candidate")),
            "visible from both ends{alone}"
        );
        assert_eq!(alone.ok()["candidates"].as_array().map(Vec::len), Some(1), "told once{alone}");
    }
    let deep =
        mcp.call("map_neighbors", json!({"nodeId": "py:shop.py#guess", "depth": 3, "direction": "out"}));
    assert!(deep.list("/neighbors").iter().all(|n| n["depth"] == 1), "guesses are not followed{deep}");
}

#[test]
fn limits_and_errors_of_neighbors() {
    let world = World::new();
    let (_tree, mut mcp) = shop(&world);
    let node = "py:shop.py#helper";
    let kinds = mcp.call("map_neighbors", json!({"nodeId": node, "edgeKinds": ["calls"], "direction": "in"}));
    assert!(
        kinds.list("/neighbors").iter().all(|n| n["edge"] == "calls" && n["direction"] == "in"),
        "{kinds}"
    );
    let one = mcp.call("map_neighbors", json!({"nodeId": "py:shop.py", "maxNodes": 1}));
    assert_eq!(one.list("/neighbors").len(), 1, "{one}");
    assert!(one.ok()["omitted"].as_u64() >= Some(2) && one.envelope["truncated"] == true, "{one}");
    clamped(&mut mcp, "map_neighbors", json!({"nodeId": node, "depth": 65}), &["depth", "64"]);
    refused(&mut mcp, "map_neighbors", json!({"nodeId": node, "depth": "most"}), &["depth", "all"]);
    clamped(&mut mcp, "map_neighbors", json!({"nodeId": node, "maxNodes": 1001}), &["maxNodes", "1000"]);
    refused(&mut mcp, "map_neighbors", json!({}), &["needs `nodeId`"]);
    refused(&mut mcp, "map_neighbors", json!({"nodeId": node, "direction": "up"}), &["direction", "both"]);
    refused(
        &mut mcp,
        "map_neighbors",
        json!({"nodeId": node, "edgeKinds": ["call"]}),
        &["edgeKinds", "calls"],
    );
    refused(&mut mcp, "map_neighbors", json!({"nodeid": 1}), &["string"]);
    let malformed = mcp.call("map_neighbors", json!({"nodeId": "nobody"}));
    let error = malformed.error("SYMBOL_NOT_FOUND");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("`nobody`")), "{malformed}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("map_search")), "{malformed}");
    let gone = mcp.call("map_neighbors", json!({"nodeId": "py:shop.py#halper"}));
    let error = gone.error("NODE_NOT_FOUND");
    assert!(error["sameFile"].to_string().contains("py:shop.py#helper"), "names of the file{gone}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("map_search")), "{gone}");
    let moved = mcp.call("map_neighbors", json!({"nodeId": "py:no/such.py#f"}));
    assert!(
        moved.error("NODE_NOT_FOUND")["hint"].as_str().is_some_and(|h| h.contains("map_search")),
        "{moved}"
    );
    let with_sym = mcp.call("map_neighbors", json!({"nodeId": "sym:py:shop.py#helper"}));
    assert_eq!(with_sym.ok()["node"]["id"], node, "{with_sym}");
}

#[test]
fn a_method_stands_for_its_family_and_a_class_for_all_below_it() {
    let world = World::new();
    let (tree, mut mcp) = shop(&world);
    tree.write(
        "deep.py",
        "from shop import Shop\n\n\nclass Deep(Shop):\n    def save(self):\n        super().save()\n",
    );
    tree.write("late.py", "from base import Store\n\n\ndef keep(store: Store):\n    store.save()\n");
    let args = json!({"nodeId": "py:shop.py#Shop.save", "direction": "in", "edgeKinds": ["calls"]});
    let answer = mcp.call("map_neighbors", args);
    let kin: Vec<(&str, &str)> = answer
        .list("/family")
        .iter()
        .map(|kin| (kin["id"].as_str().unwrap_or(""), kin["is"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        kin,
        [("py:base.py#Store.save", "overridden"), ("py:deep.py#Deep.save", "overriding")],
        "{answer}"
    );
    let keep = answer.list("/neighbors").iter().find(|n| n["id"] == "py:late.py#keep").expect("a caller");
    assert_eq!(
        (&keep["names"], &keep["sites"], &keep["text"]),
        (&json!("py:base.py#Store.save"), &json!([5]), &json!("store.save()")),
        "{answer}"
    );
    let deep = answer.list("/neighbors").iter().find(|n| n["id"] == "py:deep.py#Deep.save").expect("super");
    assert!(deep.get("names").is_none() && deep["sites"] == json!([6]), "it names the method itself{answer}");
    let args =
        json!({"nodeId": "py:base.py#Store", "direction": "in", "edgeKinds": ["extends"], "depth": "all"});
    let below = mcp.call("map_neighbors", args);
    assert_eq!(below.texts("/neighbors", "id"), ["py:shop.py#Shop", "py:deep.py#Deep"], "{below}");
    assert_eq!(below.list("/neighbors")[1]["via"], "py:shop.py#Shop", "{below}");
}

#[test]
fn at_most_twenty_of_a_kind_and_the_rest_is_counted() {
    let world = World::new();
    let tree = world.tree("//- /hub.py\ndef hub():\n    return 1\n");
    for n in 0..60 {
        tree.write(
            &format!("m{n}.py"),
            format!("from hub import hub\n\n\ndef user_{n}():\n    return hub()\n"),
        );
    }
    let mut mcp = world.mcp(&tree);
    let args = json!({"nodeId": "py:hub.py#hub", "direction": "in", "maxNodes": 200, "tokenBudget": 10_000});
    let answer = mcp.call("map_neighbors", args);
    let of =
        |answer: &Answer, kind: &str| answer.list("/neighbors").iter().filter(|n| n["edge"] == kind).count();
    assert_eq!((of(&answer, "calls"), of(&answer, "imports")), (20, 20), "{answer}");
    assert_eq!(answer.ok()["omitted"], 80, "{answer}");
    let note = answer.envelope["dropped"]["note"].as_str().unwrap_or_default();
    assert!(note.contains("80") && note.contains("edgeKinds"), "what is left out, and how to get it{answer}");
    let sole =
        json!({"nodeId": "py:hub.py#hub", "edgeKinds": ["calls"], "maxNodes": 200, "tokenBudget": 10_000});
    let sole = mcp.call("map_neighbors", sole);
    assert_eq!(
        (of(&sole, "calls"), &sole.ok()["omitted"]),
        (60, &json!(0)),
        "all of one kind can be had{sole}"
    );
    let scores: Vec<f64> = sole.list("/neighbors").iter().filter_map(|n| n["score"].as_f64()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "best first{sole}");
}

#[test]
fn path() {
    let world = World::new();
    let (_tree, mut mcp) = shop(&world);
    let answer = mcp.call("map_path", json!({"from": "py:base.py#Store.save", "to": "py:shop.py#helper"}));
    fields(answer.whole(), &["found", "length", "nodes", "edges"], &[], &answer);
    assert_eq!((&answer.ok()["found"], &answer.ok()["length"]), (&json!(true), &json!(2)), "{answer}");
    let (nodes, edges) = (answer.list("/nodes"), answer.list("/edges"));
    assert_eq!(nodes.len(), edges.len() + 1, "{answer}");
    for (at, edge) in edges.iter().enumerate() {
        let required = ["from", "to", "kind", "direction", "confidence"];
        fields(edge, &required, &["line", "lines", "text", "named"], &answer);
        assert_eq!((&edge["from"], &edge["to"]), (&nodes[at]["id"], &nodes[at + 1]["id"]), "a chain{answer}");
    }
    assert_eq!((&edges[0]["kind"], &edges[1]["kind"]), (&json!("overrides"), &json!("calls")), "{answer}");
    assert_eq!(
        (&edges[1]["line"], &edges[1]["text"]),
        (&json!(8), &json!("return helper() + helper() + \\")),
        "{answer}"
    );
    let text = mcp.read("map_path", json!({"from": "py:shop.py#Shop", "to": "py:shop.py#helper"}));
    assert_eq!(text, "shop.py\n 8,9 Shop.save: return helper() + helper() + \\\n 12 helper");
    let same = mcp.call("map_path", json!({"from": "py:base.py#Store", "to": "py:base.py#Store"}));
    assert_eq!((&same.ok()["found"], &same.ok()["length"]), (&json!(true), &json!(0)), "{same}");
    let short = mcp
        .call("map_path", json!({"from": "py:base.py#Store.save", "to": "py:shop.py#helper", "maxLen": 1}));
    assert_eq!(
        (&short.ok()["found"], &short.ok()["length"], &short.ok()["nodes"], &short.ok()["edges"]),
        (&json!(false), &json!(0), &json!([]), &json!([])),
        "{short}"
    );
    assert!(short.ok()["reached"]["from"]["nodes"].as_u64() >= Some(1), "how far it got{short}");
    let wrong_way = mcp.call("map_path", json!({"from": "py:shop.py#helper", "to": "py:base.py#Store.save"}));
    assert_eq!(wrong_way.ok()["found"], false, "calls are followed forwards{wrong_way}");
    assert!(wrong_way.warnings().contains("direction"), "and what to ask is said{wrong_way}");
    for direction in ["in", "both"] {
        let args =
            json!({"from": "py:shop.py#helper", "to": "py:base.py#Store.save", "direction": direction});
        let back = mcp.call("map_path", args);
        assert_eq!(back.ok()["found"], true, "{back}");
    }
    let imports = json!({"from": "py:shop.py", "to": "py:base.py", "edgeKinds": ["imports"]});
    let imports = mcp.call("map_path", imports);
    assert_eq!((&imports.ok()["length"], &imports.list("/edges")[0]["kind"]), (&json!(1), &json!("imports")));
    clamped(
        &mut mcp,
        "map_path",
        json!({"from": "py:base.py", "to": "py:shop.py", "maxLen": 31}),
        &["maxLen", "30"],
    );
    refused(&mut mcp, "map_path", json!({"from": "py:base.py"}), &["needs `to`"]);
    let _ =
        mcp.call("map_path", json!({"from": "py:base.py#Nope", "to": "py:shop.py"})).error("NODE_NOT_FOUND");
    let _ = mcp.call("map_path", json!({"from": "py:base.py", "to": "base"})).error("SYMBOL_NOT_FOUND");
    let references =
        mcp.call("map_path", json!({"from": "py:base.py", "to": "py:shop.py", "include_references": "yes"}));
    let _ = references.error("BAD_ARGS");
}

#[test]
fn rebuild_and_status() {
    let world = World::new();
    let (tree, mut mcp) = shop(&world);
    let _ = mcp.call("map_search", json!({"query": "helper"})).ok();
    tree.write("new.py", "def brand_new(): pass\n");
    let answer = mcp.call("map_rebuild", json!({}));
    let counts = ["filesScanned", "filesExtracted", "filesDeleted", "durationMs", "cold"];
    fields(answer.whole(), &counts, &[], &answer);
    assert_eq!((&answer.ok()["cold"], &answer.ok()["filesDeleted"]), (&json!(false), &json!(0)), "{answer}");
    let scoped = mcp.call("map_rebuild", json!({"scope": "pkg"}));
    assert_eq!(scoped.ok()["filesScanned"], 1, "{scoped}");
    let _ = mcp.call("map_rebuild", json!({"scope": "/etc"})).error("OUTSIDE_WORKSPACE");
    let status = mcp.call("map_status", json!({}));
    let named = [
        "built",
        "builtAt",
        "files",
        "symbols",
        "edges",
        "languages",
        "staleFiles",
        "watcher",
        "text",
        "lsp",
        "memory",
        "daemon",
    ];
    fields(status.whole(), &named, &["root", "progress", "generation", "notes"], &status);
    assert_eq!((&status.ok()["built"], &status.ok()["files"]), (&json!(true), &json!(4)), "{status}");
    fields(&status.ok()["watcher"], &["state"], &["note"], &status);
    for field in ["version", "uptimeS", "clients"] {
        assert!(status.ok()["daemon"].get(field).is_some(), "daemon.{field}{status}");
    }
}
