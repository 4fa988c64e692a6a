//! A minimal MCP client that uses stdin and stdout of a child and waits for each answer.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::rows::Failure;

/// A running MCP server.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

/// An answer of hob to a call.
#[derive(Debug)]
pub(crate) struct Answer(Value);

impl Answer {
    /// Returns the whole envelope as text.
    pub(crate) fn text(&self) -> String {
        self.0.to_string()
    }

    /// Returns the result, or null for a failure.
    pub(crate) fn data(&self) -> &Value {
        &self.0["data"]
    }

    /// Returns true if the answer itself says that it may be incomplete or outdated: a failure, a warning, a stale
    /// node, or a search that ran out of time.
    pub(crate) fn has_doubts(&self) -> bool {
        let warned = self.0["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
        let stale = |hit: &Value| hit["stale"] == true;
        let stale = self.data()["results"].as_array().is_some_and(|hits| hits.iter().any(stale));
        self.0["ok"] != true || warned || stale || self.data()["complete"] == false
    }
}

impl Server {
    /// Starts `command` and performs the handshake of 2025-06-18.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().ok_or("no stdin")?;
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut server = Self { child, input, output, next: 1 };
        let client = json!({"name": "hob-bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.request("initialize", &hello)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Returns the ID of the server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool and returns the text of its answer.
    pub(crate) fn call(&mut self, tool: &str, args: &Value) -> Result<String, Failure> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": args}))?;
        Ok(result["content"][0]["text"].as_str().unwrap_or_default().to_owned())
    }

    /// Calls one of hob's tools and returns the JSON form of its answer.
    pub(crate) fn ask(&mut self, tool: &str, args: &Value) -> Result<Answer, Failure> {
        let mut args = args.clone();
        args["format"] = "json".into();
        Ok(Answer(serde_json::from_str(&self.call(tool, &args)?)?))
    }

    /// Sends a request and returns its result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("the server ended during {method}").into());
            }
            let mut message: Value = serde_json::from_str(&line)?;
            // The server numbers its own requests itself.
            if message["id"] != id || message.get("method").is_some() {
                continue;
            }
            if message.get("error").is_some() {
                return Err(format!("{method}: {}", message["error"]).into());
            }
            return Ok(message["result"].take());
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let mut line = message.to_string();
        line.push('\n');
        self.input.write_all(line.as_bytes())?;
        self.input.flush()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
