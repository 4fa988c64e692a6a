//! Whether clients can still find this daemon.
//!
//! Cleaners of temporary folders and people remove sockets and locks. A daemon without its socket's name would hold
//! the lock for ever and answer nobody, and every start would fail; one without its lock file may have a successor
//! already. So it looks every few seconds: two calls of `stat`, the only timer of an idle daemon. The interval is well
//! below the time that a client waits for a daemon that holds its lock and does not answer.

use std::sync::Arc;
use std::time::Duration;

use super::listen::Endpoint;
use super::lock::DaemonLock;
use crate::session::Sessions;

const INTERVAL: Duration = Duration::from_secs(5);

/// Makes the socket anew when only its name is gone. Returns, with the reason, when the place is lost.
pub(super) async fn lost(lock: &DaemonLock, endpoint: &mut Endpoint, sessions: &Arc<Sessions>) -> String {
    if !cfg!(unix) {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(INTERVAL).await;
        if !lock.is_in_place() {
            return "the daemon's lock file was removed".into();
        }
        if endpoint.is_in_place() {
            continue;
        }
        if !endpoint.name_is_free() {
            return "something else has the daemon's socket's name".into();
        }
        if let Err(reason) = reopen(endpoint, sessions) {
            return reason;
        }
    }
}

fn reopen(endpoint: &mut Endpoint, sessions: &Arc<Sessions>) -> Result<(), String> {
    tracing::warn!("the socket was removed; making it anew");
    let opened = Endpoint::open(endpoint.path(), sessions).map_err(|error| error.to_string())?;
    *endpoint = opened;
    Ok(())
}
