//! Defines the options of `hob setup` for agents.

use clap::Args;
use hob_proto::tools;

use super::parts::PartKind;
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

    /// Show the changes, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Undo an earlier setup: the file becomes what it was
    #[arg(long)]
    pub(super) undo: bool,

    /// With --undo: remove the entry even if it was changed since
    #[arg(long, requires = "undo")]
    pub(super) force: bool,

    /// Show which agents are on this machine and which have hob
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    pub(super) list: bool,

    /// The tools to offer: `core`, `all`, or names separated by commas
    #[arg(long, value_name = "LIST", default_value = "core", value_parser = parse_tools)]
    pub(super) tools: String,

    /// Also offer the tools that edit files
    #[arg(long)]
    pub(super) edits: bool,

    /// Name for hob in the agent's settings (default: hob)
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub(super) name: Option<String>,

    /// Do not start the entry to check that it answers
    #[arg(long)]
    pub(super) no_check: bool,

    /// Also write a block of under 120 tokens into the agent's instructions (AGENTS.md, CLAUDE.md, ...): when to ask hob
    #[arg(long)]
    pub(super) instructions: bool,

    /// Also let the agent call hob's tools that only read without asking each time
    #[arg(long)]
    pub(super) permissions: bool,

    /// Also write a skill
    #[arg(long)]
    pub(super) skill: bool,

    /// Also write a sub-agent that has hob's tools
    #[arg(long)]
    pub(super) subagent: bool,

    /// Also add a hook: after the agent's own grep or read it reports hob's facts in at most 60 tokens, and
    /// never blocks
    #[arg(long)]
    pub(super) hook: bool,

    /// Also write all of these, each after a question
    #[arg(long)]
    pub(super) all: bool,
}

fn parse_tools(list: &str) -> Result<String, String> {
    tools::select_tools(list, true).map(|_| list.to_owned()).map_err(|unknown| unknown.to_string())
}

/// Checks the name of an entry: agents make names of tools from it, which allow no other characters and no more of
/// them.
fn parse_name(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=32).contains(&name.len()) && name.chars().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err("expected 1 to 32 letters, digits, - or _".to_owned()),
    }
}

impl AgentOptions {
    /// Returns true if an option was given that only agents have.
    pub(crate) fn are_given(&self) -> bool {
        self.scope.is_some()
            || self.yes
            || self.dry_run
            || self.undo
            || self.edits
            || self.name.is_some()
            || self.no_check
            || !self.part_kinds().is_empty()
    }

    /// Returns the parts that the options ask for.
    pub(super) fn part_kinds(&self) -> Vec<PartKind> {
        let is_asked = |kind: &PartKind| {
            self.all
                || match kind {
                    PartKind::Instructions => self.instructions,
                    PartKind::Permissions => self.permissions,
                    PartKind::Skill => self.skill,
                    PartKind::Subagent => self.subagent,
                    PartKind::Hook => self.hook,
                }
        };
        PartKind::ALL.into_iter().filter(is_asked).collect()
    }

    /// Returns true if the command needs no agent's name.
    pub(crate) fn need_no_client(&self) -> bool {
        self.list || self.undo
    }

    /// Returns the name of the entry.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("hob")
    }
}
