//! Messages of an editor: handed to the daemon's side of it, which answers through the same outbox as everything else.

use std::sync::{Arc, MutexGuard, PoisonError};

use hob_proto::{ClientKind, frame};

use super::Sessions;
use super::registry::Session;
use crate::calls::{EditorClient, EditorSide};

/// Takes one message. The error ends the connection.
pub(super) fn take(sessions: &Sessions, session: &Arc<Session>, message: String) -> Result<(), String> {
    if session.hello.kind != ClientKind::Lsp {
        return Err("only editors may send messages of editors".into());
    }
    let mut editor = lock(session);
    if editor.is_none() {
        *editor = sessions.calls.editor(client(session));
    }
    let editor = editor.as_ref().ok_or("this daemon serves no editors")?;
    editor.take(message);
    Ok(())
}

/// The editor is gone, however it went.
pub(super) fn close(session: &Session) {
    drop(lock(session).take());
}

fn client(session: &Arc<Session>) -> EditorClient {
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

fn lock(session: &Session) -> MutexGuard<'_, Option<Box<dyn EditorSide>>> {
    // Put in and taken out whole.
    session.editor.lock().unwrap_or_else(PoisonError::into_inner)
}
