//! Tests `symbol_history` and `hob history`: who changed a symbol, through renames and moves, and its former text.

use hob_tests::{Answer, Tree, World};
use serde_json::json;

use super::many::git;

/// Commits everything with a message of one word.
fn commit(world: &World, tree: &Tree, word: &str) {
    git(world, tree.root(), "add -A");
    git(world, tree.root(), &format!("commit -q -m {word}"));
}

fn body(name: &str, rate: &str, others: &str) -> String {
    format!(
        "{others}\n\ndef {name}(items):\n    amount = 0\n    for item in items:\n        amount += item.price * item.count * {rate}\n    return amount\n"
    )
}

/// Returns `subject change` for every commit.
fn told(answer: &Answer) -> Vec<String> {
    let word =
        |commit: &serde_json::Value, field: &str| commit[field].as_str().unwrap_or_default().to_owned();
    answer
        .list("/commits")
        .iter()
        .map(|commit| format!("{} {}", word(commit, "subject"), word(commit, "change")))
        .collect()
}

/// Returns a repository with a function that is changed, renamed and moved, with unrelated commits in between.
fn repository(world: &World) -> Tree {
    let tree = world.tree(&format!("//- /a.py\n{}", body("total", "1", "x = 1\n")));
    git(world, tree.root(), "init -q -b main");
    commit(world, &tree, "first");
    tree.write("a.py", body("total", "1", "x = 2\n"));
    commit(world, &tree, "beside");
    tree.write("a.py", body("total", "2", "x = 2\n"));
    commit(world, &tree, "rate");
    tree.write("a.py", body("amount_of", "2", "x = 2\n"));
    commit(world, &tree, "rename");
    tree.write("a.py", "x = 2\n");
    tree.write("b.py", body("amount_of", "2", "y = 1\n"));
    commit(world, &tree, "move");
    tree.write("b.py", body("amount_of", "2", "y = 2\n"));
    commit(world, &tree, "other");
    tree
}

#[test]
fn a_symbol_is_followed_through_renames_and_moves() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("symbol_history", json!({"symbol": "amount_of"}));
    assert_eq!(told(&answer), ["move moved", "rename renamed", "rate changed", "first added"], "{answer}");
    let commits = answer.list("/commits");
    assert_eq!(
        (&commits[0]["was"], &commits[1]["was"]),
        (&json!("a.py#amount_of"), &json!("a.py#total")),
        "{answer}"
    );
    assert_eq!((&commits[2]["parts"], &commits[2]["author"]), (&json!(["body"]), &json!("T")), "{answer}");
    assert_eq!(answer.ok()["complete"], true, "{answer}");
    let few = mcp.call("symbol_history", json!({"symbol": "amount_of", "limit": 2}));
    assert_eq!((told(&few).len(), &few.ok()["complete"]), (2, &json!(false)), "{few}");
    let text = world.hob(tree.root(), &["history", "amount_of", "--limit", "1"]).success();
    assert!(text.contains(" T: moved from a.py#amount_of: move\n"), "{text}");
    assert!(text.contains("[there may be older commits: raise --limit]"), "{text}");
}

#[test]
fn the_symbol_as_it_was_has_its_old_name_and_text() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("symbol_history", json!({"symbol": "amount_of", "revision": "HEAD~5"}));
    let then = &answer.ok()["then"];
    assert_eq!((&then["file"], &then["name"]), (&json!("a.py"), &json!("total")), "{answer}");
    assert!(
        then["source"]
            .as_str()
            .is_some_and(|source| source.starts_with("def total(items):") && source.contains("count * 1")),
        "{answer}"
    );
    let unknown = mcp.call("symbol_history", json!({"symbol": "amount_of", "revision": "nowhere"}));
    assert!(
        unknown.error("BAD_ARGS")["message"]
            .as_str()
            .is_some_and(|message| message.starts_with("revision: ")),
        "{unknown}"
    );
}

#[test]
fn what_is_not_committed_is_said() {
    let world = World::new();
    let tree = repository(&world);
    let mut mcp = world.mcp(&tree);
    tree.write("b.py", format!("{}\n\ndef new():\n    return 7\n", body("amount_of", "3", "y = 2\n")));
    let changed = mcp.call("symbol_history", json!({"symbol": "amount_of"}));
    assert_eq!((&changed.ok()["uncommitted"], told(&changed).len()), (&json!(["body"]), 4), "{changed}");
    let new = mcp.call("symbol_history", json!({"symbol": "new"}));
    assert_eq!((&new.ok()["uncommitted"], told(&new).len()), (&json!(["added"]), 0), "{new}");
}

#[test]
fn a_merge_says_nothing_and_both_sides_are_followed() {
    let world = World::new();
    let tree = repository(&world);
    git(&world, tree.root(), "checkout -q -b side HEAD~1");
    tree.write("b.py", body("amount_of", "5", "y = 1\n"));
    commit(&world, &tree, "sideways");
    git(&world, tree.root(), "checkout -q main");
    git(&world, tree.root(), "merge -q --no-ff -m merged side");
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("symbol_history", json!({"symbol": "amount_of"}));
    assert_eq!(
        told(&answer),
        ["sideways changed", "move moved", "rename renamed", "rate changed", "first added"],
        "{answer}"
    );
}
