//! Nothing that a language server starts is left over, however the daemon or the server ends.

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use hob_live::process::{Guard, Proc, ServerCommand, ServerProcess, processes_below, scrubbed_environment};

/// A server that starts a helper, another that detaches itself, and one whose parent is gone at once; then says so and
/// answers with what it is told.
const SERVER: &str =
    "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) ; echo ready; echo trouble >&2; exec cat";

/// As `SERVER`, but deaf to the end of its input.
const DEAF: &str = "trap '' TERM HUP INT; (setsid sleep 1000 &) ; echo ready; while :; do sleep 1000; done";

struct Started {
    server: ServerProcess,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

fn start(script: &str) -> Started {
    let command = ServerCommand {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: scrubbed_environment(std::env::vars_os()),
        cwd: "/".into(),
    };
    let guard = Guard::from_program(env!("CARGO_BIN_EXE_hobd").into());
    let (server, (input, output)) = ServerProcess::start(&command, Some(&guard)).expect("it starts");
    let mut started = Started { server, input, output: BufReader::new(output) };
    assert_eq!(line(&mut started), "ready\n");
    started
}

fn line(started: &mut Started) -> String {
    let mut line = String::new();
    started.output.read_line(&mut line).expect("it lives");
    line
}

/// All processes of the server, once its helpers are there.
fn family(started: &Started, count: usize) -> Vec<Proc> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let family = processes_below(started.server.pid());
        if family.len() >= count || Instant::now() > until {
            assert!(family.len() >= count, "{family:?}");
            return family;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[track_caller]
fn assert_gone(family: &[Proc]) {
    let is_there = |process: &&Proc| {
        processes_below(process.pid).first().is_some_and(|now| now.parent != 0 && alive(now))
    };
    let until = Instant::now() + Duration::from_secs(30);
    while family.iter().any(|process| is_there(&process)) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let left: Vec<_> = family.iter().filter(is_there).collect();
    assert!(left.is_empty(), "left over: {left:?}");
}

/// A zombie waits for its parent only.
fn alive(process: &Proc) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.is_empty())
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_under_a_guard_is_talked_to_as_if_there_were_none() {
    let mut started = start(SERVER);
    started.input.write_all(b"hello\n").expect("it reads");
    assert_eq!(line(&mut started), "hello\n");
    assert!(started.server.rss_bytes() > 0);
    // It comes by a pipe of its own, which somebody else reads.
    let until = Instant::now() + Duration::from_secs(30);
    while started.server.stderr_tail().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(started.server.stderr_tail(), ["trouble"]);
    let mut failing = start("echo ready; exit 7");
    assert_eq!(failing.server.wait(Duration::from_secs(30)).and_then(|ended| ended.code), Some(7));
    assert_eq!(line(&mut failing), "");
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_the_daemon_ends_all_of_it() {
    for script in [SERVER, DEAF] {
        let started = start(script);
        let family = family(&started, 4);
        // As far as the guard can tell, a killed daemon is a closed pipe.
        drop(started.input);
        assert_gone(&family);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_the_server_ends_its_helpers() {
    let started = start(SERVER);
    let family = family(&started, 5);
    let guard = started.server.pid();
    let server = family.iter().find(|process| process.parent == guard).expect("the server itself");
    super::support::kill(server.pid);
    assert_gone(&family);
    assert_eq!(started.server.wait(Duration::from_secs(30)).and_then(|ended| ended.code), Some(128 + 9));
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_guard_leaves_nothing_to_the_daemon_but_to_end_the_rest() {
    // A helper that detached itself is beyond reach then; nobody but the guard could know that it is ours.
    let started = start("sleep 1000 & sleep 1000 & echo ready; exec cat");
    let family = family(&started, 4);
    super::support::kill(started.server.pid());
    started.server.kill();
    assert_gone(&family);
}
