//! Takes `daemon.lock`, which the daemon holds for its whole life: the only sign of life that hob trusts.
//!
//! The process ID in it is for people. A client may check whether the lock is free, and holds it for a moment
//! then; so one refusal proves nothing, and a daemon that finds the lock held goes on trying until a daemon
//! answers on the socket.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_proto::holder;
use hob_proto::places::Places;
use hob_proto::transport;
use tokio::time::Instant;

use super::error::StartError;

/// The daemon's lock, held.
#[derive(Debug)]
pub struct DaemonLock {
    path: PathBuf,
    file: File,
}

/// The process that has the lock of the daemon.
pub(super) enum Claim {
    /// This process, with the lock.
    Ours(DaemonLock),
    /// Another process, which answers its clients.
    Running {
        /// The other process's ID, if known.
        pid: Option<u32>,
    },
}

impl DaemonLock {
    /// Takes the lock, or finds the daemon that holds it. Waits for a daemon that is ending. With
    /// `has_socket` this process already has the socket, so any holder of the lock can only be ending.
    pub(super) async fn claim(
        places: &Places,
        patience: Duration,
        has_socket: bool,
    ) -> Result<Claim, StartError> {
        let path = places.daemon_lock();
        let since = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            if let Some(lock) = Self::try_take(&path)? {
                return Ok(Claim::Ours(lock));
            }
            if !has_socket && transport::connect(&places.socket).await.is_ok() {
                return Ok(Claim::Running { pid: pid_in(&path) });
            }
            if since.elapsed() > patience {
                return Err(StartError::Stuck { pid: pid_in(&path), path: path.display().to_string() });
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// Takes the lock at `path` if nobody holds it.
    pub(super) fn try_take(path: &Path) -> Result<Option<Self>, StartError> {
        let failed = |source| StartError::Lock { path: path.display().to_string(), source };
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = open.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let lock = Self { path: path.to_path_buf(), file };
        // Between opening and locking, another process may have replaced the file.
        if !lock.is_in_place() {
            return Ok(None);
        }
        // On a full disk the lock still works.
        let _ = lock.sign_file();
        Ok(Some(lock))
    }

    /// Returns true if the locked file still has the name. If not, another process may hold a lock of that
    /// name.
    pub(super) fn is_in_place(&self) -> bool {
        match (self.file.metadata(), std::fs::symlink_metadata(&self.path)) {
            (Ok(ours), Ok(there)) => same_file(&ours, &there),
            _ => false,
        }
    }

    fn sign_file(&self) -> io::Result<()> {
        holder::sign(&self.path, &self.file)
    }

    /// Records where the holder listens, for a second process.
    pub(super) fn sign_with_socket(&self, socket: &Path) -> io::Result<()> {
        holder::sign_with_socket(&self.path, &self.file, socket)
    }
}

fn pid_in(path: &Path) -> Option<u32> {
    holder::read_pid(path)
}

#[cfg(unix)]
fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_a: &std::fs::Metadata, _b: &std::fs::Metadata) -> bool {
    // The two are not distinguished there. That does no harm: without the pipe's name, which only one process
    // can have, nobody is the daemon.
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_lock_whose_file_was_removed_is_not_in_place() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("daemon.lock");
        let lock = DaemonLock::try_take(&path).expect("no error").expect("free");
        assert!(lock.is_in_place());
        assert!(DaemonLock::try_take(&path).expect("no error").is_none());
        assert_eq!(pid_in(&path), Some(std::process::id()));
        std::fs::remove_file(&path).expect("removed");
        assert!(!lock.is_in_place());
        assert!(DaemonLock::try_take(&path).expect("no error").is_some());
        assert!(!lock.is_in_place());
    }
}
