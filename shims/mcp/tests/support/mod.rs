//! A hand-written MCP client: lines of JSON to a real `hob-mcp`, as the protocol's pages show them.
//!
//! No daemon is involved: `HOB_DAEMON` names a program that does not exist, and `HOB_DIR` a fresh folder.

#![allow(dead_code, reason = "each test program uses its own part")]

pub(crate) mod daemon;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Long enough for a loaded machine; no test measures time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running shim, with its input and output.
pub(crate) struct Shim {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    folder: tempfile::TempDir,
}

impl Shim {
    /// Starts a shim with these arguments, for which no daemon can be had.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::start_with(args, |_, _| {})
    }

    /// As `start`, after `change` had its way with the command; the path is a folder of this shim alone.
    pub(crate) fn start_with(args: &[&str], change: impl FnOnce(&mut Command, &Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_hob-mcp"));
        // These look at structures; what is about the text form says so.
        if !args.contains(&"--format") {
            command.args(["--format", "json"]);
        }
        command
            .args(args)
            .env("HOB_DIR", folder.path().join("hob"))
            .env("HOB_DAEMON", folder.path().join("no-such-daemon"))
            .env_remove("CLAUDE_PROJECT_DIR")
            .env_remove("HOB_LOG")
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        change(&mut command, folder.path());
        let mut child = command.spawn().expect("hob-mcp starts");
        let stdout = child.stdout.take().expect("piped");
        let stdin = child.stdin.take();
        Self { child, stdin, lines: read_lines(stdout), folder }
    }

    /// The folder that belongs to this shim.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The shim's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line as it is.
    pub(crate) fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).expect("the shim reads");
        stdin.flush().expect("the shim reads");
    }

    /// Sends a message on the shim's standard input.
    pub(crate) fn send(&mut self, message: &Value) {
        self.write(&message.to_string());
    }

    /// The next message from the shim.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line from the shim");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"))
    }

    /// The next line exactly as the shim wrote it.
    pub(crate) fn receive_line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line from the shim")
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// `initialize` and `notifications/initialized`, with these client capabilities.
    pub(crate) fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}});
        let answer = self.request(0, "initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Ends the shim's input.
    pub(crate) fn end_input(&mut self) {
        self.stdin = None;
    }

    /// Ends the shim's input and waits for it.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.end_input();
        self.wait()
    }

    /// Waits for the shim to end by itself.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("our child") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the shim did not end");
    }
}

impl Drop for Shim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Per-request metadata of revision 2026-07-28.
pub(crate) fn request_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn read_lines(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
