//! Verdicts on files, against a server that pushes them late, out of date, without a version, once or never.

use std::collections::BTreeMap;
use std::time::Duration;

use hob_base::WsPath;
use hob_live::documents::FileChange;
use hob_live::instance::{Completeness, Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{Diagnosis, ServerQueryContext, diagnostics};
use hob_live::spec::ReadySignal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{start, within_millis};

fn ask_diagnostics(server: &Instance, text: &str) -> Result<ServerAnswer<Vec<Diagnosis>>, LiveError> {
    let read = |_: &WsPath| Some(text.to_owned());
    diagnostics(server, &a_py(), ServerQueryContext { read: &read, cancel: &within_millis(60_000) })
}

fn a_py() -> WsPath {
    WsPath::new("a.py").expect("relative")
}

fn change_file(server: &Instance, text: &str) {
    let changes = BTreeMap::from([(a_py(), FileChange::Changed)]);
    let read = |_: &WsPath| Some(text.to_owned());
    server.announce(&changes, &read).expect("it lives");
}

/// The lines that are wrong, if that is all.
fn lines(server: &Instance, text: &str) -> Vec<u32> {
    let answer = ask_diagnostics(server, text).expect("answered");
    assert!(answer.is_complete(), "{answer:?}");
    answer.value.iter().map(|one| one.at.0).collect()
}

fn edit_and_ask(judges: Value) {
    let dir = TempDir::new().expect("a folder");
    let server = start(ReadySignal::Held, &json!({"judges": judges}), dir.path()).expect("it starts");
    assert_eq!(lines(&server, "good\n"), [0; 0]);
    for round in 1..5_usize {
        let broken = format!("{}bad\n", "good\n".repeat(round));
        change_file(&server, &broken);
        assert_eq!(lines(&server, &broken), [round as u32 + 1], "round {round}");
        assert_eq!(lines(&server, &broken), [round as u32 + 1], "nothing has changed");
        let mended = "good\n".repeat(round);
        change_file(&server, &mended);
        assert_eq!(lines(&server, &mended), [0; 0], "round {round}");
    }
    server.stop();
}

#[test]
fn a_late_verdict_is_waited_for() {
    edit_and_ask(json!({"delayMs": 60}));
}

#[test]
fn a_verdict_on_earlier_contents_is_no_verdict() {
    edit_and_ask(json!({"delayMs": 30, "stale": true}));
}

#[test]
fn without_versions_the_next_verdict_counts() {
    edit_and_ask(json!({"version": false}));
}

#[test]
fn an_edit_of_another_file_asks_for_the_verdict_anew() {
    let dir = TempDir::new().expect("a folder");
    let server =
        start(ReadySignal::Held, &json!({"judges": {"delayMs": 20}}), dir.path()).expect("it starts");
    assert_eq!(lines(&server, "bad\n"), [1]);
    let elsewhere = BTreeMap::from([(WsPath::new("b.py").expect("relative"), FileChange::Changed)]);
    server.announce(&elsewhere, &|_| Some(String::new())).expect("it lives");
    assert_eq!(lines(&server, "bad\n"), [1]);
    assert_eq!(server.version(&a_py()), Some(2), "the server had to look again");
    server.stop();
}

#[test]
fn silence_is_not_an_empty_verdict() {
    let dir = TempDir::new().expect("a folder");
    let server = start(ReadySignal::Held, &json!({"judges": {"times": 1}}), dir.path()).expect("it starts");
    assert_eq!(lines(&server, "bad\n"), [1]);
    change_file(&server, "good\n");
    let read = |_: &WsPath| Some("good\n".to_owned());
    let short = Duration::from_millis(200);
    let unheard = server
        .await_diagnostics(&a_py(), short, &read, &within_millis(60_000))
        .expect("it lives")
        .expect("readable");
    assert!(matches!(unheard.completeness, Completeness::Partial(_)), "{unheard:?}");
    assert_eq!(unheard.value.len(), 1, "the last one, which is said to be old");
    let other = WsPath::new("b.py").expect("relative");
    let never = server
        .await_diagnostics(&other, short, &read, &within_millis(60_000))
        .expect("it lives")
        .expect("readable");
    assert!(matches!(never.completeness, Completeness::Unknown(_)), "{never:?}");
    server.process().kill();
    assert!(
        matches!(ask_diagnostics(&server, "good\n"), Err(LiveError::Refused { .. })),
        "death is no verdict either"
    );
}

#[test]
fn a_server_that_can_be_asked_is_asked() {
    let dir = TempDir::new().expect("a folder");
    let at = |line: u32| json!({"line": line, "character": 3});
    let item = json!({"range": {"start": at(4), "end": at(4)}, "severity": 2, "message": "odd", "code": 7});
    let script = json!({
        "capabilities": {"diagnosticProvider": {"interFileDependencies": true, "workspaceDiagnostics": false}},
        "answers": {"textDocument/diagnostic": [
            {"error": {"code": -32802, "message": "too early", "data": {"retriggerRequest": true}}},
            {"result": {"kind": "full", "items": [item, item]}},
            {"result": {"kind": "unchanged", "resultId": "1"}},
        ]},
    });
    let server = start(ReadySignal::Held, &script, dir.path()).expect("it starts");
    let answer = ask_diagnostics(&server, "").expect("answered");
    let [one] = &answer.value[..] else { panic!("{answer:?}") };
    assert_eq!((one.at, one.severity.word(), one.code.as_deref()), ((5, 4), "warning", Some("7")));
    assert!(answer.is_complete());
    assert!(matches!(ask_diagnostics(&server, "").expect("answered").completeness, Completeness::Unknown(_)));
    server.stop();
}
