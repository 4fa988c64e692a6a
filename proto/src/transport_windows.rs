//! The named pipe on Windows. Read, never run: see `docs/platforms.md`.
//!
//! No private folder can contain the name of a pipe, so three measures replace one. The pipe admits only its
//! owner, and no other machine (`interprocess` rejects those by default, and takes the name only if it is
//! free). A client lets the server identify its user but not act for that user. And a client trusts the
//! server only if it is the process whose ID the holder of the daemon's lock has written into the user's own
//! profile: see [`crate::holder`].

use std::fs::OpenOptions;
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::OwnedHandle;
use std::path::Path;
use std::time::{Duration, Instant};

use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::StreamCommon as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName as _};
use interprocess::os::windows::local_socket::ListenerOptionsExt as _;
use interprocess::os::windows::named_pipe::local_socket::tokio::Stream as PipeStream;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use widestring::u16cstr;

/// `FILE_FLAG_OVERLAPPED` of `winbase.h`, which tokio needs.
const OVERLAPPED: u32 = 0x4000_0000;
/// `SECURITY_IDENTIFICATION`: the server may identify the client's user, not act for that user.
const IDENTIFICATION: u32 = 0x0001_0000;
/// `ERROR_PIPE_BUSY`: between two clients the server has no instance of the pipe for a moment.
const BUSY: i32 = 231;
/// The longest wait for a condition that is soon over.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn connect(socket: &Path) -> io::Result<Stream> {
    let until = Instant::now() + PATIENCE;
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(OVERLAPPED).security_qos_flags(IDENTIFICATION);
        match options.open(socket) {
            Ok(pipe) => {
                let stream = PipeStream::try_from(OwnedHandle::from(pipe));
                let stream =
                    stream.map_err(|error| error.cause.unwrap_or(io::ErrorKind::InvalidData.into()))?;
                return Ok(Stream::from(stream));
            }
            Err(error) if error.raw_os_error() == Some(BUSY) && Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Creates the pipe. Blocks while clients of a daemon that has just ended still have its pipe open: the name
/// is free only when they close it.
pub(super) fn listen(socket: &Path) -> io::Result<Listener> {
    let until = Instant::now() + PATIENCE;
    loop {
        match create(socket) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
}

fn create(socket: &Path) -> io::Result<Listener> {
    // Protected, so that nothing is inherited; all rights for the owner, none for others.
    let owner_alone = SecurityDescriptor::deserialize(u16cstr!("D:P(A;;GA;;;OW)"))?;
    let options = ListenerOptions::new().name(socket.to_fs_name::<GenericFilePath>()?).reclaim_name(false);
    options.security_descriptor(owner_alone).create_tokio()
}

/// Accepts every client, because no other user gets here: see [`create`].
pub(super) fn check_client(_stream: &Stream) -> io::Result<()> {
    Ok(())
}

pub(super) fn check_server(stream: &Stream, written: Option<u32>) -> io::Result<()> {
    super::is_the_daemon(stream.peer_creds()?.pid(), written)
}
