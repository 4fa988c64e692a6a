//! Takes the two file locks as a client needs them.
//!
//! The system frees a lock however its holder ends, so a lock is the only sign of life that hob trusts. A client polls
//! the start lock and does not wait for it: a wait cannot be given up, and the client would rather be served by the
//! daemon that the holder starts.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hob_proto::holder;

use crate::unavailable::Unavailable;

/// The start lock, held. Freed on drop.
#[derive(Debug)]
pub(crate) struct StartLock(#[allow(dead_code, reason = "held for its lock")] File);

/// The start lock's file, not yet locked.
#[derive(Debug)]
pub(crate) struct StartLockFile {
    path: PathBuf,
    file: File,
}

impl StartLockFile {
    /// Opens the file; its folder must exist.
    pub(crate) fn open(path: &Path) -> Result<Self, Unavailable> {
        let file = open(path).map_err(|source| lock_error(path, source))?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Takes the lock if it is free, and writes this process's ID into it for clients that wait too long.
    pub(crate) fn try_lock(&self) -> Result<Option<StartLock>, Unavailable> {
        match self.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(lock_error(&self.path, source)),
        }
        // On a full disk the lock still works; only a message will be poorer.
        let _ = holder::sign(&self.path, &self.file);
        self.file
            .try_clone()
            .map(|file| Some(StartLock(file)))
            .map_err(|source| lock_error(&self.path, source))
    }
}

impl Drop for StartLock {
    fn drop(&mut self) {
        // A clone of the descriptor lives on in `StartLockFile`, so closing this one would not free the lock.
        let _ = self.0.unlock();
    }
}

/// Returns true if no daemon lives: no process holds its lock.
pub(crate) fn daemon_is_gone(path: &Path) -> Result<bool, Unavailable> {
    holder::is_held(path).map(|is_held| !is_held).map_err(|source| lock_error(path, source))
}

/// Returns the process ID in a lock's file: for people only, because it may be wrong.
pub(crate) fn pid_in(path: &Path) -> Option<u32> {
    holder::read_pid(path)
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn lock_error(path: &Path, source: io::Error) -> Unavailable {
    Unavailable::Lock { path: path.to_path_buf(), source: Arc::new(source) }
}

/// Growing pauses between checks of a state that gives no event.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    most: Duration,
}

impl Backoff {
    /// Creates pauses from `first`, doubling up to `most`.
    pub(crate) fn new(first: Duration, most: Duration) -> Self {
        Self { next: first, most }
    }

    /// Sleeps for the next pause, and doubles it up to the longest.
    pub(crate) async fn pause(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder_and_is_freed_on_drop() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("start.lock");
        let (one, two) =
            (StartLockFile::open(&path).expect("open"), StartLockFile::open(&path).expect("open"));
        let held = one.try_lock().expect("no error").expect("free");
        assert!(two.try_lock().expect("no error").is_none());
        assert_eq!(pid_in(&path), Some(std::process::id()));
        assert!(!daemon_is_gone(&path).expect("no error"));
        drop(held);
        assert!(two.try_lock().expect("no error").is_some());
        assert!(daemon_is_gone(&dir.path().join("never")).expect("no error"));
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_cannot_be_had_names_its_path() {
        let error = StartLockFile::open(Path::new("/dev/null/start.lock")).expect_err("not a folder");
        assert!(error.to_string().contains("/dev/null/start.lock"), "{error}");
    }
}
