//! Wraps the local socket or named pipe: with its two platform files the only place that uses `interprocess`.
//!
//! The socket lies in a folder that only its owner may enter and has itself mode 0600 (where the system
//! allows that, from the moment it exists); each end checks that the other end has the same user. On Windows
//! the pipe admits only its owner, and a client checks which process serves it. `transport_unix.rs` and
//! `transport_windows.rs` have the same functions.

#[cfg(unix)]
#[path = "transport_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "transport_windows.rs"]
mod system;

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use interprocess::local_socket::tokio::{Listener as RawListener, Stream as RawStream};
use interprocess::local_socket::traits::tokio::Listener as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection to the daemon, or from a client.
#[derive(Debug)]
pub struct Stream(RawStream);

impl Stream {
    /// Splits the connection so that reading and writing can go on at once. It closes when both parts are
    /// dropped.
    #[must_use]
    pub fn split(self) -> (TransportReader, TransportWriter) {
        let shared = Arc::new(self.0);
        (TransportReader(Arc::clone(&shared)), TransportWriter(shared))
    }

    /// Checks, for a client, that the process that serves this connection is the process `written` by the
    /// holder of the daemon's lock. Only on Windows does that add to the checks of [`connect`].
    ///
    /// # Errors
    /// `PermissionDenied` if it is another process.
    pub fn check_server(&self, written: Option<u32>) -> io::Result<()> {
        system::check_server(&self.0, written)
    }
}

/// Checks that a server's process is the one that wrote its ID where only the user can write.
#[cfg(any(windows, test))]
fn is_the_daemon(server: Option<u32>, written: Option<u32>) -> io::Result<()> {
    if server.is_some() && server == written {
        return Ok(());
    }
    let name = |pid: Option<u32>| pid.map_or("unknown".to_owned(), |pid| pid.to_string());
    let (server, written) = (name(server), name(written));
    let why = format!("process {server} has the pipe's name, and the daemon's lock names process {written}");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// The receiving side of a [`Stream`].
#[derive(Debug)]
pub struct TransportReader(Arc<RawStream>);

/// The sending side of a [`Stream`].
#[derive(Debug)]
pub struct TransportWriter(Arc<RawStream>);

impl AsyncRead for TransportReader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut &*self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for TransportWriter {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut &*self.0).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut &*self.0).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut &*self.0).poll_shutdown(cx)
    }
}

/// Connects to the daemon's socket. `NotFound` and `ConnectionRefused` mean that no process listens.
///
/// # Errors
/// The system's error; `PermissionDenied` when another user listens there.
pub async fn connect(socket: &Path) -> io::Result<Stream> {
    system::connect(socket).await.map(Stream)
}

/// Accepts connections. Dropping it does not remove the socket; its owner removes it, in the right order with
/// its locks.
#[derive(Debug)]
pub struct Listener(RawListener);

/// Creates the socket. Its folder must exist and be private; the path must be free.
///
/// # Errors
/// The system's error; `AddrInUse` when the path is taken.
pub fn listen(socket: &Path) -> io::Result<Listener> {
    system::listen(socket).map(Listener)
}

/// Accepts on a socket that a service manager made and listens on.
///
/// # Errors
/// The system's error.
#[cfg(unix)]
pub fn adopt_socket(socket: std::os::fd::OwnedFd) -> io::Result<Listener> {
    let listener = interprocess::os::unix::uds_local_socket::tokio::Listener::try_from(socket)?;
    Ok(Listener(RawListener::from(listener)))
}

impl Listener {
    /// Waits for the next connection of the same user.
    ///
    /// # Errors
    /// `PermissionDenied` for another user's connection, which is closed; the listener goes on. All other
    /// errors are the system's.
    pub async fn accept(&self) -> io::Result<Stream> {
        let stream = self.0.accept().await?;
        system::check_client(&stream)?;
        Ok(Stream(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::is_the_daemon;

    #[test]
    fn a_pipe_is_believed_only_if_its_process_wrote_its_number() {
        assert!(is_the_daemon(Some(7), Some(7)).is_ok());
        for (server, written) in [(Some(7), Some(8)), (Some(7), None), (None, Some(7)), (None, None)] {
            let refused = is_the_daemon(server, written).expect_err("another process");
            assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
        }
    }
}
