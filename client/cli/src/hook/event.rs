//! Parses a client's event as a search or a reading, and makes the question to the daemon from it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::formats::HookFormat;
use super::hits::{SearchHit, find_hits};
use super::names::names_in_pattern;
use super::shell::{ShellAction, recognize_command};

/// Names of the pattern argument, over all clients.
const PATTERN: &[&str] = &["pattern", "query", "regex"];
const FILE: &[&str] = &["file_path", "filePath", "absolute_path", "target_file", "path"];
const PLACE: &[&str] = &["path", "dir_path", "target_directory"];
const FIRST_LINE: &[&str] = &["offset", "start_line", "startLine"];
/// Fields of an outcome that hold its text.
const OUTPUT: &[&str] = &["content", "stdout", "output", "llmContent", "text", "result"];

/// A question for the daemon.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ContextQuestion {
    /// The folder in which to look for its project; absolute.
    pub(super) start: PathBuf,
    /// The arguments of `hob_context`.
    pub(super) args: Map<String, Value>,
}

/// Reads an event; `None` if it is neither a search nor a reading.
pub(super) fn question_of_event(format: &HookFormat, event: &Value) -> Option<ContextQuestion> {
    let cwd = working_folder(event)?;
    let tool = event.get(format.tool)?.as_str()?;
    let input = event.get(format.input).unwrap_or(&Value::Null);
    let outcome = event.get(format.outcome).unwrap_or(&Value::Null);
    let has = |tools: &[&str]| tools.contains(&tool);
    if has(format.searches) {
        let place = text_of(input, PLACE).map(|place| cwd.join(place));
        let search = Search { pattern: text_of(input, PATTERN)?, is_literal: false, place, folder: &cwd };
        return search.to_question(&output_text(outcome));
    }
    if has(format.reads) {
        let from = FIRST_LINE.iter().find_map(|name| input.get(*name)?.as_u64());
        return question_of_reading(&cwd.join(text_of(input, FILE)?), from);
    }
    if has(format.shells) {
        return question_of_shell(&cwd, input, outcome);
    }
    None
}

/// Returns the folder in which the tool ran.
fn working_folder(event: &Value) -> Option<PathBuf> {
    let named = event.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
    let rooted = || event.get("workspace_roots")?.get(0)?.as_str();
    let folder = PathBuf::from(named.or_else(rooted)?);
    folder.is_absolute().then_some(folder)
}

fn question_of_shell(cwd: &Path, input: &Value, outcome: &Value) -> Option<ContextQuestion> {
    let line = match input.get("command")? {
        Value::Array(words) => words.iter().filter_map(Value::as_str).next_back()?,
        other => other.as_str()?,
    };
    let said = ["working_directory", "workdir", "dir_path", "directory"];
    let own = text_of(input, &said).map_or_else(|| cwd.to_path_buf(), |folder| cwd.join(folder));
    let command = recognize_command(line)?;
    let folder = command.folder.map_or(own.clone(), |folder| own.join(folder));
    match command.action {
        ShellAction::Search { pattern, is_literal, place } => {
            let place = place.map(|place| folder.join(place));
            let search = Search { pattern: &pattern, is_literal, place, folder: &folder };
            search.to_question(&output_text(outcome))
        }
        ShellAction::Read { file, from } => question_of_reading(&folder.join(file), from.map(u64::from)),
    }
}

/// A search that an agent made.
struct Search<'s> {
    pattern: &'s str,
    is_literal: bool,
    /// The file or folder that was searched, if the agent named one; absolute.
    place: Option<PathBuf>,
    /// The folder to which paths in the output are relative.
    folder: &'s Path,
}

impl Search<'_> {
    fn to_question(&self, output: &str) -> Option<ContextQuestion> {
        let file = self.place.as_deref().filter(|place| place.extension().is_some());
        let hits = find_hits(output, file.and_then(Path::to_str));
        let names = names_in_pattern(self.pattern, self.is_literal);
        if names.is_empty() && hits.is_empty() {
            return None;
        }
        let absolute = |hit: &SearchHit| {
            let path = self.folder.join(&hit.path);
            format!("{}:{}", path.display(), hit.line)
        };
        let hits: Vec<String> = hits.iter().map(absolute).collect();
        let start = self.place.clone().unwrap_or_else(|| self.folder.to_path_buf());
        let args = json!({"names": names, "hits": hits}).as_object()?.clone();
        Some(ContextQuestion { start, args })
    }
}

fn question_of_reading(file: &Path, from: Option<u64>) -> Option<ContextQuestion> {
    let mut args = json!({"file": file.to_str()?}).as_object()?.clone();
    if let Some(from) = from.filter(|from| *from > 1) {
        args.insert("from".to_owned(), from.into());
    }
    Some(ContextQuestion { start: file.to_path_buf(), args })
}

fn text_of<'v>(input: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| input.get(*name)?.as_str().filter(|text| !text.is_empty()))
}

/// Returns the text of an outcome, which clients wrap in objects, lists and JSON in strings.
fn output_text(outcome: &Value) -> String {
    match outcome {
        Value::String(text) if text.starts_with('{') => {
            let inner = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
            inner.map_or_else(|| text.clone(), |inner| output_text(&inner))
        }
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(output_text).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => {
            let found = OUTPUT.iter().filter_map(|name| fields.get(*name)).map(output_text);
            found.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads an event in its client's form, and returns the start and the arguments of the question.
    #[track_caller]
    fn read(client: &str, event: &str) -> Option<(String, Value)> {
        let format = HookFormat::of_client(client).expect("it has a format");
        let event = serde_json::from_str(event).unwrap_or_else(|error| panic!("{error}: {event}"));
        let question = question_of_event(format, &event)?;
        Some((question.start.display().to_string(), Value::Object(question.args)))
    }

    #[track_caller]
    fn check(client: &str, event: &str, start: &str, args: Value) {
        assert_eq!(read(client, event), Some((start.to_owned(), args)), "{client}: {event}");
    }

    #[test]
    fn claude_code() {
        let grep = r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/w","permission_mode":"default","hook_event_name":"PostToolUse",
            "tool_name":"Grep","tool_input":{"pattern":"def refresh\\(","path":"src","output_mode":"content","-n":true},
            "tool_response":{"mode":"content","numFiles":0,"filenames":[],"content":"src/store.py:41:    def refresh(self):\nsrc/auth.py:10:x","numLines":2},
            "tool_use_id":"toolu_01"}"#;
        let args = json!({"names": ["refresh"], "hits": ["/w/src/store.py:41", "/w/src/auth.py:10"]});
        check("claude-code", grep, "/w/src", args);
        let names = r#"{"cwd":"/w","tool_name":"Grep","tool_input":{"pattern":"refresh"},"tool_response":{"mode":"files_with_matches","filenames":["a.py"],"numFiles":1}}"#;
        check("claude-code", names, "/w", json!({"names": ["refresh"], "hits": []}));
        let read = r#"{"cwd":"/w","tool_name":"Read","tool_input":{"file_path":"/w/src/store.py","offset":40,"limit":20},
            "tool_response":{"type":"text","file":{"filePath":"/w/src/store.py","content":"x","numLines":20,"startLine":40,"totalLines":90}}}"#;
        check("claude-code", read, "/w/src/store.py", json!({"file": "/w/src/store.py", "from": 40}));
        // Recorded from Claude Code 2.1.330, which has no Grep tool where its shell has a fast one.
        let bash = r#"{"session_id":"s","transcript_path":"/h/s.jsonl","cwd":"/w","prompt_id":"p","permission_mode":"default","effort":{"level":"medium"},
            "hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"grep -n refresh store.py","description":"x"},
            "tool_response":{"stdout":"2:    def refresh(self):","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},
            "tool_use_id":"toolu_2","duration_ms":239}"#;
        check("claude-code", bash, "/w/store.py", json!({"names": ["refresh"], "hits": ["/w/store.py:2"]}));
    }

    #[test]
    fn codex() {
        // Recorded from Codex 0.169.0.
        let event = r#"{"session_id":"s","turn_id":"t","transcript_path":"/h/s.jsonl","cwd":"/w","hook_event_name":"PostToolUse","model":"m",
            "permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"grep -n refresh store.py"},
            "tool_response":"2:    def refresh(self):\n","tool_use_id":"call_0"}"#;
        check("codex", event, "/w/store.py", json!({"names": ["refresh"], "hits": ["/w/store.py:2"]}));
        let read = r#"{"cwd":"/w","tool_name":"Bash","tool_input":{"command":"sed -n '40,60p' src/store.py"},"tool_response":"text"}"#;
        check("codex", read, "/w/src/store.py", json!({"file": "/w/src/store.py", "from": 40}));
        let search = r#"{"cwd":"/w","tool_name":"Bash","tool_input":{"command":["bash","-lc","rg -n refresh"]},"tool_response":"a.py:3:refresh()\n"}"#;
        check("codex", search, "/w", json!({"names": ["refresh"], "hits": ["/w/a.py:3"]}));
    }

    #[test]
    fn gemini() {
        // Recorded from Gemini CLI 0.61.0.
        let event = r#"{"session_id":"s","transcript_path":"/h/s.jsonl","cwd":"/w","hook_event_name":"AfterTool","timestamp":"2026-11-26T17:06:24.353Z",
            "tool_name":"grep_search","tool_input":{"pattern":"refresh"},"tool_response":{"llmContent":"Found 1 match for pattern \"refresh\" in the workspace directory:\n---\nFile: store.py\nL1- class SessionStore:\nL2:     def refresh(self):\nL3-         return 1\nL4- \n---",
            "returnDisplay":{"summary":"Found 1 match","matches":[{"filePath":"store.py","absolutePath":"/w/store.py","lineNumber":2,"line":"    def refresh(self):"}]}}}"#;
        check("gemini", event, "/w", json!({"names": ["refresh"], "hits": ["/w/store.py:2"]}));
        let read = r#"{"cwd":"/w","tool_name":"read_file","tool_input":{"file_path":"store.py"},"tool_response":{"llmContent":"x","returnDisplay":""}}"#;
        check("gemini", read, "/w/store.py", json!({"file": "/w/store.py"}));
        let shell = r#"{"cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"grep -n refresh store.py"},
            "tool_response":{"llmContent":"<untrusted_context>\nOutput: 2:    def refresh(self):\nProcess Group PGID: 26842\n</untrusted_context>","returnDisplay":"2:    def refresh(self):"}}"#;
        check("gemini", shell, "/w/store.py", json!({"names": ["refresh"], "hits": ["/w/store.py:2"]}));
    }

    #[test]
    fn cursor() {
        let event = r#"{"conversation_id":"c","generation_id":"g","model":"m","hook_event_name":"postToolUse","cursor_version":"2.4.0",
            "workspace_roots":["/w"],"user_email":null,"tool_name":"Shell","tool_input":{"command":"grep -n refresh a.py","working_directory":""},
            "tool_output":"{\"exitCode\":0,\"stdout\":\"3:refresh()\"}","tool_use_id":"u","cwd":"","duration":12}"#;
        check("cursor", event, "/w/a.py", json!({"names": ["refresh"], "hits": ["/w/a.py:3"]}));
    }

    #[test]
    fn opencode() {
        let event = r#"{"tool":"grep","args":{"pattern":"refresh"},"output":"Found 1 matches\n/w/a.py:\n  Line 3: refresh()\n","cwd":"/w"}"#;
        check("opencode", event, "/w", json!({"names": ["refresh"], "hits": ["/w/a.py:3"]}));
        // Recorded from opencode 1.18.33, through hob's plug-in.
        let event = r#"{"tool":"read","args":{"filePath":"/w/store.py"},"output":"<path>/w/store.py</path>\n<type>file</type>\n<content>\n1: class SessionStore:\n","cwd":"/w"}"#;
        check("opencode", event, "/w/store.py", json!({"file": "/w/store.py"}));
        let event = r#"{"tool":"bash","args":{"command":"grep -n refresh store.py","description":"x"},"output":"2:    def refresh(self):\n","cwd":"/w"}"#;
        check("opencode", event, "/w/store.py", json!({"names": ["refresh"], "hits": ["/w/store.py:2"]}));
    }

    #[test]
    fn other_events_ask_nothing() {
        for event in [
            "null",
            "[]",
            "{}",
            r#"{"cwd":"/w"}"#,
            r#"{"cwd":"/w","tool_name":3}"#,
            r#"{"cwd":"relative","tool_name":"Grep","tool_input":{"pattern":"refresh"}}"#,
            r#"{"cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.py"}}"#,
            r#"{"cwd":"/w","tool_name":"Grep","tool_input":[1]}"#,
            r#"{"cwd":"/w","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_response":{"stdout":"a.rs:3:x"}}"#,
            r#"{"cwd":"/w","tool_name":"Bash","tool_input":{"command":{"x":1}}}"#,
        ] {
            assert_eq!(read("claude-code", event), None, "{event}");
        }
    }
}
