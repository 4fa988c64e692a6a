//! Tests pending edits with several clients: who owns them, who may decide on them, and what survives the end of a
//! client.

use hob_tests::World;
use serde_json::json;

use super::{apply, decide, editor, id, replace};

const FILES: &str = "//- /a.py\none = 1\n//- /b.py\ntwo = 2\n";

#[test]
fn every_answer_reminds_its_client_until_it_decides() {
    let world = World::new();
    let tree = world.tree(FILES);
    let (mut one, mut other) = (editor(&world, &tree), editor(&world, &tree));
    let id = id(&replace(&mut one, "a.py", "one", "uno"));
    let search = json!({"query": "one"});
    for tool in ["map_search", "text_search", "map_status"] {
        let args = if tool == "map_status" { json!({}) } else { search.clone() };
        let answer = one.call(tool, args.clone());
        assert!(answer.warnings().contains(&id) && answer.warnings().contains("resolve_action"), "{answer}");
        assert!(!other.call(tool, args).warnings().contains(&id), "another client has nothing to decide");
    }
    let tight = one.call("map_search", json!({"query": "one", "tokenBudget": 100}));
    assert!(tight.warnings().contains(&id), "{tight}");
    for wrong in [json!({"query": 1}), json!({})] {
        let failed = one.call("map_search", wrong);
        let _ = failed.error("BAD_ARGS");
        assert!(failed.warnings().contains(&id), "{failed}");
    }
    let _ = decide(&mut one, "discard").ok();
    assert!(!one.call("map_search", search).warnings().contains("Pending"));
}

#[test]
fn the_second_of_two_overlapping_edits_is_a_conflict() {
    let world = World::new();
    let tree = world.tree(FILES);
    let (mut one, mut other) = (editor(&world, &tree), editor(&world, &tree));
    let first = id(&replace(&mut one, "a.py", "one = 1", "one = 11"));
    let second = id(&replace(&mut other, "a.py", "one = 1", "one = 111"));
    let _ = apply(&mut one, &first).ok();
    let conflict = decide(&mut other, "apply");
    let message = conflict.error("CONFLICT")["message"].as_str().expect("a text");
    assert!(message.contains("`a.py` has changed") && message.contains("preview again"), "{message}");
    assert_eq!(tree.read("a.py"), "one = 11\n");
    // It is not lost: it is pending and can be viewed.
    let waiting = other.call("edit_pending", json!({"pendingId": second}));
    assert!(waiting.ok()["diff"].as_str().is_some_and(|diff| diff.contains("+one = 111")), "{waiting}");
    let _ = decide(&mut other, "discard").ok();
    let again = id(&replace(&mut other, "a.py", "one = 11", "one = 111"));
    let _ = apply(&mut other, &again).ok();
    assert_eq!(tree.read("a.py"), "one = 111\n");
}

#[test]
fn what_waits_outlives_the_daemon_and_its_client() {
    let world = World::new();
    let tree = world.tree(FILES);
    let mut agent = editor(&world, &tree);
    let first = id(&replace(&mut agent, "a.py", "one", "uno"));
    let staged = json!({"file": "b.py", "old": "two", "new": "due", "stage": true});
    let set = id(&agent.call("edit_text", staged));
    world.kill_daemon();
    let after = agent.call("map_status", json!({}));
    assert!(after.warnings().contains(&first), "it is still this client's: {after}");
    agent.close();
    world.stop();
    let listed = world.hob(tree.root(), &["pending"]).success();
    assert!(listed.contains(&first) && listed.contains(&set) && listed.contains("change set"), "{listed}");
    let mut later = editor(&world, &tree);
    let _ = decide(&mut later, "apply").error("NO_PENDING_ACTION");
    let _ = apply(&mut later, &first).ok();
    assert_eq!(tree.read("a.py"), "uno = 1\n");
}

#[test]
fn a_person_decides_what_an_agent_proposed() {
    let world = World::new();
    let tree = world.tree(FILES);
    let mut agent = editor(&world, &tree);
    let (first, second) =
        (id(&replace(&mut agent, "a.py", "one", "uno")), id(&replace(&mut agent, "b.py", "two", "due")));
    let hob = |args: &[&str]| world.hob(tree.root(), args);
    let listed = hob(&["pending"]).success();
    assert!(listed.contains("by an agent") && listed.contains("Replace text in a.py"), "{listed}");
    let shown = hob(&["pending", "show", &first]).success();
    assert!(shown.contains("-one = 1\n+uno = 1\n"), "{shown}");
    let applied = hob(&["pending", "apply", &first]).success();
    assert!(applied.starts_with("Applied: Replace text in a.py."), "{applied}");
    let discarded = hob(&["pending", "discard", &second, "--reason", "no"]).success();
    assert!(discarded.contains("Discarded: Replace text in b.py. Reason: no."), "{discarded}");
    assert_eq!((tree.read("a.py"), tree.read("b.py")), ("uno = 1\n".to_owned(), "two = 2\n".to_owned()));
    assert_eq!(hob(&["pending"]).success(), "Nothing is pending.\n");
    let _ = decide(&mut agent, "apply").error("NO_PENDING_ACTION");
    let gone = hob(&["pending", "apply", &second]).code(1);
    assert!(gone.stderr.contains("has been discarded"), "{}", gone.stderr);
}

#[test]
fn each_workspace_has_its_own() {
    let world = World::new();
    let tree = world.tree(FILES);
    let other = world.path("other");
    std::fs::create_dir_all(other.join(".git")).expect("a folder");
    std::fs::write(other.join("a.py"), "one = 1\n").expect("it can be written");
    let mut mcp = editor(&world, &tree);
    let there = json!({"file": "a.py", "old": "one", "new": "eins", "root": other});
    let id = id(&mcp.call("edit_text", there));
    let _ = decide(&mut mcp, "apply").error("NO_PENDING_ACTION");
    let _ = apply(&mut mcp, &id).ok();
    assert_eq!(std::fs::read_to_string(other.join("a.py")).expect("it is there"), "eins = 1\n");
    assert_eq!(tree.read("a.py"), "one = 1\n");
}
