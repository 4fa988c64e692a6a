//! Detects that nobody has needed the daemon for so long that it may end.

use std::sync::Arc;
use std::time::Duration;

use crate::session::Sessions;

/// Returns after `limit` without clients and without work. A client that connects at that very moment loses
/// nothing: the daemon refuses it as any ending daemon does, and it starts another.
pub(super) async fn wait_until_expired(limit: Option<Duration>, sessions: &Arc<Sessions>) {
    let Some(limit) = limit else { return std::future::pending().await };
    let mut clients = sessions.watch_client_count();
    loop {
        // The sender lives in `sessions`, so waiting cannot fail.
        let _ = clients.wait_for(|count| *count == 0).await;
        tokio::select! {
            () = tokio::time::sleep(limit) => {}
            // Any connection counts as use, even one that ends before this check.
            _ = clients.changed() => continue,
        }
        let calls = Arc::clone(sessions.calls());
        // If the check fails there is nothing to wait for.
        if !tokio::task::spawn_blocking(move || calls.is_busy()).await.unwrap_or(false) {
            return;
        }
    }
}
