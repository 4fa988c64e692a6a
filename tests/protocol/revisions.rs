//! Every revision of MCP by hand-written messages: with `initialize`, and without.

use hob_tests::{Mcp, McpOptions, World};
use serde_json::{Value, json};

const FIXTURE: &str = "//- /a.py\ndef found(): pass\n";

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut mcp = Mcp::start(&world, &tree, &McpOptions { revision, ..McpOptions::default() });
        assert_eq!(mcp.greeting["protocolVersion"], revision);
        assert_eq!(mcp.greeting["serverInfo"]["name"], "hob");
        assert!(mcp.greeting["capabilities"]["tools"].is_object(), "{}", mcp.greeting);
        assert_eq!(mcp.request("ping", json!({})), json!({}));
        assert!(
            mcp.request("tools/list", json!({}))["tools"].as_array().is_some_and(|tools| tools.len() >= 8)
        );
        let answer = mcp.call("map_search", json!({"query": "found"}));
        assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{revision}{answer}");
        assert_eq!(mcp.close(), Some(0));
    }
}

#[test]
fn an_unknown_revision_is_answered_with_one_that_is_known() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    for revision in ["1999-01-01", "2099-12-31"] {
        let mcp = Mcp::start(&world, &tree, &McpOptions { revision, ..McpOptions::default() });
        assert_eq!(mcp.greeting["protocolVersion"], "2025-11-25");
    }
}

/// Returns the fields that revision 2026-07-28 has in every request instead of a handshake.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "hob-tests", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn the_revision_without_a_handshake_is_spoken() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = Mcp::start(&world, &tree, &McpOptions { handshake: false, ..McpOptions::default() });
    let found = mcp.request("server/discover", json!({"_meta": meta()}));
    let versions = found["supportedVersions"].as_array().expect("a list of revisions");
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    let listed = mcp.request("tools/list", json!({"_meta": meta()}));
    assert!(listed["tools"].as_array().is_some_and(|tools| tools.len() >= 8), "{listed}");
    assert!(listed["ttlMs"].as_u64() > Some(0), "the list may be kept: {listed}");
    let params = json!({"name": "map_search", "arguments": {"query": "found"}, "_meta": meta()});
    let id = mcp.send_request("tools/call", params);
    let answer = mcp.wait_call(id, "map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
}

#[test]
fn the_list_of_tools_is_as_long_as_was_asked_for() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let names = |tools: &[&str]| {
        let args = tools.iter().map(|arg| (*arg).to_owned()).collect();
        let mut mcp = Mcp::start(&world, &tree, &McpOptions { args, ..McpOptions::default() });
        let listed = mcp.request("tools/list", json!({}));
        let list = listed["tools"].as_array().cloned().unwrap_or_default();
        let cost = Value::from(list.clone()).to_string().chars().count() / 4;
        let names: Vec<String> =
            list.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
        (names, cost, list)
    };
    let (core, core_cost, _) = names(&[]);
    let (all, all_cost, _) = names(&["--tools", "all"]);
    assert!(core_cost < 2_500 && all_cost < 7_500, "core {core_cost}, all {all_cost} tokens");
    assert!(all.len() > core.len() && core.iter().all(|name| all.contains(name)), "{core:?} {all:?}");
    assert!(!all.contains(&"hob_noop".to_owned()), "what is for measurements is in no list");
    let (two, ..) = names(&["--tools", "regex_search,map_search"]);
    assert_eq!(two, ["map_search", "regex_search"]);
    let (.., with_schemas) = names(&["--output-schemas"]);
    assert!(with_schemas.iter().all(|tool| tool["outputSchema"]["type"] == "object"), "{with_schemas:?}");
}

#[test]
fn the_shim_answers_before_any_daemon_does() {
    let world = World::new().env("HOB_DAEMON", "/no/such/hobd");
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    assert_eq!(mcp.request("ping", json!({})), json!({}));
    assert!(!mcp.request("tools/list", json!({}))["tools"].as_array().expect("a list").is_empty());
}

#[test]
fn roots_of_the_client_say_which_project_it_is() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let options = McpOptions { handshake: false, cwd: Some(world.path("tmp")), ..McpOptions::default() };
    let mut mcp = Mcp::start(&world, &tree, &options);
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "0"}});
    let id = mcp.send_request("initialize", params);
    let _ = mcp.wait_result(id);
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let call = mcp.send_call("map_search", &json!({"query": "found"}));
    // The shim asks back before it answers.
    let asked = loop {
        let message = mcp.receive(hob_tests::FOREVER).expect("the shim asks for the roots");
        if message["method"] == "roots/list" {
            break message;
        }
    };
    let uri = format!("file://{}", tree.root().display());
    mcp.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}}));
    let answer = mcp.wait_call(call, "map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
}
