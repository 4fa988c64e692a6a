//! Tests that every tool stays within its budget for any data, and that what was left out can be fetched.
//!
//! Every test checks for each answer that `used` is the cost of the text and does not exceed what was requested
//! (`Answer::new`). Here the answers are made to be too large.

use hob_proto::tools::{MAX_BUDGET, MIN_BUDGET, TOOLS};
use hob_tests::{Mcp, Tree, World};
use serde_json::{Value, json};

use super::edit::editor;

/// Returns a tree with long names, long lines, wide characters, and hundreds of users of one function.
fn monstrous(world: &World) -> Tree {
    let tree = world.tree("//- /hub.py\ndef hub():\n    return 1\n");
    for i in 0..300 {
        let name = format!("user_{i}_{}", "x".repeat(i % 90));
        let text = format!("from hub import hub\n\n\ndef {name}(a, b=\"ü→😀\"):\n    return hub()\n");
        tree.write(&format!("part{}/m{i}.py", i % 7), text);
    }
    tree.write("one_line.json", format!("{{\"hub\": \"{}\"}}", "😀\\\"".repeat(60_000)));
    tree.write(
        "huge.py",
        format!("def huge():\n    return \"\"\"\n{}\"\"\"\n", "hub line ü\n".repeat(20_000)),
    );
    tree
}

/// Returns a diff that removes what everything else uses.
fn whole_diff() -> &'static str {
    "--- a/hub.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def hub():\n-    return 1\n"
}

/// Returns arguments with which a tool has the longest answer.
fn greedy(tool: &str) -> Value {
    match tool {
        "count_patterns" | "hob_grep" => json!({"patterns": ["hub", "user"]}),
        "edit_pattern" => json!({"language": "py", "pattern": "def $A(): $$$B", "rewrite": "def $A(): pass"}),
        "edit_rename" => json!({"nodeId": "py:hub.py#hub", "newName": "centre"}),
        "edit_symbol" => json!({"nodeId": "py:hub.py#hub", "operation": "insert_before", "source": "x = 1"}),
        "edit_text" => json!({"file": "huge.py", "pattern": "e", "replacement": "é\"e"}),
        "resolve_action" => json!({"action": "discard", "reason": "\u{1}é".repeat(3_000)}),
        "flow_trace" => json!({"symbol": "py:part0/m0.py#user_0_", "max_depth": 50}),
        "impact" => json!({"symbol": "hub", "max_depth": 20}),
        "tests_for" => json!({"target": "hub", "max_depth": 20}),
        "symbol_history" => json!({"symbol": "hub"}),
        "change_impact" => json!({"change": whole_diff(), "max_depth": 20}),
        "investigate" => json!({"query": "user hub huge line"}),
        "investigate_expand" => json!({"bundle_id": "b".repeat(9_000), "targets": ["a1"]}),
        "investigate_hydrate" => json!({"bundle_id": "b".repeat(9_000)}),
        "map_search" => json!({"query": "user", "limit": 100}),
        "map_neighbors" => json!({"nodeId": "py:hub.py#hub", "maxNodes": 200, "depth": 3}),
        "map_path" => json!({"from": "py:part0/m0.py", "to": "py:part1/m1.py", "maxLen": 10}),
        "map_overview" => json!({"hubsPerCluster": 20}),
        "read_symbols" => json!({"targets": ["huge", "hub", "nobody"], "include_neighbors": 20}),
        "regex_search" => json!({"pattern": "hub", "context_lines": 20, "limit": 10_000}),
        "text_search" => json!({"query": "user hub huge line", "limit": 100}),
        "nav_workspaceSymbols" => json!({"query": "user", "limit": 200}),
        "nav_symbols" => json!({"file": "huge.py"}),
        "nav_diagnostics" | "hob_servers" => json!({}),
        "nav_callHierarchy" => json!({"nodeId": "py:hub.py#hub", "depth": 3}),
        nav if nav.starts_with("nav_") || nav == "resolve" => json!({"nodeId": "py:hub.py#hub"}),
        _ => json!({}),
    }
}

fn with_budget(tool: &str, budget: u32) -> Value {
    let mut args = greedy(tool);
    args["tokenBudget"] = budget.into();
    args
}

#[test]
fn the_least_budget_holds_for_every_tool() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = monstrous(&world);
    let mut mcp = editor(&world, &tree);
    for tool in TOOLS {
        for budget in [MIN_BUDGET, 101, 137, 400, 2_000, MAX_BUDGET] {
            let answer = mcp.call(tool.name, with_budget(tool.name, budget));
            // Without a language server or anything to undo, some tools have only an error to return.
            let expected = match tool.name {
                "edit_rename" => Some("LSP_UNAVAILABLE"),
                "hob_undo" => Some("NO_PENDING_ACTION"),
                // These are for the command line only.
                "hob_purge" | "hob_close" => Some("BAD_ARGS"),
                // There is no history.
                "symbol_history" => Some("BAD_ARGS"),
                "investigate_expand" | "investigate_hydrate" => Some("BUNDLE_NOT_FOUND"),
                nav => {
                    (nav.starts_with("nav_") && answer.envelope["ok"] == false).then_some("LSP_UNAVAILABLE")
                }
            };
            match expected {
                Some(code) => drop(answer.error(code).clone()),
                None => drop(answer.ok().clone()),
            }
            assert_eq!(answer.envelope["tokenBudget"]["requested"], budget, "{answer}");
        }
    }
}

#[test]
fn errors_fit_into_the_least_budget_too() {
    let world = World::new();
    let tree = monstrous(&world);
    let mut mcp = world.mcp(&tree);
    let long = "é(".repeat(5_000);
    let calls = [
        ("regex_search", json!({"pattern": long}), "BAD_PATTERN"),
        ("map_neighbors", json!({"nodeId": long}), "SYMBOL_NOT_FOUND"),
        ("map_neighbors", json!({"nodeId": format!("py:{}", "a/".repeat(4_000) + "b.py")}), "NODE_NOT_FOUND"),
        ("map_search", json!({"query": "ab", long.as_str(): 1}), "BAD_ARGS"),
        ("map_search", json!({"query": "ab", "root": format!("/{}", "r".repeat(20_000))}), "BAD_ARGS"),
        ("regex_search", json!({"pattern": "a", "path_prefix": "../".repeat(1_300)}), "OUTSIDE_WORKSPACE"),
    ];
    for (tool, mut args, code) in calls {
        args["tokenBudget"] = MIN_BUDGET.into();
        let answer = mcp.call(tool, args);
        let _ = answer.error(code);
        assert_eq!(answer.envelope["tokenBudget"]["requested"], MIN_BUDGET, "{answer}");
    }
}

#[test]
fn a_budget_out_of_range_is_clamped_and_said() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef f(): pass\n");
    let mut mcp = world.mcp(&tree);
    for (asked, used) in
        [(1, MIN_BUDGET), (99, MIN_BUDGET), (10_001, MAX_BUDGET), (2_000_000_000, MAX_BUDGET)]
    {
        let answer = mcp.call("map_search", json!({"query": "ff", "tokenBudget": asked}));
        assert_eq!(answer.envelope["tokenBudget"]["requested"], used, "{answer}");
        assert!(answer.warnings().contains(&asked.to_string()), "{answer}");
    }
    let answer = mcp.call("map_search", json!({"query": "ff"}));
    assert_eq!(
        answer.envelope["tokenBudget"],
        json!({"requested": 2000, "used": answer.envelope["tokenBudget"]["used"], "max": 10_000})
    );
}

#[test]
fn what_was_cut_comes_back_with_a_larger_budget() {
    let world = World::new();
    let tree = monstrous(&world);
    let mut mcp = world.mcp(&tree);
    let small = mcp.call("map_search", with_budget("map_search", 300));
    let large = mcp.call("map_search", with_budget("map_search", MAX_BUDGET));
    let (few, many) = (small.texts("/results", "id"), large.texts("/results", "id"));
    assert!(!few.is_empty() && few.len() < many.len(), "{small}");
    assert!(many.starts_with(&few), "the best are kept{small}");
    let dropped = &small.envelope["dropped"];
    assert_eq!(dropped["kind"], "results", "{small}");
    assert!(dropped["note"].as_str().is_some_and(|note| note.contains("paths")), "{small}");
    assert_eq!(small.ok()["total"], large.ok()["total"], "totals count everything{small}");
}

#[test]
fn a_body_that_does_not_fit_is_not_called_complete() {
    let world = World::new();
    let tree = monstrous(&world);
    let mut mcp: Mcp = world.mcp(&tree);
    let answer = mcp.call("read_symbols", json!({"targets": ["huge"], "token_budget": 500}));
    for symbol in answer.list("/symbols") {
        let lines = symbol["source"].as_str().map_or(0, |source| source.lines().count());
        assert!(lines < 20_000 && symbol["body_complete"] == false, "it was cut, and says so{answer}");
    }
    assert_eq!(answer.envelope["truncated"], true, "{answer}");
}
