//! A hand-written editor: frames to and from a real `hob-lsp`, and a daemon that does what a test says.

pub(crate) mod daemon;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Long enough for a loaded machine; no test measures time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running shim, and the editor that started it.
pub(crate) struct ShimEditor {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: mpsc::Receiver<String>,
    _folder: tempfile::TempDir,
}

impl ShimEditor {
    /// Starts a shim after `prepare` had its way with the folder that will be its `HOB_DIR`. No daemon can be started.
    pub(crate) fn start(args: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hob_dir = folder.path().join("hob");
        prepare(&hob_dir);
        let mut child = Command::new(env!("CARGO_BIN_EXE_hob-lsp"))
            .args(args)
            .env("HOB_DIR", hob_dir)
            .env("HOB_DAEMON", folder.path().join("no-such-daemon"))
            .env_remove("HOB_LOG")
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("hob-lsp starts");
        let stdout = child.stdout.take().expect("piped");
        let stdin = child.stdin.take();
        Self { child, stdin, messages: read_messages(stdout), _folder: folder }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &str) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(bytes.as_bytes()).and_then(|()| stdin.flush()).expect("the shim reads");
    }

    /// Sends a message exactly as it is written.
    pub(crate) fn send_text(&mut self, message: &str) {
        self.write(&format!("Content-Length: {}\r\n\r\n{message}", message.len()));
    }

    /// Sends a request with this ID.
    pub(crate) fn send_request(&mut self, id: u64, method: &str, params: Value) {
        self.send_text(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
    }

    /// Sends a notification of this method.
    pub(crate) fn send_notification(&mut self, method: &str, params: Value) {
        self.send_text(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Opens a document with this text.
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "x", "version": 1, "text": text});
        self.send_notification("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// The next message from the shim, exactly as it is written.
    pub(crate) fn hear_text(&mut self) -> String {
        self.messages.recv_timeout(PATIENCE).expect("a message from the shim")
    }

    /// The next message from the shim.
    pub(crate) fn next_message(&mut self) -> Value {
        let text = self.hear_text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    /// The next message from the shim, if there is one by now.
    pub(crate) fn try_next_message(&mut self) -> Option<Value> {
        let text = self.messages.try_recv().ok()?;
        Some(serde_json::from_str(&text).expect("JSON"))
    }

    /// Ends the shim's input and waits for it.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.stdin = None;
        self.wait()
    }

    /// The shim's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
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

impl Drop for ShimEditor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_messages(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, messages) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        while let Some(message) = read_message(&mut stdout) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    messages
}

/// One message, read in the strictest way; `None` at the end.
fn read_message(from: &mut BufReader<ChildStdout>) -> Option<String> {
    let mut header = String::new();
    if from.read_line(&mut header).ok()? == 0 {
        return None;
    }
    let length = header.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
    let length: Option<usize> = length.and_then(|length| length.parse().ok());
    let length = length.expect("a header with a length");
    let mut body = vec![0; length + 2];
    from.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).expect("text");
    Some(body.strip_prefix("\r\n").expect("an empty line").to_owned())
}
