//! Tests many workspaces at once: worktrees, nested repositories, submodules, a part of a larger repository.
//!
//! The rule: a path belongs to the nearest version-control root above it. Seen from outside, a repository within a
//! workspace is a folder like any other (with its own ignore rules), as it is for `rg`: its files are found from either
//! side, under the paths of the workspace that was asked.

use std::fs;
use std::path::Path;

use hob_tests::{Mcp, McpOptions, Tree, World, run};
use serde_json::{Value, json};

use super::watching::fresh;

/// Runs git in `place`, with an identity and without the user's settings. Words are separated by spaces.
#[track_caller]
pub(super) fn git(world: &World, place: &Path, line: &str) {
    let mut command = std::process::Command::new("git");
    world.clean(&mut command);
    command.current_dir(place);
    for (name, value) in [("NAME", "T"), ("EMAIL", "t@example.invalid")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    // Otherwise git refuses a submodule from a folder on this machine.
    let _ = run(command.args(["-c", "protocol.file.allow=always"]).args(line.split(' ')), b"").success();
}

/// Returns the files with a match of `pattern` in the workspace of `place`.
#[track_caller]
fn files(mcp: &mut Mcp, place: &Path, pattern: &str) -> Vec<String> {
    let args = json!({"pattern": pattern, "root": place});
    let answer = fresh(mcp, "regex_search", &args);
    let mut files: Vec<String> =
        answer.without_warnings().texts("/matches", "file").iter().map(|file| (*file).to_owned()).collect();
    files.sort();
    files
}

#[track_caller]
fn status(mcp: &mut Mcp, place: &Path) -> Value {
    mcp.call("map_status", json!({"root": place})).ok().clone()
}

#[test]
fn a_second_worktree_parses_nothing() {
    let world = World::new();
    let tree = Tree::unversioned(&world.path("ws"), "//- /.gitignore\n*.log\n");
    for i in 0..50 {
        tree.write(&format!("p{}/m{i}.py", i % 5), format!("def f{i}():\n    return {i}\n"));
    }
    git(&world, tree.root(), "init -q -b main");
    git(&world, tree.root(), "add .");
    git(&world, tree.root(), "commit -q -m one");
    let mut mcp = world.mcp(&tree);
    assert_eq!(files(&mut mcp, tree.root(), r"def f7\b"), ["p2/m7.py"]);
    // Text is found before the map exists, and extracted facts are stored once it does.
    let _ = fresh(&mut mcp, "map_search", &json!({"query": "f49", "root": tree.root()})).ok();
    assert_eq!(status(&mut mcp, tree.root())["memory"]["factsExtracted"], 50);
    git(&world, tree.root(), "worktree add -q ../second -b second");
    let second = Tree::existing(&world.path("second"));
    assert_eq!(files(&mut mcp, second.root(), r"def f7\b"), ["p2/m7.py"]);
    let known = fresh(&mut mcp, "map_search", &json!({"query": "f49", "root": second.root()}));
    assert_eq!(known.texts("/results", "id")[0], "py:p4/m49.py#f49");
    let seen = status(&mut mcp, second.root());
    assert_eq!(seen["root"], second.root().to_str().expect("text"));
    assert_eq!(
        (&seen["memory"]["factsExtracted"], &seen["memory"]["factsFromStore"]),
        (&json!(0), &json!(50)),
        "{seen}"
    );
    // Each follows its own files.
    second.write("p2/m7.py", "def changed_there():\n    pass\n");
    second.write("noise.log", "def changed_there\n");
    assert_eq!(files(&mut mcp, second.root(), "changed_there"), ["p2/m7.py"]);
    assert_eq!(files(&mut mcp, tree.root(), "changed_there"), Vec::<String>::new());
    tree.write("p2/m7.py", "def changed_here():\n    pass\n");
    assert_eq!(files(&mut mcp, second.root(), "changed_here"), Vec::<String>::new());
    assert_eq!(files(&mut mcp, &tree.at("p2"), "changed_here"), ["p2/m7.py"]);
    // The removal of a worktree does not affect the other one.
    git(&world, tree.root(), "worktree remove --force ../second");
    assert_eq!(files(&mut mcp, tree.root(), "changed_here"), ["p2/m7.py"]);
    let gone = mcp.call("regex_search", json!({"pattern": "changed", "root": world.path("second")}));
    assert!(!gone.text.contains("changed_there"), "{gone}");
    assert!(
        gone.envelope["ok"] == false || gone.warnings().contains("cannot be read"),
        "it is said why{gone}"
    );
}

#[test]
fn a_repository_within_another_is_seen_from_both_sides() {
    let world = World::new();
    let tree = world.tree("//- /.gitignore\n*.tmp\n//- /outer.py\nneedle\n//- /outer.tmp\nneedle\n");
    let inner = Tree::new(
        &tree.at("third_party/inner"),
        "//- /.gitignore\n*.gen\n//- /i.py\nneedle\n//- /i.gen\nneedle\n//- /i.tmp\nneedle\n",
    );
    let mut mcp = world.mcp(&tree);
    let from_outside = ["outer.py", "third_party/inner/i.py", "third_party/inner/i.tmp"];
    assert_eq!(files(&mut mcp, tree.root(), "needle"), from_outside);
    assert_eq!(files(&mut mcp, inner.root(), "needle"), ["i.py", "i.tmp"]);
    assert_eq!(files(&mut mcp, &inner.at("i.py"), "needle"), ["i.py", "i.tmp"], "any place within it");
    inner.write("more.py", "needle\n");
    assert_eq!(files(&mut mcp, inner.root(), "needle"), ["i.py", "i.tmp", "more.py"]);
    assert_eq!(files(&mut mcp, tree.root(), "needle").len(), 4, "both follow the same write");
    // A folder that is no longer a repository follows the rules around it again.
    fs::remove_dir_all(inner.at(".git")).expect("it can be removed");
    let now = ["outer.py", "third_party/inner/i.py", "third_party/inner/more.py"];
    assert_eq!(files(&mut mcp, tree.root(), "needle"), now);
}

#[test]
fn a_submodule_is_a_workspace_and_a_folder_of_the_one_around_it() {
    let world = World::new();
    let library = Tree::unversioned(&world.path("library"), "//- /lib.py\ndef of_library(): pass\n");
    let tree = Tree::unversioned(&world.path("ws"), "//- /app.py\ndef of_app(): pass\n");
    for place in [&library, &tree] {
        git(&world, place.root(), "init -q -b main");
        git(&world, place.root(), "add .");
        git(&world, place.root(), "commit -q -m one");
    }
    let mut mcp = world.mcp(&tree);
    assert_eq!(files(&mut mcp, tree.root(), "def of_"), ["app.py"]);
    git(&world, tree.root(), "submodule -q add ../library vendor/library");
    let submodule = tree.at("vendor/library");
    assert_eq!(files(&mut mcp, tree.root(), "def of_"), ["app.py", "vendor/library/lib.py"]);
    assert_eq!(files(&mut mcp, &submodule, "def of_"), ["lib.py"]);
    assert_eq!(status(&mut mcp, &submodule)["root"], submodule.to_str().expect("text"));
    library.write("lib.py", "def of_library_2(): pass\n");
    git(&world, library.root(), "commit -q -a -m two");
    git(&world, tree.root(), "submodule -q update --remote");
    assert_eq!(files(&mut mcp, tree.root(), "of_library_2"), ["vendor/library/lib.py"]);
    assert_eq!(files(&mut mcp, &submodule, "of_library_2"), ["lib.py"]);
    git(&world, tree.root(), "submodule -q deinit -f vendor/library");
    assert_eq!(files(&mut mcp, tree.root(), "def of_"), ["app.py"]);
}

#[test]
fn a_part_of_a_repository_is_asked_for_under_the_whole() {
    let world = World::new();
    let tree = world.tree("//- /package.json\n{}\n//- /packages/ui/package.json\n{}\n//- /packages/ui/a.ts\nneedle\n//- /packages/api/b.ts\nneedle\n");
    let part = tree.at("packages/ui");
    // Wherever in it a client was started, the repository is the workspace, and paths are relative to it.
    let options = McpOptions { cwd: Some(part.clone()), ..McpOptions::default() };
    let mut mcp = Mcp::start(&world, &tree, &options);
    let answer = fresh(&mut mcp, "regex_search", &json!({"pattern": "needle"}));
    assert_eq!(answer.texts("/matches", "file").len(), 2, "{answer}");
    assert_eq!(files(&mut mcp, &part, "needle"), ["packages/api/b.ts", "packages/ui/a.ts"]);
    let args = json!({"pattern": "needle", "path_prefix": "packages/ui", "root": part});
    let narrowed = fresh(&mut mcp, "regex_search", &args);
    assert_eq!(narrowed.texts("/matches", "file"), ["packages/ui/a.ts"], "{narrowed}");
    assert_eq!(world.status().expect("a daemon runs")["workspaces"].as_array().map(Vec::len), Some(1));
}

/// The memory limit is far below the needs of any process. So every project except the last is closed a few seconds
/// after it was used, even if nobody calls.
#[test]
fn what_is_too_much_goes_although_nobody_calls() {
    let world = World::new().env("HOB_MEMORY", "1 MiB");
    for name in ["one", "two", "three"] {
        let tree = Tree::new(
            &world.path(name),
            "//- /.git/HEAD\nref: refs/heads/main\n//- /a.py\ndef found():\n    return 1\n",
        );
        let _ = world.hob(tree.root(), &["search", "found"]).code(0);
    }
    let open = || world.status().expect("a daemon runs")["workspaces"].as_array().map_or(0, Vec::len);
    let since = std::time::Instant::now();
    while open() > 1 {
        assert!(since.elapsed() < hob_tests::FOREVER, "{} projects are open", open());
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn an_agent_that_moves_into_a_work_tree_is_followed_and_told_so() {
    let world = World::new();
    let tree = Tree::unversioned(&world.path("ws"), "//- /a.py\ndef here():\n    pass\n");
    git(&world, tree.root(), "init -q -b main");
    git(&world, tree.root(), "add .");
    git(&world, tree.root(), "commit -q -m one");
    git(&world, tree.root(), "worktree add -q ../moved -b moved");
    let moved = Tree::existing(&world.path("moved"));
    moved.write("a.py", "def there():\n    pass\n");
    let mut mcp = world.mcp(&tree);
    let mut defined = |args: Value| {
        let answer = mcp.call("read_symbols", args);
        let names: Vec<String> =
            answer.texts("/symbols", "name").iter().map(|name| (*name).to_owned()).collect();
        (names.concat(), answer.warnings())
    };
    assert_eq!(defined(json!({"targets": ["a.py:1"]})), ("here".to_owned(), String::new()));
    let file = |tree: &Tree| json!({"targets": [format!("{}:1", tree.at("a.py").display())]});
    for args in [file(&moved), json!({"targets": ["a.py:1"]})] {
        let (name, warnings) = defined(args);
        assert_eq!(name, "there");
        assert!(warnings.contains("About the work tree `") && warnings.contains("moved`"), "{warnings}");
    }
    let (name, warnings) = defined(file(&tree));
    assert!(name == "here" && warnings.contains("; the answer before was about `"), "{name}: {warnings}");
    assert_eq!(defined(json!({"targets": ["a.py:1"]})), ("here".to_owned(), String::new()));
    // A folder that is too large to be a project is refused, with a hint.
    let home = defined_error(&world, &tree, "/tmp");
    assert!(home.contains("not a project") && home.contains("`root`"), "{home}");
}

/// Returns the message and the hint of the error that a question about a folder gives.
#[track_caller]
fn defined_error(world: &World, tree: &Tree, root: &str) -> String {
    let answer = world.mcp(tree).call("map_search", json!({"query": "here", "root": root}));
    answer.envelope["error"].to_string()
}
