//! Tests `hob servers`: which server serves a project and why, and installing one.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::time::Duration;

use hob_tests::{Tree, World, outside};
use serde_json::json;

const FIXTURE: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /a.py
def f() -> int:
    return 1

f()
";

fn program(tree: &Tree, path: &str, body: &str) {
    tree.write(path, format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(tree.at(path), std::fs::Permissions::from_mode(0o755)).expect("just written");
}

/// Returns a world with Python, but without a server for it.
fn python_alone() -> World {
    let python = outside::python().parent().expect("it lies in a folder").display().to_string();
    World::new().env("PATH", format!("{python}:/usr/bin:/bin"))
}

#[test]
fn a_server_is_installed_into_hobs_own_folder_and_used_at_once() {
    let world = python_alone();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let question = || json!({"file": "a.py", "line": 1, "col": 5});
    let missing = mcp.call("nav_references", question());
    assert_eq!(missing.says("hob servers install pyright").ok()["source"], "map", "{missing}");
    let listed = world.hob(tree.root(), &["servers", "list"]).success();
    assert!(listed.contains("python: none"), "{listed}");

    let installed = world.hob(tree.root(), &["servers", "install", "ty"]).code(0);
    let own = world.dir().join("state/servers/ty");
    assert!(installed.stderr.contains("-m venv"), "the command is said: {installed}");
    assert!(installed.stdout.contains("0.0.105") && own.join("bin/ty").exists(), "{installed}");
    let answer = mcp.call("nav_references", question());
    assert_eq!(answer.ok()["total"], 1, "{answer}");
    let listed = world.hob(tree.root(), &["servers", "list"]).success();
    assert!(listed.contains(&format!("python: ty {}", own.join("bin/ty").display())), "{listed}");
}

#[test]
fn an_installation_that_fails_leaves_nothing_and_says_what_is_needed() {
    let world = World::new();
    let (tree, empty) = (world.tree(FIXTURE), world.path("empty"));
    std::fs::create_dir(&empty).expect("a folder");
    let world = world.env("PATH", empty.to_str().expect("plain"));
    let missing = world.hob(tree.root(), &["servers", "install", "pyright"]).code(2);
    assert!(
        missing.stderr.contains("`npm` was not found") && missing.stderr.contains("Node.js"),
        "{missing}"
    );
    program(&tree, "bin/npm", "exit 7");
    std::os::unix::fs::symlink(tree.at("bin/npm"), empty.join("npm")).expect("a link");
    let own = world.dir().join("state/servers/pyright");
    std::fs::create_dir_all(own.join("as-before")).expect("a folder");
    let failed = world.hob(tree.root(), &["servers", "install", "pyright"]).code(2);
    assert!(failed.stderr.contains("failed"), "{failed}");
    assert!(own.join("as-before").exists(), "what was there before is still there");
    let by_hand = world.hob(tree.root(), &["servers", "install", "jdtls"]).code(2);
    assert!(by_hand.stderr.contains("Eclipse"), "{by_hand}");
    let unknown = world.hob(tree.root(), &["servers", "install", "pyrite"]).code(1);
    assert!(unknown.stderr.contains("hob servers list"), "{unknown}");
}

#[test]
fn why_names_every_candidate_with_its_reason() {
    let world = World::new();
    let (tree, bin) = (world.tree(FIXTURE), world.path("bin"));
    let tools = Tree::new(&bin, "");
    program(&tools, "basedpyright-langserver", "exit 0");
    program(&tools, "ty", "echo 'error: Unknown binary' >&2; exit 1");
    program(&tree, ".venv/bin/pyright-langserver", "exit 0");
    let world = world.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let said = world.hob(tree.root(), &["servers", "why", "python"]).success();
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("`{text}` is not in {said}"));
    assert!(at("pyright: what was found") < at("which is not trusted"), "{said}");
    assert!(at("which is not trusted") < at("basedpyright-langserver: it is used"), "{said}");
    assert!(at("ty: what was found") < at("error: Unknown binary"), "{said}");
    assert!(at("error: Unknown binary") < at("pyrefly: not found"), "{said}");
    let _ = world.hob(tree.root(), &["trust", "--yes"]).code(0);
    let said = world.hob(tree.root(), &["servers", "why", "py"]).success();
    assert!(said.contains(".venv/bin/pyright-langserver: it is used"), "{said}");
    assert!(said.contains("basedpyright-langserver: it would do"), "{said}");
}

/// Returns a world whose `PATH` is one folder with this program, followed by the shell's own tools.
fn with_tool(name: &str, body: &str) -> (World, Tree) {
    let world = World::new();
    let (tree, bin) = (world.tree(FIXTURE), world.path("bin"));
    program(&Tree::new(&bin, ""), name, body);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    (world.env("PATH", path), tree)
}

/// A simulated package manager of Go or Rust. It makes a program that prints its version. `$1` is the folder.
const MAKES: &str =
    "mkdir -p \"$to\"; printf '#!/bin/sh\\necho made 1.0\\n' > \"$to/$what\"; chmod +x \"$to/$what\"";

#[test]
fn go_and_cargo_are_asked_for_one_version_and_a_folder_of_hobs_own() {
    let go = format!("echo \"$*\" > \"$TMPDIR/asked\"; to=\"$GOBIN\" what=gopls; {MAKES}");
    let cargo = format!("echo \"$*\" > \"$TMPDIR/asked\"; to=\"$4/bin\" what=rust-analyzer; {MAKES}");
    for (tool, server, body, asked) in [
        ("go", "gopls", go, "install golang.org/x/tools/gopls@v0."),
        ("cargo", "rust-analyzer", cargo, "install --locked --root"),
    ] {
        let (world, tree) = with_tool(tool, &body);
        let installed = world.hob(tree.root(), &["servers", "install", server]).code(0);
        let own = world.dir().join("state/servers").join(server).join("bin").join(server);
        assert!(installed.stdout.contains(&format!("{} (made 1.0)", own.display())), "{installed}");
        assert!(installed.stderr.contains("running (1 of 1): "), "{installed}");
        let said = std::fs::read_to_string(world.path("tmp/asked")).expect("it was asked");
        assert!(said.starts_with(asked) && said.contains("@"), "{said}");
    }
}

#[test]
fn an_installation_that_was_killed_counts_for_nothing() {
    // In the middle of an installation, the program already exists.
    let killed = format!("to=\"$GOBIN\" what=gopls; {MAKES}; kill -9 $PPID");
    let (world, tree) = with_tool("go", &killed);
    let own = world.dir().join("state/servers/gopls");
    let ended = world.hob(tree.root(), &["servers", "install", "gopls"]);
    assert!(ended.code.is_none() && own.join("bin/gopls").exists(), "{ended}");
    let why = || world.hob(tree.root(), &["servers", "why", "gopls"]).success();
    assert!(why().contains("gopls: not found"), "{}", why());
    let tools = Tree::existing(&world.path("bin"));
    program(&tools, "go", &format!("to=\"$GOBIN\" what=gopls; {MAKES}"));
    let _ = world.hob(tree.root(), &["servers", "install", "gopls"]).code(0);
    assert!(why().contains("bin/gopls (made 1.0): it is used"), "{}", why());
    // If the installation over a complete one is killed, the complete one is restored when the next one fails.
    program(&tools, "go", "kill -9 $PPID");
    assert!(world.hob(tree.root(), &["servers", "install", "gopls"]).code.is_none());
    program(&tools, "go", "echo no room on this disk >&2; exit 1");
    let failed = world.hob(tree.root(), &["servers", "install", "gopls"]).code(2);
    assert!(
        failed.stderr.contains("no room on this disk") && failed.stderr.contains("room on the disk"),
        "{failed}"
    );
    assert!(why().contains("it is used"), "{}", why());
}

fn start_install(world: &World, tree: &Tree) -> Child {
    let mut command = world.command("hob");
    command.args(["servers", "install", "gopls"]).current_dir(tree.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

#[test]
fn of_two_installations_at_once_one_waits_for_the_other() {
    let slow = format!(
        "echo one >> \"$TMPDIR/runs\"; while ! [ -e \"$TMPDIR/go-on\" ]; do sleep 0.05; done; to=\"$GOBIN\" what=gopls; {MAKES}"
    );
    let (world, tree) = with_tool("go", &slow);
    let both = [start_install(&world, &tree), start_install(&world, &tree)];
    // The second installation needs no signal from the first, which continues when it is told to.
    std::fs::write(world.path("tmp/go-on"), "").expect("it can be written");
    for one in both {
        let output = one.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let why = world.hob(tree.root(), &["servers", "why", "gopls"]).success();
    assert!(why.contains("it is used"), "{why}");
    assert!(!world.dir().join("state/servers/gopls.old").exists());
}

#[test]
fn no_installation_begins_before_the_one_before_it_was_checked() {
    // The first one to ask the server for its version is the check of the first installation, which waits here.
    let go = r#"to="$GOBIN"; mkdir -p "$to"; cat > "$to/gopls" <<END
#!/bin/sh
mkdir "$TMPDIR/checked" 2>/dev/null && while ! [ -e "$TMPDIR/go-on" ]; do sleep 0.05; done
[ -e "$to/gopls" ] && echo made 1.0
END
chmod +x "$to/gopls""#;
    let (world, tree) = with_tool("go", go);
    let mut first = start_install(&world, &tree);
    while !world.path("tmp/checked").exists() {
        assert!(first.try_wait().expect("it is a child").is_none(), "it ended without a check");
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut second = start_install(&world, &tree);
    let mut said = BufReader::new(second.stderr.take().expect("it is piped")).lines();
    let next = said.next().expect("it says what it does").expect("in text");
    assert!(next.contains("another installation of it is under way"), "{next}");
    std::fs::write(world.path("tmp/go-on"), "").expect("it can be written");
    let rest: Vec<String> = said.map_while(Result::ok).collect();
    for (one, stderr) in [(first, String::new()), (second, rest.join("\n"))] {
        let output = one.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}{stderr}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_needs_trust_is_installed_all_the_same() {
    // In the second step, the first argument is the module that is run.
    let python = "[ \"$2\" = venv ] || exit 1; mkdir -p \"$3/bin\"; \
                  printf '#!/bin/sh\\necho pyrefly 1.0\\n' > \"$3/bin/pyrefly\"; cp \"$3/bin/pyrefly\" \"$3/bin/python\"; \
                  chmod +x \"$3\"/bin/*";
    let (world, tree) = with_tool("python3", python);
    let installed = world.hob(tree.root(), &["servers", "install", "pyrefly"]).code(0);
    assert!(
        installed.stdout.contains("installed pyrefly") && installed.stderr.contains("hob trust"),
        "{installed}"
    );
}
