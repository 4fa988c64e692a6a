//! Asking a service manager by its own command.
//!
//! systemd, launchd and the task scheduler each have a command as their stable interface; talking to them without it would take a
//! client of D-Bus, private calls and COM. What such a command says on standard error is shown as it is: it names the cause best.

use std::process::{Command, Output, Stdio};

use crate::CommandFailure;

/// A service manager's command, with the arguments that every call has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manager {
    /// Its name, looked for on the PATH.
    pub(super) command: &'static str,
    /// The arguments before all others in every call.
    pub(super) first: &'static [&'static str],
}

impl Manager {
    /// Runs it to its end; what it printed.
    pub(super) fn run(&self, args: &[&str]) -> Result<String, CommandFailure> {
        let output =
            self.run_command(args).map_err(|error| self.command_failure(args, &error.to_string()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(self.command_failure(args, String::from_utf8_lossy(&output.stderr).trim()))
    }

    /// Runs it; whether it succeeded. For what may be undone already.
    pub(super) fn try_run(&self, args: &[&str]) -> bool {
        self.run_command(args).is_ok_and(|output| output.status.success())
    }

    fn run_command(&self, args: &[&str]) -> std::io::Result<Output> {
        let mut command = Command::new(self.command);
        command.args(self.first).args(args).stdin(Stdio::null()).env("LC_ALL", "C").output()
    }

    fn command_failure(&self, args: &[&str], why: &str) -> CommandFailure {
        let line = [&[self.command], self.first, args].concat().join(" ");
        CommandFailure::Daemon(format!("`{line}` failed: {why}"))
    }
}
