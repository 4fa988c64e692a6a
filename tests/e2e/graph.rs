//! Tests `hob graph`: the page, whose script is run by node, and the image. `tests/bench/graph_page.mjs` shows it in a
//! real browser.

use std::path::Path;
use std::process::Command;

use hob_tests::{Tree, World, repository};
use serde_json::{Value, json};

use super::many::git;

const PROJECT: &str = r#"
//- /core/store.py
class Store:
    """Keeps things."""

    def save(self):
        return flush()


def flush():
    return 1
//- /app/main.py
from core.store import Store


def start():
    store = Store()
    store.save()


def stop():
    start()
//- /test_app.py
from app.main import start


def test_start():
    start()
"#;

/// Writes the page of a tree. Returns its text, and what node reads from it.
#[track_caller]
fn page_of(world: &World, tree: &Tree, options: &[&str], words: &[&str]) -> (String, Value) {
    let page = world.path("page.html");
    let shown = page.display().to_string();
    let said = world.hob(tree.root(), &[&["graph", "--out", &shown], options].concat()).success();
    assert!(said.contains("page.html") && said.contains("symbol"), "{said}");
    let script = repository().join("tests/clients/graph_page.mjs");
    let output = Command::new("node").arg(script).arg(&page).args(words).output().expect("node runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    let read = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    (std::fs::read_to_string(&page).expect("written"), read)
}

#[test]
fn the_page_finds_a_symbol_with_its_callers_callees_and_source() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let (_, read) = page_of(&world, &tree, &[], &["start", "flush", "main.py"]);
    assert_eq!((&read["problems"], &read["files"]), (&json!([]), &json!(3)), "{read}");
    let start = &read["answers"]["start"];
    assert_eq!(start["first"][0], "start");
    let ids =
        |list: &Value| list.as_array().expect("a list").iter().map(Value::to_string).collect::<String>();
    let (users, uses) = (ids(&start["users"]), ids(&start["uses"]));
    assert!(users.contains("app/main.py#stop") && users.contains("test_app.py#test_start"), "{users}");
    assert!(uses.contains("#Store\"") && uses.contains("#Store.save") && !uses.contains("#stop"), "{uses}");
    assert_eq!(start["preview"], "def start():\n    store = Store()\n    store.save()");
    assert!(start["useLines"].to_string().contains("[10,\"start()\"]"), "{}", start["useLines"]);
    let open = start["open"].as_str().expect("an address");
    assert!(open.starts_with("vscode://file/") && open.ends_with("/app/main.py:4"), "{open}");
    assert_eq!(read["answers"]["main.py"]["first"][0], "app/main.py");
    assert!(read["answers"]["flush"]["users"].to_string().contains("Store.save"), "{read}");
}

#[test]
fn files_are_as_hot_as_commits_changed_them() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let refused = world.hob(tree.root(), &["graph", "--heat"]).code(1);
    assert!(refused.stderr.contains("no git repository"), "{refused}");
    git(&world, tree.root(), "init -q -b main");
    for text in ["def flush():\n    return 2\n", "def flush():\n    return 3\n"] {
        git(&world, tree.root(), "add -A");
        git(&world, tree.root(), "commit -q -m one");
        tree.write("core/store.py", text);
    }
    let (_, read) = page_of(&world, &tree, &["--heat", "30"], &[]);
    let at = read["paths"].as_array().expect("a list").iter().position(|path| path == "core/store.py");
    assert_eq!(read["heat"][at.expect("listed")], 1, "{read}");
    assert_eq!(
        read["heat"].as_array().map(|all| all.iter().filter(|one| **one == 0).count()),
        Some(2),
        "{read}"
    );
}

/// Returns a tree with names, docs and paths that would do harm if they were taken for markup.
fn hostile(world: &World) -> Tree {
    let tree =
        world.tree("//- /ok.py\ndef fine():\n    \"\"\"</script><script>window.hacked=1</script>\"\"\"\n");
    tree.write("a<img src=x onerror=window.hacked=2>.py", "def f():\n    pass\n");
    tree.write("dir\"><svg onload=window.hacked=3>/b.py", "def g(x=\"<!--<script>\"):\n    '''--><b>'''\n");
    tree.write(
        "notes.md",
        "# <img src=x onerror=window.hacked=4> & \u{2028} ${alert(1)} `]]>\n\n[l](ok.py)\n",
    );
    tree.write("c.js", "export class A { ['<iframe src=\"javascript:window.hacked=5\">']() {} }\n");
    tree
}

#[test]
fn what_a_hostile_project_is_called_stays_text() {
    let world = World::new();
    let tree = hostile(&world);
    let (html, read) = page_of(&world, &tree, &[], &["onerror", "iframe"]);
    for markup in ["<img", "<iframe", "<svg", "<script>window", "<!--", "\u{2028}", "hacked"] {
        assert!(!html.contains(markup), "{markup}");
    }
    assert_eq!(read["problems"], json!([]), "{read}");
    let first = &read["answers"]["onerror"]["first"];
    assert!(
        first.to_string().contains("<img src=x onerror=window.hacked=2>"),
        "it is as it is written: {first}"
    );
    let svg = image(&world, &tree, "hostile.svg");
    assert!(
        !svg.contains("<img") && !svg.contains("onload=window.hacked=3>") && !svg.contains("<script"),
        "{svg}"
    );
}

#[track_caller]
fn image(world: &World, tree: &Tree, name: &str) -> String {
    let file = world.path(name);
    let _ = world.hob(tree.root(), &["graph", "--svg", &file.display().to_string()]).success();
    std::fs::read_to_string(file).expect("written")
}

#[test]
fn an_image_is_the_same_every_time() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let first = image(&world, &tree, "one.svg");
    assert!(
        first.starts_with("<svg xmlns=") && first.contains(">start<") && first.contains("<circle"),
        "{first}"
    );
    let second = image(&world, &tree, "two.svg");
    let picture = |svg: &str| {
        svg.lines().filter(|line| !line.starts_with("<title>")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(picture(&first), picture(&second));
    let copy = Tree::new(&world.path("again/ws"), PROJECT);
    assert_eq!(picture(&first), picture(&image(&world, &copy, "three.svg")), "whichever folder it lies in");
}

#[test]
fn the_command_says_where_it_wrote_and_what() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let said = world.hob(tree.root(), &["graph", "--json"]).success();
    let written: Value = serde_json::from_str(&said).expect("one JSON value");
    let page = written["out"].as_str().expect("a path");
    assert!(Path::new(page).starts_with(world.dir()), "a folder of hob's own, not the project: {page}");
    assert!(std::fs::read_to_string(page).is_ok_and(|html| html.starts_with("<!doctype html>")), "{page}");
    assert_eq!((&written["files"], &written["svg"]), (&json!(3), &Value::Null), "{said}");
    assert!(written["symbols"].as_u64() >= Some(6), "{said}");
    let refused = world.hob(tree.root(), &["graph", "--out", "/dev/null/x.html"]).code(2);
    assert!(refused.stderr.contains("/dev/null/x.html"), "{refused}");
    let nowhere = world.hob(tree.root(), &["--root", "/no/such/place", "graph"]).code(1);
    assert!(nowhere.stderr.contains("/no/such/place"), "{nowhere}");
    let help = world.hob(tree.root(), &["graph", "--help"]).success();
    assert!(["--out", "--svg", "--heat", "--open"].iter().all(|option| help.contains(option)), "{help}");
    let listed = world.hob(tree.root(), &["tools"]).success();
    assert!(!listed.contains("hob_graph") && listed.contains("flow_trace"), "{listed}");
}

/// A project of several thousand symbols: the best connected ones are drawn, all can be found, and everything left out
/// is reported.
#[test]
fn many_symbols_are_all_there() {
    let world = World::new();
    let tree = world.tree("//- /hub.py\ndef hub():\n    return 1\n");
    for file in 0..40 {
        let defs =
            (0..100).map(|n| format!("def work_{file}_{n}():\n    return hub()\n")).collect::<String>();
        tree.write(&format!("part{}/m{file}.py", file % 4), format!("from hub import hub\n{defs}"));
    }
    let (html, read) = page_of(&world, &tree, &[], &["work_", "hub"]);
    assert!(html.len() < 1_000_000, "{}", html.len());
    assert_eq!((&read["problems"], &read["drawn"]), (&json!([]), &json!(3_000)), "{read}");
    assert!(
        read["notes"][0].as_str().is_some_and(|note| note.contains("search finds all of these 4,001")),
        "{}",
        read["notes"]
    );
    assert_eq!(read["answers"]["work_"]["matches"], 4_000);
    let hub = &read["answers"]["hub"];
    assert_eq!(
        (&hub["first"][0], hub["users"].as_array().map(Vec::len)),
        (&json!("hub"), Some(4_040)),
        "calls and imports"
    );
    let count = |which: &str| read["labels"][which].as_u64().expect("a number");
    assert!(count("fewest") < 60 && count("most") > 1_000, "labels come with nearness: {}", read["labels"]);
}
