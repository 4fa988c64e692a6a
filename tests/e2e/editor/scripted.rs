//! Tests the tools of these tests themselves, without hob: the scripted server complains where it should, and the
//! harness's editor tells one answer from another.

use std::fs;
use std::path::Path;
use std::process::Command;

use hob_tests::{Editor, EditorOptions, Reply, binaries};
use serde_json::{Value, json};

fn direct(folder: &Path) -> Editor {
    let script = json!({"complaints": folder.join("complaints"), "capabilities": {}});
    fs::write(folder.join("a.py"), "x = 'é𝒳'\n").expect("it can be written");
    let mut command = Command::new(binaries().join("fake-lsp"));
    command.arg(script.to_string());
    Editor::of(command, folder, &EditorOptions::default())
}

/// Returns the complaints of the server after it has received everything.
fn complaints(editor: &mut Editor, folder: &Path) -> Vec<String> {
    let _ = editor.result("test/text", &editor.about("a.py"));
    let said = fs::read_to_string(folder.join("complaints")).expect("the server made it");
    said.lines().map(|line| line.split_once(": ").map_or(line, |(_, what)| what).to_owned()).collect()
}

#[test]
fn the_scripted_server_follows_every_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut editor = direct(folder.path());
    editor.open("a.py");
    for (this, with) in [("é", "日本\n"), ("𝒳", "𝒳𝒳"), ("x = '", ""), ("\n", "\n\n"), ("𝒳𝒳", "ü")]
    {
        editor.substitute("a.py", this, with);
        let has = editor.result("test/text", &editor.about("a.py"));
        let document = editor.document("a.py");
        assert_eq!((&has["text"], &has["version"]), (&json!(document.text), &json!(document.version)));
    }
    assert_eq!(complaints(&mut editor, folder.path()), Vec::<String>::new());
}

/// Sends an empty change at a position.
fn change(editor: &mut Editor, version: i64, line: u64, character: u64) {
    let at = json!({"line": line, "character": character});
    let changes = json!([{"range": {"start": at, "end": at}, "text": ""}]);
    let document = json!({"uri": editor.uri("a.py"), "version": version});
    editor.notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": changes}));
}

#[test]
fn the_scripted_server_complains_of_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut editor = direct(folder.path());
    let about = editor.about("a.py");
    change(&mut editor, 2, 0, 0);
    editor.open("a.py");
    change(&mut editor, 1, 0, 0);
    change(&mut editor, 2, 0, 7);
    change(&mut editor, 3, 2, 0);
    change(&mut editor, 4, 0, 10);
    change(&mut editor, 5, 0, 6);
    editor.notify(
        "textDocument/didOpen",
        &json!({"textDocument": {"uri": about["textDocument"]["uri"], "version": 6, "text": ""}}),
    );
    editor.close("a.py");
    editor.notify("textDocument/didClose", &about);
    editor.notify("textDocument/didSave", &about);
    let said = complaints(&mut editor, folder.path());
    let begins = [
        "changed, and",
        "version 1 after 1",
        "no such place",
        "no such place",
        "no such place",
        "opened twice",
        "closed, and",
        "saved, and",
    ];
    assert_eq!(said.len(), begins.len(), "{said:#?}");
    assert!(said.iter().zip(begins).all(|(one, begin)| one.starts_with(begin)), "{said:#?}");
}

#[test]
fn answers_find_their_requests_whatever_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut editor = direct(folder.path());
    let slow = editor.send("test/echo", &json!({"delayMs": 200, "n": 1}));
    let fast = editor.send("test/echo", &json!({"n": 2}));
    let never = editor.send("test/echo", &json!({"delayMs": 100_000}));
    editor.cancel(never);
    assert_eq!(editor.wait(never).expect_err("it was taken back")["code"], -32800);
    assert_eq!(editor.wait(slow).map(|answer| answer["n"].clone()), Ok(json!(1)));
    assert_eq!(editor.wait(fast).map(|answer| answer["n"].clone()), Ok(json!(2)));
    editor.on("test/question", Reply::Error(json!({"code": -32001, "message": "no"})));
    let told = editor.result("test/ask", &json!({"method": "test/question", "params": [1]}));
    assert_eq!((&told["result"], &told["error"]["code"]), (&Value::Null, &json!(-32001)));
    assert_eq!(editor.heard("test/question").len(), 1);
    assert!(editor.strays.is_empty());
}
