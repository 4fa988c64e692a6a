//! Tests symbols, folds and highlights.

use serde_json::{Value, json};

use super::super::merge_symbols;
use super::super::testing::TestProject;
use super::{BOATS, harbour_project};

/// Writes the names of symbols, with their children in brackets.
fn nested_names(symbols: &Value) -> String {
    let one = |symbol: &Value| match &symbol["children"] {
        Value::Null => symbol["name"].as_str().expect("a name").to_owned(),
        children => format!("{}({})", symbol["name"].as_str().expect("a name"), nested_names(children)),
    };
    symbols.as_array().expect("a list").iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn symbols_of_a_document_are_nested() {
    let project = harbour_project();
    let ask = |text| project.answer_for("textDocument/documentSymbol", "boats.py", text, &json!({}));
    let symbols = ask(None);
    assert_eq!(nested_names(&symbols), "Boat(sail) launch");
    let sail = &symbols[0]["children"][0];
    assert_eq!(
        sail["range"],
        json!({"start": {"line": 3, "character": 4}, "end": {"line": 5, "character": 20}})
    );
    assert_eq!(
        sail["selectionRange"],
        json!({"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 12}})
    );
    assert_eq!((&sail["kind"], &symbols[0]["kind"]), (&json!(6), &json!(5)));
    let unsaved = format!("# 🚢\n{BOATS}\n\ndef sink():\n    pass\n");
    let symbols = ask(Some(&unsaved));
    assert_eq!(nested_names(&symbols), "Boat(sail) launch sink");
    assert_eq!(symbols[0]["selectionRange"]["start"]["line"], 1);
    let plain = project.answer_for("textDocument/documentSymbol", "notes.txt", None, &json!({}));
    assert_eq!(plain, json!([]));
}

#[test]
fn symbols_of_the_workspace_come_best_first() {
    let project = harbour_project();
    let ask =
        |query: &str| project.answer_for("workspace/symbol", "boats.py", None, &json!({"query": query}));
    let found = ask("sail");
    assert_eq!(found[0]["name"], "sail");
    assert_eq!(found[0]["containerName"], "Boat");
    let at = json!([found[0]["location"]]);
    assert_eq!(project.show_locations(&at), ["boats.py:3:8-12"]);
    assert_eq!(ask(""), json!([]));
}

#[test]
fn no_symbol_is_told_twice() {
    let symbol = |name: &str, file: &str, line: u32| {
        let at = json!({"line": line, "character": 4});
        json!({"name": name, "kind": 12, "location": {"uri": file, "range": {"start": at, "end": at}}})
    };
    let server = json!([
        symbol("sail(knots)", "file:///%61/boats.py", 3),
        symbol("Boat.launch", "file:///boats.py", 7),
        json!({"name": "moor", "kind": 12, "location": {"uri": "file:///boats.py"}}),
        symbol("sail", "jdt://contents/rt.jar", 3),
    ]);
    let map = json!([
        symbol("sail", "file:///a/boats.py", 3),
        symbol("launch", "file:///boats.py", 7),
        symbol("moor", "file:///boats.py", 30),
        symbol("launch", "file:///boats.py", 9),
        symbol("sail", "file:///harbour.py", 3),
    ]);
    let merged = merge_symbols(&server, map.clone());
    let merged = merged.as_array().expect("a list");
    assert_eq!(merged[..4], server.as_array().expect("a list")[..], "the server's come first");
    assert_eq!(merged[4..], map.as_array().expect("a list")[3..]);
    assert_eq!(merge_symbols(&Value::Null, map.clone()), map);
    assert_eq!(merge_symbols(&server, json!([])), server);
}

#[test]
fn what_belongs_together_folds() {
    let text = "import os\nimport sys\n\n\n@cached\ndef sail():\n    if os:\n        go()\n\n    return 1\n\n\nx = 1\n";
    let project = TestProject::with_files(&[
        ("a.py", text),
        ("b.rs", "fn f() {\n    g();\n}\n\nfn g() {}\n"),
        ("c.conf", "a\n  b\n  c\nd\n"),
    ]);
    let folds = |name: &str| {
        let folds = project.answer_for("textDocument/foldingRange", name, None, &json!({}));
        let one = |fold: &Value| {
            format!("{}-{}{}", fold["startLine"], fold["endLine"], fold["kind"].as_str().unwrap_or(""))
        };
        folds.as_array().expect("a list").iter().map(one).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(folds("a.py"), "0-1imports 5-9 6-7");
    assert_eq!(folds("b.rs"), "0-1", "the line that closes stays in sight");
    assert_eq!(folds("c.conf"), "0-2");
}

#[test]
fn highlights_of_a_local_name_stay_in_its_definition() {
    let text = "def f(wind):\n    return wind\n\n\ndef g(wind):\n    return wind\n";
    let project = TestProject::with_files(&[("a.py", text)]);
    let found = project.at_mark(
        "textDocument/documentHighlight",
        "a.py",
        "def f(wind):\n    return §wind\n\n\ndef g(wind):\n    return wind\n",
    );
    let lines: Vec<_> = found
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|at| at["range"]["start"]["line"].as_u64())
        .collect();
    assert_eq!(lines, [0, 1]);
}
