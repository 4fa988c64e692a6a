//! Tests trust: no program from a project runs before the user allows it, and it does afterwards.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hob_tests::{Tree, World, binaries, is_alive, outside};
use serde_json::{Value, json};

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def f() -> int:
    return 1

f()
";

/// Puts a server into the project that leaves a mark when it runs, and otherwise is the real ty.
fn bring_along(tree: &Tree, mark: &Path) {
    let ty = outside::servers()[0].join("ty");
    let text = format!("#!/bin/sh\n: > '{}'\nexec '{}' \"$@\"\n", mark.display(), ty.display());
    tree.write(".venv/bin/ty", text);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tree.at(".venv/bin/ty"), mode).expect("it was just written");
}

fn question() -> Value {
    json!({"file": "a.py", "line": 1, "col": 5})
}

#[test]
fn a_program_of_the_project_runs_only_with_trust() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let (tree, mark) = (world.tree(FIXTURE), world.path("it-ran"));
    bring_along(&tree, &mark);
    let mut mcp = world.mcp(&tree);
    let refused = mcp.call("nav_references", question());
    let lift = format!("hob trust {}", tree.root().display());
    assert_eq!(refused.says(&lift).ok()["source"], "map", "{refused}");
    assert!(!mark.exists(), "it was run without trust");
    // A link that leads out of the project also comes from the project.
    std::os::unix::fs::symlink("/bin/sh", tree.at(".venv/bin/pyrefly")).expect("a link");
    assert_eq!(mcp.call("nav_references", question()).says("hob trust").ok()["source"], "map");

    // From a part of the project and through a link: the real folder counts.
    let link = world.path("link");
    std::os::unix::fs::symlink(tree.root(), &link).expect("a link");
    let unasked = world.hob(tree.root(), &["trust", link.to_str().expect("plain")]);
    assert_ne!(unasked.code, Some(0), "nobody could be asked: {unasked}");
    let listed = world.hob(tree.root(), &["trust", "--list"]).success();
    assert!(listed.contains("no project is trusted"), "nothing is trusted unasked: {listed}");
    let said = world.hob(tree.root(), &["trust", "--yes", link.to_str().expect("plain")]).success();
    assert!(said.contains(&tree.root().display().to_string()), "{said}");
    let answer = mcp.call("nav_references", question());
    assert_eq!(answer.ok()["total"], 1, "{answer}");
    assert!(mark.exists() && answer.warnings().is_empty(), "{answer}");

    let listed = world.hob(tree.root(), &["trust", "--list"]).success();
    assert_eq!(listed.trim(), tree.root().display().to_string());
    let _ = world.hob(tree.root(), &["trust", "--revoke"]).code(0);
    assert_eq!(mcp.call("nav_references", question()).says("hob trust").ok()["source"], "map");
}

#[test]
fn without_trust_a_server_says_what_that_costs() {
    let path = std::env::join_paths(outside::servers()).expect("plain paths");
    let world = World::new().env("PATH", format!("{}:/usr/bin:/bin", path.to_str().expect("plain")));
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let said = |answer: &hob_tests::Answer| answer.warnings().matches("hob trust").count();
    let restricted = mcp.call("nav_references", question());
    assert_eq!(restricted.ok()["total"], 1, "{restricted}");
    assert_eq!(said(&restricted), 1, "{restricted}");
    // Each client is told once; later one can ask for the status.
    let again = mcp.call("nav_references", question());
    assert_eq!((&again.ok()["total"], said(&again)), (&json!(1), 0), "{again}");
    let found = mcp.call("nav_workspaceSymbols", json!({"query": "any"}));
    assert_eq!(said(&found), 0, "{found}");
    let other = world.call(&tree, "nav_references", &question());
    assert_eq!(said(&other), 1, "another client has not heard of it{other}");
    let restriction = |mcp: &mut hob_tests::Mcp| {
        let status = mcp.call("map_status", json!({}));
        let servers = status.ok()["lsp"].as_object().expect("servers by name").clone();
        servers
            .values()
            .map(|server| server["restricted"].to_string().matches("hob trust").count())
            .sum::<usize>()
    };
    assert_eq!(restriction(&mut mcp), 1);
    let above = tree.root().parent().expect("not the top").to_path_buf();
    let _ = world.hob(&above, &["trust", "--yes"]).code(0);
    let trusted = mcp.call("nav_references", question());
    assert_eq!(trusted.ok()["total"], 1, "{trusted}");
    assert_eq!((said(&trusted), restriction(&mut mcp)), (0, 0), "{trusted}");
    let refused = world.hob(tree.root(), &["trust", "--revoke"]).code(1);
    assert!(refused.stderr.contains(&above.display().to_string()), "{refused}");
}

/// One after another, never both: two would take twice the memory, and the old one could still do what is not allowed.
#[test]
fn trust_given_or_taken_replaces_the_server() {
    let world = World::new();
    let (tree, bin) = (world.tree("//- /.git/HEAD\nref\n//- /a.rs\nfn f() {}\n"), world.path("bin"));
    std::fs::create_dir(&bin).expect("a folder");
    let (fake, record) = (binaries().join("fake-lsp"), world.path("record"));
    let status =
        json!({"method": "experimental/serverStatus", "params": {"health": "ok", "quiescent": true}});
    let hover = json!([{"result": {"contents": "here"}}]);
    let script = json!({"capabilities": {"hoverProvider": true}, "then": [status], "record": record,
        "answers": {"textDocument/hover": hover}});
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.0 && exit\nexec '{}' '{script}'\n",
        fake.display()
    );
    std::fs::write(bin.join("rust-analyzer"), text).expect("it can be written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(bin.join("rust-analyzer"), mode).expect("it was just written");
    let world = world.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let mut mcp = world.mcp(&tree);
    let mut form = || {
        let answer = mcp.call("nav_type", json!({"file": "a.rs", "line": 1, "col": 4}));
        assert_eq!(answer.ok()["signature"], "here", "{answer}");
        let record = std::fs::read_to_string(&record).expect("it was started");
        let first: Value =
            serde_json::from_str(record.lines().next().expect("a message")).expect("a whole line");
        let status = mcp.call("map_status", json!({})).ok()["lsp"].clone();
        assert_eq!(status.as_object().map(|all| all.len()), Some(1), "{status}");
        let pid = status["rust-analyzer"]["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        (first["params"]["initializationOptions"]["procMacro"]["enable"] == true, pid.expect("it runs"))
    };
    let (full, restricted_pid) = form();
    assert!(!full && is_alive(restricted_pid));
    let _ = world.hob(tree.root(), &["trust", "--yes"]).code(0);
    let (full, full_pid) = form();
    assert!(full && is_alive(full_pid) && !is_alive(restricted_pid));
    let _ = world.hob(tree.root(), &["trust", "--revoke"]).code(0);
    let (full, _) = form();
    assert!(!full && !is_alive(full_pid));
}

#[test]
fn a_file_that_others_could_have_written_trusts_nothing() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(FIXTURE);
    let _ = world.hob(tree.root(), &["trust", "--yes"]).code(0);
    let file = world.dir().join("state/trust.json");
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("ours");
    assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    bring_along(&tree, &world.path("it-ran"));
    mode(0o666);
    assert_eq!(world.call(&tree, "nav_references", &question()).says("hob trust").ok()["source"], "map");
    assert!(!world.path("it-ran").exists());
    mode(0o600);
    std::fs::write(&file, "{\"version\": 1, \"folders\": [").expect("ours");
    assert_eq!(world.call(&tree, "nav_references", &question()).says("hob trust").ok()["source"], "map");
    let damaged = world.hob(tree.root(), &["trust", "--yes"]).code(2);
    assert!(damaged.stderr.contains("trust.json"), "{damaged}");
}
