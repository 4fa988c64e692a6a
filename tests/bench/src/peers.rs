//! The compared programs, and how they are started on a tree.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process;
use crate::rows::Failure;
use crate::world::run;

/// codanna with its own index of a copy of the tree, since it writes its folder into the tree that it indexes. Its search
/// by meaning is off, because that fetches a model.
pub(crate) struct Codanna {
    program: PathBuf,
    copy: TempDir,
    /// The folder that it takes for the user's home, where it notes the projects that it knows.
    home: TempDir,
}

impl Codanna {
    pub(crate) fn index(program: &Path, tree: &Path) -> Result<Self, Failure> {
        let copy = copy_of(tree)?;
        let codanna = Self { program: program.canonicalize()?, copy, home: tempfile::tempdir()? };
        run(codanna.command().arg("init"))?;
        run(codanna.command().args(["index", "."]))?;
        Ok(codanna)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.copy.path());
        command.env("HOME", self.home.path()).env("CI_SEMANTIC_SEARCH__ENABLED", "false");
        command
    }

    pub(crate) fn server_command(&self) -> Command {
        let mut command = self.command();
        command.arg("serve");
        command
    }

    /// Returns the command of a server that follows changes.
    pub(crate) fn watching_server(&self) -> Command {
        let mut command = self.server_command();
        command.arg("--watch");
        command
    }

    /// Returns the copy of the tree that is searched.
    pub(crate) fn tree(&self) -> &Path {
        self.copy.path()
    }
}

/// codegraph with its own index of a copy of the tree, for the same reason. It starts a daemon that watches the copy.
/// Dropping this ends the daemon.
pub(crate) struct Codegraph {
    program: PathBuf,
    copy: TempDir,
}

impl Codegraph {
    pub(crate) fn index(program: &Path, tree: &Path) -> Result<Self, Failure> {
        let copy = copy_of(tree)?;
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

    pub(crate) fn server_command(&self) -> Command {
        let mut command = self.command();
        command.args(["serve", "--mcp", "--path"]).arg(self.copy.path());
        command
    }

    /// Returns the copy of the tree that is searched.
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

/// Serena with settings of its own and a copy of the tree, since it writes its folder into the project that it serves.
pub(crate) struct Serena {
    program: PathBuf,
    copy: TempDir,
    settings: TempDir,
}

impl Serena {
    /// Makes the copy and the settings. `language` is Serena's name of a language, and `server` the installed program
    /// that serves it: without a server named, Serena fetches one.
    pub(crate) fn prepare_copy(
        program: &Path,
        tree: &Path,
        language: &str,
        server: &str,
    ) -> Result<Self, Failure> {
        let serena =
            Self { program: program.canonicalize()?, copy: copy_of(tree)?, settings: tempfile::tempdir()? };
        // JSON is YAML too.
        let settings = json!({
            "web_dashboard": false,
            "web_dashboard_open_on_launch": false,
            "gui_log_window": false,
            "log_level": 40,
            "projects": [],
            "ls_specific_settings": {language: {"ls_path": server}},
        });
        std::fs::write(serena.settings.path().join("serena_config.yml"), settings.to_string())?;
        let project = json!({
            "project_name": "tree",
            "language_servers": [language],
            "encoding": "utf-8",
            "ignored_paths": [],
        });
        let folder = serena.copy.path().join(".serena");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("project.yml"), project.to_string())?;
        Ok(serena)
    }

    pub(crate) fn server_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.copy.path()).env("SERENA_HOME", self.settings.path());
        command.args(["start-mcp-server", "--context", "ide", "--agent-interface", "tools"]);
        command.args(["--log-level", "ERROR", "--project"]).arg(self.copy.path());
        command
    }
}

fn copy_of(tree: &Path) -> Result<TempDir, Failure> {
    let copy = tempfile::tempdir()?;
    run(Command::new("cp").arg("-a").arg(tree.join(".")).arg(copy.path()))?;
    Ok(copy)
}

/// csearch with its index in a separate folder.
pub(crate) struct Csearch {
    program: PathBuf,
    folder: TempDir,
}

impl Csearch {
    pub(crate) fn new(program: &Path) -> Result<Self, Failure> {
        Ok(Self { program: program.canonicalize()?, folder: tempfile::tempdir()? })
    }

    /// Indexes a tree from scratch.
    pub(crate) fn index(&self, tree: &Path) -> Result<(), Failure> {
        let _ = std::fs::remove_file(self.file());
        let mut command = Command::new(self.program.with_file_name("cindex"));
        run(command.arg(tree.canonicalize()?).env("CSEARCHINDEX", self.file()))
    }

    /// Returns the path of the index.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// Returns a command that prints every matching line.
    pub(crate) fn search(&self, pattern: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["-n", pattern]).env("CSEARCHINDEX", self.file());
        command
    }
}

/// fff in a warm process that has scanned the tree and does not limit its answers.
pub(crate) struct Fff {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// A Python program that reads one pattern per line and answers with the milliseconds that a search for all matching
/// lines took.
const FFF: &str = r#"
import json, sys, time
from fff import FileFinder
finder = FileFinder(sys.argv[1], watch=False)
finder.wait_for_scan_blocking(600_000)
while not finder.scan_progress.is_warmup_complete:
    time.sleep(0.05)
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    found, cursor = 0, None
    while True:
        page = finder.grep(json.loads(line), mode="regex", smart_case=False, page_limit=1_000_000_000,
                           max_matches_per_file=1_000_000_000, cursor=cursor)
        found, cursor = found + len(page.items), page.next_cursor()
        if cursor is None or not page.items:
            break
    print(json.dumps([(time.perf_counter() - start) * 1e3, found]), flush=True)
"#;

impl Fff {
    pub(crate) fn start(python: &Path, tree: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(python);
        command.args(["-c", FFF]).arg(tree.canonicalize()?).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut fff = Self { child, output };
        fff.line()?;
        Ok(fff)
    }

    /// Searches for a pattern and returns the time that it took.
    pub(crate) fn search(&mut self, pattern: &str) -> Result<Duration, Failure> {
        let input = self.child.stdin.as_mut().ok_or("no stdin")?;
        writeln!(input, "{}", Value::from(pattern))?;
        let answer: Value = serde_json::from_str(&self.line()?)?;
        Ok(Duration::from_secs_f64(answer[0].as_f64().ok_or("fff took no time")? / 1e3))
    }

    fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err("fff ended".into()),
            _ => Ok(line),
        }
    }
}

impl Drop for Fff {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the command that runs `ctags -R` over a tree, with its output in a file outside of the tree.
pub(crate) fn ctags(tree: &Path, out: &Path) -> Command {
    let mut command = Command::new("ctags");
    command.current_dir(tree).args(["-R", "--fields=+nK", "-f"]).arg(out).arg(".");
    command
}

/// Returns true if a program can be run.
pub(crate) fn is_there(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
}
