//! Tests `hob config`: each mistake is reported with its position, each setting with its source, and no daemon is
//! needed.

use std::fs;
use std::path::Path;

use hob_tests::{Output, Tree, World, repository, run};
use serde_json::Value;

fn settings(world: &World, text: &str) -> String {
    let folder = world.dir().join("config");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("config.toml");
    fs::write(&file, text).expect("it can be written");
    file.display().to_string()
}

fn project(world: &World) -> Tree {
    world.tree("//- /.git/HEAD\nref: refs/heads/main\n//- /a.py\ndef f(): pass\n")
}

fn check(world: &World, tree: &Tree) -> Output {
    world.hob(tree.root(), &["config", "check"])
}

#[test]
fn mistakes_are_told_where_they_stand_with_the_nearest_name() {
    let world = World::new();
    let tree = project(&world);
    let fine = check(&world, &tree).code(0);
    assert!(fine.stdout.contains("nothing is wrong"), "{fine}");
    let file = settings(
        &world,
        "edit = true\n[daemon]\nidle_minutes = -1\n  memori = '1 GiB'\nlog = 7\n[servers.pyrigth]\nenabled = true\n\
         [languages.python]\nservers = ['tyy']\n",
    );
    let wrong = check(&world, &tree).code(1);
    let told = |place: &str, part: &str| {
        let start = format!("{file}:{place}: ");
        let is_there = wrong.stdout.lines().any(|line| line.starts_with(&start) && line.contains(part));
        assert!(is_there, "{place} {part}{wrong}");
    };
    told("1:1", "did you mean `edits`?");
    told("3:16", "`idle_minutes` must be a number between 0 and 525600, and is -1");
    told("4:3", "did you mean `memory`?");
    told("5:7", "`log` must be a level");
    told("6:10", "did you mean `pyright`?");
    told("9:11", "did you mean `ty`?");
    settings(&world, "[daemon\nlog = 'info'\n");
    let broken = check(&world, &tree).code(1);
    assert!(broken.stdout.starts_with(&format!("{file}:1:")), "{broken}");
    let json = world.hob(tree.root(), &["config", "check", "--json"]).code(1);
    let report: Value = serde_json::from_str(&json.stdout).unwrap_or_else(|error| panic!("{error}{json}"));
    assert_eq!(report["problems"][0]["line"], 1, "{report}");
    assert_eq!(world.status(), None, "no daemon was started for it");
}

#[test]
fn one_file_is_checked_by_its_name() {
    let world = World::new();
    let tree = project(&world);
    tree.write("mine.toml", "edits = true\n[daemon]\nlog = 'debug'\n");
    let _ = world.hob(tree.root(), &["config", "check", "mine.toml"]).code(0);
    let _ = world.hob(tree.root(), &["config", "check", "missing.toml"]).code(1);
    tree.write(".hob.toml", "edits = true\n[daemon]\nlog = 'debug'\n[servers.ty]\ncommand = './evil'\n");
    let wrong = world.hob(tree.root(), &["config", "check", ".hob.toml"]).code(1);
    for part in
        ["1:1: `edits` is unknown", "only your own config.toml", "2:2: `daemon` is unknown", "not trusted"]
    {
        assert!(wrong.stdout.contains(part), "{part}{wrong}");
    }
}

#[test]
fn a_project_that_is_not_trusted_is_not_listened_to() {
    let world = World::new();
    let tree = project(&world);
    tree.write(".hob.toml", "[servers.ty]\ncommand = './evil'\n");
    let shown = || world.hob(tree.root(), &["config", "show", "--origin"]).success();
    let checked = check(&world, &tree).code(0);
    assert!(checked.stdout.contains("does not count: the project is not trusted"), "{checked}");
    assert!(!shown().contains("evil"), "{}", shown());
    let paths = world.hob(tree.root(), &["config", "path"]).success();
    assert!(paths.contains("does not count: the project is not trusted"), "{paths}");
    let _ = world.hob(tree.root(), &["trust", "--yes"]).code(0);
    let checked = check(&world, &tree).code(1);
    assert!(!checked.stdout.contains("not trusted"), "{checked}");
    assert!(
        checked.stdout.contains(".hob.toml:2:1: ") && checked.stdout.contains("no such program"),
        "{checked}"
    );
    let now = shown();
    assert!(now.contains("servers.ty.command = \"./evil\"") && now.contains(".hob.toml:2"), "{now}");
}

#[cfg(unix)]
#[test]
fn programs_that_settings_name_are_tried() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let tree = project(&world);
    let program = |name: &str, body: &str| {
        let path = world.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        path.display().to_string()
    };
    let broken = program("broken", "echo 'no such library' >&2; exit 3");
    let works = program("works", "echo 9.1");
    let file = settings(
        &world,
        &format!("[servers.ty]\ncommand = '{broken}'\n[servers.gopls]\ncommand = '{works}'\n"),
    );
    let wrong = check(&world, &tree).code(1);
    let expected =
        format!("{file}:2:1: `servers.ty.command`: `{broken}` cannot be used: no such library (exit code 3)");
    assert_eq!(wrong.stdout.lines().collect::<Vec<_>>(), [expected], "{wrong}");
    let shown = world.hob(tree.root(), &["config", "show"]).code(0);
    assert!(shown.stdout.contains("servers.ty.command"), "what is only shown is not tried{shown}");
    program("broken", "echo repaired");
    let _ = check(&world, &tree).code(0);
}

#[test]
fn the_nearest_level_counts_and_says_so() {
    let text = "[daemon]\nidle_minutes = 7\nserver_idle_minutes = 8\ntext_cache = false\n";
    let world = World::new().env("HOB_IDLE_MINUTES", "3").env("HOB_MEMORY", "nonsense");
    let tree = project(&world);
    let file = settings(&world, text);
    let shown = world.hob(tree.root(), &["config", "show", "--origin"]).success();
    let line = |key: &str| {
        let start = format!("{key} = ");
        shown.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{key}: {shown}"))
    };
    let says = |key: &str, value: &str, from: &str| {
        let line = line(key);
        assert!(line.starts_with(&format!("{key} = {value} ")) && line.ends_with(from), "{line}");
    };
    says("daemon.idle_minutes", "3", "the variable HOB_IDLE_MINUTES");
    says("daemon.server_idle_minutes", "8", &format!("{file}:3"));
    says("daemon.text_cache", "false", &format!("{file}:4"));
    says("daemon.memory", "\"25%\"", "default");
    says("edits", "false", "default");
    let wrong = check(&world, &tree).code(1);
    assert!(wrong.stdout.contains("HOB_MEMORY must be a share"), "{wrong}");
}

#[test]
fn secrets_are_not_shown() {
    let world = World::new();
    let tree = project(&world);
    settings(
        &world,
        "[model]\nendpoint = 'http://127.0.0.1:1/v1'\nname = 'm'\nkey_env = 'A_KEY'\n\
         [servers.ty]\nenv = { TOKEN = 'hush-1' }\nsettings = { licenceKey = 'hush-2', list = [{ password = 'hush-3', b = 1 }] }\n\
         [servers.pyright]\nenabled = false\n",
    );
    let world_with_key = |args: &[&str]| world.hob(tree.root(), args).success();
    for args in [&["config", "show"][..], &["config", "show", "--json"], &["config", "show", "--origin"]] {
        let shown = world_with_key(args);
        assert!(!shown.contains("hush") && shown.contains("A_KEY") && shown.contains("TOKEN"), "{shown}");
    }
    let file =
        settings(&world, "[model]\nendpoint = 'http://me:hush@x/v1'\nname = 'm'\nkey_env = 'sk-hush'\n");
    let wrong = check(&world, &tree).code(1);
    assert!(!wrong.stdout.contains("hush") && wrong.stdout.contains(&format!("{file}:2:")), "{wrong}");
}

#[test]
fn the_daemon_does_what_its_section_says() {
    let world = World::new();
    let tree = project(&world);
    settings(&world, "[daemon]\nmetrics = false\nlog = 'debug'\ntext_cache = false\n");
    let _ = world.call(&tree, "map_search", &serde_json::json!({"query": "a.py"})).ok();
    world.stop();
    assert!(!world.dir().join("state/metrics.json").exists(), "counts end with the daemon");
    assert!(world.log().contains("DEBUG"), "{}", world.log());
    // The environment comes before the file.
    let world = World::new().env("HOB_NO_METRICS", "0").env("HOB_LOG", "warn");
    let tree = project(&world);
    settings(&world, "[daemon]\nmetrics = false\nlog = 'debug'\nidle_minutes = 'soon'\n");
    let _ = world.call(&tree, "map_search", &serde_json::json!({"query": "a.py"})).ok();
    let status = world.hob(tree.root(), &["status"]).success();
    assert!(status.contains("config.toml:4: `idle_minutes` must be"), "{status}");
    world.stop();
    assert!(
        world.dir().join("state/metrics.json").exists() && !world.log().contains("DEBUG"),
        "{}",
        world.log()
    );
}

#[test]
fn the_published_schema_and_the_page_are_what_the_table_says() {
    let world = World::new();
    let printed = |args: &[&str]| world.hob(repository(), args).success();
    let kept = fs::read_to_string(repository().join("docs/config.schema.json")).expect("it is there");
    let advice = "`hob config schema > docs/config.schema.json`";
    assert!(printed(&["config", "schema"]) == kept, "docs/config.schema.json is out of date: run {advice}");
    let docs = fs::read_to_string(repository().join("docs/settings.md")).expect("it is there");
    let page = printed(&["config", "page"]);
    assert!(
        docs.contains(&page),
        "docs/settings.md is out of date: put what `hob config page` prints between its marks"
    );
}

/// Returns the first example in the documentation.
fn example() -> String {
    let docs = fs::read_to_string(repository().join("docs/settings.md")).expect("it is there");
    let from = docs.find("```toml\n").expect("an example") + "```toml\n".len();
    docs[from..].split("```").next().expect("it ends").to_owned()
}

/// Returns the mistakes that another program finds in a file with the schema, one per line.
fn by_schema(world: &World, schema: &Path, text: &str) -> String {
    const PROGRAM: &str = "import json, sys, tomllib, jsonschema\n\
        schema = json.load(open(sys.argv[1]))\n\
        jsonschema.Draft7Validator.check_schema(schema)\n\
        validator = jsonschema.Draft7Validator(schema)\n\
        data = tomllib.load(open(sys.argv[2], 'rb'))\n\
        for error in validator.iter_errors(data): print('/'.join(map(str, error.path)), error.message)\n";
    let file = world.path("checked.toml");
    fs::write(&file, text).expect("written");
    let mut command = std::process::Command::new(hob_tests::outside::python());
    command.args(["-c", PROGRAM]).arg(schema).arg(&file);
    run(&mut command, b"").success()
}

#[test]
fn the_schema_takes_the_documented_example_and_refuses_what_the_check_refuses() {
    let world = World::new();
    let tree = project(&world);
    let schema = world.path("schema.json");
    fs::write(&schema, world.hob(tree.root(), &["config", "schema"]).success()).expect("written");
    settings(&world, &example());
    let fine = check(&world, &tree).code(0);
    assert!(fine.stdout.contains("nothing is wrong"), "{fine}");
    assert_eq!(by_schema(&world, &schema, &example()), "");
    for wrong in [
        "edits = 'yes'\n",
        "unknown = 1\n",
        "[daemon]\nidle_minutes = -1\n",
        "[daemon]\nmemory = 'a lot'\n",
        "[daemon]\nidle = 3\n",
        "[model]\nname = 'm'\n",
        "[model]\nname = 'm'\nendpoint = 'http://x/v1'\ntimeout_ms = 0\n",
        "[model]\nname = 'm'\nendpoint = 'http://x/v1'\nkey_env = 'A'\nkey_file = '/k'\n",
        "[servers.nobody]\nenabled = true\n",
        "[servers.ty]\nargs = '--stdio'\n",
        "[languages.python]\nservers = ['nobody']\n",
        "[workspaces.here]\nedits = true\n",
        "[workspaces.'/x'.daemon]\nlog = 'info'\n",
    ] {
        settings(&world, wrong);
        let _ = check(&world, &tree).code(1);
        assert_ne!(by_schema(&world, &schema, wrong), "", "{wrong}");
    }
    let projects = world.path("project.json");
    fs::write(&projects, world.hob(tree.root(), &["config", "schema", "--project"]).success())
        .expect("written");
    assert_eq!(by_schema(&world, &projects, "[servers.ty]\nenabled = false\n"), "");
    assert_ne!(by_schema(&world, &projects, "[daemon]\nlog = 'info'\n"), "", "not a project's to say");
}
