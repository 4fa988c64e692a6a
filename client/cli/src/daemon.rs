//! Defines `hob status` and `hob stop`, which are about the daemon itself. Neither starts one.

use std::time::Duration;

use clap::Args;
use hob_client::{Connection, Reached, connect};
use serde_json::{Value, json};

use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common, ask, render};

/// Show the state of the daemon: version, memory, projects, clients
///
/// Does not start a daemon. For one project, see `hob call map_status`.
#[derive(Debug, Args)]
pub(crate) struct Status {}

impl Status {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let status = match running_daemon(common).await? {
            Some(connection) => {
                Some(connection.status().await.map_err(|lost| CommandFailure::Daemon(lost.reason))?)
            }
            None => None,
        };
        let text = match (status, common.json) {
            (Some(status), true) => format!("{}\n", Value::from(status)),
            (Some(status), false) => render::render_daemon(&status.into(), &Style::of_stdout()),
            (None, true) => format!("{}\n", json!({"running": false})),
            (None, false) => NOT_RUNNING.to_owned(),
        };
        term::print(&text)?;
        Ok(CommandOutcome::Done)
    }
}

/// Stop the daemon; the next question starts it again
#[derive(Debug, Args)]
pub(crate) struct Stop {}

impl Stop {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let text = match end(common).await? {
            None => NOT_RUNNING.to_owned(),
            Some(StoppedDaemon { pid, is_gone: true }) => format!("stopped the daemon (process {pid})\n"),
            Some(StoppedDaemon { pid, .. }) => {
                format!("the daemon (process {pid}) accepts nothing any more and is still saving\n")
            }
        };
        term::print(&text)?;
        Ok(CommandOutcome::Done)
    }
}

/// The outcome of ending the daemon.
struct StoppedDaemon {
    pid: u32,
    /// True if its process is gone; if not, it is still saving.
    is_gone: bool,
}

/// Ends the daemon if one runs, and waits until it has saved.
async fn end(common: &Common) -> Result<Option<StoppedDaemon>, CommandFailure> {
    let Some(connection) = running_daemon(common).await? else { return Ok(None) };
    let pid = connection.server().pid;
    // A daemon that has gone meanwhile is stopped as well.
    if connection.shutdown().is_ok() {
        connection.wait_for_end().await;
    }
    // The daemon's last act is saving; the caller may be about to replace or remove the files that it writes.
    let is_gone =
        hob_client::connect::wait_until_gone(&ask::client_settings(common)?, pid, STOPPED_WITHIN).await?;
    Ok(Some(StoppedDaemon { pid, is_gone }))
}

/// Ends the daemon for a command that is about to remove its files. Returns true if one ran.
pub(super) async fn stop(common: &Common) -> Result<bool, CommandFailure> {
    match end(common).await? {
        None => Ok(false),
        Some(StoppedDaemon { is_gone: true, .. }) => Ok(true),
        Some(StoppedDaemon { pid, .. }) => Err(CommandFailure::Daemon(format!(
            "the daemon (process {pid}) is still saving; try again when it has ended"
        ))),
    }
}

/// The longest time that `hob stop` waits for the process to end.
const STOPPED_WITHIN: Duration = Duration::from_secs(60);

const NOT_RUNNING: &str = "the daemon is not running\n";

/// Returns the daemon that runs, if one does.
pub(crate) async fn running_daemon(common: &Common) -> Result<Option<Connection>, CommandFailure> {
    let settings = ask::client_settings(common)?;
    // Where a service manager listens for the daemon, connecting would start it.
    if !hob_client::connect::is_running(&settings)? {
        return Ok(None);
    }
    match connect(&settings).await? {
        Reached::Serving(connection) => Ok(Some(connection)),
        Reached::Nobody | Reached::Leaving => Ok(None),
        Reached::Refusing(refusal) => {
            let version = &refusal.build.version;
            Err(CommandFailure::Daemon(format!(
                "a daemon of version {version} runs but refuses: {}",
                refusal.reason
            )))
        }
    }
}
