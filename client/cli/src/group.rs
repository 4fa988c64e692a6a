//! Defines `hob group`: names for several projects that one question is about.
//!
//! This program writes groups, so that the daemon need not run; the daemon reads them whenever a call names a group. A
//! group gives no trust.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hob_proto::groups::{ProjectGroups, is_group_name};
use hob_proto::places::Places;
use serde_json::{Map, Value, json};

use super::term;
use super::visible::on_one_line;
use super::{CommandFailure, CommandOutcome, Common};

/// Name several projects, to ask them one question: hob search Order --group shop
///
/// Agents pass a group as the argument `root`: group:shop. Without a command, the groups are listed.
#[derive(Debug, Args)]
pub(crate) struct GroupCommand {
    #[command(subcommand)]
    change: Option<GroupChange>,
}

#[derive(Debug, Subcommand)]
enum GroupChange {
    /// Show the groups (the default)
    List,
    /// Add folders of projects to a group, which is created if none has this name
    Add {
        /// Letters, digits, `-`, `_` and `.`
        name: String,
        /// Folders of projects
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Remove folders from a group, or the whole group
    Remove {
        /// The group
        name: String,
        /// The folders to remove (default: all)
        folders: Vec<PathBuf>,
    },
}

impl GroupCommand {
    pub(super) fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let file = Places::from_process_env()?.groups_file();
        let here = Common::working_dir()?;
        match self.change {
            None | Some(GroupChange::List) => list_groups(&file, common),
            Some(GroupChange::Add { name, folders }) => {
                add_folders(&file, &name, real_folders(&here, &folders)?)
            }
            Some(GroupChange::Remove { name, folders }) if folders.is_empty() => remove_group(&file, &name),
            Some(GroupChange::Remove { name, folders }) => remove_folders(&file, &name, &here, &folders),
        }
    }
}

fn list_groups(file: &Path, common: &Common) -> Result<CommandOutcome, CommandFailure> {
    let groups = ProjectGroups::read(file)?;
    let text = match common.json {
        true => format!("{}\n", as_json(&groups)),
        false if groups.all().next().is_none() => {
            "there is no group: hob group add NAME FOLDER...\n".to_owned()
        }
        false => groups.all().map(|(name, folders)| group_text(name, folders)).collect(),
    };
    term::print(&text)?;
    Ok(CommandOutcome::Done)
}

fn as_json(groups: &ProjectGroups) -> Value {
    let group = |(name, folders): (&str, &[PathBuf])| (name.to_owned(), json!(folders));
    json!({"groups": groups.all().map(group).collect::<Map<_, _>>()})
}

fn group_text(name: &str, folders: &[PathBuf]) -> String {
    let folders: String = folders.iter().map(|folder| format!("  {}\n", on_its_line(folder))).collect();
    format!("{name}\n{folders}")
}

/// Resolves the links of the folders, so that one project does not count twice.
fn real_folders(here: &Path, folders: &[PathBuf]) -> Result<Vec<PathBuf>, CommandFailure> {
    let real = |folder: &PathBuf| {
        let named = here.join(folder);
        let missing = |error| CommandFailure::Usage(format!("`{}`: {error}", on_its_line(&named)));
        let folder = named.canonicalize().map_err(missing)?;
        match folder.to_str() {
            _ if !folder.is_dir() => {
                Err(CommandFailure::Usage(format!("`{}` is not a folder", on_its_line(&folder))))
            }
            None => {
                Err(CommandFailure::Usage("a folder whose name is no text cannot be in a group".to_owned()))
            }
            Some(_) => Ok(folder),
        }
    };
    folders.iter().map(real).collect()
}

fn add_folders(file: &Path, name: &str, folders: Vec<PathBuf>) -> Result<CommandOutcome, CommandFailure> {
    if !is_group_name(name) {
        let message =
            format!("`{name}` is no name for a group: letters, digits, `-`, `_` and `.`, at most 64");
        return Err(CommandFailure::Usage(message));
    }
    let groups = ProjectGroups::change_file(file, |groups| {
        for folder in &folders {
            groups.add(name, folder);
        }
        groups.clone()
    })?;
    term::print(&group_text(name, groups.folders(name).unwrap_or_default()))?;
    Ok(CommandOutcome::Done)
}

fn remove_group(file: &Path, name: &str) -> Result<CommandOutcome, CommandFailure> {
    match ProjectGroups::change_file(file, |groups| groups.remove_group(name))? {
        true => term::print(&format!("removed the group {name}; its projects are as they were\n"))?,
        false => return Err(CommandFailure::Usage(format!("there is no group `{name}`: hob group"))),
    }
    Ok(CommandOutcome::Done)
}

fn remove_folders(
    file: &Path,
    name: &str,
    here: &Path,
    folders: &[PathBuf],
) -> Result<CommandOutcome, CommandFailure> {
    // A folder that no longer exists can still be removed from the group.
    let real = |folder: &PathBuf| {
        let named = here.join(folder);
        named.canonicalize().unwrap_or(named)
    };
    let folders: Vec<PathBuf> = folders.iter().map(real).collect();
    let absent = ProjectGroups::change_file(file, |groups| {
        folders.iter().filter(|folder| !groups.remove_folder(name, folder)).cloned().collect::<Vec<_>>()
    })?;
    for folder in &absent {
        term::print_to_stderr(&format!("{} is not in the group {name}", on_its_line(folder)));
    }
    let groups = ProjectGroups::read(file)?;
    let text = groups.folders(name).map(|left| group_text(name, left));
    term::print(&text.unwrap_or_else(|| format!("the group {name} is gone: it has no project left\n")))?;
    Ok(if absent.is_empty() { CommandOutcome::Done } else { CommandOutcome::Refused })
}

/// Writes a folder as a part of a line.
fn on_its_line(folder: &Path) -> String {
    on_one_line(&folder.to_string_lossy()).into_owned()
}
