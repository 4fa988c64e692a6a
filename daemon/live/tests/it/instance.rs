//! One server from start to end, against a server that does as a script says.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hob_base::{Stopped, WsPath};
use hob_live::documents::FileChange;
use hob_live::instance::{Completeness, StartError};
use hob_live::ready::Readiness;
use hob_live::rpc::CallError;
use hob_live::spec::ReadySignal;
use lsp_types::request::{HoverRequest, References, Shutdown};
use lsp_types::{HoverParams, ReferenceParams};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{fake_launch, start, start_it, within_millis};

pub(crate) fn references() -> ReferenceParams {
    let params = json!({
        "textDocument": {"uri": "file:///a.py"},
        "position": {"line": 0, "character": 0},
        "context": {"includeDeclaration": false}
    });
    serde_json::from_value(params).expect("the protocol's shape")
}

pub(crate) fn hover() -> HoverParams {
    let params = json!({"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}});
    serde_json::from_value(params).expect("the protocol's shape")
}

/// Waits until one recorded message `is_last`, and returns all that the server was told.
fn await_told(record: &Path, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(record).unwrap_or_default();
        let whole = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        let messages: Vec<Value> = whole.collect();
        if messages.iter().any(&is_last) {
            return messages;
        }
        assert!(Instant::now() < until, "never told: {text}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_is_started_asked_told_and_stopped() {
    let dir = TempDir::new().expect("a folder");
    let record = dir.path().join("record");
    let script = json!({
        "capabilities": {"referencesProvider": true, "hoverProvider": false},
        "record": record,
        "then": [
            {"id": 1, "method": "workspace/configuration", "params": {"items": [{"section": "fake"}]}},
            {"id": 2, "method": "client/registerCapability", "params": {"registrations": [
                {"id": "x", "method": "textDocument/hover"}]}}
        ],
    });
    let server = start(ReadySignal::Held, &script, dir.path()).expect("it starts");
    assert!(server.has_capability("referencesProvider", "textDocument/references"));
    let path = WsPath::new("a.py").expect("relative");
    assert_eq!(server.open(&path, &|_| Some("x = 1\n".to_owned())), Ok(true));
    let changes = BTreeMap::from([(path.clone(), FileChange::Changed)]);
    assert_eq!(server.announce(&changes, &|_| Some("x = 2\n".to_owned())), Ok(true));
    assert_eq!(server.version(&path), Some(2));
    server.ask_until_ready::<HoverRequest>(&hover(), &within_millis(20_000)).expect("answered");
    let is_answer = |message: &Value| message["id"] == 1 && message["method"].is_null();
    await_told(&record, is_answer);
    let heard = await_told(&record, |message| message["method"] == "textDocument/hover");
    let of = |method: &str| heard.iter().find(|message| message["method"] == method).expect("told");
    let initialize = &of("initialize")["params"];
    assert_eq!(initialize["initializationOptions"], json!({"fast": true}));
    assert_eq!(initialize["capabilities"]["general"]["positionEncodings"], json!(["utf-16"]));
    assert_eq!(of("textDocument/didOpen")["params"]["textDocument"]["languageId"], "python");
    assert_eq!(of("textDocument/didChange")["params"]["contentChanges"], json!([{"text": "x = 2\n"}]));
    assert_eq!(of("workspace/didChangeWatchedFiles")["params"]["changes"][0]["type"], 2);
    let answer = heard.iter().find(|message| is_answer(message));
    assert_eq!(answer.expect("answered")["result"], json!([{"level": 3}]));
    await_told(&record, |message| message["id"] == 2 && message["method"].is_null());
    assert!(server.has_capability("hoverProvider", "textDocument/hover"), "registered at run time");
    server.stop();
    assert!(
        await_told(&record, |message| message["method"] == "exit")
            .iter()
            .any(|message| message["method"] == "shutdown")
    );
    assert!(server.reason_gone().is_some());
    assert!(matches!(
        server.ask_until_ready::<Shutdown>(&(), &within_millis(20_000)),
        Err(CallError::Closed(_))
    ));
}

#[test]
fn a_server_that_does_not_start_says_why_and_leaves_nothing() {
    let dir = TempDir::new().expect("a folder");
    let failing = |step: Value| json!({"answers": {"initialize": [step]}});
    let crashed =
        start(ReadySignal::Held, &failing(json!({"crash": 3})), dir.path()).expect_err("it crashed");
    let StartError::Failed { program, why, by_itself, stderr } = crashed else { panic!("{crashed:?}") };
    assert!(why.contains("exit code 3") && by_itself && program.ends_with("fake-lsp"), "{why}");
    assert_eq!(stderr, ["the fake server was told to crash"]);
    let refusal = failing(json!({"error": {"code": -32603, "message": "no compiler"}}));
    let refused = start(ReadySignal::Held, &refusal, dir.path()).expect_err("it refused");
    assert!(matches!(&refused, StartError::Failed { why, .. } if why.contains("no compiler")), "{refused:?}");
    let silent = fake_launch(ReadySignal::Held, &failing(json!({"silent": true})), dir.path());
    let given_up = start_it(silent, &within_millis(200)).expect_err("nobody waits so long");
    assert_eq!(given_up, StartError::Stopped(Stopped::DeadlinePassed));
    let mut absent = fake_launch(ReadySignal::Held, &json!({}), dir.path());
    absent.command.program = "/nowhere/at/all".into();
    let error = start_it(absent, &within_millis(20_000)).expect_err("there is no such program");
    assert!(matches!(&error, StartError::Spawn { program, .. } if program == "/nowhere/at/all"), "{error:?}");
}

#[test]
fn an_early_answer_is_never_called_complete() {
    let dir = TempDir::new().expect("a folder");
    let progress = |kind: &str, delay: u64| {
        json!({"delayMs": delay, "method": "$/progress", "params": {"token": "index", "value": {
            "kind": kind, "title": "Indexing"}}})
    };
    let script = json!({
        "answers": {"textDocument/references": [{"items": 1}, {"items": 7}]},
        "then": [progress("begin", 0), progress("end", 1500)],
    });
    let server = start(ReadySignal::ProgressEnds("index"), &script, dir.path()).expect("it starts");
    let ask = |patience: u64| {
        let patience = Duration::from_millis(patience);
        let answer = server
            .ask_whole::<References>(&references(), patience, &within_millis(20_000))
            .expect("answered");
        (answer.value.unwrap_or_default().len(), answer.completeness)
    };
    let (early, completeness) = ask(10);
    assert!(early == 1 && !matches!(completeness, Completeness::Complete), "{completeness:?}");
    assert_eq!(ask(20_000), (7, Completeness::Complete));
    assert_eq!(server.readiness(), Readiness::Ready);
}

#[test]
fn lies_delays_and_deaths_end_one_call_each() {
    let dir = TempDir::new().expect("a folder");
    let script = json!({"answers": {"textDocument/hover": [
        {"error": {"code": -32801, "message": "content modified"}},
        {"result": {"contents": "fine"}, "twice": true, "garbage": "a stray line\n"},
        {"result": {"contents": "to nobody"}, "wrongId": true},
        {"result": 5},
        {"crash": 1},
    ]}});
    let server = start(ReadySignal::Held, &script, dir.path()).expect("it starts");
    let ask = |millis: u64| server.ask_until_ready::<HoverRequest>(&hover(), &within_millis(millis));
    assert!(ask(20_000).is_ok_and(|hover| hover.is_some()), "asked again, and found behind the noise");
    assert_eq!(ask(300), Err(CallError::Stopped(Stopped::DeadlinePassed)));
    assert!(matches!(ask(20_000), Err(CallError::Malformed { .. })));
    assert!(server.reason_gone().is_none());
    assert!(matches!(ask(20_000), Err(CallError::Closed(_))));
    assert!(
        server.reason_gone().is_some_and(|why| why.contains("exit code 1")),
        "{:?}",
        server.reason_gone()
    );
}

#[test]
fn a_huge_answer_is_an_answer() {
    let dir = TempDir::new().expect("a folder");
    let script = json!({"answers": {"textDocument/references": [{"items": 200_000}]}});
    let server = start(ReadySignal::Held, &script, dir.path()).expect("it starts");
    let found =
        server.ask_until_ready::<References>(&references(), &within_millis(60_000)).expect("answered");
    assert_eq!(found.map(|list| list.len()), Some(200_000));
}
