//! Starts and follows a server on Unix, in a process group of its own that is named by its leader's number.

use std::io;
use std::process::{Child, Command};

/// Holds nothing: a server is ended by its group.
#[derive(Debug)]
pub(super) struct Leash;

impl Leash {
    pub(super) fn of(_child: &Child) -> Self {
        Self
    }

    /// Does nothing; `tree::kill_group` ends the group.
    pub(super) fn end(&self) {}
}

/// Sets up a command before a server is started with it: the server gets a process group of its own.
pub(super) fn prepare(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Calls `then` on a thread of its own when a child has ended, and leaves the exit code to the child's owner.
pub(super) fn when_ended(pid: u32, then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let wait = move || {
        // This call only looks: the child's owner takes its exit code.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Some(Err(rustix::io::Errno::INTR)) = pid.map(|pid| waitid(WaitId::Pid(pid), options)) {}
        then();
    };
    std::thread::Builder::new().name("hob-lsp-end".to_owned()).spawn(wait).map(drop)
}
