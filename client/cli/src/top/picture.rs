//! Parses a status of the daemon for `hob top`.
//!
//! It parses leniently: a daemon of another version may leave out any field, and a missing one is not shown.

use std::collections::BTreeMap;

use serde_json::Value;

/// The status of a daemon at one moment, as `hob top` shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Picture {
    /// The version of the daemon.
    pub(super) version: String,
    /// The process ID of the daemon.
    pub(super) pid: u64,
    /// Seconds since it started.
    pub(super) uptime: u64,
    /// True if the daemon is about to end.
    pub(super) retiring: bool,
    /// Bytes of the daemon's own memory.
    pub(super) memory: Option<u64>,
    /// Bytes of memory of all language servers.
    pub(super) servers_memory: Option<u64>,
    /// Size of hob's files on disk, in bytes.
    pub(super) disk: Option<u64>,
    /// Number of watched folders.
    pub(super) watched: Option<u64>,
    /// Number of calls under way.
    pub(super) running: u64,
    /// Number of connected clients by kind.
    pub(super) clients: BTreeMap<String, u64>,
    /// Sentences that users should know.
    pub(super) notices: Vec<String>,
    /// Open projects, the most recently used first.
    pub(super) workspaces: Vec<Workspace>,
    /// Language servers, those with the most memory first.
    pub(super) servers: Vec<TopServer>,
    /// The calls since the daemon started.
    pub(super) metrics: Option<Metrics>,
}

/// An open project in the daemon's status.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Workspace {
    pub(super) root: String,
    pub(super) files: u64,
    pub(super) symbols: u64,
    pub(super) generation: u64,
    pub(super) state: String,
    /// True if it has no trouble.
    pub(super) well: bool,
}

/// A running language server in the daemon's status.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TopServer {
    pub(super) name: String,
    pub(super) languages: String,
    pub(super) program: String,
    pub(super) root: String,
    pub(super) pid: Option<u64>,
    pub(super) memory: u64,
    pub(super) clients: u64,
    pub(super) state: String,
}

/// The costs and savings of calls since the daemon started.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Metrics {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) actual: u64,
    pub(super) baseline: u64,
    pub(super) saved_percent: Option<f64>,
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
    pub(super) tools: Vec<Tool>,
    /// The caches, each with its name, hits and misses.
    pub(super) caches: Vec<(String, u64, u64)>,
}

/// The costs of the calls of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) actual: u64,
    pub(super) baseline: u64,
}

impl Picture {
    /// Reads the daemon's `status` into a picture.
    pub(super) fn from_status(status: &Value) -> Self {
        let mut clients = BTreeMap::new();
        for client in list(status, "clients") {
            *clients.entry(text(client, "kind")).or_default() += 1;
        }
        let metrics = status.get("metrics").filter(|metrics| metrics.is_object()).map(read_metrics);
        let running = status["metrics"]["running"].as_u64().unwrap_or_else(|| number_field(status, "calls"));
        let mut servers: Vec<TopServer> = list(status, "servers").iter().map(read_server).collect();
        servers.sort_by(|a, b| b.memory.cmp(&a.memory).then_with(|| a.name.cmp(&b.name)));
        Self {
            version: text(status, "version"),
            pid: number_field(status, "pid"),
            uptime: number_field(status, "uptimeS"),
            retiring: status["retiring"] == true,
            memory: status["residentBytes"].as_u64(),
            servers_memory: status["serversBytes"].as_u64(),
            disk: status["storeBytesOnDisk"].as_u64(),
            watched: status["watchedDirs"].as_u64(),
            running,
            clients,
            notices: list(status, "notices").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            workspaces: list(status, "workspaces").iter().map(workspace).collect(),
            servers,
            metrics,
        }
    }
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn number_field(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or(0)
}

fn workspace(one: &Value) -> Workspace {
    let live = one["watcher"] == "live";
    let said = text(one, "state");
    let built = if one["built"] == false { "being indexed" } else { "indexed" };
    let state = if said.is_empty() { built.to_owned() } else { said };
    let watcher = if live { String::new() } else { format!(", watcher {}", text(one, "watcher")) };
    Workspace {
        root: text(one, "root"),
        files: number_field(one, "files"),
        symbols: number_field(one, "symbols"),
        generation: number_field(one, "generation"),
        well: live && one["built"] == true,
        state: format!("{state}{watcher}"),
    }
}

fn read_server(one: &Value) -> TopServer {
    let languages: Vec<&str> = list(one, "languages").iter().filter_map(Value::as_str).collect();
    TopServer {
        name: text(one, "name"),
        languages: languages.join(","),
        program: text(one, "program"),
        root: text(one, "root"),
        pid: one["pid"].as_u64(),
        memory: number_field(one, "rssBytes"),
        clients: number_field(one, "clients"),
        state: text(one, "state"),
    }
}

fn read_metrics(all: &Value) -> Metrics {
    let cache = |one: &Value| (text(one, "name"), number_field(one, "hits"), number_field(one, "misses"));
    Metrics {
        calls: number_field(all, "calls"),
        failed: number_field(all, "failed"),
        actual: number_field(all, "actualTokens"),
        baseline: number_field(all, "baselineTokens"),
        saved_percent: all["savedPct"].as_f64(),
        p50: all["latencyMs"]["p50"].as_f64(),
        p99: all["latencyMs"]["p99"].as_f64(),
        tools: list(all, "perTool").iter().map(read_tool).collect(),
        caches: list(all, "caches").iter().map(cache).collect(),
    }
}

fn read_tool(one: &Value) -> Tool {
    Tool {
        name: text(one, "tool"),
        calls: number_field(one, "calls"),
        failed: number_field(one, "failed"),
        p50: one["p50Ms"].as_f64(),
        p99: one["p99Ms"].as_f64(),
        max: one["maxMs"].as_f64(),
        actual: number_field(one, "actualTokens"),
        baseline: number_field(one, "baselineTokens"),
    }
}
