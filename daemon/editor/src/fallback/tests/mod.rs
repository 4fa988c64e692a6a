//! Tests the map as an editor uses it: questions at a cursor, marked with `§`, and places as the protocol counts them.

mod langs;
mod lists;

use serde_json::{Value, json};

use super::has_answer;
use super::testing::TestProject;

const DEFINITION: &str = "textDocument/definition";
const REFERENCES: &str = "textDocument/references";
const HOVER: &str = "textDocument/hover";

const BOATS: &str = "\
class Boat:
    \"\"\"What swims.\"\"\"

    def sail(self, knots):
        \"\"\"Goes somewhere.\"\"\"
        return knots


def launch():
    return Boat()
";
const HARBOUR: &str = "\
from boats import Boat, launch as send


def leave():
    boat = Boat()
    boat.sail(3)
    send()
";

fn harbour_project() -> TestProject {
    TestProject::with_files(&[
        ("boats.py", BOATS),
        ("harbour.py", HARBOUR),
        ("notes.txt", "launch the Boat\n"),
    ])
}

fn definition(project: &TestProject, name: &str, marked: &str) -> Vec<String> {
    project.show_locations(&project.at_mark(DEFINITION, name, marked))
}

fn mark_place(text: &str, at: &str) -> String {
    let plain = at.replace('§', "");
    assert_eq!(text.matches(&plain).count(), 1, "{plain}");
    text.replacen(&plain, at, 1)
}

#[test]
fn only_what_the_map_can_answer_is_answered() {
    assert!(has_answer(DEFINITION) && has_answer("workspace/symbol"));
    assert!(!has_answer("textDocument/rename") && !has_answer("textDocument/completion"));
}

#[test]
fn a_definition_is_found_in_another_file() {
    let project = harbour_project();
    let at = |place: &str| definition(&project, "harbour.py", &mark_place(HARBOUR, place));
    assert_eq!(at("boat = §Boat()"), ["boats.py:0:6-10"]);
    assert_eq!(at("boat.§sail(3)"), ["boats.py:3:8-12"], "by the type of the value");
    assert_eq!(at("se§nd()"), ["boats.py:8:4-10"], "under another name");
    assert_eq!(at("import §Boat"), ["boats.py:0:6-10"], "from the import itself");
    assert_eq!(at("launch as §send"), ["boats.py:8:4-10"]);
    assert_eq!(at("from §boats"), ["boats.py:0:0-0"], "the module is its file");
    assert_eq!(at("def leave§():"), ["harbour.py:3:4-9"], "a definition is its own");
    assert_eq!(at("§boat = Boat()"), [""; 0], "a local name is not guessed at");
    assert_eq!(at("de§f leave()"), [""; 0]);
}

#[test]
fn rust_modules_are_followed() {
    let lib = "pub mod hull;\n\npub fn paint() -> u32 {\n    hull::coat(2)\n}\n";
    let hull = "/// A coat of paint.\npub fn coat(times: u32) -> u32 {\n    times\n}\n";
    let project = TestProject::with_files(&[
        ("Cargo.toml", "[package]\nname = \"boat\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", lib),
        ("src/hull.rs", hull),
    ]);
    let call = mark_place(lib, "hull::§coat(2)");
    assert_eq!(definition(&project, "src/lib.rs", &call), ["src/hull.rs:1:7-11"]);
    let uses = project.at_mark(REFERENCES, "src/hull.rs", &mark_place(hull, "fn co§at("));
    assert_eq!(project.show_locations(&uses), ["src/lib.rs:3:10-14"]);
    let hover = project.at_mark(HOVER, "src/lib.rs", &call);
    let text = hover["contents"]["value"].as_str().expect("markdown");
    assert_eq!(
        text,
        "```rust\npub fn coat(times: u32) -> u32\n```\n\nA coat of paint.\n\n*From hob's map, not from a language server.*"
    );
    assert_eq!(
        hover["range"],
        json!({"start": {"line": 3, "character": 10}, "end": {"line": 3, "character": 14}})
    );
}

#[test]
fn references_are_found_with_and_without_the_declaration() {
    let project = harbour_project();
    let uses = |with: bool, line: u32, character: u32| {
        let params = json!({
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": with},
        });
        project.show_locations(&project.answer_for(REFERENCES, "boats.py", None, &params))
    };
    let boat = ["boats.py:9:11-15", "harbour.py:0:18-22", "harbour.py:4:11-15"];
    assert_eq!(uses(false, 0, 7), boat);
    assert_eq!(uses(true, 0, 7), [&["boats.py:0:6-10"][..], &boat].concat());
    assert_eq!(uses(false, 8, 5), ["harbour.py:0:24-30", "harbour.py:6:4-8"], "under both names");
    let from_a_use = project.at_mark(REFERENCES, "harbour.py", &mark_place(HARBOUR, "boat.§sail(3)"));
    assert_eq!(project.show_locations(&from_a_use), ["harbour.py:5:9-13"]);
}

#[test]
fn text_that_is_not_saved_shifts_what_is_in_it() {
    let project = harbour_project();
    let boats = BOATS.replacen("class Boat:", "import os\n\nFAST = True\n\n\nclass Boat:", 1);
    let at = |place: &str| definition(&project, "boats.py", &mark_place(&boats, place));
    assert_eq!(at("return §Boat()"), ["boats.py:5:6-10"]);
    assert_eq!(at("§FAST = True"), ["boats.py:2:0-4"], "what was written just now is known");
    let uses = project.at_mark(REFERENCES, "boats.py", &mark_place(&boats, "class §Boat:"));
    assert_eq!(
        project.show_locations(&uses),
        ["boats.py:14:11-15", "harbour.py:0:18-22", "harbour.py:4:11-15"],
        "here by the editor's text, elsewhere by the disk's"
    );
    let harbour =
        HARBOUR.replacen("    send()\n", "    x = 1\n    send()\n    boat.sail(4)\n    Boat()\n", 1);
    let moved = definition(&project, "harbour.py", &mark_place(&harbour, "§send()"));
    assert_eq!(moved, ["boats.py:8:4-10"]);
    let added = definition(&project, "harbour.py", &mark_place(&harbour, "boat.§sail(4)"));
    assert_eq!(added, ["boats.py:3:8-12"], "as in the lines beside it");
    let gone = BOATS.replacen("class Boat:", "class Ship:", 1);
    let renamed = definition(&project, "boats.py", &mark_place(&gone, "return §Boat()"));
    assert_eq!(renamed, [""; 0], "it is no more in this text");
}

#[test]
fn a_new_name_is_looked_for_by_itself() {
    let project = harbour_project();
    let new = "def hurry():\n    launch()\n    vanish()\n";
    let at = |place: &str| definition(&project, "new.py", &mark_place(new, place));
    assert_eq!(at("§launch()"), ["boats.py:8:4-10"], "a file that is on no disk yet");
    assert_eq!(at("§vanish()"), [""; 0]);
    let note = definition(&project, "notes.txt", "laun§ch the Boat\n");
    assert_eq!(note, ["boats.py:8:4-10"], "a file that the map has no language for");
}

#[test]
fn what_was_saved_a_moment_ago_is_known() {
    let project = harbour_project();
    project.write("boats.py", &format!("\n\n{BOATS}"));
    assert_eq!(
        definition(&project, "harbour.py", &mark_place(HARBOUR, "boat = §Boat()")),
        ["boats.py:2:6-10"]
    );
}

#[test]
fn columns_count_utf16_units() {
    let text = "def sail(): pass\n\n\nx = '⛵🚢'; sail(); y = '🚢'; z = sail()\n";
    let project = TestProject::with_files(&[("a.py", text)]);
    assert_eq!(definition(&project, "a.py", &mark_place(text, "z = §sail()")), ["a.py:0:4-8"]);
    let uses = project.at_mark(REFERENCES, "a.py", &mark_place(text, "def §sail()"));
    assert_eq!(project.show_locations(&uses), ["a.py:3:11-15", "a.py:3:33-37"]);
    let highlights =
        project.at_mark("textDocument/documentHighlight", "a.py", &mark_place(text, "z = §sail()"));
    let columns = |at: &Value| at["range"]["start"]["character"].as_u64();
    let columns: Vec<_> = highlights.as_array().expect("a list").iter().filter_map(columns).collect();
    assert_eq!(columns, [4, 11, 33]);
}

#[test]
fn what_is_not_known_is_all_that_it_can_be() {
    let project = TestProject::with_files(&[
        ("a.py", "class A:\n    def go(self): pass\n\n\nclass B:\n    def go(self): pass\n"),
        ("b.py", "def run(thing):\n    thing.go()\n"),
    ]);
    let marked = "def run(thing):\n    thing.§go()\n";
    assert_eq!(definition(&project, "b.py", marked), ["a.py:1:8-10", "a.py:5:8-10"]);
    let hover = project.at_mark(HOVER, "b.py", marked);
    let text = hover["contents"]["value"].as_str().expect("markdown");
    assert!(text.contains("`a.py:2`") && text.contains("`a.py:6`"), "{text}");
    assert!(text.ends_with("the name may mean any of these.*"), "{text}");
}

#[test]
fn nothing_that_is_asked_is_too_odd() {
    let project = TestProject::with_files(&[
        ("a.py", "def f(): pass\n"),
        ("b.md", "# A\n\n[x](c.md#y) and [f](a.py)\n"),
        ("c.md", "# y\n"),
    ]);
    let methods =
        [DEFINITION, REFERENCES, HOVER, "textDocument/documentHighlight", "textDocument/foldingRange"];
    let odd = ["", "\u{FEFF}\r\n\r", "(((", "# [", "\0\0", "def f(:\n  def f(:\n", "𝒳 = 𝒳.𝒳(𝒳)"];
    let far = u64::from(u32::MAX);
    let positions = [
        json!({}),
        json!(null),
        json!({"line": -1, "character": 0}),
        json!({"line": far, "character": far}),
        json!({"line": 0, "character": 0}),
        json!({"line": 0, "character": 2}),
    ];
    for name in ["a.py", "b.md", "gone.rs", "x"] {
        for text in odd.iter().map(|text| Some(*text)).chain([None]) {
            for position in &positions {
                for method in methods {
                    let answer = project.answer_for(method, name, text, &json!({"position": position}));
                    assert!(answer.is_array() || answer.is_null() || method == HOVER, "{method}: {answer}");
                }
            }
        }
    }
    let link = project.at_mark(DEFINITION, "b.md", "# A\n\n[x](c.md#y) and [§f](a.py)\n");
    assert_eq!(project.show_locations(&link), ["a.py:0:0-0"]);
}
