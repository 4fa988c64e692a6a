//! Defines `hob setup`: makes agents and editors use hob.
//!
//! Agents get an entry in their own configuration that starts `hob-mcp`; editors get `hob-lsp` as a language server,
//! which hob prints or writes into files of its own. VS Code and Zed are both; `hob setup` then sets up the agent
//! unless `--editor` (or an option that only editors have) is given, because the agent gains more, and hob can do all
//! of its set-up itself.

pub(crate) mod agents;
mod editors;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use self::agents::{CLIENTS, SetupAgent};
use self::editors::{EDITORS, SetupEditor};
use super::{CommandFailure, CommandOutcome, Common};

/// Make an agent or an editor use hob
///
/// For an agent (Claude Code, Codex, Cursor, ...): shows the change of its configuration, asks, writes it,
/// starts the entry and checks that it answers. `hob setup AGENT --undo` undoes it. Without a name: lists the
/// agents here, and those that have hob. docs/agents.md says more.
///
/// For an editor (Neovim, Helix, ...): prints the settings and where they belong. With --write, it writes the
/// files that belong to hob alone; settings for a file of yours are still printed, for you to put there.
/// docs/editors.md says more.
#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// The agent or the editor
    #[arg(value_name = "CLIENT", value_parser = possible_names())]
    client: Option<String>,

    #[command(flatten)]
    agents: agents::AgentOptions,

    #[command(flatten)]
    editors: editors::EditorOptions,
}

fn possible_names() -> PossibleValuesParser {
    let agents = CLIENTS.iter().map(|client| PossibleValue::new(client.id).help(client.title));
    let editors = EDITORS.iter().filter(|editor| SetupAgent::find_by_id(editor.id).is_none());
    agents.chain(editors.map(|editor| PossibleValue::new(editor.id).help(editor.title))).into()
}

impl Setup {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let Some(id) = &self.client else {
            return match self.editors.are_given()
                || (self.agents.are_given() && !self.agents.need_no_client())
            {
                true => Err(CommandFailure::Usage(
                    "name the agent or the editor; `hob setup` lists them".to_owned(),
                )),
                false => self.agents.run_for_all(common),
            };
        };
        let (client, editor) = (SetupAgent::find_by_id(id), SetupEditor::find_by_id(id));
        match (client, editor) {
            (None, Some(_)) if self.agents.are_given() => {
                let problem = format!(
                    "{id} is an editor, and that option is for agents; `hob setup {id}` prints its configuration"
                );
                Err(CommandFailure::Usage(problem))
            }
            (Some(_), None) if self.editors.are_given() => {
                Err(CommandFailure::Usage(format!("{id} is an agent, and that option is for editors")))
            }
            (Some(_), Some(_)) if self.editors.are_given() && self.agents.are_given() => Err(
                CommandFailure::Usage("one of these options is for editors, another for agents".to_owned()),
            ),
            (_, Some(editor)) if client.is_none() || self.editors.are_given() => {
                editor.run(&self.editors, common)
            }
            (Some(client), _) => self.agents.run(client, common).await,
            _ => {
                Err(CommandFailure::Usage(format!("`{id}` is neither an agent nor an editor that hob knows")))
            }
        }
    }
}
