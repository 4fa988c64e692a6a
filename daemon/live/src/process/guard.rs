//! The process between the daemon and a language server: nothing that a server starts outlives the daemon.
//!
//! A daemon that is killed can do nothing more, and a server need not notice: some ignore the end of their input, some
//! start helpers that do. So a guard starts the server with its own standard input and output, watches that input from the
//! other side without reading it, and ends everything below it when the daemon's end closes or the server ends. On Linux
//! helpers whose parents ended become the guard's own children, so none escapes by detaching itself.
//!
//! The guard leads a process group that the server is in: a daemon that finds its guard killed ends the group.

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument that makes `hobd` a guard; no user types it.
pub const WORD: &str = "guard-language-server";

/// Runs the command until it ends or nobody talks to it any more. The exit code is the command's.
#[must_use]
pub fn run(command: &[OsString]) -> ExitCode {
    let Some((program, args)) = command.split_first() else {
        eprintln!("guard: no command");
        return ExitCode::FAILURE;
    };
    imp::run(program, args)
}

#[cfg(unix)]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::process::{Child, Command, ExitCode, ExitStatus};
    use std::sync::mpsc::{Sender, channel};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, poll};

    use crate::process::tree::processes_below;

    /// How long a server may take to end by itself once its input has closed.
    const GRACE: Duration = Duration::from_millis(1500);
    /// How long helpers are hunted.
    const HUNT: Duration = Duration::from_secs(3);

    enum Event {
        ServerEnded(Option<ExitStatus>),
        DaemonGone,
    }

    pub(super) fn run(program: &OsStr, args: &[OsString]) -> ExitCode {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let server = match Command::new(program).args(args).spawn() {
            Ok(server) => server,
            Err(error) => {
                eprintln!("{}: {error}", program.display());
                return ExitCode::from(127);
            }
        };
        let code = watch(server);
        end_everything();
        code
    }

    fn watch(server: Child) -> ExitCode {
        let (events, happened) = channel();
        let ended = events.clone();
        let spawned = thread::Builder::new().spawn(move || wait_for(server, &ended));
        if spawned.is_err() || thread::Builder::new().spawn(move || wait_for_hangup(&events)).is_err() {
            return ExitCode::FAILURE;
        }
        match happened.recv() {
            Ok(Event::ServerEnded(status)) => code_of(status),
            _ => match happened.recv_timeout(GRACE) {
                Ok(Event::ServerEnded(status)) => code_of(status),
                _ => ExitCode::FAILURE,
            },
        }
    }

    fn wait_for(mut server: Child, events: &Sender<Event>) {
        // `Child::wait` closes its standard input first; ours is inherited, so there is none to close.
        let status = server.wait().ok();
        let _ = events.send(Event::ServerEnded(status));
    }

    /// A pipe whose other end is closed says so even to one who asks for nothing.
    fn wait_for_hangup(events: &Sender<Event>) {
        let input = std::io::stdin();
        loop {
            let mut fds = [PollFd::new(&input, PollFlags::empty())];
            match poll(&mut fds, None) {
                Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {
                    break;
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => break,
            }
        }
        let _ = events.send(Event::DaemonGone);
    }

    fn code_of(status: Option<ExitStatus>) -> ExitCode {
        use std::os::unix::process::ExitStatusExt as _;
        let Some(status) = status else { return ExitCode::FAILURE };
        // As shells do for signals.
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        ExitCode::from(u8::try_from(code).unwrap_or(1))
    }

    /// Ends all that is below, again and again: orphans of those just ended turn up as our own children.
    fn end_everything() {
        let own = std::process::id();
        let until = Instant::now() + HUNT;
        while Instant::now() < until {
            let below = processes_below(own);
            let mut others = below.iter().filter(|process| process.pid != own).peekable();
            if others.peek().is_none() {
                return;
            }
            others.for_each(super::super::Proc::kill);
            reap();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ended children stay in the list of processes until their parent has asked about them.
    fn reap() {
        while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
    }
}

#[cfg(not(unix))]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::process::{Command, ExitCode};

    pub(super) fn run(program: &OsStr, args: &[OsString]) -> ExitCode {
        let code = Command::new(program).args(args).status().ok().and_then(|status| status.code());
        ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }
}
