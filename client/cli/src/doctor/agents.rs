//! Checks the agents that are set up for hob: whether the program that each starts exists, and whether it answers.

use std::path::Path;

use super::check::{Check, Finding};
use super::entries::{Agent, EntryTrial};
use super::surroundings::Surroundings;
use crate::setup::agents::probe::WorkingEntry;
use crate::setup::agents::{AgentFileState, Configured};

pub(super) const CHECKS: &[Check] = &[Check { name: "entries", run: entries }];

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
        (Configured::Yes(entry), EntryTrial::No(why)) => {
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
        (Configured::Yes(entry), EntryTrial::Yes(Err(why))) => {
            let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
            Finding::problem(format!("{title}: {} does not work, which {file} names: {why}", entry.command))
                .with_fix(again)
        }
        (Configured::Yes(_), EntryTrial::Yes(Ok(answered))) => {
            let WorkingEntry { server, tools, took } = answered;
            let took = took.as_millis();
            Finding::ok(format!("{title}: {server} answers with {tools} tools in {took} ms ({file})"))
        }
        (Configured::Yes(_), EntryTrial::Nothing) => Finding::ok(format!("{title}: {file}")),
    }
}
