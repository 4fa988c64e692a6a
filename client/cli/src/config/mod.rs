//! Defines `hob config`: shows the settings, their errors, their effective values and where each is stated.
//!
//! Only the daemon's program reads the settings, so this command runs it (`hobd report-settings`): it reports and ends.
//! No daemon need run, and none is started. This file renders the report.

mod ask;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hob_proto::settings::{EffectiveSetting, Problem, Report, SettingsRequest};

use crate::term::{self, Style};
use crate::{CommandFailure, CommandOutcome, Common, output};

/// Check and show the settings
///
/// The settings are in config.toml in hob's settings folder and, once a project is trusted, in its .hob.toml;
/// `hob config path` shows where. docs/settings.md explains every key. No daemon is needed.
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    what: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Report the errors in the settings, with line and column; exit code 1 if there are any
    ///
    /// Without a file: your own settings, those of the project, and the environment.
    Check {
        /// Only this file; a file with the name .hob.toml is checked as a project's
        file: Option<PathBuf>,
    },
    /// Show the effective settings of this project, without keys and variables that may be secret (the
    /// default)
    Show {
        /// Also show where each value is set
        #[arg(long)]
        origin: bool,
    },
    /// Show which files hob reads
    Path,
    /// Print the JSON schema of config.toml, for editors
    Schema {
        /// Print the schema of a project's .hob.toml instead
        #[arg(long)]
        project: bool,
        /// Write it into this file; missing folders are created
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print the tables of docs/settings.md
    #[command(hide = true)]
    Page,
}

impl Config {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let place = common.project_folder()?;
        let what = self.what.unwrap_or(ConfigCommand::Show { origin: false });
        let mut question =
            SettingsRequest { root: place.to_str().map(str::to_owned), ..SettingsRequest::default() };
        match &what {
            ConfigCommand::Check { file: Some(file) } => question.file = Some(place_of(common, file)?),
            ConfigCommand::Schema { project, .. } => {
                question.schema = true;
                question.of_project = *project;
            }
            ConfigCommand::Page => question.page = true,
            ConfigCommand::Check { file: None } => question.tries = true,
            ConfigCommand::Show { .. } | ConfigCommand::Path => {}
        }
        let report = ask::ask_hobd(&question)?;
        if common.json && !matches!(what, ConfigCommand::Schema { .. }) {
            let text =
                serde_json::to_string(&report).map_err(|error| CommandFailure::Daemon(error.to_string()))?;
            term::print(&format!("{text}\n"))?;
            return Ok(check_outcome(&what, &report));
        }
        let style = Style::of_stdout();
        let text = match &what {
            ConfigCommand::Check { .. } => check_text(&report, &style),
            ConfigCommand::Show { origin } => values_text(&report, *origin, &style),
            ConfigCommand::Path => paths_text(&report, &style),
            ConfigCommand::Schema { .. } => schema_text(&report)?,
            ConfigCommand::Page => report.page.clone().unwrap_or_default(),
        };
        match &what {
            ConfigCommand::Schema { out, .. } => output::print_or_write(&text, out.as_deref())?,
            _ => term::print(&text)?,
        }
        if matches!(what, ConfigCommand::Show { .. }) {
            for line in remarks(&report, &Style::of_stderr()) {
                term::print_to_stderr(&line);
            }
        }
        Ok(check_outcome(&what, &report))
    }
}

/// Returns the errors in the settings of this command's project, and all of its settings with the place of each; values
/// that may be secret are left out.
pub(crate) fn settings_text(common: &Common) -> Result<String, CommandFailure> {
    let root = common.project_folder()?.to_str().map(str::to_owned);
    let report = ask::ask_hobd(&SettingsRequest { root, tries: true, ..SettingsRequest::default() })?;
    let style = Style::default();
    Ok(check_text(&report, &style) + &values_text(&report, true, &style))
}

fn check_outcome(what: &ConfigCommand, report: &Report) -> CommandOutcome {
    let is_wrong = matches!(what, ConfigCommand::Check { .. }) && !report.problems.is_empty();
    if is_wrong { CommandOutcome::Refused } else { CommandOutcome::Done }
}

/// Returns the absolute path of a file on the command line, relative to the working directory, as all files are.
fn place_of(common: &Common, file: &std::path::Path) -> Result<String, CommandFailure> {
    let common = Common { root: None, group: None, ..common.clone() };
    let path = common.project_folder()?.join(file);
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        CommandFailure::Usage(format!("`{}` is no text, and hobd is asked in text", path.display()))
    })
}

fn check_text(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    report.problems.iter().for_each(|one| text.push_str(&problem_text(one, style)));
    report.notes.iter().for_each(|note| text.push_str(&(style.note(note) + "\n")));
    if report.problems.is_empty() {
        let there: Vec<&str> =
            report.files.iter().filter(|file| file.exists).map(|file| file.path.as_str()).collect();
        let there =
            if there.is_empty() { "there are no files of settings".to_owned() } else { there.join(", ") };
        text.push_str(&format!("nothing is wrong: {there}\n"));
    }
    text
}

/// Writes a problem as compilers do, so that editors and terminals make a link of its place.
fn problem_text(problem: &Problem, style: &Style) -> String {
    let place = match (problem.line, problem.file.as_str()) {
        (0, _) | (_, "") => String::new(),
        (line, file) => format!("{}: ", style.path(format!("{file}:{line}:{}", problem.column))),
    };
    format!("{place}{}\n", problem.text)
}

fn values_text(report: &Report, origin: bool, style: &Style) -> String {
    let line = |one: &EffectiveSetting| {
        let set = format!("{} = {}", one.key, one.value);
        if !origin {
            return format!("{set}\n");
        }
        let from = one.from.as_deref().unwrap_or("default");
        format!("{set:<40} {}\n", style.dim(format!("# {from}")))
    };
    report.counted.iter().map(line).collect()
}

fn remarks(report: &Report, style: &Style) -> Vec<String> {
    let mut lines: Vec<String> = report.notes.iter().map(|note| style.note(note)).collect();
    if !report.problems.is_empty() {
        lines.push(style.note("something is wrong with the settings: hob config check"));
    }
    lines.push(style.dim("daemon.* counts from the daemon's next start (hob stop); everything else from the next question on").into_owned());
    lines
}

fn paths_text(report: &Report, style: &Style) -> String {
    let line = |file: &hob_proto::settings::File| {
        let whose = if file.is_users { "yours" } else { "the project's" };
        let state = match (file.exists, file.counts, file.why.as_deref()) {
            (false, ..) => "there is none".to_owned(),
            (true, true, None) => "counts".to_owned(),
            (true, _, why) => format!("does not count: {}", why.unwrap_or("it cannot be used")),
        };
        format!("{}  {}\n", style.path(&file.path), style.dim(format!("({whose}; {state})")))
    };
    report.files.iter().map(line).collect()
}

fn schema_text(report: &Report) -> Result<String, CommandFailure> {
    let schema =
        report.schema.as_ref().ok_or_else(|| CommandFailure::Daemon("hobd told no schema".to_owned()))?;
    let text =
        serde_json::to_string_pretty(schema).map_err(|error| CommandFailure::Daemon(error.to_string()))?;
    Ok(format!("{text}\n"))
}
