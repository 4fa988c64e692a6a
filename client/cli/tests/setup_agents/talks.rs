//! Tests the questions and messages of `hob setup`, and its options.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::home::{AgentHome, files, read, text, write};

fn parse_json(said: &str) -> Value {
    serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn without_a_terminal_or_yes_the_plan_is_shown_and_nothing_done() {
    let home = AgentHome::new();
    write(&home.project(".mcp.json"), "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n");
    let everything = files(&home.home_path(""));
    let said = home.setup_refused(1, &["claude-code"]);
    assert!(
        said.contains("+     \"hob\": {") && said.contains("-     \"x\": {}") && said.contains("--yes"),
        "{said}"
    );
    let said = home.setup_ok(&["claude-code", "--dry-run"]);
    assert!(said.contains("\"command\": \"hob-mcp\""), "{said}");
    assert_eq!(files(&home.home_path("")), everything);
    assert_eq!(files(&home.receipts_folder()), []);
}

#[test]
fn another_entry_is_shown_as_replaced_and_comes_back() {
    let home = AgentHome::new();
    let before = "{\"mcpServers\": {\"hob\": {\"command\": \"mine\"}}}\n";
    write(&home.project(".cursor/mcp.json"), before);
    let said = home.setup_ok(&["cursor", "--dry-run"]);
    assert!(said.contains("is replaced") && said.contains("mine"), "{said}");
    home.setup_ok(&["cursor", "--yes", "--no-check"]);
    // A second change is a part of the first: undoing reverts both.
    home.setup_ok(&["cursor", "--yes", "--no-check", "--tools", "all", "--edits"]);
    let after = text(&read(&home.project(".cursor/mcp.json")));
    assert!(after.contains("\"all\"") && after.contains("--edits"), "{after}");
    home.setup_ok(&["cursor", "--undo", "--yes"]);
    assert_eq!(text(&read(&home.project(".cursor/mcp.json"))), before);
}

#[test]
fn an_entry_that_the_user_changed_stays() {
    let home = AgentHome::new();
    home.setup_ok(&["kiro", "--yes", "--no-check"]);
    let path = home.project(".kiro/settings/mcp.json");
    let mine = text(&read(&path)).replace("core", "all");
    write(&path, &mine);
    let said = home.setup_refused(1, &["kiro", "--undo", "--yes"]);
    assert!(said.contains("it is yours now") && said.contains("--force"), "{said}");
    assert_eq!(text(&read(&path)), mine);
    home.setup_ok(&["kiro", "--undo", "--yes", "--force"]);
    assert!(!path.exists());
}

#[test]
fn undo_without_a_record_changes_nothing() {
    let home = AgentHome::new();
    let by_hand = "{\"mcpServers\": {\"hob\": {\"command\": \"hob-mcp\"}}}";
    write(&home.project(".mcp.json"), by_hand);
    let said = home.setup_ok(&["claude-code", "--undo", "--yes"]);
    assert!(said.contains("nothing to undo") && said.contains("was not written by"), "{said}");
    assert_eq!(text(&read(&home.project(".mcp.json"))), by_hand);
}

#[test]
fn a_file_that_is_gone_or_broken_by_now_is_told_of() {
    let home = AgentHome::new();
    home.setup_ok(&["claude-code", "--yes", "--no-check"]);
    write(&home.project(".mcp.json"), "{");
    let said = home.setup_refused(1, &["claude-code", "--undo", "--yes"]);
    assert!(said.contains("line 1") && said.contains("repair it"), "{said}");
    fs::remove_file(home.project(".mcp.json")).expect("removed");
    let said = home.setup_ok(&["claude-code", "--undo", "--yes"]);
    assert!(said.contains("not there any more"), "{said}");
    assert_eq!(files(&home.receipts_folder()), []);
}

#[test]
fn undo_of_everything_takes_the_last_first() {
    let home = AgentHome::new();
    let before = "{\n  \"mcpServers\": {}\n}\n";
    write(&home.project(".mcp.json"), before);
    home.setup_ok(&["claude-code", "--yes", "--no-check"]);
    home.setup_ok(&["claude-code", "--yes", "--no-check", "--name", "hob-all", "--tools", "all"]);
    home.setup_ok(&["codex", "--scope", "user", "--yes", "--no-check"]);
    let said = home.setup_refused(1, &["--undo"]);
    assert!(said.contains("Claude Code") && said.contains("Codex"), "{said}");
    home.setup_ok(&["--undo", "--yes"]);
    let left = text(&read(&home.project(".mcp.json")));
    assert!(!left.contains("hob"), "{left}");
    assert!(!home.home_path(".codex").exists());
    assert_eq!(files(&home.receipts_folder()), []);
}

#[test]
fn another_projects_entry_stays_when_one_agent_is_undone_here() {
    let home = AgentHome::new();
    home.setup_ok(&["claude-code", "--yes", "--no-check"]);
    fs::create_dir_all(home.home_path("second/.git")).expect("made");
    let there = home.home_path("second");
    let root = there.to_str().expect("text");
    home.setup_ok(&["claude-code", "--yes", "--no-check", "--root", root]);
    let said = home.setup_ok(&["claude-code", "--undo", "--yes"]);
    assert!(said.contains("another project"), "{said}");
    assert!(!home.project(".mcp.json").exists() && there.join(".mcp.json").exists());
}

#[test]
fn the_command_is_a_name_in_a_project_and_a_path_for_the_user() {
    let home = AgentHome::new();
    let command = |args: &[&str]| parse_json(&home.setup_ok(args))["entry"].clone();
    let project = command(&["cursor", "--dry-run", "--json"]);
    assert_eq!(project["command"], "hob-mcp");
    assert_eq!(project.get("env"), None, "{project}");
    let user = command(&["cursor", "--dry-run", "--json", "--scope", "user"]);
    assert!(user["command"].as_str().is_some_and(|path| path.starts_with('/')), "{user}");
    assert!(user["env"]["HOB_DIR"].is_string(), "agents do not pass it on: {user}");
    let opencode = command(&["opencode", "--dry-run", "--json"]);
    assert_eq!(opencode["command"], serde_json::json!(["hob-mcp", "--tools", "core"]));
}

#[test]
fn receipts_and_new_files_of_the_user_are_private() {
    let home = AgentHome::new();
    write(&home.home_path(".codex/config.toml"), "key = \"secret\"\n");
    home.setup_ok(&["codex", "--scope", "user", "--yes", "--no-check"]);
    home.setup_ok(&["windsurf", "--yes", "--no-check"]);
    let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&home.receipts_folder()), 0o700);
    for (path, _) in files(&home.receipts_folder()) {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert_eq!(mode(&home.home_path(".codeium/windsurf/mcp_config.json")), 0o600);
}

#[test]
fn the_list_tells_who_is_here_and_who_has_hob() {
    let home = AgentHome::new();
    assert!(home.setup_ok(&[]).contains("no agent"));
    fs::create_dir_all(home.home_path(".cursor")).expect("made");
    write(&home.home_path(".codeium/windsurf/mcp_config.json"), "{");
    home.setup_ok(&["claude-code", "--yes", "--no-check"]);
    let said = home.setup_ok(&["--list"]);
    assert!(said.contains("does not have hob") && said.contains("has hob in this project"), "{said}");
    assert!(said.contains("cannot be read for this user"), "{said}");
    let all = parse_json(&home.setup_ok(&["--list", "--json"]));
    let agents = all["agents"].as_array().expect("a list");
    let claude = agents.iter().find(|agent| agent["id"] == "claude-code").expect("it is known");
    assert_eq!(claude["files"][0]["hob"], true, "{claude}");
    assert_eq!(claude["files"][0]["command"][0], "hob-mcp", "{claude}");
}

#[test]
fn an_entry_that_does_not_start_is_told_of_with_the_way_back() {
    let home = AgentHome::new();
    fs::set_permissions(home.home_path("../bin/hob-mcp"), fs::Permissions::from_mode(0o755))
        .expect("changed");
    write(&home.home_path("../bin/hob-mcp"), "#!/bin/sh\necho 'no daemon here' >&2\nexit 3\n");
    let said = home.setup_refused(1, &["gemini", "--yes"]);
    assert!(
        said.contains("does not work") && said.contains("no daemon here") && said.contains("--undo"),
        "{said}"
    );
    assert!(home.project(".gemini/settings.json").exists());
}

#[test]
fn what_is_both_is_an_agent_unless_the_editor_is_meant() {
    let home = AgentHome::new();
    for client in ["vscode", "zed"] {
        let said = home.setup_ok(&[client, "--yes", "--no-check"]);
        assert!(said.contains("--editor"), "{client} mentions the other: {said}");
        assert!(home.setup_ok(&[client, "--editor"]).contains("hob-lsp"), "{client}");
    }
    for (args, word) in [
        (&["neovim", "--scope", "user"][..], "for agents"),
        (&["cursor", "--write"], "for editors"),
        (&["vscode", "--write", "--yes"], "another for agents"),
        (&["--yes"], "name the agent"),
        (&["nosuch"], "claude-code"),
        (&["cursor", "--name", "a b"], "letters"),
        (&["cursor", "--tools", "nosuch"], "nosuch"),
        (&["windsurf", "--scope", "project"], "no file for that scope"),
    ] {
        assert!(home.setup_refused(2, args).contains(word), "{args:?}: {}", home.setup_refused(2, args));
    }
}

#[test]
fn the_home_folder_is_no_project() {
    let home = AgentHome::new();
    let at_home = home.home_path("");
    let output = home
        .command(&["cursor", "--scope", "project", "--yes"])
        .current_dir(&at_home)
        .output()
        .expect("runs");
    assert!(text(&output.stderr).contains("is no project"), "{}", text(&output.stderr));
    let output =
        home.command(&["cursor", "--dry-run", "--json"]).current_dir(&at_home).output().expect("runs");
    assert_eq!(parse_json(&text(&output.stdout))["scope"], "user");
}
