//! Agents: the entry in their own configuration that starts `hob-mcp`.
//!
//! `clients` says whose file is where, `formats` changes one entry in it, `plan` and `undo` decide what is to be done,
//! `receipt` remembers it, `probe` tries the entry. This file talks with the user. Nothing is written before it was shown and
//! agreed to, and nothing that hob did not add is ever taken out.

mod clients;
mod command;
mod diff;
mod entry;
mod file;
mod formats;
mod list;
mod plan;
pub(crate) mod probe;
mod receipt;
mod undo;
mod undoing;

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hob_proto::places::Places;
use hob_proto::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::clients::Bases;
pub(super) use self::clients::{CLIENTS, SetupAgent};
use self::command::Wishes;
use self::entry::AgentEntry;
use self::formats::{ConfigText, Slot};
use self::plan::{AgentSetupPlan, AgentSetupRequest, EntryState};
use self::receipt::Receipts;
use crate::term::{self, Style};
use crate::{CommandFailure, CommandOutcome, Common};

pub(crate) use self::list::{AgentFileState, Configured};

/// The scope of an entry: the agents of one project, or all of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SetupScope {
    /// This project's: a file in it, which goes where the project goes
    Project,
    /// This user's, in every project
    User,
}

/// The options for an agent on the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agents")]
#[allow(clippy::struct_excessive_bools, reason = "a command line has switches")]
pub(super) struct AgentOptions {
    /// Where to write it (default: project, for agents that have a file there)
    #[arg(long, value_enum)]
    scope: Option<SetupScope>,

    /// Write the file without asking
    #[arg(long, short)]
    yes: bool,

    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Take back what was written: the file becomes what it was
    #[arg(long)]
    undo: bool,

    /// With --undo: take the entry out even if it was changed since
    #[arg(long, requires = "undo")]
    force: bool,

    /// Show which agents are on this machine and which have hob
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    list: bool,

    /// The tools to offer: `core`, `all`, or names separated by commas
    #[arg(long, value_name = "LIST", default_value = "core", value_parser = parse_tools)]
    tools: String,

    /// Offer the tools that edit files, too
    #[arg(long)]
    edits: bool,

    /// Name for hob in the agent's settings (default: hob)
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    name: Option<String>,

    /// Do not start the entry to see whether it answers
    #[arg(long)]
    no_check: bool,
}

fn parse_tools(list: &str) -> Result<String, String> {
    tools::select_tools(list, true).map(|_| list.to_owned()).map_err(|unknown| unknown.to_string())
}

/// Agents make names of tools of it, which take no more than this.
fn parse_name(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=32).contains(&name.len()) && name.chars().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err("expected 1 to 32 letters, digits, - or _".to_owned()),
    }
}

/// The surroundings of one run.
struct AgentSetupContext<'a> {
    bases: Bases<'a>,
    /// The project: the repository's top around the working directory, or that itself.
    root: PathBuf,
    receipts: Receipts,
    json: bool,
    style: Style,
}

fn nonempty_variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl AgentSetupContext<'_> {
    fn find(common: &Common) -> Result<Self, CommandFailure> {
        let bases =
            Bases::find(&nonempty_variable).map_err(|problem| CommandFailure::Usage(problem.to_owned()))?;
        let places = Places::from_process_env().map_err(|error| CommandFailure::Usage(error.to_string()))?;
        let place = common.project_folder()?;
        let place = place.canonicalize().unwrap_or(place);
        let top = place.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
        let style = Style::of_stdout();
        Ok(Self {
            bases,
            root: top.unwrap_or(place),
            receipts: Receipts::in_places(&places),
            json: common.json,
            style,
        })
    }

    /// Returns true if the folder is the user's home, which is no project: files in it are the user's.
    fn is_home(&self) -> bool {
        self.bases.home.canonicalize().is_ok_and(|home| home == self.root) || self.root.parent().is_none()
    }
}

impl AgentOptions {
    /// Returns true if an option was given that only agents know.
    pub(super) fn are_given(&self) -> bool {
        self.scope.is_some()
            || self.yes
            || self.dry_run
            || self.undo
            || self.edits
            || self.name.is_some()
            || self.no_check
    }

    /// Returns true if the command needs no agent's name.
    pub(super) fn need_no_client(&self) -> bool {
        self.list || self.undo
    }

    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("hob")
    }

    /// Lists, or undoes everything.
    pub(super) fn run_for_all(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let at = AgentSetupContext::find(common)?;
        if self.undo {
            return self.undo(&at, None);
        }
        let text = match at.json {
            true => format!("{}\n", list::as_json(&at.bases, &at.root, self.name())),
            false => list::list_text(&at.bases, &at.root, self.name(), &at.style),
        };
        term::print(&text)?;
        Ok(CommandOutcome::Done)
    }

    /// Sets an agent up, or undoes that.
    pub(super) async fn run(
        &self,
        client: &'static SetupAgent,
        common: &Common,
    ) -> Result<CommandOutcome, CommandFailure> {
        let at = AgentSetupContext::find(common)?;
        if self.undo {
            return self.undo(&at, Some(client));
        }
        let (scope, file) = self.choose_place(client, &at)?;
        let wishes = Wishes { tools: self.tools.clone(), edits: self.edits };
        let (entry, note) =
            command::choose_entry(scope, &wishes, &nonempty_variable).map_err(CommandFailure::Usage)?;
        let wanted =
            AgentSetupRequest { client, scope, root: &at.root, file, name: self.name(), entry: &entry };
        let mut plan = AgentSetupPlan::make_plan(&wanted, &at.receipts).map_err(CommandFailure::Usage)?;
        plan.warnings.extend(note);
        self.show_plan(client, &plan, &at)?;
        let agreed = plan.state == EntryState::Same || self.ask_agreement("Write this?", &at)?;
        if agreed && plan.state != EntryState::Same {
            plan.carry_out(&at.receipts).map_err(CommandFailure::Usage)?;
        }
        let mut report = plan.as_json();
        report["written"] = (agreed && plan.state != EntryState::Same).into();
        let works = match agreed && !self.no_check {
            true => Some(self.try_entry(client, scope, &plan, &at).await),
            false => None,
        };
        if let Some(works) = &works {
            report["check"] = match works {
                Ok(answered) => {
                    json!({"ok": true, "server": answered.server, "tools": answered.tools, "ms": u64::try_from(answered.took.as_millis()).unwrap_or(u64::MAX)})
                }
                Err(problem) => json!({"ok": false, "problem": problem}),
            };
        }
        if at.json {
            term::print(&format!("{report}\n"))?;
        }
        match works {
            Some(Err(problem)) => self.report_failed_entry(client, &plan, &problem, &at),
            _ if agreed || self.dry_run => {
                self.close(client, scope, &plan, works.and_then(Result::ok), &at)?;
                Ok(CommandOutcome::Done)
            }
            _ => Ok(CommandOutcome::Refused),
        }
    }

    /// Where to write, by what was said and what the agent has.
    fn choose_place(
        &self,
        client: &'static SetupAgent,
        at: &AgentSetupContext<'_>,
    ) -> Result<(SetupScope, PathBuf), CommandFailure> {
        let project = client.project_file(&at.root).filter(|_| !at.is_home());
        let user = client.user_file(&at.bases);
        match (self.scope, project, user) {
            (None | Some(SetupScope::Project), Some(file), _) => Ok((SetupScope::Project, file)),
            (None | Some(SetupScope::User), _, Some(file)) => Ok((SetupScope::User, file)),
            (Some(SetupScope::Project), None, _) if at.is_home() => Err(CommandFailure::Usage(format!(
                "{} is no project; go to one, or use --scope user",
                at.root.display()
            ))),
            _ => Err(CommandFailure::Usage(format!(
                "{} has no file for that scope; leave --scope out",
                client.title
            ))),
        }
    }

    fn show_plan(
        &self,
        client: &SetupAgent,
        plan: &AgentSetupPlan,
        at: &AgentSetupContext<'_>,
    ) -> Result<(), CommandFailure> {
        if at.json {
            return Ok(());
        }
        let file = plan.found.target.display();
        let what = match plan.state {
            EntryState::New => format!("a new file {file}"),
            EntryState::Add => format!("an entry is added to {file}"),
            EntryState::Replace => {
                format!("the entry `{}` in {file} is replaced; --undo brings it back", self.name())
            }
            EntryState::Same => format!("{file} has the entry already"),
        };
        let mut text = format!("{}: {what}\n", at.style.bold(client.title));
        if plan.state != EntryState::Same {
            text.push_str(&format!("\n{}\n", diff::paint_lines(&plan.diff_lines(), &at.style)));
        }
        for warning in &plan.warnings {
            text.push_str(&format!("{} {warning}\n", at.style.notice("note:")));
        }
        term::print(&text)?;
        Ok(())
    }

    /// Returns true if the command may go on: it asks the user where there is one.
    fn ask_agreement(&self, question: &str, at: &AgentSetupContext<'_>) -> Result<bool, CommandFailure> {
        if self.dry_run {
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if at.json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            term::print_to_stderr(
                "nothing is changed: there is no terminal to ask on; say --yes to go ahead",
            );
            return Ok(false);
        }
        ask_yes_or_no(question)
    }

    /// Starts what the file says now, as the agent would.
    async fn try_entry(
        &self,
        client: &SetupAgent,
        scope: SetupScope,
        plan: &AgentSetupPlan,
        at: &AgentSetupContext<'_>,
    ) -> Result<probe::Answered, String> {
        let bytes = std::fs::read(&plan.found.target).map_err(|error| error.to_string())?;
        let data = ConfigText::read(&bytes)
            .and_then(|text| client.format.parse(&text.text))
            .map_err(|error| error.to_string())?;
        let slot = Slot { container: client.container, name: self.name() };
        let entry = slot.value_in(&data).and_then(|value| AgentEntry::read(value, client.shape));
        let entry = entry.ok_or("the entry is not in the file any more")?;
        let folder = if scope == SetupScope::Project { &at.root } else { &at.bases.home };
        probe::start(&entry, folder).await
    }

    fn report_failed_entry(
        &self,
        client: &SetupAgent,
        plan: &AgentSetupPlan,
        problem: &str,
        at: &AgentSetupContext<'_>,
    ) -> Result<CommandOutcome, CommandFailure> {
        let undo = format!("hob setup {} --undo", client.id);
        term::print_to_stderr(&format!(
            "{} the entry does not work: {problem}",
            Style::of_stderr().alarm("error:")
        ));
        let can_ask = !self.yes && !at.json && io::stdin().is_terminal() && io::stdout().is_terminal();
        if plan.state != EntryState::Same && can_ask && ask_yes_or_no("Take it back?")? {
            let receipt = at.receipts.get(client.id, &plan.found.target, self.name());
            if let Some(receipt) = receipt {
                let undo = undo::plan_undo(&at.receipts, receipt, false).map_err(CommandFailure::Usage)?;
                undo.carry_out(&at.receipts).map_err(CommandFailure::Usage)?;
                term::print(&format!("{} {}\n", plan.found.target.display(), undo.describe_way()))?;
            }
        } else {
            term::print_to_stderr(&format!("`{undo}` takes it back"));
        }
        Ok(CommandOutcome::Refused)
    }

    fn close(
        &self,
        client: &SetupAgent,
        scope: SetupScope,
        plan: &AgentSetupPlan,
        works: Option<probe::Answered>,
        at: &AgentSetupContext<'_>,
    ) -> Result<(), CommandFailure> {
        if at.json || self.dry_run {
            return Ok(());
        }
        let mut text = String::new();
        if plan.state != EntryState::Same {
            text.push_str(&format!("written; `hob setup {} --undo` takes it back\n", client.id));
        }
        if let Some(answered) = works {
            text.push_str(&format!(
                "it works: {} offers {} tools, after {} ms\n",
                answered.server,
                answered.tools,
                answered.took.as_millis()
            ));
        }
        if scope == SetupScope::Project && !client.then.is_empty() && plan.state != EntryState::Same {
            text.push_str(&format!("{} {}\n", at.style.notice("note:"), client.then));
        }
        let other = super::editors::SetupEditor::find_by_id(client.id);
        if let Some(editor) = other {
            text.push_str(&format!(
                "{} `hob setup {} --editor` makes hob the language server of {}\n",
                at.style.notice("note:"),
                client.id,
                editor.title
            ));
        }
        term::print(&text)?;
        Ok(())
    }
}

fn ask_yes_or_no(question: &str) -> Result<bool, CommandFailure> {
    term::print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The entries named `hob` in the files of every agent, for this project and this user.
///
/// # Errors
/// That no home folder is known.
pub(crate) fn configured_here(common: &Common) -> Result<Vec<AgentFileState>, CommandFailure> {
    let at = AgentSetupContext::find(common)?;
    let all = list::configured_agents(&at.bases, &at.root, "hob");
    Ok(all.into_iter().filter(|seen| seen.state != Configured::No).collect())
}
