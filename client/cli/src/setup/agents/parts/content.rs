//! Makes the content of each part for each agent: the same texts in the agent's own notation.

use std::path::Path;

use hob_proto::tools::{ToolDef, ToolSet};
use serde_json::{Value, json};

use super::change::PartChange;
use super::kind::PartKind;
use super::texts::{SUBAGENT_DESCRIPTION, instruction_block, instruction_lines, skill_text, subagent_task};
use crate::setup::agents::formats::ValueAt;

/// Time limit in seconds that an agent sets for the hook; hob itself ends after 150 ms.
const HOOK_SECONDS: u64 = 5;

/// The facts from which the contents of parts are made.
pub(super) struct PartContent<'a> {
    pub(super) client: &'a str,
    /// The entry's name, from which agents make the names of its tools.
    pub(super) name: &'a str,
    /// The tools of the entry.
    pub(super) tools: &'a [&'static ToolDef],
    /// The program `hob` as the agent's machine finds it, with the variables that it needs.
    pub(super) hob: &'a HobProgram,
}

/// The program that a hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HobProgram {
    pub(super) command: String,
    /// The folder of hob's files, if the user has chosen one.
    pub(super) folder: Option<String>,
}

impl HobProgram {
    /// Returns a shell line that runs the hook, and is silent and successful where there is no hob: a project's file
    /// goes to people without it.
    fn hook_line(&self, client: &str) -> String {
        if cfg!(windows) {
            return format!("\"{}\" hook {client}", self.command);
        }
        let folder =
            self.folder.as_deref().map_or_else(String::new, |dir| format!("HOB_DIR={} ", quoted(dir)));
        format!("{folder}{} hook {client} 2>/dev/null || true", quoted(&self.command))
    }
}

/// Quotes a word for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

impl PartContent<'_> {
    /// Makes the change for a kind of part; `file` decides between a block and a file of hob's own.
    pub(super) fn change(&self, kind: PartKind, file: &Path) -> PartChange {
        match kind {
            PartKind::Instructions => self.instructions(file),
            PartKind::Permissions => self.permissions(),
            PartKind::Skill => PartChange::File(skill_text(self.tools)),
            PartKind::Subagent => PartChange::File(self.subagent()),
            PartKind::Hook => self.hook(),
        }
    }

    fn reading_tools(&self) -> impl Iterator<Item = &'static str> + '_ {
        // The tools that edit only make previews, and so only read; but the user alone permits decisions about
        // previews.
        let reads = |tool: &&&'static ToolDef| tool.read_only && tool.set != ToolSet::Edit;
        self.tools.iter().filter(reads).map(|tool| tool.name)
    }

    fn instructions(&self, file: &Path) -> PartChange {
        match file.extension().is_some_and(|ending| ending == "mdc") {
            // https://cursor.com/docs/rules: a rule with alwaysApply is in every conversation.
            true => PartChange::File(format!(
                "---\ndescription: When to ask hob\nalwaysApply: true\n---\n\n{}",
                instruction_lines(self.tools)
            )),
            false => PartChange::Block(instruction_block(self.tools)),
        }
    }

    /// Permits each tool by its name, except those that edit.
    fn permissions(&self) -> PartChange {
        let name = self.name;
        match self.client {
            // docs/reference/policy-engine.md of google-gemini/gemini-cli.
            "gemini" => {
                let tools: Vec<String> = self.reading_tools().map(|tool| format!("\"{tool}\"")).collect();
                PartChange::File(format!(
                    "# Written by `hob setup gemini --permissions`: hob's tools that only read.\n[[rule]]\nmcpName = \"{name}\"\n\
                     toolName = [{}]\ndecision = \"allow\"\npriority = 100\n",
                    tools.join(", ")
                ))
            }
            // https://opencode.ai/docs/permissions: the key is the tool's name, SERVER_TOOL.
            "opencode" => {
                let allow =
                    |tool: &str| ValueAt::named(&["permission", &format!("{name}_{tool}")], "allow".into());
                PartChange::Values { values: self.reading_tools().map(allow).collect(), comments: true }
            }
            // https://code.claude.com/docs/en/permissions: mcp__SERVER__TOOL.
            _ => {
                let rule = |tool: &str| {
                    ValueAt::item(&["permissions", "allow"], format!("mcp__{name}__{tool}").into())
                };
                PartChange::Values { values: self.reading_tools().map(rule).collect(), comments: false }
            }
        }
    }

    fn subagent(&self) -> String {
        let task = subagent_task(self.tools);
        let named = |before: &str, after: &str| -> String {
            self.reading_tools().map(|tool| format!("{before}{tool}{after}")).collect()
        };
        let name = self.name;
        let head = match self.client {
            // https://code.claude.com/docs/en/sub-agents: without `tools` it would have all tools, including those that
            // edit.
            "claude-code" => {
                format!("tools: Read, Grep, Glob{}\n", named(&format!(", mcp__{name}__"), ""))
            }
            // docs/core/subagents.md of google-gemini/gemini-cli.
            "gemini" => format!(
                "kind: local\ntools:\n  - read_file\n  - grep_search\n{}",
                named(&format!("  - mcp_{name}_"), "\n")
            ),
            // https://opencode.ai/docs/agents
            "opencode" => "mode: subagent\npermission:\n  edit: deny\n".to_owned(),
            // https://cursor.com/docs/subagents: it has the tools of the agent that starts it.
            _ => "readonly: true\n".to_owned(),
        };
        let own_name = if self.client == "opencode" { "" } else { "name: hob\n" };
        format!("---\n{own_name}description: {SUBAGENT_DESCRIPTION}\n{head}---\n\n{task}")
    }

    fn hook(&self) -> PartChange {
        let line = self.hob.hook_line(self.client);
        match self.client {
            "opencode" => {
                let command = Value::from(self.hob.command.as_str()).to_string();
                PartChange::File(include_str!("plugin.js").replace("HOB_COMMAND", &command))
            }
            "cursor" => {
                let version = ValueAt { stays_beside_others: true, ..ValueAt::named(&["version"], 1.into()) };
                let hook = json!({"command": line, "matcher": "Shell|Read|Grep", "timeout": HOOK_SECONDS});
                let values = vec![version, ValueAt::item(&["hooks", "postToolUse"], hook)];
                PartChange::Values { values, comments: false }
            }
            "gemini" => {
                let run = json!({"type": "command", "name": "hob", "command": line, "timeout": HOOK_SECONDS * 1_000});
                let matcher = "grep_search|search_file_content|read_file|run_shell_command";
                let hook = json!({"matcher": matcher, "hooks": [run]});
                PartChange::Values {
                    values: vec![ValueAt::item(&["hooks", "AfterTool"], hook)],
                    comments: true,
                }
            }
            client => {
                let run = json!({"type": "command", "command": line, "timeout": HOOK_SECONDS});
                let matcher = if client == "codex" { "Bash" } else { "Grep|Read|Bash" };
                let hook = json!({"matcher": matcher, "hooks": [run]});
                PartChange::Values {
                    values: vec![ValueAt::item(&["hooks", "PostToolUse"], hook)],
                    comments: false,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::select_tools;

    use super::*;

    #[test]
    fn a_hook_line_survives_a_shell_and_a_machine_without_hob() {
        let line = |command: &str, folder: Option<&str>| {
            let program = HobProgram { command: command.into(), folder: folder.map(str::to_owned) };
            program.hook_line("codex")
        };
        if cfg!(unix) {
            assert_eq!(line("hob", None), "hob hook codex 2>/dev/null || true");
            assert_eq!(
                line("/o p/it's", Some("/d")),
                "HOB_DIR=/d '/o p/it'\\''s' hook codex 2>/dev/null || true"
            );
        }
    }

    #[test]
    fn permissions_and_sub_agents_have_no_tool_that_edits() {
        let tools = select_tools("all", true).expect("known");
        let hob = HobProgram { command: "hob".into(), folder: None };
        for client in ["claude-code", "gemini", "opencode", "cursor"] {
            let content = PartContent { client, name: "hob", tools: &tools, hob: &hob };
            for kind in [PartKind::Permissions, PartKind::Subagent] {
                let text = format!("{:?}", content.change(kind, Path::new("x.md")));
                assert!(!text.contains("edit_") && !text.contains("resolve_action"), "{client}: {text}");
            }
        }
    }
}
