//! Tests a language server that omits places of which the map is certain, or that cannot answer at all: no such answer
//! is complete, it contains the missing places, and no rename is offered without a warning.
//!
//! The server is scripted, except for gopls without Go. `several_projects` tests what other real servers omit.

use std::fs;

use hob_tests::{Answer, Mcp, Tree, World, debian};
use serde_json::{Value, json};

use super::edit::editor;
use super::nav_faults::stand_in;

const SHOP: &str = "\
//- /cart.py
def total(items):
    return sum(items)

LIMIT = 3
//- /shop.py
from cart import total

def pay():
    return total([1])

def refund():
    return total([2])
//- /other.py
from cart import total as count

def other():
    return count([3])
//- /guess.py
def guess(cart):
    return cart.total([4])
";

const TOTAL: (&str, u32, u32) = ("cart.py", 1, 5);

fn world() -> World {
    let world = World::new();
    fs::create_dir(world.path("bin")).expect("a folder");
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    world.env("PATH", path)
}

fn capabilities() -> Value {
    let able =
        ["definition", "references", "hover", "implementation", "documentSymbol", "callHierarchy", "rename"];
    able.iter()
        .map(|what| (format!("{what}Provider"), json!(true)))
        .chain([("workspaceSymbolProvider".to_owned(), json!(true))])
        .collect()
}

/// Returns a client of a project whose server gives these answers.
fn with(world: &World, fixture: &str, answers: impl Fn(&Tree) -> Value) -> (Tree, Mcp) {
    let tree = world.tree(fixture);
    stand_in(world, "ty", &[json!({"capabilities": capabilities(), "answers": answers(&tree)})]);
    let mcp = editor(world, &tree);
    (tree, mcp)
}

/// Returns a place in the form of the protocol. The line and the column count from 1.
fn place(tree: &Tree, file: &str, line: u32, col: u32, width: u32) -> Value {
    let at = |character: u32| json!({"line": line - 1, "character": character});
    let uri = format!("file://{}", tree.at(file).display());
    json!({"uri": uri, "range": {"start": at(col - 1), "end": at(col - 1 + width)}})
}

fn ask(mcp: &mut Mcp, tool: &str, (file, line, col): (&str, u32, u32)) -> Answer {
    mcp.call(tool, json!({"file": file, "line": line, "col": col}))
}

/// Returns the places as `file:line:col`. A place that comes from the map ends with `!` and the map's confidence.
fn places(answer: &Answer) -> Vec<String> {
    let one = |at: &Value| {
        let mark = at["fromMap"].as_str().map(|sure| format!(" !{sure}")).unwrap_or_default();
        format!("{}:{}:{}{mark}", at["file"].as_str().unwrap_or_default(), at["line"], at["col"])
    };
    answer.list("/locations").iter().map(one).collect()
}

#[test]
fn references_that_the_map_is_sure_of_are_added() {
    let world = world();
    let (_tree, mut mcp) = with(
        &world,
        SHOP,
        |tree| json!({"textDocument/references": [{"result": [place(tree, "shop.py", 4, 12, 5)]}]}),
    );
    let found = ask(&mut mcp, "nav_references", TOTAL);
    let expected = ["other.py:1:18 !import", "other.py:4:12 !import", "shop.py:4:12", "shop.py:7:12 !import"];
    assert_eq!(
        places(&found),
        expected,
        "the import in a file that the server lists is no use of its own: {found}"
    );
    let data = found.ok();
    assert_eq!((&data["completeness"], &data["total"]), (&json!("partial"), &json!(4)), "{found}");
    found.says("ty does not list 3 uses of `total` in 2 files that the map is sure of (other.py:1, other.py:4, shop.py:7)");
    let filtered =
        mcp.call("nav_references", json!({"file": "cart.py", "line": 1, "col": 5, "fileFilter": "gues"}));
    assert_eq!(filtered.ok()["completeness"], "complete", "nothing is missing there: {filtered}");
}

#[test]
fn an_answer_with_all_that_the_map_knows_stays_complete() {
    let world = world();
    let (_tree, mut mcp) = with(&world, SHOP, |tree| {
        let all = [("shop.py", 4), ("shop.py", 7), ("other.py", 1), ("other.py", 4)];
        let all: Vec<Value> = all.map(|(file, line)| place(tree, file, line, 12, 5)).to_vec();
        json!({"textDocument/references": [{"result": all}], "textDocument/definition": [{"result": null}]})
    });
    for at in [TOTAL, ("shop.py", 4, 13)] {
        let found = ask(&mut mcp, "nav_references", at);
        assert_eq!((places(&found).len(), &found.ok()["completeness"]), (4, &json!("complete")), "{found}");
        found.without_warnings();
    }
}

/// A server knows the files that are open in it. The omitted files are opened in it, and it is asked again.
#[test]
fn a_server_is_shown_what_it_left_out() {
    let world = world();
    let record = world.path("record");
    let tree = world.tree(SHOP);
    let first = json!({"result": [place(&tree, "shop.py", 4, 12, 5), place(&tree, "shop.py", 7, 12, 5)]});
    let mut all = first.clone();
    let rest = [place(&tree, "other.py", 1, 18, 5), place(&tree, "other.py", 4, 12, 5)];
    all["result"].as_array_mut().expect("a list").extend(rest);
    // The second answer is for the same question with declarations.
    let answers = json!({"textDocument/references": [first, first, all]});
    stand_in(&world, "ty", &[json!({"capabilities": capabilities(), "answers": answers, "record": record})]);
    let mut mcp = world.mcp(&tree);
    let found = ask(&mut mcp, "nav_references", TOTAL);
    assert_eq!(
        (&found.ok()["completeness"], &found.ok()["total"]),
        (&json!("complete"), &json!(4)),
        "{found}"
    );
    let told = fs::read_to_string(&record).expect("a record");
    let opened = |file: &str| told.lines().any(|line| line.contains("didOpen") && line.contains(file));
    assert!(opened("/other.py") && !opened("/shop.py") && !opened("/guess.py"), "{told}");
}

#[test]
fn no_rename_is_offered_without_a_word_about_what_it_leaves_behind() {
    let world = world();
    let (_tree, mut mcp) = with(&world, SHOP, |tree| {
        let uri = |file: &str| format!("file://{}", tree.at(file).display());
        let edit = |(file, line, col): (&str, u32, u32)| json!({"range": place(tree, file, line, col, 5)["range"], "newText": "sum_of"});
        let changes = json!({uri("cart.py"): [edit(TOTAL)], uri("shop.py"): [edit(("shop.py", 1, 18)), edit(("shop.py", 4, 12))]});
        json!({"textDocument/rename": [{"result": {"changes": changes}}]})
    });
    let preview =
        mcp.call("edit_rename", json!({"file": "cart.py", "line": 1, "col": 5, "newName": "sum_of"}));
    let details = &preview.ok()["details"];
    assert_eq!(details["completeness"], "partial", "{preview}");
    let left = json!([
        {"file": "other.py", "line": 1, "fromMap": "import"},
        {"file": "shop.py", "line": 7, "fromMap": "import"},
    ]);
    assert_eq!(details["leftBehind"], left, "a use under an alias keeps its name: {preview}");
    preview.says("they keep the old name");
}

#[test]
fn no_move_is_offered_without_a_word_about_imports_that_it_leaves_behind() {
    let world = world();
    let tree = world.tree(SHOP);
    let mut able = capabilities();
    able["workspace"] = json!({"fileOperations": {"willRename": {"filters": []}}});
    let changes = json!({format!("file://{}", tree.at("shop.py").display()): [
        {"range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 9}}, "newText": "basket"},
    ]});
    let answers = json!({"workspace/willRenameFiles": [{"result": {"changes": changes}}]});
    stand_in(&world, "ty", &[json!({"capabilities": able, "answers": answers})]);
    let mut mcp = editor(&world, &tree);
    let by_path = mcp.call("edit_rename", json!({"target": "cart.py", "newName": "basket.py"}));
    assert!(
        by_path.ok()["diff"].as_str().is_some_and(|diff| diff.contains("rename to basket.py")),
        "{by_path}"
    );
    let preview = mcp.call("edit_rename", json!({"nodeId": "py:cart.py", "newName": "basket.py"}));
    let details = &preview.ok()["details"];
    assert_eq!(details["completeness"], "partial", "{preview}");
    assert_eq!(
        details["leftBehind"],
        json!([{"file": "other.py", "line": 1, "fromMap": "import"}]),
        "{preview}"
    );
    preview.says("they keep the old path");
}

#[test]
fn callers_that_the_map_is_sure_of_are_added_and_overloads_are_all_followed() {
    let world = world();
    let (_tree, mut mcp) = with(&world, SHOP, |tree| {
        let item = |name: &str, (file, line, col): (&str, u32, u32)| {
            let found = place(tree, file, line, col, 3);
            json!({"name": name, "kind": 12, "uri": found["uri"], "range": found["range"], "selectionRange": found["range"]})
        };
        let two = json!([item("total", TOTAL), item("total", ("cart.py", 2, 5))]);
        let called = |name: &str, at: (&str, u32, u32), line: u32| {
            let site = place(tree, at.0, line, 12, 5)["range"].clone();
            json!([{"from": item(name, at), "fromRanges": [site]}])
        };
        let pay = called("pay", ("shop.py", 3, 5), 4);
        let other = called("other", ("other.py", 3, 5), 4);
        json!({
            "textDocument/prepareCallHierarchy": [{"result": two}],
            "callHierarchy/incomingCalls": [{"result": pay}, {"result": other}],
        })
    });
    let found = ask(&mut mcp, "nav_callHierarchy", TOTAL);
    let shown = |call: &Value| format!("{} {}", call["name"].as_str().unwrap_or_default(), call["fromMap"]);
    let calls: Vec<String> = found.list("/calls").iter().map(shown).collect();
    assert_eq!(calls, ["pay null", "other null", "refund \"import\""], "{found}");
    assert_eq!(found.ok()["completeness"], "partial", "{found}");
    found.says("does not list 1 use of `total` in 1 file");
}

#[test]
fn a_hierarchy_says_whom_it_is_about() {
    let world = world();
    let (_tree, mut mcp) = with(&world, SHOP, |tree| {
        let name = place(tree, "shop.py", 3, 5, 3);
        let whole = json!({"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 20}});
        let pay = json!([{"name": "pay", "kind": 12, "uri": name["uri"], "range": whole, "selectionRange": name["range"]}]);
        json!({"textDocument/prepareCallHierarchy": [{"result": pay}], "callHierarchy/incomingCalls": [{"result": []}]})
    });
    let found = ask(&mut mcp, "nav_callHierarchy", ("shop.py", 4, 5));
    assert_eq!(found.ok()["root"]["name"], "pay", "{found}");
    found.says("No function is named at shop.py:4:5: this is about `pay`");
    ask(&mut mcp, "nav_callHierarchy", ("shop.py", 3, 6)).without_warnings();
}

#[test]
fn heirs_that_the_map_is_sure_of_are_added() {
    const HEIRS: &str = "//- /base.py\nclass Base: pass\n//- /heirs.py\nfrom base import Base\n\nclass One(Base):\n    pass\n\nclass Two(Base):\n    pass\n";
    let world = world();
    let (_tree, mut mcp) = with(
        &world,
        HEIRS,
        |tree| json!({"textDocument/implementation": [{"result": [place(tree, "heirs.py", 3, 7, 3)]}]}),
    );
    let found = ask(&mut mcp, "nav_implementations", ("base.py", 1, 7));
    assert_eq!(places(&found), ["heirs.py:3:7", "heirs.py:6:11 !import"], "{found}");
    assert_eq!(found.ok()["completeness"], "partial", "{found}");
}

/// Like gopls without Go.
#[test]
fn where_a_server_has_no_view_of_the_project_the_map_answers() {
    let world = world();
    let (_tree, mut mcp) = with(&world, SHOP, |_| {
        let refusal = json!([{"error": {"code": 0, "message": "no views"}}]);
        let asked =
            ["definition", "references", "hover", "implementation", "documentSymbol", "prepareCallHierarchy"];
        let all = asked.iter().map(|what| (format!("textDocument/{what}"), refusal.clone()));
        all.chain([("workspace/symbol".to_owned(), refusal.clone())]).collect()
    });
    let sure = |answer: &Answer| {
        assert_eq!(
            (&answer.ok()["source"], &answer.ok()["completeness"]),
            (&json!("map"), &json!("partial")),
            "{answer}"
        );
        answer.says("no views").says("The map answers instead");
    };
    let defined = ask(&mut mcp, "nav_definition", ("shop.py", 4, 13));
    sure(&defined);
    assert_eq!(places(&defined), ["cart.py:1:5 !import"], "{defined}");
    let used = ask(&mut mcp, "nav_references", TOTAL);
    sure(&used);
    assert_eq!(used.ok()["files"], 2, "{used}");
    let about = ask(&mut mcp, "nav_type", ("shop.py", 4, 13));
    sure(&about);
    assert_eq!(about.ok()["signature"], "def total(items)", "{about}");
    let outline = mcp.call("nav_symbols", json!({"file": "cart.py"}));
    sure(&outline);
    assert_eq!(outline.texts("/symbols", "name"), ["total", "LIMIT"], "{outline}");
    let named = mcp.call("nav_workspaceSymbols", json!({"query": "refund"}));
    sure(&named);
    assert_eq!(named.texts("/symbols", "file"), ["shop.py"], "{named}");
    let callers = ask(&mut mcp, "nav_callHierarchy", TOTAL);
    assert_eq!(callers.ok()["source"], "fallback-map", "{callers}");
    assert_eq!(ask(&mut mcp, "nav_implementations", TOTAL).ok()["completeness"], "unknown");
}

/// A parameter hides the function of the project with the same name. Facts do not record it, but the scopes of the file
/// do.
#[test]
fn a_local_name_is_found_by_the_scopes_of_its_file() {
    const LOCALS: &str = "\
//- /cart.py
def total(items):
    return sum(items)
//- /pay.py
def pay(total, price):
    price = price or 1
    return total * price
";
    let world = world();
    let (_tree, mut mcp) = with(&world, LOCALS, |_| {
        let refusal = json!([{"error": {"code": 0, "message": "no views"}}]);
        ["definition", "references", "hover"]
            .map(|what| (format!("textDocument/{what}"), refusal.clone()))
            .into_iter()
            .collect()
    });
    let defined = ask(&mut mcp, "nav_definition", ("pay.py", 3, 12));
    assert_eq!(places(&defined), ["pay.py:1:9 !exact"], "{defined}");
    assert_eq!(defined.ok()["source"], "map", "{defined}");
    let used = ask(&mut mcp, "nav_references", ("pay.py", 1, 9));
    assert!(places(&used).contains(&"pay.py:3:12 !exact".to_owned()), "{used}");
    assert!(places(&used).iter().all(|place| place.starts_with("pay.py")), "{used}");
    let elsewhere =
        mcp.call("nav_references", json!({"file": "pay.py", "line": 1, "col": 9, "paths": ["cart.py"]}));
    assert_eq!(places(&elsewhere), [""; 0], "{elsewhere}");
    let about = ask(&mut mcp, "nav_type", ("pay.py", 3, 20));
    assert_eq!(about.ok()["signature"], "def pay(total, price):", "{about}");
}

/// Without Go nothing can be built, but much can be read.
#[test]
fn the_real_gopls_without_go_leaves_the_answers_to_the_map() {
    let world = World::new().env("PATH", format!("{}:/usr/bin:/bin", debian::gopls_alone().display()));
    let tree = world.tree(
        "//- /go.mod\nmodule example.com/shop\n\ngo 1.19\n\
         //- /shop.go\npackage shop\n\nfunc Total(items []int) int { return len(items) }\n\
         //- /twice.go\npackage shop\n\nfunc Twice(items []int) int { return 2 * Total(items) }\n",
    );
    let mut mcp = world.mcp(&tree);
    let at = json!({"file": "shop.go", "line": 3});
    let used = mcp.call("nav_references", at.clone());
    assert_eq!(used.texts("/locations", "file"), ["twice.go"], "{used}");
    let callers = mcp.call("nav_callHierarchy", at.clone());
    assert_eq!(callers.texts("/calls", "name"), ["Twice"], "{callers}");
    let about = mcp.call("nav_type", at);
    assert_eq!(about.ok()["signature"], "func Total(items []int) int", "{about}");
    let defined = mcp.call("nav_definition", json!({"file": "twice.go", "line": 3, "col": 42}));
    assert_eq!(defined.texts("/locations", "file"), ["shop.go"], "{defined}");
    let outline = mcp.call("nav_symbols", json!({"file": "shop.go"}));
    assert_eq!(outline.texts("/symbols", "name"), ["Total"], "{outline}");
    let named = mcp.call("nav_workspaceSymbols", json!({"query": "Total"}));
    assert_eq!(named.texts("/symbols", "file"), ["shop.go"], "it says that there is none: {named}");
    for answer in [&used, &callers, &about, &defined, &outline, &named] {
        assert_eq!(answer.ok()["completeness"], "partial", "{answer}");
    }
    let wrong = mcp.call("nav_diagnostics", json!({"file": "shop.go"}));
    assert_eq!(wrong.ok()["complete"], false, "{wrong}");
}
