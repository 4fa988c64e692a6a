//! Defines `hob servers`: shows which language servers serve a project and why, and installs them.
//!
//! The daemon knows the servers and the commands that install them; this program shows them, and runs those commands
//! where the user sees them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, Subcommand};
use hob_client::DaemonAnswer;
use hob_proto::tools::servers::{Family, ListedServer, Recipe, RecipeStep, ServersResult, Setting};
use serde_json::Map;

use super::ask::{self, CliQuestion};
use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common, show};

/// Show and install language servers
#[derive(Debug, Args)]
pub(crate) struct Servers {
    #[command(subcommand)]
    what: Option<ServersCommand>,
}

#[derive(Debug, Subcommand)]
enum ServersCommand {
    /// Show for each language the server in use, or how to get one (the default)
    List,
    /// Explain why a server is used for a language, and why others are not
    Why {
        /// A language (python), file ending (py) or server (pyright)
        language: String,
    },
    /// Install a server into hob's own folder, at the version that was tested with hob
    ///
    /// Uses the package manager that publishes the server, and first shows the commands. Changes nothing
    /// outside hob's folder, except that package manager's own cache. A running daemon finds the server from
    /// the next question on.
    Install {
        /// The server, as `hob servers list` names it
        name: String,
    },
}

impl Servers {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        match self.what.unwrap_or(ServersCommand::List) {
            ServersCommand::List => show_servers(None, common, list).await,
            ServersCommand::Why { language } => show_servers(Some(language), common, explain_choice).await,
            ServersCommand::Install { name } => install(name, common).await,
        }
    }
}

async fn ask_servers(about: Option<String>, common: &Common) -> Result<DaemonAnswer, CommandFailure> {
    let args: Map<_, _> = about.into_iter().map(|about| ("about".to_owned(), about.into())).collect();
    let question = CliQuestion::new("hob_servers", args, common)?;
    ask::with_progress(&question, common).await
}

async fn show_servers(
    about: Option<String>,
    common: &Common,
    render: fn(&ServersResult, &Style) -> String,
) -> Result<CommandOutcome, CommandFailure> {
    let answer = ask_servers(about, common).await?;
    show::print_result(&answer, common.json, |result, style| Some(render(result, style)))
}

/// Returns the errors in the settings, and the settings that do not count, as text.
fn about_settings(result: &ServersResult, style: &Style) -> String {
    let problem = |problem: &String| format!("{} {problem}\n", style.notice("settings:"));
    let mut text: String = result.problems.iter().map(problem).collect();
    if result.unheard {
        let note = "the project's .hob.toml does not count, as the project is not trusted (see hob trust)";
        text.push_str(&format!("{} {note}\n", style.notice("settings:")));
    }
    text
}

/// Lists the project's languages first, by their number of files; the others in two lines.
fn list(result: &ServersResult, style: &Style) -> String {
    let is_wished = |family: &Family| {
        !family.settings.is_empty() || family.candidates.iter().any(|server| !server.settings.is_empty())
    };
    let (mut here, others): (Vec<&Family>, Vec<&Family>) =
        result.families.iter().partition(|family| family.files > 0 || is_wished(family));
    here.sort_by_key(|family| std::cmp::Reverse(family.files));
    let mut text = about_settings(result, style);
    here.iter().for_each(|family| text.push_str(&list_family(family, style)));
    let (there, absent): (Vec<&Family>, Vec<&Family>) =
        others.into_iter().partition(|family| used_server(family).is_some());
    let names = |families: &[&Family], with_server: bool| -> Vec<String> {
        let name = |family: &&Family| {
            let first = family.languages.first().cloned().unwrap_or_default();
            let server = used_server(family).filter(|_| with_server);
            server.map_or_else(|| first.clone(), |server| format!("{first} ({})", server.name))
        };
        families.iter().map(name).collect()
    };
    let has_others = !there.is_empty() || !absent.is_empty();
    if has_others && !here.is_empty() {
        text.push('\n');
    }
    for (head, names) in
        [("Ready for other projects", names(&there, true)), ("No server yet for", names(&absent, false))]
    {
        if !names.is_empty() {
            text.push_str(&format!("{}: {}\n", style.dim(head), names.join(", ")));
        }
    }
    let ways = "hob servers install NAME gets those that come from npm, PyPI, cargo or Go; hob servers why LANGUAGE tells more.";
    format!("{text}{}\n", style.dim(ways))
}

fn used_server(family: &Family) -> Option<&ListedServer> {
    family.candidates.iter().find(|candidate| candidate.state == "used")
}

fn list_family(family: &Family, style: &Style) -> String {
    let mut text = format!("{}: ", style.bold(family.languages.join(", ")));
    match used_server(family) {
        Some(used) => text.push_str(&found_server_text(used, style)),
        None if family.candidates.iter().all(|candidate| candidate.state == "off") => {
            text.push_str(&style.dim("switched off by your settings"));
        }
        None => {
            let first = family.candidates.first().map_or("", |first| first.install.as_str());
            text.push_str(&format!("{} ({first})", style.notice("none")));
        }
    }
    if family.files > 0 {
        let files = crate::render::count(family.files as u64, "file");
        text.push_str(&format!("  {}", style.dim(files)));
    }
    text.push('\n');
    let rejected = family.candidates.iter().flat_map(|candidate| &candidate.rejected);
    rejected.for_each(|line| text.push_str(&format!("  {} {line}\n", style.notice("rejected:"))));
    text
}

fn found_server_text(candidate: &ListedServer, style: &Style) -> String {
    let version = candidate.version.as_deref().map(|version| format!(" ({version})")).unwrap_or_default();
    let program = candidate.program.as_deref().unwrap_or_default();
    format!("{} {}{version}", candidate.name, style.path(program))
}

fn explain_choice(result: &ServersResult, style: &Style) -> String {
    let mut text = about_settings(result, style);
    for family in &result.families {
        text.push_str(&format!("{}, most wanted first:\n", style.bold(family.languages.join(", "))));
        family.settings.iter().for_each(|setting| text.push_str(&set(setting, "  ", style)));
        for candidate in &family.candidates {
            let verdict = match candidate.state.as_str() {
                "used" => format!("{}: it is used", found_server_text(candidate, style)),
                "spare" => {
                    format!("{}: it would do, but one above is there", found_server_text(candidate, style))
                }
                "off" => format!("{}: your settings switch it off", candidate.name),
                "rejected" => format!("{}: what was found cannot be used", candidate.name),
                _ => format!("{}: not found ({})", candidate.name, candidate.install),
            };
            text.push_str(&format!("  {verdict}\n"));
            for line in &candidate.rejected {
                text.push_str(&format!("    {} {line}\n", style.notice("rejected:")));
            }
            candidate.settings.iter().for_each(|setting| text.push_str(&set(setting, "    ", style)));
        }
    }
    let trust = if result.trusted { "trusted" } else { "not trusted (see hob trust)" };
    text.push_str(&format!("This project is {trust}.\n"));
    text
}

/// Renders a setting with its place and the settings that it overrules.
fn set(setting: &Setting, indent: &str, style: &Style) -> String {
    let Setting { key, value, from, .. } = setting;
    let over = match setting.instead_of.as_slice() {
        [] => String::new(),
        over => format!(", instead of {}", over.join(", ")),
    };
    let ignored = setting.ignored.as_ref().map(|why| format!(" {}", style.notice(format!("({why})"))));
    let from = style.dim(format!("({from}{over})"));
    format!("{indent}set: {key} = {value} {from}{}\n", ignored.unwrap_or_default())
}

async fn install(name: String, common: &Common) -> Result<CommandOutcome, CommandFailure> {
    let answer = ask_servers(Some(name.clone()), common).await?;
    let Some(result) = show::result_of::<ServersResult>(&answer) else {
        return show::print_answer(&answer, common.json);
    };
    let Some(server) = find_server(&result, &name) else {
        let names = result.families.iter().flat_map(|family| &family.candidates);
        let names: Vec<&str> = names.map(|candidate| candidate.name.as_str()).collect();
        return Err(CommandFailure::Usage(format!("`{name}` is no server; there are {}", names.join(", "))));
    };
    let Some(recipe) = &server.recipe else {
        return Err(CommandFailure::Usage(format!(
            "hob cannot install {name} by itself: {}",
            server.install
        )));
    };
    let lock = follow_recipe(recipe).map_err(CommandFailure::Usage)?;
    // Asked again, because it counts only if the daemon finds the server and it runs. The lock is held until then, as
    // another installation would move the server away meanwhile.
    let again = result_of_check(ask_servers(Some(name.clone()), common).await?, &name)?;
    drop(lock);
    if again.program.is_none() {
        term::print(&format!("installed {}\n", again.name))?;
        term::print_to_stderr("it runs only in a trusted project, which this one is not (see hob trust)");
        return Ok(CommandOutcome::Done);
    }
    term::print(&format!("installed {}\n", found_server_text(&again, &Style::of_stdout())))?;
    if again.state != "used" {
        term::print_to_stderr(&format!("another server comes first: hob servers why {name}"));
    }
    Ok(CommandOutcome::Done)
}

fn result_of_check(answer: DaemonAnswer, name: &str) -> Result<ListedServer, CommandFailure> {
    let server = show::result_of(&answer).and_then(|result| find_server(&result, name).cloned());
    match server {
        Some(server) if server.program.is_some() || server.needs_trust => Ok(server),
        Some(server) => Err(CommandFailure::Usage(format!(
            "{name} was installed, but cannot be used here: {}",
            server.rejected.join("; ")
        ))),
        None => Err(CommandFailure::Daemon(format!("the daemon does not know {name} any more"))),
    }
}

fn find_server<'r>(result: &'r ServersResult, name: &str) -> Option<&'r ListedServer> {
    let mut all = result.families.iter().flat_map(|family| &family.candidates);
    all.find(|candidate| candidate.name.eq_ignore_ascii_case(name))
}

/// Runs the commands. The former contents of the folder are kept until the commands have succeeded, even if this
/// program is killed. If several run at once, the others wait, and find the work done. Returns the locked file: no other
/// installation of this server begins before it is dropped.
fn follow_recipe(recipe: &Recipe) -> Result<File, String> {
    let folder = Path::new(&recipe.folder);
    let failed = |error: std::io::Error| format!("`{}`: {error}", recipe.folder);
    hob_proto::private_dir::ensure(folder.parent().unwrap_or(folder)).map_err(|error| error.to_string())?;
    let lock = File::create(sibling_path(folder, "lock")).map_err(failed)?;
    if lock.try_lock().is_err() {
        term::print_to_stderr("another installation of it is under way: waiting for that");
        lock.lock().map_err(failed)?;
        if is_complete(folder, recipe) {
            return Ok(lock);
        }
    }
    let old = sibling_path(folder, "old");
    if is_complete(&old, recipe) && !is_complete(folder, recipe) {
        // An earlier installation was killed while it replaced the folder.
        remove(folder).and_then(|()| std::fs::rename(&old, folder)).map_err(failed)?;
    }
    remove(&old).map_err(failed)?;
    let replaces = folder.exists();
    if replaces {
        std::fs::rename(folder, &old).map_err(failed)?;
    }
    let done = run_all(recipe).and_then(|()| std::fs::write(&recipe.stamp, "").map_err(failed));
    if done.is_err() {
        remove(folder).map_err(failed)?;
        if replaces {
            std::fs::rename(&old, folder).map_err(failed)?;
        }
    }
    remove(&old).map_err(failed)?;
    done.map(|()| lock)
}

/// Returns true if the stamp exists, which an installation writes last.
fn is_complete(folder: &Path, recipe: &Recipe) -> bool {
    Path::new(&recipe.stamp).file_name().is_some_and(|stamp| folder.join(stamp).is_file())
}

fn run_all(recipe: &Recipe) -> Result<(), String> {
    let all = recipe.steps.len();
    recipe.steps.iter().enumerate().try_for_each(|(i, step)| run(step, i + 1, all, &recipe.needs))
}

fn sibling_path(folder: &Path, what: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".");
    name.push(what);
    name.into()
}

fn remove(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Runs one command in the user's terminal; its output goes to standard error.
fn run(step: &RecipeStep, number: usize, all: usize, needs: &str) -> Result<(), String> {
    let words = step.env.iter().chain([&step.program]).chain(&step.args);
    let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    term::print_to_stderr(&format!("running ({number} of {all}): {line}"));
    let mut command = Command::new(platform_spelling(&step.program));
    command.args(&step.args).envs(step.env.iter().filter_map(|pair| pair.split_once('=')));
    // Not in the project: package managers read settings from their working directory.
    command.current_dir(neutral_folder()).stdin(Stdio::null()).stdout(std::io::stderr());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!(
            "`{}` failed ({status}), and says why above; nothing was installed. It needs {needs}, the network and room on the disk",
            step.program
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("`{}` was not found; this needs {needs}", step.program))
        }
        Err(error) => Err(format!("`{}` cannot be run: {error}; this needs {needs}", step.program)),
    }
}

/// Returns the program's name on this platform: npm is a batch file on Windows, and those are found only by their whole
/// names.
fn platform_spelling(program: &str) -> &str {
    if cfg!(windows) && program == "npm" { "npm.cmd" } else { program }
}

/// Returns a folder where only the administrator can put files that programs obey; in folders for everybody's temporary
/// files any user can.
fn neutral_folder() -> std::path::PathBuf {
    if cfg!(unix) { "/".into() } else { std::env::temp_dir() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(language: &str, files: usize, state: &str) -> Family {
        let server = serde_json::from_value(serde_json::json!({
            "name": format!("{language}-ls"), "state": state, "program": (state == "used").then_some("/bin/ls"),
            "install": format!("get {language}-ls"),
        }));
        Family {
            languages: vec![language.to_owned()],
            candidates: vec![server.expect("a server")],
            files,
            settings: Vec::new(),
        }
    }

    #[test]
    fn the_languages_of_the_project_come_first_and_the_others_share_lines() {
        let result = ServersResult {
            families: vec![
                family("bash", 2, "used"),
                family("go", 0, "used"),
                family("python", 90, "missing"),
                family("zig", 0, "missing"),
                family("lua", 0, "missing"),
            ],
            trusted: false,
            problems: Vec::new(),
            unheard: false,
        };
        let shown = list(&result, &Style::default());
        let expected = "python: none (get python-ls)  90 files\nbash: bash-ls /bin/ls  2 files\n\n\
                        Ready for other projects: go (go-ls)\nNo server yet for: zig, lua\n";
        assert!(shown.starts_with(expected), "{shown}");
    }
}
