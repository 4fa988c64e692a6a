//! Tests packages: what `packaging/` makes can be installed, runs and can be removed, and its descriptions are true.
//!
//! Everything is made from the programs under test, in temporary folders, and installed from there without a network.
//! Packages for Homebrew, macOS and Windows cannot run here; these tests only read them, as `docs/install.md` says.

mod archive;
mod completions;
mod debian;
mod manifests;
mod manual;
mod registries;
mod workflows;

use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{World, outside, repository, run};

/// The file names of the four programs.
const PROGRAMS: [&str; 4] = ["hob", "hobd", "hob-mcp", "hob-lsp"];

const PROJECT: &str = r#"
//- /src/a.py
def answer():
    return 42
"#;

/// Returns the text of a file of the repository.
#[track_caller]
fn text_of(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the version that everything must have.
fn version() -> String {
    let manifest = text_of("Cargo.toml");
    let (_, below) =
        manifest.split_once("[workspace.package]\nversion = \"").expect("the version stands there");
    below.split('"').next().expect("it is quoted").to_owned()
}

/// Returns the command `python3 packaging/release`, which makes packages of `programs`.
fn release(world: &World, what: &str, programs: &Path, out: &Path) -> Command {
    let mut command = Command::new(outside::python());
    world.clean(&mut command);
    // cargo and rustc look up the licences of dependencies, and are in the user's folders.
    for name in ["CARGO_HOME", "RUSTUP_HOME"] {
        let usual = std::env::home_dir()
            .map(|home| home.join(if name == "CARGO_HOME" { ".cargo" } else { ".rustup" }));
        let set = std::env::var_os(name).map(PathBuf::from).or(usual);
        command.env(name, set.expect("this user has a home"));
    }
    command.current_dir(repository()).arg("-B").arg("packaging/release").arg(what);
    command.args(["--level", "1", "--bin"]).arg(programs).arg("--out").arg(out);
    command
}

/// Copies the programs under test without debug information, which makes them much smaller and faster to pack.
fn programs(world: &World) -> PathBuf {
    let folder = world.path("programs");
    std::fs::create_dir(&folder).expect("a folder in the world");
    for name in PROGRAMS {
        let _ = std::fs::copy(hob_tests::binaries().join(name), folder.join(name)).expect("it was built");
    }
    // Without `strip`, packing only takes longer.
    let _ = Command::new("strip").args(PROGRAMS.map(|name| folder.join(name))).output();
    folder
}

/// The first message of an MCP client, as one line.
const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""clientInfo":{"name":"test","version":"1"}}}"#,
    "\n"
);

/// Checks that `server` answers a client's first message.
#[track_caller]
fn answers_mcp(server: &mut Command) {
    let said = run(server, INITIALIZE.as_bytes()).success();
    assert!(said.contains(r#""serverInfo""#) && said.contains("hob"), "{said}");
}
