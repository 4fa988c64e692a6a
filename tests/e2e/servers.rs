//! `hob servers`: what serves a project, why, and installing.

use std::os::unix::fs::PermissionsExt as _;

use hob_tests::{Tree, World, outside};
use serde_json::json;

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def f() -> int:
    return 1

f()
";

fn program(tree: &Tree, path: &str, body: &str) {
    tree.write(path, format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(tree.at(path), std::fs::Permissions::from_mode(0o755)).expect("just written");
}

/// Python is there, and no server for it.
fn python_alone() -> World {
    let python = outside::python().parent().expect("it lies in a folder").display().to_string();
    World::new().env("PATH", format!("{python}:/usr/bin:/bin"))
}

#[test]
fn a_server_is_installed_into_hobs_own_folder_and_used_at_once() {
    let world = python_alone();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let question = || json!({"file": "a.py", "line": 1, "col": 5});
    let missing = mcp.call("nav_references", question());
    let hint = missing.error("LSP_UNAVAILABLE")["hint"].as_str().expect("a hint").to_owned();
    assert!(hint.contains("hob servers install pyright"), "{hint}");
    let listed = world.hob(tree.root(), &["servers", "list"]).success();
    assert!(listed.contains("python: none"), "{listed}");

    let installed = world.hob(tree.root(), &["servers", "install", "ty"]).code(0);
    let own = world.dir().join("state/servers/ty");
    assert!(installed.stderr.contains("-m venv"), "the command is said: {installed}");
    assert!(installed.stdout.contains("0.0.105") && own.join("bin/ty").exists(), "{installed}");
    let answer = mcp.call("nav_references", question());
    assert_eq!(answer.ok()["total"], 1, "{answer}");
    let listed = world.hob(tree.root(), &["servers", "list"]).success();
    assert!(listed.contains(&format!("python: ty {}", own.join("bin/ty").display())), "{listed}");
}

#[test]
fn an_installation_that_fails_leaves_nothing_and_says_what_is_needed() {
    let world = World::new();
    let (tree, empty) = (world.tree(FIXTURE), world.path("empty"));
    std::fs::create_dir(&empty).expect("a folder");
    let world = world.env("PATH", empty.to_str().expect("plain"));
    let missing = world.hob(tree.root(), &["servers", "install", "pyright"]).code(2);
    assert!(
        missing.stderr.contains("`npm` was not found") && missing.stderr.contains("Node.js"),
        "{missing}"
    );
    program(&tree, "bin/npm", "exit 7");
    std::os::unix::fs::symlink(tree.at("bin/npm"), empty.join("npm")).expect("a link");
    let own = world.dir().join("state/servers/pyright");
    std::fs::create_dir_all(own.join("as-before")).expect("a folder");
    let failed = world.hob(tree.root(), &["servers", "install", "pyright"]).code(2);
    assert!(failed.stderr.contains("failed"), "{failed}");
    assert!(own.join("as-before").exists(), "what was there before is still there");
    let by_hand = world.hob(tree.root(), &["servers", "install", "jdtls"]).code(2);
    assert!(by_hand.stderr.contains("Eclipse"), "{by_hand}");
    let unknown = world.hob(tree.root(), &["servers", "install", "pyrite"]).code(1);
    assert!(unknown.stderr.contains("hob servers list"), "{unknown}");
}

#[test]
fn why_names_every_candidate_with_its_reason() {
    let world = World::new();
    let (tree, bin) = (world.tree(FIXTURE), world.path("bin"));
    let tools = Tree::new(&bin, "");
    program(&tools, "basedpyright-langserver", "exit 0");
    program(&tools, "ty", "echo 'error: Unknown binary' >&2; exit 1");
    program(&tree, ".venv/bin/pyright-langserver", "exit 0");
    let world = world.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let said = world.hob(tree.root(), &["servers", "why", "python"]).success();
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("`{text}` is not in {said}"));
    assert!(at("pyright: what was found") < at("which is not trusted"), "{said}");
    assert!(at("which is not trusted") < at("basedpyright-langserver: it is used"), "{said}");
    assert!(at("ty: what was found") < at("error: Unknown binary"), "{said}");
    assert!(at("error: Unknown binary") < at("pyrefly: not found"), "{said}");
    let _ = world.hob(tree.root(), &["trust"]).code(0);
    let said = world.hob(tree.root(), &["servers", "why", "py"]).success();
    assert!(said.contains(".venv/bin/pyright-langserver: it is used"), "{said}");
    assert!(said.contains("basedpyright-langserver: it would do"), "{said}");
}
