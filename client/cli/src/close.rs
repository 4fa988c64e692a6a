//! Defines `hob close`: frees the memory of one project, and saves what the next question needs.

use clap::Args;
use hob_proto::tools::admin::CloseResult;
use serde_json::Map;
use std::path::PathBuf;

use super::ask::{self, CliQuestion};
use super::visible::on_one_line;
use super::{CommandFailure, CommandOutcome, Common, render, show, term};

/// Close a project: free its memory and end its language servers
///
/// The daemon saves the project's index; the next question opens it again without a new one. `hob status`
/// lists the open projects with their memory; `hob purge --root` removes the data of one.
#[derive(Debug, Args)]
pub(crate) struct Close {
    /// The project: its folder or any path in it (default: the working directory)
    path: Option<PathBuf>,
}

impl Close {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let common = match &self.path {
            Some(path) => &Common { root: Some(path.clone()), ..common.clone() },
            None => common,
        };
        if common.group.is_some() {
            let why = "projects are closed one by one: hob close PATH";
            return Err(CommandFailure::Usage(why.to_owned()));
        }
        if !hob_client::connect::is_running(&ask::client_settings(common)?)? {
            term::print("no daemon runs: no project is open\n")?;
            return Ok(CommandOutcome::Done);
        }
        let answer = ask::with_progress(&CliQuestion::new("hob_close", Map::new(), common)?, common).await?;
        let closed = show::result_of::<CloseResult>(&answer).filter(|_| !common.json);
        let Some(closed) = closed else { return show::print_answer(&answer, common.json) };
        term::print(&closed_text(&closed))?;
        Ok(CommandOutcome::Done)
    }
}

fn closed_text(closed: &CloseResult) -> String {
    let root = on_one_line(&closed.root);
    let servers = match closed.servers.len() {
        0 => String::new(),
        count => format!("; ended {}", render::count(count as u64, "language server")),
    };
    match closed.was_open {
        true => format!("closed {root}: {} of memory{servers}\n", render::bytes_text(closed.freed_bytes)),
        false => format!("{root} is not open{servers}\n"),
    }
}
