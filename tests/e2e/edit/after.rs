//! Tests the report on the consequences of applying an edit: where the old name still occurs, and what the running
//! servers report now.
//!
//! It only reports and does not undo anything. If all is well, it says nothing.

use hob_tests::{Answer, Mcp, Tree, World, binaries, debian, outside};
use serde_json::{Value, json};

use super::{apply, editor, id};
use crate::e2e::nav::{path_with, ty_alone};

const SHOP: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
description = \"knows its total\"
//- /shop/__init__.py
//- /shop/cart.py
def total(items: list[int]) -> int:
    \"\"\"The total of all.\"\"\"
    return sum(items)


# total may be slow, subtotal is not
def subtotal(items: list[int]) -> int:
    return total(items[:2])
//- /shop/main.py
from shop.cart import total

print('total', total([1, 2]))
//- /shop/quiet.py
LIMIT = 3


def limited(number: int) -> int:
    return min(number, LIMIT)
//- /web/cart.js
export const sum = items => fetch('/total', items);
";

/// Returns a client of a project for which ty runs.
fn with_ty() -> (World, Tree, Mcp) {
    let world = World::new().env("PATH", path_with(&ty_alone()));
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    // Only running servers are asked.
    let _ = mcp.call("nav_symbols", json!({"file": "shop/cart.py"})).ok();
    (world, tree, mcp)
}

#[track_caller]
fn rename(mcp: &mut Mcp, file: &str, line: u32, col: u32, new_name: &str) -> Answer {
    let args = json!({"file": file, "line": line, "col": col, "newName": new_name});
    let preview = mcp.call("edit_rename", args);
    apply(mcp, &id(&preview))
}

/// Returns a part of the structured report of an apply.
#[track_caller]
fn told<'a>(done: &'a Answer, what: &str) -> &'a Value {
    &done.ok()["sourceResultDetails"][what]
}

#[track_caller]
fn message(done: &Answer) -> &str {
    done.ok()["message"].as_str().expect("a text")
}

#[test]
fn a_rename_takes_its_target_in_every_form() {
    let (_world, _tree, mut mcp) = with_ty();
    let mut diff = |target: Value| {
        let mut args = json!({"newName": "all_of"});
        args.as_object_mut().expect("an object").extend(target.as_object().expect("an object").clone());
        mcp.call("edit_rename", args).ok()["diff"].clone()
    };
    let by_place = diff(json!({"file": "shop/cart.py", "line": 1, "col": 5}));
    for target in ["shop/cart.py:1:5", "shop/cart.py:1", "shop/cart.py#total", "py:shop/cart.py#total"] {
        assert_eq!(diff(json!({"target": target})), by_place, "{target}");
    }
    assert_eq!(diff(json!({"nodeId": "shop/cart.py#total"})), by_place);
}

#[test]
fn where_the_old_name_is_left_is_told() {
    let (_world, tree, mut mcp) = with_ty();
    let done = rename(&mut mcp, "shop/cart.py", 1, 5, "all_of");
    let left = told(&done, "leftovers");
    let shown: Vec<String> = left["shown"].as_array().expect("lines").iter().map(place).collect();
    let expected = [
        "pyproject.toml:3 description = \"knows its total\"",
        "shop/cart.py:2 \"\"\"The total of all.\"\"\"",
        "shop/cart.py:6 # total may be slow, subtotal is not",
        "shop/main.py:3 print('total', all_of([1, 2]))",
        "web/cart.js:1 export const sum = items => fetch('/total', items);",
    ];
    assert_eq!(shown, expected, "{done}");
    assert_eq!((&left["name"], &left["lines"]), (&json!("total"), &json!(5)), "{done}");
    assert_eq!((&left["files"], &left["complete"]), (&json!(4), &json!(true)), "{done}");
    assert!(message(&done).contains("5 lines in 4 files still have `total`"), "{done}");
    // Nothing in it was touched, and nothing is worse.
    assert!(tree.read("shop/cart.py").contains("# total may be slow, subtotal is not"));
    assert_eq!(told(&done, "diagnostics"), &json!({"filesJudged": 2, "worse": []}), "{done}");
}

fn place(line: &Value) -> String {
    format!(
        "{}:{} {}",
        line["file"].as_str().expect("a path"),
        line["line"],
        line["text"].as_str().expect("it")
    )
}

#[test]
fn a_clean_rename_has_nothing_to_tell() {
    let (_world, tree, mut mcp) = with_ty();
    let done = rename(&mut mcp, "shop/quiet.py", 1, 1, "MOST");
    assert_eq!(message(&done), "Applied: Rename `LIMIT` to `MOST` in 1 files.", "{done}");
    let nothing = json!({"name": "LIMIT", "lines": 0, "files": 0, "shown": [], "complete": true});
    assert_eq!(told(&done, "leftovers"), &nothing, "{done}");
    assert_eq!(told(&done, "diagnostics"), &json!({"filesJudged": 1, "worse": []}), "{done}");
    assert_eq!(tree.read("shop/quiet.py").matches("MOST").count(), 2);
}

#[test]
fn what_is_worse_than_before_is_told_file_by_file() {
    let (_world, tree, mut mcp) = with_ty();
    // One thing is wrong already, which the edit did not cause.
    tree.write("shop/main.py", format!("{}missing()\n", tree.read("shop/main.py")));
    let mut edit = |file: &str, old: &str, new: &str| {
        let preview = mcp.call("edit_text", json!({"file": file, "old": old, "new": new}));
        apply(&mut mcp, &id(&preview))
    };
    let done = edit("shop/main.py", "total([1, 2])", "total('one') + totl");
    let worse = told(&done, "diagnostics")["worse"].as_array().expect("a list");
    let [file] = &worse[..] else { panic!("{done}") };
    assert_eq!((&file["file"], &file["severity"]), (&json!("shop/main.py"), &json!("error")), "{done}");
    assert_eq!((&file["before"], &file["after"]), (&json!(1), &json!(3)), "{done}");
    let new: Vec<&str> = file["new"].as_array().expect("a list").iter().map(words).collect();
    assert!(new.len() == 2 && new.iter().any(|one| one.contains("totl")), "{done}");
    assert!(!new.iter().any(|one| one.contains("missing")), "{done}");
    assert!(message(&done).contains("There are 2 more errors or warnings than before."), "{done}");
    // Only a rename has an old name.
    assert!(told(&done, "leftovers").is_null(), "{done}");
    let back = edit("shop/main.py", "total('one') + totl", "total([1, 2])");
    assert_eq!(message(&back), "Applied: Replace text in shop/main.py.", "{back}");
    assert_eq!(told(&back, "diagnostics")["worse"], json!([]), "{back}");
}

fn words(one: &Value) -> &str {
    one["message"].as_str().expect("a text")
}

/// No server is started to find mistakes, and without a server nothing is reported.
#[test]
fn without_a_server_that_runs_no_verdict_is_told() {
    let world = World::new().env("PATH", path_with(outside::servers()));
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let args = json!({"file": "shop/main.py", "old": "total([1, 2])", "new": "totl"});
    let preview = mcp.call("edit_text", args);
    let done = apply(&mut mcp, &id(&preview));
    assert!(told(&done, "diagnostics").is_null(), "{done}");
    assert_eq!(message(&done), "Applied: Replace text in shop/main.py.", "{done}");
}

const TABLE: &str = "\
//- /table.h
int size_of_table(void);
//- /table.c
#include \"table.h\"
int size_of_table(void) { return 3; }
//- /main.c
#include \"table.h\"
int main(void) { return size_of_table(); }
";

/// clangd starts again if a header changes; its new diagnostics are waited for.
#[test]
fn a_server_that_begins_anew_is_asked_again() {
    let world = World::new().env("PATH", path_with(outside::servers()));
    let tree = world.tree(TABLE);
    let entry = |file: &str| json!({"directory": tree.root(), "file": tree.at(file), "arguments": ["cc", "-c", tree.at(file)]});
    tree.write("compile_commands.json", json!([entry("table.c"), entry("main.c")]).to_string());
    let mut mcp = editor(&world, &tree);
    // It is asked after it has read everything; before that its diagnostics do not count.
    while mcp.call("nav_diagnostics", json!({"file": "table.h"})).ok()["complete"] != true {}
    let args =
        json!({"file": "table.h", "old": "int size_of_table(void);", "new": "int size_of_table(void)"});
    let preview = mcp.call("edit_text", args);
    let done = apply(&mut mcp, &id(&preview));
    let worse = &told(&done, "diagnostics")["worse"];
    assert_eq!((&worse[0]["file"], &worse[0]["before"]), (&json!("table.h"), &json!(0)), "{done}");
}

/// A running server that reports no state does not prove that nothing is worse.
#[test]
fn what_is_not_known_is_told() {
    let world = World::new();
    let bin = world.path("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let script = json!({"capabilities": {"hoverProvider": true}, "answers": {
        "textDocument/hover": [{"result": {"contents": "it runs"}}],
    }});
    let body = format!(
        "case \"$1\" in --version) echo ty 9.0.0; exit 0;; esac\nexec '{}' '{script}'",
        binaries().join("fake-lsp").display()
    );
    debian::script(&bin.join("ty"), &body);
    let world = world.env("PATH", path_with(&[bin]));
    let tree = world.tree(SHOP);
    let mut mcp = editor(&world, &tree);
    let _ = mcp.call("nav_type", json!({"file": "shop/quiet.py", "line": 1, "col": 1})).ok();
    let preview = mcp.call("edit_text", json!({"file": "shop/quiet.py", "old": "= 3", "new": "= 4"}));
    let done = apply(&mut mcp, &id(&preview));
    assert!(told(&done, "diagnostics").is_null(), "{done}");
    done.says("What the edit made worse is not known of shop/quiet.py: ");
}
