//! Opens the socket and accepts clients on it.
//!
//! Only the holder of the daemon's lock gets here, so a file at the socket's name is stale and is removed,
//! unless a process listens there: then it is a service manager, which starts the daemon itself. A name that
//! no longer leads to this process is never removed, because it may be the next daemon's. Nor is the name of
//! a socket that a service manager passed, because it is the manager's.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hob_proto::private_dir;
use hob_proto::transport::{self, Listener};
use tokio::task::JoinHandle;

use super::error::StartError;
use crate::session::Sessions;

/// Pause after a failed accept: descriptors or memory have run out, and only time can help.
const PAUSE: Duration = Duration::from_millis(100);

/// The listening socket. Dropping it stops listening and leaves the name alone.
#[derive(Debug)]
pub(super) struct Endpoint {
    path: PathBuf,
    /// The identity of the file at the path that leads to this socket.
    identity: Option<SocketIdentity>,
    /// True if only a service manager may remove the name.
    is_lent: bool,
    accepting: JoinHandle<()>,
}

impl Endpoint {
    /// Makes the socket and serves its clients.
    pub(super) fn open(path: &Path, sessions: &Arc<Sessions>) -> Result<Self, StartError> {
        if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
            private_dir::ensure(folder)?;
        }
        let failed = |source| StartError::Listen { path: path.display().to_string(), source };
        let listener = bind(path).map_err(failed)?;
        Ok(Self::serve_listener(listener, path, sessions, false))
    }

    /// Serves the clients of a socket that a service manager passed.
    #[cfg(unix)]
    pub(super) fn adopt_socket(
        socket: std::os::fd::OwnedFd,
        path: &Path,
        sessions: &Arc<Sessions>,
    ) -> Result<Self, StartError> {
        if let Some(folder) = path.parent() {
            private_dir::ensure(folder)?;
        }
        let failed = |source| StartError::Listen { path: path.display().to_string(), source };
        Ok(Self::serve_listener(transport::adopt_socket(socket).map_err(failed)?, path, sessions, true))
    }

    fn serve_listener(listener: Listener, path: &Path, sessions: &Arc<Sessions>, is_lent: bool) -> Self {
        let accepting = tokio::spawn(accept_all(listener, Arc::clone(sessions)));
        Self { path: path.to_path_buf(), identity: identity_of(path), is_lent, accepting }
    }

    /// Returns the path of the socket's name.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the name if it is this daemon's, so that no new client connects. Earlier connections are still
    /// accepted.
    pub(super) fn remove_name(&self) {
        if !self.is_lent && self.is_in_place() {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Returns true if the name still leads to this socket.
    pub(super) fn is_in_place(&self) -> bool {
        self.identity.is_some() && identity_of(&self.path) == self.identity
    }

    /// Returns true if no file has the name.
    pub(super) fn name_is_free(&self) -> bool {
        matches!(std::fs::symlink_metadata(&self.path), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Returns true if a process listens at the name: for the holder of the daemon's lock that can only be a
/// service manager.
pub(super) async fn is_taken(path: &Path) -> bool {
    // A listener that accepts nobody for so long has a full queue, so it exists.
    !matches!(tokio::time::timeout(PAUSE * 10, transport::connect(path)).await, Ok(Err(_)))
}

fn bind(path: &Path) -> io::Result<Listener> {
    if cfg!(unix) {
        match std::fs::remove_file(path) {
            Ok(()) => tracing::info!(path = %path.display(), "removed the socket of a daemon that is gone"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    transport::listen(path)
}

async fn accept_all(listener: Listener, sessions: Arc<Sessions>) {
    loop {
        match listener.accept().await {
            Ok(stream) => drop(tokio::spawn(Arc::clone(&sessions).serve(stream))),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                tracing::warn!(%error, "a connection was refused");
            }
            Err(error) => {
                tracing::warn!(%error, "accepting a connection failed");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

#[cfg(unix)]
type SocketIdentity = (u64, u64);

#[cfg(unix)]
fn identity_of(path: &Path) -> Option<SocketIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
type Identity = ();

#[cfg(not(unix))]
fn identity_of(_path: &Path) -> Option<SocketIdentity> {
    // A pipe has no file; its name goes with its last handle.
    None
}
