//! Tests the `hob` program without a daemon: exit codes, streams, and commands that need no daemon.

use std::process::{Command, Output, Stdio};

struct CliWorld {
    folder: tempfile::TempDir,
}

impl CliWorld {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
        command
            .args(args)
            .env("HOB_DIR", self.folder.path().join("hob"))
            .env("HOB_DAEMON", self.folder.path().join("no-such-daemon"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("hob runs")
    }
}

fn stdout_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn without_a_daemon_the_cause_is_on_stderr_and_the_code_is_2() {
    let world = CliWorld::new();
    for args in [&["map"][..], &["search", "ab"], &["call", "hob_noop"], &["index"]] {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr_text(&output));
        assert!(stdout_text(&output).is_empty(), "{args:?}");
        assert!(stderr_text(&output).contains("DAEMON_UNAVAILABLE"), "{args:?}: {}", stderr_text(&output));
        assert!(stderr_text(&output).contains("no-such-daemon"), "{args:?}: {}", stderr_text(&output));
        assert!(!stderr_text(&output).contains('\u{1b}'), "no colours where no terminal is");
    }
}

#[test]
fn json_is_the_envelope_and_nothing_else() {
    let world = CliWorld::new();
    let output = world.run(&["call", "map_search", r#"{"query": "ab"}"#, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let envelope: serde_json::Value = serde_json::from_str(&stdout_text(&output)).expect("one JSON value");
    assert_eq!(envelope["error"]["code"], "DAEMON_UNAVAILABLE");
    assert!(stderr_text(&output).is_empty(), "{}", stderr_text(&output));
}

#[test]
fn a_wrong_command_line_is_explained() {
    let world = CliWorld::new();
    for (args, expected) in [
        (&["call", "map_serch"][..], "map_search"),
        (&["call", "read_symbols"], "needs `targets`"),
        (&["call", "map_search", "--qery", "ab"], "--query"),
        (&["call", "map_search", r#"{"query": "ab", "limt": 3}"#], "Did you mean `limit`"),
        (&["call", "map_search", "{"], "not JSON"),
        (&["call", "map_search", "--query", "ab", "--kind", "klass"], "class"),
        (&["read"], "TARGETS"),
        (&["call"], "map_overview"),
    ] {
        let output = world.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr_text(&output).contains(expected), "{args:?}: {}", stderr_text(&output));
        assert!(stdout_text(&output).is_empty(), "{args:?}");
    }
}

#[test]
fn help_of_a_tool_comes_from_the_table() {
    let output = CliWorld::new().run(&["call", "map_neighbors", "--help"]);
    assert!(output.status.success());
    for expected in ["Who calls", "--node-id", "--edge-kinds", "--depth", "references", "--token-budget"] {
        assert!(stdout_text(&output).contains(expected), "{expected} in {}", stdout_text(&output));
    }
}

#[test]
fn status_and_stop_start_no_daemon() {
    let world = CliWorld::new();
    for verb in ["status", "stop"] {
        let output = world.run(&[verb]);
        assert!(output.status.success(), "{}", stderr_text(&output));
        assert_eq!(stdout_text(&output), "the daemon is not running\n");
    }
    let output = world.run(&["status", "--json"]);
    assert_eq!(stdout_text(&output), "{\"running\":false}\n");
}

#[test]
fn the_log_is_read_without_a_daemon() {
    let world = CliWorld::new();
    let output = world.run(&["logs"]);
    assert!(output.status.success());
    assert!(stderr_text(&output).contains("no log"), "{}", stderr_text(&output));
    let folder = world.folder.path().join("hob/state/log");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("hobd.log"), "one\ntwo\nthree\n").expect("a log");
    assert_eq!(stdout_text(&world.run(&["logs", "-n", "2"])), "two\nthree\n");
}

#[test]
fn tools_and_completions_need_no_daemon() {
    let world = CliWorld::new();
    assert!(stdout_text(&world.run(&["tools"])).contains("map_overview"));
    assert!(stdout_text(&world.run(&["tools", "--markdown"])).contains("## `regex_search`"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = world.run(&["completions", shell]);
        assert!(output.status.success());
        assert!(stdout_text(&output).contains("map_neighbors"), "{shell}");
    }
}

#[test]
fn arguments_may_come_from_standard_input() {
    use std::io::Write as _;
    let world = CliWorld::new();
    let mut child = world
        .command(&["call", "map_search", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hob runs");
    child.stdin.take().expect("piped").write_all(br#"{"query": "ab", "nope": 1}"#).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(stderr_text(&output).contains("`nope`"), "{}", stderr_text(&output));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let world = CliWorld::new();
    let mut child = world
        .command(&["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hob runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert!(stderr_text(&output).is_empty(), "{}", stderr_text(&output));
}

/// Runs the hook with `input` on its standard input.
fn hook(world: &CliWorld, client: &str, input: &[u8]) -> Output {
    use std::io::Write as _;
    let mut command = world.command(&["hook", client]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("hob starts");
    // The hook does not read the input of an unknown client.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("hob ends")
}

#[test]
fn the_hook_is_silent_and_successful_whatever_it_reads() {
    let world = CliWorld::new();
    let search =
        br#"{"cwd": "/", "tool_name": "Grep", "tool_input": {"pattern": "refresh"}, "tool_response": {}}"#;
    for client in ["claude-code", "codex", "gemini", "cursor", "opencode", "goose", ""] {
        for input in [&b""[..], b"{", b"null", b"\xff\xfe", b"[1, 2", search] {
            let output = hook(&world, client, input);
            assert_eq!(output.status.code(), Some(0), "{client}");
            assert_eq!(
                (stdout_text(&output), stderr_text(&output)),
                (String::new(), String::new()),
                "{client}"
            );
        }
    }
    assert!(!world.folder.path().join("hob").exists(), "it makes no folder, and starts no daemon");
}

#[test]
fn the_hook_does_not_wait_for_its_input_to_end() {
    let world = CliWorld::new();
    let mut child = world.command(&["hook", "codex"]).stdin(Stdio::piped()).spawn().expect("hob starts");
    let open = child.stdin.take();
    assert!(child.wait().expect("hob ends").success(), "with its input still open");
    drop(open);
}
