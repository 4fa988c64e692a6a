//! Serves one connection after its handshake: reads messages, obeys them, and says goodbye.

use std::sync::Arc;
use std::time::Duration;

use hob_proto::frame;
use hob_proto::transport::{TransportReader, TransportWriter};
use hob_proto::{ClientMessage, ServerMessage};

use super::handshake::AcceptedClient;
use super::incoming::{self, IncomingEnd};
use super::registry::{ClientSession, Weight};
use super::{ProcessOrder, Sessions, calls, editor, status};

/// Longest time for a client to read the goodbye.
const PARTING: Duration = Duration::from_secs(2);

/// The ways in which a connection ends.
enum ConnectionEnd {
    /// The client closed the connection.
    Closed,
    /// The client broke the protocol; the text is the reason that it gets.
    Broken(String),
    /// The client does not read its messages.
    Overflowed,
    /// The daemon ends; the text is the reason that the client gets.
    Goodbye(String),
}

/// Serves the connection until either side ends it.
pub(super) async fn run(
    sessions: &Arc<Sessions>,
    guest: &AcceptedClient,
    mut reader: TransportReader,
    writer: TransportWriter,
) {
    let session = &guest.session;
    tracing::debug!(id = guest.id, kind = ?session.hello.kind, pid = session.hello.pid, "a client connected");
    let writing = {
        let session = Arc::clone(session);
        tokio::spawn(async move { session.outbox.write_to(writer).await })
    };
    let mut goodbye = session.goodbye.subscribe();
    let end = tokio::select! {
        end = read_all(sessions, session, &mut reader) => end,
        () = session.outbox.wait_for_overflow() => ConnectionEnd::Overflowed,
        // The sender lives in the session, so this cannot fail.
        reason = goodbye.wait_for(Option::is_some) => {
            ConnectionEnd::Goodbye(reason.ok().and_then(|reason| reason.clone()).unwrap_or_default())
        }
    };
    calls::close(session);
    editor::close(session);
    end_connection(session, guest.id, end, writing).await;
    // Not earlier: an ending daemon waits until its clients are gone, and this one had a goodbye to read.
    sessions.registry.remove(guest.id);
}

async fn end_connection(
    session: &ClientSession,
    id: u64,
    end: ConnectionEnd,
    writing: tokio::task::JoinHandle<()>,
) {
    let last = match end {
        ConnectionEnd::Closed => {
            tracing::debug!(id, "a client left");
            None
        }
        ConnectionEnd::Overflowed => {
            tracing::warn!(id, pid = session.hello.pid, "a client does not read; dropped");
            None
        }
        ConnectionEnd::Broken(reason) => {
            tracing::warn!(id, pid = session.hello.pid, reason, "a client broke the protocol; dropped");
            Some(ServerMessage::Bye { reason, retry: false })
        }
        ConnectionEnd::Goodbye(reason) => Some(ServerMessage::Bye { reason, retry: true }),
    };
    let abort = writing.abort_handle();
    if let Some(last) = last {
        session.outbox.finish(frame::encode(&last).ok());
        let _ = tokio::time::timeout(PARTING, writing).await;
    }
    abort.abort();
}

async fn read_all(
    sessions: &Arc<Sessions>,
    session: &Arc<ClientSession>,
    reader: &mut TransportReader,
) -> ConnectionEnd {
    loop {
        let (body, room) = match incoming::next(sessions, session, reader).await {
            Ok(message) => message,
            Err(IncomingEnd::Closed) => return ConnectionEnd::Closed,
            Err(IncomingEnd::Refused(reason)) => return ConnectionEnd::Broken(reason),
        };
        let weight = Weight { bytes: body.len(), room };
        let message = frame::decode(&body);
        // The next step may take long, and needs only the message.
        drop(body);
        let obeyed = match message {
            Ok(message) => obey_message(sessions, session, message, weight).await,
            Err(error) => Err(error.to_string()),
        };
        if let Err(reason) = obeyed {
            return ConnectionEnd::Broken(reason);
        }
    }
}

/// Carries out a message. The error is the reason for a client that broke the rules.
async fn obey_message(
    sessions: &Arc<Sessions>,
    session: &Arc<ClientSession>,
    message: ClientMessage,
    weight: Weight,
) -> Result<(), String> {
    match message {
        ClientMessage::Call(call) => return calls::begin(sessions, session, call, weight),
        ClientMessage::Cancel { id } => session.cancel(id),
        ClientMessage::Status => status::answer_status(sessions, session).await,
        ClientMessage::Shutdown => {
            tracing::info!(pid = session.hello.pid, "a client asks this daemon to stop");
            let _ = sessions.orders.send(ProcessOrder::Shutdown);
        }
        ClientMessage::Retire { reason } => return retire_for_newer(sessions, session, reason),
        ClientMessage::Lsp { message } => {
            return editor::receive_message(sessions, session, message, weight).await;
        }
    }
    Ok(())
}

/// Ends this daemon for a newer build, and for no other.
fn retire_for_newer(sessions: &Sessions, session: &ClientSession, reason: String) -> Result<(), String> {
    if !session.hello.build.is_newer_than(&sessions.build) {
        return Err("this daemon retires only for a newer build".into());
    }
    tracing::info!(pid = session.hello.pid, reason, "a client asks this daemon to retire");
    let _ = sessions.orders.send(ProcessOrder::Retire(reason));
    Ok(())
}
