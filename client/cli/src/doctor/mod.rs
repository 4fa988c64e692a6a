//! Defines `hob doctor`: finds faults of hob on this machine, and names their fixes.
//!
//! It must work where nothing else does: without a daemon, with one that does not answer, with settings that cannot be
//! read. So it asks a daemon only if one runs, and only about a project that the daemon has open already, and names the
//! checks that it cannot make. It changes nothing: it makes no folder, changes no mode and starts no language server.
//! With `--start` it may start a daemon, or replace an older one, and have it open the project.
//!
//! One file per group of checks; [`groups`] has their list.

mod agents;
mod check;
pub(super) mod crash;
mod daemon;
mod entries;
mod far;
mod groups;
mod limits;
mod model;
mod org;
mod others;
mod places;
mod programs;
mod project;
mod report;
mod servers;
pub(super) mod service;
mod settings;
mod surroundings;

use clap::Args;

use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common};
use check::Level;
use surroundings::Surroundings;

/// Look for problems of hob here, and say how to fix them
///
/// Checks the programs, the daemon, hob's folders, the system's limits, the settings, this project, its
/// language servers, the service and the agents that are set up. Changes nothing and starts nothing, so facts
/// that only a daemon knows are checked only if one runs. Exit code 0 without a problem, 1 with one; notes
/// and warnings are no problems.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Start the daemon if none runs and let it open this project, to check facts that only a daemon knows
    #[arg(long)]
    start: bool,

    /// Also show the checks without problems
    #[arg(short, long)]
    verbose: bool,
}

/// Returns the whole report of a doctor that starts nothing, in its form for people.
pub(crate) async fn whole_report(common: &Common) -> Result<String, CommandFailure> {
    let around = Surroundings::gather(common, false).await?;
    Ok(report::text(&groups::run_checks(&around), true, &Style::default()))
}

impl Doctor {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let around = Surroundings::gather(common, self.start).await?;
        let found = groups::run_checks(&around);
        let text = match common.json {
            true => report::findings_json(&around, &found),
            false => report::text(&found, self.verbose, &Style::of_stdout()),
        };
        term::print(&text)?;
        let worst = found.iter().map(|one| one.finding.level).max();
        Ok(if worst == Some(Level::Problem) { CommandOutcome::Refused } else { CommandOutcome::Done })
    }
}
