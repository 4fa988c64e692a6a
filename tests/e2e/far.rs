//! Tests projects elsewhere: over a real `sshd`, and in a container, which is simulated by a script that runs a command
//! in another environment.
//!
//! The near world has no daemon, so all answers come from the far one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_tests::debian::script;
use hob_tests::far::SshServer;
use hob_tests::{Editor, EditorOptions, Mcp, McpOptions, Tree, World, children_of, ends, kill_hard};
use serde_json::{Value, json};

use super::edit;

const FIXTURE: &str =
    "//- /a.py\ndef greet():\n    return 'hello'\n//- /b.py\nfrom a import greet\n\ngreet()\n";

/// A far project, and a near folder that represents it.
struct FarProject {
    tree: Tree,
    near: PathBuf,
}

impl FarProject {
    fn new(near: &World, far: &World) -> Self {
        let tree = far.tree(FIXTURE);
        let folder = near.path("copy");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("a.py"), "def greet():\n    return 'an old copy'\n").expect("written");
        Self { tree, near: folder.canonicalize().expect("there") }
    }

    /// Returns the options that map the folders.
    fn options(&self, option: &str, name: &str) -> Vec<String> {
        [option, &format!("{name}:{}", self.tree.root().display()), "--map", "."].map(str::to_owned).to_vec()
    }

    fn mcp(&self, near: &World, options: &[String]) -> Mcp {
        let args = [&["--tools", "all", "--edits"].map(str::to_owned)[..], options].concat();
        let cwd = Some(self.near.clone());
        Mcp::start(near, &self.tree, &McpOptions { args, cwd, ..McpOptions::default() })
    }

    fn near_file(&self, name: &str) -> String {
        text_of(&self.near.join(name))
    }
}

fn text_of(path: &Path) -> String {
    path.to_str().expect("text").to_owned()
}

/// Returns the one process that a shim has started, which makes the connection.
#[track_caller]
fn connection_of(mcp: &Mcp) -> u32 {
    let children = children_of(mcp.pid());
    assert_eq!(children.len(), 1, "{children:?}");
    children[0]
}

fn daemon_of(answer: &Value) -> u64 {
    answer["daemon"]["pid"].as_u64().expect("a process number")
}

#[test]
fn code_over_ssh_is_asked_and_edited_and_a_lost_connection_costs_nothing() {
    let far = World::new();
    let Some(server) = SshServer::start(&far) else { return };
    let near = World::new().env("HOB_SSH", server.ssh_command());
    let project = FarProject::new(&near, &far);
    let options = project.options("--ssh", "far");
    let mut mcp = project.mcp(&near, &options);
    let found = mcp.call("map_search", json!({"query": "greet"}));
    assert_eq!(found.list("/results")[0]["file"], "a.py");
    let status = mcp.call("map_status", json!({}));
    assert_eq!(status.ok()["root"], text_of(&project.near), "the root in the words of this side");
    let read =
        mcp.read("read_symbols", json!({"targets": [project.near_file("a.py")], "root": project.near}));
    assert!(read.contains("return 'hello'"), "a path of this side means the file there: {read}");

    let args = json!({"file": project.near_file("a.py"), "old": "hello", "new": "good day"});
    let preview = edit::id(&mcp.call("edit_text", args));
    kill_hard(connection_of(&mcp));
    let again = mcp.call("map_status", json!({}));
    assert_eq!(daemon_of(again.ok()), daemon_of(status.ok()), "the daemon there did not notice");
    let _ = edit::apply(&mut mcp, &preview).ok();
    assert_eq!(project.tree.read("a.py"), "def greet():\n    return 'good day'\n");
    assert!(fs::read_to_string(project.near.join("a.py")).expect("there").contains("an old copy"));

    let connection = connection_of(&mcp);
    kill_hard(mcp.pid());
    assert!(ends(connection, Duration::from_secs(30)), "ssh outlives its shim");
    assert!(near.status().is_none(), "a daemon was started here");
}

#[test]
fn the_command_line_asks_and_checks_over_ssh_and_says_what_is_wrong() {
    let far = World::new();
    let Some(server) = SshServer::start(&far) else { return };
    let near = World::new().env("HOB_SSH", server.ssh_command());
    let project = FarProject::new(&near, &far);
    let place = format!("far:{}", project.tree.root().display());
    let found = near.hob(&project.near, &["search", "greet", "--ssh", &place]).success();
    assert!(found.starts_with("a.py\n"), "{found}");
    let findings = |place: &str| {
        let said = near.hob(&project.near, &["doctor", "--json", "--ssh", place]).stdout;
        let said: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
        let all = said["findings"].as_array().expect("a list").clone();
        all.into_iter().filter(|one| one["group"] == "elsewhere").collect::<Vec<_>>()
    };
    let all = findings(&place);
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all.iter().all(|one| one["level"] == "ok"), "{all:?}");
    let nowhere = findings("far:/no/such/folder");
    assert!(
        nowhere[0]["level"] == "problem" && nowhere[0]["text"].to_string().contains("/no/such/folder"),
        "{nowhere:?}"
    );
    let unknown = near.hob(&project.near, &["search", "greet", "--ssh", "no-such-host.invalid"]).code(2);
    assert!(unknown.stderr.contains("no-such-host.invalid"), "{unknown}");
    let usage = near.hob(&project.near, &["stop", "--ssh", "far"]).code(2);
    assert!(usage.stderr.contains("run this one there"), "{usage}");
}

/// Writes the script that simulates Docker: `exec --interactive NAME COMMAND...`, in a world without hob's programs. It
/// also lists one development container, which has the near folder mounted at the far project's path.
fn write_docker(near: &World, far: &World, project: &FarProject) -> PathBuf {
    let docker = near.path("docker");
    let label = format!("label=devcontainer.local_folder={}", project.near.display());
    let mounts = json!([{"Mounts": [{"Source": project.near, "Destination": project.tree.root()}]}]);
    let body = format!(
        "[ \"$*\" = 'ps --quiet --filter {label}' ] && echo web && exit\n\
         [ \"$*\" = 'inspect web' ] && echo '{mounts}' && exit\n\
         [ \"$1 $2 $3\" = 'exec --interactive web' ] || {{ echo \"no container $3\" >&2; exit 1; }}\nshift 3\ncd '{home}' &&\n\
         exec env -i HOME='{home}' HOB_DIR='{}' PATH=/usr/bin:/bin \"$@\"",
        far.dir().display(),
        home = far.path("home").display(),
    );
    script(&docker, &body);
    docker
}

#[test]
fn a_container_gets_the_programs_when_asked_and_serves_an_editor() {
    let far = World::new();
    let near = World::new();
    let project = FarProject::new(&near, &far);
    let docker = write_docker(&near, &far, &project);
    let near = near.env("HOB_DOCKER", text_of(&docker));
    let mut options = project.options("--container", "web");
    let refused = project.mcp(&near, &options).call("map_status", json!({}));
    assert_eq!(refused.envelope["error"]["code"], "DAEMON_UNAVAILABLE", "{refused}");
    assert!(refused.envelope["error"]["hint"].to_string().contains("--copy-daemon"), "{refused}");

    options.push("--copy-daemon".to_owned());
    let mut mcp = project.mcp(&near, &options);
    assert_eq!(mcp.call("map_status", json!({})).ok()["root"], text_of(&project.near));
    assert!(far.path("home/.local/share/hob/copied").is_dir());

    let found = near.hob(&project.near, &["call", "map_status", "--devcontainer"]).success();
    assert!(
        found.contains(&format!("root: {}\n", project.near.display())),
        "its mount says which folder is which: {found}"
    );

    let mut command = near.command("hob-lsp");
    command.args(&options);
    let mut editor = Editor::of(command, &project.near, &EditorOptions::default());
    editor.open_as("b.py", "from a import greet\n\ngreet()\n");
    let at = editor.at("b.py", "greet()", 1);
    let there = editor.result("textDocument/definition", &at).to_string();
    assert!(there.contains(&editor.uri("a.py")), "the place in the words of this side: {there}");
}
