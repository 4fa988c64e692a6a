//! Tests `change_impact` and `hob review` on a small git repository: every kind of change, and every way to name one.

use std::path::Path;

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::{Value, json};

use super::many::git;

const PROJECT: &str = "\
//- /shop/store.py
import os


class Store:
    \"\"\"Keeps what a shop sells.\"\"\"

    def open(self, path):
        self.path = path
        return self.load(path)

    def load(self, path):
        return path.strip()


class Cached(Store):
    def load(self, path):
        return super().load(path) or None


def total(items):
    amount = 0
    for item in items:
        amount += item.price * item.count
    return amount


def unused(a):
    return a
//- /shop/app.py
from shop.store import Cached, total


def main():
    store = Cached()
    store.open('a')
    return total([])


def again():
    return main()
//- /tests/test_store.py
from shop.store import Store, total


def test_open():
    assert Store().open('a') == 'a'


def test_total():
    assert total([]) == 0
";

/// Returns the project with one commit on `main`.
fn repository(world: &World) -> Tree {
    let tree = world.tree(PROJECT);
    git(world, tree.root(), "init -q -b main");
    git(world, tree.root(), "add -A");
    git(world, tree.root(), "commit -q -m first");
    tree
}

fn read(tree: &Tree, path: &str) -> String {
    std::fs::read_to_string(tree.at(path)).expect("a file of the project")
}

/// Replaces a text in a file.
#[track_caller]
fn edit(tree: &Tree, path: &str, from: &str, to: &str) {
    let text = read(tree, path);
    assert!(text.contains(from), "{path} has {from}");
    tree.write(path, text.replace(from, to));
}

/// Returns `name: change parts` for every symbol, sorted.
fn changes(answer: &Answer) -> Vec<String> {
    let mut told: Vec<String> = answer.list("/symbols").iter().map(told).collect();
    told.sort();
    told
}

fn told(symbol: &Value) -> String {
    let text = |field: &str| symbol[field].as_str().unwrap_or_default().to_owned();
    let parts: Vec<&str> =
        symbol["parts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    format!("{} {} {}", text("name"), text("change"), parts.join("+")).trim().to_owned()
}

fn symbol<'a>(answer: &'a Answer, name: &str) -> &'a Value {
    let found = answer.list("/symbols").iter().find(|symbol| symbol["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}{answer}"))
}

/// Returns `file:line` for every use of a symbol that no longer fits.
fn broken(symbol: &Value) -> Vec<String> {
    let used = symbol["broken"].as_array().into_iter().flatten();
    used.map(|used| {
        format!(
            "{}:{} {}",
            used["file"].as_str().unwrap_or_default(),
            used["line"],
            used["why"].as_str().unwrap_or_default()
        )
    })
    .collect()
}

#[track_caller]
fn review(mcp: &mut Mcp, args: Value) -> Answer {
    let answer = mcp.call("change_impact", args);
    let _ = answer.ok();
    answer
}

#[test]
fn nothing_changed_is_an_answer() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    for change in ["worktree", "staged", "HEAD..HEAD"] {
        let answer = review(&mut mcp, json!({"change": change}));
        assert_eq!(
            answer.ok()["counts"],
            json!({"symbols": 0, "files": 0, "broken": 0, "tests": 0}),
            "{answer}"
        );
    }
    assert!(mcp.read("change_impact", json!({})).starts_with("no file differs (working tree against HEAD "));
}

#[test]
fn a_signature_that_callers_do_not_fit_comes_first() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    edit(&tree, "shop/store.py", "def total(items):", "def total(items, currency):");
    edit(&tree, "shop/store.py", "return a\n", "return a + 1\n");
    edit(&tree, "shop/store.py", "Keeps what", "Keeps all that");
    let answer = review(&mut mcp, json!({}));
    assert_eq!(
        changes(&answer),
        ["Store changed docs", "total changed signature", "unused changed body"],
        "{answer}"
    );
    let first = &answer.list("/symbols")[0];
    assert_eq!((&first["name"], &first["risk"]), (&json!("total"), &json!("breaks")), "{answer}");
    assert_eq!(
        broken(first),
        ["shop/app.py:7 passes 1, takes 2", "tests/test_store.py:9 passes 1, takes 2"],
        "{answer}"
    );
    assert_eq!(
        (&first["before"], &first["after"]),
        (&json!("def total(items)"), &json!("def total(items, currency)"))
    );
    assert_eq!(first["tests"], json!(["py:tests/test_store.py#test_total"]), "{answer}");
    assert_eq!(first["users"][0]["uid"], "py:shop/app.py#main", "{answer}");
    assert_eq!(symbol(&answer, "unused")["risk"], "local", "{answer}");
    assert_eq!(symbol(&answer, "Store")["risk"], "docs", "{answer}");
    edit(&tree, "shop/store.py", "currency):", "currency='eur'):");
    let fits = review(&mut mcp, json!({}));
    assert_eq!(symbol(&fits, "total")["risk"], "interface", "a default is no break{fits}");
}

#[test]
fn what_is_removed_renamed_or_moved_says_who_still_uses_it() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    edit(&tree, "shop/store.py", "def total(", "def amount_of(");
    let renamed = review(&mut mcp, json!({}));
    assert_eq!(changes(&renamed), ["amount_of renamed"], "{renamed}");
    let lost = broken(symbol(&renamed, "amount_of"));
    assert!(lost.contains(&"shop/app.py:1 uses the old name `total`".to_owned()), "the import{renamed}");
    assert!(lost.contains(&"shop/app.py:7 uses the old name `total`".to_owned()), "the call{renamed}");
    edit(&tree, "shop/app.py", "total", "amount_of");
    let half = review(&mut mcp, json!({}));
    let lost = broken(symbol(&half, "amount_of"));
    assert!(!lost.is_empty() && lost.iter().all(|used| used.starts_with("tests/test_store.py:")), "{half}");

    git(&world, tree.root(), "checkout -q .");
    let text = read(&tree, "shop/store.py");
    let at = text.find("def total(").expect("it is there");
    let end = text.find("def unused(").expect("it is there");
    tree.write("shop/money.py", &text[at..end]);
    tree.write("shop/store.py", format!("{}{}", &text[..at], &text[end..]));
    let moved = review(&mut mcp, json!({}));
    assert_eq!(changes(&moved), ["total moved"], "{moved}");
    let total = symbol(&moved, "total");
    assert_eq!(
        (&total["file"], &total["was"]),
        (&json!("shop/money.py"), &json!("shop/store.py#total")),
        "{moved}"
    );
    assert!(broken(total).contains(&"shop/app.py:1 expects it in shop/store.py".to_owned()), "{moved}");
    edit(&tree, "shop/store.py", "import os\n", "import os\n\nfrom shop.money import total\n");
    let offered = review(&mut mcp, json!({}));
    assert_eq!(broken(symbol(&offered, "total")), [""; 0], "the old place still offers it{offered}");

    git(&world, tree.root(), "checkout -q .");
    edit(&tree, "shop/app.py", "import Cached, total", "import Cached\nfrom elsewhere import total");
    let rebound = review(&mut mcp, json!({}));
    let lost = broken(symbol(&rebound, "total"));
    assert!(lost.iter().all(|used| used.starts_with("tests/")), "a library has it now{rebound}");

    git(&world, tree.root(), "checkout -q .");
    std::fs::remove_file(tree.at("shop/money.py")).expect("it is there");
    let text = read(&tree, "shop/store.py");
    tree.write("shop/store.py", format!("{}{}", &text[..at], &text[end..]));
    let removed = review(&mut mcp, json!({}));
    assert_eq!(changes(&removed), ["total removed"], "{removed}");
    assert_eq!(symbol(&removed, "total").get("uid"), None, "{removed}");
    assert!(
        broken(symbol(&removed, "total")).contains(&"shop/app.py:7 uses what is removed".to_owned()),
        "{removed}"
    );
}

#[test]
fn a_key_of_an_object_is_not_missed_by_whoever_shares_its_name() {
    let world = World::new();
    let tree = world.tree(
        "//- /a.test.mjs\nconst valid = { base: 1, title: 'x' };\nuse(valid.title);\n\
         //- /b.js\nexport function f(v) {\n    return v.base;\n}\n",
    );
    git(&world, tree.root(), "init -q -b main");
    git(&world, tree.root(), "add -A");
    git(&world, tree.root(), "commit -q -m first");
    let mut mcp = world.mcp(&tree);
    tree.write("a.test.mjs", "use(1);\n");
    let answer = review(&mut mcp, json!({}));
    assert_eq!(symbol(&answer, "valid")["change"], "removed", "{answer}");
    assert_eq!(broken(symbol(&answer, "valid")), [""; 0], "{answer}");
}

#[test]
fn overriding_methods_and_their_callers_depend_on_a_method() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    edit(
        &tree,
        "shop/store.py",
        "def load(self, path):\n        return path.strip()",
        "def load(self, path, strict):\n        return path.strip()",
    );
    let stricter = review(&mut mcp, json!({}));
    let broken = broken(symbol(&stricter, "Store.load"));
    assert_eq!(
        broken,
        [
            "shop/store.py:9 passes 1, takes 2",
            "shop/store.py:16 overrides it and takes 1",
            "shop/store.py:17 passes 1, takes 2"
        ],
        "{stricter}"
    );
    git(&world, tree.root(), "checkout -q .");
    edit(&tree, "shop/store.py", "return path.strip()", "return path.strip().lower()");
    let answer = review(&mut mcp, json!({}));
    assert_eq!(changes(&answer), ["Store.load changed body"], "{answer}");
    let load = symbol(&answer, "Store.load");
    assert_eq!(load["risk"], "behaviour", "{answer}");
    let users: Vec<&str> =
        load["users"].as_array().into_iter().flatten().filter_map(|user| user["uid"].as_str()).collect();
    assert!(
        users.contains(&"py:shop/store.py#Cached.load") && users.contains(&"py:shop/store.py#Store.open"),
        "{answer}"
    );
    assert_eq!(answer.ok()["tests"], json!(["py:tests/test_store.py#test_open"]), "{answer}");
}

#[test]
fn a_new_class_is_one_symbol_with_members_and_files_say_what_else_differs() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    tree.write(
        "shop/new.py",
        "class New:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n",
    );
    edit(&tree, "shop/store.py", "import os", "import re");
    tree.write("logo.bin", "a\0b");
    tree.write("words.txt", "hello\n");
    let answer = review(&mut mcp, json!({}));
    assert_eq!(changes(&answer), ["New added"], "{answer}");
    assert_eq!(symbol(&answer, "New")["members"], 2, "{answer}");
    let notes: Vec<(&str, &str)> = answer
        .list("/files")
        .iter()
        .map(|file| (file["file"].as_str().unwrap_or_default(), file["note"].as_str().unwrap_or_default()))
        .collect();
    assert!(notes.contains(&("shop/store.py", "code outside symbols differs")), "{answer}");
    assert!(notes.contains(&("words.txt", "no language that is mapped")), "{answer}");
    let within = review(&mut mcp, json!({"paths": ["shop/new.py"]}));
    assert_eq!(within.list("/files").len(), 1, "the scope is of the change{within}");
}

#[test]
fn every_way_to_name_a_change_means_its_two_sides() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    git(&world, tree.root(), "checkout -q -b feature");
    edit(&tree, "shop/store.py", "return a\n", "return a + 1\n");
    git(&world, tree.root(), "commit -q -am second");
    git(&world, tree.root(), "tag v1");
    edit(&tree, "shop/app.py", "return main()", "return main() or 1");
    git(&world, tree.root(), "add -A");
    edit(&tree, "shop/app.py", "store.open('a')", "store.open('b')");
    let unused = "unused changed body".to_owned();
    let (main, again) = ("main changed body".to_owned(), "again changed body".to_owned());
    for (args, expected) in [
        (json!({}), vec![again.clone(), main.clone()]),
        (json!({"change": "staged"}), vec![again.clone()]),
        (json!({"change": "HEAD"}), vec![unused.clone()]),
        (json!({"change": "v1"}), vec![unused.clone()]),
        (json!({"change": "main..HEAD"}), vec![unused.clone()]),
        (json!({"change": "main...feature"}), vec![unused.clone()]),
        (json!({"change": "feature"}), vec![unused.clone()]),
        (json!({"change": "branch"}), vec![again.clone(), main.clone(), unused.clone()]),
        (json!({"base": "main"}), vec![again.clone(), main.clone(), unused.clone()]),
    ] {
        let answer = review(&mut mcp, args.clone());
        assert_eq!(changes(&answer), expected, "{args}{answer}");
    }
    let first = review(&mut mcp, json!({"change": "main"}));
    assert!(changes(&first).contains(&"Store added".to_owned()), "the first commit has no parent{first}");
    assert!(first.warnings().contains("changed since"), "{first}");
    // Later commits on the base are not part of the branch.
    git(&world, tree.root(), "stash -q");
    git(&world, tree.root(), "checkout -q main");
    edit(&tree, "shop/store.py", "amount = 0", "amount = 1");
    git(&world, tree.root(), "commit -q -am third");
    git(&world, tree.root(), "checkout -q feature");
    let branch = review(&mut mcp, json!({"change": "branch"}));
    assert_eq!(changes(&branch), [unused.as_str()], "{branch}");
    let ends = review(&mut mcp, json!({"change": "main..feature"}));
    assert_eq!(changes(&ends), ["total changed body", unused.as_str()], "{ends}");
}

#[test]
fn a_diff_is_read_before_and_after_it_is_applied() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    let diff = "--- a/shop/store.py\n+++ b/shop/store.py\n@@ -20,3 +20,3 @@\n-def total(items):\n+def total(items, rate):\n     amount = 0\n     \
                for item in items:\n";
    let before = review(&mut mcp, json!({"change": diff}));
    assert!(before.ok()["compared"].as_str().unwrap_or_default().contains("not applied"), "{before}");
    assert_eq!(changes(&before), ["total changed signature"], "{before}");
    let expected = ["shop/app.py:7 passes 1, takes 2", "tests/test_store.py:9 passes 1, takes 2"];
    assert_eq!(broken(symbol(&before, "total")), expected, "{before}");
    edit(&tree, "shop/store.py", "def total(items)", "def total(items, rate)");
    let after = review(&mut mcp, json!({"change": diff}));
    assert!(after.ok()["compared"].as_str().unwrap_or_default().contains("applied already"), "{after}");
    assert_eq!(broken(symbol(&after, "total")), expected, "{after}");
    let text = world.hob_with_input(tree.root(), &["review", "-"], diff).success();
    assert!(text.contains("\nno longer fits:\n shop/store.py\n  20 total: signature\n"), "{text}");
    edit(&tree, "shop/store.py", "def total(items, rate)", "def total(many)");
    let lost = mcp.call("change_impact", json!({"change": diff}));
    assert!(
        lost.error("BAD_ARGS")["message"]
            .as_str()
            .unwrap_or_default()
            .contains("does not fit `shop/store.py`"),
        "{lost}"
    );
}

#[test]
fn errors_name_the_argument_and_the_way() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    for (args, part) in [
        (json!({"change": "nothing-of-this"}), "change: there is no revision `nothing-of-this`"),
        (json!({"base": "nothing-of-this"}), "base: there is no revision `nothing-of-this`"),
        (json!({"change": "main..nowhere"}), "change: there is no revision `nowhere`"),
        (json!({"change": "branch"}), "base: the branch that this one came from cannot be told"),
        (json!({"change": "--- a/x\n+++ b/../y\n"}), "change: `../y` is no path"),
    ] {
        let answer = mcp.call("change_impact", args.clone());
        let message = answer.error("BAD_ARGS")["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(part), "{args}: {message}");
        assert!(
            answer.error("BAD_ARGS")["hint"].as_str().is_some_and(|hint| hint.starts_with("Pass ")),
            "{answer}"
        );
    }
    let bare = Tree::unversioned(&world.path("bare"), "//- /pyproject.toml\n//- /a.py\ndef f(): pass\n");
    let none = mcp.call("change_impact", json!({"root": bare.root()}));
    assert!(
        none.error("BAD_ARGS")["message"].as_str().unwrap_or_default().contains("in no git repository"),
        "{none}"
    );
}

#[test]
fn nothing_is_checked_out_or_run() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    edit(&tree, "shop/store.py", "return a\n", "return a + 1\n");
    tree.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n");
    let before = status(&world, tree.root());
    let _ = review(&mut mcp, json!({"change": "HEAD"}));
    let _ = review(&mut mcp, json!({}));
    assert_eq!(status(&world, tree.root()), before);
}

#[test]
fn a_file_in_conflict_is_said_and_not_guessed_at() {
    let world = World::new();
    let tree = repository(&world);
    git(&world, tree.root(), "checkout -q -b side");
    edit(&tree, "shop/store.py", "return a\n", "return a + 1\n");
    git(&world, tree.root(), "commit -q -am side");
    git(&world, tree.root(), "checkout -q main");
    edit(&tree, "shop/store.py", "return a\n", "return a + 2\n");
    git(&world, tree.root(), "commit -q -am ours");
    let mut merge = std::process::Command::new("git");
    world.clean(&mut merge);
    let merged = merge
        .current_dir(tree.root())
        .args(["-c", "user.name=T", "-c", "user.email=t@example.invalid", "merge", "-q", "side"])
        .output()
        .expect("git runs");
    assert!(!merged.status.success(), "both sides change the line");
    let mut mcp = world.mcp(&tree);
    let answer = review(&mut mcp, json!({"change": "staged"}));
    assert_eq!(answer.texts("/files", "file"), ["shop/store.py"], "{answer}");
    assert_eq!(answer.texts("/files", "note"), ["in conflict: the index has several versions"], "{answer}");
    assert_eq!(changes(&answer), [""; 0], "{answer}");
}

fn status(world: &World, place: &Path) -> String {
    let mut command = std::process::Command::new("git");
    world.clean(&mut command);
    hob_tests::run(command.current_dir(place).args(["status", "--porcelain=v2"]), b"").success()
}

#[test]
fn a_review_fits_every_budget_and_goes_on_with_offset() {
    let world = World::new();
    let tree = repository(&world);
    for i in 0..60 {
        tree.write(
            &format!("many/m{i}.py"),
            format!("from shop.store import unused\n\n\ndef user_{i}():\n    return unused({i})\n"),
        );
    }
    let mut mcp = world.mcp(&tree);
    let mut met = std::collections::BTreeSet::new();
    let mut offset = 0;
    loop {
        let page = review(&mut mcp, json!({"offset": offset, "tokenBudget": 800}));
        let shown = page.list("/symbols");
        assert_eq!(page.ok()["counts"]["symbols"], 60, "{page}");
        if shown.is_empty() {
            break;
        }
        offset += shown.len();
        met.extend(shown.iter().map(told));
    }
    assert_eq!(met.len(), 60, "every symbol is on some page");
}

#[test]
fn a_renamed_function_has_all_its_callers_where_there_is_room() {
    let world = World::new();
    let calls: String =
        (0..30).map(|number| format!("\n\ndef caller{number}():\n    return price()\n")).collect();
    let tree = world.tree(&format!(
        "//- /prices.py\ndef price():\n    return 3\n//- /site.py\nfrom prices import price\n{calls}"
    ));
    git(&world, tree.root(), "init -q");
    git(&world, tree.root(), "add .");
    git(&world, tree.root(), "-c user.name=a -c user.email=a@b commit -q -m one");
    edit(&tree, "prices.py", "def price", "def cost");
    let mut mcp = world.mcp(&tree);
    let whole = review(&mut mcp, json!({"tokenBudget": 6_000}));
    // One of them is the import.
    assert_eq!(broken(symbol(&whole, "cost")).len(), 31, "{whole}");
    let small = review(&mut mcp, json!({"tokenBudget": 800}));
    assert_eq!(symbol(&small, "cost")["brokenCount"], 31, "{small}");
}
