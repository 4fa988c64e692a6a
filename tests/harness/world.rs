//! Makes one `HOB_DIR` with the daemon that may run in it, and an environment without anything of the user's.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::answer::Context;
use crate::{Answer, Mcp, McpOptions, Output, Tree, binaries, processes, run};

/// A folder for everything, with a daemon that ends with it.
///
/// Dropping it stops the daemon as a user would. Then no process that was started with this `HOB_DIR` may remain, and
/// the log must contain no bug.
#[derive(Debug)]
pub struct World {
    temp: TempDir,
    hob_dir: PathBuf,
    binaries: PathBuf,
    env: Vec<(String, String)>,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Returns an empty world with the programs of this build.
    #[must_use]
    pub fn new() -> Self {
        Self::with_binaries(binaries())
    }

    /// Returns an empty world with the programs in `folder`.
    ///
    /// # Panics
    ///
    /// Panics if no temporary folder can be made.
    #[must_use]
    pub fn with_binaries(folder: &Path) -> Self {
        let temp = tempfile::Builder::new().prefix("hob-").tempdir().expect("a temporary folder");
        for name in ["home", "tmp"] {
            std::fs::create_dir(temp.path().join(name)).expect("a folder in it");
        }
        let hob_dir = temp.path().join("h");
        Self { temp, hob_dir, binaries: folder.to_path_buf(), env: Vec::new() }
    }

    /// Returns the world with this `HOB_DIR` instead of its own.
    #[must_use]
    pub fn hob_dir(mut self, dir: PathBuf) -> Self {
        self.hob_dir = dir;
        self
    }

    /// Sets a variable for every program of this world.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Returns a path in the world's own folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// Returns the `HOB_DIR` of the world.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.hob_dir
    }

    /// Makes a project in this world.
    #[must_use]
    pub fn tree(&self, fixture: &str) -> Tree {
        Tree::new(&self.path("ws"), fixture)
    }

    /// Returns a command that runs a program in this world's environment. `program` is a name in the folder of
    /// programs, or a path.
    #[must_use]
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(self.binaries.join(program));
        self.clean(&mut command);
        command
    }

    /// Gives a command this world's environment and nothing else.
    pub fn clean(&self, command: &mut Command) {
        command.env_clear().current_dir(self.temp.path());
        // Programs of the system are found, but folders of the user are not.
        for (name, value) in std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "SYSTEMROOT") {
            command.env(name, value);
        }
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp")).env("HOB_DIR", &self.hob_dir);
        command.env("LANG", "C.UTF-8").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
    }

    /// Runs `hob` in `place`.
    #[track_caller]
    pub fn hob(&self, place: &Path, args: &[&str]) -> Output {
        self.hob_with_input(place, args, "")
    }

    /// Runs `hob` in `place` with `input` on its standard input.
    #[track_caller]
    pub fn hob_with_input(&self, place: &Path, args: &[&str], input: &str) -> Output {
        run(self.command("hob").args(args).current_dir(place), input.as_bytes())
    }

    /// Starts a shim in `tree` with all tools, and makes the handshake.
    #[track_caller]
    #[must_use]
    pub fn mcp(&self, tree: &Tree) -> Mcp {
        Mcp::start(self, tree, &McpOptions::default())
    }

    /// Makes one call through a separate shim.
    #[track_caller]
    pub fn call(&self, tree: &Tree, tool: &str, args: &Value) -> Answer {
        self.mcp(tree).call(tool, args.clone())
    }

    /// Returns the output of `hob status`, or `None` if no daemon runs.
    ///
    /// # Panics
    ///
    /// Panics if the output is not JSON.
    #[track_caller]
    #[must_use]
    pub fn status(&self) -> Option<Value> {
        let said = self.hob(self.temp.path(), &["status", "--json"]).success();
        let status: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
        (status["running"] != false).then_some(status)
    }

    /// Returns the process ID that the daemon reports, or `None` if no daemon runs.
    ///
    /// # Panics
    ///
    /// Panics if a daemon runs but does not report it.
    #[track_caller]
    #[must_use]
    pub fn daemon_pid(&self) -> Option<u32> {
        let status = self.status()?;
        let pid = status["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        Some(pid.unwrap_or_else(|| panic!("a status without a pid: {status}")))
    }

    /// Ends the daemon as a crash would.
    ///
    /// # Panics
    ///
    /// Panics if no daemon runs.
    #[track_caller]
    pub fn kill_daemon(&self) -> u32 {
        let pid = self.daemon_pid().expect("a daemon runs");
        processes::kill_hard(pid);
        pid
    }

    /// Stops the daemon as a user would.
    ///
    /// # Panics
    ///
    /// Panics if that fails or the daemon does not end.
    #[track_caller]
    pub fn stop(&self) {
        let pid = self.daemon_pid();
        let _ = self.hob(self.temp.path(), &["stop"]).success();
        if let Some(pid) = pid {
            assert!(
                processes::ends(pid, Duration::from_secs(60)),
                "the daemon {pid} does not end\n{}",
                self.log()
            );
        }
    }

    /// Returns the last lines of the daemon's log.
    #[must_use]
    pub fn log(&self) -> String {
        let text = self.whole_log();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }

    fn whole_log(&self) -> String {
        let folder = self.hob_dir.join("state/log");
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        files.filter_map(|file| std::fs::read(file).ok()).map(lossy).collect()
    }

    pub(crate) fn context(&self, tree: &Tree) -> Context {
        Context { tree: tree.clone(), log: self.hob_dir.join("state/log"), hob_dir: self.hob_dir.clone() }
    }

    /// Ends all remaining processes of this world and returns them. A shim that has ended may have begun to start a
    /// daemon, which cannot be stopped before it listens. So stopping is tried more than once.
    fn clear(&self) -> Vec<(u32, String)> {
        let left = || processes::of_hob_dir(&self.hob_dir);
        for _ in 0..30 {
            let _ = self.command("hob").arg("stop").output();
            for _ in 0..20 {
                if left().is_empty() {
                    return Vec::new();
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let rest = left();
        rest.iter().for_each(|(pid, _)| processes::kill_hard(*pid));
        rest
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let left = self.clear();
        if std::thread::panicking() {
            return;
        }
        assert!(left.is_empty(), "processes outlive `hob stop`: {left:?}\n{}", self.log());
        let log = self.whole_log();
        let bug = log.lines().find(|line| line.contains("panic"));
        assert!(bug.is_none(), "the daemon's log tells of a bug: {bug:?}");
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
