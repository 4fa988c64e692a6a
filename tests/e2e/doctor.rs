//! Tests `hob doctor` in prepared worlds, each with one fault: it finds the fault and says how to repair it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use hob_tests::{Output, Tree, World, binaries, copy_programs, run};
use serde_json::{Value, json};

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def found():
    return 1
";

/// Returns a project that the daemon of this world has open.
fn opened(world: &World) -> Tree {
    let tree = world.tree(FIXTURE);
    opens(world, &tree);
    tree
}

#[track_caller]
fn opens(world: &World, tree: &Tree) {
    let _ = world.hob(tree.root(), &["search", "found"]).code(0);
}

/// Returns the doctor's findings of one check.
#[track_caller]
fn findings(output: &Output, group: &str, check: &str) -> Vec<Value> {
    let report: Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output}"));
    let all = report["findings"].as_array().expect("a list");
    all.iter().filter(|one| one["group"] == group && one["check"] == check).cloned().collect()
}

/// Checks that a check has exactly one finding, with this level, and that its text and fix contain these words.
#[track_caller]
fn says(output: &Output, group: &str, check: &str, level: &str, words: (&str, &str)) {
    let found = findings(output, group, check);
    let fits = |one: &&Value| {
        let holds = |field: &str, word: &str| one[field].as_str().unwrap_or_default().contains(word);
        one["level"] == level && holds("text", words.0) && holds("fix", words.1)
    };
    assert!(
        found.iter().any(|one| fits(&one)),
        "no {level} of {group}/{check} with {words:?} in {found:#?}{output}"
    );
}

#[track_caller]
fn doctor(world: &World, place: &Path) -> Output {
    world.hob(place, &["doctor", "--json"])
}

fn program(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("just written");
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours");
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("plain")
}

#[test]
fn where_all_is_well_it_says_so_in_few_lines() {
    let world = World::new();
    let bin = world.path("bin");
    program(&bin.join("basedpyright-langserver"), "exit 0");
    let world = world.env("PATH", format!("{}:{}:/usr/bin:/bin", shown(&bin), shown(binaries())));
    let tree = opened(&world);
    let report = doctor(&world, tree.root()).code(0);
    says(&report, "programs", "path", "ok", ("a shell runs this hob", ""));
    says(&report, "programs", "hob-mcp", "ok", ("hob-mcp ", ""));
    says(&report, "daemon", "running", "ok", ("hobd ", ""));
    says(&report, "daemon", "build", "ok", ("", ""));
    says(&report, "places", "cache", "ok", (shown(&world.dir().join("cache")), ""));
    says(&report, "project", "index", "ok", ("1 file, 1 symbol; Python 1", ""));
    says(&report, "project", "watcher", "ok", ("", ""));
    says(&report, "servers", "languages", "ok", ("python: basedpyright", ""));
    says(&report, "agents", "entries", "note", ("no agent is set up", "hob setup"));
    let all: Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_ne!(all["verdict"], "problem", "{report}");
    let brief = world.hob(tree.root(), &["doctor"]).code(0);
    let fine = brief.stdout.lines().last().unwrap_or_default();
    assert!(fine.starts_with("ok ") && fine.contains(" project"), "{brief}");
    let whole = world.hob(tree.root(), &["doctor", "--verbose"]).code(0);
    assert!(whole.stdout.contains("ok        project   indexed: 1 file"), "{whole}");
    assert!(whole.stdout.lines().count() > brief.stdout.lines().count() + 10, "{whole}");
}

#[test]
fn fixtures_in_many_languages_share_a_line() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(FIXTURE);
    (0..120).for_each(|n| tree.write(&format!("part{n}.py"), "x = 1\n"));
    for ending in ["lua", "php", "rb", "kt", "swift", "scala"] {
        tree.write(&format!("fixtures/f.{ending}"), "");
    }
    opens(&world, &tree);
    let report = doctor(&world, tree.root());
    let found = findings(&report, "servers", "languages");
    assert_eq!(found.len(), 2, "{found:#?}");
    let few = found[1]["text"].as_str().expect("text");
    for name in ["lua", "php", "ruby", "kotlin", "swift", "scala", "under 2 %"] {
        assert!(few.contains(name), "`{name}` is not in {few}");
    }
}

#[test]
fn without_a_daemon_it_looks_at_the_rest_and_changes_nothing() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let report = doctor(&world, tree.root()).code(0);
    says(&report, "daemon", "running", "note", ("no daemon runs", "--start"));
    says(&report, "project", "index", "note", ("nothing can be said", "--start"));
    says(&report, "places", "cache", "ok", ("will be made", ""));
    assert!(!world.dir().exists(), "no folder was made");
    assert_eq!(world.status(), None, "no daemon was started");

    let started = world.hob(tree.root(), &["doctor", "--json", "--start"]).code(0);
    says(&started, "daemon", "running", "ok", ("hobd ", ""));
    assert!(
        findings(&started, "servers", "languages").len() == 1
            || !findings(&started, "project", "index").is_empty()
    );
    assert!(
        world.status().is_some_and(|status| status["workspaces"][0]["root"] == shown(tree.root())),
        "{started}"
    );
}

#[test]
fn a_daemon_is_not_made_to_open_a_project() {
    let world = World::new();
    let _ = opened(&world);
    let other = Tree::new(&world.path("other"), FIXTURE);
    let report = doctor(&world, other.root()).code(0);
    says(&report, "project", "index", "note", ("does not have this project open", "hob map"));
    let status = world.status().expect("it runs");
    assert_eq!(status["workspaces"].as_array().map(Vec::len), Some(1), "{status}");
}

#[test]
fn what_is_wrong_in_the_settings_is_told_with_its_line() {
    let world = World::new();
    let file = world.dir().join("config/config.toml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, "edits = false\n\n[servers\n").expect("written");
    let tree = world.tree(FIXTURE);
    let line = format!("line 3 of {}", shown(&file));
    let without = doctor(&world, tree.root()).code(1);
    says(&without, "settings", "user", "problem", (shown(&file), &line));
    opens(&world, &tree);
    let with = doctor(&world, tree.root()).code(1);
    says(&with, "settings", "user", "problem", (shown(&file), &line));

    fs::write(&file, "edits = false\n\n[servrs.ty]\ncommand = [\"ty\"]\n").expect("written");
    opens(&world, &tree);
    let unknown = doctor(&world, tree.root()).code(1);
    says(&unknown, "settings", "user", "problem", ("servrs", &line));
    fs::write(&file, "edits = false\n").expect("written");
    opens(&world, &tree);
    says(&doctor(&world, tree.root()).code(0), "settings", "user", "ok", ("is understood", ""));
    tree.write(".hob.toml", "x = 1\n");
    says(&doctor(&world, tree.root()).code(0), "settings", "project", "note", ("not trusted", "hob trust"));
}

#[test]
fn a_folder_that_others_can_enter_is_told_with_the_command() {
    let world = World::new();
    let tree = opened(&world);
    let cache = world.dir().join("cache");
    let fix = format!("chmod 700 {}", shown(&cache));
    mode(&cache, 0o755);
    says(&doctor(&world, tree.root()).code(0), "places", "cache", "warning", ("look into", &fix));
    mode(&cache, 0o777);
    says(&doctor(&world, tree.root()).code(1), "places", "cache", "problem", ("write to", &fix));
    mode(&cache, 0o700);
    let run = world.dir().join("run");
    mode(&run, 0o755);
    let report = doctor(&world, tree.root()).code(0);
    says(&report, "places", "runtime", "warning", ("look into", "chmod 700"));
    says(&report, "daemon", "running", "note", ("was not asked", ""));
    let still = run.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!(still, 0o755, "it is for the user to change");
    let cache_file = world.path("file");
    fs::write(&cache_file, "").expect("written");
    let odd = World::new();
    fs::create_dir_all(odd.dir()).expect("a folder");
    fs::write(odd.dir().join("cache"), "").expect("written");
    let tree = odd.tree(FIXTURE);
    says(&doctor(&odd, tree.root()).code(1), "places", "cache", "problem", ("is not a folder", "mv "));
    fs::remove_file(odd.dir().join("cache")).expect("ours");
}

#[test]
fn a_socket_without_a_daemon_and_a_lock_without_a_socket() {
    let world = World::new();
    let (tree, run) = (world.tree(FIXTURE), world.dir().join("run"));
    fs::create_dir_all(&run).expect("a folder");
    mode(&run, 0o700);
    let socket = run.join("hobd.sock");
    drop(UnixListener::bind(&socket).expect("a socket"));
    let dead = doctor(&world, tree.root()).code(0);
    says(&dead, "daemon", "socket", "note", (shown(&socket), "the next start replaces it"));
    let lock = fs::File::create(run.join("daemon.lock")).expect("ours");
    fs::write(run.join("daemon.lock"), "4194999\n").expect("ours");
    lock.lock().expect("free");
    let stuck = doctor(&world, tree.root()).code(1);
    says(&stuck, "daemon", "lock", "problem", ("process 4194999 holds", "kill 4194999"));
    drop(lock);
    opens(&world, &tree);
    says(&doctor(&world, tree.root()).code(0), "daemon", "running", "ok", ("hobd ", ""));
}

#[test]
fn a_missing_server_comes_with_how_to_get_it() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = opened(&world);
    let report = doctor(&world, tree.root()).code(0);
    says(
        &report,
        "servers",
        "languages",
        "warning",
        ("python: no language server", "hob servers install pyright"),
    );
    let of_servers = findings(&report, "servers", "languages");
    assert_eq!(of_servers.len(), 1, "only languages of this project: {of_servers:#?}");
}

#[test]
fn a_server_of_the_project_waits_for_trust() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(FIXTURE);
    let marker = world.path("was-run");
    program(&tree.at(".venv/bin/basedpyright-langserver"), &format!("touch {}", shown(&marker)));
    opens(&world, &tree);
    says(
        &doctor(&world, tree.root()).code(0),
        "servers",
        "languages",
        "note",
        ("is not trusted", "hob trust"),
    );
    assert!(!marker.exists(), "nothing of the project was run");
}

#[test]
fn programs_that_are_missing_or_do_not_run() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let folder = copy_programs(&world.path("part"), &["hob", "hobd"], Duration::ZERO);
    let ask =
        || run(world.command(folder.join("hob")).args(["doctor", "--json"]).current_dir(tree.root()), b"");
    let missing = ask().code(1);
    says(&missing, "programs", "hob-mcp", "problem", ("hob-mcp is not beside hob", "install hob again"));
    says(&missing, "programs", "hob-lsp", "warning", ("hob-lsp is not beside hob", "install hob again"));
    says(&missing, "programs", "hobd", "ok", ("", ""));
    program(&folder.join("hob-mcp"), "exit 3");
    says(&ask().code(1), "programs", "hob-mcp", "problem", ("does not run", "install hob again"));
    program(&folder.join("hob-mcp"), "echo hob-mcp 0.0.1");
    says(&ask(), "programs", "hob-mcp", "warning", ("is of version 0.0.1", "install hob again"));
    fs::remove_file(folder.join("hobd")).expect("ours");
    says(&ask().code(1), "programs", "hobd", "problem", ("hobd was not found", "HOB_DAEMON"));
}

#[test]
fn a_daemon_of_an_older_build_is_told_and_left_alone() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let names = ["hob", "hobd", "hob-mcp", "hob-lsp"];
    let old = copy_programs(&world.path("old"), &names, Duration::from_secs(7200));
    let new = copy_programs(&world.path("new"), &names, Duration::from_secs(3600));
    let ask = |folder: &Path, args: &[&str]| {
        run(world.command(folder.join("hob")).args(args).current_dir(tree.root()), b"")
    };
    let _ = ask(&old, &["search", "found"]).code(0);
    let pid = world.daemon_pid();
    let report = ask(&new, &["doctor", "--json"]).code(0);
    says(&report, "daemon", "build", "warning", ("is older than what is installed", "hob stop"));
    assert_eq!(world.daemon_pid(), pid, "it is not replaced");
    let _ = ask(&new, &["search", "found"]).code(0);
    says(&ask(&new, &["doctor", "--json"]), "daemon", "build", "ok", ("", ""));
    says(
        &ask(&old, &["doctor", "--json"]),
        "daemon",
        "build",
        "note",
        ("is newer than this hob", "use the programs"),
    );
}

#[test]
fn folders_that_cannot_be_used() {
    let world = World::new();
    let long = world.path(&"d".repeat(120));
    let world = world.hob_dir(long);
    let tree = opened(&world);
    let report = doctor(&world, tree.root());
    says(&report, "daemon", "socket", "note", ("too long for a socket", "shorter path"));
    says(&report, "daemon", "running", "ok", ("hobd ", ""));
    let relative = run(
        world.command("hob").args(["doctor", "--json"]).env("HOB_DIR", "x").current_dir(tree.root()),
        b"",
    );
    says(&relative.code(1), "daemon", "running", "problem", ("must be an absolute path", "HOB_DIR"));
}

#[test]
fn last_words_and_failed_starts_are_remembered() {
    let world = World::new();
    let (tree, logs) = (world.tree(FIXTURE), world.dir().join("state/log"));
    fs::create_dir_all(&logs).expect("a folder");
    fs::write(logs.join("hobd-stderr.txt"), "thread 'x' has overflowed its stack\n").expect("written");
    fs::write(
        logs.join("hobd.2026-01-01.log"),
        "ERROR hobd: the daemon could not start reason=\"the disk is full\"\n",
    )
    .expect("written");
    let report = doctor(&world, tree.root());
    says(&report, "daemon", "crash", "warning", ("overflowed its stack", "hobd-stderr.txt"));
    says(&report, "daemon", "crash", "warning", ("the disk is full", "hob logs"));
}

#[test]
fn agents_are_tried_and_a_project_cannot_have_programs_run() {
    let world = World::new();
    let tree = opened(&world);
    let marker = world.path("was-run");
    let evil = tree.at("evil");
    program(&evil, &format!("touch {}", shown(&marker)));
    let entry = |command: &str| json!({"mcpServers": {"hob": {"command": command, "args": []}}}).to_string();
    tree.write(".mcp.json", entry(shown(&evil)));
    let report = doctor(&world, tree.root()).code(0);
    says(&report, "agents", "entries", "note", ("not started, as it stands in the project", ""));
    assert!(!marker.exists(), "a project's program was run");
    tree.write(".mcp.json", entry("/nowhere/hob-mcp"));
    says(
        &doctor(&world, tree.root()).code(1),
        "agents",
        "entries",
        "problem",
        ("/nowhere/hob-mcp is not there", "hob setup"),
    );
    tree.write(".mcp.json", entry(shown(&binaries().join("hob-mcp"))));
    says(&doctor(&world, tree.root()).code(0), "agents", "entries", "ok", ("answers with", ""));
    world.stop();
    let without = doctor(&world, tree.root()).code(0);
    says(&without, "agents", "entries", "note", ("would start a daemon", ""));
    assert_eq!(world.status(), None, "and none was started");
}

#[test]
fn a_service_whose_program_is_gone() {
    let world = World::new();
    let (tree, units) = (world.tree(FIXTURE), world.path("home/.config/systemd/user"));
    fs::create_dir_all(&units).expect("a folder");
    let unit = |program: &Path| {
        let text = format!("[Service]\nExecStart={} --foreground\n", shown(program));
        fs::write(units.join("hobd.service"), text).expect("written");
        doctor(&world, tree.root())
    };
    let gone = unit(Path::new("/nowhere/hobd")).code(1);
    says(&gone, "service", "unit", "problem", ("/nowhere/hobd, which is not there", "hob service install"));
    let other = world.path("hobd");
    program(&other, "exit 0");
    says(
        &unit(&other).code(0),
        "service",
        "unit",
        "warning",
        ("and this hob would start", "hob service install"),
    );
    says(&unit(&binaries().join("hobd")).code(0), "service", "unit", "ok", ("the service starts", ""));
}
