//! Reads one message, limits its size, and reserves the room that it takes until it has been handled.
//!
//! The values of a message take several times its bytes in memory, and there may be a thousand clients. So
//! large messages of all clients share one room: when it is full, a further one waits unread. Small messages
//! need none, so that nobody waits to cancel or to ask a short question.

use std::sync::Arc;

use hob_proto::ClientKind;
use hob_proto::frame::{self, FrameError};
use hob_proto::transport::TransportReader;
use tokio::sync::OwnedSemaphorePermit;

use super::Sessions;
use super::registry::ClientSession;

/// Messages up to this many bytes need no room.
const SMALL: usize = 64 << 10;

/// The reserved room, until this is dropped; `None` for a small message.
pub(super) type Room = Option<OwnedSemaphorePermit>;

/// Why there is no further message.
pub(super) enum IncomingEnd {
    /// The client is gone.
    Closed,
    /// The client's message was refused, with this reason for the client.
    Refused(String),
}

/// Reads the next message's bytes.
pub(super) async fn next(
    sessions: &Sessions,
    session: &ClientSession,
    reader: &mut TransportReader,
) -> Result<(Vec<u8>, Room), IncomingEnd> {
    let limit = match session.hello.kind {
        ClientKind::Lsp => frame::MAX_FRAME,
        ClientKind::Mcp | ClientKind::Cli => sessions.limits.question_bytes,
    };
    let len = frame::read_len(reader, limit).await.map_err(end_of_error)?;
    if len <= SMALL {
        return Ok((frame::read_rest(reader, len).await.map_err(end_of_error)?, None));
    }
    let room = wait_for_room(sessions, len).await?;
    let arriving = tokio::time::timeout(sessions.limits.message_time, frame::read_rest(reader, len)).await;
    let seconds = sessions.limits.message_time.as_secs();
    let late =
        |_| IncomingEnd::Refused(format!("a message of {len} bytes did not arrive within {seconds} s"));
    Ok((arriving.map_err(late)?.map_err(end_of_error)?, Some(room)))
}

async fn wait_for_room(sessions: &Sessions, len: usize) -> Result<OwnedSemaphorePermit, IncomingEnd> {
    let refused = |reason: &dyn std::fmt::Display| IncomingEnd::Refused(reason.to_string());
    let kib =
        u32::try_from((len >> 10).min(sessions.limits.messages_kib)).map_err(|error| refused(&error))?;
    let waiting = Arc::clone(&sessions.messages).acquire_many_owned(kib);
    match tokio::time::timeout(sessions.limits.message_time, waiting).await {
        // The semaphore is never closed.
        Ok(room) => room.map_err(|error| refused(&error)),
        Err(_) => Err(IncomingEnd::Refused(format!(
            "there is no room for a message of {len} bytes: {} MiB of large messages are being handled; try again later, or \
             send less",
            sessions.limits.messages_kib >> 10
        ))),
    }
}

fn end_of_error(error: FrameError) -> IncomingEnd {
    match error {
        FrameError::Closed | FrameError::Io(_) => IncomingEnd::Closed,
        error => IncomingEnd::Refused(error.to_string()),
    }
}
