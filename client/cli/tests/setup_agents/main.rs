//! Tests `hob setup` for agents: their own files, changed in one place, and restored.

#![cfg(unix)]

mod broken;
mod good;
mod home;
mod parts;
mod talks;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use home::{AgentHome, as_the_agent_reads, files, read, text, write};

/// Returns the file of an agent in these tests, and the table in it.
fn agent_file(home: &AgentHome, client: &str, scope: &str) -> (PathBuf, &'static str) {
    let (project, user, container) = match client {
        "amp" => (".amp/settings.json", ".config/amp/settings.json", "amp.mcpServers"),
        "claude-code" => (".mcp.json", ".claude.json", "mcpServers"),
        "cline" => ("", ".cline/data/settings/cline_mcp_settings.json", "mcpServers"),
        "cline-vscode" => (
            "",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "mcpServers",
        ),
        "codex" => (".codex/config.toml", ".codex/config.toml", "mcp_servers"),
        "copilot-cli" => (".github/mcp.json", ".copilot/mcp-config.json", "mcpServers"),
        "cursor" => (".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
        "droid" => (".factory/mcp.json", ".factory/mcp.json", "mcpServers"),
        "gemini" => (".gemini/settings.json", ".gemini/settings.json", "mcpServers"),
        "goose" => ("", ".config/goose/config.yaml", "extensions"),
        "junie" => (".junie/mcp/mcp.json", ".junie/mcp/mcp.json", "mcpServers"),
        "kiro" => (".kiro/settings/mcp.json", ".kiro/settings/mcp.json", "mcpServers"),
        "opencode" => ("opencode.json", ".config/opencode/opencode.json", "mcp"),
        "qwen" => (".qwen/settings.json", ".qwen/settings.json", "mcpServers"),
        "roo" => (".roo/mcp.json", "", "mcpServers"),
        "vscode" => (".vscode/mcp.json", ".config/Code/User/mcp.json", "servers"),
        "windsurf" => ("", ".codeium/windsurf/mcp_config.json", "mcpServers"),
        "zed" => (".zed/settings.json", ".config/zed/settings.json", "context_servers"),
        other => panic!("no such agent: {other}"),
    };
    (if scope == "project" { home.project(project) } else { home.home_path(user) }, container)
}

fn all_cases() -> impl Iterator<Item = &'static good::GoodFileCase> {
    good::JSON.iter().chain(good::TOML).chain(good::YAML)
}

/// Returns true if `shorter` can result from removing a part of `longer`.
fn is_kept(shorter: &[u8], longer: &[u8]) -> bool {
    let mut rest = longer.iter();
    shorter.iter().all(|byte| rest.any(|other| other == byte))
}

/// Returns everything in a file except the entry; an empty table counts as missing.
fn other_entries(mut data: Value, container: &str) -> Value {
    let root = data.as_object_mut().expect("a table");
    if let Some(table) = root.get_mut(container).and_then(Value::as_object_mut) {
        table.remove("hob");
    }
    root.retain(|name, value| name != container || value.as_object().is_some_and(|table| !table.is_empty()));
    data
}

#[test]
fn there_are_enough_files() {
    assert!(all_cases().count() >= 60, "{}", all_cases().count());
}

#[test]
fn the_agent_sees_the_entry_all_else_is_kept_and_undo_gives_back_every_byte() {
    for (about, client, scope, before) in all_cases() {
        let home = AgentHome::new();
        let (path, container) = agent_file(&home, client, scope);
        write(&path, before);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
        let everything = files(&home.home_path(""));
        let args = [*client, "--scope", scope, "--yes", "--no-check"];
        home.setup_ok(&args);
        let after = read(&path);
        let data = as_the_agent_reads(&path, &after);
        let entry = &data[container]["hob"];
        let program = entry.get("cmd").or(entry.get("command")).map(Value::to_string).unwrap_or_default();
        assert!(program.contains("hob-mcp"), "{about}: {}", text(&after));
        assert_eq!(
            other_entries(data, container),
            other_entries(as_the_agent_reads(&path, before.as_bytes()), container),
            "{about}: {}",
            text(&after)
        );
        if !about.contains("hob itself") && !about.contains("null") {
            assert!(is_kept(before.as_bytes(), &after), "{about}: {}", text(&after));
        }
        assert_eq!(after.starts_with(b"\xef\xbb\xbf"), before.starts_with('\u{feff}'), "{about}");
        if before.contains("\r\n") && !about.contains("mixed") {
            assert_eq!(text(&after).matches('\n').count(), text(&after).matches("\r\n").count(), "{about}");
        }
        let mode = fs::metadata(&path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o640, "{about}");
        // The second call changes nothing.
        home.setup_ok(&args);
        assert_eq!(text(&read(&path)), text(&after), "{about}");
        home.setup_ok(&[client, "--undo", "--yes"]);
        assert_eq!(text(&read(&path)), *before, "{about}");
        assert_eq!(files(&home.home_path("")), everything, "{about}: nothing is left");
        assert_eq!(files(&home.receipts_folder()), [], "{about}");
    }
}

#[test]
fn in_a_file_that_was_changed_since_only_the_entry_goes() {
    for (about, client, scope, before) in all_cases() {
        let home = AgentHome::new();
        let (path, container) = agent_file(&home, client, scope);
        write(&path, before);
        home.setup_ok(&[client, "--scope", scope, "--yes", "--no-check"]);
        let mut changed = read(&path);
        let own = if path.extension().is_some_and(|ending| ending == "json") { "\n\n" } else { "\n# mine\n" };
        changed.extend_from_slice(
            if before.contains("\r\n") { own.replace('\n', "\r\n") } else { own.to_owned() }.as_bytes(),
        );
        write(&path, &changed);
        let said = home.setup_ok(&[client, "--undo", "--yes"]);
        assert!(said.contains("was changed since, so only hob's entry is taken out"), "{about}: {said}");
        let left = read(&path);
        let data = as_the_agent_reads(&path, &left);
        let was = as_the_agent_reads(&path, before.as_bytes());
        match about.contains("hob itself") {
            true => assert_eq!(
                data[container]["hob"], was[container]["hob"],
                "{about}: what was replaced is back"
            ),
            false => assert_eq!(data[container].get("hob"), None, "{about}: {}", text(&left)),
        }
        assert_eq!(other_entries(data, container), other_entries(was, container), "{about}: {}", text(&left));
        assert_eq!(text(&left).contains("# mine"), own.contains("mine"), "{about}: {}", text(&left));
        assert!(
            is_kept(text(&left).replace("\r\n", "\n").trim().as_bytes(), &changed)
                || about.contains("hob itself"),
            "{about}"
        );
    }
}

#[test]
fn a_broken_file_is_left_alone_and_the_place_is_named() {
    let mut wrong = Vec::new();
    for (about, client, scope, before, place_of_it, reason) in broken::FILES {
        let home = AgentHome::new();
        let (path, _) = agent_file(&home, client, scope);
        write(&path, before);
        let everything = files(&home.home_path(""));
        let said = home.setup_refused(2, &[client, "--scope", scope, "--yes", "--no-check"]);
        if !(said.contains(place_of_it) && said.contains(reason)) {
            wrong.push(format!("{about}: {said}"));
        }
        assert!(said.contains(&*path.file_name().expect("a name").to_string_lossy()), "{about}: {said}");
        assert!(said.contains("Nothing was changed"), "{about}: {said}");
        assert_eq!(files(&home.home_path("")), everything, "{about}");
        assert_eq!(files(&home.receipts_folder()), [], "{about}");
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn a_file_that_hob_made_goes_with_the_folders_that_it_made() {
    for client in ["claude-code", "codex", "goose", "junie", "vscode", "cline"] {
        let home = AgentHome::new();
        let everything = files(&home.home_path(""));
        home.setup_ok(&[client, "--yes", "--no-check"]);
        assert_eq!(files(&home.home_path("")).len(), everything.len() + 1, "{client}");
        home.setup_ok(&["--undo", "--yes"]);
        assert_eq!(files(&home.home_path("")), everything, "{client}");
        assert!(
            !home.project(".junie").exists()
                && !home.project(".vscode").exists()
                && !home.home_path(".config").exists()
        );
    }
}

#[test]
fn a_folder_that_somebody_else_uses_by_now_stays() {
    let home = AgentHome::new();
    home.setup_ok(&["vscode", "--yes", "--no-check"]);
    write(&home.project(".vscode/settings.json"), "{}");
    home.setup_ok(&["vscode", "--undo", "--yes"]);
    assert!(!home.project(".vscode/mcp.json").exists() && home.project(".vscode/settings.json").exists());
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_changed() {
    let home = AgentHome::new();
    write(&home.home_path("dotfiles/claude.json"), "{\n  \"a\": 1\n}\n");
    symlink("dotfiles/claude.json", home.home_path(".claude.json")).expect("linked");
    let said = home.setup_ok(&["claude-code", "--scope", "user", "--yes", "--no-check"]);
    assert!(said.contains("is a link"), "{said}");
    assert!(home.home_path(".claude.json").is_symlink());
    assert!(text(&read(&home.home_path("dotfiles/claude.json"))).contains("hob-mcp"));
    home.setup_ok(&["claude-code", "--undo", "--yes"]);
    assert!(home.home_path(".claude.json").is_symlink());
    assert_eq!(text(&read(&home.home_path("dotfiles/claude.json"))), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_link_in_a_project_does_not_lead_out_of_it() {
    let home = AgentHome::new();
    write(&home.home_path("secret.json"), "{}");
    symlink("../secret.json", home.project(".mcp.json")).expect("linked");
    fs::create_dir(home.home_path("elsewhere")).expect("made");
    symlink("../elsewhere", home.project(".cursor")).expect("linked");
    for client in ["claude-code", "cursor"] {
        let said = home.setup_refused(2, &[client, "--yes", "--no-check"]);
        assert!(said.contains("outside of the project"), "{said}");
    }
    assert_eq!(text(&read(&home.home_path("secret.json"))), "{}");
    assert_eq!(files(&home.home_path("elsewhere")), []);
}

#[test]
fn what_cannot_be_kept_or_is_protected_is_refused() {
    let home = AgentHome::new();
    let path = home.project(".mcp.json");
    write(&path, "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("changed");
    let run = |word: &str| {
        let said = home.setup_refused(2, &["claude-code", "--yes", "--no-check"]);
        assert!(said.contains(word), "{word}: {said}");
    };
    run("read-only");
    assert_eq!(text(&read(&path)), "{}");
    fs::remove_file(&path).expect("removed");
    write(&home.project("other"), "{}");
    fs::hard_link(home.project("other"), &path).expect("linked");
    run("hard links");
    assert_eq!(fs::metadata(&path).expect("there").nlink(), 2);
    fs::remove_file(&path).expect("removed");
    symlink("nowhere.json", &path).expect("linked");
    run("which is not there");
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("made");
    run("no regular file");
}

#[test]
fn a_huge_file_is_changed_like_any_other() {
    let home = AgentHome::new();
    let path = home.home_path(".claude.json");
    let projects: serde_json::Map<String, Value> = (0..20_000)
        .map(|nth| {
            (
                format!("/home/x/p{nth}"),
                json!({"allowedTools": [], "mcpServers": {}, "history": ["a", "b", "c"]}),
            )
        })
        .collect();
    let before = serde_json::to_string_pretty(&json!({"projects": projects})).expect("JSON");
    write(&path, &before);
    home.setup_ok(&["claude-code", "--scope", "user", "--yes", "--no-check"]);
    assert!(text(&read(&path)).contains("hob-mcp"));
    home.setup_ok(&["claude-code", "--undo", "--yes"]);
    assert_eq!(text(&read(&path)), before);
}

#[test]
fn an_entry_for_code_elsewhere_has_its_options_and_is_undone() {
    let home = AgentHome::new();
    let before = "{\"mcpServers\": {\"x\": {\"command\": \"y\"}}}";
    write(&home.project(".mcp.json"), before);
    let said = home.setup_ok(&[
        "claude-code",
        "--yes",
        "--no-check",
        "--ssh",
        "me@devbox:/srv/my shop",
        "--map",
        ".",
    ]);
    assert!(said.contains("there is no program `ssh` here"), "what is wrong with the way is told: {said}");
    let entry: Value = serde_json::from_slice(&read(&home.project(".mcp.json"))).expect("JSON");
    let args = json!(["--tools", "core", "--ssh", "me@devbox:/srv/my shop", "--map", "."]);
    assert_eq!(entry["mcpServers"]["hob"]["args"], args);
    home.setup_ok(&["claude-code", "--undo", "--yes"]);
    assert_eq!(text(&read(&home.project(".mcp.json"))), before);
    let said = home.setup_refused(2, &["claude-code", "--ssh", "a", "--container", "b"]);
    assert!(said.contains("name one of"), "{said}");
}
