//! Tests `resolve_action` as its specification describes it: its arguments, its results, its wording, and its failures.

use hob_tests::{Mcp, Tree, World};
use serde_json::json;

use super::{apply, decide, editor, id, replace};

const ONE: &str = "//- /a.py\none = 1\n//- /b.py\ntwo = 2\n";

fn world() -> (World, Tree, Mcp) {
    let world = World::new();
    let tree = world.tree(ONE);
    let mcp = editor(&world, &tree);
    (world, tree, mcp)
}

#[test]
fn an_apply_says_what_was_done_and_gives_everything_back() {
    let (_world, tree, mut mcp) = world();
    let preview = replace(&mut mcp, "a.py", "one", "uno");
    let extra = json!({"title": "a slug", "deep": {"n": [1, 2]}});
    let args = json!({"action": "apply", "reason": "numbers are Italian", "extra": extra});
    let applied = mcp.call("resolve_action", args);
    let data = applied.ok();
    assert_eq!(data["action"], "apply");
    assert_eq!(data["reason"], "numbers are Italian");
    assert_eq!(data["extra"], extra);
    assert_eq!(data["sourceToolName"], "edit_text");
    assert_eq!(data["label"], preview.ok()["label"]);
    assert_eq!(data["message"], "Applied: Replace text in a.py.");
    assert_eq!(data["files"], json!([{"file": "a.py", "additions": 1, "deletions": 1}]));
    assert_eq!(tree.read("a.py"), "uno = 1\n");
    let now = mcp.call("regex_search", json!({"pattern": "uno"}));
    assert_eq!(now.list("/matches").len(), 1, "what was applied is seen at once: {now}");
}

#[test]
fn a_discard_says_so_in_the_documented_words() {
    let (_world, tree, mut mcp) = world();
    let _ = replace(&mut mcp, "a.py", "one", "uno").ok();
    let args = json!({"action": "discard", "reason": "not now"});
    let discarded = mcp.call("resolve_action", args);
    let data = discarded.ok();
    assert_eq!(data["message"], "Discarded: Replace text in a.py. Reason: not now.");
    assert_eq!((&data["action"], &data["sourceToolName"]), (&json!("discard"), &json!("edit_text")));
    assert!(data.get("files").is_none() && data.get("extra").is_none(), "{discarded}");
    assert_eq!(tree.read("a.py"), "one = 1\n");
    nothing_is_pending(&mut mcp);
}

#[track_caller]
fn nothing_is_pending(mcp: &mut Mcp) {
    for action in ["apply", "discard"] {
        let none = decide(mcp, action);
        let message = &none.error("NO_PENDING_ACTION")["message"];
        assert_eq!(message, "No pending action to resolve. Nothing to apply or discard.");
    }
}

#[test]
fn with_nothing_pending_it_is_an_error() {
    let (_world, _tree, mut mcp) = world();
    nothing_is_pending(&mut mcp);
    let _ = mcp.call("resolve_action", json!({"action": "apply"})).says("`reason`").error("BAD_ARGS");
    mcp.call("resolve_action", json!({"action": "aply", "reason": "x"})).says("Did you mean `apply`?");
    let args = json!({"action": "apply", "reason": "x", "extra": "text"});
    let _ = mcp.call("resolve_action", args).says("`extra`").error("BAD_ARGS");
    let unknown = apply(&mut mcp, "e000000");
    let _ = unknown.error("NO_PENDING_ACTION");
    unknown.says("e000000");
}

/// The newest preview comes first, then the earlier ones, then the change set.
#[test]
fn the_order_is_the_newest_preview_then_the_change_set() {
    let (_world, tree, mut mcp) = world();
    let stage =
        |file: &str, old: &str, new: &str| json!({"file": file, "old": old, "new": new, "stage": true});
    let _ = mcp.call("edit_text", stage("b.py", "two", "due")).ok();
    let set = mcp.call("edit_text", stage("b.py", "due = 2", "due = 2  # two"));
    assert_eq!(set.list("/files").len(), 1, "a change set builds on itself: {set}");
    let _ = replace(&mut mcp, "a.py", "one", "uno").ok();
    let _ = replace(&mut mcp, "a.py", "one = 1", "one = 11").ok();
    let _ = decide(&mut mcp, "apply").ok();
    assert_eq!((tree.read("a.py"), tree.read("b.py")), ("one = 11\n".to_owned(), "two = 2\n".to_owned()));
    let older = decide(&mut mcp, "apply");
    assert!(older.error("CONFLICT")["message"].as_str().is_some_and(|m| m.contains("`a.py` has changed")));
    let _ = decide(&mut mcp, "discard").ok();
    let _ = decide(&mut mcp, "apply").ok();
    assert_eq!(tree.read("b.py"), "due = 2  # two\n");
    nothing_is_pending(&mut mcp);
}

/// After a failed apply the edit stays pending: it can be applied when the cause is gone, or discarded.
#[test]
fn a_failed_apply_stays_pending() {
    let (_world, tree, mut mcp) = world();
    let id = id(&replace(&mut mcp, "a.py", "one", "uno"));
    tree.write("a.py", "one = 1  # changed meanwhile\n");
    let conflict = apply(&mut mcp, &id);
    let error = conflict.error("CONFLICT");
    assert_eq!(error["files"], json!([{"file": "a.py", "why": "has changed"}]));
    assert!(error["message"].as_str().is_some_and(|text| text.contains("Nothing was written")), "{conflict}");
    assert_eq!(tree.read("a.py"), "one = 1  # changed meanwhile\n");
    tree.write("a.py", "one = 1\n");
    let _ = apply(&mut mcp, &id).ok();
    assert_eq!(tree.read("a.py"), "uno = 1\n");

    let settled = mcp.call("resolve_action", json!({"action": "discard", "reason": "x", "pendingId": id}));
    let message = settled.error("NO_PENDING_ACTION")["message"].as_str().expect("a text");
    assert!(message.contains("has been applied") && message.contains("hob undo"), "{message}");
}

/// Other failures are reported in the documented words.
#[test]
fn a_folder_that_may_not_be_written_fails_the_apply() {
    let (_world, tree, mut mcp) = world();
    tree.write("locked/c.py", "three = 3\n");
    let both = json!({"language": "py", "pattern": "$A = $B", "rewrite": "$A = int($B)"});
    let preview = mcp.call("edit_pattern", both);
    assert_eq!(preview.list("/files").len(), 3);
    let id = id(&preview);
    let locked = Locked::new(&tree, "locked");
    let failed = apply(&mut mcp, &id);
    if locked.holds() {
        let message = failed.error("APPLY_FAILED")["message"].as_str().expect("a text").to_owned();
        assert!(message.starts_with("Apply failed: ") && message.contains("locked"), "{message}");
        assert_eq!((tree.read("a.py"), tree.read("b.py")), ("one = 1\n".to_owned(), "two = 2\n".to_owned()));
        drop(locked);
        let _ = apply(&mut mcp, &id).ok();
    }
    assert_eq!(tree.read("locked/c.py"), "three = int(3)\n");
}

/// A folder in which no file can be made, except by root, unless the file system itself refuses.
struct Locked(std::path::PathBuf);

impl Locked {
    fn new(tree: &Tree, folder: &str) -> Self {
        let folder = tree.at(folder);
        set_mode(&folder, 0o555);
        Self(folder)
    }

    fn holds(&self) -> bool {
        let probe = self.0.join("probe");
        let held = std::fs::write(&probe, "").is_err();
        let _ = std::fs::remove_file(probe);
        held
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        set_mode(&self.0, 0o755);
    }
}

fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode can be set");
}

#[test]
fn what_was_applied_last_is_undone_once() {
    let (world, tree, mut mcp) = world();
    let args = json!({"language": "py", "pattern": "$A = $B", "rewrite": "$A = int($B)"});
    let preview = mcp.call("edit_pattern", args);
    let _ = apply(&mut mcp, &id(&preview)).ok();
    assert_eq!(tree.read("b.py"), "two = int(2)\n");
    let said = world.hob(tree.root(), &["undo"]).success();
    assert!(said.starts_with("Undone: Replace 2 matches"), "{said}");
    assert_eq!((tree.read("a.py"), tree.read("b.py")), ("one = 1\n".to_owned(), "two = 2\n".to_owned()));
    let again = world.hob(tree.root(), &["undo"]).code(1);
    assert!(again.stderr.contains("NO_PENDING_ACTION"), "{}", again.stderr);

    let id = id(&replace(&mut mcp, "a.py", "one", "uno"));
    let _ = apply(&mut mcp, &id).ok();
    tree.write("a.py", "uno = 1  # mine\n");
    let refused = world.hob(tree.root(), &["undo"]).code(1);
    assert!(refused.stderr.contains("CONFLICT") && refused.stderr.contains("a.py"), "{}", refused.stderr);
    assert_eq!(tree.read("a.py"), "uno = 1  # mine\n");
}
