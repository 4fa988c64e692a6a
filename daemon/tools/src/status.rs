//! Describes the host for `hob status`, `hob top` and `hob doctor`: for people, so no budget applies.
//!
//! Nothing here opens a workspace, starts a server or waits: clients ask every second while somebody watches.

use hob_live::catalogue;
use hob_live::pool::ServerStatus;
use serde_json::{Map as JsonMap, Value, json};

use hob_host::{Host, Phase, Workspace, resident_bytes};
use hob_results::map as to_proto;

/// Returns the host's part of the daemon's status.
#[must_use]
pub fn status_for_people(host: &Host) -> JsonMap<String, Value> {
    let workspaces = host.workspaces();
    let servers: Vec<ServerStatus> = host.live().status();
    let watches: usize = workspaces.iter().map(|workspace| workspace.watcher().watched_dirs()).sum();
    let mut status = JsonMap::new();
    let briefs: Vec<Value> = workspaces.iter().map(|workspace| workspace_brief(workspace)).collect();
    status.insert("workspaces".into(), briefs.into());
    status.insert("residentBytes".into(), resident_bytes().into());
    status.insert("serversBytes".into(), servers.iter().map(|server| server.rss_bytes).sum::<u64>().into());
    status.insert("servers".into(), servers.iter().map(|one| server_entry(host, one)).collect());
    status.insert("watchedDirs".into(), watches.into());
    status.insert("storeBytesOnDisk".into(), host.store_bytes().into());
    status.insert("notices".into(), [host.notices(), host.setting_problems()].concat().into());
    status
}

fn workspace_brief(workspace: &Workspace) -> Value {
    let status = to_proto::status(workspace);
    let of_user = &workspace.settings().problems;
    let waits = workspace.reader_waits();
    json!({
        "root": status.root,
        "built": status.built,
        "state": index_state(workspace),
        "files": status.files,
        "symbols": status.symbols,
        "languages": status.languages,
        "generation": status.generation,
        "staleFiles": status.stale_files,
        "watcher": status.watcher.state,
        "watcherNote": status.watcher.note,
        "watchedDirs": workspace.watcher().watched_dirs(),
        "mapWaits": {"count": waits.count, "over2Ms": waits.long, "longestMs": waits.longest.as_secs_f64() * 1e3},
        "trusted": workspace.project().trusted,
        "lsp": status.lsp,
        // Problems of the user's own settings are shown above all projects.
        "notes": status.notes.into_iter().filter(|note| !of_user.contains(note)).collect::<Vec<_>>(),
    })
}

/// Describes the state of the index in a word or two: `indexed`, `indexing text 40%`.
fn index_state(workspace: &Workspace) -> String {
    let now = workspace.progress.now();
    match now.total {
        Some(total) if total > 0 && now.phase != Phase::Done => {
            format!("{} {}%", now.phase.as_str(), now.done.min(total) * 100 / total)
        }
        _ => now.phase.as_str().to_owned(),
    }
}

fn server_entry(host: &Host, one: &ServerStatus) -> Value {
    json!({
        "name": one.key.server,
        "languages": served_languages(one.key.server),
        "root": one.key.root.to_string(),
        "state": one.state,
        "program": one.program,
        "pid": one.pid,
        "uptimeS": one.uptime.map(|uptime| uptime.as_secs()),
        "rssBytes": one.rss_bytes,
        "clients": host.live().clients_of(&one.key),
        "stderrTail": one.stderr_tail,
    })
}

/// Returns the languages that a server serves, each once.
fn served_languages(server: &str) -> Vec<&'static str> {
    let specs = catalogue::all_specs();
    let mut names: Vec<&str> = Vec::new();
    for (_, language) in specs.iter().filter(|spec| spec.name == server).flat_map(|spec| spec.files) {
        if !names.contains(language) {
            names.push(language);
        }
    }
    names
}
