//! Starts `hobd`, and waits for its report.
//!
//! The daemon reports on its standard output (`hob_proto::startup`). Its output on standard error until then is kept,
//! so that even a daemon that dies before it has a log leaves its last lines. It starts in the root folder (on Windows
//! in hob's own, since no folder in use can be removed there), so that it keeps no project's folder busy, and leaves
//! this terminal and process group by itself.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hob_proto::Readiness;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use crate::settings::Settings;
use crate::tail::{Tail, log_lines};
use crate::unavailable::Unavailable;

/// The outcome of starting a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Startup {
    /// The new daemon accepts connections.
    Ready,
    /// Another daemon was faster, which is no error.
    AlreadyRunning,
    /// It gave up or died.
    Failed {
        /// The daemon's own words, or how it died.
        reason: String,
        /// The last lines it wrote.
        log_tail: Vec<String>,
    },
    /// The daemon runs but has not reported in time. It may still become ready.
    TimedOut {
        /// The last lines it wrote.
        log_tail: Vec<String>,
    },
}

/// Starts the daemon and waits for its report.
pub(crate) async fn launch_daemon(settings: &Settings) -> Result<Startup, Unavailable> {
    let since = SystemTime::now().checked_sub(Duration::from_secs(1));
    let mut child = spawn(settings)?;
    let tail = Tail::default();
    let following = child.stderr.take().map(|stderr| tokio::spawn(tail.clone().follow_stream(stderr)));
    let said = match child.stdout.take() {
        Some(stdout) => tokio::time::timeout(settings.patience.ready, first_line(stdout)).await,
        None => Ok(None),
    };
    let log_tail = || {
        let lines = tail.lines();
        if lines.is_empty() { log_lines(&settings.places.logs_dir(), since) } else { lines }
    };
    Ok(match said {
        Ok(Some(Readiness::Ready { .. })) => Startup::Ready,
        Ok(Some(Readiness::Running { .. })) => Startup::AlreadyRunning,
        Ok(Some(Readiness::Failed { reason })) => Startup::Failed { reason, log_tail: log_tail() },
        Ok(None) => {
            let reason = how_it_died(&mut child).await;
            // The last lines are in the pipe until this side has read them.
            if let Some(following) = following {
                let _ = tokio::time::timeout(Duration::from_secs(1), following).await;
            }
            Startup::Failed { reason, log_tail: log_tail() }
        }
        Err(_) => Startup::TimedOut { log_tail: log_tail() },
    })
}

/// The variables that service managers set for the processes that they start. A client may be, or come from, such a
/// process, but its daemon does not.
const OF_SERVICE_MANAGERS: &[&str] = &[
    "LISTEN_FDNAMES",
    "LISTEN_FDS",
    "LISTEN_PID",
    "NOTIFY_SOCKET",
    "SYSTEMD_EXEC_PID",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
];

fn spawn(settings: &Settings) -> Result<Child, Unavailable> {
    let program = &settings.program;
    let Some(path) = &program.path else {
        return Err(Unavailable::NoProgram { looked: program.looked.clone() });
    };
    let mut command = Command::new(path);
    for name in OF_SERVICE_MANAGERS {
        command.env_remove(name);
    }
    command.args(&program.args).envs(program.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    start(&mut command, settings).map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound && !path.exists() {
            return Unavailable::NoProgram { looked: vec![path.clone()] };
        }
        Unavailable::Spawn { program: path.clone(), source: Arc::new(source) }
    })
}

#[cfg(unix)]
fn start(command: &mut Command, _settings: &Settings) -> io::Result<Child> {
    // The daemon's first act is to make a session of its own; a process group made here would prevent that.
    command.current_dir("/").spawn()
}

/// Starts the daemon with an invisible console: language servers share it, where without one each would open a window.
/// The daemon starts outside of the job that this process may be in, if the job allows it, because the job would end
/// the daemon too.
#[cfg(windows)]
fn start(command: &mut Command, settings: &Settings) -> io::Result<Child> {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const CREATE_BREAKAWAY_FROM_JOB: u32 = 0x0100_0000;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    let flags = CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW;
    command.current_dir(&settings.places.runtime);
    match command.creation_flags(flags | CREATE_BREAKAWAY_FROM_JOB).spawn() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            command.creation_flags(flags).spawn()
        }
        other => other,
    }
}

/// Returns the report, or `None` when the output ended without one.
async fn first_line(stdout: ChildStdout) -> Option<Readiness> {
    let mut lines = BufReader::new(stdout.take(64 * 1024)).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(readiness) = Readiness::parse(&line) {
            return Some(readiness);
        }
    }
    None
}

async fn how_it_died(child: &mut Child) -> String {
    match tokio::time::timeout(Duration::from_secs(2), child.wait()).await {
        Ok(Ok(status)) => format!("it ended with {} before it was ready", describe_exit(status)),
        _ => "it closed its output before it was ready".into(),
    }
}

fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.code().map_or_else(|| "no exit code".into(), |code| format!("exit code {code}"))
}
