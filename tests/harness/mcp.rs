//! A small MCP client written by hand, which sends exactly what a test says.
//!
//! Real clients are tested separately. Most tests need to see the protocol itself, several calls at the same time, or
//! how a server reacts to malformed messages.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::answer::Context;
use crate::command::wait;
use crate::{Answer, FOREVER, Tree, World};

/// The options with which a shim is started and initialized.
#[derive(Clone, Debug)]
pub struct McpOptions {
    /// The arguments of the shim.
    pub args: Vec<String>,
    /// The revision to ask for in `initialize`.
    pub revision: &'static str,
    /// The folder of the shim, or `None` for the root of the tree.
    pub cwd: Option<PathBuf>,
    /// True to make the handshake immediately.
    pub handshake: bool,
}

impl Default for McpOptions {
    fn default() -> Self {
        Self {
            args: vec!["--tools".into(), "all".into()],
            revision: "2025-06-18",
            cwd: None,
            handshake: true,
        }
    }
}

/// A running shim. Like any shim, it ends when its input is closed.
#[derive(Debug)]
pub struct Mcp {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The messages that arrived before they were waited for, by request.
    early: HashMap<String, Value>,
    /// Notifications and any other messages that are not answers.
    pub others: Vec<Value>,
    next: u64,
    context: Context,
    /// The result of `initialize`, if there was one.
    pub greeting: Value,
}

impl Mcp {
    /// Starts a shim.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be started or does not answer the handshake.
    #[track_caller]
    #[must_use]
    pub fn start(world: &World, tree: &Tree, options: &McpOptions) -> Self {
        let command = world.command("hob-mcp");
        Self::spawn(world, tree, command, options)
    }

    /// Starts the shim of another installation, without telling it where its daemon is.
    ///
    /// # Panics
    ///
    /// As for [`Mcp::start`].
    #[track_caller]
    #[must_use]
    pub fn start_program(world: &World, tree: &Tree, program: &Path) -> Self {
        Self::spawn(world, tree, world.command(program), &McpOptions::default())
    }

    #[track_caller]
    fn spawn(world: &World, tree: &Tree, mut command: Command, options: &McpOptions) -> Self {
        // Most tests read fields. Those of the text form ask for it.
        if !options.args.iter().any(|arg| arg == "--format") {
            command.args(["--format", "json"]);
        }
        command.args(&options.args).current_dir(options.cwd.as_deref().unwrap_or(tree.root()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("hob-mcp starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let input = child.stdin.take();
        let mut mcp = Self {
            child,
            input,
            lines,
            early: HashMap::new(),
            others: Vec::new(),
            next: 1,
            context: world.context(tree),
            greeting: Value::Null,
        };
        if options.handshake {
            mcp.initialize(options.revision);
        }
        mcp
    }

    #[track_caller]
    fn initialize(&mut self, revision: &str) {
        let client = json!({"name": "hob-tests", "version": "0"});
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let id = self.send_request("initialize", params);
        self.greeting = self.wait_result(id);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// Returns the shim's process ID.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a message.
    ///
    /// # Panics
    ///
    /// Panics if the shim has ended.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Sends bytes unchanged.
    ///
    /// # Panics
    ///
    /// Panics if the shim has ended.
    #[track_caller]
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("its input is open");
        let sent = input.write_all(bytes).and_then(|()| input.flush());
        sent.unwrap_or_else(|error| panic!("the shim does not read: {error}\n{}", self.context));
    }

    /// Sends a request without waiting, and returns its ID.
    #[track_caller]
    pub fn send_request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a call without waiting, and returns its ID.
    #[track_caller]
    pub fn send_call(&mut self, tool: &str, args: &Value) -> u64 {
        self.send_request("tools/call", json!({"name": tool, "arguments": args}))
    }

    /// Waits for the response to a request.
    ///
    /// # Panics
    ///
    /// Panics if none arrives.
    #[track_caller]
    pub fn wait_response(&mut self, id: impl Into<Value>) -> Value {
        let key = id.into().to_string();
        loop {
            if let Some(found) = self.early.remove(&key) {
                return found;
            }
            let message = self.receive(FOREVER);
            let message = message.unwrap_or_else(|| panic!("no response to request {key}\n{}", self.context));
            let is_answer = message.get("id").is_some() && message.get("method").is_none();
            match is_answer {
                true => drop(self.early.insert(message["id"].to_string(), message)),
                false => self.others.push(message),
            }
        }
    }

    /// Returns the next message in the order of arrival, or `None` if there is none within `patience` or the shim has
    /// ended.
    ///
    /// # Panics
    ///
    /// Panics if the shim writes something that is not JSON.
    #[track_caller]
    pub fn receive(&mut self, patience: Duration) -> Option<Value> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => {
                Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}")))
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Waits for the result of a request.
    ///
    /// # Panics
    ///
    /// Panics if it is an error or if none arrives.
    #[track_caller]
    pub fn wait_result(&mut self, id: u64) -> Value {
        let mut response = self.wait_response(id);
        assert!(response.get("error").is_none(), "a result was expected: {response}\n{}", self.context);
        response["result"].take()
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.wait_result(id)
    }

    /// Waits for the answer to a call, and checks what holds for every answer.
    ///
    /// # Panics
    ///
    /// Panics if there is no valid answer.
    #[track_caller]
    pub fn wait_call(&mut self, id: u64, tool: &str, args: Value) -> Answer {
        let result = self.wait_result(id);
        let content = result["content"].as_array().expect("content is a list");
        assert_eq!(content.len(), 1, "one text: {result}");
        assert_ne!(result["isError"], true, "a failure is an envelope: {result}");
        let text = content[0]["text"].as_str().expect("content is text").to_owned();
        let answer = Answer::new(tool, args, text, self.context.clone());
        assert_eq!(answer.envelope, result["structuredContent"], "text and structure are the same");
        answer
    }

    /// Makes a call and returns its answer. While the map answers because a language server is starting or loading,
    /// repeats the call.
    #[track_caller]
    pub fn call(&mut self, tool: &str, args: Value) -> Answer {
        let until = Instant::now() + FOREVER;
        loop {
            let answer = self.call_once(tool, args.clone());
            if !answer.is_early() || Instant::now() > until {
                return answer;
            }
        }
    }

    /// Makes a call like [`Self::call`], and repeats it if the answer says that a language server was too busy to
    /// answer in time. If other tests make servers index at the same time, that is not a fault.
    #[track_caller]
    pub fn call_busy(&mut self, tool: &str, args: &Value) -> Answer {
        let mut again = (0..4).map(|_| self.call(tool, args.clone()));
        let is_late = |answer: &Answer| answer.envelope["error"]["code"] == "LSP_TIMEOUT";
        let first = again.next().expect("one of four");
        if is_late(&first) { again.find(|answer| !is_late(answer)).unwrap_or(first) } else { first }
    }

    /// Makes a call and returns the first answer.
    #[track_caller]
    pub fn call_once(&mut self, tool: &str, args: Value) -> Answer {
        let id = self.send_call(tool, &args);
        self.wait_call(id, tool, args)
    }

    /// Makes a call and returns its answer in the text form, as a model reads it.
    ///
    /// # Panics
    ///
    /// Panics if there is none, or if it contains anything other than a text.
    #[track_caller]
    pub fn read(&mut self, tool: &str, mut args: Value) -> String {
        args["format"] = "text".into();
        let id = self.send_call(tool, &args);
        let result = self.wait_result(id);
        assert!(result.get("structuredContent").is_none(), "a text goes out alone: {result}");
        result["content"][0]["text"].as_str().expect("content is text").to_owned()
    }

    /// Closes the shim's input, waits for its end and returns its exit code.
    ///
    /// # Panics
    ///
    /// Panics if it does not end.
    #[track_caller]
    pub fn close(mut self) -> Option<i32> {
        self.input = None;
        wait(&mut self.child, FOREVER).expect("a shim ends with its input").code()
    }

    /// Waits for the shim's end without closing its input, and returns its exit code.
    ///
    /// # Panics
    ///
    /// Panics if it does not end.
    #[track_caller]
    pub fn wait_end(&mut self) -> Option<i32> {
        wait(&mut self.child, FOREVER).expect("the shim ends").code()
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        self.input = None;
        wait(&mut self.child, Duration::from_secs(20));
    }
}
