//! Asking a service manager by its own command.
//!
//! systemd, launchd and the task scheduler each have a command as their stable interface; talking to them without it would take a
//! client of D-Bus, private calls and COM. What such a command says on standard error is shown as it is: it names the cause best.

use std::process::{Command, Output, Stdio};

use crate::cli::Failure;

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
    pub(super) fn run(&self, args: &[&str]) -> Result<String, Failure> {
        let output = self.output(args).map_err(|error| self.failed(args, &error.to_string()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(self.failed(args, String::from_utf8_lossy(&output.stderr).trim()))
    }

    /// Runs it; whether it succeeded. For what may be undone already.
    pub(super) fn try_run(&self, args: &[&str]) -> bool {
        self.output(args).is_ok_and(|output| output.status.success())
    }

    fn output(&self, args: &[&str]) -> std::io::Result<Output> {
        let mut command = Command::new(self.command);
        command.args(self.first).args(args).stdin(Stdio::null()).env("LC_ALL", "C").output()
    }

    fn failed(&self, args: &[&str], why: &str) -> Failure {
        let line = [&[self.command], self.first, args].concat().join(" ");
        Failure::Daemon(format!("`{line}` failed: {why}"))
    }
}
