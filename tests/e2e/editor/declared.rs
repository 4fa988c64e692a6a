//! Tests that an editor gets only what it has said that it understands, and gets at once what it would otherwise have
//! to ask for later.

use hob_tests::{Editor, EditorOptions};
use serde_json::{Value, json};

use super::{Scripted, server_has};

const TREE: &str = "//- /a.py\nx = 1\nPa\n//- /b.py\ny = 2\n";

fn opened(scripted: &Scripted, capabilities: Value) -> Editor {
    let tree = scripted.world.tree(TREE);
    let options = EditorOptions { capabilities, ..EditorOptions::default() };
    let mut editor = Editor::start_with(&scripted.world, &tree, &options);
    editor.open("a.py");
    let _ = server_has(&mut editor, "a.py");
    editor
}

/// Returns a server whose completions have all optional fields, and add an import when they are resolved.
fn completing() -> Scripted {
    let item = json!({"label": "Path", "kind": 25, "data": 1, "sortText": "1", "commitCharacters": ["."], "preselect": true,
        "tags": [1], "labelDetails": {"detail": " (class)", "description": "pathlib"}});
    let import = json!({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "newText": "from pathlib import Path\n"});
    let mut whole = item.clone();
    whole["additionalTextEdits"] = json!([import]);
    Scripted::new(&json!({
        "capabilities": {
            "textDocumentSync": {"openClose": true, "change": 2}, "completionProvider": {"resolveProvider": true},
        },
        "answers": {
            "textDocument/completion": [{"result": [item, {"label": "pass", "kind": 14, "data": 2}]}],
            "completionItem/resolve": [{"result": whole}],
        },
    }))
}

#[test]
fn a_plain_editor_gets_plain_completions_with_their_imports() {
    let scripted = completing();
    let mut editor = opened(&scripted, json!({}));
    let at = editor.at("a.py", "Pa", 0);
    let answer = editor.result(
        "textDocument/completion",
        &json!({
            "textDocument": at["textDocument"], "position": {"line": 1, "character": 2},
        }),
    );
    let item = &answer[0];
    assert_eq!(item["additionalTextEdits"][0]["newText"], "from pathlib import Path\n", "{answer}");
    assert!(
        item["kind"].as_u64().is_some_and(|kind| kind <= 18),
        "the first version of the protocol had 18: {answer}"
    );
    for field in ["commitCharacters", "labelDetails", "preselect", "tags"] {
        assert!(item.get(field).is_none(), "{field}: {answer}");
    }
    assert_eq!((&item["label"], &item["insertText"]), (&json!("Path (class)"), &json!("Path")), "{answer}");
    assert_eq!(scripted.got("completionItem/resolve").len(), 1, "a keyword brings nothing");
}

#[test]
fn an_able_editor_gets_what_the_server_says() {
    let scripted = completing();
    let mut editor = opened(
        &scripted,
        json!({"textDocument": {"completion": {
            "completionItem": {
                "snippetSupport": true, "commitCharactersSupport": true, "labelDetailsSupport": true, "preselectSupport": true,
                "documentationFormat": ["markdown"], "deprecatedSupport": true, "tagSupport": {"valueSet": [1]},
                "resolveSupport": {"properties": ["additionalTextEdits"]},
            },
            "completionItemKind": {"valueSet": (1..=25).collect::<Value>()},
        }}}),
    );
    let at = editor.at("a.py", "Pa", 0);
    let answer = editor.result("textDocument/completion", &at);
    assert_eq!(
        (&answer[0]["kind"], &answer[0]["labelDetails"]["description"]),
        (&json!(25), &json!("pathlib"))
    );
    assert_eq!((&answer[0]["commitCharacters"], &answer[0]["tags"]), (&json!(["."]), &json!([1])));
    assert_eq!(scripted.got("completionItem/resolve").len(), 0, "it asks by itself");
}

#[test]
fn parts_of_diagnostics_that_were_not_declared_come_back_to_the_server_only() {
    let start = json!({"line": 0, "character": 0});
    let mut published = json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {
        "diagnostics": [{"range": {"start": start, "end": start}, "message": "wrong", "data": {"fix": 7}, "tags": [1],
            "codeDescription": {"href": "https://x.invalid"}}],
    }});
    let world = Scripted::new(&json!({}));
    let tree = world.world.tree(TREE);
    // The server has to name the document, and only the tree knows its path.
    published["params"]["uri"] = json!(format!("file://{}/a.py", tree.root().display()));
    let scripted = Scripted::new(&json!({
        "answers": {"test/poke": [{"tells": [published], "result": "poked"}]},
        "capabilities": {"textDocumentSync": {"openClose": true, "change": 2}, "codeActionProvider": true},
    }));
    let mut editor = Editor::start(&scripted.world, &tree);
    editor.open("a.py");
    let _ = server_has(&mut editor, "a.py");
    let about = editor.about("a.py");
    assert_eq!(editor.result("test/poke", &about), "poked");
    let told = editor.hear_diagnostics("a.py", |params| params["diagnostics"][0]["message"] == "wrong");
    let told = told["diagnostics"][0].clone();
    for field in ["data", "tags", "codeDescription"] {
        assert!(told.get(field).is_none(), "{field}: {told}");
    }
    let mut asked = about;
    asked["range"] = told["range"].clone();
    asked["context"] = json!({"diagnostics": [told]});
    let _ = editor.result("textDocument/codeAction", &asked);
    let got = scripted.got("textDocument/codeAction");
    assert_eq!(got[0]["context"]["diagnostics"][0]["data"]["fix"], 7, "{got:?}");
}

#[test]
fn symbols_are_of_kinds_that_the_editor_knows_and_hints_are_whole() {
    let at = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let outline = json!([{"name": "S", "kind": 23, "range": at, "selectionRange": at, "children": [
        {"name": "T", "kind": 26, "range": at, "selectionRange": at},
    ]}]);
    let scripted = Scripted::new(&json!({
        "answers": {"textDocument/documentSymbol": [{"result": outline}]},
        "capabilities": {"textDocumentSync": {"openClose": true, "change": 2}, "documentSymbolProvider": true},
    }));
    let mut editor = opened(&scripted, json!({}));
    let told = editor.result("textDocument/documentSymbol", &editor.about("a.py"));
    assert_eq!((&told[0]["kind"], &told[0]["children"][0]["kind"]), (&json!(5), &json!(5)), "{told}");
    let greeting = scripted.got("initialize");
    let hints = &greeting[0]["capabilities"]["textDocument"]["inlayHint"];
    assert!(
        hints.is_object() && hints.get("resolveSupport").is_none(),
        "nothing of a hint is left for later: {hints}"
    );
}

#[test]
fn what_nobody_offered_is_no_method() {
    let scripted = Scripted::new(&json!({}));
    let mut editor = opened(&scripted, json!({}));
    for method in [
        "textDocument/selectionRange",
        "textDocument/prepareTypeHierarchy",
        "textDocument/rename",
        "hob/nothing",
    ] {
        let at = editor.at("a.py", "x", 0);
        let error = editor.request(method, &at).expect_err("nobody does this");
        assert_eq!(error["code"], -32601, "{method}: {error}");
    }
}
