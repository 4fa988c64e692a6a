//! Tests that all programs of one user find the same daemon, however little of the environment they were given.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use hob_tests::{Output, Tree, World, is_alive, kill_hard, outside, run};
use serde_json::{Value, json};

const FILES: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
one = 1
";

/// A home folder without `HOB_DIR`. Dropping it ends its daemons.
struct Home {
    world: World,
}

impl Home {
    fn new() -> Self {
        let home = Self { world: World::new() };
        for folder in ["session", "moved"] {
            std::fs::create_dir(home.world.path(folder)).expect("made");
        }
        home
    }

    fn tree(&self) -> Tree {
        self.world.tree(FILES)
    }

    fn folder(&self) -> PathBuf {
        self.world.path("home")
    }

    /// Returns a command started like `env -i HOME=$HOME PATH=$PATH`, as Codex and the MCP SDKs start servers.
    fn filtered(&self, program: &str) -> Command {
        let mut command = self.world.command(program);
        command.env_clear().env("HOME", self.folder());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    /// Returns a command with the environment of a session's shell.
    fn full(&self, program: &str) -> Command {
        let mut command = self.filtered(program);
        command.env("XDG_RUNTIME_DIR", self.world.path("session")).env("LANG", "C.UTF-8");
        command
    }

    fn run(command: Command, tree: &Tree, args: &[&str]) -> Output {
        let mut command = command;
        run(command.args(args).current_dir(tree.root()), b"")
    }

    /// Returns the process IDs of the daemons of this home.
    fn daemons(&self) -> BTreeSet<u32> {
        let wanted = format!("HOME={}", self.folder().display()).into_bytes();
        let entries = std::fs::read_dir("/proc").expect("Linux lists processes").flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            program.file_name().is_some_and(|name| name == "hobd")
                && environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
                && is_alive(*pid)
        };
        pids.filter(is_ours).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.daemons().into_iter().for_each(kill_hard);
    }
}

fn pid(said: &Output) -> u64 {
    let status: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    status["pid"].as_u64().unwrap_or_else(|| panic!("no daemon is found: {said}"))
}

#[test]
fn a_filtered_environment_finds_the_daemon_of_a_full_one() {
    let home = Home::new();
    let tree = home.tree();
    let _ = Home::run(home.full("hob"), &tree, &["search", "one"]).code(0);
    let _ = Home::run(home.filtered("hob"), &tree, &["search", "one"]).code(0);
    let status = |command| pid(&Home::run(command, &tree, &["status", "--json"]));
    assert_eq!(status(home.full("hob")), status(home.filtered("hob")));
    assert_eq!(home.daemons().len(), 1);
    let _ = Home::run(home.filtered("hob"), &tree, &["stop"]).code(0);
    let _ = Home::run(home.filtered("hob"), &tree, &["search", "one"]).code(0);
    assert_eq!(status(home.full("hob")), status(home.filtered("hob")));
    let _ = Home::run(home.full("hob"), &tree, &["stop"]).code(0);
}

/// The Python SDK gives a server `HOME`, `PATH` and little else.
#[test]
fn what_a_real_client_proposes_is_seen_in_a_shell() {
    let home = Home::new();
    let tree = home.tree();
    let plan = json!({
        "command": home.filtered("hob-mcp").get_program().to_str(),
        "args": ["--tools", "all", "--edits"],
        "env": null,
        "cwd": tree.root(),
        "calls": [{"name": "edit_text", "arguments": {"file": "a.py", "old": "one", "new": "uno"}}],
    });
    let mut client = home.full("hob");
    let mut python = Command::new(outside::python());
    python.env_clear().envs(client.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said =
        run(python.arg("client.py").arg(plan.to_string()).current_dir(outside::clients()), b"").success();
    assert!(said.contains("pendingId"), "{said}");
    let listed = run(client.arg("pending").current_dir(tree.root()), b"").success();
    assert!(listed.contains("Replace text in a.py"), "{listed}");
    assert_eq!(home.daemons().len(), 1);
}

/// Whoever starts the daemon, it keeps its data where the last one did, and trust is written where it is read.
#[test]
fn folders_that_only_some_programs_name_are_everybodys() {
    let home = Home::new();
    let tree = home.tree();
    let moved = |program: &str| {
        let mut command = home.full(program);
        command.env("XDG_STATE_HOME", home.world.path("moved"));
        command
    };
    let trusted = |command| Home::run(command, &tree, &["trust", "--list"]).success();
    let _ = Home::run(moved("hob"), &tree, &["search", "one"]).code(0);
    let _ = Home::run(home.filtered("hob"), &tree, &["trust", "--yes"]).code(0);
    assert!(home.world.path("moved/hob/trust.json").is_file());
    assert_eq!(trusted(moved("hob")), trusted(home.filtered("hob")));
    let _ = Home::run(home.filtered("hob"), &tree, &["stop"]).code(0);
    let _ = Home::run(home.filtered("hob"), &tree, &["search", "one"]).code(0);
    assert!(!home.folder().join(".local/state/hob/trust.json").exists());
    assert_eq!(trusted(moved("hob")), trusted(home.filtered("hob")));
    let _ = Home::run(moved("hob"), &tree, &["purge", "--yes", "--settings"]).code(0);
    assert!(!home.folder().join(".local/state/hob").exists(), "{:?}", home.folder());
}

#[test]
fn two_daemons_never_keep_the_same_folders() {
    let home = Home::new();
    let tree = home.tree();
    let _ = Home::run(home.full("hob"), &tree, &["search", "one"]).code(0);
    let first = *home.daemons().first().expect("it runs");
    // Another home has another place for the socket, but here it has the state of the first one.
    let mut second = home.filtered("hob");
    second.env("HOME", home.world.path("tmp")).env("XDG_STATE_HOME", home.folder().join(".local/state"));
    let refused = Home::run(second, &tree, &["search", "one"]).code(2);
    for word in [format!("process {first}"), ".local/state/hob".to_owned(), "listens at".to_owned()] {
        assert!(refused.stderr.contains(&word), "no {word} in {refused}");
    }
    let _ = Home::run(home.full("hob"), &tree, &["search", "one"]).code(0);
    assert_eq!(home.daemons(), BTreeSet::from([first]));
}

/// Programs do not find a daemon of an older hob or one whose lock was lost, but the doctor does.
#[test]
fn the_doctor_names_a_daemon_that_programs_do_not_find() {
    let home = Home::new();
    let tree = home.tree();
    let _ = Home::run(home.full("hob"), &tree, &["search", "one"]).code(0);
    let lost = *home.daemons().first().expect("it runs");
    // While it is stopped, it cannot notice that its folder is gone.
    let pid = rustix::process::Pid::from_raw(lost.try_into().expect("a process number")).expect("not 0");
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("it is ours");
    let runtime = home.folder().join(".local/state/hob");
    std::fs::rename(&runtime, home.world.path("away")).expect("moved");
    let report = Home::run(home.full("hob"), &tree, &["doctor", "--json"]);
    let report: Value =
        serde_json::from_str(&report.stdout).unwrap_or_else(|error| panic!("{error}: {report}"));
    let findings = report["findings"].as_array().expect("a list");
    let of_others = findings.iter().find(|one| one["check"] == "others" && one["level"] == "warning");
    let text = of_others.unwrap_or_else(|| panic!("no word of {lost}: {report}"))["text"].to_string();
    assert!(text.contains(&format!("process {lost}")), "{text}");
}
