//! Tests `hob hook`: what an agent is told after its own grep, and that nothing happens if there is nothing to say.

use hob_tests::{Mcp, Output, Tree, World, is_alive};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const FIXTURE: &str = "\
//- /store.py
class SessionStore:
    def refresh(self):
        return 1

    def close(self):
        return self.refresh()
//- /auth.py
from store import SessionStore


def login(store: SessionStore):
    return store.refresh()


def logout(store: SessionStore):
    return store.refresh()
";

/// Returns the event that Claude Code sends after a search in `tree`.
fn search_event(tree: &Tree, pattern: &str, content: &str) -> String {
    json!({"cwd": tree.root(), "hook_event_name": "PostToolUse", "tool_name": "Grep",
           "tool_input": {"pattern": pattern, "output_mode": "content"},
           "tool_response": {"mode": "content", "content": content}})
    .to_string()
}

/// Returns the context that a client gets, or an empty text if there is none. On a busy machine a deadline may silence
/// the hook, so it is asked again if something is expected.
fn told(world: &World, tree: &Tree, event: &str, is_expected: bool) -> String {
    for _ in 0..50 {
        let output: Output = world.hob_with_input(tree.root(), &["hook", "claude-code"], event).code(0);
        assert!(output.stderr.is_empty(), "{output}");
        if !output.stdout.is_empty() {
            let answer: Value =
                serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}{output}"));
            return answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text").to_owned();
        }
        if !is_expected {
            break;
        }
    }
    String::new()
}

fn open(world: &World, tree: &Tree) -> Mcp {
    let mut mcp = world.mcp(tree);
    let _ = mcp.call("map_search", json!({"query": "refresh"})).ok();
    mcp
}

#[test]
fn an_open_project_tells_what_grep_does_not() {
    let (world, other_world) = (World::new(), World::new());
    let tree = world.tree(FIXTURE);
    let event = search_event(
        &tree,
        r"refresh\(",
        "auth.py:5:    return store.refresh()\nstore.py:6:        return self.refresh()",
    );
    assert_eq!(told(&world, &tree, &event, false), "", "no daemon runs");
    assert_eq!(world.daemon_pid(), None, "and none was started");
    let _mcp = open(&world, &tree);
    let text = told(&world, &tree, &event, true);
    let expected = "hob: `refresh` is SessionStore.refresh (store.py:2; 3 callers). The hits are in login (auth.py:5), \
                    SessionStore.close (store.py:6).";
    assert_eq!(text, expected);
    // The hook either knows a finished write or says nothing.
    tree.write("auth.py", "x = 1\n");
    let text = told(&world, &tree, &event, true);
    assert!(text.contains("1 caller)") && !text.contains("login"), "{text}");
    let read =
        json!({"cwd": tree.root(), "tool_name": "Read", "tool_input": {"file_path": tree.at("store.py")}});
    assert_eq!(told(&world, &tree, &read.to_string(), false), "", "nobody else uses it any more");
    // A project that is not open stays closed.
    let elsewhere = other_world.tree(FIXTURE);
    let outside = search_event(&elsewhere, "refresh", "");
    assert_eq!(told(&world, &elsewhere, &outside, false), "");
    let workspaces = world.status().expect("it runs")["workspaces"].as_array().map_or(0, Vec::len);
    assert_eq!(workspaces, 1);
    // Nobody waits for a daemon that hangs.
    let pid = world.daemon_pid().expect("it runs");
    let process = Pid::from_raw(i32::try_from(pid).expect("a process")).expect("not zero");
    kill_process(process, Signal::STOP).expect("it is ours");
    assert_eq!(told(&world, &tree, &event, false), "");
    kill_process(process, Signal::CONT).expect("it is ours");
    assert!(is_alive(pid));
}
