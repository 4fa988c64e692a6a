//! The other programs: how they are started on a tree.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::process;
use crate::rows::Failure;
use crate::world::run;

/// codanna with an index of its own over a copy of the tree (it writes its folder into the tree it indexes).
pub(crate) struct Codanna {
    program: PathBuf,
    copy: TempDir,
}

impl Codanna {
    pub(crate) fn index(program: &Path, tree: &Path) -> Result<Self, Failure> {
        let copy = tempfile::tempdir()?;
        run(Command::new("cp").arg("-a").arg(tree.join(".")).arg(copy.path()))?;
        let codanna = Self { program: program.canonicalize()?, copy };
        run(codanna.command().arg("init"))?;
        run(codanna.command().args(["index", "."]))?;
        Ok(codanna)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.copy.path());
        command
    }

    pub(crate) fn server(&self) -> Command {
        let mut command = self.command();
        command.arg("serve");
        command
    }

    /// A server that follows changes.
    pub(crate) fn watching_server(&self) -> Command {
        let mut command = self.server();
        command.arg("--watch");
        command
    }

    /// The copy.
    pub(crate) fn tree(&self) -> &Path {
        self.copy.path()
    }
}

/// codegraph with an index of its own over a copy of the tree, for the same reason. Its daemon, which it starts by itself and
/// which watches the copy, ends with this.
pub(crate) struct Codegraph {
    program: PathBuf,
    copy: TempDir,
}

impl Codegraph {
    pub(crate) fn index(program: &Path, tree: &Path) -> Result<Self, Failure> {
        let copy = tempfile::tempdir()?;
        run(Command::new("cp").arg("-a").arg(tree.join(".")).arg(copy.path()))?;
        let codegraph = Self { program: program.canonicalize()?, copy };
        run(codegraph.command().args(["init", "-y"]))?;
        Ok(codegraph)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.copy.path());
        command.env("CODEGRAPH_TELEMETRY", "0").env("CODEGRAPH_NO_UPDATE_CHECK", "1");
        command
    }

    pub(crate) fn server(&self) -> Command {
        let mut command = self.command();
        command.args(["serve", "--mcp", "--path"]).arg(self.copy.path());
        command
    }

    /// The copy.
    pub(crate) fn tree(&self) -> &Path {
        self.copy.path()
    }

    fn daemon(&self) -> Option<u32> {
        let text = std::fs::read(self.copy.path().join(".codegraph/daemon.pid")).ok()?;
        let daemon: Value = serde_json::from_slice(&text).ok()?;
        u32::try_from(daemon["pid"].as_u64()?).ok()
    }
}

impl Drop for Codegraph {
    fn drop(&mut self) {
        if let Some(pid) = self.daemon() {
            let _ = process::end(pid);
        }
    }
}

/// `ctags -R` over a tree, output to a file outside it.
pub(crate) fn ctags(tree: &Path, out: &Path) -> Command {
    let mut command = Command::new("ctags");
    command.current_dir(tree).args(["-R", "--fields=+nK", "-f"]).arg(out).arg(".");
    command
}

/// Whether a program can be run at all.
pub(crate) fn is_there(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
}
