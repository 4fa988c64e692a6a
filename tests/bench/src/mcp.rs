//! A minimal MCP client that uses stdin and stdout of a child and waits for each answer.
//!
//! It reads in the thread that asks, since another one would add to every measured time. A server that does not answer within
//! [`PATIENCE`] fails the call, and a server leads a process group of its own, so that what it has started ends with it.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::rows::Failure;

/// The time after which a server that has not answered is taken to hang: longer than any takes to index a tree or to load a project.
const PATIENCE: Duration = Duration::from_secs(600);

/// The time in which a server may end by itself once its input has.
const FAREWELL: Duration = Duration::from_secs(10);

/// A running MCP server.
pub(crate) struct Server {
    child: Child,
    /// `None` once the server is to end.
    input: Option<ChildStdin>,
    output: Lines,
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
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = Lines { output: child.stdout.take().ok_or("no stdout")?, read: Vec::new() };
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
        let late = Instant::now() + PATIENCE;
        loop {
            let line = self.output.next_line(late).map_err(|error| format!("{error} during {method}"))?;
            let mut message: Value = serde_json::from_slice(&line)?;
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

    /// Ends the server as a client does, by closing its input, so that it can end what runs in other process groups. One
    /// that stays is killed.
    pub(crate) fn shut_down(mut self) {
        self.input = None;
        let late = Instant::now() + FAREWELL;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < late {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let mut line = message.to_string();
        line.push('\n');
        self.input.as_mut().ok_or("the server was told to end")?.write_all(line.as_bytes())?;
        Ok(())
    }
}

impl Drop for Server {
    /// Kills the server and what it has started in its process group, at once, since some rows measure it.
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// The lines that a child writes.
struct Lines {
    output: ChildStdout,
    /// The bytes that were read and not yet returned.
    read: Vec<u8>,
}

impl Lines {
    /// Returns the next line, with its end.
    ///
    /// # Errors
    ///
    /// Fails if the output ends before, or if the line is not there when it is `late`.
    fn next_line(&mut self, late: Instant) -> Result<Vec<u8>, Failure> {
        let mut searched = 0;
        loop {
            if let Some(at) = self.read[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(searched + at + 1);
                return Ok(std::mem::replace(&mut self.read, rest));
            }
            searched = self.read.len();
            self.wait_for_output(late)?;
            let mut chunk = [0; 1 << 16];
            match self.output.read(&mut chunk)? {
                0 => return Err("the server ended".into()),
                count => self.read.extend_from_slice(&chunk[..count]),
            }
        }
    }

    fn wait_for_output(&self, late: Instant) -> Result<(), Failure> {
        loop {
            let left = late.checked_duration_since(Instant::now());
            let left =
                left.ok_or_else(|| format!("the server did not answer within {} s", PATIENCE.as_secs()))?;
            match poll(&mut [PollFd::new(&self.output, PollFlags::IN)], Some(&Timespec::try_from(left)?)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts a shell that answers the handshake and then runs `script`.
    fn shell_server(script: &str) -> Server {
        let greeting = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read line; "#;
        Server::start(Command::new("sh").arg("-c").arg(format!("{greeting}{script}"))).expect("a server")
    }

    #[test]
    fn lines_are_read_one_by_one_however_they_come() {
        let mut server = shell_server(
            r#"read line; printf '{"id":7,"method":"x"}\n{"id":2,"res'; sleep 0.05; echo 'ult":{"content":[{"text":"a"}]}}'; cat >/dev/null"#,
        );
        assert_eq!(server.call("t", &json!({})).expect("an answer"), "a");
    }

    #[test]
    fn a_server_that_ends_or_hangs_fails_the_call() {
        let error = shell_server("exit").call("t", &json!({})).expect_err("no answer").to_string();
        assert!(error.contains("ended") || error.contains("pipe"), "{error}");
        let mut silent = shell_server("cat >/dev/null");
        let error = silent.output.next_line(Instant::now()).expect_err("no line").to_string();
        assert!(error.contains("did not answer"), "{error}");
    }

    #[test]
    fn what_a_server_started_ends_with_it() {
        let mut server = shell_server(
            r#"sleep 600 >/dev/null & read line; echo "{\"id\":2,\"result\":{\"content\":[{\"text\":\"$!\"}]}}""#,
        );
        let pid: u32 = server.call("t", &json!({})).expect("an answer").parse().expect("a number");
        drop(server);
        crate::process::wait_for_end(pid).expect("the child of the server ends");
    }
}
