//! Looks for other daemons of this user: one is meant to serve all programs, and two do not know each other's pending
//! edits.
//!
//! A daemon with a `HOB_DIR` or a home folder of its own was started on purpose. One with the same folders as this
//! program, which this program does not find, was not.

use std::path::{Path, PathBuf};

use hob_proto::holder;
use hob_proto::places::Places;

use super::check::Finding;
use super::surroundings::Surroundings;

/// Lists daemons and sockets besides the daemon that this program would ask.
pub(super) fn check_others(around: &Surroundings) -> Vec<Finding> {
    let Ok(settings) = &around.settings else { return Vec::new() };
    let ours = pid_at(&settings.places.daemon_lock());
    let others = list_daemons().into_iter().filter(|other| Some(other.pid) != ours);
    let (same, apart): (Vec<OtherDaemon>, Vec<OtherDaemon>) = others.partition(OtherDaemon::has_our_folders);
    let mut findings: Vec<Finding> =
        same.iter().map(|other| unwanted_finding(&other.description(), other.pid, ours)).collect();
    findings.extend(hidden_daemons(&settings.places, &same, ours));
    if !apart.is_empty() {
        let named: Vec<String> = apart.iter().map(OtherDaemon::description).collect();
        let text = format!("daemons of yours that have folders of their own: {}", named.join(", "));
        findings.push(Finding::ok(text));
    }
    findings
}

/// Returns the process that holds a daemon's lock.
fn pid_at(lock: &Path) -> Option<u32> {
    holder::read_pid(lock).filter(|_| holder::is_held(lock).unwrap_or(false))
}

fn unwanted_finding(words: &str, pid: u32, ours: Option<u32>) -> Finding {
    let found = match ours {
        Some(ours) => format!("programs here find process {ours}"),
        None => "programs here do not find it".to_owned(),
    };
    let text = format!(
        "another daemon of yours runs: {words}; {found}, and neither knows of the other's pending edits"
    );
    Finding::warning(text).with_fix(format!("if it is still so in a minute: kill {pid}"))
}

/// Finds this user's daemons in other places that the system's list of processes does not show.
fn hidden_daemons(places: &Places, listed: &[OtherDaemon], ours: Option<u32>) -> Vec<Finding> {
    let runtimes = places.other_runtimes();
    let found = runtimes.iter().filter_map(|runtime| Some((runtime, pid_at(&runtime.join("daemon.lock"))?)));
    let unlisted = found.filter(|(_, pid)| listed.iter().all(|other| other.pid != *pid));
    unlisted
        .map(|(runtime, pid)| {
            unwanted_finding(&format!("process {pid} with its socket in {}", runtime.display()), pid, ours)
        })
        .collect()
}

/// A daemon, with the variables that decide about its folders.
#[derive(Debug)]
struct OtherDaemon {
    pid: u32,
    program: PathBuf,
    hob_dir: Option<String>,
    home: Option<String>,
}

impl OtherDaemon {
    /// Returns true if it would use the same folders as this program's daemon.
    fn has_our_folders(&self) -> bool {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        match (&self.hob_dir, set("HOB_DIR")) {
            (None, None) => match (&self.home, set("HOME")) {
                (Some(theirs), Some(ours)) => *theirs == ours,
                _ => true,
            },
            (theirs, ours) => *theirs == ours,
        }
    }

    fn description(&self) -> String {
        let folder = match (&self.hob_dir, &self.home) {
            (Some(dir), _) => format!(", HOB_DIR={dir}"),
            (None, Some(home)) => format!(", HOME={home}"),
            (None, None) => String::new(),
        };
        format!("process {} ({}{folder})", self.pid, self.program.display())
    }
}

/// Lists the daemons among this user's processes, as far as the system shows them.
fn list_daemons() -> Vec<OtherDaemon> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut daemons: Vec<OtherDaemon> = pids.filter_map(daemon_of_process).collect();
    daemons.sort_by_key(|daemon| daemon.pid);
    daemons
}

/// Returns this process as a daemon, if it is one. Its copies that guard language servers or answer questions do not
/// count: their first argument shows it. Another user's process cannot be read.
fn daemon_of_process(pid: u32) -> Option<OtherDaemon> {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let program = std::fs::read_link(folder.join("exe")).ok()?;
    let is_named_so = program.file_name().is_some_and(|name| name == "hobd" || name == "hobd (deleted)");
    let words = std::fs::read(folder.join("cmdline")).ok()?;
    let first = words.split(|byte| *byte == 0).nth(1).unwrap_or_default();
    let environment = std::fs::read(folder.join("environ")).ok()?;
    let variable = |name: &str| {
        let all = environment.split(|byte| *byte == 0);
        let value = all.filter_map(|one| one.strip_prefix(name.as_bytes())?.strip_prefix(b"=")).next()?;
        Some(String::from_utf8_lossy(value).into_owned()).filter(|value| !value.is_empty())
    };
    let is_daemon = is_named_so && (first.is_empty() || first.starts_with(b"-"));
    is_daemon.then(|| OtherDaemon { pid, program, hob_dir: variable("HOB_DIR"), home: variable("HOME") })
}
