//! Passes the messages of an editor to the daemon's editor side, which answers through the same outbox as
//! everything else.

use std::sync::{Arc, MutexGuard, PoisonError};

use hob_proto::{ClientKind, frame};

use super::Sessions;
use super::registry::{ClientSession, Weight};
use hob_calls::{EditorClient, EditorSide};

/// Fewest KiB that a message counts as, because it takes memory besides its bytes.
const LEAST: usize = 16;

/// Handles one message, once there is room for it: until then the connection is not read. An error ends the
/// connection.
pub(super) async fn receive_message(
    sessions: &Sessions,
    session: &Arc<ClientSession>,
    message: String,
    weight: Weight,
) -> Result<(), String> {
    if session.hello.kind != ClientKind::Lsp {
        return Err("only editors may send messages of editors".into());
    }
    let size = (message.len() >> 10).clamp(LEAST, sessions.limits.editor_kib);
    let size = u32::try_from(size).map_err(|error| error.to_string())?;
    // The semaphore is never closed.
    let held =
        Arc::clone(&session.editor_room).acquire_many_owned(size).await.map_err(|error| error.to_string())?;
    let mut editor = lock(session);
    if editor.is_none() {
        *editor = sessions.calls.serve_editor(editor_client(session));
    }
    let editor = editor.as_ref().ok_or("this daemon serves no editors")?;
    editor.receive_message(message, Box::new((held, weight.room)));
    Ok(())
}

/// Handles the end of an editor's connection, orderly or not.
pub(super) fn close(session: &ClientSession) {
    drop(lock(session).take());
}

fn editor_client(session: &Arc<ClientSession>) -> EditorClient {
    // A weak reference: the editor side may still work when its connection is gone.
    let to = Arc::downgrade(session);
    EditorClient {
        cwd: session.cwd.clone(),
        pid: session.hello.pid,
        send: Arc::new(move |message| {
            let Some(session) = to.upgrade() else { return };
            match frame::encode(&message) {
                Ok(frame) => session.outbox.push(frame),
                Err(error) => tracing::error!(%error, "a message for an editor could not be sent"),
            }
        }),
        caller: Arc::clone(&session.caller),
        identity: session.hello.identity.clone(),
    }
}

fn lock(session: &ClientSession) -> MutexGuard<'_, Option<Box<dyn EditorSide>>> {
    // The editor side is set and removed as a whole, so a poisoned lock holds sound data.
    session.editor.lock().unwrap_or_else(PoisonError::into_inner)
}
