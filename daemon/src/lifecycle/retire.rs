//! Ending in good order.
//!
//! 1. The socket's name goes: new clients find nobody, wait for the lock and start the next daemon. A service manager's stays:
//!    new clients are turned away, come again, and are the next daemon's as soon as this one has ended.
//! 2. Connected clients are told; their new calls go to the next daemon.
//! 3. Calls under way are answered. Those that take too long are given up and repeated by their clients.
//! 4. Goodbye to everybody, then what is worth keeping is saved.
//! 5. The lock goes with the process.

use std::sync::Arc;
use std::time::Duration;

use super::listen::Endpoint;
use super::signals::Signals;
use crate::session::Sessions;

/// Ends everything but the process. A further signal cuts the waiting for calls short.
pub(super) async fn end_service(
    endpoint: Endpoint,
    sessions: &Arc<Sessions>,
    patience: Duration,
    saving: Duration,
    signals: &mut Signals,
    why: &str,
) {
    endpoint.remove_name();
    sessions.begin_retiring();
    tokio::select! {
        () = sessions.finish_calls(patience) => {}
        signal = signals.next() => {
            tracing::warn!(signal, "not waiting for calls any longer");
            sessions.finish_calls(Duration::ZERO).await;
        }
    }
    sessions.say_goodbye(why).await;
    // Whoever had connected before the name went was refused by now.
    drop(endpoint);
    let calls = Arc::clone(sessions.calls());
    // What is saved may belong to a thread that hangs; a daemon that never ends is worse than one that begins anew.
    match tokio::time::timeout(saving, tokio::task::spawn_blocking(move || calls.save_all())).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) => tracing::error!("saving failed"),
        Err(_) => tracing::error!("saving does not end and is left undone"),
    }
}
