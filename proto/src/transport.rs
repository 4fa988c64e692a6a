//! The local socket or named pipe: the only file that knows `interprocess`.
//!
//! The socket lies in a folder that only its owner may enter and is itself 0600 from the moment it exists; on accept the
//! peer's user is checked as well. On Windows the pipe's default security descriptor admits its creator.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use interprocess::local_socket::tokio::{Listener as RawListener, Stream as RawStream};
use interprocess::local_socket::traits::StreamCommon as _;
use interprocess::local_socket::traits::tokio::{Listener as _, Stream as _};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName as _};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection to the daemon, or from a client.
#[derive(Debug)]
pub struct Stream(RawStream);

impl Stream {
    /// Splits it so that reading and writing can go on at once. The connection closes when both are dropped.
    #[must_use]
    pub fn split(self) -> (Reader, Writer) {
        let shared = Arc::new(self.0);
        (Reader(Arc::clone(&shared)), Writer(shared))
    }
}

/// The receiving side of a [`Stream`].
#[derive(Debug)]
pub struct Reader(Arc<RawStream>);

/// The sending side of a [`Stream`].
#[derive(Debug)]
pub struct Writer(Arc<RawStream>);

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut &*self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Writer {
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

/// Connects to the daemon's socket. `NotFound` and `ConnectionRefused` mean that nobody listens.
///
/// # Errors
/// Whatever the system says.
pub async fn connect(socket: &Path) -> io::Result<Stream> {
    let name = socket.to_fs_name::<GenericFilePath>()?;
    RawStream::connect(name).await.map(Stream)
}

/// Accepts connections. Dropping it does not remove the socket; its owner does, in the right order with its locks.
#[derive(Debug)]
pub struct Listener(RawListener);

/// Creates the socket. Its folder must exist and be private; whatever lies at the path must be gone.
///
/// # Errors
/// Whatever the system says; `AddrInUse` when the path is taken.
pub fn listen(socket: &Path) -> io::Result<Listener> {
    let name = socket.to_fs_name::<GenericFilePath>()?;
    let options = ListenerOptions::new().name(name).reclaim_name(false);
    #[cfg(unix)]
    let options = interprocess::os::unix::local_socket::ListenerOptionsExt::mode(options, 0o600);
    options.create_tokio().map(Listener)
}

impl Listener {
    /// The next connection of the same user.
    ///
    /// # Errors
    /// `PermissionDenied` for another user's connection, which is closed; the listener goes on. Anything else comes from
    /// the system.
    pub async fn accept(&self) -> io::Result<Stream> {
        let stream = self.0.accept().await?;
        check_owner(&stream)?;
        Ok(Stream(stream))
    }
}

#[cfg(unix)]
fn check_owner(stream: &RawStream) -> io::Result<()> {
    let ours = rustix::process::geteuid().as_raw();
    match stream.peer_creds()?.euid() {
        Some(peer) if peer == ours => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, "the peer is another user")),
    }
}

#[cfg(not(unix))]
fn check_owner(_stream: &RawStream) -> io::Result<()> {
    Ok(())
}
