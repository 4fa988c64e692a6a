//! Builds the programs under test once per run, in the profile of the tests.
//!
//! `cargo test` builds programs only for the packages whose own tests need them, and never passes their paths to
//! another package. So the first test that needs a program makes `cargo` build them all. If nothing has changed,
//! `cargo` only compares some timestamps. `HOB_TEST_PROGRAMS` names a folder with other programs to test, for example a
//! release.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// Returns the root of hob's repository.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository")
}

/// Returns the folder with up-to-date programs `hob`, `hobd`, `hob-mcp` and `hob-lsp`.
///
/// # Panics
///
/// Panics if they cannot be built.
pub fn binaries() -> &'static Path {
    // A failure is kept as well, because otherwise every test would try again.
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let given = || std::env::var_os("HOB_TEST_PROGRAMS").map(PathBuf::from);
    let built = BUILT.get_or_init(|| given().map_or_else(build, Ok));
    built.as_ref().unwrap_or_else(|told| panic!("the programs under test cannot be built:\n{told}"))
}

/// Copies programs under test to a new folder, and makes the copied daemon as old as `age`. Returns the folder.
///
/// # Panics
///
/// Panics if a program cannot be copied.
pub fn copy_programs(to: &Path, names: &[&str], age: Duration) -> PathBuf {
    std::fs::create_dir_all(to).expect("a folder");
    for name in names {
        copy_program(&binaries().join(name), &to.join(name));
    }
    // Who owns a file may set its time without opening it for writing.
    let daemon = File::open(to.join("hobd")).expect("the copy is ours");
    daemon.set_modified(SystemTime::now() - age).expect("its time can be set");
    to.to_path_buf()
}

/// Copies a program in another process. Were it open for writing here, a process that another test starts just then would
/// inherit it so for a moment, in which the system refuses to run the copy.
#[cfg(unix)]
fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().expect("cp starts");
    assert!(copied.success(), "{} can be copied", from.display());
}

#[cfg(not(unix))]
fn copy_program(from: &Path, to: &Path) {
    let _ = std::fs::copy(from, to).expect("programs can be copied");
}

/// Returns the folder `target`, wherever the user has it.
///
/// # Panics
///
/// Panics if the test runner is not where cargo puts it.
#[must_use]
pub fn target_dir() -> PathBuf {
    profile_dir().parent().expect("a profile's folder lies in `target`").to_path_buf()
}

/// Returns `target/debug` or the folder of another profile. The test runner is in its folder `deps`.
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
    // With the variables that `cargo test` sets for its tests, build scripts that depend on them would run again, and
    // everything after them would be compiled again.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST"))
        {
            command.env_remove(&name);
        }
    }
    command.arg("--target-dir").arg(target_dir());
    // Naming the whole workspace and one test turns on the same features as `cargo test --workspace`, so that no
    // dependency is compiled a second time for the programs.
    command.args(["--workspace", "--bins", "--test", "runner"]);
    let built = command.output().expect("cargo runs");
    match built.status.success() {
        true => Ok(dir),
        false => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
    }
}
