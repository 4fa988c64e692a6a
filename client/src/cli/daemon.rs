//! `hob status` and `hob stop`: about the daemon itself. Neither starts one.

use std::time::Duration;

use clap::Args;
use hob_client::{Connection, Reached, connect};
use serde_json::{Value, json};

use super::term::{self, Style};
use super::{Common, Failure, Outcome, ask, render};

/// Show how the daemon is: version, memory, projects, clients
///
/// Does not start a daemon. For one project, see `hob call map_status`.
#[derive(Debug, Args)]
pub(crate) struct Status {}

impl Status {
    pub(super) async fn run(&self, common: &Common) -> Result<Outcome, Failure> {
        let status = match running(common).await? {
            Some(connection) => Some(connection.status().await.map_err(|lost| Failure::Daemon(lost.reason))?),
            None => None,
        };
        let text = match (status, common.json) {
            (Some(status), true) => format!("{}\n", Value::from(status)),
            (Some(status), false) => render::daemon(&status.into(), &Style::of_stdout()),
            (None, true) => format!("{}\n", json!({"running": false})),
            (None, false) => NOT_RUNNING.to_owned(),
        };
        term::print(&text)?;
        Ok(Outcome::Done)
    }
}

/// Stop the daemon; the next question starts it again
#[derive(Debug, Args)]
pub(crate) struct Stop {}

impl Stop {
    pub(super) async fn run(&self, common: &Common) -> Result<Outcome, Failure> {
        let Some(connection) = running(common).await? else {
            term::print(NOT_RUNNING)?;
            return Ok(Outcome::Done);
        };
        let pid = connection.server().pid;
        // A daemon that has gone meanwhile is as stopped as one could wish.
        if connection.shutdown().is_ok() {
            connection.ended().await;
        }
        // Its last act is saving; whoever stops it may be about to replace or remove what it writes to.
        let text = match hob_client::connect::gone(&ask::settings(common)?, pid, STOPPED_WITHIN).await? {
            true => format!("stopped the daemon (process {pid})\n"),
            false => format!("the daemon (process {pid}) accepts nothing any more and is still saving\n"),
        };
        term::print(&text)?;
        Ok(Outcome::Done)
    }
}

/// How long `hob stop` waits for the process to end.
const STOPPED_WITHIN: Duration = Duration::from_secs(60);

const NOT_RUNNING: &str = "the daemon is not running\n";

/// The daemon that runs, if one does.
async fn running(common: &Common) -> Result<Option<Connection>, Failure> {
    match connect(&ask::settings(common)?).await? {
        Reached::Serving(connection) => Ok(Some(connection)),
        Reached::Nobody | Reached::Leaving => Ok(None),
        Reached::Refusing(refusal) => {
            let version = &refusal.build.version;
            Err(Failure::Daemon(format!(
                "a daemon of version {version} runs but refuses: {}",
                refusal.reason
            )))
        }
    }
}
