//! Tests that refs are entities, and that anything can be resolved as of a ref, without touching the work tree.

use hob_tests::World;
use serde_json::{Value, json};

use super::super::many::git;
use super::{entity, resolve};

#[test]
fn branches_tags_and_commits_are_entities() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef a():\n    pass\n");
    for line in ["init -q -b trunk", "add -A", "commit -q -m begin", "tag v1.0", "branch feature/payments"] {
        git(&world, tree.root(), line);
    }
    for (said, id, kind) in [
        ("trunk", "git:refs/heads/trunk", "branch"),
        ("feature/payments", "git:refs/heads/feature/payments", "branch"),
        ("branch payments", "git:refs/heads/feature/payments", "branch"),
        ("v1.0", "git:refs/tags/v1.0", "tag"),
    ] {
        let answer = resolve(&world, &tree, &json!({"subject": said}));
        assert_eq!(entity(&answer), id, "{said}: {answer}");
        let found = &answer.ok()["entity"];
        assert_eq!((&found["type"], &found["source"]), (&json!(kind), &json!("git")), "{answer}");
        assert_eq!(found["description"], "begin", "{answer}");
    }
    let tag = resolve(&world, &tree, &json!({"subject": "tag v1.0"}));
    let commit = tag.ok()["entity"]["attributes"]["commit"].as_str().expect("a commit").to_owned();
    let answer = resolve(&world, &tree, &json!({"subject": &commit[..9]}));
    assert_eq!(entity(&answer), format!("git:{commit}"), "{answer}");
    let answer = resolve(&world, &tree, &json!({"subject": "commit begin"}));
    assert_eq!(entity(&answer), format!("git:{commit}"), "{answer}");
}

#[test]
fn a_revision_is_answered_from_as_it_was() {
    let world = World::new();
    let tree = world.tree(
        "//- /store.py\ndef open_session():\n    pass\n//- /same.py\ndef keep_alive():\n    pass\n//- /gone.py\ndef sweep_old():\n    pass\n",
    );
    for line in ["init -q", "add -A", "commit -q -m one", "tag then"] {
        git(&world, tree.root(), line);
    }
    tree.write("store.py", "# moved down\n\n\ndef begin_session():\n    pass\n");
    tree.remove("gone.py");
    tree.write("new.py", "def brand_new():\n    pass\n");
    let of = |said: &str, time: Value| {
        resolve(&world, &tree, &json!({"subject": said, "context": {"time": time}}))
    };
    let before = of("open_session", json!("then"));
    assert_eq!(entity(&before), "py:store.py#open_session", "{before}");
    let found = &before.ok()["entity"];
    assert_eq!(found["attributes"]["line"], 1, "{before}");
    assert!(
        found["uri"].as_str().is_some_and(|uri| uri.starts_with("git:") && uri.ends_with(":store.py#L1")),
        "{before}"
    );
    assert!(found["attributes"]["revision"].is_string(), "{before}");
    assert_eq!(entity(&of("sweep_old", json!("HEAD"))), "py:gone.py#sweep_old", "a file that is gone");
    assert_eq!(
        entity(&of("keep_alive", json!("then"))),
        "py:same.py#keep_alive",
        "a file that has not changed"
    );
    for absent in ["brand_new", "begin_session"] {
        let answer = of(absent, json!("then"));
        assert_ne!(answer.ok()["status"], "resolved", "{absent}: {answer}");
    }
    assert_eq!(
        entity(&resolve(&world, &tree, &json!({"subject": "begin_session"}))),
        "py:store.py#begin_session",
        "now"
    );
    assert!(tree.read("store.py").starts_with("# moved down"), "the working tree is not touched");
    for (time, code) in
        [("no-such-branch", "REVISION_NOT_FOUND"), ("then..HEAD", "BAD_REVISION"), (":/one", "BAD_REVISION")]
    {
        let answer = of("open_session", json!(time));
        let data = answer.ok();
        assert_eq!(
            (&data["status"], &data["error"]["code"]),
            (&json!("error"), &json!(code)),
            "{time}: {answer}"
        );
        assert!(
            data["error"]["message"].as_str().is_some_and(|said| said.contains(time)),
            "{time}: {answer}"
        );
    }
}

#[test]
fn a_project_without_git_has_no_past() {
    let world = World::new();
    let tree = hob_tests::Tree::unversioned(
        &world.path("plain"),
        "//- /pyproject.toml\n[project]\nname = \"a\"\n//- /a.py\ndef a():\n    pass\n",
    );
    let answer = resolve(&world, &tree, &json!({"subject": "a", "context": {"time": "HEAD"}}));
    assert_eq!(answer.ok()["error"]["code"], "NO_REPOSITORY", "{answer}");
}
