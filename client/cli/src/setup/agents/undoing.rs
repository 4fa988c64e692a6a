//! Runs `hob setup --undo`: shows the changes to undo, asks, and undoes them.

use serde_json::json;

use super::clients::SetupAgent;
use super::context::AgentSetupContext;
use super::diff;
use super::list::{self, Configured};
use super::options::AgentOptions;
use super::parts::PartKind;
use super::receipt::Receipt;
use super::undo::{self, Undo, UndoAction};
use crate::term::{self, Style};
use crate::{CommandFailure, CommandOutcome};

impl AgentOptions {
    /// Undoes the changes for one agent here, or for all agents everywhere.
    pub(super) fn undo(
        &self,
        at: &AgentSetupContext<'_>,
        client: Option<&SetupAgent>,
    ) -> Result<CommandOutcome, CommandFailure> {
        let (own, elsewhere): (Vec<Receipt>, Vec<Receipt>) = at
            .receipts
            .newest_first()
            .into_iter()
            .filter(|receipt| client.is_none_or(|client| receipt.client == client.id))
            .filter(|receipt| self.scope.is_none_or(|scope| receipt.scope == scope))
            .filter(|receipt| {
                let kinds = self.part_kinds();
                kinds.is_empty() || receipt.part_kind().is_some_and(|kind| kinds.contains(&kind))
            })
            .filter(|receipt| self.name.as_ref().is_none_or(|name| receipt.name == *name))
            .partition(|receipt| {
                client.is_none() || receipt.root.as_ref().is_none_or(|root| *root == at.root)
            });
        if !at.json {
            for receipt in &elsewhere {
                let note = at.style.notice("note:");
                term::print(&format!(
                    "{note} {} is of another project and stays\n",
                    receipt.target.display()
                ))?;
            }
        }
        let mut plans = Vec::new();
        let mut is_refused = false;
        for receipt in own {
            match undo::plan_undo(&at.receipts, receipt, self.force) {
                Ok(undo) => plans.push(undo),
                Err(problem) => {
                    is_refused = true;
                    term::error_to_stderr(problem);
                }
            }
        }
        if plans.is_empty() && !is_refused {
            return self.nothing_to_undo(at, client);
        }
        let (shown, report): (Vec<String>, Vec<_>) =
            plans.iter().map(|undo| (undo_text(undo, &at.style), as_json(undo))).unzip();
        if !at.json {
            term::print(&shown.concat())?;
        }
        let changes = plans.iter().any(|undo| undo.future_content().is_some());
        let agreed = !plans.is_empty()
            && (if changes { self.ask_agreement("Take this back?", at)? } else { !self.dry_run });
        if agreed {
            for undo in &plans {
                self.take_back(undo, at)?;
            }
        }
        if at.json {
            term::print(&format!("{}\n", json!({"undo": report, "done": agreed})))?;
        } else if agreed && changes {
            term::print("done\n")?;
        }
        let is_kept = plans.iter().any(|undo| matches!(undo.way, UndoAction::Kept(_)));
        match (agreed || self.dry_run) && !is_kept && !is_refused {
            true => Ok(CommandOutcome::Done),
            false => Ok(CommandOutcome::Refused),
        }
    }

    /// Undoes one change. Several entries can be in one file, so each file is read again when its turn comes.
    fn take_back(&self, undo: &Undo, at: &AgentSetupContext<'_>) -> Result<(), CommandFailure> {
        let again = undo::plan_undo(&at.receipts, undo.receipt.clone(), self.force);
        again.and_then(|undo| undo.carry_out(&at.receipts)).map_err(CommandFailure::Usage)
    }

    fn nothing_to_undo(
        &self,
        at: &AgentSetupContext<'_>,
        client: Option<&SetupAgent>,
    ) -> Result<CommandOutcome, CommandFailure> {
        if at.json {
            term::print(&format!("{}\n", json!({"undo": [], "done": false})))?;
            return Ok(CommandOutcome::Done);
        }
        let by_hand: Vec<String> = list::configured_agents(&at.bases, &at.root, self.name())
            .into_iter()
            .filter(|seen| {
                client.is_some_and(|client| client.id == seen.client)
                    && matches!(seen.state, Configured::Yes(_))
            })
            .map(|seen| {
                format!("; the entry in {} was not written by `hob setup`, so it stays", seen.file.display())
            })
            .collect();
        term::print(&format!("nothing to undo{}\n", by_hand.concat()))?;
        Ok(CommandOutcome::Done)
    }
}

fn undo_text(undo: &Undo, style: &Style) -> String {
    let title = SetupAgent::find_by_id(&undo.receipt.client).map_or("", |client| client.title);
    let part = undo.receipt.part_kind().map_or_else(String::new, |kind| format!(" ({})", kind.word()));
    let heading =
        format!("{}{part}: {} {}\n", style.bold(title), undo.receipt.target.display(), undo.describe_way());
    let Some(outcome) = undo.future_content() else { return heading };
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let lines = diff::lines(&text(undo.found.bytes.as_deref()), &text(outcome));
    format!("{heading}\n{}\n", diff::paint_lines(&lines, style))
}

fn as_json(undo: &Undo) -> serde_json::Value {
    let what = match &undo.way {
        UndoAction::Restore(_) => "restore",
        UndoAction::Take(_) => "take-out",
        UndoAction::Gone(_) => "gone",
        UndoAction::Kept(_) => "kept",
    };
    let receipt = &undo.receipt;
    let part = receipt.part_kind().map_or("entry", PartKind::word);
    json!({"client": receipt.client, "part": part, "scope": receipt.scope, "file": receipt.target, "name": receipt.name, "what": what, "about": undo.describe_way()})
}
