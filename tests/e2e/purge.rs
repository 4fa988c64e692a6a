//! Tests `hob purge`: it removes everything that hob kept, and nothing that belongs to anybody else.

use hob_tests::{Mcp, McpOptions, Tree, World};
use serde_json::json;

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def here():
    return 1
";

#[test]
fn nothing_of_hobs_is_left_and_nothing_of_others_is_taken() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    // Everything that can be made without a language server: an index, a page, trust, a pending edit, settings.
    let _ = world.hob(tree.root(), &["graph"]);
    let _ = world.hob(tree.root(), &["trust", "--yes"]).code(0);
    let mut mcp =
        Mcp::start(&world, &tree, &McpOptions { args: vec!["--edits".into()], ..McpOptions::default() });
    let _ = mcp.call("edit_text", json!({"file": "a.py", "old": "1", "new": "2"})).ok();
    drop(mcp);
    let config = world.dir().join("config");
    std::fs::create_dir_all(&config).expect("made");
    std::fs::write(config.join("config.toml"), "edits = false\n").expect("written");
    let theirs = world.dir().join("cache/not-hobs");
    std::fs::write(&theirs, "keep me").expect("the cache is there");

    let shown = world.hob(tree.root(), &["purge"]).success();
    for part in ["cache/store", "cache/workspaces", "state/edits", "state/trust.json", "nothing was removed"]
    {
        assert!(shown.contains(part), "`{part}` is not in {shown}");
    }
    assert!(world.daemon_pid().is_some(), "showing ends nothing");

    let _ = world.hob(tree.root(), &["purge", "--yes"]).code(0);
    assert_eq!(world.daemon_pid(), None);
    assert_eq!(left(world.dir()), ["cache", "cache/not-hobs", "config", "config/config.toml"]);
    assert_eq!(world.hob(tree.root(), &["purge"]).success(), "hob keeps nothing here\n");

    std::fs::remove_file(&theirs).expect("it was left");
    let _ = world.hob(tree.root(), &["purge", "--yes", "--settings"]).code(0);
    assert!(!world.dir().exists(), "left: {:?}", left(world.dir()));
}

#[test]
fn one_project_is_forgotten_and_another_is_not() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let other = Tree::new(&world.path("other"), FIXTURE);
    for place in [&tree, &other] {
        let _ = world.hob(place.root(), &["trust", "--yes"]).code(0);
        let _ = world.hob(place.root(), &["graph"]).code(0);
    }
    let mut mcp =
        Mcp::start(&world, &tree, &McpOptions { args: vec!["--edits".into()], ..McpOptions::default() });
    let _ = mcp.call("edit_text", json!({"file": "a.py", "old": "1", "new": "2"})).ok();
    let refused = mcp.call("hob_purge", json!({"confirm": true}));
    assert!(refused.error("BAD_ARGS")["hint"].to_string().contains("hob purge --root"), "{refused}");
    drop(mcp);
    // So that both are saved and open again.
    world.stop();
    for place in [&tree, &other] {
        let _ = world.hob(place.root(), &["map"]).success();
    }
    let pid = world.daemon_pid();
    let count = |folder: &str| std::fs::read_dir(world.dir().join(folder)).expect("it is there").count();
    let purge = |path: &Tree, more: &[&str]| {
        let root = path.root().to_str().expect("plain");
        world.hob(&world.path("home"), &[&["purge", "--root", root], more].concat()).success()
    };

    let shown = purge(&tree, &[]);
    for part in [
        "cache/workspaces/",
        "cache/graphs/",
        "1 pending edit",
        "hob trust",
        "nothing was removed",
        "fortnight",
    ] {
        assert!(shown.contains(part), "`{part}` is not in {shown}");
    }
    assert_eq!((count("cache/workspaces"), count("cache/graphs")), (2, 2), "showing removes nothing");
    let done = purge(&tree, &["--yes"]);
    assert!(done.contains("removed of") && done.contains("1 pending edit"), "{done}");
    assert_eq!((count("cache/workspaces"), count("cache/graphs")), (1, 1));
    assert_eq!(world.daemon_pid(), pid, "the daemon goes on");
    assert!(purge(&tree, &[]).contains("keeps nothing of"), "{}", purge(&tree, &[]));
    let trusted = world.hob(other.root(), &["trust", "--list"]).success();
    assert_eq!(trusted.trim(), other.root().to_str().expect("plain"));
    assert!(!world.hob(tree.root(), &["pending"]).success().contains("a.py"), "what waited is forgotten");
    let found = world.hob(tree.root(), &["search", "here"]).success();
    assert!(found.starts_with("a.py\n") && found.contains(" here"), "it begins anew: {found}");

    // Without a daemon, and for a folder that no longer exists.
    world.stop();
    std::fs::remove_dir_all(other.root()).expect("removed");
    let before = count("cache/workspaces");
    let done = purge(&other, &["--yes"]);
    assert!(done.contains("cache/workspaces/") && done.contains("hob trust"), "{done}");
    assert_eq!(count("cache/workspaces"), before - 1);
    assert_eq!(world.daemon_pid(), None, "what was started for it has ended");
}

#[test]
fn a_closed_project_leaves_memory_and_comes_back_with_its_pending_edits() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp =
        Mcp::start(&world, &tree, &McpOptions { args: vec!["--edits".into()], ..McpOptions::default() });
    let _ = mcp.call("edit_text", json!({"file": "a.py", "old": "1", "new": "2"})).ok();
    let refused = mcp.call("hob_close", json!({}));
    assert!(refused.error("BAD_ARGS")["hint"].to_string().contains("hob close"), "{refused}");
    let root = tree.root().to_str().expect("plain");
    let close = |path: &str| world.hob(&world.path("home"), &["close", path]).success();
    assert!(world.hob(tree.root(), &["status"]).success().contains(root));

    let closed = close(&format!("{root}/a.py"));
    assert!(closed.starts_with(&format!("closed {root}: ")) && closed.contains("of memory"), "{closed}");
    assert!(!world.hob(&world.path("home"), &["status"]).success().contains(&format!("{root} ")));
    assert_eq!(close(root), format!("{root} is not open\n"));

    let found = world.hob(tree.root(), &["search", "here"]).success();
    assert!(found.starts_with("a.py\n"), "the next question opens it: {found}");
    assert!(world.hob(tree.root(), &["pending"]).success().contains("a.py"), "nothing is lost");
    drop(mcp);
    world.stop();
    assert_eq!(close(root), "no daemon runs: no project is open\n");
}

#[test]
fn what_setup_wrote_elsewhere_has_to_be_taken_back_first() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let receipts = world.dir().join("state/setup");
    std::fs::create_dir_all(&receipts).expect("made");
    std::fs::write(receipts.join("receipt.json"), "{}").expect("written");
    let refused = world.hob(tree.root(), &["purge", "--yes"]).code(2);
    assert!(refused.stderr.contains("hob setup --undo"), "{}", refused.stderr);
    assert!(receipts.join("receipt.json").exists());
    let _ = world.hob(tree.root(), &["purge", "--yes", "--force"]).code(0);
    assert!(!receipts.exists());
}

#[test]
fn a_service_has_to_go_first() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let _ = world.hob(tree.root(), &["service", "install", "--no-start"]).code(0);
    let refused = world.hob(tree.root(), &["purge", "--yes"]).code(2);
    assert!(refused.stderr.contains("hob service uninstall"), "{}", refused.stderr);
    let _ = world.hob(tree.root(), &["service", "uninstall"]).code(0);
    let _ = world.hob(tree.root(), &["purge", "--yes"]).code(0);
}

/// Returns every path below a folder, relative to it, sorted.
fn left(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path.strip_prefix(folder).expect("below").display().to_string());
        }
    }
    found.sort();
    found
}
