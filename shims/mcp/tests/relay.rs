//! Tests the messages that `hob-mcp` passes to a daemon and back: calls and envelopes untouched, roots, progress,
//! cancellation, repetition.

#![cfg(unix)]

mod support;

use hob_proto::{ClientMessage, ServerMessage};
use serde_json::{Value, json};
use support::daemon::{ENVELOPE, FakeDaemon, call, start, start_in};

/// The real path: temporary folders are symbolic links on some systems.
fn real_path(path: &std::path::Path) -> String {
    path.canonicalize().expect("exists").display().to_string()
}

#[test]
fn a_call_and_its_envelope_go_through_untouched() {
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    let arguments = json!({"query": "ab", "path_prefix": "x", "nonsense": [1, {"z": 1, "a": 2}]});
    shim.send(&call(1, "map_search", arguments.clone()));
    let heard = daemon.call();
    assert_eq!(heard.tool, "map_search");
    assert_eq!(Value::from(heard.args.clone()).to_string(), arguments.to_string());
    assert!(!heard.progress);
    daemon.answer_call(&heard, ENVELOPE);
    let answer = shim.receive();
    assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": ENVELOPE}]));
    assert_eq!(answer["result"]["structuredContent"].to_string(), ENVELOPE);
    assert_eq!(answer["result"]["isError"], false);
}

#[test]
fn a_failure_of_the_domain_is_no_error_of_the_protocol() {
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    shim.send(&call(1, "map_search", json!({})));
    let heard = daemon.call();
    let envelope = ENVELOPE.replace("\"ok\":true", "\"ok\":false");
    daemon.send_message(ServerMessage::Answer { id: heard.id, ok: false, envelope, ask: None });
    let answer = shim.receive();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["ok"], false);
}

#[test]
fn the_root_follows_its_order_of_precedence() {
    let rooted = |shim: &mut support::Shim, daemon: &FakeDaemon| {
        shim.send(&call(1, "hob_noop", json!({})));
        let heard = daemon.call();
        daemon.answer_call(&heard, ENVELOPE);
        assert_eq!(shim.receive()["id"], 1);
        heard.root.expect("a root")
    };
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    assert_eq!(rooted(&mut shim, &daemon), real_path(shim.folder()), "the working directory");

    let (mut shim, daemon) = start_in(&[], |_| Some("/the/project".into()));
    let _ = shim.initialize("2025-11-25", json!({}));
    assert_eq!(rooted(&mut shim, &daemon), "/the/project");

    let (mut shim, daemon) = start_in(&["--root", "sub"], |_| Some("/the/project".into()));
    let _ = shim.initialize("2025-11-25", json!({"roots": {}}));
    assert_eq!(rooted(&mut shim, &daemon), format!("{}/sub", real_path(shim.folder())));
}

#[test]
fn mcp_roots_go_before_the_environment() {
    let (mut shim, daemon) = start_in(&[], |_| Some("/the/project".into()));
    let _ = shim.initialize("2025-06-18", json!({"roots": {}}));
    let uri = format!("file://{}", shim.folder().display());
    shim.send(&call(1, "hob_noop", json!({})));
    let asked = shim.receive();
    let roots =
        json!([{"uri": "file:///"}, {"uri": "https://x/y"}, {"uri": "file:///no/such/folder"}, {"uri": uri}]);
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}));
    let heard = daemon.call();
    assert_eq!(heard.root.as_deref(), shim.folder().to_str());
    daemon.answer_call(&heard, ENVELOPE);
    assert_eq!(shim.receive()["id"], 1);
}

/// Makes a repository in `main` with a linked work tree in `wt`, as git lays them out.
fn make_work_trees(folder: &std::path::Path) {
    for (path, text) in [
        ("main/.git/HEAD", ""),
        ("main/a.py", ""),
        ("main/.git/worktrees/wt/commondir", "../.."),
        ("wt/.git", "gitdir: ../main/.git/worktrees/wt"),
        ("wt/a.py", ""),
        ("other/.git/HEAD", ""),
    ] {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
}

#[test]
fn an_agent_is_followed_into_a_work_tree_of_its_repository_and_back() {
    let (mut shim, daemon) = start_in(&[], |folder| {
        make_work_trees(&folder);
        Some(folder.join("main"))
    });
    let _ = shim.initialize("2025-11-25", json!({}));
    let folder = real_path(shim.folder());
    let mut asked = |tool: &str, args: Value| {
        shim.send(&call(1, tool, args));
        let heard = daemon.call();
        daemon.answer_call(&heard, ENVELOPE);
        assert_eq!(shim.receive()["id"], 1);
        let root = heard.root.expect("a root").replace(&folder, "");
        (root.rsplit('/').next().unwrap_or_default().to_owned(), heard.followed)
    };
    let at = |path: &str| format!("{folder}/{path}");
    let main = || ("main".to_owned(), false);
    let moved = || ("wt".to_owned(), true);
    assert_eq!(asked("map_search", json!({"query": "f"})), main());
    assert_eq!(asked("read_symbols", json!({"targets": [at("other/b.py")]})), main(), "a look aside");
    assert_eq!(asked("hob_noop", json!({"file": at("wt/a.py")})), main(), "no reading");
    assert_eq!(asked("read_symbols", json!({"targets": [at("wt/a.py:1-2")]})), moved());
    assert_eq!(asked("map_search", json!({"query": "f"})), moved(), "it stays there");
    assert_eq!(asked("map_search", json!({"query": at("main/a.py")})), moved(), "words are no place");
    let named = asked("map_search", json!({"query": "f", "root": at("main")}));
    assert!(!named.1, "a root is what it says");
    assert_eq!(asked("map_search", json!({"query": "f"})), moved());
    assert_eq!(
        asked("regex_search", json!({"pattern": "x", "paths": [at("main/*.py")]})),
        main(),
        "and back"
    );
    assert_eq!(asked("map_search", json!({"query": "f"})), main());
    let _ = asked("read_symbols", json!({"targets": [at("wt/a.py")]}));
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    let _ = shim.request(2, "ping", json!({}));
    shim.send(&call(1, "map_search", json!({"query": "f"})));
    assert_eq!(daemon.call().root.as_deref(), Some(at("main").as_str()), "other roots were named");
}

#[test]
fn a_client_that_refuses_to_name_roots_is_served() {
    let (mut shim, daemon) = start_in(&[], |_| Some("/the/project".into()));
    let _ = shim.initialize("2025-06-18", json!({"roots": {}}));
    shim.send(&call(1, "hob_noop", json!({})));
    let asked = shim.receive();
    shim.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}));
    assert_eq!(daemon.call().root.as_deref(), Some("/the/project"));
}

#[test]
fn progress_is_passed_on_and_always_increases() {
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    let mut request = call(1, "hob_noop", json!({}));
    request["params"]["_meta"] = json!({"progressToken": "tok"});
    shim.send(&request);
    let heard = daemon.call();
    assert!(heard.progress);
    for done in [0, 3, 3, 7] {
        daemon.send_message(ServerMessage::Progress {
            id: heard.id,
            done,
            total: Some(9),
            message: "files".into(),
        });
    }
    let mut last = -1.0;
    while last < 7.0 {
        let notification = shim.receive();
        assert_eq!(notification["method"], "notifications/progress", "{notification}");
        let params = &notification["params"];
        assert_eq!((&params["progressToken"], &params["message"]), (&json!("tok"), &json!("files")));
        assert_eq!(params["total"], 9.0);
        let progress = params["progress"].as_f64().expect("a number");
        assert!(progress > last, "{progress} after {last}");
        last = progress;
    }
    daemon.answer_call(&heard, ENVELOPE);
    assert_eq!(shim.receive()["id"], 1);
}

#[test]
fn cancelling_reaches_the_daemon_and_the_next_call_works() {
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    shim.send(&call(1, "map_overview", json!({})));
    let heard = daemon.call();
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(daemon.next_message(), ClientMessage::Cancel { id: heard.id });
    daemon.answer_call(&heard, ENVELOPE);
    shim.send(&call(2, "hob_noop", json!({})));
    let next = daemon.call();
    daemon.answer_call(&next, ENVELOPE);
    assert_eq!(shim.receive()["id"], 2, "a cancelled request is not answered");
}

#[test]
fn many_calls_are_under_way_at_once() {
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    for id in 1..=40 {
        shim.send(&call(id, "hob_noop", json!({"root": format!("/{id}")})));
    }
    let mut heard: Vec<_> = (1..=40).map(|_| daemon.call()).collect();
    heard.reverse();
    for call in &heard {
        daemon.answer_call(call, &format!(r#"{{"ok":true,"data":{}}}"#, call.args["root"]));
    }
    for _ in 1..=40 {
        let answer = shim.receive();
        let expected = format!("/{}", answer["id"]);
        assert_eq!(answer["result"]["structuredContent"]["data"], expected, "{answer}");
    }
}

#[test]
fn a_call_survives_the_loss_of_its_daemon() {
    let (mut shim, daemon) = start(&[]);
    let _ = shim.initialize("2025-11-25", json!({}));
    shim.send(&call(1, "map_overview", json!({})));
    let _ = daemon.call();
    daemon.hang_up();
    let repeated = daemon.call();
    assert_eq!(repeated.tool, "map_overview");
    daemon.answer_call(&repeated, ENVELOPE);
    assert_eq!(shim.receive()["result"]["structuredContent"]["ok"], true);
}
