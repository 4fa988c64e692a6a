//! Starts the entries of agents that name hob, so that the doctor can say whether they answer.
//!
//! An entry is started only where that starts nothing else: while a daemon of this build runs, or with `--start`. An
//! entry in a project's own file is started only if it is exactly this installation's `hob-mcp`, because anybody may
//! have written that file. This file only tries entries: `agents` makes findings of the outcomes.

use std::path::{Path, PathBuf};

use hob_client::program::file_name;

use crate::Common;
use crate::setup::agents::probe::{self, WorkingEntry};
use crate::setup::agents::{AgentFileState, Configured, SetupScope, configured_here};

/// An agent's entry, and the outcome of starting it.
#[derive(Debug)]
pub(super) struct Agent {
    /// The file that has the entry.
    pub(super) seen: AgentFileState,
    pub(super) tried: EntryTrial,
}

/// The outcome of starting an entry.
#[derive(Debug)]
pub(super) enum EntryTrial {
    /// The agent has no entry to start.
    Nothing,
    /// It was not started, for this reason.
    No(&'static str),
    /// It was started, and answered or failed.
    Yes(Result<WorkingEntry, String>),
}

const NO_DAEMON: &str = "not started, as that would start a daemon (hob doctor --start)";
const NOT_OURS: &str = "not started, as it stands in the project, where anybody may have written it";
const ELSEWHERE: &str =
    "not started, as it sets variables, which may mean another daemon (hob doctor --start)";

const ABOUT_FAR: &str =
    "not started, as it asks a daemon elsewhere (hob doctor looks there with the same options)";

/// Options of an entry that asks a daemon elsewhere.
const FAR_OPTIONS: [&str; 4] = ["--ssh", "--container", "--devcontainer", "--wsl"];

/// Reads every agent's files, and starts the entries that may be started.
pub(super) async fn check_agents(
    common: &Common,
    root: &Path,
    may_start: bool,
) -> Result<Vec<Agent>, String> {
    let mut agents = Vec::new();
    for seen in configured_here(common).map_err(|failure| failure.to_string())? {
        let tried = match &seen.state {
            Configured::Yes(entry) => match why_not(&seen, may_start) {
                Some(why) => EntryTrial::No(why),
                None => EntryTrial::Yes(probe::start(entry, root).await),
            },
            _ => EntryTrial::Nothing,
        };
        agents.push(Agent { seen, tried });
    }
    Ok(agents)
}

fn why_not(seen: &AgentFileState, may_start: bool) -> Option<&'static str> {
    let Configured::Yes(entry) = &seen.state else { return None };
    let ours =
        shim_path().is_some_and(|shim| Path::new(&entry.command).canonicalize().ok().as_ref() == Some(&shim));
    let of_project = matches!(seen.scope, SetupScope::Project);
    if of_project && (!ours || !Path::new(&entry.command).is_absolute() || !entry.env.is_empty()) {
        return Some(NOT_OURS);
    }
    if entry.args.iter().any(|arg| FAR_OPTIONS.contains(&arg.as_str())) {
        return Some(ABOUT_FAR);
    }
    match may_start {
        false => Some(NO_DAEMON),
        true if !entry.env.is_empty() => Some(ELSEWHERE),
        true => None,
    }
}

/// Returns the path of the `hob-mcp` beside this program.
fn shim_path() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    own.with_file_name(file_name("hob-mcp")).canonicalize().ok()
}
