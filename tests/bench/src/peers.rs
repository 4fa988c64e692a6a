//! The other programs: how they are started on a tree.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

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
