//! Finds processes that tests started without keeping a handle, which are daemons.
//!
//! A daemon is recognised by the folder in its environment, never by its name: a test must not touch other daemons on
//! this machine.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

fn pid_of(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// Returns true if a process with this ID exists and is not a zombie.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    let exists = pid_of(pid).is_some_and(|pid| test_kill_process(pid).is_ok());
    exists && !is_zombie(pid)
}

fn is_zombie(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The name in parentheses may contain anything; the state follows it.
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

/// Ends a process as a crash would, and waits until it is gone.
///
/// # Panics
///
/// Panics if it does not end.
pub fn kill_hard(pid: u32) {
    if let Some(target) = pid_of(pid) {
        let _ = kill_process(target, Signal::KILL);
    }
    assert!(ends(pid, Duration::from_secs(30)), "process {pid} survives SIGKILL");
}

/// Waits for the end of a process, and returns true if it has ended in time.
pub fn ends(pid: u32, patience: Duration) -> bool {
    let start = Instant::now();
    while is_alive(pid) {
        if start.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Returns the living processes that a process has started itself. Works only on Linux.
#[must_use]
pub fn children_of(parent: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent_of = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    pids.filter(|pid| parent_of(pid) == Some(parent) && is_alive(*pid)).collect()
}

/// Returns the living processes that were started with `HOB_DIR` set to `dir`, with their command lines. Works only on
/// Linux; elsewhere the list is empty, and the daemon's lock is used instead.
pub(crate) fn of_hob_dir(dir: &Path) -> Vec<(u32, String)> {
    let wanted = format!("HOB_DIR={}", dir.display()).into_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ours = pids.filter(|pid| {
        let env = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        env.split(|byte| *byte == 0).any(|variable| variable == wanted) && is_alive(*pid)
    });
    ours.map(|pid| (pid, command_line(pid))).collect()
}

fn command_line(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}
