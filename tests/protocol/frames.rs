//! Messages that are none: each request is answered, and the next good one too.

use hob_tests::{Mcp, World};
use serde_json::{Value, json};

const FIXTURE: &str = "//- /a.py\ndef found(): pass\n";

#[track_caller]
fn still_answers(mcp: &mut Mcp) {
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
}

/// The error that a line of bytes is answered with, and the ID it is answered to.
#[track_caller]
fn refusal(mcp: &mut Mcp, line: &[u8]) -> (i64, Value) {
    mcp.send_raw(line);
    mcp.send_raw(b"\n");
    let shown = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
    let message = mcp.receive(hob_tests::FOREVER).unwrap_or_else(|| panic!("no answer to {shown}"));
    let code = message["error"]["code"].as_i64().unwrap_or_else(|| panic!("{shown}: {message}"));
    (code, message.get("id").cloned().unwrap_or_default())
}

#[test]
fn rubbish_is_refused_and_the_shim_goes_on() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    still_answers(&mut mcp);
    assert_eq!(refusal(&mut mcp, b"not json at all").0, -32700);
    assert_eq!(refusal(&mut mcp, b"\xff\xfe\x00").0, -32700);
    assert_eq!(refusal(&mut mcp, b"{\"jsonrpc\": \"2.0\", \"id\": 5").0, -32700);
    assert_eq!(refusal(&mut mcp, b"[]").0, -32600);
    assert_eq!(refusal(&mut mcp, b"{\"id\": 71}"), (-32600, json!(71)));
    assert_eq!(
        refusal(&mut mcp, b"{\"jsonrpc\": \"2.0\", \"id\": \"x\", \"method\": 7}"),
        (-32600, json!("x"))
    );
    let no_method = json!({"jsonrpc": "2.0", "id": "y", "method": "no/such"}).to_string();
    assert_eq!(refusal(&mut mcp, no_method.as_bytes()), (-32601, json!("y")));
    let no_params =
        json!({"jsonrpc": "2.0", "id": "z", "method": "tools/call", "params": {"name": 1}}).to_string();
    assert_eq!(refusal(&mut mcp, no_params.as_bytes()), (-32602, json!("z")));
    let by_position = json!({"jsonrpc": "2.0", "id": "p", "method": "tools/call", "params": [1]}).to_string();
    assert_eq!(refusal(&mut mcp, by_position.as_bytes()), (-32600, json!("p")));
    assert_eq!(refusal(&mut mcp, &vec![b'x'; 17 << 20]).0, -32600);
    still_answers(&mut mcp);
}

#[test]
fn an_unknown_tool_is_told_the_nearest_name() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let id = mcp.send_call("map_serch", &json!({"query": "found"}));
    let response = mcp.wait_response(id);
    assert_eq!(response["error"]["code"], -32602, "{response}");
    assert!(
        response["error"]["message"].as_str().is_some_and(|m| m.contains("did you mean `map_search`")),
        "{response}"
    );
    let id = mcp.send_call("entirely_different", &json!({}));
    assert!(
        mcp.wait_response(id)["error"]["message"].as_str().is_some_and(|m| m.contains("entirely_different"))
    );
    still_answers(&mut mcp);
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let calls: Vec<(u64, Value)> = (0..200)
        .map(|i| {
            let args = json!({"query": "found", "limit": 1 + i % 50});
            (mcp.send_call("map_search", &args), args)
        })
        .collect();
    for (id, args) in calls.into_iter().rev() {
        let answer = mcp.wait_call(id, "map_search", args);
        assert_eq!(answer.ok()["total"], 1, "{answer}");
    }
}

#[test]
fn a_batch_is_answered_message_by_message() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let ping = |id: &str| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    mcp.send(&json!([ping("one"), ping("two")]));
    assert_eq!(mcp.wait_response("two")["result"], json!({}));
    assert_eq!(mcp.wait_response("one")["result"], json!({}));
}
