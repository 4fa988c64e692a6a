//! Starts an entry as its agent would, and asks for its tools.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::entry::AgentEntry;

/// Longest time that an agent is assumed to wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// An entry that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkingEntry {
    /// The server's own name and version.
    pub(crate) server: String,
    /// Number of tools that the server offers.
    pub(crate) tools: usize,
    /// Time from the start of the program to the list of its tools.
    pub(crate) took: Duration,
}

/// Starts `entry` in `folder` and waits for its tools.
///
/// # Errors
/// The fault of the entry, as a sentence.
pub(crate) async fn start(entry: &AgentEntry, folder: &Path) -> Result<WorkingEntry, String> {
    let started = Instant::now();
    let mut child = spawn(entry, folder)?;
    let mut conversation = Conversation::with_child(&mut child)?;
    let asked = tokio::time::timeout(PATIENCE, conversation.ask_for_tools()).await;
    let took = started.elapsed();
    drop(conversation);
    let said = async {
        let mut text = String::new();
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(16 << 10).read_to_string(&mut text).await;
        }
        text
    };
    // The program ends with its input; otherwise it is killed with `child`.
    let last_words = tokio::time::timeout(Duration::from_secs(2), said).await.unwrap_or_default();
    let ended = tokio::time::timeout(Duration::from_secs(2), child.wait()).await;
    let problem = match asked {
        Ok(Ok((server, tools))) => return Ok(WorkingEntry { server, tools, took }),
        Ok(Err(problem)) => problem,
        Err(_) => format!("it did not answer within {} s", PATIENCE.as_secs()),
    };
    let status = match ended {
        Ok(Ok(status)) if !status.success() => format!(" ({status})"),
        _ => String::new(),
    };
    let words: Vec<&str> = last_words.lines().rev().take(3).collect();
    let words = words.into_iter().rev().map(|line| format!("\n      {line}")).collect::<String>();
    Err(format!("{problem}{status}{words}"))
}

fn spawn(entry: &AgentEntry, folder: &Path) -> Result<Child, String> {
    let mut command = Command::new(&entry.command);
    command.args(&entry.args).envs(&entry.env).current_dir(folder).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no program `{}`", entry.command),
        _ => format!("`{}` cannot be started: {error}", entry.command),
    })
}

/// A conversation in MCP over the program's input and output.
struct Conversation {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Conversation {
    fn with_child(child: &mut Child) -> Result<Self, String> {
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self { input, output: BufReader::new(output).lines() }),
            _ => Err("its input and output cannot be had".to_owned()),
        }
    }

    async fn ask_for_tools(&mut self) -> Result<(String, usize), String> {
        let client = json!({"name": "hob-setup", "version": env!("CARGO_PKG_VERSION")});
        let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let greeted = self.request(1, "initialize", greeting).await?;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        let listed = self.request(2, "tools/list", json!({})).await?;
        let tools = listed["tools"].as_array().map_or(0, Vec::len);
        if tools == 0 {
            return Err("it answers, but offers no tools".to_owned());
        }
        let text = |name: &str| greeted["serverInfo"][name].as_str().unwrap_or_default().to_owned();
        Ok((format!("{} {}", text("name"), text("version")).trim().to_owned(), tools))
    }

    async fn request(&mut self, id: u64, method: &str, params: Value) -> Result<Value, String> {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let line = self.output.next_line().await.map_err(|error| format!("its output ends: {error}"))?;
            let Some(line) = line else { return Err(format!("it ended before it answered `{method}`")) };
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                let start: String = line.chars().take(80).collect();
                return Err(format!("it writes something that is not MCP: {start}"));
            };
            if message["id"] != id || message.get("method").is_some() {
                continue;
            }
            return match message.get("error") {
                Some(error) => Err(format!(
                    "it refuses `{method}`: {}",
                    error["message"].as_str().unwrap_or("no reason")
                )),
                None => Ok(message["result"].take()),
            };
        }
    }

    async fn send(&mut self, message: Value) -> Result<(), String> {
        let line = format!("{message}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .map_err(|_| "it ended before it was asked anything".to_owned())
    }
}
