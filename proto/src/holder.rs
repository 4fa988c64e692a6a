//! Records the process that holds a lock: its process ID beside the lock, for messages to people, and on
//! Windows for clients.
//!
//! A process writes it when it has just taken the lock. On Windows, other processes cannot read a locked
//! file, so the record has a file of its own; elsewhere it is in the locked file itself. It is never a sign
//! of life: only the lock is.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Returns the file of the process ID, for a lock at `lock`.
fn pid_file(lock: &Path, is_read_while_locked: bool) -> PathBuf {
    if is_read_while_locked { lock.to_path_buf() } else { lock.with_extension("pid") }
}

/// Writes this process's ID for the lock at `path`, which the caller holds by `lock`.
///
/// # Errors
/// The system's error: the disk may be full. The lock works all the same.
pub fn sign(path: &Path, lock: &File) -> io::Result<()> {
    write_record(path, lock, &format!("{}\n", std::process::id()))
}

/// Writes the process ID as [`sign`] does, with the socket on which the holder listens and the machine that
/// it runs on.
///
/// # Errors
/// As [`sign`].
pub fn sign_with_socket(path: &Path, lock: &File, socket: &Path) -> io::Result<()> {
    write_record(path, lock, &format!("{}\n{}\n{}\n", std::process::id(), socket.display(), machine_name()))
}

fn write_record(path: &Path, mut lock: &File, text: &str) -> io::Result<()> {
    if cfg!(windows) {
        return std::fs::write(pid_file(path, false), text);
    }
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(text.as_bytes())
}

/// Returns the process ID that the last holder of the lock at `path` wrote. That process may have ended
/// since.
#[must_use]
pub fn read_pid(path: &Path) -> Option<u32> {
    read(path)?.lines().next()?.trim().parse().ok()
}

/// The last holder of a lock, as it described itself with [`sign_with_socket`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The holder's process ID, as the holder wrote it.
    pub pid: u32,
    /// The socket on which the holder listens.
    pub socket: PathBuf,
    /// The machine of the holder, if that is another one: folders can be shared.
    pub machine: Option<String>,
}

/// Returns the last holder of the lock at `path`, if it wrote its socket. That process may have ended since.
#[must_use]
pub fn read_holder(path: &Path) -> Option<Holder> {
    let text = read(path)?;
    let mut lines = text.lines();
    let pid = lines.next()?.trim().parse().ok()?;
    let socket = PathBuf::from(lines.next()?);
    let theirs = lines.next()?;
    Some(Holder { pid, socket, machine: (theirs != machine_name()).then(|| theirs.to_owned()) })
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(pid_file(path, !cfg!(windows))).ok()?.take(8 << 10).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the machine's name; empty if it is unknown.
fn machine_name() -> String {
    match cfg!(windows) {
        true => std::env::var("COMPUTERNAME").unwrap_or_default(),
        false => std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned(),
    }
}

/// Returns true if a process holds the lock at `path`. To find out, it takes the lock for a moment.
///
/// # Errors
/// The system's error, except that the file is missing: then no process holds the lock.
pub fn is_held(path: &Path) -> io::Result<bool> {
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => {
            // Windows frees the lock of a closed file some time later, and another process may be about to
            // take it.
            let _ = file.unlock();
            Ok(false)
        }
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::pid_file;
    use std::path::Path;

    #[test]
    fn what_cannot_be_read_while_it_is_locked_has_its_number_beside_it() {
        let lock = Path::new("run/daemon.lock");
        assert_eq!(pid_file(lock, true), lock);
        assert_eq!(pid_file(lock, false), Path::new("run/daemon.pid"));
    }
}
