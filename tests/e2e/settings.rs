//! Tests the user's settings for language servers: they reach the server, changes are noticed immediately, mistakes are
//! reported, and a project's own settings count only if the user trusts it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hob_tests::{Answer, FOREVER, Mcp, Tree, World, binaries, is_alive};
use serde_json::{Value, json};

use super::nav::{path_with, servers, ty_alone};
use super::nav_faults::below;

const TREE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def f(): pass
";

/// A scripted server that records its environment and the messages that it gets in files.
struct Stage {
    world: World,
    tree: Tree,
    program: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let world = World::new().env("PATH", "/usr/bin:/bin");
        let tree = world.tree(TREE);
        let program = world.path("a server.sh");
        let (env, fake) = (world.path("env"), binaries().join("fake-lsp"));
        let text = format!("#!/bin/sh\nenv > '{}'\nexec '{}' \"$@\"\n", env.display(), fake.display());
        fs::write(&program, text).expect("it can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
        Self { world, tree, program }
    }

    /// Returns a script, as TOML, that makes the server answer a hover with this text.
    fn script(&self, hover: &str) -> String {
        let script = json!({"capabilities": {"hoverProvider": true}, "record": self.world.path("record"),
            "answers": {"textDocument/hover": [{"result": {"contents": hover}}]}});
        format!("'{script}'")
    }

    fn settings(&self, text: &str) {
        settings(&self.world, text);
    }

    /// Returns the message of this method that was sent to the running server.
    fn sent(&self, method: &str) -> Value {
        let record = fs::read_to_string(self.world.path("record")).expect("it was started");
        let mut messages =
            record.lines().map(|line| serde_json::from_str::<Value>(line).expect("whole lines"));
        messages.find(|message| message["method"] == method).unwrap_or_default()["params"].clone()
    }
}

fn settings(world: &World, text: &str) {
    let folder = world.dir().join("config");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), text).expect("it can be written");
}

fn hover(mcp: &mut Mcp) -> Answer {
    mcp.call("nav_type", json!({"file": "a.py", "line": 1, "col": 5}))
}

fn pids(world: &World) -> Vec<u32> {
    below(world.daemon_pid().expect("a daemon runs"))
}

#[test]
fn everything_reaches_the_server_and_a_change_starts_another() {
    let stage = Stage::new();
    let mut mcp = stage.world.mcp(&stage.tree);
    assert_eq!(hover(&mut mcp).ok()["source"], "map");
    let named = format!(
        "[servers.ty]\ncommand = '{}'\nargs = [{}]\nenv = {{ FROM_SETTINGS = 'yes' }}\n\
         initialization_options.deep.er = 1\n",
        stage.program.display(),
        stage.script("first"),
    );
    stage.settings(&format!("{named}settings.ty.colour = 'red'\n"));
    assert_eq!(hover(&mut mcp).ok()["signature"], "first");
    let env = fs::read_to_string(stage.world.path("env")).expect("it was started");
    assert!(env.lines().any(|line| line == "FROM_SETTINGS=yes"), "{env}");
    // Initialization options count only in a trusted project; settings that are harmless for this server always count.
    assert_eq!(stage.sent("initialize")["initializationOptions"], Value::Null);
    assert_eq!(stage.sent("workspace/didChangeConfiguration")["settings"], json!({"ty": {"colour": "red"}}));
    let before = pids(&stage.world);

    stage.settings(&format!("{named}settings.ty.colour = 'blue'\n"));
    assert_eq!(hover(&mut mcp).ok()["signature"], "first");
    assert_eq!(stage.sent("workspace/didChangeConfiguration")["settings"], json!({"ty": {"colour": "blue"}}));
    assert!(before.iter().all(|pid| !is_alive(*pid)), "the server of the old settings is gone");
    let status = mcp.call("map_status", json!({})).ok()["lsp"].clone();
    assert_eq!(status.as_object().map(|all| all.len()), Some(1), "{status}");

    let _ = stage.world.hob(stage.tree.root(), &["trust", "--yes"]).code(0);
    assert_eq!(hover(&mut mcp).ok()["signature"], "first");
    assert_eq!(stage.sent("initialize")["initializationOptions"], json!({"deep": {"er": 1}}));
    let before = pids(&stage.world);
    stage.settings(&format!("{named}settings.ty.colour = 'blue'\n# Nothing has changed.\n"));
    assert_eq!(hover(&mut mcp).ok()["signature"], "first");
    assert_eq!(pids(&stage.world), before);
}

#[test]
fn a_project_has_its_say_only_when_it_is_trusted_and_the_last_word_is_the_users() {
    let stage = Stage::new();
    let server = |hover: &str| {
        format!("servers.ty]\ncommand = '{}'\nargs = [{}]\n", stage.program.display(), stage.script(hover))
    };
    stage.settings(&format!("[{}", server("everywhere")));
    stage.tree.write(".hob.toml", format!("[{}", server("project")));
    let mut mcp = stage.world.mcp(&stage.tree);
    assert_eq!(hover(&mut mcp).ok()["signature"], "everywhere");
    let why = |about: &str| stage.world.hob(stage.tree.root(), &["servers", "why", about]).success();
    assert!(why("python").contains(".hob.toml does not count"), "{}", why("python"));
    let _ = stage.world.hob(stage.tree.root(), &["trust", "--yes"]).code(0);
    assert_eq!(hover(&mut mcp).ok()["signature"], "project");
    let own = stage.world.dir().join("config/config.toml");
    let told = why("ty");
    assert!(told.contains(&format!("(.hob.toml:2, instead of {}:2)", own.display())), "{told}");
    let here = format!("[workspaces.'{}'.{}", stage.tree.root().display(), server("here"));
    stage.settings(&format!("[{}{here}", server("everywhere")));
    assert_eq!(hover(&mut mcp).ok()["signature"], "here");
    let _ = stage.world.hob(stage.tree.root(), &["trust", "--revoke"]).code(0);
    // A program inside the project needs trust, whoever names it.
    stage.tree.write("bin/ty", fs::read_to_string(&stage.program).expect("it was written"));
    fs::set_permissions(stage.tree.at("bin/ty"), fs::Permissions::from_mode(0o755)).expect("ours");
    stage.settings("[servers.ty]\ncommand = 'bin/ty'\n");
    let refused = hover(&mut mcp);
    assert_eq!(refused.says("hob trust").ok()["source"], "map", "{refused}");
    refused.says("bin/ty: it belongs to the project");
}

#[test]
fn servers_are_ordered_and_switched_off() {
    let world = World::new();
    let (tree, bin) = (world.tree(TREE), world.path("bin"));
    fs::create_dir(&bin).expect("a folder");
    for (name, text) in [("ty", "from ty"), ("basedpyright-langserver", "from basedpyright")] {
        let script = json!({"capabilities": {"hoverProvider": true},
            "answers": {"textDocument/hover": [{"result": {"contents": text}}]}});
        let fake = binaries().join("fake-lsp");
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.0 && exit\nexec '{}' '{script}'\n",
            fake.display()
        );
        fs::write(bin.join(name), text).expect("it can be written");
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).expect("ours");
    }
    let world = world.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let mut mcp = world.mcp(&tree);
    assert_eq!(hover(&mut mcp).ok()["signature"], "from basedpyright");
    let before = pids(&world);
    settings(&world, "[languages.python]\nservers = ['ty']\n");
    assert_eq!(hover(&mut mcp).ok()["signature"], "from ty");
    assert!(before.iter().all(|pid| !is_alive(*pid)), "nobody uses the other any more");
    let listed = world.hob(tree.root(), &["servers", "list"]).success();
    assert!(listed.contains("python: ty "), "{listed}");
    settings(&world, "[servers.ty]\nenabled = false\n[languages.python]\nservers = ['ty']\n");
    assert_eq!(hover(&mut mcp).ok()["signature"], "from basedpyright");
    settings(&world, "[languages.python]\nenabled = false\n");
    let off = hover(&mut mcp);
    let source = &off.says("switched off").says("config.toml:2").ok()["source"];
    assert_eq!(source, "map", "{off}");
    assert!(pids(&world).is_empty(), "nothing is wanted, so nothing runs");
    let listed = world.hob(tree.root(), &["servers", "list"]).success();
    assert!(listed.contains("python: switched off"), "{listed}");
}

#[test]
fn a_mistake_is_told_wherever_one_would_look_and_the_rest_counts() {
    let stage = Stage::new();
    let text = format!(
        "[servers.ty]\ncomand = 'x'\ncommand = '{}'\nargs = [{}]\n[language.python]\nenabled = false\nbroken = \n",
        stage.program.display(),
        stage.script("all the same"),
    );
    stage.settings(&text);
    let mut mcp = stage.world.mcp(&stage.tree);
    assert_eq!(hover(&mut mcp).ok()["signature"], "all the same");
    let status = mcp.call("map_status", json!({})).ok()["notes"].to_string();
    let people = |args: &[&str]| stage.world.hob(stage.tree.root(), args).success();
    for said in [people(&["servers", "why", "ty"]), people(&["servers", "list"]), people(&["status"]), status]
    {
        let at = said.find("config.toml:2: `comand` is unknown in `servers.ty`; did you mean `command`?");
        assert!(at.is_some() && said.matches("comand").count() == 1, "{said}");
        assert!(said.contains("config.toml:5: `language` is unknown; did you mean `languages`?"), "{said}");
        assert!(said.contains("config.toml:7: "), "{said}");
    }
    stage.settings("");
    assert!(!people(&["servers", "why", "ty"]).contains("config.toml"));
}

/// The same file has other diagnostics if the user says so: as Python 3.8, and with strict checks.
#[test]
fn real_servers_judge_by_the_users_settings() {
    let of_ty = "settings.ty.configuration.environment.python-version = '3.8'\n";
    let of_pyright = "settings.'python.analysis.typeCheckingMode' = 'strict'\n";
    let cases = [
        ("ty", World::new().env("PATH", path_with(&ty_alone())), "match 1:\n    case _: pass\n", of_ty),
        ("pyright", servers(), "def f(x):\n    return x\n", of_pyright),
    ];
    for (server, world, text, setting) in cases {
        let tree = world.tree(TREE);
        tree.write("b.py", text);
        let mut mcp = world.mcp(&tree);
        let mut wrong = || {
            let answer = mcp.call("nav_diagnostics", json!({"file": "b.py"}));
            assert_eq!(answer.ok()["complete"], true, "{answer}");
            answer.list("/diagnostics").iter().filter(|one| one["severity"] == "error").count()
        };
        assert_eq!(wrong(), 0, "{server}");
        settings(&world, &format!("[servers.{server}]\n{setting}"));
        assert!(wrong() > 0, "{server}");
        settings(&world, "");
        assert_eq!(wrong(), 0, "{server}");
    }
}

#[test]
fn status_tells_who_uses_a_server() {
    let stage = Stage::new();
    let named = format!(
        "[servers.ty]\ncommand = '{}'\nargs = [{}]\n",
        stage.program.display(),
        stage.script("hello")
    );
    stage.settings(&named);
    let mut agents: Vec<Mcp> = (0..3).map(|_| stage.world.mcp(&stage.tree)).collect();
    let clients = |mcp: &mut Mcp| mcp.call("map_status", json!({})).ok()["lsp"]["ty"].clone();
    for agent in &mut agents[..2] {
        // Two calls, but still one client.
        let _ = hover(agent).ok();
        let _ = hover(agent).ok();
    }
    let told = clients(&mut agents[0]);
    assert_eq!((&told["clients"], &told["root"]), (&json!(2), &json!(stage.tree.root())), "{told}");
    let people = stage.world.hob(stage.tree.root(), &["status"]).success();
    assert!(people.contains("    ty  ") && people.contains("2 clients"), "{people}");
    let pid = told["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("it runs");
    assert!(is_alive(pid) && told["rssBytes"].as_u64() > Some(0), "{told}");
    drop(agents.remove(1));
    let start = std::time::Instant::now();
    while clients(&mut agents[0])["clients"] != 1 {
        assert!(start.elapsed() < FOREVER, "a client that has gone is counted");
    }
}
