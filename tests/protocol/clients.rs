//! Real clients, not our own, against `hob-mcp` over stdio.

use std::process::Command;

use hob_tests::{Tree, World, outside, run};
use serde_json::{Value, json};

const FIXTURE: &str = "//- /a.py\ndef found():\n    return 'ü'\n";

/// Returns the orders for a client; the same for all of them.
fn plan(world: &World, tree: &Tree) -> Value {
    let mut shim = world.command("hob-mcp");
    shim.arg("--tools").arg("all");
    let env: serde_json::Map<String, Value> = shim
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value?.to_str()?.into())))
        .collect();
    json!({
        "command": shim.get_program().to_str(),
        "args": ["--tools", "all", "--format", "json"],
        "env": env,
        "cwd": tree.root(),
        "calls": [
            {"name": "map_search", "arguments": {"query": "found"}},
            {"name": "regex_search", "arguments": {"pattern": "return '.'"}},
            {"name": "regex_search", "arguments": {"pattern": "("}},
            {"name": "regex_search", "arguments": {"pattern": "return", "format": "text"}},
            {"name": "map_serch", "arguments": {}},
        ],
    })
}

#[track_caller]
fn report(program: &mut Command, world: &World, tree: &Tree) -> Value {
    let said = run(program.arg(plan(world, tree).to_string()).current_dir(outside::clients()), b"").success();
    serde_json::from_str(said.lines().last().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// Checks the facts that every client must have seen.
#[track_caller]
fn check(report: &Value, revision: &str) {
    assert_eq!(report["protocolVersion"], revision, "{report}");
    assert_eq!(report["server"]["name"], "hob", "{report}");
    assert!(report["instructions"].as_str().is_some_and(|text| text.contains("map_overview")), "{report}");
    let tools = report["tools"].as_array().expect("a list of tools");
    assert!(tools.len() >= 8, "{report}");
    for tool in tools {
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], true, "some clients refuse tools without annotations: {tool}");
        assert_eq!(hints["openWorldHint"], false, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let results = report["results"].as_array().expect("results");
    for result in &results[..3] {
        let text = result["content"][0]["text"].as_str().expect("a text");
        let envelope: Value = serde_json::from_str(text).expect("an envelope");
        let structure = as_javascript(&result["structuredContent"]);
        assert_eq!(as_javascript(&envelope), structure, "text and structure are the same");
        assert_ne!(result["isError"], true, "a failure is an envelope: {result}");
    }
    let text = &results[3];
    assert_eq!(text["content"][0]["text"], "a.py\n found\n  2 return 'ü'", "{report}");
    assert!(text["structuredContent"].is_null(), "a client would show both: {report}");
    let data = |at: usize| &results[at]["structuredContent"]["data"];
    assert_eq!(data(0)["results"][0]["id"], "py:a.py#found", "{report}");
    assert_eq!(data(1)["matches"][0]["text"], "    return 'ü'", "{report}");
    assert_eq!(results[2]["structuredContent"]["error"]["code"], "BAD_PATTERN", "{report}");
    let refusal = report["refusals"][0].as_str().unwrap_or_default();
    assert!(refusal.contains("map_search"), "an unknown tool is told the nearest name: {report}");
}

/// JavaScript has one kind of number and writes 0.0 as 0.
fn as_javascript(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(as_javascript).collect(),
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), as_javascript(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn python_sdk() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let report = report(Command::new(outside::python()).arg("client.py"), &world, &tree);
    check(&report, "2026-07-28");
}

#[test]
fn typescript_sdk_version_1() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let report = report(Command::new(outside::node()).arg("sdk.mjs"), &world, &tree);
    check(&report, "2025-11-25");
}

#[test]
fn typescript_client_version_2() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let report = report(Command::new(outside::node()).arg("client.mjs"), &world, &tree);
    check(&report, "2025-11-25");
}
