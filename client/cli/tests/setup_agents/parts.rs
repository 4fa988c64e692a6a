//! Tests the parts beside the entry: the files of each agent, and that undoing restores every byte.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::home::{AgentHome, as_the_agent_reads, files, read, text, write};

/// The agents with all their parts, each with an existing file.
const AGENTS: &[(&str, &[(&str, &str)])] = &[
    (
        "claude-code",
        &[
            ("CLAUDE.md", "# House rules\n\nBe brief."),
            (
                ".claude/settings.local.json",
                "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n",
            ),
            (".mcp.json", "{\"mcpServers\": {}}"),
        ],
    ),
    ("codex", &[("AGENTS.md", "# Rules\r\n\r\nUse CRLF.\r\n"), (".codex/config.toml", "model = \"o4\"\n")]),
    (
        "gemini",
        &[(
            ".gemini/settings.json",
            "{\n  // mine\n  \"hooks\": {\n    \"AfterTool\": [{\"matcher\": \"x\", \"hooks\": []}]\n  }\n}\n",
        )],
    ),
    ("opencode", &[("opencode.jsonc", "{\n  \"permission\": {\n    \"*\": \"ask\", // careful\n  },\n}\n")]),
    ("cursor", &[(".cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}")]),
];

#[test]
fn every_part_of_five_agents_is_written_once_and_undone_byte_for_byte() {
    for (client, own) in AGENTS {
        let home = AgentHome::with_programs(&["hob", "hob-mcp"]);
        own.iter().for_each(|(path, bytes)| write(&home.project(path), bytes));
        let before = files(&home.home_path(""));
        let said = home.setup_ok(&[client, "--all", "--yes", "--no-check"]);
        let after = files(&home.home_path(""));
        assert!(after.len() > before.len() + 1, "{client}: {said}");
        home.setup_ok(&[client, "--all", "--yes", "--no-check"]);
        assert_eq!(files(&home.home_path("")), after, "{client}: twice is once");
        home.setup_ok(&[client, "--undo", "--yes"]);
        assert_eq!(files(&home.home_path("")), before, "{client}");
        assert_eq!(files(&home.receipts_folder()), [], "{client}");
    }
}

#[test]
fn an_agent_finds_in_its_files_what_it_looks_for() {
    let home = AgentHome::with_programs(&["hob", "hob-mcp"]);
    let data = |path: &str| as_the_agent_reads(&home.project(path), &read(&home.project(path)));
    let line = |client: &str| format!("hob hook {client} 2>/dev/null || true");
    for client in ["claude-code", "codex", "gemini", "opencode", "cursor"] {
        home.setup_ok(&[client, "--all", "--yes", "--no-check"]);
    }
    let claude = data(".claude/settings.local.json");
    let run = json!([{"type": "command", "command": line("claude-code"), "timeout": 5}]);
    assert_eq!(claude["hooks"]["PostToolUse"], json!([{"matcher": "Grep|Read|Bash", "hooks": run}]));
    let allowed = claude["permissions"]["allow"].as_array().expect("a list");
    assert!(allowed.contains(&json!("mcp__hob__map_neighbors")), "{claude}");
    let run = json!([{"type": "command", "command": line("codex"), "timeout": 5}]);
    assert_eq!(data(".codex/hooks.json")["hooks"]["PostToolUse"], json!([{"matcher": "Bash", "hooks": run}]));
    assert_eq!(data(".gemini/settings.json")["hooks"]["AfterTool"][0]["hooks"][0]["command"], line("gemini"));
    let cursor = data(".cursor/hooks.json");
    assert_eq!(
        (&cursor["version"], &cursor["hooks"]["postToolUse"][0]["command"]),
        (&json!(1), &json!(line("cursor")))
    );
    assert_eq!(data("opencode.json")["permission"]["hob_map_search"], "allow");
    let said = |path: &str| text(&read(&home.project(path)));
    assert!(said(".opencode/plugins/hob.js").contains("const COMMAND = \"hob\""));
    assert!(said(".claude/agents/hob.md").contains("tools: Read, Grep, Glob, mcp__hob__investigate"));
    assert!(said(".agents/skills/hob/SKILL.md").starts_with("---\nname: hob\n"));
    assert_eq!(said("AGENTS.md").matches("hob:begin").count(), 1, "two agents share one block");
}

#[test]
fn nothing_is_written_unasked_and_a_reason_is_given_for_what_there_is_not() {
    let home = AgentHome::with_programs(&["hob", "hob-mcp"]);
    home.setup_ok(&["claude-code", "--yes", "--no-check"]);
    let alone = files(&home.home_path(""));
    assert_eq!(alone.len(), 1, "the entry alone");
    let said = home.setup_refused(1, &["claude-code", "--hook", "--no-check"]);
    assert!(said.contains("+ ") && said.contains("--yes"), "{said}");
    home.setup_ok(&["claude-code", "--all", "--dry-run", "--no-check"]);
    assert_eq!(files(&home.home_path("")), alone);
    let said = home.setup_ok(&["goose", "--all", "--yes", "--no-check"]);
    assert!(
        said.contains("no hook: hob knows no hook of Goose") && home.project("AGENTS.md").exists(),
        "{said}"
    );
    let said = home.setup_ok(&["cursor", "--permissions", "--yes", "--no-check", "--json"]);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(
        (&report["parts"][0]["part"], &report["parts"][0]["change"]),
        (&json!("permissions"), &json!("none"))
    );
}

#[test]
fn in_files_that_were_changed_since_only_hobs_part_goes() {
    let home = AgentHome::with_programs(&["hob", "hob-mcp"]);
    home.setup_ok(&["claude-code", "--all", "--yes", "--no-check"]);
    let change = |path: &str, from: &str, to: &str| {
        let file: PathBuf = home.project(path);
        let changed = text(&read(&file)).replace(from, to);
        write(&file, &changed);
    };
    change("CLAUDE.md", "<!-- hob:begin -->", "# Mine\n\n<!-- hob:begin -->");
    change(".claude/settings.local.json", "\"allow\": [", "\"allow\": [\n      \"Bash(ls)\",");
    change(".claude/agents/hob.md", "You answer", "Please answer");
    let said = home.setup_refused(1, &["claude-code", "--undo", "--yes"]);
    assert!(said.contains("it is yours now"), "{said}");
    assert_eq!(text(&read(&home.project("CLAUDE.md"))), "# Mine\n");
    let settings = as_the_agent_reads(
        &home.project(".claude/settings.local.json"),
        &read(&home.project(".claude/settings.local.json")),
    );
    assert_eq!(settings, json!({"permissions": {"allow": ["Bash(ls)"]}}));
    assert!(home.project(".claude/agents/hob.md").exists() && !home.project(".claude/skills").exists());
    home.setup_ok(&["claude-code", "--undo", "--yes", "--force"]);
    assert!(!home.project(".claude/agents").exists());
}

#[test]
fn one_kind_is_undone_alone() {
    let home = AgentHome::with_programs(&["hob", "hob-mcp"]);
    home.setup_ok(&["gemini", "--all", "--yes", "--no-check"]);
    home.setup_ok(&["gemini", "--undo", "--hook", "--yes"]);
    let settings = text(&read(&home.project(".gemini/settings.json")));
    assert!(settings.contains("mcpServers") && !settings.contains("hob hook"), "{settings}");
    assert!(home.project("GEMINI.md").exists());
    home.setup_ok(&["gemini", "--undo", "--yes"]);
    assert!(!home.project(".gemini").exists() && !home.project("GEMINI.md").exists());
}

#[test]
fn an_agents_file_of_another_form_is_left_alone() {
    let home = AgentHome::with_programs(&["hob", "hob-mcp"]);
    let path = home.project(".codex/hooks.json");
    for broken in ["{\"hooks\": []}", "{", "{} // no comments here"] {
        write(&path, broken);
        let said = home.setup_refused(1, &["codex", "--hook", "--yes", "--no-check"]);
        assert!(said.contains("hooks.json") && said.contains("line 1"), "{said}");
        assert_eq!(text(&read(&path)), broken);
    }
    let skill = home.project(".agents/skills/hob/SKILL.md");
    write(&skill, "mine");
    let said = home.setup_refused(1, &["codex", "--skill", "--yes", "--no-check"]);
    assert!(said.contains("did not write"), "{said}");
    fs::remove_file(&skill).expect("it is there");
}
