//! A daemon of the benchmark's own: its files, its programs, its end.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::rows::Failure;

/// Where one measured daemon lives. Dropping it stops the daemon.
pub(crate) struct World {
    dir: TempDir,
    programs: PathBuf,
    tree: PathBuf,
}

impl World {
    /// An empty `HOB_DIR`; the programs are those beside this one.
    pub(crate) fn new(tree: &Path) -> Result<Self, Failure> {
        let programs = std::env::current_exe()?.parent().ok_or("this program has no folder")?.to_path_buf();
        Ok(Self { dir: tempfile::tempdir()?, programs, tree: tree.canonicalize()? })
    }

    /// One of hob's programs, in this world and the tree.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(&self.tree).env("HOB_DIR", self.dir.path());
        command
    }

    /// The shim.
    pub(crate) fn shim(&self) -> Command {
        let mut command = self.command("hob-mcp");
        command.args(["--tools", "all"]);
        command
    }

    /// Builds the first index and waits for it.
    pub(crate) fn index(&self) -> Result<(), Failure> {
        run(self.command("hob").arg("index"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = run(self.command("hob").arg("stop"));
    }
}

/// Runs a program to its end, quietly.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}
