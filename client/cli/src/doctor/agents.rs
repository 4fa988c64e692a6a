//! The agents that are set up for hob: is what they start there, and does it answer.
//!
//! An entry is started only where that starts nothing else: while a daemon of this build runs, or with `--start`. What a
//! project's own file names is started only if it is this installation's `hob-mcp` and nothing else, because anybody may have
//! written that file.

use std::path::{Path, PathBuf};

use super::check::{Check, Finding};
use super::surroundings::Surroundings;
use crate::Common;
use crate::setup::agents::probe::{self, Answered};
use crate::setup::agents::{AgentFileState, Configured, SetupScope, configured_here};

pub(super) const CHECKS: &[Check] = &[Check { name: "entries", run: entries }];

/// An agent's entry, and what came of starting it.
#[derive(Debug)]
pub(super) struct Agent {
    seen: AgentFileState,
    tried: Tried,
}

#[derive(Debug)]
enum Tried {
    /// There is nothing to start.
    Nothing,
    /// It was not started, for this reason.
    No(&'static str),
    Yes(Result<Answered, String>),
}

const NO_DAEMON: &str = "not started, as that would start a daemon (hob doctor --start)";
const NOT_OURS: &str = "not started, as it stands in the project, where anybody may have written it";
const ELSEWHERE: &str =
    "not started, as it sets variables, which may mean another daemon (hob doctor --start)";

/// Looks at every agent's files, and starts what may be started.
pub(super) async fn check_agents(
    common: &Common,
    root: &Path,
    may_start: bool,
) -> Result<Vec<Agent>, String> {
    let mut agents = Vec::new();
    for seen in configured_here(common).map_err(|failure| failure.to_string())? {
        let tried = match &seen.state {
            Configured::Yes(entry) => match why_not(&seen, may_start) {
                Some(why) => Tried::No(why),
                None => Tried::Yes(probe::start(entry, root).await),
            },
            _ => Tried::Nothing,
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
    match may_start {
        false => Some(NO_DAEMON),
        true if !entry.env.is_empty() => Some(ELSEWHERE),
        true => None,
    }
}

/// The `hob-mcp` beside this program.
fn shim_path() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    own.parent()?.join(if cfg!(windows) { "hob-mcp.exe" } else { "hob-mcp" }).canonicalize().ok()
}

fn entries(around: &Surroundings) -> Vec<Finding> {
    match &around.agents {
        Err(why) => vec![Finding::note(format!("agents could not be looked for: {why}"))],
        Ok(agents) if agents.is_empty() => vec![
            Finding::note("no agent is set up for hob")
                .with_fix("hob setup lists the agents on this machine; hob setup AGENT adds hob"),
        ],
        Ok(agents) => agents.iter().map(judge_agent).collect(),
    }
}

fn judge_agent(agent: &Agent) -> Finding {
    let AgentFileState { title, client, file, state, .. } = &agent.seen;
    let file = file.display();
    let again = format!("hob setup {client}");
    match (state, &agent.tried) {
        (Configured::Unreadable(why), _) => {
            Finding::warning(format!("{title}: {file} cannot be read: {why}"))
                .with_fix(format!("mend {file}, then {again}"))
        }
        (Configured::Other | Configured::No, _) => {
            Finding::note(format!("{title}: the entry `hob` in {file} starts no program")).with_fix(again)
        }
        (Configured::Yes(entry), Tried::No(why)) => {
            let program = Path::new(&entry.command);
            if program.is_absolute() && !program.is_file() {
                return Finding::problem(format!(
                    "{title}: {} is not there, and {file} names it",
                    entry.command
                ))
                .with_fix(again);
            }
            Finding::note(format!("{title}: {} ({file}) was {why}", entry.command))
        }
        (Configured::Yes(entry), Tried::Yes(Err(why))) => {
            let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
            Finding::problem(format!("{title}: {} does not work, which {file} names: {why}", entry.command))
                .with_fix(again)
        }
        (Configured::Yes(_), Tried::Yes(Ok(answered))) => {
            let Answered { server, tools, took } = answered;
            let took = took.as_millis();
            Finding::ok(format!("{title}: {server} answers with {tools} tools in {took} ms ({file})"))
        }
        (Configured::Yes(_), Tried::Nothing) => Finding::ok(format!("{title}: {file}")),
    }
}
