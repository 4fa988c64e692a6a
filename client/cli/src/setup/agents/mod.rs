//! Sets agents up: writes the entry into their own configuration that starts `hob-mcp`.
//!
//! `clients` lists the agents and their files, `formats` changes one entry in a file, `plan` and `undo` decide what to
//! do, `receipt` records it, `probe` tries the entry, `parts` adds further files beside the entry; `options` has the
//! command line, `context` the folders of one run. This file talks with the user. It writes nothing that it has not
//! shown and the user has not agreed to, and removes nothing that hob did not add.

mod clients;
mod command;
mod context;
mod diff;
mod entry;
mod file;
mod file_change;
mod formats;
mod list;
mod options;
mod parts;
mod plan;
pub(crate) mod probe;
mod receipt;
mod scope;
mod undo;
mod undoing;

use std::path::PathBuf;

use serde_json::json;

pub(super) use self::clients::{CLIENTS, SetupAgent};
use self::command::EntryOptions;
use self::context::{AgentSetupContext, nonempty_variable};
use self::entry::AgentEntry;
use self::formats::{ConfigText, Slot};
pub(crate) use self::list::{AgentFileState, Configured};
pub(super) use self::options::AgentOptions;
use self::parts::PartsOf;
use self::plan::{AgentSetupPlan, AgentSetupRequest, EntryState};
pub(crate) use self::scope::SetupScope;
use crate::{CommandFailure, CommandOutcome, Common};
use crate::{ask, term};

impl AgentOptions {
    /// Lists the agents, or undoes everything.
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

    /// Sets an agent up, or undoes its set-up.
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
        let wishes =
            EntryOptions { tools: self.tools.clone(), edits: self.edits, far: common.far.to_words() };
        let (entry, note) =
            command::choose_entry(scope, &wishes, &nonempty_variable).map_err(CommandFailure::Usage)?;
        let wanted =
            AgentSetupRequest { client, scope, root: &at.root, file, name: self.name(), entry: &entry };
        let mut plan = AgentSetupPlan::make_plan(&wanted, &at.receipts).map_err(CommandFailure::Usage)?;
        plan.warnings.extend(note);
        plan.warnings.extend(far_warning(common).await?);
        self.show_plan(client, &plan, &at)?;
        let agreed = plan.state == EntryState::Same || self.ask_agreement("Write this?", &at)?;
        if agreed && plan.state != EntryState::Same {
            plan.change.carry_out(&at.receipts).map_err(CommandFailure::Usage)?;
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
        let answered = match works {
            Some(Err(problem)) => {
                print_report(&report, &at)?;
                return self.report_failed_entry(client, &plan, &problem, &at);
            }
            _ if !agreed && !self.dry_run => {
                print_report(&report, &at)?;
                return Ok(CommandOutcome::Refused);
            }
            works => works.and_then(Result::ok),
        };
        self.close(client, scope, &plan, answered, &at)?;
        let entry_file = plan.change.found.target.clone();
        let parts = self.set_up_parts(&PartsOf { client, scope, entry_file, at: &at })?;
        report["parts"] = parts.report;
        print_report(&report, &at)?;
        Ok(parts.outcome)
    }

    /// Chooses the file to write, by the options and the agent's files.
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
        let file = plan.change.found.target.display();
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
            text.push_str(&(at.style.note(warning) + "\n"));
        }
        term::print(&text)?;
        Ok(())
    }

    /// Returns true if the command may go on: asks the user, if there is a terminal.
    fn ask_agreement(&self, question: &str, at: &AgentSetupContext<'_>) -> Result<bool, CommandFailure> {
        if self.dry_run {
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if at.json || !term::can_ask() {
            term::print_to_stderr(
                "nothing is changed: there is no terminal to ask on; say --yes to go ahead",
            );
            return Ok(false);
        }
        Ok(term::ask_yes_or_no(question)?)
    }

    /// Starts the entry in the file, as the agent would.
    async fn try_entry(
        &self,
        client: &SetupAgent,
        scope: SetupScope,
        plan: &AgentSetupPlan,
        at: &AgentSetupContext<'_>,
    ) -> Result<probe::WorkingEntry, String> {
        let bytes = std::fs::read(&plan.change.found.target).map_err(|error| error.to_string())?;
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
        term::error_to_stderr(format!("the entry does not work: {problem}"));
        let can_ask = !self.yes && !at.json && term::can_ask();
        if plan.state != EntryState::Same && can_ask && term::ask_yes_or_no("Take it back?")? {
            let receipt = at.receipts.get(client.id, &plan.change.found.target, self.name());
            if let Some(receipt) = receipt {
                let undo = undo::plan_undo(&at.receipts, receipt, false).map_err(CommandFailure::Usage)?;
                undo.carry_out(&at.receipts).map_err(CommandFailure::Usage)?;
                term::print(&format!("{} {}\n", plan.change.found.target.display(), undo.describe_way()))?;
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
        works: Option<probe::WorkingEntry>,
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
            text.push_str(&(at.style.note(client.then) + "\n"));
        }
        if let Some(editor) = super::editors::SetupEditor::find_by_id(client.id) {
            let other = format!(
                "`hob setup {} --editor` makes hob the language server of {}",
                client.id, editor.title
            );
            text.push_str(&(at.style.note(other) + "\n"));
        }
        term::print(&text)?;
        Ok(())
    }
}

/// Prints the report for scripts, if the options ask for it.
fn print_report(report: &serde_json::Value, at: &AgentSetupContext<'_>) -> Result<(), CommandFailure> {
    if at.json {
        term::print(&format!("{report}\n"))?;
    }
    Ok(())
}

/// Returns a warning if the far side that the entry would ask cannot be reached now.
async fn far_warning(common: &Common) -> Result<Option<String>, CommandFailure> {
    let Some(far) = common.far_side()? else { return Ok(None) };
    let checked = far.check_greeting(&ask::client_settings(common)?).await;
    Ok(checked.err().map(|why| {
        let error = why.to_tool_error();
        let hint = if error.hint.is_empty() { String::new() } else { format!("; {}", error.hint) };
        format!("{}{hint}", error.message)
    }))
}

/// Returns the entries named `hob` in the files of every agent, for this project and this user.
///
/// # Errors
/// The error when no home folder is known.
pub(crate) fn configured_here(common: &Common) -> Result<Vec<AgentFileState>, CommandFailure> {
    let at = AgentSetupContext::find(common)?;
    let all = list::configured_agents(&at.bases, &at.root, "hob");
    Ok(all.into_iter().filter(|seen| seen.state != Configured::No).collect())
}
