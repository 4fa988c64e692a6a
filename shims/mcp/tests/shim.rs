//! Tests `hob-mcp` without a daemon: handshakes of every revision, the tool list, bad input, its end.

mod support;

use serde_json::{Value, json};
use support::{Shim, request_meta};

const OLDER: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const CORE: &[&str] = &[
    "investigate",
    "map_neighbors",
    "map_overview",
    "map_path",
    "map_search",
    "nav_definition",
    "nav_references",
    "nav_type",
    "read_symbols",
    "regex_search",
];

fn tool_names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools in {answer}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn revisions_with_initialize() {
    for version in OLDER {
        let mut shim = Shim::start(&[]);
        let answer = shim.initialize(version, json!({}));
        assert_eq!(answer["result"]["protocolVersion"], *version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "hob");
        assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
        assert!(answer["result"]["instructions"].as_str().expect("instructions").contains("map_overview"));
        let list = shim.request(1, "tools/list", json!({}));
        assert_eq!(tool_names(&list), CORE, "{version}");
        assert!(
            list["result"].get("ttlMs").is_none() && list["result"].get("resultType").is_none(),
            "{list}"
        );
        assert!(shim.request(2, "ping", json!({}))["result"].is_object());
        assert!(shim.close().success());
    }
}

#[test]
fn an_unknown_revision_gets_one_that_is_spoken() {
    for version in ["1999-01-01", "2026-07-28", "2099-12-31"] {
        let mut shim = Shim::start(&[]);
        assert_eq!(shim.initialize(version, json!({}))["result"]["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn the_stateless_revision() {
    let mut shim = Shim::start(&[]);
    shim.send(
        &json!({"jsonrpc": "2.0", "id": "probe", "method": "server/discover", "params": {"_meta": request_meta()}}),
    );
    let discovered = shim.receive();
    assert_eq!(discovered["id"], "probe");
    let versions = discovered["result"]["supportedVersions"].as_array().expect("versions");
    for version in OLDER.iter().chain(&["2026-07-28"]) {
        assert!(versions.contains(&json!(version)), "{version} in {discovered}");
    }
    assert!(discovered["result"]["ttlMs"].as_u64().expect("a lifetime") > 0);
    let list = shim.request(1, "tools/list", json!({"_meta": request_meta()}));
    assert_eq!(tool_names(&list), CORE);
    assert!(list["result"]["ttlMs"].as_u64().expect("a lifetime") > 0);
    assert_eq!(list["result"]["cacheScope"], "private");
    let call = shim.request(2, "tools/call", json!({"name": "hob_noop", "_meta": request_meta()}));
    assert_eq!(call["result"]["resultType"], "complete");
    assert!(shim.close().success());
}

#[test]
fn a_client_may_probe_and_then_initialize() {
    let mut shim = Shim::start(&[]);
    let _ = shim.request(7, "server/discover", json!({"_meta": request_meta()}));
    assert_eq!(shim.initialize("2025-11-25", json!({}))["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(tool_names(&shim.request(1, "tools/list", json!({}))), CORE);
}

#[test]
fn every_tool_is_annotated_and_says_what_it_takes() {
    let mut shim = Shim::start(&["--tools", "all"]);
    let _ = shim.initialize("2025-11-25", json!({}));
    let list = shim.request(1, "tools/list", json!({}));
    assert!(tool_names(&list).is_sorted(), "{list}");
    assert!(tool_names(&list).len() > CORE.len());
    assert!(!tool_names(&list).contains(&"hob_noop".to_owned()));
    for tool in list["result"]["tools"].as_array().expect("tools") {
        let annotations = &tool["annotations"];
        let reads = annotations["readOnlyHint"].as_bool().expect("every tool says whether it writes");
        for hint in ["destructiveHint", "idempotentHint"] {
            assert_eq!(annotations[hint].is_boolean(), !reads, "{hint} of {tool}");
        }
        assert_eq!(annotations["openWorldHint"], false);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool.get("outputSchema").is_none());
    }
}

#[test]
fn tools_and_output_schemas_can_be_chosen() {
    let mut shim = Shim::start(&["--tools", "regex_search,map_search", "--output-schemas"]);
    let answer = shim.initialize("2025-06-18", json!({}));
    let instructions = answer["result"]["instructions"].as_str().expect("instructions");
    assert!(
        instructions.contains("regex_search") && !instructions.contains("map_overview"),
        "{instructions}"
    );
    let list = shim.request(1, "tools/list", json!({}));
    assert_eq!(tool_names(&list), ["map_search", "regex_search"]);
    assert_eq!(list["result"]["tools"][0]["outputSchema"]["type"], "object");
    let other = shim.request(2, "tools/call", json!({"name": "map_overview"}));
    assert_eq!(other["error"]["code"], -32602);
    assert!(other["error"]["message"].as_str().expect("a message").contains("--tools all"), "{other}");
}

#[test]
fn an_unknown_tool_is_refused_with_the_nearest_name() {
    let mut shim = Shim::start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    let answer = shim.request(1, "tools/call", json!({"name": "map_serch", "arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().expect("a message").contains("`map_search`"), "{answer}");
}

#[test]
fn without_a_daemon_every_call_answers_with_an_envelope() {
    let mut shim = Shim::start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    for (id, tool) in [(1, "hob_noop"), (2, "map_overview")] {
        shim.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}}));
        let line = shim.receive_line();
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{answer}");
        let envelope = &result["structuredContent"];
        assert_eq!(envelope["ok"], false);
        assert_eq!(envelope["error"]["code"], "DAEMON_UNAVAILABLE");
        assert!(
            envelope["error"]["message"].as_str().expect("a cause").contains("no-such-daemon"),
            "{envelope}"
        );
        let text = result["content"][0]["text"].as_str().expect("text");
        assert_eq!(text, envelope.to_string(), "both carry the same envelope in the same order");
        let used = envelope["tokenBudget"]["used"].as_u64().expect("a cost");
        assert_eq!(used, text.chars().count().div_ceil(4) as u64);
        assert!(used <= envelope["tokenBudget"]["requested"].as_u64().expect("a budget"));
    }
    assert!(shim.close().success());
}

#[test]
fn a_small_budget_holds_without_a_daemon_too() {
    let mut shim = Shim::start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    for (id, given) in [(1, json!(100)), (2, json!(1)), (3, json!("much")), (4, json!(1e300))] {
        let arguments = json!({"token_budget": given});
        let answer = shim.request(id, "tools/call", json!({"name": "hob_noop", "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str().expect("text");
        let budget = &answer["result"]["structuredContent"]["tokenBudget"];
        assert!(
            text.chars().count().div_ceil(4) as u64 <= budget["requested"].as_u64().expect("a budget"),
            "{text}"
        );
        assert!(budget["requested"].as_u64() <= budget["max"].as_u64(), "{budget}");
    }
}

#[test]
fn bad_input_is_answered_and_survived() {
    let mut shim = Shim::start(&[]);
    shim.write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    shim.write(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    shim.write("");
    shim.write("{broken");
    assert_eq!(shim.receive()["error"]["code"], -32700);
    let early = shim.request(3, "tools/list", json!({}));
    assert_eq!(early["error"]["code"], -32602, "{early}");
    let _ = shim.initialize("2025-11-25", json!({}));
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    shim.write(&nested);
    assert_eq!(shim.receive()["error"]["code"], -32700);
    shim.write(&format!(r#"{{"jsonrpc":"2.0","id":4,"method":"{}"}}"#, "x".repeat(17 << 20)));
    assert_eq!(shim.receive()["error"]["code"], -32600);
    assert_eq!(shim.request(5, "no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(shim.request(6, "tools/call", json!({"name": 7}))["error"]["code"], -32602);
    assert_eq!(
        shim.request(7, "tools/call", json!({"name": "hob_noop", "arguments": "x"}))["error"]["code"],
        -32602
    );
    shim.write(r#"{"jsonrpc":"2.0","id":8,"method":"tools/list","params":[1]}"#);
    assert!(shim.receive()["error"]["code"].is_i64());
    assert_eq!(tool_names(&shim.request(9, "tools/list", json!({}))), CORE);
    assert!(shim.close().success());
}

#[test]
fn a_wrong_command_line_is_explained_on_stderr() {
    let run = |args: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_hob-mcp")).args(args).output().expect("runs")
    };
    let wrong = run(&["--tools", "map_serch"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stdout.is_empty());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `map_search`"));
    let version = run(&["--version"]);
    assert!(version.status.success());
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("hob-mcp "));
    assert!(String::from_utf8_lossy(&run(&["--help"]).stdout).contains("mcpServers"));
}

#[test]
fn it_ends_with_its_input_even_before_a_handshake() {
    assert!(Shim::start(&[]).close().success());
    let mut shim = Shim::start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    assert!(shim.close().success());
}

#[test]
fn answers_under_way_are_written_before_it_ends() {
    let mut shim = Shim::start(&[]);
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    shim.send(&initialize);
    shim.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "hob_noop"}}));
    shim.end_input();
    assert_eq!(shim.receive()["id"], 1);
    assert_eq!(shim.receive()["id"], 2);
    assert!(shim.wait().success());
}

#[cfg(unix)]
#[test]
fn it_ends_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        let mut shim = Shim::start(&[]);
        let _ = shim.initialize("2025-11-25", json!({}));
        let pid = shim.pid().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &pid]).status();
        assert!(sent.expect("kill runs").success());
        assert_eq!(shim.wait().code(), Some(0), "{signal}");
    }
}

#[test]
fn roots_are_asked_for_once_and_again_after_a_change() {
    let mut shim = Shim::start(&[]);
    let _ = shim.initialize("2025-06-18", json!({"roots": {"listChanged": true}}));
    let uri = format!("file://{}", shim.folder().display());
    let call =
        |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "hob_noop"}});
    for round in 0..2 {
        shim.send(&call(round * 10 + 1));
        let asked = shim.receive();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}}));
        assert_eq!(shim.receive()["id"], round * 10 + 1);
        shim.send(&call(round * 10 + 2));
        assert_eq!(shim.receive()["id"], round * 10 + 2, "not asked a second time");
        shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
        // A ping answered means that the notification before it was taken in.
        assert!(shim.request(round * 10 + 3, "ping", json!({}))["result"].is_object());
    }
}

#[test]
fn roots_are_not_asked_for_when_the_root_is_given() {
    let mut shim = Shim::start(&["--root", "."]);
    let _ = shim.initialize("2025-06-18", json!({"roots": {}}));
    let answer = shim.request(1, "tools/call", json!({"name": "hob_noop"}));
    assert!(answer["result"].is_object(), "{answer}");
    let mut shim = Shim::start(&[]);
    let _ = shim.initialize("2025-06-18", json!({"roots": {}}));
    let answer = shim.request(1, "tools/call", json!({"name": "hob_noop", "arguments": {"root": "/x"}}));
    assert!(answer["result"].is_object(), "{answer}");
}

#[test]
fn nothing_but_the_protocol_is_on_stdout_with_a_log() {
    let mut shim = Shim::start_with(&[], |command, _| {
        command.env("HOB_LOG", "trace").stderr(std::process::Stdio::null());
    });
    assert!(shim.initialize("2025-11-25", json!({}))["result"].is_object());
    assert_eq!(tool_names(&shim.request(1, "tools/list", json!({}))), CORE);
}
