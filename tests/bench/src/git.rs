//! git, for trees of the benchmark's own: no hooks, no signing, no housekeeping aside, nobody's name.

use std::path::Path;
use std::process::Command;

use crate::rows::Failure;
use crate::world::run;

/// Returns a git command in `tree`.
pub(crate) fn git(tree: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(tree);
    for setting in [
        // A copy keeps its owner, who may be somebody else.
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

/// Makes `tree` a repository, if it is none, without a commit.
pub(crate) fn init(tree: &Path) -> Result<(), Failure> {
    if tree.join(".git").exists() { Ok(()) } else { run(&mut git(tree, &["init", "-q"])) }
}

/// Commits everything that is there, ignored files too, since they may be what is measured.
pub(crate) fn commit_all(tree: &Path) -> Result<(), Failure> {
    run(&mut git(tree, &["add", "-A", "-f"]))?;
    run(&mut git(tree, &["commit", "-q", "--allow-empty", "-m", "state"]))
}

/// Returns true if there is a commit to check out.
pub(crate) fn has_commit(tree: &Path) -> bool {
    run(&mut git(tree, &["rev-parse", "-q", "--verify", "HEAD"])).is_ok()
}
