//! Tests bad requests and bad files: each gives a clear error or an answer with a warning, and nothing crashes.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hob_proto::tools::TOOLS;
use hob_tests::{Mcp, McpOptions, Tree, World};
use serde_json::{Value, json};

use super::edit::editor;

const SMALL: &str = "//- /a.py\ndef found():\n    return 1\n//- /dir/b.txt\nneedle\n";

/// Checks that the daemon still answers, and is still the same process.
#[track_caller]
fn still_well(world: &World, mcp: &mut Mcp, pid: u32) {
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    assert_eq!(world.daemon_pid(), Some(pid), "the daemon survived{answer}");
}

#[test]
fn a_root_that_is_none_is_explained() {
    let world = World::new();
    let tree = world.tree(SMALL);
    fs::write(world.path("plain_file"), "x").expect("written");
    let mut mcp = world.mcp(&tree);
    let pid_of_daemon = |mcp: &mut Mcp| {
        let _ = mcp.call("map_search", json!({"query": "found"})).ok();
        world.daemon_pid().expect("it runs")
    };
    let pid = pid_of_daemon(&mut mcp);
    let bad: &[(Value, &str)] = &[
        (json!("/no/such/folder"), "does not exist"),
        (json!(world.path("plain_file").join("x")), "not a folder"),
        (json!("/dev/null"), "not a folder"),
        (json!("/"), "not a project"),
        (json!(world.path("home")), "not a project"),
        (json!(world.path("")), "not a project"),
        (json!("/tmp"), "not a project"),
        (json!("a\0b"), "NUL"),
        (json!(""), "at least 1 character"),
        (json!(7), "a string"),
    ];
    for (root, words) in bad {
        let answer = mcp.call("map_search", json!({"query": "found", "root": root}));
        let error = answer.error("BAD_ARGS");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(words)), "`{words}`{answer}");
        assert!(
            error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "there is something to do{answer}"
        );
    }
    let by_file = mcp.call("map_search", json!({"query": "found", "root": tree.at("dir/b.txt")}));
    assert_eq!(by_file.texts("/results", "id"), ["py:a.py#found"], "a file stands for its project{by_file}");
    let relative = mcp.call("map_search", json!({"query": "found", "root": "dir"}));
    assert_eq!(relative.texts("/results", "id"), ["py:a.py#found"], "{relative}");
    still_well(&world, &mut mcp, pid);
}

#[test]
fn a_home_folder_is_a_project_only_if_the_user_says_so() {
    let world = World::new();
    let home = world.path("home");
    let dotfiles = Tree::new(&home, SMALL);
    let notes = Tree::unversioned(&home.join("notes"), SMALL);
    let search = |place: &Tree| world.hob(place.root(), &["search", "found"]);
    let refused = search(&dotfiles).code(1);
    assert!(refused.stderr.contains("not a project") && refused.stderr.contains("allow_roots"), "{refused}");
    assert!(
        search(&notes).success().contains("function found"),
        "what lies below it is a project of its own"
    );
    let status = world.status().expect("it runs");
    assert_eq!(status["workspaces"].as_array().map(Vec::len), Some(1), "nothing else was opened: {status}");

    let config = world.dir().join("config");
    fs::create_dir_all(&config).expect("made");
    fs::write(config.join("config.toml"), "allow_roots = ['~', 'here']\n").expect("written");
    let found = search(&dotfiles).success();
    assert!(found.contains("a.py\n") && found.contains("notes/a.py\n"), "{found}");
    let shown = world.hob(&home, &["config", "show", "--origin"]).success();
    assert!(shown.contains("allow_roots = [") && shown.contains("config.toml:1"), "{shown}");
    let wrong = world.hob(&home, &["config", "check"]).code(1);
    assert!(wrong.stdout.contains("`here` in `allow_roots` must be an absolute path"), "{wrong}");
}

#[test]
fn a_project_that_ignores_everything_says_so() {
    let world = World::new();
    let tree = world.tree("//- /.gitignore\n*\n//- /kernel.c\nint start_kernel(void) { return 0; }\n");
    let mut mcp = world.mcp(&tree);
    for (tool, args) in [
        ("map_overview", json!({})),
        ("map_search", json!({"query": "start_kernel"})),
        ("regex_search", json!({"pattern": "start_kernel"})),
    ] {
        let answer = mcp.call(tool, args);
        let _ = answer.ok();
        assert!(answer.warnings().contains(".gitignore"), "the culprit is named{answer}");
    }
    let status = mcp.call("map_status", json!({}));
    assert!(status.ok()["notes"].to_string().contains(".gitignore"), "{status}");
    // Debian's kernel has such exceptions as well.
    tree.write(".gitignore", "*\n!*/\n!kernel.c\n");
    let answer = mcp.call("map_search", json!({"query": "start_kernel"}));
    assert_eq!(answer.texts("/results", "id"), ["c:kernel.c#start_kernel"], "{answer}");
    tree.remove(".gitignore");
    let answer = mcp.call("map_search", json!({"query": "start_kernel"}));
    answer.without_warnings();
}

#[test]
fn a_project_without_files_or_without_known_languages_is_no_error() {
    let world = World::new();
    let empty = Tree::new(&world.path("empty"), "");
    let mut mcp = world.mcp(&empty);
    for (tool, args) in [("map_overview", json!({})), ("map_search", json!({"query": "found"}))] {
        let answer = mcp.call(tool, args);
        let _ = answer.ok();
        assert!(answer.warnings().contains("no files"), "an empty answer says why{answer}");
    }
    let foreign =
        Tree::new(&world.path("foreign"), "//- /a.cob\nIDENTIFICATION DIVISION.\n//- /b.xyz\nneedle\n");
    let mut mcp = world.mcp(&foreign);
    let overview = mcp.call("map_overview", json!({}));
    assert_eq!(overview.ok()["files"], 0, "{overview}");
    let text = mcp.call("regex_search", json!({"pattern": "needle"}));
    assert_eq!(text.texts("/matches", "file"), ["b.xyz"], "text is searched in any language{text}");
    empty.write("first.py", "def found(): pass\n");
    let answer = world.call(&empty, "map_search", &json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:first.py#found"], "and it fills{answer}");
    answer.without_warnings();
}

#[test]
fn files_that_vanish_while_they_are_indexed_are_simply_gone() {
    let world = World::new();
    let tree = world.tree(SMALL);
    for i in 0..2_000 {
        tree.write(&format!("many/f{i}.py"), format!("def vanishing_{i}():\n    return {i}\n").repeat(5));
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // From the end, because the indexer comes from the beginning. Some files are written again.
            for i in (0..2_000).rev().filter(|i| i % 3 != 0) {
                tree.remove(&format!("many/f{i}.py"));
                if i % 7 == 0 {
                    tree.write(&format!("many/f{i}.py"), "def back():\n    return 1\n");
                }
            }
            done.store(true, Ordering::Release);
        });
        let mut mcp = world.mcp(&tree);
        while !done.load(Ordering::Acquire) {
            let _ = mcp.call("map_search", json!({"query": "found"})).ok();
        }
    });
    let mut mcp = world.mcp(&tree);
    let expected = (0..2_000).filter(|i| i % 3 == 0 || i % 7 == 0).count() + 1;
    let overview = mcp.call("map_overview", json!({}));
    assert_eq!(overview.ok()["files"], expected, "{overview}");
    let text = mcp.call("regex_search", json!({"pattern": "def back", "output": "count"}));
    assert_eq!(text.ok()["total_lines"], (0..2_000).filter(|i| i % 3 != 0 && i % 7 == 0).count(), "{text}");
}

#[test]
fn bytes_that_are_no_text_are_data() {
    let world = World::new();
    let tree = world.tree(SMALL);
    tree.write("latin.py", b"# caf\xe9\ndef found_in_latin():\n    return 'caf\xe9'\n");
    tree.write("nul.py", b"def in_binary():\n    return '\0'\n");
    tree.write("broken.py", "def found_before():\n    return 1\n\ndef (((:\n\x01\x02]]]]\nclass\n");
    tree.write("deep.py", format!("x = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000)));
    tree.write("long.js", format!("var a = {};\n", "[".repeat(100_000)));
    fs::write(tree.root().join(std::ffi::OsStr::from_bytes(b"n\xffme.py")), "def unnamed(): pass\n")
        .expect("written");
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let pid = world.daemon_pid().expect("it runs");
    for id in ["py:latin.py#found_in_latin", "py:broken.py#found_before"] {
        let name = id.rsplit('#').next().expect("a name");
        let answer = mcp.call("map_search", json!({"query": name}));
        assert!(answer.texts("/results", "id").contains(&id), "{answer}");
    }
    let read = mcp.call("read_symbols", json!({"targets": ["found_in_latin"]}));
    assert!(read.text.contains("return 'caf"), "{read}");
    let text = mcp.call("regex_search", json!({"pattern": r"return 'caf."}));
    assert_eq!(text.texts("/matches", "file").len(), 0, "a byte that is no character is none{text}");
    let status = mcp.call("map_status", json!({}));
    assert!(status.ok()["notes"].to_string().contains("not valid Unicode"), "the odd name is said{status}");
    let exact = mcp.call("map_search", json!({"query": "found", "kind": "function"}));
    assert_eq!(exact.texts("/results", "id")[0], "py:a.py#found", "{exact}");
    assert_eq!(world.daemon_pid(), Some(pid), "the daemon survived");
}

#[test]
fn a_file_of_500_mb_is_left_out_and_said() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let huge = fs::File::create(tree.at("huge.py")).expect("made");
    huge.set_len(500 << 20).expect("a sparse file");
    // This file is searched, but not parsed.
    tree.write(
        "big.py",
        format!("def in_big():\n    return 1\n{}", "# filler filler filler\n".repeat(100_000)),
    );
    let mut mcp = world.mcp(&tree);
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    let status = mcp.call("map_status", json!({}));
    assert!(status.ok()["notes"].to_string().contains("huge.py"), "{status}");
    let text = mcp.call("regex_search", json!({"pattern": "def in_big"}));
    assert_eq!(text.texts("/matches", "file"), ["big.py"], "{text}");
}

#[test]
fn links_that_go_in_circles_or_away_are_not_followed() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let outside =
        Tree::unversioned(&world.path("outside"), "//- /secret.py\ndef secret(): return 'needle'\n");
    symlink("..", tree.at("dir/up")).expect("a link");
    symlink("self", tree.at("self")).expect("a link");
    symlink("loop_b", tree.at("loop_a")).expect("a link");
    symlink("loop_a", tree.at("loop_b")).expect("a link");
    symlink("nowhere", tree.at("dangling")).expect("a link");
    symlink(outside.root(), tree.at("away")).expect("a link");
    let mut mcp = world.mcp(&tree);
    let text = mcp.call("regex_search", json!({"pattern": "needle"}));
    assert_eq!(text.texts("/matches", "file"), ["dir/b.txt"], "{text}");
    for path in ["away", "away/secret.py", "../outside", "/etc", "dir/../../outside"] {
        let args = json!({"pattern": "needle", "path_prefix": path});
        let _ = mcp.call("regex_search", args).error("OUTSIDE_WORKSPACE");
        let args = json!({"query": "secret", "pathPrefix": path});
        let answer = mcp.call("map_search", args);
        assert!(
            answer.error("OUTSIDE_WORKSPACE")["hint"].as_str().is_some_and(|h| h.contains("root")),
            "{answer}"
        );
    }
    for path in ["self", "loop_a/x", "dangling"] {
        let answer = mcp.call("regex_search", json!({"pattern": "needle", "path_prefix": path}));
        let _ = answer.error("OUTSIDE_WORKSPACE");
    }
    let within = mcp.call("regex_search", json!({"pattern": "needle", "path_prefix": tree.at("dir")}));
    assert_eq!(within.ok()["total_lines"], 1, "an absolute path within is fine{within}");
}

#[test]
fn mistakes_in_arguments_are_named() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let mut mcp = world.mcp(&tree);
    let bad: &[(&str, Value, &str)] = &[
        ("map_search", json!({}), "`query`"),
        ("map_search", json!({"query": "x"}), "at least 2 characters"),
        ("map_search", json!({"query": {"x": 1}}), "must be a string or a list of strings, not an object"),
        ("map_search", json!({"query": "found", "limit": "ten"}), "integer from 1 to 100"),
        ("map_search", json!({"query": "found", "limt": 3}), "Did you mean `limit`"),
        ("map_search", json!({"query": "found", "kind": "klass"}), "Did you mean `class`"),
        ("map_search", json!({"query": "found", "path_prefix": "a", "pathPrefix": "b"}), "twice"),
        ("map_neighbors", json!({"nodeId": "py:a.py", "edgeKinds": ["callz"]}), "Did you mean `calls`"),
        ("map_path", json!({"from": "py:a.py"}), "`to`"),
        (
            "map_path",
            json!({"from": "py:a.py", "to": "py:a.py", "includeReferences": "yes"}),
            "true or false",
        ),
        ("read_symbols", json!({"targets": []}), "`targets`"),
        ("read_symbols", json!({"targets": [1]}), "string"),
        ("regex_search", json!({"pattern": ""}), "at least 1 character"),
        ("regex_search", json!({"pattern": "x", "output": 3}), "`output`"),
        ("regex_search", json!({"pattern": "x", "fresh": 1}), "`fresh`"),
    ];
    for (tool, args, words) in bad {
        let answer = mcp.call(tool, args.clone());
        let _ = answer.error("BAD_ARGS");
        answer.says(words);
    }
    let clamped = mcp.call("map_search", json!({"query": "found", "limit": 1_000_000}));
    assert!(clamped.ok()["total"] == 1 && clamped.warnings().contains("1000000"), "{clamped}");
    let either =
        mcp.call("regex_search", json!({"pattern": "needle", "pathPrefix": "dir", "contextLines": 1.0}));
    assert_eq!(either.ok()["total_lines"], 1, "names in either case, whole numbers as floats{either}");
}

#[test]
fn a_bad_pattern_shows_where() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let mut mcp = world.mcp(&tree);
    for (pattern, offset) in [("fn (unclosed", 3), ("a[b", 1), (r"\p{Nonsense}", 0), ("x{2,1}", 1)] {
        let answer = mcp.call("regex_search", json!({"pattern": pattern}));
        let error = answer.error("BAD_PATTERN");
        assert_eq!(error["offset"], offset, "{pattern}{answer}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("Rust regex")), "{answer}");
    }
    for pattern in [r"(a)\1", "a(?=b)", "(((((((((((x{1000}){1000}){1000})))))))))"] {
        let _ = mcp.call("regex_search", json!({"pattern": pattern})).error("BAD_PATTERN");
    }
    let _ = mcp.call("regex_search", json!({"pattern": "x", "glob": "a[b"})).error("BAD_PATTERN");
}

#[test]
fn node_ids_that_are_none_or_name_nothing_are_explained() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let mut mcp = world.mcp(&tree);
    for name in ["lost", "PY:a.py", "py:", "#", "::", "a.py:0"] {
        let error = mcp.call("map_neighbors", json!({"nodeId": name}));
        let _ = error.error("SYMBOL_NOT_FOUND");
    }
    for id in ["py:/etc/passwd#x", "py:../a.py#found", "py:a.py#", "py:a.py#found~0", "py:%zz"] {
        let answer = mcp.call("map_neighbors", json!({"nodeId": id}));
        let error = answer.error("BAD_NODE_ID");
        assert!(
            error["message"].as_str().is_some_and(|m| m.contains("<lang>:<relpath>")),
            "the grammar{answer}"
        );
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("map_search")), "{answer}");
    }
    let answer = mcp.call("map_neighbors", json!({"nodeId": "py:a.py#lost"}));
    let error = answer.error("NODE_NOT_FOUND");
    assert_eq!(error["sameFile"], json!(["py:a.py#found"]), "what is in that file{answer}");
    let answer = mcp.call("map_path", json!({"from": "py:a.py#found", "to": "py:gone.py#x"}));
    assert!(
        answer.error("NODE_NOT_FOUND")["message"].as_str().is_some_and(|m| m.contains("gone.py")),
        "{answer}"
    );
    let answer = mcp.call("map_neighbors", json!({"nodeId": "txt:dir/b.txt"}));
    assert!(
        answer.error("NODE_NOT_FOUND")["hint"].as_str().is_some_and(|h| h.contains("not mapped")),
        "{answer}"
    );
}

#[test]
fn a_cancelled_call_ends_and_the_next_one_answers() {
    let world = World::new();
    let tree = world.tree(SMALL);
    for i in 0..3_000 {
        tree.write(&format!("many/f{i}.py"), format!("def many_{i}():\n    return {i}\n").repeat(10));
    }
    let mut mcp = world.mcp(&tree);
    let call = mcp.send_call("map_overview", &json!({}));
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call, "reason": "test"}}));
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id")[0], "py:a.py#found", "{answer}");
}

#[test]
fn progress_is_told_to_those_who_ask() {
    let world = World::new();
    let tree = world.tree(SMALL);
    for i in 0..3_000 {
        tree.write(&format!("many/f{i}.py"), format!("def many_{i}():\n    return {i}\n").repeat(10));
    }
    let mut mcp = world.mcp(&tree);
    let params =
        json!({"name": "map_search", "arguments": {"query": "found"}, "_meta": {"progressToken": "p"}});
    let id = mcp.send_request("tools/call", params);
    let _ = mcp.wait_call(id, "map_search", json!({"query": "found"})).ok();
    let told: Vec<f64> = mcp
        .others
        .iter()
        .filter(|m| m["method"] == "notifications/progress")
        .map(|m| {
            assert_eq!(m["params"]["progressToken"], "p", "{m}");
            m["params"]["progress"].as_f64().expect("a number")
        })
        .collect();
    assert!(!told.is_empty(), "the first index of three thousand files tells how far it is");
    assert!(told.is_sorted_by(|a, b| a < b), "progress only grows: {told:?}");
}

#[test]
fn every_tool_survives_rubbish() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let mut mcp = editor(&world, &tree);
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let pid = world.daemon_pid().expect("it runs");
    let rubbish = [
        json!(null),
        json!(-1),
        json!(1e308),
        json!(""),
        json!("\u{0}"),
        json!("😀".repeat(3_000)),
        json!([[]]),
        json!({"a": {}}),
    ];
    for tool in TOOLS {
        for value in &rubbish {
            for arg in tool.all_args() {
                let mut args = json!({"query": "found", "pattern": "x", "targets": ["x"], "nodeId": "py:a.py", "from": "py:a.py", "to": "py:a.py"});
                let known = |name: &str| tool.all_args().any(|arg| arg.name == name);
                if let Some(args) = args.as_object_mut() {
                    args.retain(|name, _| known(name));
                    args.insert(arg.name.to_owned(), value.clone());
                }
                // Every answer must be an envelope within its budget, or the test ends here.
                let answer = mcp.call(tool.name, args);
                assert_ne!(answer.envelope["error"]["code"], "INTERNAL", "{answer}");
            }
        }
    }
    still_well(&world, &mut mcp, pid);
}

#[test]
fn a_shim_without_a_project_still_answers() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let options = McpOptions { cwd: Some(world.path("home")), ..McpOptions::default() };
    let mut mcp = Mcp::start(&world, &tree, &options);
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert!(answer.error("BAD_ARGS")["hint"].as_str().is_some_and(|hint| hint.contains("root")), "{answer}");
    let answer = mcp.call("map_search", json!({"query": "found", "root": tree.root()}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
}

#[test]
fn a_project_that_is_removed_is_no_crash() {
    let world = World::new();
    let tree = world.tree(SMALL);
    let mut mcp = Mcp::start(
        &world,
        &tree,
        &McpOptions {
            cwd: Some(world.path("tmp")),
            args: vec!["--root".into(), tree.root().display().to_string()],
            ..McpOptions::default()
        },
    );
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let pid = world.daemon_pid().expect("it runs");
    fs::remove_dir_all(tree.root()).expect("removed");
    let answer = mcp.call("map_search", json!({"query": "found"}));
    let said = format!("{}{}", answer.warnings(), answer.envelope["error"]["message"]);
    assert!(said.contains("does not exist") || said.contains("cannot be read"), "{answer}");
    let tree = Tree::new(&world.path("ws"), SMALL);
    let answer = world.call(&tree, "map_search", &json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    assert_eq!(world.daemon_pid(), Some(pid), "the daemon survived{answer}");
}
