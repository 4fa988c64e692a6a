//! Asks a language server directly, with a small client that has no code in common with hob's.
//!
//! Tests compare hob's answers from a server with those that this client receives. So it is written a second time, in
//! another way: one call after another, values instead of types, and separate code for framing and URIs. It offers what
//! every client must (UTF-16 columns), replies to the requests of a server, and waits until the server has reported
//! that it has loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::FOREVER;
use crate::command::wait;

/// The sign by which a server reports that it has loaded its project.
#[derive(Clone, Copy, Debug)]
pub enum Ready {
    /// No sign: the server delays its answers until then.
    Held,
    /// A log message that contains this.
    Logs(&'static str),
    /// The end of the last progress report whose token or title contains this.
    ProgressEnds(&'static str),
    /// The field `quiescent` in `experimental/serverStatus`.
    Quiescent,
}

/// The facts that a client has to know about a server.
#[derive(Clone, Debug)]
pub struct Speaks {
    /// The sign that the server has loaded; see [`Ready`].
    pub ready: Ready,
    /// The `initializationOptions` that the client sends.
    pub options: Value,
    /// The answers to `workspace/configuration`, by section; `null` for any other section.
    pub settings: Value,
    /// The protocol's name of the language, by the ending of a file.
    pub languages: &'static [(&'static str, &'static str)],
}

/// A running server that is asked directly.
#[derive(Debug)]
pub struct Lsp {
    child: Child,
    input: Arc<Mutex<ChildStdin>>,
    messages: Receiver<Value>,
    root: PathBuf,
    speaks: Speaks,
    /// The server's capabilities, as it returned them from `initialize`.
    pub capabilities: Value,
    next: u64,
    opened: BTreeSet<String>,
    seen_ready: bool,
    under_way: BTreeSet<String>,
    /// The diagnostics that the server last published for each file, by URI.
    verdicts: BTreeMap<String, Value>,
    /// The regions of each file that clangd last reported as not compiled, by URI.
    inactive: BTreeMap<String, Value>,
}

impl Lsp {
    /// Starts `command` on the project in `root` and initializes it. The server has then only begun to load.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be started or does not answer.
    #[track_caller]
    #[must_use]
    pub fn start(mut command: Command, root: &Path, speaks: &Speaks) -> Self {
        use std::os::unix::process::CommandExt as _;
        command.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A separate process group, so that all of it can be ended.
        command.env_remove("HOB_DIR").process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = Arc::new(Mutex::new(child.stdin.take().expect("it is piped")));
        let output = child.stdout.take().expect("it is piped");
        let (sender, messages) = channel();
        let (answering, settings) = (Arc::clone(&input), speaks.settings.clone());
        std::thread::spawn(move || {
            read_all(output, |message| match (message.get("method"), message.get("id")) {
                (Some(method), Some(id)) => {
                    let result = answer(method.as_str().unwrap_or_default(), &message["params"], &settings);
                    // A server that has ended does not wait for a reply.
                    let _ = write(&answering, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
                    true
                }
                _ => sender.send(message).is_ok(),
            });
        });
        let mut lsp = Self {
            child,
            input,
            messages,
            root: root.to_path_buf(),
            speaks: speaks.clone(),
            capabilities: Value::Null,
            next: 1,
            opened: BTreeSet::new(),
            seen_ready: false,
            under_way: BTreeSet::new(),
            verdicts: BTreeMap::new(),
            inactive: BTreeMap::new(),
        };
        lsp.initialise();
        lsp
    }

    #[track_caller]
    fn initialise(&mut self) {
        let uri = self.uri("");
        let params = json!({
            "processId": std::process::id(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": "project"}],
            "initializationOptions": self.speaks.options,
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "window": {"workDoneProgress": true},
                "experimental": {"serverStatusNotification": true},
                "workspace": {
                    "configuration": true, "workspaceFolders": true,
                    "didChangeWatchedFiles": {"dynamicRegistration": true},
                },
                "textDocument": {
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                    "hover": {"contentFormat": ["markdown", "plaintext"]},
                    "callHierarchy": {"dynamicRegistration": false},
                    "publishDiagnostics": {"relatedInformation": true},
                    "diagnostic": {"dynamicRegistration": false},
                    "inactiveRegionsCapabilities": {"inactiveRegions": true},
                },
            },
        });
        let result = self.request("initialize", &params).expect("a server can be initialised");
        self.capabilities = result["capabilities"].clone();
        self.notify("initialized", &json!({}));
        let settings = json!({"settings": self.speaks.settings});
        self.notify("workspace/didChangeConfiguration", &settings);
    }

    /// Waits until the server has reported that it has loaded. Some begin only when a file is open; see [`Lsp::open`].
    ///
    /// # Panics
    ///
    /// Panics if it never reports that.
    #[track_caller]
    pub fn wait_ready(&mut self) {
        while !self.is_ready() {
            let message = self.messages.recv_timeout(FOREVER);
            self.note(&message.expect("a server says when it has loaded"));
        }
    }

    /// Asks until the same answer has come three times in a row, with pauses: a server that reports that it has loaded
    /// may still be loading.
    ///
    /// # Panics
    ///
    /// Panics if the answer never becomes stable.
    #[track_caller]
    pub fn settled<T: PartialEq>(&mut self, mut question: impl FnMut(&mut Self) -> T) -> T {
        let (mut last, mut same) = (question(self), 0);
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(300));
            let now = question(self);
            same = if now == last { same + 1 } else { 0 };
            last = now;
            if same == 2 {
                return last;
            }
        }
        panic!("its answers never settle");
    }

    /// Opens a file with the contents that it has on disk, if it is not open yet.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be read.
    #[track_caller]
    pub fn open(&mut self, file: &str) {
        if !self.opened.insert(file.to_owned()) {
            return;
        }
        let text = std::fs::read_to_string(self.root.join(file)).expect("a file that is asked about");
        let ending = file.rsplit('.').next().unwrap_or_default();
        let language = self.speaks.languages.iter().find(|(known, _)| *known == ending);
        let language = language.unwrap_or_else(|| panic!("no language for {file}")).1;
        let document = json!({"uri": self.uri(file), "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Returns the ranges of lines in an open file that are not compiled, counted from 1, as far as the server has
    /// reported them.
    #[must_use]
    pub fn inactive(&self, file: &str) -> Vec<(u64, u64)> {
        let uri = self.uri(file);
        let regions = self.inactive.get(&uri).into_iter().filter_map(Value::as_array).flatten();
        let verdicts = self.verdicts.get(&uri).into_iter().filter_map(Value::as_array).flatten();
        let verdicts = verdicts.filter(|one| one["code"] == "inactive-code").map(|one| &one["range"]);
        let line = |range: &Value, end: &str| range[end]["line"].as_u64().unwrap_or(0) + 1;
        regions.chain(verdicts).map(|range| (line(range, "start"), line(range, "end"))).collect()
    }

    /// Returns the diagnostics of open files. If the server can be asked for them, it is asked. Otherwise these are the
    /// ones that it has published, after it has been silent for a while.
    ///
    /// # Panics
    ///
    /// Panics if it reports nothing about one of them.
    #[track_caller]
    pub fn verdicts(&mut self, files: &[String]) -> Vec<Value> {
        let uris: Vec<String> = files.iter().map(|file| self.uri(file)).collect();
        if !self.capabilities["diagnosticProvider"].is_null() {
            let ask = |lsp: &mut Self, uri: &String| {
                let params = json!({"textDocument": {"uri": uri}});
                lsp.ask("textDocument/diagnostic", &params).expect("a verdict")["items"].take()
            };
            return uris.iter().map(|uri| ask(self, uri)).collect();
        }
        let mut patience = FOREVER;
        while let Ok(message) = self.messages.recv_timeout(patience) {
            self.note(&message);
            if uris.iter().all(|uri| self.verdicts.contains_key(uri)) {
                patience = Duration::from_secs(2);
            }
        }
        uris.iter().map(|uri| self.verdicts[uri].clone()).collect()
    }

    /// Sends a request, and repeats it while the server says that something has changed in the meantime.
    ///
    /// # Errors
    ///
    /// Returns the error with which it was refused.
    ///
    /// # Panics
    ///
    /// Panics if the server never answers.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        for _ in 0..300 {
            match self.request(method, params) {
                Err(error) if [-32801, -32802].contains(&error["code"].as_i64().unwrap_or(0)) => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                outcome => return outcome,
            }
        }
        panic!("{method} {params}: it always says that something changed");
    }

    /// Sends one request and returns its result.
    ///
    /// # Errors
    ///
    /// Returns the error with which it was refused.
    ///
    /// # Panics
    ///
    /// Panics if no answer arrives.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.messages.recv_timeout(FOREVER);
            let mut message = message.unwrap_or_else(|error| panic!("{method} {params}: {error}"));
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].take()),
                };
            }
            self.note(&message);
        }
    }

    /// Sends a notification.
    ///
    /// # Panics
    ///
    /// Panics if the server has ended.
    #[track_caller]
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Returns the URI of a file in the project.
    #[must_use]
    pub fn uri(&self, file: &str) -> String {
        uri_of(&if file.is_empty() { self.root.clone() } else { self.root.join(file) })
    }

    /// Returns the file that a URI leads to: relative to the project if it is inside, otherwise absolute.
    ///
    /// # Panics
    ///
    /// Panics if it does not lead to a file.
    #[track_caller]
    #[must_use]
    pub fn file(&self, uri: &str) -> String {
        let text = uri.strip_prefix("file://").unwrap_or_else(|| panic!("{uri} is no file"));
        let mut bytes = Vec::new();
        let mut parts = text.split('%');
        bytes.extend(parts.next().unwrap_or_default().bytes());
        for part in parts {
            let (code, rest) = part.split_at(2);
            bytes.push(u8::from_str_radix(code, 16).expect("an escape is two digits"));
            bytes.extend(rest.bytes());
        }
        let path = PathBuf::from(String::from_utf8(bytes).expect("paths are text"));
        let shown = path.strip_prefix(&self.root).unwrap_or(&path);
        shown.to_str().expect("paths are text").to_owned()
    }

    fn is_ready(&self) -> bool {
        match self.speaks.ready {
            Ready::Held => true,
            Ready::Logs(_) | Ready::Quiescent => self.seen_ready,
            Ready::ProgressEnds(_) => self.seen_ready && self.under_way.is_empty(),
        }
    }

    /// Records a message that is not an answer.
    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        if message["method"] == "textDocument/publishDiagnostics"
            && let Some(uri) = params["uri"].as_str()
        {
            let uri = self.uri(&self.file(uri));
            self.verdicts.insert(uri, params["diagnostics"].clone());
        }
        if message["method"] == "textDocument/inactiveRegions" {
            let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
            let uri = self.uri(&self.file(uri));
            self.inactive.insert(uri, params["regions"].clone());
        }
        match (self.speaks.ready, message["method"].as_str()) {
            (Ready::Logs(wanted), Some("window/logMessage")) => {
                self.seen_ready |= params["message"].as_str().is_some_and(|text| text.contains(wanted));
            }
            (Ready::Quiescent, Some("experimental/serverStatus")) => {
                self.seen_ready = params["quiescent"] == true;
            }
            (Ready::ProgressEnds(wanted), Some("$/progress")) => self.note_progress(params, wanted),
            _ => {}
        }
    }

    fn note_progress(&mut self, params: &Value, wanted: &str) {
        let (token, value) = (params["token"].to_string(), &params["value"]);
        match value["kind"].as_str() {
            Some("begin") if format!("{token} {}", value["title"]).contains(wanted) => {
                self.under_way.insert(token);
            }
            Some("end") => self.seen_ready |= self.under_way.remove(&token),
            _ => {}
        }
    }

    #[track_caller]
    fn send(&mut self, message: &Value) {
        write(&self.input, message).unwrap_or_else(|error| panic!("the server does not read: {error}"));
    }
}

impl Drop for Lsp {
    fn drop(&mut self) {
        let shutdown = json!({"jsonrpc": "2.0", "id": self.next, "method": "shutdown"});
        let exit = json!({"jsonrpc": "2.0", "method": "exit"});
        // The server may have ended already.
        let _ = write(&self.input, &shutdown).and_then(|()| write(&self.input, &exit));
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        wait(&mut self.child, Duration::from_secs(5));
        pid.map(|group| kill_process_group(group, Signal::KILL));
    }
}

/// Returns the URI of a path.
pub(crate) fn uri_of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.to_str().expect("a plain path").bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Sends a framed message.
pub(crate) fn write(input: &Mutex<ChildStdin>, message: &Value) -> std::io::Result<()> {
    let body = message.to_string();
    // A message is either written whole or the pipe is broken.
    let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
    write!(input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    input.flush()
}

/// Passes every message to `take`, until there are no more or `take` returns false.
pub(crate) fn read_all(output: ChildStdout, mut take: impl FnMut(Value) -> bool) {
    let mut output = BufReader::new(output);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length is a number");
        }
        if !line.trim().is_empty() {
            continue;
        }
        let mut body = vec![0; length];
        if output.read_exact(&mut body).is_err() {
            return;
        }
        let message = serde_json::from_slice(&body).expect("a server writes JSON");
        if !take(message) {
            return;
        }
    }
}

/// Returns a client's reply to a server's request: its settings if it is asked for them, and "done" for everything
/// else.
pub(crate) fn answer(method: &str, params: &Value, settings: &Value) -> Value {
    let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
    let of_section = |item: &Value| match item["section"].as_str() {
        None | Some("") => settings.clone(),
        Some(section) => section.split('.').fold(settings, |at, key| &at[key]).clone(),
    };
    match method {
        "workspace/configuration" => items.iter().map(of_section).collect(),
        "workspace/workspaceFolders" => Value::Null,
        "workspace/applyEdit" => json!({"applied": false}),
        _ => Value::Null,
    }
}
