//! Lists the clients' hook formats: the fields in which an event has the tool and its outcome, and the form of further
//! context.
//!
//! Each row cites the page or source of the client that documents it. Fields are read leniently, because clients add to
//! them: an event without useful fields gives no context, and never an error.

use serde_json::{Value, json};

/// The format of one client's hook after a tool.
pub(super) struct HookFormat {
    /// The client, by its name for `hob setup`.
    client: &'static str,
    /// The field with the tool's name.
    pub(super) tool: &'static str,
    /// The field with the tool's arguments.
    pub(super) input: &'static str,
    /// The field with the tool's outcome.
    pub(super) outcome: &'static str,
    /// Tools that search text.
    pub(super) searches: &'static [&'static str],
    /// Tools that read one file.
    pub(super) reads: &'static [&'static str],
    /// Tools that run a shell.
    pub(super) shells: &'static [&'static str],
    /// Writes the context in the client's form.
    pub(super) answer: fn(&str) -> Value,
}

const FORMATS: &[HookFormat] = &[
    // https://code.claude.com/docs/en/hooks (PostToolUse): tool_name, tool_input, tool_response; additionalContext goes to the model.
    HookFormat {
        client: "claude-code",
        tool: "tool_name",
        input: "tool_input",
        outcome: "tool_response",
        searches: &["Grep"],
        reads: &["Read"],
        shells: &["Bash"],
        answer: |text| event_context("PostToolUse", text),
    },
    // https://developers.openai.com/codex/hooks and openai/codex,
    // codex-rs/hooks/schema/generated/post-tool-use.command.*.schema.json: the fields of Claude Code; no others are
    // allowed in the answer. All searches go through the shell.
    HookFormat {
        client: "codex",
        tool: "tool_name",
        input: "tool_input",
        outcome: "tool_response",
        searches: &[],
        reads: &[],
        shells: &["Bash", "shell", "exec_command", "local_shell"],
        answer: |text| event_context("PostToolUse", text),
    },
    // https://cursor.com/docs/hooks (postToolUse): tool_name, tool_input, tool_output (JSON in a string),
    // workspace_roots; the client puts additional_context behind the result. afterShellExecution takes no answer, so it
    // is of no use here.
    HookFormat {
        client: "cursor",
        tool: "tool_name",
        input: "tool_input",
        outcome: "tool_output",
        searches: &["Grep"],
        reads: &["Read"],
        shells: &["Shell"],
        answer: |text| json!({"additional_context": text}),
    },
    // google-gemini/gemini-cli, docs/hooks/reference.md (AfterTool): tool_response has llmContent; additionalContext is appended to
    // the result.
    HookFormat {
        client: "gemini",
        tool: "tool_name",
        input: "tool_input",
        outcome: "tool_response",
        searches: &["grep_search", "search_file_content"],
        reads: &["read_file"],
        shells: &["run_shell_command"],
        answer: |text| event_context("AfterTool", text),
    },
    // https://opencode.ai/docs/plugins (tool.execute.after) and anomalyco/opencode,
    // packages/opencode/src/session/tools.ts, which calls it with the tool, its args and an output that it may change.
    // hob's own plug-in (`setup/agents/parts`) makes this JSON from those.
    HookFormat {
        client: "opencode",
        tool: "tool",
        input: "args",
        outcome: "output",
        searches: &["grep"],
        reads: &["read"],
        shells: &["bash", "shell"],
        answer: |text| json!({"context": text}),
    },
];

fn event_context(event: &str, text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

impl HookFormat {
    /// Returns the format of a client; `None` for one without such a hook.
    pub(super) fn of_client(client: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.client == client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_is_answered_in_its_own_words() {
        let answer = |client: &str| {
            let format = HookFormat::of_client(client).unwrap_or_else(|| panic!("{client} has a format"));
            (format.answer)("x").to_string()
        };
        let event = |name: &str| {
            format!(r#"{{"hookSpecificOutput":{{"additionalContext":"x","hookEventName":"{name}"}}}}"#)
        };
        let sorted = |text: String| serde_json::from_str::<Value>(&text).expect("JSON");
        assert_eq!(sorted(answer("claude-code")), sorted(event("PostToolUse")));
        assert_eq!(sorted(answer("codex")), sorted(event("PostToolUse")));
        assert_eq!(sorted(answer("gemini")), sorted(event("AfterTool")));
        assert_eq!(answer("cursor"), r#"{"additional_context":"x"}"#);
        assert_eq!(answer("opencode"), r#"{"context":"x"}"#);
        assert!(HookFormat::of_client("goose").is_none());
    }
}
