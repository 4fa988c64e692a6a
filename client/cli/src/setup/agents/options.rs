//! Defines the options of `hob setup` for agents.

use clap::Args;
use hob_proto::tools;

use super::scope::SetupScope;

/// The options for an agent on the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agents")]
#[allow(clippy::struct_excessive_bools, reason = "a command line has switches")]
pub(crate) struct AgentOptions {
    /// Where to write it (default: project, for agents that have a file there)
    #[arg(long, value_enum)]
    pub(super) scope: Option<SetupScope>,

    /// Write the file without asking
    #[arg(long, short)]
    pub(super) yes: bool,

    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Take back what was written: the file becomes what it was
    #[arg(long)]
    pub(super) undo: bool,

    /// With --undo: take the entry out even if it was changed since
    #[arg(long, requires = "undo")]
    pub(super) force: bool,

    /// Show which agents are on this machine and which have hob
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    pub(super) list: bool,

    /// The tools to offer: `core`, `all`, or names separated by commas
    #[arg(long, value_name = "LIST", default_value = "core", value_parser = parse_tools)]
    pub(super) tools: String,

    /// Offer the tools that edit files, too
    #[arg(long)]
    pub(super) edits: bool,

    /// Name for hob in the agent's settings (default: hob)
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub(super) name: Option<String>,

    /// Do not start the entry to see whether it answers
    #[arg(long)]
    pub(super) no_check: bool,
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

impl AgentOptions {
    /// Returns true if an option was given that only agents know.
    pub(crate) fn are_given(&self) -> bool {
        self.scope.is_some()
            || self.yes
            || self.dry_run
            || self.undo
            || self.edits
            || self.name.is_some()
            || self.no_check
    }

    /// Returns true if the command needs no agent's name.
    pub(crate) fn need_no_client(&self) -> bool {
        self.list || self.undo
    }

    /// The name of the entry.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("hob")
    }
}
