//! Runs `hob`: defines the command line, and dispatches its commands.
//!
//! One file per group of verbs. A command returns its [`CommandOutcome`], or the [`CommandFailure`] that prevented it;
//! only this file turns those into exit codes. No tool logic is here: arguments come from the tool table, answers from
//! the daemon, and `render` makes them readable.

mod ask;
mod bar;
mod call;
mod close;
mod config;
mod daemon;
mod debug;
mod docs;
mod doctor;
mod graph;
mod grep;
mod group;
mod hook;
mod index;
mod logs;
mod man;
mod model;
mod output;
mod paint;
mod pending;
mod proxy;
mod purge;
mod render;
mod servers;
mod service;
mod setup;
mod show;
mod stats;
mod term;
mod toolargs;
mod top;
mod trust;
mod visible;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use hob_client::far::{FarArgs, FarSide};
use hob_proto::groups::GROUP_PREFIX;
use serde_json::{Map, Value};

const ABOUT: &str = "Ask hob about a code base, and look after its daemon";

const DETAILS: &str = "\
Examples:
  hob map                                     what is in this code base
  hob search SessionStore                     where it is defined
  hob neighbors py:src/auth.py#SessionStore   who uses it, and what it uses
  hob callers SessionStore.refresh            who calls it
  hob trace main                              what runs when it runs
  hob impact SessionStore.refresh             who is affected by a change of it
  hob review --base main                      what this branch does to symbols, and what it breaks
  hob graph --open                            the code base as a page to look at
  hob pending                                 what agents propose to change
  hob call regex_search --pattern 'TODO|FIXME' --paths '*.py'
  hob read SessionStore.refresh src/a.py:10-40 its source, and some lines

Commands that ask about code start the daemon when none runs; `hob call --help` lists the tools.

Exit codes:
  0  the answer is there
  1  the tool could not do it: no such node, a bad pattern, ...
  2  the command line is wrong, or the daemon could not be reached

Environment:
  HOB_DIR    keep all of hob's files under this folder instead of the platform's usual ones
  NO_COLOR   no colours";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "hob", version, about = ABOUT, after_help = DETAILS, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    common: Common,

    #[command(subcommand)]
    command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// The project: its folder or any path in it (default: the working directory)
    #[arg(long, global = true, value_name = "PATH", help_heading = "Every command")]
    root: Option<PathBuf>,

    /// Ask all projects of a group; see `hob group`
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "root", help_heading = "Every command")]
    group: Option<String>,

    /// Print JSON exactly as the daemon sent it
    #[arg(long, global = true, help_heading = "Every command")]
    json: bool,

    /// Stop waiting after this many seconds (default: wait)
    #[arg(long, global = true, value_name = "SECONDS", help_heading = "Every command", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    far: FarArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Tool(call::ToolVerb),
    Grep(grep::Grep),
    Graph(graph::Graph),
    Index(index::Index),
    Status(daemon::Status),
    Stop(daemon::Stop),
    Close(close::Close),
    Purge(purge::Purge),
    Logs(logs::Logs),
    Pending(pending::Pending),
    Undo(pending::Undo),
    Servers(servers::Servers),
    Model(model::Model),
    Trust(trust::Trust),
    Group(group::GroupCommand),
    Setup(setup::Setup),
    Service(service::Service),
    Doctor(doctor::Doctor),
    Debug(debug::Debug),
    Top(top::Top),
    Stats(stats::Stats),
    Config(config::Config),
    Tools(docs::Tools),
    Completions(docs::Completions),
    Man(man::Man),
    #[command(hide = true)]
    Hook(hook::Hook),
    #[command(hide = true)]
    Proxy(proxy::Proxy),
}

impl Command {
    /// Returns true for a command that can be about code elsewhere.
    fn reaches_far(&self) -> bool {
        matches!(self, Self::Tool(_) | Self::Pending(_) | Self::Undo(_) | Self::Setup(_) | Self::Doctor(_))
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// The outcome of a command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandOutcome {
    /// The command succeeded: exit code 0.
    Done,
    /// The tool refused: exit code 1. The reason is printed already.
    Refused,
    /// The command found nothing: exit code 1.
    NothingFound,
    /// A part of the command failed: exit code 2. The reason is printed already.
    Failed,
    /// No daemon was available: exit code 2. The reason is printed already.
    NoDaemon,
}

/// Why a command did not run; exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandFailure {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// The time of `--timeout` has passed.
    #[error("no answer after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The daemon behaves in an unexpected way.
    #[error("{0}")]
    Daemon(String),
    /// No daemon is available.
    #[error(transparent)]
    Unavailable(#[from] hob_client::Unavailable),
    /// hob's files have no place.
    #[error(transparent)]
    Places(#[from] hob_proto::places::PlacesError),
    /// The list of trusted projects or of groups cannot be read or changed.
    #[error(transparent)]
    UserFile(#[from] hob_proto::user_file::UserFileError),
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Parses the command line, runs the command, and reports its outcome.
fn main() -> ExitCode {
    if let Some(client) = hook::client_in_arguments(std::env::args_os()) {
        return hook::run_hook(&client);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return report_usage(&error),
    };
    if let Command::Hook(hook) = &cli.command {
        return hook.run();
    }
    match run(cli) {
        Ok(CommandOutcome::Done) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Refused | CommandOutcome::NothingFound) => ExitCode::from(1),
        Ok(CommandOutcome::NoDaemon | CommandOutcome::Failed) => ExitCode::from(2),
        Err(failure) => {
            term::error_to_stderr(failure);
            ExitCode::from(2)
        }
    }
}

/// Prints clap's message about the command line, and, where its first word is no command, how to ask about that word.
fn report_usage(error: &clap::Error) -> ExitCode {
    // A message that cannot be printed has no other place to go.
    let _ = error.print();
    let arguments: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(word) = unknown_word(error, &arguments) {
        let word = visible::on_one_line(word).replace('\'', " ");
        term::note_to_stderr(&format!(
            "`hob search '{word}'` finds what has this name, `hob ask '{word}'` where the topic lives, `hob grep '{word}' ./` the text"
        ));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns the word that stands in place of a command, if it resembles none. A word after a command does not count: it
/// stands for a subcommand, or for a tool.
fn unknown_word<'e>(error: &'e clap::Error, arguments: &[String]) -> Option<&'e str> {
    use clap::error::{ContextKind, ContextValue};
    let is_like_one = error.get(ContextKind::SuggestedSubcommand).is_some();
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if !is_like_one => word,
        _ => return None,
    };
    let mut cli = Cli::command();
    cli.build();
    let mut before = arguments.iter().skip(1).take_while(|argument| *argument != word);
    let is_below = before.any(|argument| cli.find_subcommand(argument).is_some());
    (!is_below).then_some(word)
}

fn run(cli: Cli) -> Result<CommandOutcome, CommandFailure> {
    let common = &cli.common;
    if common.far_side()?.is_some() && !cli.command.reaches_far() {
        return Err(CommandFailure::Usage(NOT_FAR.to_owned()));
    }
    match cli.command {
        Command::Tool(verb) => with_runtime(verb.run(common)),
        Command::Grep(grep) => with_runtime(grep.run(common)),
        Command::Graph(graph) => with_runtime(graph.run(common)),
        Command::Index(index) => with_runtime(index.run(common)),
        Command::Status(status) => with_runtime(run_within(common.timeout, status.run(common))),
        Command::Close(close) => with_runtime(run_within(common.timeout, close.run(common))),
        Command::Purge(purge) => with_runtime(run_within(common.timeout, purge.run(common))),
        Command::Stop(stop) => with_runtime(run_within(common.timeout, stop.run(common))),
        Command::Logs(logs) => logs.run(),
        Command::Pending(pending) => with_runtime(pending.run(common)),
        Command::Undo(undo) => with_runtime(undo.run(common)),
        Command::Servers(servers) => with_runtime(servers.run(common)),
        Command::Model(model) => with_runtime(model.run(common)),
        Command::Trust(trust) => trust.run(common),
        Command::Group(group) => group.run(common),
        Command::Setup(setup) => with_runtime(setup.run(common)),
        Command::Service(service) => with_runtime(service.run(common)),
        Command::Doctor(doctor) => with_runtime(doctor.run(common)),
        Command::Debug(debug) => with_runtime(debug.run(common)),
        Command::Top(top) => with_runtime(top.run(common)),
        Command::Stats(stats) => with_runtime(stats.run(common)),
        Command::Config(config) => with_runtime(config.run(common)),
        Command::Tools(tools) => tools.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
        Command::Proxy(proxy) => with_runtime(proxy.run(common)),
        // `main` runs it before all others, and it never fails.
        Command::Hook(_) => Ok(CommandOutcome::Done),
    }
}

const NOT_FAR: &str =
    "code elsewhere is for the commands that ask about code, and for setup and doctor; run this one there";

type CommandResult = Result<CommandOutcome, CommandFailure>;

/// Runs a command that talks to the daemon, on this thread.
fn with_runtime(work: impl Future<Output = CommandResult>) -> CommandResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(work);
    // Blocking work that is left must not delay the exit.
    runtime.shutdown_background();
    ended
}

/// Runs `work` within the limit of time. Tool calls have a deadline of their own, which the daemon knows; this is for
/// everything else.
async fn run_within(limit: Option<Duration>, work: impl Future<Output = CommandResult>) -> CommandResult {
    match limit {
        Some(limit) => {
            tokio::time::timeout(limit, work).await.unwrap_or(Err(CommandFailure::TimedOut(limit)))
        }
        None => work.await,
    }
}

impl Common {
    /// Returns the working directory; only this function of the command line reads it.
    #[allow(clippy::disallowed_methods, reason = "a command line is about the folder it is started in")]
    fn working_dir() -> Result<PathBuf, CommandFailure> {
        Ok(std::env::current_dir()?)
    }

    /// Returns the folder in which to look for the project, absolute.
    pub(crate) fn project_folder(&self) -> Result<PathBuf, CommandFailure> {
        let cwd = Self::working_dir()?;
        Ok(self.root.as_ref().map_or_else(|| cwd.clone(), |root| cwd.join(root)))
    }

    /// Returns the absolute path of a file that the command line names.
    pub(crate) fn working_file(&self, file: &Path) -> Result<PathBuf, CommandFailure> {
        Ok(Self::working_dir()?.join(file))
    }

    /// Returns the far side that the command is about; `None` for this machine.
    pub(crate) fn far_side(&self) -> Result<Option<FarSide>, CommandFailure> {
        self.far.far_side(self.root.as_deref(), &Self::working_dir()?).map_err(CommandFailure::Usage)
    }

    /// Adds the group of projects to the arguments of a call, if the command names one.
    fn add_group(&self, args: &mut Map<String, Value>) {
        if let Some(group) = &self.group {
            args.insert("root".to_owned(), format!("{GROUP_PREFIX}{group}").into());
        }
    }

    /// Returns the [`Self::project_folder`], with links resolved if it exists.
    fn real_project_folder(&self) -> Result<PathBuf, CommandFailure> {
        let place = self.project_folder()?;
        Ok(place.canonicalize().unwrap_or(place))
    }
}

/// Returns the top of the repository around a folder; it may be that folder.
fn repository_top(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_misspelt_tool_is_met_with_the_nearest_name() {
        let error = Cli::try_parse_from(["hob", "call", "map_serch"]).expect_err("unknown").to_string();
        assert!(error.contains("map_search"), "{error}");
    }

    #[test]
    fn a_name_in_place_of_a_command_is_taken_for_a_name() {
        let unknown = |words: &[&str]| {
            let arguments: Vec<String> = ["hob"].iter().chain(words).map(|word| (*word).to_owned()).collect();
            let error = Cli::try_parse_from(&arguments).expect_err("no command");
            unknown_word(&error, &arguments).map(str::to_owned)
        };
        assert_eq!(unknown(&["SessionStore"]).as_deref(), Some("SessionStore"));
        assert_eq!(unknown(&["--json", "SessionStore"]).as_deref(), Some("SessionStore"));
        assert_eq!(unknown(&["neighbos"]), None, "clap has the better hint");
        for below in [["service", "blurgh"], ["call", "zzz"], ["help", "blurgh"]] {
            assert_eq!(unknown(&below), None, "{below:?}");
        }
    }

    #[test]
    fn timeouts_are_seconds() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert!(seconds("-1").is_err());
        assert!(seconds("soon").is_err());
    }
}
