//! Runs git for the benchmark's own trees: without hooks, signing and housekeeping in the background, and under a
//! made-up name.

use std::path::Path;
use std::process::Command;

use crate::rows::Failure;
use crate::world::run;

/// Returns a git command in `tree`.
pub(crate) fn git(tree: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(tree);
    for setting in [
        // A copy keeps its owner, who may be another user.
        "safe.directory=*",
        "user.name=hob-bench",
        "user.email=hob-bench@example.invalid",
        "commit.gpgsign=false",
        "core.hooksPath=/dev/null",
        "gc.auto=0",
        "maintenance.auto=false",
        "advice.detachedHead=false",
    ] {
        command.args(["-c", setting]);
    }
    command.args(args);
    command
}

/// Makes `tree` a repository without a commit, if it is not a repository yet.
pub(crate) fn init(tree: &Path) -> Result<(), Failure> {
    if tree.join(".git").exists() { Ok(()) } else { run(&mut git(tree, &["init", "-q"])) }
}

/// Commits all files, including ignored ones, since these may be what is measured.
pub(crate) fn commit_all(tree: &Path) -> Result<(), Failure> {
    run(&mut git(tree, &["add", "-A", "-f"]))?;
    run(&mut git(tree, &["commit", "-q", "--allow-empty", "-m", "state"]))
}

/// Returns true if there is a commit to check out.
pub(crate) fn has_commit(tree: &Path) -> bool {
    run(&mut git(tree, &["rev-parse", "-q", "--verify", "HEAD"])).is_ok()
}
