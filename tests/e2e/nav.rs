//! Tests questions that language servers answer, on projects that are small enough to know the answers.
//!
//! `oracle` shows on real projects that the answers are those of the servers.

use std::path::PathBuf;

use hob_tests::{Mcp, World, outside};
use serde_json::{Value, json};

const PYTHON: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /shop/__init__.py
from .cart import Cart
//- /shop/base.py
class Priced:
    def price(self) -> int:
        \"\"\"What it costs.\"\"\"
        return 0

def total(items: list[Priced]) -> int:
    return sum(item.price() for item in items)
//- /shop/cart.py
from .base import Priced, total

class Book(Priced):
    def price(self) -> int:
        return 12

class Cart:
    def __init__(self) -> None:
        self.items: list[Priced] = []

    def add(self, item: Priced) -> None:
        self.items.append(item)

    def sum(self) -> int:
        return total(self.items)
//- /main.py
from shop import Cart
from shop.cart import Book

def main() -> None:
    cart = Cart()
    cart.add(Book())
    print(cart.sum())
";

const TYPESCRIPT: &str = "\
//- /tsconfig.json
{\"compilerOptions\": {\"strict\": true}}
//- /src/shape.ts
export interface Shape { area(): number }
export class Square implements Shape {
  constructor(private side: number) {}
  area() { return this.side * this.side; }
}
export function sum(shapes: Shape[]) { return shapes.reduce((all, one) => all + one.area(), 0); }
//- /src/main.ts
import { Square, sum } from './shape';
const squares = [new Square(1), new Square(2)];
console.log(sum(squares), squares[0].area());
";

/// Returns a `PATH` with these folders in front.
pub(super) fn path_with(folders: &[PathBuf]) -> String {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).expect("plain paths").into_string().expect("plain paths")
}

pub(super) fn servers() -> World {
    World::new().env("PATH", path_with(outside::servers()))
}

/// Returns the folders of the servers without pyright, so that ty serves Python.
pub(super) fn ty_alone() -> Vec<PathBuf> {
    outside::servers().iter().filter(|folder| folder.ends_with("venv/bin")).cloned().collect()
}

fn places(answer: &Value) -> Vec<String> {
    let locations = answer["locations"].as_array().expect("a list");
    let one =
        |at: &Value| format!("{}:{}:{}", at["file"].as_str().unwrap_or_default(), at["line"], at["col"]);
    locations.iter().map(one).collect()
}

#[test]
fn every_question_has_its_answer() {
    let world = servers();
    let tree = world.tree(PYTHON);
    let mut mcp = world.mcp(&tree);
    let price = json!({"nodeId": "py:shop/base.py#Priced.price"});
    let defined = mcp.call("nav_definition", json!({"file": "main.py", "line": 6, "col": 10}));
    assert_eq!(places(defined.ok()), ["shop/cart.py:11:9"], "{defined}");
    assert_eq!(defined.ok()["locations"][0]["snippet"], "def add(self, item: Priced) -> None:");
    let about = mcp.call("nav_type", price.clone());
    assert!(about.ok()["signature"].as_str().is_some_and(|text| text.contains("price")), "{about}");
    assert!(about.ok()["docs"].as_str().is_some_and(|text| text.contains("What it costs.")), "{about}");
    let outline = mcp.call("nav_symbols", json!({"file": "shop/cart.py"}));
    assert_eq!(outline.texts("/symbols", "name"), ["Book", "Cart"], "{outline}");
    assert_eq!(outline.ok()["symbols"][1]["children"][0]["name"], "__init__", "{outline}");
    let callers = mcp.call("nav_callHierarchy", json!({"file": "shop/base.py", "line": 7, "col": 5}));
    assert_eq!(callers.ok()["root"]["name"], "total", "from the body to the function around it: {callers}");
    assert_eq!(callers.texts("/calls", "name"), ["sum"], "{callers}");
    let found = mcp.call("nav_workspaceSymbols", json!({"query": "Cart"}));
    assert_eq!(found.ok()["symbols"][0]["name"], "Cart", "{found}");
    let filtered =
        mcp.call("nav_references", json!({"nodeId": "py:shop/base.py#Priced", "fileFilter": "*cart*"}));
    assert_eq!(filtered.ok()["files"], 1, "{filtered}");
    let total = filtered.ok()["total"].as_u64().expect("a number");
    assert_eq!(total as usize, filtered.list("/locations").len(), "{filtered}");
}

#[test]
fn eight_agents_share_one_server() {
    let world = servers();
    let tree = world.tree(TYPESCRIPT);
    let mut agents: Vec<Mcp> = (0..8).map(|_| world.mcp(&tree)).collect();
    let ids: Vec<u64> = agents
        .iter_mut()
        .map(|agent| agent.send_call("nav_type", &json!({"nodeId": "ts:src/shape.ts#sum"})))
        .collect();
    for (agent, id) in agents.iter_mut().zip(ids) {
        let answer = agent.wait_call(id, "nav_type", json!({}));
        assert!(answer.ok()["signature"].as_str().is_some_and(|text| text.contains("sum")), "{answer}");
    }
    let status = agents[0].call("map_status", json!({}));
    let servers = status.ok()["lsp"].as_object().expect("servers by name");
    assert_eq!(servers.len(), 1, "{status}");
    assert_eq!(servers["typescript"]["state"], "ready", "{status}");
}

#[test]
fn what_goes_wrong_is_said() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree("//- /a.py\ndef f(): pass\n//- /b.zig\nconst x = 1;\n");
    let mut mcp = world.mcp(&tree);
    let mut ask = |args: Value| mcp.call("nav_references", args);
    let none = ask(json!({"file": "a.py", "line": 1, "col": 5}));
    assert!(
        none.error("LSP_UNAVAILABLE")["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("npm install -g pyright"))
    );
    assert!(none.warnings().is_empty(), "{none}");
    assert!(!ask(json!({"file": "b.zig", "line": 1})).error("LSP_UNAVAILABLE")["message"].is_null());
    assert!(!ask(json!({"file": "a.py"})).error("BAD_ARGS")["message"].is_null());
    assert!(!ask(json!({})).error("BAD_ARGS")["message"].is_null());
    assert!(
        !ask(json!({"file": "a.py", "line": 1, "nodeId": "py:a.py#f"})).error("BAD_ARGS")["message"]
            .is_null()
    );
    assert!(!ask(json!({"file": "gone.py", "line": 1})).error("FILE_DELETED")["message"].is_null());
    assert!(!ask(json!({"nodeId": "py:a.py#g"})).error("NODE_NOT_FOUND")["message"].is_null());
    assert!(!ask(json!({"nodeId": "a.py"})).error("BAD_ARGS")["message"].is_null());
    assert!(!ask(json!({"file": "../a.py", "line": 1})).error("OUTSIDE_WORKSPACE")["message"].is_null());
    assert!(
        !ask(json!({"file": "a.py", "line": 1, "fileFilter": "a["})).error("BAD_PATTERN")["message"]
            .is_null()
    );
}

/// Half of the frameworks name routes like this. What is not allowed in a URI is escaped, and unescaped where a server
/// has not done so.
#[test]
fn files_and_folders_may_be_called_anything() {
    let names = "app/[id]/(group)/a|b^{c} `d`";
    for (world, ending, text) in [
        (servers(), "ts", "export function first() { return 1; }\nfirst();\n"),
        (servers(), "py", "def first(): return 1\nfirst()\n"),
        (World::new().env("PATH", path_with(&ty_alone())), "py", "def first(): return 1\nfirst()\n"),
    ] {
        let (file, other) = (format!("{names}.{ending}"), format!("plain.{ending}"));
        let tree = world.tree("//- /tsconfig.json\n{}\n//- /other/tsconfig.json\n{}\n");
        tree.write(&file, text);
        tree.write(&format!("other/[[...all]].{ending}"), text);
        tree.write(&other, text);
        let mut mcp = world.mcp(&tree);
        for path in [&file, &other] {
            let defined = mcp.call("nav_definition", json!({"file": path, "line": 2, "col": 1}));
            assert_eq!(defined.texts("/locations", "file"), [path], "{defined}");
            let used = mcp.call("nav_references", json!({"file": path, "line": 1}));
            assert_eq!(
                (&used.ok()["total"], used.texts("/locations", "file")),
                (&json!(1), vec![path.as_str()]),
                "{used}"
            );
        }
        let wrong = mcp.call("nav_diagnostics", json!({"file": file, "severity": "error"}));
        assert_eq!(wrong.ok()["complete"], true, "{wrong}");
    }
}
