//! Lists where each agent keeps its parts, and why an agent has none of a kind. A table.
//!
//! docs/agents.md cites the page or source of each agent that documents the place.

use std::path::{Path, PathBuf};

use super::kind::PartKind;
use crate::setup::agents::clients::{Bases, SetupAgent};
use crate::setup::agents::scope::SetupScope;

/// The file of a part.
#[derive(Clone, Copy)]
enum PartFile {
    /// This file, relative to the project's root or the user's folder.
    In(&'static str),
    /// The file of the agent's entry.
    OfEntry,
    /// The agent has no such file, for this reason.
    No(&'static str),
}

use PartFile::{In, No, OfEntry};

/// The place of an agent's kind of part, for a project and for a user. `~claude` and `~codex` are folders that a
/// variable may name, `~config` is the folder of configuration.
struct PartPlace {
    client: &'static str,
    kind: PartKind,
    project: PartFile,
    user: PartFile,
}

const fn row(client: &'static str, kind: PartKind, project: PartFile, user: PartFile) -> PartPlace {
    PartPlace { client, kind, project, user }
}

use PartKind::{Hook, Instructions, Permissions, Skill, Subagent};

const NO_USER_RULES: &str = "Cursor keeps the rules of a user in the app; run this in a project for a file";

const PLACES: &[PartPlace] = &[
    row("claude-code", Instructions, In("CLAUDE.md"), In("~claude/CLAUDE.md")),
    // The local file belongs to one person, because colleagues need not have hob.
    row("claude-code", Permissions, In(".claude/settings.local.json"), In("~claude/settings.json")),
    row("claude-code", Skill, In(".claude/skills/hob/SKILL.md"), In("~claude/skills/hob/SKILL.md")),
    row("claude-code", Subagent, In(".claude/agents/hob.md"), In("~claude/agents/hob.md")),
    row("claude-code", Hook, In(".claude/settings.local.json"), In("~claude/settings.json")),
    row("codex", Instructions, In("AGENTS.md"), In("~codex/AGENTS.md")),
    row("codex", Permissions, No(CODEX_ASKS_NOT), No(CODEX_ASKS_NOT)),
    row("codex", Skill, In(".agents/skills/hob/SKILL.md"), In("~/.agents/skills/hob/SKILL.md")),
    row("codex", Subagent, No(CODEX_SHARES), No(CODEX_SHARES)),
    row("codex", Hook, In(".codex/hooks.json"), In("~codex/hooks.json")),
    row("cursor", Instructions, In(".cursor/rules/hob.mdc"), No(NO_USER_RULES)),
    row("cursor", Permissions, No(CURSOR_REPLACES), No(CURSOR_REPLACES)),
    row("cursor", Skill, In(".cursor/skills/hob/SKILL.md"), In("~/.cursor/skills/hob/SKILL.md")),
    row("cursor", Subagent, In(".cursor/agents/hob.md"), In("~/.cursor/agents/hob.md")),
    row("cursor", Hook, In(".cursor/hooks.json"), In("~/.cursor/hooks.json")),
    row("gemini", Instructions, In("GEMINI.md"), In("~/.gemini/GEMINI.md")),
    row("gemini", Permissions, In(".gemini/policies/hob.toml"), In("~/.gemini/policies/hob.toml")),
    row("gemini", Skill, In(".gemini/skills/hob/SKILL.md"), In("~/.gemini/skills/hob/SKILL.md")),
    row("gemini", Subagent, In(".gemini/agents/hob.md"), In("~/.gemini/agents/hob.md")),
    row("gemini", Hook, In(".gemini/settings.json"), In("~/.gemini/settings.json")),
    row("opencode", Instructions, In("AGENTS.md"), In("~config/opencode/AGENTS.md")),
    row("opencode", Permissions, OfEntry, OfEntry),
    row("opencode", Skill, In(".opencode/skills/hob/SKILL.md"), In("~config/opencode/skills/hob/SKILL.md")),
    row("opencode", Subagent, In(".opencode/agents/hob.md"), In("~config/opencode/agents/hob.md")),
    row("opencode", Hook, In(".opencode/plugins/hob.js"), In("~config/opencode/plugins/hob.js")),
    row("qwen", Instructions, In("QWEN.md"), In("~/.qwen/QWEN.md")),
];

const CODEX_ASKS_NOT: &str =
    "Codex asks for no permission for tools that are marked as reading only, as hob's are";
const CODEX_SHARES: &str = "Codex's sub-agents have the tools of the agent that starts them";
const CURSOR_REPLACES: &str =
    "Cursor's permissions.json takes the place of the list that you keep in the app; allow hob's tools there";

/// Agents that read `AGENTS.md` in a project (agents.md lists them), and for which hob knows no other part.
const READ_AGENTS_MD: &[&str] = &[
    "amp",
    "cline",
    "cline-vscode",
    "copilot-cli",
    "droid",
    "goose",
    "junie",
    "kiro",
    "roo",
    "vscode",
    "windsurf",
    "zed",
];

/// The request for the place of a part.
pub(super) struct PlaceRequest<'a> {
    pub(super) client: &'static SetupAgent,
    pub(super) kind: PartKind,
    pub(super) scope: SetupScope,
    /// The project; `None` where there is none.
    pub(super) project: Option<&'a Path>,
    pub(super) bases: &'a Bases<'a>,
    /// The file of the entry.
    pub(super) entry_file: &'a Path,
}

impl PlaceRequest<'_> {
    /// Finds the file of the part, with its scope.
    ///
    /// # Errors
    /// The reason why there is none, as a clause.
    pub(super) fn find_file(&self) -> Result<(SetupScope, PathBuf), String> {
        let known = PLACES.iter().find(|place| place.client == self.client.id && place.kind == self.kind);
        let (project, user) = match known {
            Some(place) => (place.project, place.user),
            None if self.kind == Instructions && READ_AGENTS_MD.contains(&self.client.id) => {
                (In("AGENTS.md"), No("hob knows no such file of a user; run this in a project"))
            }
            None => return Err(format!("hob knows no {} of {}", self.kind.word(), self.client.title)),
        };
        // An agent with servers only for a user may still read documents in projects.
        let in_project = self.scope == SetupScope::Project
            || (self.client.project.is_empty() && matches!(user, No(_)) && self.project.is_some());
        let (scope, place) =
            if in_project { (SetupScope::Project, project) } else { (SetupScope::User, user) };
        let file = match place {
            No(reason) => return Err(reason.to_owned()),
            OfEntry => self.entry_file.to_path_buf(),
            In(file) if in_project => self.project.ok_or("there is no project here")?.join(file),
            In(file) => self.user_path(file),
        };
        Ok((scope, file))
    }

    fn user_path(&self, file: &str) -> PathBuf {
        let (base, rest) = file.split_once('/').unwrap_or(("~", file));
        let folder = match base {
            "~claude" => self.bases.folder_in_variable("CLAUDE_CONFIG_DIR", ".claude"),
            "~codex" => self.bases.folder_in_variable("CODEX_HOME", ".codex"),
            "~config" if cfg!(windows) => self.bases.home.join(".config"),
            "~config" => self.bases.config.clone(),
            _ => self.bases.home.clone(),
        };
        folder.join(rest)
    }
}
