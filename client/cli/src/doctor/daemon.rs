//! Checks the daemon: whether one runs, answers, and is of this build. `crash` checks how the last one ended.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use hob_client::{ConnectedDaemon, Settings, Unavailable};
use hob_proto::places::SOCKET_PATH_MAX;

use super::check::{Check, Finding};
use super::crash::check_crashes;
use super::others::check_others;
use super::surroundings::{Daemon, Surroundings};
use crate::render;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "running", run: check_running },
    Check { name: "build", run: |around| build(around).into_iter().collect() },
    Check { name: "socket", run: check_socket },
    Check { name: "lock", run: |around| lock(around).into_iter().collect() },
    Check { name: "others", run: check_others },
    Check { name: "crash", run: check_crashes },
    Check { name: "notices", run: check_notices },
];

fn check_running(around: &Surroundings) -> Vec<Finding> {
    let one = match &around.daemon {
        Daemon::NotAsked(why) => match &around.settings {
            Err(_) => Finding::problem(format!("there is no place for hob's files: {why}")).with_fix(
                "set HOB_DIR to an absolute path, such as HOB_DIR=$HOME/.hob, or HOME to your home folder",
            ),
            Ok(_) => Finding::note(format!("the daemon was not asked: {why}")),
        },
        Daemon::Nobody => Finding::note("no daemon runs; the first question starts one")
            .with_fix("hob doctor --start looks at what only a daemon knows"),
        Daemon::Leaving => Finding::note("the daemon is ending; the next question starts another"),
        Daemon::Refusing { version, reason } => {
            Finding::warning(format!("a daemon of version {version} runs and refuses this hob: {reason}"))
                .with_fix(
                    "the next question replaces it if it is older; else use the hob of that installation",
                )
        }
        Daemon::Broken(why) => broken_daemon_finding(why),
        Daemon::Serving(server) => {
            let up = around.status["uptimeS"].as_u64().unwrap_or(0);
            let text = format!(
                "hobd {} runs, process {}, up {}",
                server.build.version,
                server.pid,
                render::duration_text(up)
            );
            match around.status["retiring"] == true {
                true => Finding::note(format!("{text}, and is ending")),
                false => Finding::ok(text),
            }
        }
        Daemon::Mute(server) => {
            let text = format!(
                "hobd {}, process {}, took the connection and gives no status",
                server.build.version, server.pid
            );
            Finding::problem(text)
                .with_fix(format!("hob logs shows what it does; if it hangs: kill {}", server.pid))
        }
    };
    vec![one]
}

fn broken_daemon_finding(why: &Unavailable) -> Finding {
    let error = why.to_tool_error();
    let last: String =
        why.log_tail().last().map(|line| format!("; the last line of its log: {line}")).unwrap_or_default();
    let finding = Finding::problem(format!("{}{last}", error.message));
    if error.hint.is_empty() {
        finding.with_fix("hob logs shows the daemon's log")
    } else {
        finding.with_fix(error.hint)
    }
}

fn build(around: &Surroundings) -> Option<Finding> {
    let (Daemon::Serving(server) | Daemon::Mute(server)) = &around.daemon else { return None };
    let settings = around.settings.as_ref().ok()?;
    let ours = settings.build();
    let program = program_of(server);
    let from = program.as_ref().map(|path| format!(" ({})", path.display())).unwrap_or_default();
    let (theirs, mine) = (&server.build.version, &ours.version);
    Some(if ours.is_newer_than(&server.build) {
        let text = format!(
            "the daemon that runs is older than what is installed: {theirs}{from}, installed is {mine}"
        );
        Finding::warning(text).with_fix("hob stop; the next question starts the one that is installed")
    } else if server.build.is_newer_than(&ours) {
        let text = format!("the daemon that runs is newer than this hob: {theirs}{from}, this is {mine}");
        Finding::note(text).with_fix("use the programs of that installation, or remove this one")
    } else {
        other_program(server, settings, program)
            .unwrap_or_else(|| Finding::ok("the daemon is the one that is installed"))
    })
}

fn other_program(server: &ConnectedDaemon, settings: &Settings, theirs: Option<PathBuf>) -> Option<Finding> {
    let (theirs, ours) = (theirs?, settings.program.path.as_ref()?.canonicalize().ok()?);
    let text = format!(
        "the daemon (process {}) runs from {}, not from {}",
        server.pid,
        theirs.display(),
        ours.display()
    );
    (theirs != ours)
        .then(|| Finding::note(text).with_fix("hob stop, if the other installation is not wanted"))
}

/// Returns the file that the daemon was started from, if the system reports it.
fn program_of(server: &ConnectedDaemon) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{}/exe", server.pid)).ok()
}

fn check_socket(around: &Surroundings) -> Vec<Finding> {
    let Ok(settings) = &around.settings else { return Vec::new() };
    let places = &settings.places;
    let mut findings = Vec::new();
    if cfg!(unix) && !places.socket.starts_with(&places.runtime) {
        let long = places.runtime.join("hobd.sock").as_os_str().len();
        let text = format!(
            "the path of hob's folder is too long for a socket ({long} bytes, {SOCKET_PATH_MAX} is the limit), so the socket is {}",
            places.socket.display()
        );
        findings.push(
            Finding::note(text).with_fix("set HOB_DIR to a shorter path, for every program that uses hob"),
        );
    }
    let left = places.socket.symlink_metadata().is_ok();
    match &around.daemon {
        Daemon::Nobody if left && is_listened_at(&places.socket) => {
            findings.push(Finding::ok(
                "a service manager listens for the daemon, and starts it for the first question",
            ));
        }
        Daemon::Nobody if cfg!(unix) && left => {
            let text =
                format!("a daemon that did not end properly left its socket, {}", places.socket.display());
            findings.push(Finding::note(text).with_fix("nothing to do: the next start replaces it"));
        }
        Daemon::Serving(_) => {
            findings.push(Finding::ok(format!("it answers at {}", places.socket.display())));
        }
        _ => {}
    }
    findings
}

/// Returns true if the system lists a listener at `socket`; `false` where it lists none.
fn is_listened_at(socket: &Path) -> bool {
    let all = std::fs::read("/proc/net/unix").unwrap_or_default();
    let path = socket.as_os_str().as_encoded_bytes();
    all.split(|byte| *byte == b'\n').any(|line| line.ends_with(path))
}

/// Finds a lock whose holder does not listen.
fn lock(around: &Surroundings) -> Option<Finding> {
    if !matches!(around.daemon, Daemon::Nobody | Daemon::Leaving | Daemon::Broken(_)) {
        return None;
    }
    let path = around.settings.as_ref().ok()?.places.daemon_lock();
    let mut file = File::open(&path).ok()?;
    match file.try_lock() {
        Ok(()) => {
            let _ = file.unlock();
            None
        }
        Err(_) => {
            let mut pid = String::new();
            let _ = file.read_to_string(&mut pid);
            let pid = pid.trim();
            let text =
                format!("process {pid} holds the daemon's lock, {}, and does not listen", path.display());
            Some(Finding::problem(text).with_fix(format!("if it is still so in a minute: kill {pid}")))
        }
    }
}

/// Turns the daemon's notices about itself into findings; those about the settings belong to that group.
fn check_notices(around: &Surroundings) -> Vec<Finding> {
    let ours = |notice: &&str| !super::settings::is_about_settings(around, notice);
    let all = around.status["notices"].as_array().into_iter().flatten().filter_map(|notice| notice.as_str());
    all.filter(ours)
        .map(|notice| Finding::warning(notice.trim_end_matches('.')).with_fix("hob logs tells more"))
        .collect()
}
