//! An editor without a window: a client of the language server protocol that does exactly what a test says.
//!
//! It communicates with `hob-lsp`, or with any server that is started directly, and keeps every message: the answers
//! (each once; others are in [`Editor::strays`]), the notifications of the server, and its requests with the replies to
//! them. The reading thread replies to requests of the server, so that a test which waits for an answer delays nothing
//! else.

mod documents;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use documents::Document;

use crate::command::wait;
use crate::lsp::{answer, read_all, uri_of, write};
use crate::{FOREVER, Tree, World, kill_hard};

/// The options with which an editor initializes the server.
#[derive(Clone, Debug)]
pub struct EditorOptions {
    /// The capabilities of the editor, merged into those that the harness's editor has anyway. `null` removes a
    /// capability.
    pub capabilities: Value,
    /// The `initializationOptions` that the editor sends.
    pub options: Value,
    /// The answers to `workspace/configuration`, by section.
    pub settings: Value,
    /// The arguments of `hob-lsp`.
    pub args: Vec<String>,
    /// The workspace folders, relative to the folder in which it is started. If there are none, only that folder
    /// itself.
    pub folders: Vec<String>,
}

impl Default for EditorOptions {
    fn default() -> Self {
        Self {
            capabilities: json!({}),
            options: Value::Null,
            settings: json!({}),
            args: Vec::new(),
            folders: Vec::new(),
        }
    }
}

/// The reply of an editor to a request of the server.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A reply with this result.
    Result(Value),
    /// A reply with this error.
    Error(Value),
    /// No reply at all.
    Silence,
}

type Replies = Arc<Mutex<HashMap<String, Reply>>>;

/// A running editor, with its documents and messages.
#[derive(Debug)]
pub struct Editor {
    child: Child,
    input: Option<Arc<Mutex<ChildStdin>>>,
    messages: Receiver<Value>,
    replies: Replies,
    root: PathBuf,
    next: u64,
    waiting: BTreeSet<u64>,
    answers: BTreeMap<u64, Result<Value, Value>>,
    documents: BTreeMap<String, Document>,
    encoding: String,
    /// The result of `initialize`.
    pub greeting: Value,
    /// The notifications and requests of the server, in the order of arrival.
    pub told: Vec<Value>,
    /// The answers that nobody waits for: second answers, and answers to requests of others.
    pub strays: Vec<Value>,
}

impl Editor {
    /// Starts `hob-lsp` in a tree and initializes it.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be started or does not answer.
    #[track_caller]
    #[must_use]
    pub fn start(world: &World, tree: &Tree) -> Self {
        Self::start_with(world, tree, &EditorOptions::default())
    }

    /// Starts an editor like [`Editor::start`], with these options.
    ///
    /// # Panics
    ///
    /// As for [`Editor::start`].
    #[track_caller]
    #[must_use]
    pub fn start_with(world: &World, tree: &Tree, options: &EditorOptions) -> Self {
        let mut command = world.command("hob-lsp");
        command.args(&options.args);
        Self::of(command, tree.root(), options)
    }

    /// Starts any server on the project in `root` and initializes it.
    ///
    /// # Panics
    ///
    /// As for [`Editor::start`].
    #[track_caller]
    #[must_use]
    pub fn of(mut command: Command, root: &Path, options: &EditorOptions) -> Self {
        command.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = Arc::new(Mutex::new(child.stdin.take().expect("it is piped")));
        let output = child.stdout.take().expect("it is piped");
        let (sender, messages) = channel();
        let replies = Replies::default();
        let (writer, known) = (Arc::downgrade(&input), Arc::clone(&replies));
        let settings = options.settings.clone();
        std::thread::spawn(move || {
            read_all(output, |message| {
                if message.get("method").is_some() && message.get("id").is_some() {
                    reply(&message, &known, &settings, &writer);
                }
                sender.send(message).is_ok()
            });
        });
        let mut editor = Self {
            child,
            input: Some(input),
            messages,
            replies,
            root: root.to_path_buf(),
            next: 1,
            waiting: BTreeSet::new(),
            answers: BTreeMap::new(),
            documents: BTreeMap::new(),
            encoding: "utf-16".to_owned(),
            greeting: Value::Null,
            told: Vec::new(),
            strays: Vec::new(),
        };
        editor.initialise(options);
        editor
    }

    #[track_caller]
    fn initialise(&mut self, options: &EditorOptions) {
        let whole = [String::new()];
        let folders = if options.folders.is_empty() { &whole[..] } else { &options.folders };
        let named = |folder: &String| json!({"uri": self.uri(folder), "name": folder});
        let uri = self.uri("");
        let mut capabilities = usual_capabilities();
        lay_over(&mut capabilities, &options.capabilities);
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "hob-tests", "version": "0"},
            "rootUri": uri,
            "rootPath": self.root,
            "workspaceFolders": folders.iter().map(named).collect::<Value>(),
            "initializationOptions": options.options,
            "capabilities": capabilities,
        });
        self.greeting = self.result("initialize", &params);
        if let Some(encoding) = self.greeting["capabilities"]["positionEncoding"].as_str() {
            encoding.clone_into(&mut self.encoding);
        }
        self.notify("initialized", &json!({}));
    }

    /// Returns the ID of the process that it communicates with.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the URI of a file in the project, or of the project itself.
    #[must_use]
    pub fn uri(&self, file: &str) -> String {
        uri_of(&if file.is_empty() { self.root.clone() } else { self.root.join(file) })
    }

    /// Returns `{"textDocument": {"uri": ...}}`, with which most requests begin.
    #[must_use]
    pub fn about(&self, file: &str) -> Value {
        json!({"textDocument": {"uri": self.uri(file)}})
    }

    /// Sends a request without waiting, and returns its ID.
    #[track_caller]
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.waiting.insert(id);
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Cancels a request, which is answered nevertheless.
    #[track_caller]
    pub fn cancel(&mut self, id: u64) {
        self.notify("$/cancelRequest", &json!({"id": id}));
    }

    /// Sends a notification to the server.
    ///
    /// # Panics
    ///
    /// Panics if the server does not read it.
    #[track_caller]
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    ///
    /// Returns the error with which it was refused.
    ///
    /// # Panics
    ///
    /// Panics if no answer arrives.
    #[track_caller]
    pub fn wait(&mut self, id: u64) -> Result<Value, Value> {
        let start = Instant::now();
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            assert!(start.elapsed() < FOREVER, "no answer to request {id}: {:?}", self.told);
            let more = self.take(FOREVER);
            assert!(more, "the server is gone, or silent: no answer to request {id}: {:?}", self.told);
        }
    }

    /// Sends a request and returns its answer.
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
        let id = self.send(method, params);
        self.wait(id)
    }

    /// Sends a request and returns its result.
    ///
    /// # Panics
    ///
    /// Panics if it is refused.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: &Value) -> Value {
        self.request(method, params).unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    /// Sets the reply to all further requests of one kind.
    ///
    /// # Panics
    ///
    /// Panics if the reading thread has panicked.
    pub fn on(&self, method: &str, reply: Reply) {
        self.replies.lock().expect("nobody panics with it").insert(method.to_owned(), reply);
    }

    /// Returns the messages of this method that the editor has received so far.
    pub fn heard(&mut self, method: &str) -> Vec<Value> {
        while self.take(Duration::ZERO) {}
        self.told.iter().filter(|message| message["method"] == method).cloned().collect()
    }

    /// Waits until a notification or a request with this method fits, and returns its `params`. Checks earlier messages
    /// first.
    ///
    /// # Panics
    ///
    /// Panics if none fits.
    #[track_caller]
    pub fn hear(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        let mut looked = 0;
        loop {
            let new =
                self.told[looked..].iter().find(|told| told["method"] == method && fits(&told["params"]));
            if let Some(found) = new {
                return found["params"].clone();
            }
            looked = self.told.len();
            assert!(start.elapsed() < FOREVER, "no such {method}: {:?}", self.told);
            assert!(self.take(FOREVER), "no such {method}, and the server is gone: {:?}", self.told);
        }
    }

    /// Waits until the last diagnostics of a file fit.
    ///
    /// # Panics
    ///
    /// Panics if they never do.
    #[track_caller]
    pub fn hear_diagnostics(&mut self, file: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let uri = self.uri(file);
        self.hear("textDocument/publishDiagnostics", |params| params["uri"] == uri.as_str() && fits(params))
    }

    /// Removes all messages that it has received so far.
    pub fn forget(&mut self) {
        while self.take(Duration::ZERO) {}
        self.told.clear();
    }

    /// Receives one message, and returns true if there was one.
    fn take(&mut self, patience: Duration) -> bool {
        let Ok(mut message) = self.messages.recv_timeout(patience) else { return false };
        if message.get("method").is_some() {
            self.told.push(message);
            return true;
        }
        let id = message["id"].as_u64().filter(|id| self.waiting.remove(id));
        match (id, message.get("error")) {
            (None, _) => self.strays.push(message),
            (Some(id), Some(error)) => drop(self.answers.insert(id, Err(error.clone()))),
            (Some(id), None) => drop(self.answers.insert(id, Ok(message["result"].take()))),
        }
        true
    }

    #[track_caller]
    fn write(&mut self, message: &Value) {
        let input = self.input.as_ref().expect("it runs");
        write(input, message).unwrap_or_else(|error| panic!("the server does not read: {error}"));
    }

    /// Ends the server without any message, as a crash of the editor would.
    ///
    /// # Panics
    ///
    /// Panics if it does not end.
    #[track_caller]
    pub fn kill(mut self) {
        kill_hard(self.child.id());
        let _ = self.child.wait();
    }

    /// Ends the editor in good order, and returns the server's exit code.
    ///
    /// # Panics
    ///
    /// Panics if it does not end.
    #[track_caller]
    pub fn quit(mut self) -> Option<i32> {
        let _ = self.result("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        wait(&mut self.child, FOREVER).expect("it ends when it is told to").code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.input = None;
        wait(&mut self.child, Duration::from_secs(20));
    }
}

/// Replies to a request of the server.
fn reply(request: &Value, known: &Replies, settings: &Value, writer: &Weak<Mutex<ChildStdin>>) {
    let method = request["method"].as_str().unwrap_or_default();
    let chosen = known.lock().unwrap_or_else(PoisonError::into_inner).get(method).cloned();
    let usual = || Reply::Result(answer(method, &request["params"], settings));
    let mut message = json!({"jsonrpc": "2.0", "id": request["id"]});
    match chosen.unwrap_or_else(usual) {
        Reply::Result(result) => message["result"] = result,
        Reply::Error(error) => message["error"] = error,
        Reply::Silence => return,
    }
    // A server that has ended does not wait for a reply.
    let _ = writer.upgrade().map(|input| write(&input, &message));
}

fn usual_capabilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "window": {"workDoneProgress": true, "showMessage": {}, "showDocument": {"support": true}},
        "workspace": {
            "applyEdit": true, "configuration": true, "workspaceFolders": true,
            "workspaceEdit": {"documentChanges": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
            "executeCommand": {"dynamicRegistration": false}, "symbol": {},
        },
        "textDocument": {
            "synchronization": {"didSave": true, "dynamicRegistration": false},
            "completion": {"completionItem": {"snippetSupport": false}},
            "definition": {"linkSupport": false},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "publishDiagnostics": {"versionSupport": true, "relatedInformation": true},
            "rename": {"prepareSupport": true}, "foldingRange": {"lineFoldingOnly": true},
        },
    })
}

/// Merges `over` into `base`, field by field.
fn lay_over(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (name, value) in over {
                lay_over(base.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (base, over) => *base = over.clone(),
    }
}
