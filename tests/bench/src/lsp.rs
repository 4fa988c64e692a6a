//! A minimal client for the language server protocol. It treats `hob-lsp` and a language server in the same way.
//!
//! A thread reads all messages and replies to the requests of the server, because a server blocks if nobody reads from
//! it.

use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hob_live::rpc::transport::{MessageReader, write_body};
use serde_json::{Value, json};

use crate::rows::Failure;

/// Longer than any server needs to load.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server with one document open.
pub(crate) struct Client {
    child: Child,
    input: Arc<Mutex<ChildStdin>>,
    messages: Receiver<Value>,
    next: u64,
    uri: String,
    version: i64,
}

impl Client {
    /// Starts `command` on the project in `root`, initializes it and opens a document with this text.
    pub(crate) fn start(
        command: &mut Command,
        root: &Path,
        file: &str,
        language: &str,
        text: &str,
    ) -> Result<Self, Failure> {
        command.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let input = Arc::new(Mutex::new(child.stdin.take().ok_or("no stdin")?));
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let (sender, messages) = channel();
        let replying = Arc::clone(&input);
        std::thread::spawn(move || read(MessageReader::new(output), &replying, &sender));
        let uri = format!("file://{}", root.join(file).display());
        let mut client = Self { child, input, messages, next: 1, uri, version: 1 };
        client.greet(&format!("file://{}", root.display()))?;
        let document = json!({"uri": client.uri, "languageId": language, "version": 1, "text": text});
        client.notify("textDocument/didOpen", &json!({"textDocument": document}))?;
        Ok(client)
    }

    fn greet(&mut self, root: &str) -> Result<(), Failure> {
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-16"]},
            "workspace": {"configuration": true, "workspaceFolders": true},
            "textDocument": {
                "synchronization": {"didSave": true},
                "completion": {"completionItem": {"snippetSupport": false}},
                "hover": {"contentFormat": ["markdown", "plaintext"]},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                "publishDiagnostics": {"versionSupport": true},
            },
        });
        let folders = json!([{"uri": root, "name": "project"}]);
        let hello = json!({"processId": null, "rootUri": root, "workspaceFolders": folders,
            "capabilities": capabilities});
        self.request("initialize", &hello)?;
        self.notify("initialized", &json!({}))?;
        self.notify("workspace/didChangeConfiguration", &json!({"settings": {}}))
    }

    /// Returns the parameters that all requests about the document share, for a position counted from 0.
    pub(crate) fn at(&self, line: u64, character: u64) -> Value {
        json!({"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}})
    }

    /// Inserts a text before that position.
    pub(crate) fn insert(&mut self, line: u64, character: u64, text: &str) -> Result<(), Failure> {
        let at = json!({"line": line, "character": character});
        self.change(&json!({"range": {"start": at, "end": at}, "text": text}))
    }

    /// Replaces the whole document.
    pub(crate) fn replace(&mut self, text: &str) -> Result<(), Failure> {
        self.change(&json!({"text": text}))
    }

    fn change(&mut self, change: &Value) -> Result<(), Failure> {
        self.version += 1;
        let document = json!({"uri": self.uri, "version": self.version});
        self.notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": [change]}))
    }

    /// Sends a request, and repeats it while the server says that something has changed.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            let id = self.next;
            self.next += 1;
            self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
            let mut answer = self.receive(|message| message["id"] == id)?;
            match answer["error"]["code"].as_i64() {
                None => return Ok(answer["result"].take()),
                Some(-32801 | -32802) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Some(_) => return Err(format!("{method}: {}", answer["error"]).into()),
            }
        }
    }

    /// Waits until the server reports a diagnostic for the document that contains this text.
    pub(crate) fn wait_for_wrong(&mut self, text: &str) -> Result<(), Failure> {
        self.receive(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["diagnostics"].to_string().contains(text)
        })?;
        Ok(())
    }

    fn receive(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value, Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left)?;
            if wanted(&message) {
                return Ok(message);
            }
        }
    }

    fn notify(&self, method: &str, params: &Value) -> Result<(), Failure> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn send(&self, message: &Value) -> Result<(), Failure> {
        Ok(write(&self.input, message)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes on notifications and answers, and gives every request of the server an empty reply.
fn read(
    mut output: MessageReader<BufReader<std::process::ChildStdout>>,
    input: &Mutex<ChildStdin>,
    sender: &Sender<Value>,
) {
    while let Ok(Some(body)) = output.next_body() {
        let Ok(message) = serde_json::from_slice::<Value>(&body) else { return };
        let done = match (message.get("method"), message.get("id")) {
            (Some(_), Some(id)) => {
                let asked = message["params"]["items"].as_array().map(Vec::len);
                let result = asked.map_or(Value::Null, |count| json!(vec![Value::Null; count]));
                write(input, &json!({"jsonrpc": "2.0", "id": id, "result": result})).is_err()
            }
            _ => sender.send(message).is_err(),
        };
        if done {
            return;
        }
    }
}

fn write(input: &Mutex<ChildStdin>, message: &Value) -> std::io::Result<()> {
    // A message is either written whole or the pipe is broken.
    let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
    write_body(&mut *input, message.to_string().as_bytes())
}
