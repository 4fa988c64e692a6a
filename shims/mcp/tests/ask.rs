//! Questions of the daemon: how they reach the client's user or model in either era, and what the daemon is told of them.

#![cfg(unix)]

mod support;

use hob_proto::ClientMessage;
use hob_proto::message::{Ask, AskKind, Call, Offer};
use serde_json::{Map, Value, json};
use support::daemon::{FakeDaemon, call, start};
use support::{Shim, request_meta};

const FIRST: &str = r#"{"ok":true,"data":"before"}"#;
const SECOND: &str = r#"{"ok":true,"data":"after"}"#;

fn choose_ask() -> Ask {
    let options =
        vec![("a.rs:f".to_owned(), "f in a.rs".to_owned()), ("b.rs:f".to_owned(), "f in b".to_owned())];
    Ask { key: "choice".to_owned(), message: "Which `f`?".to_owned(), question: AskKind::Choose { options } }
}

fn sample_ask() -> Ask {
    let question = AskKind::Sample { system: "A number.".to_owned(), max_tokens: 16 };
    Ask { key: "model".to_owned(), message: "1 or 2?".to_owned(), question }
}

/// A shim in a session of an older revision, whose client has these capabilities.
fn older_session(version: &str, capabilities: Value) -> (Shim, FakeDaemon) {
    let (mut shim, daemon) = start(&["--tools", "all"]);
    let _ = shim.initialize(version, capabilities);
    (shim, daemon)
}

/// The daemon's first call of a request, which it answers with this question.
fn call_and_ask(shim: &mut Shim, daemon: &FakeDaemon, ask: Ask) -> Call {
    shim.send(&call(1, "resolve", json!({"subject": "f"})));
    let heard = daemon.call();
    daemon.answer_and_ask(&heard, FIRST, ask);
    heard
}

/// Returns the replies that the daemon receives when the client answers its question with `outcome`.
fn replies_for(shim: &mut Shim, daemon: &FakeDaemon, outcome: (&str, Value)) -> Map<String, Value> {
    let first = call_and_ask(shim, daemon, choose_ask());
    let asked = shim.receive();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], outcome.0: outcome.1}));
    let again = daemon.call();
    assert_eq!((&again.tool, &again.args, &again.root), (&first.tool, &first.args, &first.root));
    daemon.answer_call(&again, SECOND);
    assert_eq!(answer_data(&shim.receive()), "after");
    again.replies
}

fn answer_data(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]["data"]
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

#[test]
fn a_form_with_the_options_is_shown_and_the_choice_reaches_the_daemon() {
    for version in ["2025-06-18", "2025-11-25"] {
        let (mut shim, daemon) = older_session(version, json!({"elicitation": {}}));
        assert_eq!(call_and_ask(&mut shim, &daemon, choose_ask()).offers, [Offer::Choose]);
        let asked = shim.receive();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        assert_eq!(asked["params"]["message"], "Which `f`?");
        let schema = &asked["params"]["requestedSchema"];
        assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["choice"])));
        let field = &schema["properties"]["choice"];
        assert_eq!(field["type"], "string");
        assert_eq!(field["enum"], json!(["a.rs:f", "b.rs:f"]));
        assert_eq!(field["enumNames"], json!(["f in a.rs", "f in b"]));
        let accepted = json!({"action": "accept", "content": {"choice": "b.rs:f"}});
        shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": accepted}));
        let again = daemon.call();
        assert_eq!(again.replies, map(json!({"choice": "b.rs:f"})));
        daemon.answer_call(&again, SECOND);
        let answer = shim.receive();
        assert_eq!((&answer["id"], answer_data(&answer)), (&json!(1), &json!("after")));
    }
}

#[test]
fn whatever_is_no_choice_is_none() {
    let (mut shim, daemon) = older_session("2025-11-25", json!({"elicitation": {"form": {}}}));
    let nothing = map(json!({"choice": null}));
    for outcome in [
        ("result", json!({"action": "decline"})),
        ("result", json!({"action": "cancel"})),
        ("result", json!({"action": "accept"})),
        ("result", json!({"action": "accept", "content": {"choice": 7}})),
        ("result", json!({"action": "accept", "content": [1]})),
        ("result", json!({"action": "accept", "content": {"choice": "x".repeat(100_000)}})),
        ("result", json!({"action": "decline", "content": {"choice": "a.rs:f"}})),
        ("result", json!({"action": "shrug"})),
        ("result", json!({})),
        ("result", json!("yes")),
        ("error", json!({"code": -32603, "message": "no"})),
        ("error", json!("no")),
    ] {
        assert_eq!(replies_for(&mut shim, &daemon, outcome.clone()), nothing, "{outcome:?}");
    }
}

#[test]
fn the_clients_model_is_asked_where_it_offers_it() {
    let (mut shim, daemon) = older_session("2025-03-26", json!({"sampling": {}}));
    for (content, reply) in [
        (json!({"type": "text", "text": "2"}), json!("2")),
        (json!([{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]), json!("12")),
        (json!({"type": "image", "data": "AA==", "mimeType": "image/png"}), json!(null)),
        (json!([]), json!(null)),
    ] {
        assert_eq!(call_and_ask(&mut shim, &daemon, sample_ask()).offers, [Offer::Sample]);
        let asked = shim.receive();
        assert_eq!(asked["method"], "sampling/createMessage", "{asked}");
        let params = &asked["params"];
        assert_eq!((&params["systemPrompt"], &params["maxTokens"]), (&json!("A number."), &json!(16)));
        let message = json!([{"role": "user", "content": {"type": "text", "text": "1 or 2?"}}]);
        assert_eq!(params["messages"], message);
        let result = json!({"role": "assistant", "model": "m", "content": content});
        shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
        let again = daemon.call();
        assert_eq!(again.replies, map(json!({"model": reply})));
        daemon.answer_call(&again, SECOND);
        assert_eq!(answer_data(&shim.receive()), "after");
    }
}

#[test]
fn a_client_that_offers_nothing_is_asked_nothing() {
    for capabilities in [json!({}), json!({"roots": {}}), json!({"elicitation": {"url": {}}})] {
        let (mut shim, daemon) = older_session("2025-11-25", capabilities.clone());
        let mut request = call(1, "resolve", json!({"root": "/x"}));
        shim.send(&request);
        let heard = daemon.call();
        assert_eq!(heard.offers, [], "{capabilities}");
        // Even if the daemon asks all the same.
        daemon.answer_and_ask(&heard, FIRST, choose_ask());
        assert_eq!(answer_data(&shim.receive()), "before");
        // In the newer revision the request says what its client can do, not the session.
        request["params"]["_meta"] = request_meta();
        let (mut shim, daemon) = start(&["--tools", "all"]);
        shim.send(&request);
        let heard = daemon.call();
        assert_eq!(heard.offers, []);
        daemon.answer_and_ask(&heard, FIRST, choose_ask());
        assert_eq!(answer_data(&shim.receive()), "before");
    }
}

#[test]
fn cancelling_withdraws_the_question_and_the_next_call_works() {
    let (mut shim, daemon) = older_session("2025-11-25", json!({"elicitation": {}}));
    let _ = call_and_ask(&mut shim, &daemon, choose_ask());
    let asked = shim.receive();
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    let withdrawn = shim.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    // An answer that comes too late is nobody's.
    let accepted = json!({"action": "accept", "content": {"choice": "a.rs:f"}});
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": accepted}));
    shim.send(&call(2, "hob_noop", json!({})));
    let next = daemon.call();
    assert_eq!((next.tool.as_str(), next.replies.len()), ("hob_noop", 0));
    daemon.answer_call(&next, SECOND);
    assert_eq!(shim.receive()["id"], 2, "a cancelled request is not answered");
}

#[test]
fn while_a_person_thinks_other_calls_are_answered_and_the_client_hears_that_it_waits() {
    let (mut shim, daemon) = older_session("2025-11-25", json!({"elicitation": {}}));
    let mut request = call(1, "resolve", json!({"subject": "f"}));
    request["params"]["_meta"] = json!({"progressToken": "tok"});
    shim.send(&request);
    let heard = daemon.call();
    let progress = |call: &Call| hob_proto::ServerMessage::Progress {
        id: call.id,
        done: 5,
        total: Some(9),
        message: "files".to_owned(),
    };
    daemon.send_message(progress(&heard));
    let mut last = shim.receive()["params"]["progress"].as_f64().expect("a number");
    let mut increases = |notification: &Value| {
        assert_eq!(notification["method"], "notifications/progress", "{notification}");
        let now = notification["params"]["progress"].as_f64().expect("a number");
        assert!(now > last, "{now} after {last}");
        last = now;
    };
    daemon.answer_and_ask(&heard, FIRST, choose_ask());
    let (asked, sign) = two_messages(&mut shim, "elicitation/create");
    increases(&sign);
    shim.send(&call(2, "hob_noop", json!({})));
    let other = daemon.call();
    daemon.answer_call(&other, SECOND);
    assert_eq!(next_answer(&mut shim)["id"], 2);
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}));
    let again = daemon.call();
    daemon.send_message(progress(&again));
    increases(&shim.receive());
    daemon.answer_call(&again, SECOND);
    assert_eq!(next_answer(&mut shim)["id"], 1);
}

/// The next two messages: the one of this method first.
fn two_messages(shim: &mut Shim, method: &str) -> (Value, Value) {
    let (a, b) = (shim.receive(), shim.receive());
    if a["method"] == method { (a, b) } else { (b, a) }
}

/// The next message that is no notification.
fn next_answer(shim: &mut Shim) -> Value {
    loop {
        let message = shim.receive();
        if message.get("method").is_none() {
            return message;
        }
    }
}

#[test]
fn an_answer_outlives_what_comes_of_its_question() {
    let (mut shim, daemon) = older_session("2025-11-25", json!({"elicitation": {}}));
    let _ = call_and_ask(&mut shim, &daemon, choose_ask());
    let asked = shim.receive();
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}));
    let again = daemon.call();
    let envelope = r#"{"ok":false,"error":{"code":"TIMEOUT"}}"#.to_owned();
    daemon.send_message(hob_proto::ServerMessage::Answer { id: again.id, ok: false, envelope, ask: None });
    assert_eq!(answer_data(&shim.receive()), "before");
}

#[test]
fn nobody_is_asked_twice_nor_without_end() {
    let (mut shim, daemon) = older_session("2025-11-25", json!({"elicitation": {}}));
    let mut heard = call_and_ask(&mut shim, &daemon, choose_ask());
    let keyed = |key: &str| Ask { key: key.to_owned(), ..choose_ask() };
    for next in ["two", "three", "four"] {
        let asked = shim.receive();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}));
        heard = daemon.call();
        daemon.answer_and_ask(&heard, SECOND, keyed(next));
    }
    assert_eq!((heard.offers.len(), heard.replies.len()), (0, 3), "{heard:?}");
    assert_eq!(answer_data(&shim.receive()), "after", "the fourth question is not put");

    let _ = call_and_ask(&mut shim, &daemon, choose_ask());
    let asked = shim.receive();
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}));
    let again = daemon.call();
    daemon.answer_and_ask(&again, SECOND, choose_ask());
    assert_eq!(answer_data(&shim.receive()), "after", "the same question is not put again");
}

/// A request of revision 2026-07-28 whose client can do this, as a first try or with what a result asked for.
fn stateless_call(id: u64, capabilities: &Value, brings: Value) -> Value {
    let mut request = call(id, "resolve", json!({"subject": "f"}));
    request["params"]["_meta"] = request_meta();
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    for (key, value) in map(brings) {
        request["params"][key] = value;
    }
    request
}

#[test]
fn without_sessions_the_question_is_the_result_and_the_repeated_call_brings_the_reply() {
    let (mut shim, daemon) = start(&["--tools", "all"]);
    let can = json!({"elicitation": {}, "sampling": {}});
    shim.send(&stateless_call(1, &can, json!({})));
    let heard = daemon.call();
    assert_eq!(heard.offers, [Offer::Choose, Offer::Sample]);
    daemon.answer_and_ask(&heard, FIRST, sample_ask());
    let asked = shim.receive();
    assert_eq!((&asked["id"], &asked["result"]["resultType"]), (&json!(1), &json!("input_required")));
    let request = &asked["result"]["inputRequests"]["model"];
    assert_eq!(request["method"], "sampling/createMessage", "{asked}");
    let wrote = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "none"}});
    let state = asked["result"]["requestState"].clone();
    assert!(state.is_string(), "{asked}");
    shim.send(&stateless_call(2, &can, json!({"inputResponses": {"model": wrote}, "requestState": state})));
    let heard = daemon.call();
    assert_eq!(heard.replies, map(json!({"model": "none"})));

    daemon.answer_and_ask(&heard, FIRST, choose_ask());
    let asked = shim.receive();
    let form = &asked["result"]["inputRequests"]["choice"];
    assert_eq!(form["method"], "elicitation/create", "{asked}");
    assert_eq!(
        form["params"]["requestedSchema"]["properties"]["choice"]["enum"],
        json!(["a.rs:f", "b.rs:f"])
    );
    // A shim that has heard nothing of it can go on: the state is in the call.
    let (mut shim, daemon) = start(&["--tools", "all"]);
    let accepted = json!({"choice": {"action": "accept", "content": {"choice": "a.rs:f"}}});
    let state = asked["result"]["requestState"].clone();
    shim.send(&stateless_call(3, &can, json!({"inputResponses": accepted, "requestState": state})));
    let heard = daemon.call();
    assert_eq!(heard.replies, map(json!({"model": "none", "choice": "a.rs:f"})));
    daemon.answer_call(&heard, SECOND);
    let answer = shim.receive();
    assert_eq!(
        (answer_data(&answer), &answer["result"]["resultType"]),
        (&json!("after"), &json!("complete"))
    );
}

#[test]
fn what_a_repeated_call_brings_is_not_trusted() {
    let (mut shim, daemon) = start(&["--tools", "all"]);
    let can = json!({"elicitation": {}});
    shim.send(&stateless_call(1, &can, json!({})));
    let heard = daemon.call();
    daemon.answer_and_ask(&heard, FIRST, choose_ask());
    let state = shim.receive()["result"]["requestState"].clone();
    let accepted = json!({"action": "accept", "content": {"choice": "a.rs:f"}});
    let none = json!({"choice": null});
    for (responses, state, replies) in [
        (json!({"choice": {"action": "decline"}}), &state, &none),
        (json!({"choice": {"action": "cancel"}}), &state, &none),
        (json!({"choice": 7}), &state, &none),
        (json!({"choice": null}), &state, &none),
        (json!({"other": accepted}), &state, &none),
        (json!({"choice": accepted, "other": accepted}), &state, &json!({"choice": "a.rs:f"})),
        (json!({"choice": accepted}), &json!("rubbish"), &json!({})),
        (json!({"choice": accepted}), &json!("[1]"), &json!({})),
        (
            json!({"choice": accepted}),
            &json!(r#"{"round":-1,"asked":1,"replies":{"x":{"y":1}}}"#),
            &json!({"x": null}),
        ),
    ] {
        shim.send(&stateless_call(2, &can, json!({"inputResponses": responses, "requestState": state})));
        let heard = daemon.call();
        assert_eq!(heard.replies, map(replies.clone()), "{responses} {state}");
        daemon.answer_call(&heard, SECOND);
        assert_eq!(answer_data(&shim.receive()), "after");
    }
    // Not even the kinds are right: refused, and the shim goes on.
    for brings in [json!({"inputResponses": [1]}), json!({"requestState": 7})] {
        shim.send(&stateless_call(3, &can, brings));
        assert_eq!(shim.receive()["error"]["code"], -32602);
    }
    // A state says which round it is; past the last one nothing is offered.
    let late = json!({"requestState": r#"{"round":3,"asked":"choice","replies":{}}"#});
    shim.send(&stateless_call(4, &can, late));
    let ClientMessage::Call(heard) = daemon.next_message() else { panic!("no call") };
    assert_eq!(heard.offers, []);
}
