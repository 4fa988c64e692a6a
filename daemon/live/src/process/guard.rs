//! Runs between the daemon and a language server, so that nothing that a server starts outlives the daemon.
//!
//! A killed daemon can do nothing more, and a server need not notice its end: some ignore the end of their input, some
//! start helpers that do. So a guard starts the server with its own standard input and output, watches that input
//! without reading it, and ends all processes below it when the daemon's end closes or the server ends. On Linux
//! helpers whose parents ended become the guard's own children, so none escapes by detaching itself. On other Unix
//! systems a helper that detached itself and whose parent has ended is beyond reach; on Windows a job holds them all
//! (`process/windows.rs`).
//!
//! The guard leads a process group that the server is in. A daemon that finds its guard killed ends the group.

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument that makes `hobd` a guard; users do not type it.
pub const WORD: &str = "guard-language-server";

/// Prefix of an optional argument: the user's mask for new files, in octal, which servers get back.
pub(super) const UMASK: &str = "--umask=";

/// Prefix of an optional argument: the number of files that the user's programs may have open, which servers get back.
pub(super) const FILES: &str = "--files=";

/// Runs the command until it ends or the daemon is gone. Returns the command's exit code.
#[must_use]
pub fn run(command: &[OsString]) -> ExitCode {
    let Some((program, args)) = with_users_limit(with_users_mask(command)).split_first() else {
        eprintln!("guard: no command");
        return ExitCode::FAILURE;
    };
    imp::run(program, args)
}

/// Takes the mask off the front of the command, and sets it.
fn with_users_mask(command: &[OsString]) -> &[OsString] {
    let first = command.first().and_then(|first| first.to_str()?.strip_prefix(UMASK));
    match first.map(|digits| u32::from_str_radix(digits, 8)) {
        Some(mask) => {
            #[cfg(unix)]
            let _ = mask.map(hob_base::umask::replace);
            #[cfg(not(unix))]
            drop(mask);
            &command[1..]
        }
        None => command,
    }
}

/// Takes the limit off the front of the command, and sets it.
fn with_users_limit(command: &[OsString]) -> &[OsString] {
    let first = command.first().and_then(|first| first.to_str()?.strip_prefix(FILES));
    let Some(files) = first.map(str::parse::<u64>) else { return command };
    #[cfg(unix)]
    let _ = files.map(hob_base::open_files::lower_limit);
    #[cfg(not(unix))]
    drop(files);
    &command[1..]
}

#[cfg(unix)]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::process::{Child, Command, ExitCode, ExitStatus};
    use std::sync::mpsc::{Sender, channel};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use crate::process::tree::{kill_group, processes_below};

    /// Longest time that a server may take to end by itself once its input has closed.
    const GRACE: Duration = Duration::from_millis(1500);
    /// Longest time for which the guard searches for helpers to end.
    const HUNT: Duration = Duration::from_secs(3);
    /// Pause between two checks for the daemon, on systems where a closed pipe need not show its end.
    const LOOK: Duration = Duration::from_secs(1);

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
        let (code, is_wanted) = wait_for_end(server);
        end_everything();
        if !is_wanted && !cfg!(target_os = "linux") {
            // There the system takes over orphans, and no process is left to end the group: the guard is its leader,
            // and ends with it.
            kill_group(std::process::id());
        }
        code
    }

    /// Waits for the end. Returns the exit code, and whether the daemon is still there to receive it.
    fn wait_for_end(server: Child) -> (ExitCode, bool) {
        let (events, happened) = channel();
        let ended = events.clone();
        let spawned = thread::Builder::new().spawn(move || wait_for(server, &ended));
        if spawned.is_err() || thread::Builder::new().spawn(move || wait_for_hangup(&events)).is_err() {
            return (ExitCode::FAILURE, true);
        }
        match happened.recv() {
            Ok(Event::ServerEnded(status)) => (code_of(status), true),
            _ => match happened.recv_timeout(GRACE) {
                Ok(Event::ServerEnded(status)) => (code_of(status), false),
                _ => (ExitCode::FAILURE, false),
            },
        }
    }

    fn wait_for(mut server: Child, events: &Sender<Event>) {
        // `Child::wait` closes the child's standard input first; this one is inherited, so there is none to close.
        let status = server.wait().ok();
        let _ = events.send(Event::ServerEnded(status));
    }

    /// Waits until the daemon's end of the input is closed. On Linux a pipe reports that even if no event is asked for.
    /// Elsewhere (macOS) the event must be asked for and comes once, but not if there is input at that time which the
    /// server has yet to read. So there the guard asks again and again, and checks its parent process as well.
    fn wait_for_hangup(events: &Sender<Event>) {
        let input = std::io::stdin();
        let (wanted, patience) = match cfg!(target_os = "linux") {
            true => (PollFlags::empty(), None),
            false => (PollFlags::HUP, Timespec::try_from(LOOK).ok()),
        };
        let parent = rustix::process::getppid();
        loop {
            let since = Instant::now();
            let mut fds = [PollFd::new(&input, wanted)];
            match poll(&mut fds, patience.as_ref()) {
                Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {
                    break;
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => break,
            }
            if patience.is_some() {
                if rustix::process::getppid() != parent {
                    break;
                }
                thread::sleep(LOOK.saturating_sub(since.elapsed()));
            }
        }
        let _ = events.send(Event::DaemonGone);
    }

    fn code_of(status: Option<ExitStatus>) -> ExitCode {
        use std::os::unix::process::ExitStatusExt as _;
        let Some(status) = status else { return ExitCode::FAILURE };
        // Shells report signals in this way.
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        ExitCode::from(u8::try_from(code).unwrap_or(1))
    }

    /// Ends all processes below, again and again: orphans of those just ended become the guard's own children.
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
            reap_children();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Collects ended children: they stay in the list of processes until their parent has asked about them.
    fn reap_children() {
        while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
    }
}

#[cfg(windows)]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::process::{Command, ExitCode};

    /// Runs the command. The daemon's end ends this process, and with it the job that the server is in, so there is
    /// nothing to watch.
    pub(super) fn run(program: &OsStr, args: &[OsString]) -> ExitCode {
        if let Err(error) = crate::process::windows::end_all_with_this_process() {
            eprintln!("guard: {error}: what the server starts may be left over");
        }
        match Command::new(program).args(args).status() {
            Ok(status) => {
                let code = status.code().and_then(|code| u8::try_from(code).ok());
                code.map_or(ExitCode::FAILURE, ExitCode::from)
            }
            Err(error) => {
                eprintln!("{}: {error}", program.display());
                ExitCode::from(127)
            }
        }
    }
}
