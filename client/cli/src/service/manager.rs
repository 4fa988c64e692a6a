//! Runs the command of a service manager.
//!
//! systemd, launchd and the task scheduler each have a command as their stable interface; without it hob would need a
//! client of D-Bus, private calls and COM. hob shows a command's output on standard error unchanged, because it names
//! the cause best.

use std::process::{Command, Output, Stdio};

use crate::CommandFailure;

/// A service manager's command, with the arguments that every call has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manager {
    /// The command's name, which is looked up on the PATH.
    pub(super) command: &'static str,
    /// The arguments before all others in every call.
    pub(super) first: &'static [&'static str],
}

impl Manager {
    /// Runs the command to its end; returns its output.
    pub(super) fn run(&self, args: &[&str]) -> Result<String, CommandFailure> {
        let output =
            self.run_command(args).map_err(|error| self.command_failure(args, &error.to_string()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(self.command_failure(args, String::from_utf8_lossy(&output.stderr).trim()))
    }

    /// Runs the command; returns true if it succeeded. For actions that may be undone already.
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
