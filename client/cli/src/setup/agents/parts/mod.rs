//! Sets up the parts beside the entry that make an agent choose hob: instructions, permissions, a skill, a sub-agent, a
//! hook.
//!
//! hob shows each part, asks, stores a receipt, and undoes the part like the entry; it writes none unasked. `places`
//! says where an agent keeps its parts and why it has none, `texts` and `content` have their texts, `change` puts them
//! into files, `plan` decides what to do.

mod change;
mod content;
mod kind;
mod places;
mod plan;
mod texts;

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use hob_proto::tools;
use serde_json::{Value, json};

pub(crate) use self::change::{PartChange, WithoutPart};
use self::content::{HobProgram, PartContent};
pub(crate) use self::kind::PartKind;
use self::places::PlaceRequest;
use self::plan::{PartPlan, PartRequest};
use super::clients::SetupAgent;
use super::command;
use super::context::{AgentSetupContext, nonempty_variable};
use super::diff;
use super::options::AgentOptions;
use super::scope::SetupScope;
use crate::term;
use crate::{CommandFailure, CommandOutcome};

/// The agent whose parts are set up, after its entry.
pub(super) struct PartsOf<'a> {
    pub(super) client: &'static SetupAgent,
    pub(super) scope: SetupScope,
    pub(super) entry_file: PathBuf,
    pub(super) at: &'a AgentSetupContext<'a>,
}

/// The outcome of setting up parts, for the exit code and for scripts.
pub(super) struct PartsOutcome {
    pub(super) report: Value,
    pub(super) outcome: CommandOutcome,
}

impl AgentOptions {
    /// Sets up the parts that the options name, or that the user agrees to see.
    pub(super) fn set_up_parts(&self, of: &PartsOf<'_>) -> Result<PartsOutcome, CommandFailure> {
        let mut kinds = self.part_kinds();
        let is_named = !kinds.is_empty();
        if !is_named && self.asks_for_parts(of)? {
            kinds = PartKind::ALL.to_vec();
        }
        let mut report = Vec::new();
        let mut outcome = CommandOutcome::Done;
        for kind in kinds {
            let planned = self.plan_part(of, kind);
            match planned.and_then(|plan| self.settle_part(of, plan)) {
                Ok(done) => {
                    let is_refused = done["written"] == false && done["change"] != "same" && !self.dry_run;
                    outcome = if is_refused && is_named { CommandOutcome::Refused } else { outcome };
                    report.push(done);
                }
                Err(PartProblem::None(reason)) => {
                    if !of.at.json {
                        term::print(&(of.at.style.note(format!("no {}: {reason}", kind.word())) + "\n"))?;
                    }
                    report.push(json!({"part": kind.word(), "change": "none", "reason": reason}));
                }
                Err(PartProblem::Failed(problem)) => {
                    term::error_to_stderr(&problem);
                    outcome = CommandOutcome::Refused;
                    report.push(json!({"part": kind.word(), "change": "failed", "reason": problem}));
                }
                Err(PartProblem::Talk(failure)) => return Err(failure),
            }
        }
        Ok(PartsOutcome { report: report.into(), outcome })
    }

    /// Asks on a terminal, without options for parts, whether to show them.
    fn asks_for_parts(&self, of: &PartsOf<'_>) -> Result<bool, CommandFailure> {
        let is_talk = io::stdin().is_terminal() && io::stdout().is_terminal();
        if self.yes || self.dry_run || of.at.json || !is_talk {
            return Ok(false);
        }
        let there = |kind: &PartKind| of.file_of(*kind).is_ok();
        let words: Vec<&str> =
            PartKind::ALL.iter().filter(|kind| there(kind)).map(|kind| kind.word()).collect();
        match words.is_empty() {
            true => Ok(false),
            false => Ok(crate::term::ask_yes_or_no(&format!(
                "hob can also write {}, so that the agent chooses hob. Look at them, one by one?",
                words.join(", ")
            ))?),
        }
    }

    fn plan_part(&self, of: &PartsOf<'_>, kind: PartKind) -> Result<PartPlan, PartProblem> {
        let (scope, file) = of.file_of(kind).map_err(PartProblem::None)?;
        let hob = hob_program(scope).map_err(PartProblem::Failed)?;
        let tools = tools::select_tools(&self.tools, self.edits).unwrap_or_default();
        let content = PartContent { client: of.client.id, name: self.name(), tools: &tools, hob: &hob };
        let change = content.change(kind, &file);
        let root = &of.at.root;
        let request =
            PartRequest { client: of.client.id, kind, scope, root, file, name: self.name(), change };
        PartPlan::make_plan(request, &of.at.receipts).map_err(PartProblem::Failed)
    }

    /// Shows a part, asks, and writes it.
    fn settle_part(&self, of: &PartsOf<'_>, mut plan: PartPlan) -> Result<Value, PartProblem> {
        let at = of.at;
        if !at.json {
            term::print(&plan_text(&plan, at)).map_err(|error| PartProblem::Talk(error.into()))?;
        }
        let agreed = !plan.is_there() && self.ask_agreement("Write this?", at).map_err(PartProblem::Talk)?;
        if agreed {
            plan.change.carry_out(&at.receipts).map_err(PartProblem::Failed)?;
        }
        let mut done = plan.as_json();
        done["written"] = agreed.into();
        Ok(done)
    }
}

/// Why a part was not set up.
enum PartProblem {
    /// The agent has no such part, for this reason.
    None(String),
    /// It could not be written.
    Failed(String),
    /// Talking with the user failed.
    Talk(CommandFailure),
}

impl PartsOf<'_> {
    fn file_of(&self, kind: PartKind) -> Result<(SetupScope, PathBuf), String> {
        let project = (!self.at.is_home()).then_some(self.at.root.as_path());
        let request = PlaceRequest {
            client: self.client,
            kind,
            scope: self.scope,
            project,
            bases: &self.at.bases,
            entry_file: &self.entry_file,
        };
        request.find_file()
    }
}

fn plan_text(plan: &PartPlan, at: &AgentSetupContext<'_>) -> String {
    let file = plan.change.found.target.display();
    let title = at.style.bold(plan.kind.word());
    if plan.is_there() {
        return format!("{title}: {file} has it already\n");
    }
    let what = if plan.change.found.bytes.is_some() { "is added to" } else { "a new file" };
    let lines = diff::paint_lines(&plan.diff_lines(), &at.style);
    format!("{title} ({}): {what} {file}\n\n{lines}\n", plan.kind.purpose())
}

/// Returns the program `hob` for a hook: the bare name in a project's file, if the `PATH` has it, else this program.
fn hob_program(scope: SetupScope) -> Result<HobProgram, String> {
    let own = std::env::current_exe().ok();
    let path = nonempty_variable("PATH").unwrap_or_default();
    let (command, _) = command::choose_command("hob", scope, own.as_deref(), &path)?;
    let folder = nonempty_variable("HOB_DIR").filter(|_| scope == SetupScope::User);
    let folder = folder.and_then(|folder| absolute_text(Path::new(&folder)));
    Ok(HobProgram { command, folder })
}

fn absolute_text(path: &Path) -> Option<String> {
    path.is_absolute().then(|| path.to_str().map(str::to_owned)).flatten()
}
