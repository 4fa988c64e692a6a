//! Chooses the command to write into an agent's file: one that the agent's own machine will find.
//!
//! A user's file gets an absolute path, because the desktop starts agents with windows, and they do not have the
//! shell's `PATH`. A project's file goes to everybody who has the project, and their hob is elsewhere, so it gets the
//! bare name; if this machine's `PATH` does not have it, the absolute path and a warning.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hob_client::program::{file_name, files_on_path};

use super::entry::AgentEntry;
use super::scope::SetupScope;

const PROGRAM: &str = "hob-mcp";

/// The user's options for the entry, from the command line.
#[derive(Clone, Debug)]
pub(crate) struct EntryOptions {
    pub(crate) tools: String,
    pub(crate) edits: bool,
    /// The options that name a far side.
    pub(crate) far: Vec<String>,
}

/// Chooses the entry; returns it with warnings for the user.
///
/// # Errors
/// The error when there is no `hob-mcp`.
pub(crate) fn choose_entry(
    scope: SetupScope,
    wishes: &EntryOptions,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<(AgentEntry, Option<String>), String> {
    let own = std::env::current_exe().ok();
    let (command, note) = choose_command(PROGRAM, scope, own.as_deref(), &env("PATH").unwrap_or_default())?;
    let mut args = vec!["--tools".to_owned(), wishes.tools.clone()];
    if wishes.edits {
        args.push("--edits".to_owned());
    }
    args.extend(wishes.far.iter().cloned());
    // Agents do not pass on all of their environment, and without the variable they would talk to another daemon. It
    // means nothing on other people's machines, though.
    let needed = if wishes.far.is_empty() { &VARIABLES[..1] } else { VARIABLES };
    let set = needed.iter().filter_map(|name| {
        let value = env(name)?.into_string().ok().filter(|value| !value.is_empty())?;
        Some(((*name).to_owned(), value))
    });
    let env = match scope {
        SetupScope::User => set.collect(),
        SetupScope::Project => BTreeMap::new(),
    };
    Ok((AgentEntry { command, args, env }, note))
}

/// The variables that decide which daemon answers; all but the first only for a far side.
const VARIABLES: &[&str] = &["HOB_DIR", "HOB_SSH", "HOB_DOCKER", "HOB_WSL"];

/// Chooses how a file names one of hob's programs; returns the command with warnings.
///
/// # Errors
/// The error when there is no such program.
pub(super) fn choose_command(
    program: &str,
    scope: SetupScope,
    own: Option<&Path>,
    path: &OsString,
) -> Result<(String, Option<String>), String> {
    let in_path = files_on_path(program, path).next();
    let beside = own.map(|own| own.with_file_name(file_name(program))).filter(|file| file.is_file());
    if in_path.is_some() && scope == SetupScope::Project {
        return Ok((program.to_owned(), None));
    }
    // The PATH's name for the same program is better: it stays when a package installs a new version elsewhere.
    let same = |one: &Path, other: &Path| {
        one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
    };
    let chosen: Option<PathBuf> = match (in_path, beside) {
        (Some(in_path), Some(beside)) => Some(if same(&in_path, &beside) { in_path } else { beside }),
        (in_path, beside) => beside.or(in_path),
    };
    let chosen = chosen
        .ok_or_else(|| format!("`{program}` is neither beside `hob` nor on the PATH; install it first"))?;
    let text = chosen
        .to_str()
        .ok_or_else(|| format!("`{}` is no text, so it cannot be written into a file", chosen.display()))?;
    let note = (scope == SetupScope::Project).then(|| {
        format!("`{program}` is not on the PATH, so the file names {text}, which is right on this machine alone: do not commit it")
    });
    Ok((text.to_owned(), note))
}
