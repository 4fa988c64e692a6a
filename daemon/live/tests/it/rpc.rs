//! Calls over one connection, against a server that does as the test says: answers late, twice, wrongly or never.

use std::io::{BufReader, PipeReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hob_base::{CancelToken, Deadline, Stopped};
use hob_live::rpc::transport::{MessageReader, write_body};
use hob_live::rpc::{CallError, Peer, Reply, ResponseError, RpcClient, codes};
use lsp_types::notification::Exit;
use lsp_types::request::{Shutdown, WorkspaceSymbolRequest};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The other end of the connection.
struct PipedServer {
    input: MessageReader<BufReader<PipeReader>>,
    output: PipeWriter,
}

impl PipedServer {
    fn next(&mut self) -> Value {
        let body = self.input.next_body().expect("readable").expect("the client lives");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn send_message(&mut self, message: &Value) {
        write_body(&mut self.output, message.to_string().as_bytes()).expect("the client lives");
    }
}

/// Notes what the server says of itself.
struct Notes {
    heard: Mutex<Sender<String>>,
}

impl Peer for Notes {
    fn request(&self, method: &str, _params: Option<&RawValue>, reply: Reply) {
        reply.send(&match method {
            "known" => Ok(json!([1, 2])),
            _ => Err(ResponseError::new(codes::METHOD_NOT_FOUND, "unknown")),
        });
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        let params = params.map_or("nothing", RawValue::get);
        let _ = self.heard.lock().expect("no panic").send(format!("{method} {params}"));
    }

    fn closed(&self, why: &str) {
        let _ = self.heard.lock().expect("no panic").send(format!("closed: {why}"));
    }
}

fn connect() -> (RpcClient, PipedServer, Receiver<String>) {
    let (server_input, client_output) = pipe().expect("a pipe");
    let (client_input, server_output) = pipe().expect("a pipe");
    let (heard, hears) = channel();
    let peer = Arc::new(Notes { heard: Mutex::new(heard) });
    let client = RpcClient::start(client_output, client_input, peer).expect("threads");
    let input = MessageReader::new(BufReader::new(server_input));
    (client, PipedServer { input, output: server_output }, hears)
}

fn never_cancelled() -> CancelToken {
    CancelToken::default()
}

#[test]
fn answers_find_their_calls_in_any_order() {
    let (client, mut server, _) = connect();
    let ask = |client: &RpcClient| {
        let client = client.clone();
        std::thread::spawn(move || client.request::<Shutdown>(&(), &never_cancelled()))
    };
    let calls: Vec<_> = (0..20).map(|_| ask(&client)).collect();
    let mut ids: Vec<Value> = (0..20).map(|_| server.next()["id"].clone()).collect();
    ids.reverse();
    // Answers to nothing, and answers given twice, harm nobody.
    server.send_message(&json!({"id": 999, "result": null}));
    server.send_message(&json!({"id": "text", "result": null}));
    server.send_message(&json!({"id": null, "error": {"code": -32700, "message": "what?"}}));
    for id in &ids {
        server.send_message(&json!({"id": id, "result": null}));
        server.send_message(&json!({"id": id, "result": {"again": true}}));
    }
    assert!(calls.into_iter().all(|call| call.join().expect("no panic") == Ok(())));
}

#[test]
fn a_result_of_another_shape_and_a_refusal_are_errors_of_that_call() {
    let (client, mut server, _) = connect();
    let asking = client.clone();
    let call = std::thread::spawn(move || {
        let ask = || asking.request::<WorkspaceSymbolRequest>(&Default::default(), &never_cancelled());
        (ask(), ask(), ask())
    });
    for result in
        [json!({"result": 7}), json!({"error": {"code": -32601, "message": "no"}}), json!({"result": null})]
    {
        let mut answer = result;
        answer["id"] = server.next()["id"].clone();
        server.send_message(&answer);
    }
    let (malformed, refused, none) = call.join().expect("no panic");
    assert!(
        matches!(malformed, Err(CallError::Malformed { method: "workspace/symbol", .. })),
        "{malformed:?}"
    );
    assert!(refused.is_err_and(|error| error.is_unknown_method()));
    assert_eq!(none, Ok(None));
}

#[test]
fn what_nobody_wants_any_more_is_cancelled_at_the_server() {
    let (client, mut server, _) = connect();
    let late = CancelToken::new(Deadline::after(Duration::from_millis(30)));
    assert_eq!(client.request::<Shutdown>(&(), &late), Err(CallError::Stopped(Stopped::DeadlinePassed)));
    let id = server.next()["id"].clone();
    let cancel = server.next();
    assert_eq!((&cancel["method"], &cancel["params"]["id"]), (&json!("$/cancelRequest"), &id));
    // The late answer means nothing, and the connection goes on.
    server.send_message(&json!({"id": id, "result": null}));
    let token = never_cancelled();
    let (asking, cancelled) = (client.clone(), token.clone());
    let call = std::thread::spawn(move || asking.request::<Shutdown>(&(), &cancelled));
    server.next();
    token.cancel();
    assert_eq!(call.join().expect("no panic"), Err(CallError::Stopped(Stopped::Cancelled)));
    assert_eq!(server.next()["method"], "$/cancelRequest");
}

#[test]
fn a_server_is_answered_and_heard() {
    let (_client, mut server, hears) = connect();
    server.send_message(&json!({"method": "window/logMessage", "params": {"a": 1}}));
    assert_eq!(hears.recv().expect("it is passed on"), r#"window/logMessage {"a":1}"#);
    server.send_message(&json!({"id": "x1", "method": "known"}));
    assert_eq!(server.next(), json!({"jsonrpc": "2.0", "id": "x1", "result": [1, 2]}));
    server.send_message(&json!({"id": 5, "method": "odd", "params": {}}));
    assert_eq!(server.next()["error"]["code"], codes::METHOD_NOT_FOUND);
}

#[test]
fn the_end_of_the_server_ends_every_call() {
    let (client, mut server, hears) = connect();
    let asking = client.clone();
    let call = std::thread::spawn(move || asking.request::<Shutdown>(&(), &never_cancelled()));
    server.next();
    server.output.write_all(b"Content-Length: 50\r\n\r\n{").expect("the client lives");
    drop(server);
    let error = call.join().expect("no panic").expect_err("no answer came");
    assert!(matches!(&error, CallError::Closed(why) if why.contains("middle of a message")), "{error}");
    assert!(hears.recv().expect("it is told").starts_with("closed: "));
    assert!(matches!(client.request::<Shutdown>(&(), &never_cancelled()), Err(CallError::Closed(_))));
    assert!(matches!(client.notify::<Exit>(&()), Err(CallError::Closed(_))));
}

#[test]
fn a_server_that_reads_nothing_makes_nobody_wait_for_ever() {
    let (client, server, _) = connect();
    let much = json!({"query": "x".repeat(1 << 20)});
    let mut outcome = Ok(None);
    for _ in 0..100 {
        let late = CancelToken::new(Deadline::after(Duration::from_millis(1)));
        outcome = client.request_raw("workspace/symbol", &much, &late);
        if matches!(outcome, Err(CallError::Closed(_))) {
            break;
        }
    }
    let error = outcome.expect_err("nothing was ever answered");
    assert!(matches!(&error, CallError::Closed(why) if why.contains("stopped reading")), "{error}");
    drop(server);
}
