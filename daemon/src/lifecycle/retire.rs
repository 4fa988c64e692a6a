//! Ends the daemon in good order.
//!
//! 1. The socket's name is removed: new clients find no listener, wait for the lock and start the next
//!    daemon. A service manager's name stays: new clients are refused, try again, and reach the next daemon
//!    as soon as this one has ended.
//! 2. Connected clients are told; their new calls go to the next daemon.
//! 3. Calls under way are answered. Those that take too long are abandoned, and their clients repeat them.
//! 4. All clients get a goodbye, then the daemon saves its state.
//! 5. The lock is released with the process.

use std::sync::Arc;
use std::time::Duration;

use super::listen::Endpoint;
use super::signals::Signals;
use crate::session::Sessions;

/// Ends everything but the process. A second signal shortens the wait for calls.
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
    // Clients that connected before the name was removed were refused by now.
    drop(endpoint);
    let calls = Arc::clone(sessions.calls());
    // Saving may wait for a thread that hangs; a daemon that never ends is worse than one that begins anew.
    match tokio::time::timeout(saving, tokio::task::spawn_blocking(move || calls.save_all())).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) => tracing::error!("saving failed"),
        Err(_) => tracing::error!("saving takes too long and is abandoned"),
    }
}
