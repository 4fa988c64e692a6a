//! Runs a daemon for the benchmark, with its own files and programs.

use std::ffi::OsString;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::mcp::Server;
use crate::process;
use crate::rows::Failure;
use crate::scratch::Scratch;

/// The longest time in which a daemon must come to rest after its work.
const PATIENCE: Duration = Duration::from_secs(300);

/// The folders of one measured daemon. Dropping it stops the daemon.
pub(crate) struct World {
    dir: PathBuf,
    programs: PathBuf,
    tree: PathBuf,
    /// The `PATH` of the programs, if it is another than that of this process.
    path: Option<OsString>,
    _temporary: Option<Scratch>,
}

impl World {
    /// Returns a world with an empty `HOB_DIR`. Its programs are those in the same folder as this one.
    pub(crate) fn new(tree: &Path) -> Result<Self, Failure> {
        let temporary = Scratch::new()?;
        Self::make(temporary.at("hob"), tree, Some(temporary))
    }

    /// Returns a world with a `HOB_DIR` that is kept and may have been used before.
    pub(crate) fn within(dir: &Path, tree: &Path) -> Result<Self, Failure> {
        Self::make(dir.to_path_buf(), tree, None)
    }

    fn make(dir: PathBuf, tree: &Path, temporary: Option<Scratch>) -> Result<Self, Failure> {
        let programs = std::env::current_exe()?.parent().ok_or("this program has no folder")?.to_path_buf();
        Ok(Self { dir, programs, tree: tree.canonicalize()?, path: None, _temporary: temporary })
    }

    /// Returns the same world with another `PATH` for its programs.
    pub(crate) fn with_path(mut self, path: OsString) -> Self {
        self.path = Some(path);
        self
    }

    /// Returns the tree that is measured.
    pub(crate) fn tree(&self) -> &Path {
        &self.tree
    }

    /// Returns the folder of the daemon's files.
    pub(crate) fn folder(&self) -> &Path {
        &self.dir
    }

    /// Returns the folder for data that hob can derive again.
    pub(crate) fn cache(&self) -> PathBuf {
        self.dir.join("cache")
    }

    /// Writes the user's settings.
    pub(crate) fn settings(&self, text: &str) -> Result<(), Failure> {
        let folder = self.dir.join("config");
        std::fs::create_dir_all(&folder)?;
        Ok(std::fs::write(folder.join("config.toml"), text)?)
    }

    /// Returns a command that runs one of hob's programs in this world and its tree.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(&self.tree).env("HOB_DIR", &self.dir);
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command
    }

    /// Returns the command that starts the shim.
    pub(crate) fn shim(&self) -> Command {
        let mut command = self.command("hob-mcp");
        command.args(["--tools", "all"]);
        command
    }

    /// Starts a session of an agent in the tree.
    pub(crate) fn server(&self) -> Result<Server, Failure> {
        Server::start(&mut self.shim())
    }

    /// Builds the first index and waits for it.
    pub(crate) fn index(&self) -> Result<(), Failure> {
        run(self.command("hob").arg("index"))
    }

    /// Stops the daemon in good order and waits until its process is gone, including everything that it saves at the
    /// end. A daemon that hangs is killed, and this is printed.
    pub(crate) fn stop(&self) -> Result<(), Failure> {
        let Ok(pid) = self.pid() else { return Ok(()) };
        run(self.command("hob").args(["--timeout", "60", "stop"]))?;
        if let Err(error) = process::wait_for_end(pid) {
            println!("  (after `hob stop`, {error}: killed)");
            process::kill_hard(pid)?;
        }
        Ok(())
    }

    /// Returns the daemon's status, as `hob status` has it.
    pub(crate) fn status(&self) -> Result<Value, Failure> {
        let out = self.command("hob").args(["--json", "status"]).stdin(Stdio::null()).output()?;
        Ok(serde_json::from_slice(&out.stdout)?)
    }

    /// Returns the ID of the daemon's process.
    pub(crate) fn pid(&self) -> Result<u32, Failure> {
        let status = self.status()?;
        let pid = status["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        pid.ok_or_else(|| "no daemon runs".into())
    }

    /// Waits until the daemon has finished its work in the background, and prints a line if it does not.
    pub(crate) fn rest(&self) -> Result<(), Failure> {
        if !process::wait_for_rest(self.pid()?, PATIENCE)? {
            println!("  (the daemon was not at rest after {} s)", PATIENCE.as_secs());
        }
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// Runs a program to its end without showing its output. Its error output becomes part of the failure. It is written to
/// a file, because a daemon that the program starts may keep a pipe open.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let mut complaints = tempfile::tempfile()?;
    let stderr = complaints.try_clone()?;
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).status()?;
    if status.success() {
        return Ok(());
    }
    let mut said = Vec::new();
    complaints.rewind()?;
    complaints.read_to_end(&mut said)?;
    Err(format!("{command:?} ended with {status}: {}", String::from_utf8_lossy(&said).trim()).into())
}
