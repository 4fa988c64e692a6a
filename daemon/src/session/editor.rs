//! Messages of an editor: handed to the daemon's side of it, which answers through the same outbox as everything else.

use std::sync::{Arc, MutexGuard, PoisonError};

use hob_proto::{ClientKind, frame};

use super::Sessions;
use super::registry::{ClientSession, Weight};
use hob_calls::{EditorClient, EditorSide};

/// A message counts as at least this many KiB: much comes with it besides its bytes.
const LEAST: usize = 16;

/// Takes one message, once there is room for it: until then the connection is not read. The error ends the connection.
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
    // Never closed.
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

/// The editor is gone, however it went.
pub(super) fn close(session: &ClientSession) {
    drop(lock(session).take());
}

fn editor_client(session: &Arc<ClientSession>) -> EditorClient {
    // Not a hold: what serves the editor may still be at work when its connection is gone.
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
    // Put in and taken out whole.
    session.editor.lock().unwrap_or_else(PoisonError::into_inner)
}
