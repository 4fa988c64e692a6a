//! Tests columns: what is meant if no column is given, and that answers give the columns that questions take.

use hob_tests::{Answer, Mcp, World};
use serde_json::{Value, json};

use super::edit::{apply, editor, id};
use super::nav::{path_with, servers, ty_alone};

const TREE: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /shop.py
import sys


class Cart:
    items: list[int] = []

    @classmethod
    def total(cls, tax: int) -> int:
        whole = sum(cls.items)
        return whole

    # Nothing is here.


def cart() -> Cart:
    return Cart()
//- /use.py
from shop import cart

print(cart().total(1))
//- /src/shape.ts
export interface Shape { area(): number }
export const unit = 1, ten = 10;
export function sum(shapes: Shape[]) {
  return shapes;
}
";

/// Asks a question about a line without a column, and again with one.
#[track_caller]
fn both(mcp: &mut Mcp, tool: &str, (file, line, col): (&str, u32, u32)) -> (Answer, Answer) {
    let mut ask = |args: Value| mcp.call(tool, args);
    (ask(json!({"file": file, "line": line})), ask(json!({"file": file, "line": line, "col": col})))
}

/// Returns the server's part of an answer without its completeness, which may change while the server loads.
#[track_caller]
fn said(answer: &Answer) -> Value {
    let mut data = answer.ok().clone();
    data["completeness"].take();
    data
}

#[test]
fn without_a_column_the_name_that_the_line_defines_is_meant() {
    let world = servers();
    let tree = world.tree(TREE);
    let mut mcp = editor(&world, &tree);
    let places = [
        ("shop.py", 4, 7),
        ("shop.py", 8, 9),
        ("shop.py", 15, 5),
        ("src/shape.ts", 1, 18),
        ("src/shape.ts", 3, 17),
    ];
    for place in places {
        for tool in ["nav_references", "nav_definition", "nav_type"] {
            let (without, with) = both(&mut mcp, tool, place);
            assert_eq!(said(&without), said(&with), "{without}");
        }
    }
    let (callers, _) = both(&mut mcp, "nav_callHierarchy", places[2]);
    assert_eq!(callers.ok()["root"]["name"], "cart", "{callers}");
    let used = mcp.call("nav_references", json!({"file": "shop.py", "line": 8}));
    assert_eq!(used.ok()["total"], 1, "{used}");
    let renamed = mcp.call("edit_rename", json!({"file": "shop.py", "line": 15, "newName": "basket"}));
    assert_eq!(renamed.ok()["label"], "Rename `cart` to `basket` in 2 files", "{renamed}");
}

#[test]
fn without_a_definition_the_only_name_is_meant_and_several_are_listed() {
    let world = servers();
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let (only, with) = both(&mut mcp, "nav_definition", ("shop.py", 10, 16));
    assert_eq!(said(&only), said(&with), "{only}");
    assert_eq!(only.ok()["locations"][0]["line"], 9, "{only}");
    let mut refused = |tool: &str, file: &str, line: u32| {
        let answer = mcp.call(tool, json!({"file": file, "line": line}));
        answer.error("BAD_ARGS").clone()
    };
    let names = |error: &Value| {
        let all = error["candidates"].as_array().expect("a list").clone();
        all.iter()
            .map(|one| format!("{}:{}", one["name"].as_str().unwrap_or_default(), one["col"]))
            .collect::<Vec<_>>()
    };
    let several = refused("nav_references", "shop.py", 9);
    assert_eq!(names(&several), ["whole:9", "sum:17", "cls:21", "items:25"], "{several}");
    assert!(several["hint"].as_str().is_some_and(|hint| hint.contains("`col`")), "{several}");
    assert_eq!(names(&refused("nav_type", "src/shape.ts", 2)), ["unit:14", "ten:24"]);
    for line in [2, 12] {
        let nothing = refused("nav_definition", "shop.py", line);
        assert!(nothing["message"].as_str().is_some_and(|text| text.contains("No name")), "{nothing}");
    }
    for tool in ["nav_references", "nav_definition", "nav_type", "nav_callHierarchy", "resolve"] {
        let past = refused(tool, "use.py", 4);
        assert_eq!(past["lines"], 3, "{past}");
    }
    let past = mcp.call("nav_type", json!({"file": "use.py", "line": 4, "col": 1}));
    assert!(
        past.error("BAD_ARGS")["message"].as_str().is_some_and(|text| text.contains("3 lines")),
        "{past}"
    );
}

#[test]
fn resolve_takes_a_line_as_what_it_defines_or_lies_in() {
    let world = servers();
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    for (line, name) in [(4, "Cart"), (8, "Cart.total"), (9, "Cart.total"), (15, "cart")] {
        let answer = mcp.call("resolve", json!({"file": "shop.py", "line": line}));
        assert_eq!(answer.ok()["qualifiedName"], name, "line {line}: {answer}");
    }
}

/// A position that one tool prints can be given to another.
#[test]
fn answers_give_the_place_of_the_name() {
    let world = servers();
    let tree = world.tree(TREE);
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("map_search", json!({"query": "total"}));
    let hit = &found.ok()["results"][0];
    assert_eq!((&hit["line"], &hit["col"]), (&json!(8), &json!(9)), "{found}");
    let outline = mcp.call("nav_symbols", json!({"file": "shop.py"}));
    let method =
        outline.list("/symbols/0/children").iter().find(|one| one["name"] == "total").expect("listed");
    assert_eq!((&method["line"], &method["col"]), (&json!(8), &json!(9)), "{outline}");
    assert_eq!((&method["startLine"], &method["endLine"]), (&json!(7), &json!(10)), "{outline}");
    let class = &outline.ok()["symbols"][0];
    assert!(class["name"] == "Cart" && class.get("startLine").is_none(), "{outline}");
    let printed = world.hob(tree.root(), &["call", "map_search", "--query", "total"]).code(0);
    assert!(printed.stdout.starts_with("shop.py\n 8 method Cart.total"), "{printed}");
    let printed = world.hob(tree.root(), &["call", "nav_symbols", "--file", "shop.py"]).code(0);
    assert!(printed.stdout.contains("\n 8-10 method total\n"), "{printed}");
}

const MARKED: &[(&str, &str)] = &[
    ("mark.py", "\u{feff}def first(x): return x\nsecond = first(1)\n"),
    ("other.py", "from mark import first\nfirst(2)\n"),
    ("mark.ts", "\u{feff}export function first(x: number) { return x; }\nexport const second = first(1);\n"),
    ("other.ts", "import { first } from './mark';\nfirst(2);\n"),
    ("tsconfig.json", "{\"compilerOptions\": {\"strict\": true}}"),
];

/// A byte order mark is not text: for ripgrep, for editors and for servers the first column is the one after it.
#[test]
fn a_byte_order_mark_is_no_column_whoever_is_asked() {
    let (python, typescript) = (("mark.py", "other.py", (5, 10)), ("mark.ts", "other.ts", (17, 23)));
    let of_ty = World::new().env("PATH", path_with(&ty_alone()));
    for (world, files, renames) in [(servers(), vec![typescript], false), (of_ty, vec![python], true)] {
        let tree = world.tree("");
        MARKED.iter().for_each(|(name, text)| tree.write(name, text));
        let mut mcp = editor(&world, &tree);
        for (marked, other, (col, use_col)) in files {
            let at = |answer: &Answer, pointer: &str| {
                let place = answer.ok().pointer(pointer).cloned().unwrap_or_default();
                (place["line"].as_u64(), place["col"].as_u64())
            };
            let here = (Some(1), Some(col));
            let found = mcp.call("regex_search", json!({"pattern": "first", "path_prefix": marked}));
            assert_eq!(at(&found, "/matches/0"), here, "{found}");
            let known = mcp.call("map_search", json!({"query": "first", "pathPrefix": marked}));
            assert_eq!(at(&known, "/results/0"), here, "{known}");
            let outline = mcp.call("nav_symbols", json!({"file": marked}));
            assert_eq!(at(&outline, "/symbols/0"), here, "{outline}");
            let defined = mcp.call("nav_definition", json!({"file": other, "line": 2, "col": 1}));
            assert_eq!(at(&defined, "/locations/0"), here, "{defined}");
            let defined = mcp.call("nav_definition", json!({"file": marked, "line": 2, "col": use_col}));
            assert_eq!(at(&defined, "/locations/0"), here, "{defined}");
            let used = mcp.call("nav_references", json!({"file": marked, "line": 1, "col": col}));
            let here_too = used.list("/locations").iter().filter(|one| one["file"] == marked).count();
            assert_eq!(here_too, 1, "{used}");
        }
        if !renames {
            continue;
        }
        let renamed = mcp.call("edit_rename", json!({"file": "mark.py", "line": 1, "newName": "head"}));
        let _ = apply(&mut mcp, &id(&renamed)).ok();
        let text = "\u{feff}def head(x): return x\nsecond = head(1)\n";
        assert_eq!(tree.read("mark.py"), text, "the mark stays where it was");
    }
}

/// pyright and ty count the byte order mark of a file that they have read themselves.
#[test]
fn a_byte_order_mark_is_no_column_in_files_that_were_never_opened() {
    let files = [
        ("mark.py", "\u{feff}def first(x): return x\nsecond = first(1)\n"),
        ("user.py", "\u{feff}from mark import first\nfirst(3)\n"),
        ("other.py", "from mark import first\nfirst(2)\n"),
    ];
    for world in [servers(), World::new().env("PATH", path_with(&ty_alone()))] {
        let tree = world.tree("//- /pyproject.toml\n[project]\nname = \"shop\"\n");
        files.iter().for_each(|(name, text)| tree.write(name, text));
        let mut mcp = editor(&world, &tree);
        let used = json!({"file": "other.py", "line": 2, "col": 1});
        let defined = mcp.call("nav_definition", used.clone());
        let place = &defined.ok()["locations"][0];
        assert_eq!((&place["file"], &place["col"]), (&json!("mark.py"), &json!(5)), "{defined}");
        let mut question = used.clone();
        question["includeDeclaration"] = json!(true);
        let listed = mcp.call("nav_references", question);
        let on_first_lines: Vec<_> = listed
            .list("/locations")
            .iter()
            .filter(|one| one["line"] == 1)
            .map(|one| (one["file"].as_str().unwrap_or_default(), one["col"].as_u64()))
            .collect();
        let expected = [("mark.py", Some(5)), ("other.py", Some(18)), ("user.py", Some(18))];
        assert_eq!(on_first_lines, expected, "{listed}");
        let mut question = used.clone();
        question["newName"] = json!("head");
        let renamed = mcp.call("edit_rename", question);
        let _ = apply(&mut mcp, &id(&renamed)).ok();
        for (name, text) in files {
            assert_eq!(tree.read(name), text.replace("first", "head"), "{renamed}");
        }
    }
}
