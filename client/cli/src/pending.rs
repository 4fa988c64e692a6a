//! Defines `hob pending` and `hob undo`: a person decides about an agent's proposals, and undoes an applied one.
//!
//! Agents need the user's permission to edit; the user types these commands, so they need none.

use clap::{Args, Subcommand};
use hob_client::DaemonAnswer;
use hob_proto::Envelope;
use serde_json::{Map, Value, json};

use super::ask::{self, CliQuestion};
use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common, render, show};

/// Number of tokens of each part in which a diff is read.
const PART: u32 = 10_000;

/// Previews of edits that wait for a decision: list, show, apply or discard them
///
/// Agents that may edit only propose; their proposals wait here until they or you decide, for a day at most.
#[derive(Debug, Args)]
pub(crate) struct Pending {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the pending edits of this project (the default)
    List,
    /// Show one with its diff
    Show {
        /// The ID in the list
        id: String,
        /// Only this file's part of the diff
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
    },
    /// Write the whole edit, or nothing of it
    Apply(Decision),
    /// Drop the edit and write nothing
    Discard(Decision),
}

#[derive(Debug, Args)]
struct Decision {
    /// The ID in the list
    id: String,
    /// The reason, for the log and the agent
    #[arg(long, value_name = "TEXT", default_value = "decided on the command line")]
    reason: String,
}

impl Pending {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        match self.command.unwrap_or(Command::List) {
            Command::List => shown("edit_pending", json!({"tokenBudget": PART}), common).await,
            Command::Show { id, file } => show_whole(&id, file.as_deref(), common).await,
            Command::Apply(decision) => send_decision("apply", &decision, common).await,
            Command::Discard(decision) => send_decision("discard", &decision, common).await,
        }
    }
}

/// Undo the last edit that was applied in this project
///
/// Works once, and only while its files are as the edit wrote them.
#[derive(Debug, Args)]
pub(crate) struct Undo;

impl Undo {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        shown("hob_undo", json!({"tokenBudget": PART}), common).await
    }
}

async fn send_decision(
    action: &str,
    decision: &Decision,
    common: &Common,
) -> Result<CommandOutcome, CommandFailure> {
    let Decision { id, reason } = decision;
    let args = json!({"action": action, "pendingId": id, "reason": reason, "tokenBudget": PART});
    shown("resolve_action", args, common).await
}

async fn shown(tool: &'static str, args: Value, common: &Common) -> Result<CommandOutcome, CommandFailure> {
    show::print_answer(&ask_tool(tool, args, common).await?, common.json)
}

async fn ask_tool(tool: &'static str, args: Value, common: &Common) -> Result<DaemonAnswer, CommandFailure> {
    let args = match args {
        Value::Object(args) => args,
        _ => Map::new(),
    };
    let question = CliQuestion { edits: true, ..CliQuestion::new(tool, args, common)? };
    ask::with_progress(&question, common).await
}

/// Shows the whole diff: reads it in parts, which may end within a line, and joins them.
async fn show_whole(id: &str, file: Option<&str>, common: &Common) -> Result<CommandOutcome, CommandFailure> {
    let (mut diff, mut offset) = (String::new(), 0);
    loop {
        let args = json!({"pendingId": id, "file": file, "offset": offset, "tokenBudget": PART});
        let answer = ask_tool("edit_pending", args, common).await?;
        let envelope = Envelope::parse(&answer.envelope).ok().filter(|_| answer.ok && !common.json);
        let Some(mut data) = envelope.and_then(|envelope| envelope.data) else {
            return show::print_answer(&answer, common.json);
        };
        diff.push_str(data["diff"].as_str().unwrap_or_default());
        match data["nextOffset"].as_u64() {
            Some(next) if next > offset => offset = next,
            _ => {
                data["diff"] = Value::String(diff);
                term::print(&render::render_data(&data, &Style::of_stdout()))?;
                return Ok(CommandOutcome::Done);
            }
        }
    }
}
