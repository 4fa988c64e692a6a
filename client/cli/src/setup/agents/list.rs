//! Lists the agents on this machine, and tells which of them have hob.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::clients::{Bases, CLIENTS, SetupAgent};
use super::entry::AgentEntry;
use super::file;
use super::formats::{ConfigText, Slot};
use super::scope::SetupScope;
use crate::term::Style;

/// A file of an agent, with the state of hob's entry in it.
#[derive(Clone, Debug)]
pub(crate) struct AgentFileState {
    /// The agent's name for people.
    pub(crate) title: &'static str,
    /// The agent's name for `hob setup`.
    pub(crate) client: &'static str,
    pub(crate) scope: SetupScope,
    pub(crate) file: PathBuf,
    pub(crate) state: Configured,
}

/// The state of hob's entry in an agent's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Configured {
    /// There is no file, or it has no entry of that name.
    No,
    /// The entry that the agent would start.
    Yes(AgentEntry),
    /// There is an entry, but it starts no program.
    Other,
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

/// Reads the entry `name` from every agent's files, whether the agent is installed or not.
pub(crate) fn configured_agents(bases: &Bases<'_>, root: &Path, name: &str) -> Vec<AgentFileState> {
    let of = |client: &'static SetupAgent| {
        let project =
            client.project_file(root).filter(|_| root != bases.home).map(|file| (SetupScope::Project, file));
        let user = client.user_file(bases).map(|file| (SetupScope::User, file));
        project.into_iter().chain(user).map(move |(scope, file)| {
            let state = read_state(client, &file, name);
            AgentFileState { title: client.title, client: client.id, scope, file, state }
        })
    };
    CLIENTS.iter().flat_map(of).collect()
}

fn read_state(client: &SetupAgent, path: &Path, name: &str) -> Configured {
    let found = match file::read_config_file(path) {
        Ok(found) => found,
        Err(problem) => return Configured::Unreadable(problem),
    };
    let Some(bytes) = found.bytes else { return Configured::No };
    let data = ConfigText::read(&bytes).and_then(|text| client.format.parse_for(&text.text, client.dialect));
    match data {
        Err(error) => Configured::Unreadable(error.to_string()),
        Ok(data) => match (Slot { container: client.container, name }).value_in(&data) {
            None => Configured::No,
            Some(value) => AgentEntry::read(value, client.shape).map_or(Configured::Other, Configured::Yes),
        },
    }
}

/// Returns the list for scripts.
pub(super) fn as_json(bases: &Bases<'_>, root: &Path, name: &str) -> Value {
    let seen = configured_agents(bases, root, name);
    let files = |client: &SetupAgent| -> Vec<Value> {
        let own = seen.iter().filter(|seen| seen.client == client.id);
        own.map(|seen| {
            let mut file = json!({"scope": seen.scope, "file": seen.file, "hob": matches!(seen.state, Configured::Yes(_))});
            match &seen.state {
                Configured::Yes(entry) => {
                    file["command"] = json!([std::slice::from_ref(&entry.command), entry.args.as_slice()].concat());
                }
                Configured::Unreadable(problem) => file["problem"] = problem.as_str().into(),
                Configured::No | Configured::Other => {}
            }
            file
        })
        .collect()
    };
    let one = |client: &SetupAgent| json!({"id": client.id, "title": client.title, "found": client.installed_path(bases), "files": files(client)});
    json!({"agents": CLIENTS.iter().map(one).collect::<Vec<_>>()})
}

/// Renders the list for people.
pub(super) fn list_text(bases: &Bases<'_>, root: &Path, name: &str, style: &Style) -> String {
    let seen = configured_agents(bases, root, name);
    let (mut text, mut others) = (String::new(), Vec::new());
    for client in CLIENTS {
        let own: Vec<&AgentFileState> =
            seen.iter().filter(|seen| seen.client == client.id && seen.state != Configured::No).collect();
        let found = client.installed_path(bases);
        if own.is_empty() && found.is_none() {
            others.push(client.id);
            continue;
        }
        let what = if own.is_empty() { "does not have hob".to_owned() } else { String::new() };
        text.push_str(&format!(
            "{:<14}{what}{}\n",
            client.id,
            own.iter().map(|seen| line(seen)).collect::<Vec<_>>().join(&format!("\n{:14}", ""))
        ));
    }
    if text.is_empty() {
        text.push_str("no agent that hob knows was found on this machine\n");
    }
    let rest =
        if others.is_empty() { String::new() } else { format!("not found here: {}\n", others.join(", ")) };
    format!(
        "{text}\n{}{}\n",
        style.dim(rest),
        "hob setup AGENT adds hob to an agent, and shows first what it would write."
    )
}

fn line(seen: &AgentFileState) -> String {
    let scope = match seen.scope {
        SetupScope::Project => "in this project",
        SetupScope::User => "for this user",
    };
    let file = seen.file.display();
    match &seen.state {
        Configured::Yes(_) => format!("has hob {scope}: {file}"),
        Configured::Other => format!("has an entry {scope} that starts no program: {file}"),
        Configured::Unreadable(problem) => format!("cannot be read {scope}: {file}: {problem}"),
        Configured::No => format!("does not have hob {scope}: {file}"),
    }
}
