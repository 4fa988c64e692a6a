//! Starts language servers so that they inherit only three pipes, measures them as trees of processes, and ends them as
//! trees.
//!
//! Between the daemon and a server stands a *guard* ([`guard`]): a process of hob's own. It sees the daemon's end of
//! the server's input close, however the daemon ended, and then ends the server and everything that the server started.

pub mod guard;
mod stderr;
mod tree;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use stderr::StderrTail;
pub use tree::{Proc, machine_memory, own_memory, processes_below};

/// The command line, environment and folder of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program by its full path, so that hob runs the file that it looked at.
    pub program: PathBuf,
    /// The program's arguments, without its name.
    pub args: Vec<OsString>,
    /// The whole environment of the program; see [`scrubbed_environment`].
    pub env: Vec<(OsString, OsString)>,
    /// The folder in which the program starts.
    pub cwd: PathBuf,
}

/// The program that runs a command so that the command cannot outlive the daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// A program whose arguments, after `args`, are a command for [`guard::run`].
    pub program: PathBuf,
    /// Arguments of the guard itself, before the command.
    pub args: Vec<OsString>,
}

impl Guard {
    /// Returns this very program as a guard, if it is `hobd`; also when a newer file has replaced it.
    ///
    /// # Errors
    /// The system's error, if it does not tell which program this is.
    pub fn this_program() -> io::Result<Self> {
        let program = match cfg!(target_os = "linux") {
            true => PathBuf::from("/proc/self/exe"),
            false => std::env::current_exe()?,
        };
        Ok(Self::from_program(program))
    }

    /// Returns `program`, which must be a `hobd`, as a guard.
    #[must_use]
    pub fn from_program(program: PathBuf) -> Self {
        Self { program, args: vec![guard::WORD.into()] }
    }
}

/// Variables that servers and the compilers they call need. Everything else of the daemon's environment stays out,
/// because it is that of the client that happened to start the daemon: tokens, sockets of agents, settings of another
/// project. On Windows hardly a program runs without some variables that name the system's folders, and npm's programs
/// start as batch files.
const PASSED_ON: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "CARGO_HOME",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMSPEC",
    "DEVELOPER_DIR",
    "DOTNET_ROOT",
    "GOCACHE",
    "GOFLAGS",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "JAVA_HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_PROXY",
    "NUMBER_OF_PROCESSORS",
    "NVM_DIR",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "RUST_SRC_PATH",
    "SDKROOT",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Returns the folder in which hob asks programs about themselves. Many programs obey files in the folder where they
/// start, or above it, and in a folder for everybody's temporary files any user may have put some.
#[must_use]
pub fn neutral_folder() -> PathBuf {
    if cfg!(unix) { "/".into() } else { std::env::temp_dir() }
}

/// Returns the variables of `all` that language servers get.
#[must_use]
pub fn scrubbed_environment(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let passes = |name: &str| {
        let name = name.to_ascii_uppercase();
        PASSED_ON.contains(&name.as_str()) || name.starts_with("LC_")
    };
    all.filter(|(name, _)| name.to_str().is_some_and(passes)).collect()
}

/// The way in which a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessEnd {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
}

impl std::fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.code {
            Some(code) => write!(f, "it ended with exit code {code}"),
            None => f.write_str("a signal ended it"),
        }
    }
}

/// A running server with everything it started.
#[derive(Debug)]
pub struct ServerProcess {
    child: Mutex<Child>,
    leash: system::Leash,
    pid: u32,
    stderr: StderrTail,
}

/// The two pipes of the connection.
pub type Pipes = (ChildStdin, ChildStdout);

impl ServerProcess {
    /// Starts `command`; under `guard`, except in tests for which a guard makes no difference.
    ///
    /// # Errors
    /// The system's error when the program cannot be started.
    pub fn start(command: &ServerCommand, guard: Option<&Guard>) -> io::Result<(Self, Pipes)> {
        let mut run = match guard {
            Some(guard) => {
                let mut run = Command::new(&guard.program);
                run.args(&guard.args);
                // A server's files belong to the user, so it gets the user's own mask, not the daemon's.
                run.args(hob_base::umask::users_mask().map(|mask| format!("{}{mask:o}", guard::UMASK)));
                let files = hob_base::open_files::users_limit();
                run.args(files.map(|files| format!("{}{files}", guard::FILES)));
                run.arg(&command.program);
                run
            }
            None => Command::new(&command.program),
        };
        run.args(&command.args).env_clear().envs(command.env.iter().cloned()).current_dir(&command.cwd);
        run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        system::prepare(&mut run);
        let mut child = run.spawn()?;
        let leash = system::Leash::of(&child);
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let pid = child.id();
        let process = Self { child: Mutex::new(child), leash, pid, stderr: StderrTail::read_from(errors)? };
        Ok((process, (input, output)))
    }

    /// Returns the number of its process: the guard's, if it has one.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns the last lines that it wrote to standard error, oldest first.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<String> {
        self.stderr.lines()
    }

    /// Returns the last lines of a process that has ended: waits a moment for lines that are still on their way.
    #[must_use]
    pub fn last_words(&self) -> Vec<String> {
        self.stderr.last_lines()
    }

    /// Returns the bytes of memory that it and everything it started occupy; 0 where that cannot be found out.
    #[must_use]
    pub fn rss_bytes(&self) -> u64 {
        processes_below(self.pid).iter().map(|process| process.rss_bytes).sum()
    }

    /// Returns the number of lines that the server has written to standard error.
    #[must_use]
    pub fn stderr_count(&self) -> u64 {
        self.stderr.count()
    }

    /// Returns the processor time of the server and everything that it started; the time of processes that have ended
    /// may be missing.
    #[must_use]
    pub fn cpu_time(&self) -> Duration {
        processes_below(self.pid).iter().map(|process| process.cpu).sum()
    }

    /// Returns the way in which the server ended; `None` while it runs.
    #[must_use]
    pub fn end_if_ended(&self) -> Option<ProcessEnd> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let status = child.try_wait().ok().flatten()?;
        Some(ProcessEnd { code: status.code() })
    }

    /// Calls `then` on a thread of its own when the process (the guard, if it has one) has ended; helpers that it
    /// started may still exist, and still hold the pipes.
    ///
    /// # Errors
    /// The system's error when it refuses to start a thread.
    #[cfg(unix)]
    pub fn when_ended(&self, then: impl FnOnce() + Send + 'static) -> io::Result<()> {
        system::when_ended(self.pid, then)
    }

    /// Waits until the process has ended, but not for longer than `patience`.
    #[must_use]
    pub fn wait(&self, patience: Duration) -> Option<ProcessEnd> {
        let until = Instant::now() + patience;
        loop {
            let ended = self.end_if_ended();
            if ended.is_some() || Instant::now() >= until {
                return ended;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the process and everything that it started, at once.
    pub fn kill(&self) {
        // Collected first: once their parents are gone, nothing shows to whom they belonged.
        let below = processes_below(self.pid);
        end_group(self.pid);
        below.iter().filter(|process| process.pid != self.pid).for_each(Proc::kill);
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        self.leash.end();
        let _ = self.wait(Duration::from_secs(5));
    }
}

/// Ends the remaining processes of a group, whether its leader is gone or not.
pub fn end_group(leader: u32) {
    tree::kill_group(leader);
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.end_if_ended().is_none() {
            self.kill();
        }
    }
}
