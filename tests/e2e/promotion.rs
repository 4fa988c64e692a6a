//! Tests promotion: a reference that a language server confirmed becomes an edge of the map, as long as nothing that it
//! depends on changes.
//!
//! References are recorded only after the answer was given, so that the answer does not wait for it. The tests wait for
//! an edge that must appear, or, if none must appear, for another edge that is recorded later.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use hob_tests::{FOREVER, Mcp, Tree, World, binaries};
use serde_json::{Value, json};

use super::nav::{path_with, ty_alone};

const SHOP: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /cart.py
class Cart:
    def settle(self) -> int:
        return 1
//- /court.py
class Court:
    def settle(self) -> str:
        return ''
//- /make.py
from cart import Cart

def make():
    return Cart()
//- /main.py
from make import make

def pay():
    cart = make()
    return cart.settle()
//- /typed.py
from cart import Cart

def pay_typed(cart: Cart):
    first = [cart][0]
    return first.settle()
//- /court_use.py
from court import Court

def judge(courts: list[Court]):
    for court in courts:
        court.settle()
//- /elsewhere.py
def unrelated():
    return 0
";

fn world() -> World {
    World::new().env("PATH", path_with(&ty_alone()))
}

/// Returns the calls that a function makes, as `target confidence`.
fn calls(mcp: &mut Mcp, from: &str) -> Vec<String> {
    let args = json!({"nodeId": from, "direction": "out", "edgeKinds": ["calls"]});
    let answer = mcp.call("map_neighbors", args);
    let list = answer.ok()["neighbors"].as_array().expect("a list");
    let name = |id: &Value| id.as_str().unwrap_or_default().to_owned();
    let one = |found: &Value| format!("{} {}", name(&found["id"]), name(&found["confidence"]));
    list.iter().map(one).collect()
}

/// Waits for an edge that appears after an answer.
fn until(mcp: &mut Mcp, from: &str, wanted: &str) {
    let end = Instant::now() + FOREVER;
    loop {
        let found = calls(mcp, from);
        if found.contains(&wanted.to_owned()) {
            return;
        }
        assert!(Instant::now() < end, "{wanted}: {found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn references(mcp: &mut Mcp, node: &str) {
    let answer = mcp.call("nav_references", json!({"nodeId": node}));
    // The map follows what `make` returns, but ty does not. The places that the server did list count nevertheless.
    let word = answer.ok()["completeness"].as_str();
    assert!(matches!(word, Some("complete" | "partial")), "{answer}");
}

const TYPED: &str = "py:typed.py#pay_typed";
const LIVE: &str = "py:cart.py#Cart.settle live";

/// Returns a project whose calls of `Cart.settle` were confirmed.
fn confirmed(world: &World) -> (Tree, Mcp) {
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    assert!(calls(&mut mcp, TYPED).iter().all(|found| found.ends_with(" candidate")));
    references(&mut mcp, "py:cart.py#Cart.settle");
    until(&mut mcp, TYPED, LIVE);
    (tree, mcp)
}

#[test]
fn a_confirmed_call_is_a_live_edge_from_both_ends() {
    let world = world();
    let (_tree, mut mcp) = confirmed(&world);
    assert_eq!(calls(&mut mcp, TYPED), [LIVE], "the other candidate is gone");
    let args = json!({"nodeId": "py:cart.py#Cart.settle", "direction": "in", "edgeKinds": ["calls"]});
    let answer = mcp.call("map_neighbors", args.clone());
    let inbound = answer.ok()["neighbors"].as_array().expect("a list").clone();
    let caller = inbound.iter().find(|found| found["id"] == TYPED).expect("it calls");
    assert_eq!((&caller["confidence"], &caller["resolved"]), (&json!("live"), &json!(true)));
    assert_eq!(caller["sites"], json!([5]));
    let others = mcp.call("map_neighbors", json!({"nodeId": "py:court.py#Court.settle", "direction": "in"}));
    assert!(!others.envelope.to_string().contains("pay_typed"), "{others}");
    let path = mcp.call("map_path", json!({"from": TYPED, "to": "py:cart.py#Cart.settle"}));
    assert_eq!(path.ok()["length"], 1, "{path}");
    assert_eq!(path.ok()["edges"][0]["confidence"], "live", "{path}");
}

#[test]
fn a_definition_confirms_the_place_asked_about() {
    let world = world();
    let tree = world.tree(SHOP);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("nav_definition", json!({"file": "court_use.py", "line": 5, "col": 16}));
    assert_eq!(answer.ok()["locations"][0]["file"], "court.py", "{answer}");
    until(&mut mcp, "py:court_use.py#judge", "py:court.py#Court.settle live");
    assert!(
        calls(&mut mcp, TYPED).iter().all(|found| found.ends_with(" candidate")),
        "nobody asked about it"
    );
}

#[test]
fn an_edit_of_what_it_depends_on_ends_it_at_once() {
    for (file, ends) in [("typed.py", true), ("cart.py", true), ("elsewhere.py", false), ("court.py", false)]
    {
        let world = world();
        let (tree, mut mcp) = confirmed(&world);
        let text = fs::read_to_string(tree.at(file)).expect("it is there");
        tree.write(file, format!("{text}\n# changed\n"));
        let live = calls(&mut mcp, TYPED).contains(&LIVE.to_owned());
        assert_eq!(live, !ends, "{file}");
    }
}

/// The type of the receiver comes from a file between the call and the definition.
#[test]
fn a_file_between_the_two_counts_as_well() {
    let world = world();
    let tree = world.tree(SHOP);
    tree.write("make.py", "from cart import Cart\n\ndef make() -> Cart:\n    return Cart()\n");
    let mut mcp = world.mcp(&tree);
    let (from, live) = ("py:main.py#pay", LIVE.to_owned());
    references(&mut mcp, "py:cart.py#Cart.settle");
    until(&mut mcp, from, LIVE);
    tree.write("make.py", "from court import Court\n\ndef make() -> Court:\n    return Court()\n");
    assert!(!calls(&mut mcp, from).contains(&live), "it is another `settle` now");
    references(&mut mcp, "py:court.py#Court.settle");
    until(&mut mcp, from, "py:court.py#Court.settle live");
}

#[test]
fn it_survives_the_daemon_and_serves_a_copy_of_the_project() {
    let world = world();
    let (tree, mut mcp) = confirmed(&world);
    drop(mcp);
    world.stop();
    // No server is asked this time.
    mcp = world.mcp(&tree);
    assert_eq!(calls(&mut mcp, TYPED), [LIVE]);
    let copy = Tree::new(&world.path("copy"), SHOP);
    assert_eq!(calls(&mut world.mcp(&copy), TYPED), [LIVE], "the same contents elsewhere");
    drop(mcp);
    world.stop();
    tree.write("cart.py", "class Cart:\n    def settle(self, now=True) -> int:\n        return 1\n");
    assert!(
        !calls(&mut world.mcp(&tree), TYPED).contains(&LIVE.to_owned()),
        "it changed while nobody looked"
    );
    assert_eq!(calls(&mut world.mcp(&copy), TYPED), [LIVE], "the copy did not");
}

/// Returns a world with a scripted server that gives these answers under the name of a real one.
fn liar(name: &str, answers: &Value) -> World {
    let world = World::new();
    let folder = world.path("bin");
    fs::create_dir(&folder).expect("a folder");
    let able = ["definition", "references", "documentSymbol"];
    let capabilities: Value = able.iter().map(|what| (format!("{what}Provider"), json!(true))).collect();
    let script = json!({"capabilities": capabilities, "answers": answers});
    let fake = binaries().join("fake-lsp");
    let text = format!(
        "#!/bin/sh\ncase \"$1\" in --version|version) echo 'ty 9.0.0'; exit 0;; esac\nexec '{}' '{script}'\n",
        fake.display()
    );
    let program = folder.join(name);
    fs::write(&program, text).expect("it can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    world.env("PATH", path)
}

fn place(tree: &Tree, file: &str, (line, col): (u32, u32)) -> Value {
    let at = |col: u32| json!({"line": line - 1, "character": col - 1});
    let uri = format!("file://{}", tree.at(file).display());
    json!({"uri": uri, "range": {"start": at(col), "end": at(col + 6)}})
}

/// Returns the edges of `pay_typed` after a false answer, followed by a true one about another file.
fn after_lies(lies: &dyn Fn(&Tree) -> Vec<Value>) -> Vec<String> {
    // The path of the tree must be known before the server is made, because its answers contain absolute links.
    let holder = World::new();
    let tree = holder.tree(SHOP);
    let honest = place(&tree, "court.py", (2, 9));
    let answers = json!({
        "textDocument/references": [{"result": lies(&tree)}],
        "textDocument/definition": [{"result": [honest]}],
    });
    let world = liar("ty", &answers);
    let mut mcp = world.mcp(&tree);
    let before = calls(&mut mcp, TYPED);
    let _ = mcp.call("nav_references", json!({"nodeId": "py:cart.py#Cart.settle"}));
    let asked = mcp.call("nav_definition", json!({"file": "court_use.py", "line": 5, "col": 16}));
    assert_eq!(asked.ok()["completeness"], "complete", "{asked}");
    until(&mut mcp, "py:court_use.py#judge", "py:court.py#Court.settle live");
    let after = calls(&mut mcp, TYPED);
    if before == after { Vec::new() } else { after }
}

#[test]
fn places_where_the_map_has_no_such_reference_change_nothing() {
    let beside = |tree: &Tree| {
        let places = [(5, 11), (5, 18), (4, 5), (3, 5), (1, 1), (900, 1), (5, 900)];
        places.iter().map(|at| place(tree, "typed.py", *at)).collect()
    };
    assert_eq!(after_lies(&beside), Vec::<String>::new());
}

/// Pyright reports when it has read the project, but this server never does.
#[test]
fn an_answer_that_may_lack_something_promotes_nothing() {
    let holder = World::new();
    let tree = holder.tree(SHOP);
    let right = json!({"result": [place(&tree, "typed.py", (5, 18))]});
    let world = liar("pyright-langserver", &json!({"textDocument/references": [right]}));
    let mut mcp = world.mcp(&tree);
    let before = calls(&mut mcp, TYPED);
    for _ in 0..3 {
        let answer = mcp.call("nav_references", json!({"nodeId": "py:cart.py#Cart.settle"}));
        assert_eq!(
            (&answer.ok()["completeness"], &answer.ok()["total"]),
            (&json!("unknown"), &json!(2)),
            "{answer}"
        );
        assert_eq!(calls(&mut mcp, TYPED), before);
    }
}

#[test]
fn an_answer_with_two_definitions_proves_nothing() {
    let both = |tree: &Tree| vec![place(tree, "typed.py", (5, 18)), place(tree, "court.py", (2, 9))];
    assert_eq!(after_lies(&both), Vec::<String>::new());
    let right = |tree: &Tree| vec![place(tree, "typed.py", (5, 18))];
    assert_eq!(after_lies(&right), [LIVE], "the same without the second");
}
