//! Tests the messages that `hob-lsp` passes between an editor and daemons that come and go.

#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use support::ShimEditor;
use support::daemon::{FakeDaemon, start, start_shut};

/// An editor whose `initialize` a daemon has answered.
fn greeted_editor(args: &[&str]) -> (ShimEditor, FakeDaemon) {
    let (mut editor, daemon) = start(args);
    editor.send_request(0, "initialize", json!({"processId": null, "capabilities": {}}));
    daemon.answer_request(&daemon.next_message(), json!({"capabilities": {}}));
    assert!(editor.next_message()["result"]["capabilities"].is_object());
    editor.send_notification("initialized", json!({}));
    assert_eq!(daemon.next_message()["method"], "initialized");
    (editor, daemon)
}

/// The new daemon hears the greeting, and answers it.
fn greeted_again(daemon: &FakeDaemon) {
    let again = daemon.next_message();
    assert_eq!(again["method"], "initialize");
    assert_eq!(again["params"], json!({"processId": null, "capabilities": {}}));
    daemon.answer_request(&again, json!({"capabilities": {"other": 1}}));
    assert_eq!(daemon.next_message()["method"], "initialized");
}

fn method_of(message: &Value) -> &str {
    message["method"].as_str().unwrap_or_default()
}

#[test]
fn messages_go_both_ways_as_they_are_written_and_in_their_order() {
    let (mut editor, daemon) = greeted_editor(&["--stdio"]);
    let odd = r#"{ "method":"textDocument/hover","params":{"z":1.0,"a":18446744073709551616,"é":"\u00e9"}, "id" : "x" }"#;
    editor.send_text(odd);
    editor.send_notification("$/custom", json!([]));
    assert_eq!(daemon.hear_text(), odd);
    assert_eq!(method_of(&daemon.next_message()), "$/custom");
    let notification = r#"{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"z":[1.0]}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":"x","result":{"z":1.50,"a":"\u0001"}}"#;
    daemon.say_text(notification);
    daemon.say_text(answer);
    assert_eq!(editor.hear_text(), notification);
    assert_eq!(editor.hear_text(), answer);
    assert_eq!(editor.close().code(), Some(1), "an editor that went without a word");
}

#[test]
fn languages_are_added_to_the_greeting_and_nothing_else_changes() {
    let (mut editor, daemon) = start(&["--language", "rust", "--language", "go"]);
    let options = json!({"mine": [1], "hob": {"x": 1}});
    editor.send_request(3, "initialize", json!({"initializationOptions": options, "trace": "off"}));
    let expected = json!({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {
        "initializationOptions": {"mine": [1], "hob": {"x": 1, "languages": ["rust", "go"]}}, "trace": "off"}});
    assert_eq!(daemon.next_message().to_string(), expected.to_string());
}

#[test]
fn what_is_said_before_there_is_a_daemon_waits_in_its_order() {
    let (mut editor, daemon) = start_shut(&[]);
    editor.send_request(0, "initialize", json!({}));
    (1..20).for_each(|id| editor.send_request(id, "x", json!({})));
    daemon.open();
    for id in 0..20 {
        assert_eq!(daemon.next_message()["id"], id);
    }
}

#[test]
fn another_daemon_hears_what_the_editor_had_said() {
    for orderly in [true, false] {
        let (mut editor, daemon) = greeted_editor(&[]);
        editor.open("file:///b", "b");
        editor.open("file:///a", "a");
        for version in 2..5 {
            let change =
                json!({"textDocument": {"uri": "file:///a", "version": version}, "contentChanges": []});
            editor.send_notification("textDocument/didChange", change);
        }
        editor.send_request(7, "textDocument/hover", json!({}));
        (0..6).for_each(|_| drop(daemon.next_message()));
        let kept = r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","kept":1}}}"#;
        daemon.send_keep("file:///a", 2, kept);
        // What comes after it shows that it was taken.
        daemon.send_message(&json!({"method": "window/logMessage", "params": {}}));
        assert_eq!(method_of(&editor.next_message()), "window/logMessage");
        if orderly {
            daemon.retire();
        } else {
            daemon.hang_up();
        }

        greeted_again(&daemon);
        assert_eq!(daemon.next_message()["params"]["textDocument"]["uri"], "file:///b");
        assert_eq!(daemon.hear_text(), kept);
        assert_eq!(daemon.next_message()["params"]["textDocument"]["version"], 4);
        let asked = daemon.next_message();
        assert_eq!((method_of(&asked), &asked["id"]), ("textDocument/hover", &json!(7)));
        daemon.answer_request(&asked, json!("again"));
        assert_eq!(
            editor.next_message()["result"],
            "again",
            "the second answer to `initialize` is not for the editor"
        );
    }
}

#[test]
fn a_command_is_not_carried_out_twice() {
    let (mut editor, daemon) = greeted_editor(&[]);
    editor.send_request(1, "workspace/executeCommand", json!({"command": "x"}));
    editor.send_request(2, "textDocument/hover", json!({}));
    (0..2).for_each(|_| drop(daemon.next_message()));
    daemon.hang_up();
    let refused = editor.next_message();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32803)), "{refused}");
    assert!(refused["error"]["message"].as_str().expect("words").contains("restarted"), "{refused}");
    greeted_again(&daemon);
    assert_eq!(daemon.next_message()["id"], 2);
}

#[test]
fn nothing_of_a_daemon_that_is_gone_stays_with_the_editor() {
    let (mut editor, daemon) = greeted_editor(&[]);
    let registration = json!({"id": "r", "method": "workspace/didChangeWatchedFiles"});
    let register = json!({"jsonrpc": "2.0", "id": 1, "method": "client/registerCapability",
        "params": {"registrations": [registration]}});
    daemon.send_message(&register);
    daemon.send_message(
        &json!({"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin", "title": ""}}}),
    );
    assert_eq!(editor.next_message(), register);
    assert_eq!(method_of(&editor.next_message()), "$/progress");
    daemon.hang_up();
    let cancel = editor.next_message();
    assert_eq!((method_of(&cancel), &cancel["params"]["id"]), ("$/cancelRequest", &json!(1)));
    assert_eq!(editor.next_message()["params"], json!({"token": "t", "value": {"kind": "end"}}));
    let unregister = editor.next_message();
    assert_eq!(method_of(&unregister), "client/unregisterCapability");
    assert_eq!(unregister["params"]["unregisterations"], json!([registration]));
    greeted_again(&daemon);

    // The new daemon asks under the same id; answers to the old one and to the shim stay here.
    daemon.send_message(&register);
    let asked = editor.next_message();
    assert_ne!(asked["id"], 1);
    editor.send_text(r#"{"jsonrpc":"2.0","id":1,"result":"old"}"#);
    editor.send_text(&json!({"jsonrpc": "2.0", "id": unregister["id"], "result": null}).to_string());
    editor.send_text(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": "new"}).to_string());
    assert_eq!(daemon.next_message(), json!({"jsonrpc": "2.0", "id": 1, "result": "new"}));
}

#[test]
fn without_a_daemon_requests_are_answered_with_the_reason() {
    let mut editor = ShimEditor::start(&[], |_| {});
    editor.send_request(1, "initialize", json!({}));
    let told = editor.next_message();
    assert_eq!(method_of(&told), "window/showMessage", "{told}");
    assert!(told["params"]["message"].as_str().expect("words").contains("no-such-daemon"), "{told}");
    for id in 1..4 {
        let refused = editor.next_message();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32803)), "{refused}");
        assert!(refused["error"]["message"].as_str().expect("words").contains("no-such-daemon"), "{refused}");
        editor.send_request(id + 1, "textDocument/hover", json!({}));
    }
    assert_eq!(editor.next_message()["id"], 4);
    editor.send_request(5, "shutdown", json!(null));
    assert_eq!(editor.next_message(), json!({"jsonrpc": "2.0", "id": 5, "result": null}));
    editor.send_notification("exit", json!(null));
    assert_eq!(editor.wait().code(), Some(0));
}

#[test]
fn a_daemon_that_comes_later_hears_what_was_opened_without_one() {
    let mut folder = None;
    let mut editor = ShimEditor::start(&[], |hob_dir| folder = Some(hob_dir.to_path_buf()));
    editor.send_request(1, "initialize", json!({}));
    assert_eq!(method_of(&editor.next_message()), "window/showMessage");
    assert_eq!(editor.next_message()["id"], 1);
    editor.open("file:///a", "a");
    let daemon = FakeDaemon::listen(&folder.expect("set"));
    daemon.open();
    // Between two attempts there is a pause, and a request in it is refused.
    let mut id = 2;
    editor.send_request(id, "initialize", json!({}));
    let heard = loop {
        if let Some(heard) = daemon.try_next_message() {
            break heard;
        }
        if let Some(refused) = editor.try_next_message() {
            assert_eq!(refused["id"], id);
            id += 1;
            editor.send_request(id, "initialize", json!({}));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert_eq!(heard["method"], "textDocument/didOpen");
    assert_eq!(daemon.next_message()["id"], id);
}

#[test]
fn the_end_is_as_the_editor_wants_it() {
    let (mut editor, daemon) = greeted_editor(&[]);
    editor.send_request(9, "shutdown", json!(null));
    let asked = daemon.next_message();
    assert_eq!(method_of(&asked), "shutdown");
    daemon.answer_request(&asked, json!(null));
    assert_eq!(editor.next_message()["id"], 9);
    editor.send_notification("exit", json!(null));
    assert_eq!(editor.wait().code(), Some(0));

    let (mut editor, _daemon) = greeted_editor(&[]);
    editor.send_request(9, "shutdown", json!(null));
    editor.send_notification("exit", json!(null));
    assert_eq!(editor.next_message()["id"], 9, "answered although nobody waited for the daemon");
    assert_eq!(editor.wait().code(), Some(0));

    let (mut editor, _daemon) = greeted_editor(&[]);
    editor.send_notification("exit", json!(null));
    assert_eq!(editor.wait().code(), Some(1));

    let (mut editor, _daemon) = greeted_editor(&[]);
    let sent = std::process::Command::new("kill").arg(editor.pid().to_string()).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(editor.wait().code(), Some(0));
}

#[test]
fn rubbish_is_answered_and_survived() {
    let (mut editor, daemon) = greeted_editor(&[]);
    for (bytes, code) in [
        ("nonsense\r\n\r\n", -32700),
        ("Content-Length: 5\r\n\r\n{nope", -32700),
        ("Content-Length: 2\r\nX-Unknown: y\r\n\r\n[]", -32600),
        ("content-length: 2\r\n\r\n{}", -32600),
    ] {
        editor.write(bytes);
        let refused = editor.next_message();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(null), &json!(code)), "{bytes}");
    }
    editor.send_text(r#"{"id":5,"method":{}}"#);
    assert_eq!(editor.next_message()["id"], 5);
    editor.send_request(6, "x", json!({}));
    assert_eq!(daemon.next_message()["id"], 6);
}

#[test]
fn a_wrong_command_line_is_explained_on_stderr() {
    let run = |args: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_hob-lsp")).args(args).output().expect("runs")
    };
    let wrong = run(&["--port", "1"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stdout.is_empty() && String::from_utf8_lossy(&wrong.stderr).contains("--port"));
    assert!(String::from_utf8_lossy(&run(&["--version"]).stdout).starts_with("hob-lsp "));
    assert!(String::from_utf8_lossy(&run(&["--help"]).stdout).contains("hob setup"));
}
