//! Opens standard input and output without a thread in between, where the system allows it.
//!
//! Tokio's own handles do every read and write on another thread, which costs more than the rest of a shim. Editors,
//! agents and `sshd` give pipes or, where libuv starts the program, sockets. Pipes are opened once more, so that other
//! holders of the same end keep their blocking one; nobody else holds a socket's end. Any other stream is read in the
//! slow way.

use tokio::io::{AsyncRead, AsyncWrite};

/// Opens standard input for asynchronous reading.
#[must_use]
pub fn open_input() -> Box<dyn AsyncRead + Unpin> {
    #[cfg(unix)]
    if let Some(input) = unix::input() {
        return input;
    }
    Box::new(tokio::io::stdin())
}

/// Opens standard output for asynchronous writing.
#[must_use]
pub fn open_output() -> Box<dyn AsyncWrite + Unpin> {
    #[cfg(unix)]
    if let Some(output) = unix::output() {
        return output;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::UnixStream as StdStream;

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe::OpenOptions;

    pub(super) fn input() -> Option<Box<dyn AsyncRead + Unpin>> {
        if let Some(socket) = as_socket(std::io::stdin().as_fd()) {
            return Some(Box::new(socket));
        }
        let pipe = OpenOptions::new().open_receiver("/proc/self/fd/0").ok()?;
        Some(Box::new(pipe))
    }

    pub(super) fn output() -> Option<Box<dyn AsyncWrite + Unpin>> {
        if let Some(socket) = as_socket(std::io::stdout().as_fd()) {
            return Some(Box::new(socket));
        }
        let pipe = OpenOptions::new().open_sender("/proc/self/fd/1").ok()?;
        Some(Box::new(pipe))
    }

    fn as_socket(end: impl AsFd) -> Option<UnixStream> {
        let end: OwnedFd = end.as_fd().try_clone_to_owned().ok()?;
        let file = File::from(end);
        if !file.metadata().ok()?.file_type().is_socket() {
            return None;
        }
        let stream = StdStream::from(OwnedFd::from(file));
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok()
    }
}
