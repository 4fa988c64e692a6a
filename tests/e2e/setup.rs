//! Tests `hob setup` for agents with the real programs: hob's own check, and what the agents themselves report about
//! the entry.

use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{Output, Tree, World, outside, run};
use serde_json::Value;

const FIXTURE: &str = "//- /a.py\ndef found():\n    return 1\n";

/// Returns a world whose `PATH` has hob and node, with a project.
fn world() -> (World, Tree) {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    std::fs::create_dir_all(tree.root().join(".git")).expect("a folder can be made");
    (world, tree)
}

fn with_path(world: &World, mut command: Command, place: &Path) -> Command {
    let own = PathBuf::from(world.command("hob").get_program());
    let folders = [own.parent(), outside::node().parent()].into_iter().flatten().map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::join_paths(folders.chain(std::env::split_paths(&path))).expect("plain folders");
    command.env("PATH", all).current_dir(place);
    command
}

#[track_caller]
fn hob(world: &World, place: &Path, args: &[&str]) -> Output {
    let mut command = with_path(world, world.command("hob"), place);
    run(command.args(args), b"")
}

/// Sets up an agent, and returns hob's report.
#[track_caller]
fn set_up(world: &World, place: &Path, args: &[&str]) -> Value {
    let said = hob(world, place, &[&["setup", "--yes", "--json"], args].concat()).success();
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(report["written"], true, "{report}");
    assert_eq!(report["check"]["ok"], true, "{report}");
    assert!(report["check"]["tools"].as_u64().is_some_and(|tools| tools >= 8), "{report}");
    report
}

/// Returns the name that npm's packages use for this machine.
fn platform() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    format!("{system}-{machine}")
}

/// Runs a program from npm in this world's environment.
#[track_caller]
fn agent(world: &World, place: &Path, program: &str, args: &[&str]) -> String {
    let path = outside::agents().join(program.replace("PLATFORM", &platform()));
    let mut command = match program.ends_with(".js") {
        true => {
            let mut node = Command::new(outside::node());
            node.arg(path);
            node
        }
        false => Command::new(path),
    };
    world.clean(&mut command);
    let mut command = with_path(world, command, place);
    command
        .env("NO_COLOR", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    command.env("OPENCODE_DISABLE_AUTOUPDATE", "1").env("OPENCODE_DISABLE_MODELS_FETCH", "1");
    let output = run(command.args(args), b"");
    format!("{}{}", output.stdout, output.stderr)
}

#[test]
fn the_entry_is_started_as_the_agent_would_and_answers() {
    let (world, tree) = world();
    for (client, args) in
        [("cursor", &[][..]), ("goose", &[]), ("codex", &["--scope", "user", "--tools", "all", "--edits"])]
    {
        let report = set_up(&world, tree.root(), &[&[client], args].concat());
        assert!(
            report["check"]["server"].as_str().is_some_and(|server| server.starts_with("hob")),
            "{report}"
        );
    }
    let said = hob(&world, tree.root(), &["setup", "cursor", "--yes"]).success();
    assert!(said.contains("has the entry already") && said.contains("it works"), "{said}");
    let _ = hob(&world, tree.root(), &["setup", "--undo", "--yes"]).success();
    assert!(!tree.root().join(".cursor").exists() && !world.path("home/.codex").exists());
}

#[test]
fn claude_code_connects_to_the_users_entry_and_knows_the_projects() {
    let (world, tree) = world();
    let program = "@anthropic-ai/claude-code-PLATFORM/claude";
    let _ = set_up(&world, tree.root(), &["claude-code"]);
    let said = agent(&world, tree.root(), program, &["mcp", "list"]);
    assert!(said.contains("hob") && said.contains("Pending approval"), "{said}");
    let _ = hob(&world, tree.root(), &["setup", "claude-code", "--undo", "--yes"]).success();
    // The agent has written its own file by now, and continues to change it.
    let _ = set_up(&world, tree.root(), &["claude-code", "--scope", "user"]);
    let said = agent(&world, tree.root(), program, &["mcp", "list"]);
    let line = said.lines().find(|line| line.starts_with("hob:")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("Connected"), "{said}");
    let _ = hob(&world, tree.root(), &["setup", "claude-code", "--undo", "--yes"]).success();
    let said = agent(&world, tree.root(), program, &["mcp", "list"]);
    assert!(!said.contains("hob-mcp"), "{said}");
}

#[test]
fn codex_lists_the_entry() {
    let (world, tree) = world();
    let program = "@openai/codex/bin/codex.js";
    let _ = set_up(&world, tree.root(), &["codex", "--scope", "user"]);
    let said = agent(&world, tree.root(), program, &["mcp", "list"]);
    assert!(said.contains("hob-mcp") && said.contains("enabled"), "{said}");
    let _ = hob(&world, tree.root(), &["setup", "codex", "--undo", "--yes"]).success();
    let said = agent(&world, tree.root(), program, &["mcp", "list"]);
    assert!(!said.contains("hob-mcp"), "{said}");
}

#[test]
fn gemini_connects_to_the_projects_entry_where_it_trusts_the_folder() {
    let (world, tree) = world();
    let program = "@google/gemini-cli/bundle/gemini.js";
    let settings = world.path("home/.gemini/settings.json");
    std::fs::create_dir_all(settings.parent().expect("a folder")).expect("made");
    std::fs::write(&settings, "{\"security\": {\"folderTrust\": {\"enabled\": false}}} // mine\n")
        .expect("written");
    let _ = set_up(&world, tree.root(), &["gemini"]);
    let said = agent(&world, tree.root(), program, &["mcp", "list"]);
    assert!(said.contains("hob") && said.contains("Connected"), "{said}");
}

#[test]
fn opencode_connects_to_the_projects_entry() {
    let (world, tree) = world();
    let file = tree.root().join("opencode.jsonc");
    let before = "{\n  // ours\n  \"$schema\": \"https://opencode.ai/config.json\",\n}\n";
    std::fs::write(&file, before).expect("written");
    let report = set_up(&world, tree.root(), &["opencode"]);
    assert!(report["file"].as_str().is_some_and(|file| file.ends_with("opencode.jsonc")), "{report}");
    let said = agent(&world, tree.root(), "opencode-PLATFORM/bin/opencode", &["mcp", "list"]);
    assert!(said.contains("hob") && said.contains("connected"), "{said}");
    let _ = hob(&world, tree.root(), &["setup", "opencode", "--undo", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), before);
}
