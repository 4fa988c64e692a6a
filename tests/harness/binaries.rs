//! The programs under test, built once per run in the profile that the tests were built in.
//!
//! `cargo test` builds the programs only of the packages whose own tests need them, and never passes their paths on to
//! another package, so the first test that wants one has `cargo` build them all; when nothing changed that is a look
//! at some time stamps. `HOB_TEST_PROGRAMS` names a folder with programs to test instead: a release, say.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the root of hob's repository.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository")
}

/// Returns the folder with `hob`, `hobd`, `hob-mcp` and `hob-lsp`, up to date.
///
/// # Panics
/// When they cannot be built.
pub fn binaries() -> &'static Path {
    // A failure is kept as well: every test would try again.
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let given = || std::env::var_os("HOB_TEST_PROGRAMS").map(PathBuf::from);
    let built = BUILT.get_or_init(|| given().map_or_else(build, Ok));
    built.as_ref().unwrap_or_else(|told| panic!("the programs under test cannot be built:\n{told}"))
}

/// `target`, wherever the user has it.
///
/// # Panics
/// When the test runner does not lie where cargo puts it.
#[must_use]
pub fn target_dir() -> PathBuf {
    profile_dir().parent().expect("a profile's folder lies in `target`").to_path_buf()
}

/// `target/debug` or another profile's: the test runner lies in its `deps`.
fn profile_dir() -> PathBuf {
    let own = std::env::current_exe().expect("a running program has a path");
    let dir =
        own.parent().and_then(Path::parent).expect("cargo puts test runners two folders below `target`");
    dir.to_path_buf()
}

fn build() -> Result<PathBuf, String> {
    let dir = profile_dir();
    let profile = match dir.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(repository()).args(["build", "--locked", "--profile", profile]);
    // What `cargo test` tells its tests would make build scripts that watch it run again, and all that depends on them be compiled.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST"))
        {
            command.env_remove(&name);
        }
    }
    command.arg("--target-dir").arg(target_dir());
    // Naming the whole workspace and one test turns on the features that `cargo test --workspace` has turned on, so
    // that no dependency is compiled a second time for the programs.
    command.args(["--workspace", "--bins", "--test", "runner"]);
    let built = command.output().expect("cargo runs");
    match built.status.success() {
        true => Ok(dir),
        false => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
    }
}
