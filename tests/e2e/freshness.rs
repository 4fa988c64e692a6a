//! Tests that every answer reflects every write that was complete before the call.

use hob_tests::{Mcp, Rng, Tree, World};
use serde_json::json;

fn lines(mcp: &mut Mcp, token: &str) -> Vec<String> {
    let answer = mcp.call("regex_search", json!({"pattern": format!(r"\b{token}\b")}));
    answer.without_warnings();
    answer.texts("/matches", "file").iter().map(|file| (*file).to_owned()).collect()
}

fn nodes(mcp: &mut Mcp, name: &str) -> Vec<String> {
    // The names differ only in their digits, so only the exact name counts.
    let answer = mcp.call("map_search", json!({"query": name, "limit": 100}));
    answer.without_warnings();
    let hits = answer.list("/results").iter().filter(|hit| hit["name"] == name);
    hits.map(|hit| hit["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Returns a project of a few dozen files in folders of different depths.
fn project(world: &World) -> Tree {
    let tree = world.tree("//- /readme.txt\nhello\n");
    for i in 0..40 {
        tree.write(&format!("d{}/e{}/f{i}.py", i % 5, i % 3), format!("def base_{i}():\n    return {i}\n"));
    }
    tree
}

#[test]
fn three_hundred_writes_are_each_seen_by_the_next_call() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    let mut rng = Rng::new(300);
    let mut last = String::new();
    for step in 0..300 {
        let name = format!("written_{step}");
        let text = format!("def {name}():\n    return {step}\n");
        let path = match step % 6 {
            // The same file many times: with the same size, within one tick of the clock.
            0 | 1 => "d0/e0/f0.py".to_owned(),
            2 => format!("d{}/new_{step}.py", rng.below(5)),
            3 => format!("deep/{step}/x/y/z.py"),
            4 => format!("top_{step}.py"),
            _ => last.clone(),
        };
        match step % 6 {
            5 => replace(&tree, &path, &text),
            _ => tree.write(&path, &text),
        }
        let id = format!("py:{path}#{name}");
        match step % 2 {
            0 => assert_eq!(nodes(&mut mcp, &name), [id.as_str()], "step {step}: a write to {path}"),
            _ => assert_eq!(lines(&mut mcp, &name), [path.as_str()], "step {step}: a write to {path}"),
        }
        last = path;
    }
}

/// Replaces a file as editors do: renames a new file over the old one.
fn replace(tree: &Tree, path: &str, text: &str) {
    tree.write(&format!("{path}.tmp"), text);
    tree.rename(&format!("{path}.tmp"), path);
}

#[test]
fn what_is_removed_or_renamed_is_gone_at_once() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    for i in 0..20 {
        let (name, path) = (format!("base_{i}"), format!("d{}/e{}/f{i}.py", i % 5, i % 3));
        assert_eq!(nodes(&mut mcp, &name), [format!("py:{path}#{name}")]);
        match i % 2 {
            0 => {
                tree.remove(&path);
                assert_eq!(nodes(&mut mcp, &name), Vec::<String>::new(), "{path} was removed");
                assert_eq!(lines(&mut mcp, &name), Vec::<String>::new());
            }
            _ => {
                tree.rename(&path, &format!("moved/{i}.py"));
                assert_eq!(nodes(&mut mcp, &name), [format!("py:moved/{i}.py#{name}")], "{path} was moved");
                assert_eq!(lines(&mut mcp, &name), [format!("moved/{i}.py")]);
            }
        }
    }
}

#[test]
fn whole_folders_come_and_go_at_once() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    assert_eq!(nodes(&mut mcp, "base_1"), ["py:d1/e1/f1.py#base_1"]);
    tree.rename("d1", "elsewhere/deep/d1");
    assert_eq!(nodes(&mut mcp, "base_1"), ["py:elsewhere/deep/d1/e1/f1.py#base_1"]);
    std::fs::remove_dir_all(tree.at("elsewhere")).expect("it can be removed");
    assert_eq!(nodes(&mut mcp, "base_1"), Vec::<String>::new());
    let outside = Tree::unversioned(&world.path("outside"), "//- /g/h.py\ndef arrived(): pass\n");
    std::fs::rename(outside.at("g"), tree.at("g")).expect("it can be moved in");
    assert_eq!(nodes(&mut mcp, "arrived"), ["py:g/h.py#arrived"]);
    // The new folder is watched like any other.
    tree.write("g/h.py", "def changed(): pass\n");
    assert_eq!(nodes(&mut mcp, "changed"), ["py:g/h.py#changed"]);
}

#[test]
fn rules_of_ignoring_change_at_once() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    assert_eq!(nodes(&mut mcp, "base_2").len(), 1);
    tree.write(".gitignore", "d2/\n");
    assert_eq!(nodes(&mut mcp, "base_2"), Vec::<String>::new(), "d2 is ignored now");
    tree.write(".gitignore", "d3/\n");
    assert_eq!(nodes(&mut mcp, "base_2").len(), 1, "d2 is back");
    assert_eq!(nodes(&mut mcp, "base_3"), Vec::<String>::new(), "d3 is ignored now");
    tree.remove(".gitignore");
    assert_eq!(nodes(&mut mcp, "base_3").len(), 1, "d3 is back");
}

#[test]
fn a_call_may_do_without() {
    let world = World::new();
    let tree = project(&world);
    let mut mcp = world.mcp(&tree);
    assert_eq!(nodes(&mut mcp, "base_4").len(), 1);
    let answer = mcp.call("map_search", json!({"query": "base_4", "fresh": false}));
    assert_eq!(answer.texts("/results", "id")[0], "py:d4/e1/f4.py#base_4", "{answer}");
}
