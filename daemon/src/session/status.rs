//! Collects the figures of the process for `hob status`; the tools add their own.

use std::sync::Arc;

use hob_proto::{ClientKind, PROTOCOL, ServerMessage, frame};
use serde_json::{Map, Value, json};

use super::Sessions;
use super::registry::ClientSession;

/// Answers a client's request for the daemon's status.
pub(super) async fn answer_status(sessions: &Arc<Sessions>, session: &ClientSession) {
    let calls = Arc::clone(&sessions.calls);
    let theirs = tokio::task::spawn_blocking(move || calls.status()).await.unwrap_or_default();
    let mut status = process_status(sessions);
    status.extend(theirs);
    if let Ok(frame) = frame::encode(&ServerMessage::Status(status)) {
        session.outbox.push(frame);
    }
}

fn process_status(sessions: &Sessions) -> Map<String, Value> {
    let mut clients = Vec::new();
    sessions.registry.for_each_session(|session| clients.push(client_status(session)));
    let facts = json!({
        "version": sessions.build.version,
        "build": { "version": sessions.build.version, "stamp": sessions.build.stamp },
        "protocol": PROTOCOL,
        "pid": std::process::id(),
        "serviceProgram": sessions.successor,
        "uptimeS": sessions.started.elapsed().as_secs(),
        "retiring": sessions.registry.is_retiring(),
        "calls": sessions.flight.call_count(),
        "clients": clients,
    });
    match facts {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn client_status(session: &ClientSession) -> Value {
    let kind = match session.hello.kind {
        ClientKind::Mcp => "mcp",
        ClientKind::Lsp => "lsp",
        ClientKind::Cli => "cli",
    };
    json!({
        "kind": kind,
        "pid": session.hello.pid,
        "cwd": session.hello.cwd,
        "calls": session.lock_table().calls.len(),
        "connectedS": session.since.elapsed().as_secs(),
    })
}
