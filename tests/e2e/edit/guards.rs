//! Tests the guards of edits: edits are off without permission, and never leave the workspace.

use std::os::unix::fs::symlink;

use hob_tests::{Mcp, McpOptions, World};
use serde_json::json;

use super::{apply, editor, id, replace};

const FILES: &str = "\
//- /.gitignore
build/
//- /a.py
one = 1
//- /build/made.py
one = 1
";

#[test]
fn edits_are_off_until_the_user_says_so() {
    let world = World::new();
    let tree = world.tree(FILES);
    let mut mcp = world.mcp(&tree);
    let listed = mcp.request("tools/list", json!({}));
    let names: Vec<_> =
        listed["tools"].as_array().into_iter().flatten().filter_map(|t| t["name"].as_str()).collect();
    assert!(!names.iter().any(|name| name.starts_with("edit_") || *name == "resolve_action"), "{names:?}");

    // A tool can be called by its name nevertheless. The decision tool comes with it, and the daemon refuses both.
    let args = ["--tools", "edit_text"].map(str::to_owned).to_vec();
    let mut named = Mcp::start(&world, &tree, &McpOptions { args, ..McpOptions::default() });
    let listed = named.request("tools/list", json!({}));
    let tools: Vec<_> = listed["tools"].as_array().into_iter().flatten().map(|t| &t["name"]).collect();
    assert_eq!(tools, ["edit_text", "resolve_action"]);
    let refused = replace(&mut named, "a.py", "one", "uno");
    let _ = refused.error("EDITS_DISABLED");
    refused.says("--edits").says("edits = true");
    let decided = named.call("resolve_action", json!({"action": "apply", "reason": "x"}));
    let _ = decided.error("EDITS_DISABLED");

    std::fs::create_dir_all(world.dir().join("config")).expect("a folder");
    std::fs::write(world.dir().join("config/config.toml"), "edits = true\n").expect("it can be written");
    let _ = replace(&mut named, "a.py", "one", "uno").ok();
    let mut later = world.mcp(&tree);
    let listed = later.request("tools/list", json!({}));
    let names: Vec<_> =
        listed["tools"].as_array().into_iter().flatten().filter_map(|t| t["name"].as_str()).collect();
    for tool in ["edit_pattern", "edit_pending", "edit_rename", "edit_symbol", "edit_text", "resolve_action"]
    {
        assert!(names.contains(&tool), "{tool}: {names:?}");
    }
}

#[test]
fn nothing_outside_of_the_workspace_and_nothing_of_gits_is_touched() {
    let world = World::new();
    let tree = world.tree(FILES);
    let outside = world.path("outside.py");
    std::fs::write(&outside, "one = 1\n").expect("it can be written");
    symlink(&outside, tree.at("link.py")).expect("a link");
    symlink(world.dir(), tree.at("folder")).expect("a link");
    symlink(tree.at(".git"), tree.at("g")).expect("a link");
    tree.write(".git/hooks.py", "one = 1\n");
    let mut mcp = editor(&world, &tree);
    let absolute = outside.to_str().expect("Unicode").to_owned();
    for path in ["../outside.py", &absolute, "link.py", "folder/config/x.py", "a/../../outside.py"] {
        let refused = replace(&mut mcp, path, "one", "uno");
        assert!(
            matches!(refused.envelope["error"]["code"].as_str(), Some("OUTSIDE_WORKSPACE")),
            "{path}: {refused}"
        );
    }
    for path in [".git/hooks.py", ".GIT/hooks.py", "g/hooks.py", "./.git//hooks.py", ".git/../.git/hooks.py"]
    {
        let refused = replace(&mut mcp, path, "one", "uno");
        let _ = refused.error("OUTSIDE_WORKSPACE");
        assert!(refused.says("git").envelope["ok"] == false);
    }
    assert_eq!(std::fs::read_to_string(&outside).expect("it is there"), "one = 1\n");
}

/// A file that git ignores is edited if it is named, but not because a pattern happens to match in it.
#[test]
fn hidden_files_are_edited_only_by_name() {
    let world = World::new();
    let tree = world.tree(FILES);
    let mut mcp = editor(&world, &tree);
    let all =
        mcp.call("edit_pattern", json!({"language": "py", "pattern": "one = $A", "rewrite": "uno = $A"}));
    assert_eq!(all.texts("/files", "file"), ["a.py"]);
    let named = replace(&mut mcp, "build/made.py", "one", "uno");
    let _ = apply(&mut mcp, &id(&named)).ok();
    assert_eq!(tree.read("build/made.py"), "uno = 1\n");
}

/// A link may replace a folder between the preview and the apply.
#[test]
fn a_path_that_leads_elsewhere_by_now_is_not_followed() {
    let world = World::new();
    let tree = world.tree("//- /src/a.py\none = 1\n");
    let mut mcp = editor(&world, &tree);
    let id = id(&replace(&mut mcp, "src/a.py", "one", "uno"));
    let elsewhere = world.path("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    std::fs::write(elsewhere.join("a.py"), "one = 1\n").expect("it can be written");
    std::fs::remove_dir_all(tree.at("src")).expect("it is there");
    symlink(&elsewhere, tree.at("src")).expect("a link");
    let refused = apply(&mut mcp, &id);
    assert_eq!(refused.envelope["ok"], false, "{refused}");
    assert_eq!(std::fs::read_to_string(elsewhere.join("a.py")).expect("it is there"), "one = 1\n");
}
