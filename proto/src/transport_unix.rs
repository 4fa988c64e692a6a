//! Implements the socket on Unix: a file, private to its owner, whose two ends know each other's user.
//!
//! Not every Unix accepts a file mode for a socket without a name (macOS does not). There only the folder
//! keeps others out for the moment between the name and its mode, as it does on every system afterwards.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::StreamCommon as _;
use interprocess::local_socket::traits::tokio::Stream as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName as _};
use interprocess::os::unix::local_socket::ListenerOptionsExt as _;

/// The mode of the socket: access for the owner alone.
const MODE: u16 = 0o600;

pub(super) async fn connect(socket: &Path) -> io::Result<Stream> {
    let stream = Stream::connect(socket.to_fs_name::<GenericFilePath>()?).await?;
    // A service manager of the system may have made the socket, and root needs no socket to do harm.
    check_peer(&stream, &[rustix::process::geteuid().as_raw(), 0])?;
    Ok(stream)
}

pub(super) fn listen(socket: &Path) -> io::Result<Listener> {
    let options =
        || Ok(ListenerOptions::new().name(socket.to_fs_name::<GenericFilePath>()?).reclaim_name(false));
    match options().and_then(|options: ListenerOptions<'_>| options.mode(MODE.into()).create_tokio()) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            let listener = options()?.create_tokio()?;
            std::fs::set_permissions(socket, std::fs::Permissions::from_mode(MODE.into()))?;
            Ok(listener)
        }
        other => other,
    }
}

pub(super) fn check_client(stream: &Stream) -> io::Result<()> {
    check_peer(stream, &[rustix::process::geteuid().as_raw()])
}

fn check_peer(stream: &Stream, allowed: &[u32]) -> io::Result<()> {
    match stream.peer_creds()?.euid() {
        Some(peer) if allowed.contains(&peer) => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, "the peer is another user")),
    }
}

/// Accepts any server: folder and user have been checked, so it belongs to this user.
pub(super) fn check_server(_stream: &Stream, _written: Option<u32>) -> io::Result<()> {
    Ok(())
}
