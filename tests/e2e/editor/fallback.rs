//! Tests the map's answers to an editor without a language server.

use hob_tests::{Editor, World};
use serde_json::{Value, json};

use super::Scripted;

const TREE: &str = "\
//- /shapes.py
class Square:
    \"\"\"Four equal sides.\"\"\"

    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side * self.side


def unit() -> Square:
    \"\"\"The smallest.\"\"\"
    return Square(1)
//- /main.py
from shapes import unit

one = unit()
two = unit()
";

/// Returns a world without servers, and an editor that connects when the project is known.
fn without_servers() -> (World, Editor) {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(TREE);
    let known = world.call(&tree, "map_search", &json!({"query": "Square"}));
    assert_eq!(known.ok()["results"][0]["name"], "Square", "{known}");
    let editor = Editor::start(&world, &tree);
    (world, editor)
}

fn line(place: &Value) -> Option<u64> {
    place["range"]["start"]["line"].as_u64()
}

/// Returns the places of an answer, one or several, each as `file:line`, sorted.
fn places(answer: &Value) -> Vec<String> {
    let one = |place: &Value| {
        let uri = place["uri"].as_str().unwrap_or_default();
        format!("{}:{}", uri.rsplit('/').next().unwrap_or_default(), line(place).unwrap_or(u64::MAX))
    };
    let mut all: Vec<String> =
        answer.as_array().map_or_else(|| vec![one(answer)], |all| all.iter().map(one).collect());
    all.sort();
    all
}

#[test]
fn where_there_is_no_server_the_map_answers() {
    let (_world, mut editor) = without_servers();
    for able in [
        "definitionProvider",
        "referencesProvider",
        "documentSymbolProvider",
        "hoverProvider",
        "workspaceSymbolProvider",
        "foldingRangeProvider",
    ] {
        let offered = &editor.greeting["capabilities"][able];
        assert!(offered.is_object() || *offered == true, "{able} is offered: {}", editor.greeting);
    }
    editor.open("main.py");
    editor.open("shapes.py");
    let call = editor.at("main.py", "unit()", 1);
    let defined = editor.result("textDocument/definition", &call);
    assert_eq!(places(&defined), ["shapes.py:10"], "{defined}");
    let mut asked = call.clone();
    asked["context"] = json!({"includeDeclaration": false});
    let used = editor.result("textDocument/references", &asked);
    let found = places(&used);
    assert!(["main.py:2", "main.py:3"].iter().all(|place| found.iter().any(|one| one == place)), "{used}");
    assert!(!found.iter().any(|place| place == "shapes.py:10"), "the definition was not asked for: {used}");
    let hover = editor.result("textDocument/hover", &call).to_string();
    assert!(hover.contains("def unit() -> Square") && hover.contains("The smallest."), "{hover}");
}

#[test]
fn outlines_symbols_and_folds_come_from_the_map() {
    let (_world, mut editor) = without_servers();
    editor.open("shapes.py");
    let outline = editor.result("textDocument/documentSymbol", &editor.about("shapes.py"));
    assert_eq!((&outline[0]["name"], &outline[1]["name"]), (&json!("Square"), &json!("unit")), "{outline}");
    let methods = outline[0]["children"].as_array().into_iter().flatten();
    let methods: Vec<&str> = methods.filter_map(|one| one["name"].as_str()).collect();
    assert!(methods.contains(&"__init__") && methods.contains(&"area"), "{outline}");
    let found = editor.result("workspace/symbol", &json!({"query": "squ"}));
    assert!(found.as_array().is_some_and(|all| all.iter().any(|one| one["name"] == "Square")), "{found}");
    let folds = editor.result("textDocument/foldingRange", &editor.about("shapes.py"));
    let folds = folds.as_array().expect("a list");
    let covers = |start: u64, end: u64| {
        folds.iter().any(|fold| fold["startLine"] == start && fold["endLine"].as_u64() >= Some(end))
    };
    assert!(covers(0, 7) && covers(6, 7) && covers(10, 12), "{folds:?}");
}

/// Questions are about the unsaved text.
#[test]
fn the_map_answers_of_the_text_that_the_editor_has() {
    let (_world, mut editor) = without_servers();
    editor.open("shapes.py");
    editor.edit("shapes.py", 0..0, "# 𝒳: a line above\nclass Typed:\n    pass\n\n\n");
    let outline = editor.result("textDocument/documentSymbol", &editor.about("shapes.py"));
    let names: Vec<&str> =
        outline.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["Typed", "Square", "unit"], "{outline}");
    assert_eq!(line(&outline[1]), Some(5), "{outline}");
    let defined = editor.result("textDocument/definition", &editor.at("shapes.py", "Square(1)", 1));
    assert_eq!(places(&defined), ["shapes.py:5"], "where it is in the buffer: {defined}");
}

/// A language without a known server still has answers from the map, or none, but never an error that an editor would
/// show.
#[test]
fn a_file_of_no_language_is_no_error() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree("//- /notes.txt\nhello\n");
    let mut editor = Editor::start(&world, &tree);
    editor.open("notes.txt");
    let at = editor.at("notes.txt", "hello", 0);
    for method in ["textDocument/definition", "textDocument/hover"] {
        let answer = editor.result(method, &at);
        assert!(answer.is_null() || answer == json!([]), "{method}: {answer}");
    }
    assert!(editor.heard("window/showMessage").is_empty());
    assert_eq!(editor.quit(), Some(0));
}

/// Like gopls without `go`: it starts, offers everything, and serves nothing.
#[test]
fn a_server_without_the_project_is_as_good_as_none() {
    let refusal = json!([{"error": {"code": 0, "message": "no views"}}]);
    let scripted = Scripted::new(&json!({"answers": {
        "textDocument/hover": refusal, "textDocument/definition": refusal, "textDocument/references": refusal,
        "textDocument/completion": refusal,
    }}));
    let tree = scripted.world.tree(TREE);
    let known = scripted.world.call(&tree, "map_search", &json!({"query": "Square"}));
    assert_eq!(known.ok()["results"][0]["name"], "Square", "{known}");
    let mut editor = Editor::start(&scripted.world, &tree);
    editor.open("main.py");
    let at = editor.at("main.py", "unit()", 0);
    let hover = editor.result("textDocument/hover", &at);
    assert!(hover.to_string().contains("The smallest."), "{hover}");
    assert_eq!(places(&editor.result("textDocument/definition", &at)), ["shapes.py:10"]);
    let mut uses = at.clone();
    uses["context"] = json!({"includeDeclaration": false});
    assert!(places(&editor.result("textDocument/references", &uses)).contains(&"main.py:3".to_owned()));
    assert_eq!(editor.result("textDocument/completion", &at), Value::Null);
    let said = editor.hear("window/showMessage", |params| params["message"].to_string().contains("no views"));
    assert!(said["message"].to_string().contains("hob servers"), "{said}");
}
