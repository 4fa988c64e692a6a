//! Records the process that holds a lock: a number beside the lock, for messages to people, and on Windows for
//! clients.
//!
//! It is written by whoever has just taken the lock. Elsewhere than on Windows it stands in the locked file itself; there
//! nobody else can read what is locked, so it has a file of its own. It is never a sign of life: only the lock is.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Where the number is, for a lock at `lock`.
fn pid_file(lock: &Path, is_read_while_locked: bool) -> PathBuf {
    if is_read_while_locked { lock.to_path_buf() } else { lock.with_extension("pid") }
}

/// Writes this process's number for the lock at `path`, which is held by `lock`.
///
/// # Errors
/// Whatever the system says: the disk may be full. The lock is good all the same.
pub fn sign(path: &Path, lock: &File) -> io::Result<()> {
    write(path, lock, &format!("{}\n", std::process::id()))
}

/// As [`sign`], with the socket at which the holder listens and the machine that it runs on.
///
/// # Errors
/// As of [`sign`].
pub fn sign_with_socket(path: &Path, lock: &File, socket: &Path) -> io::Result<()> {
    write(path, lock, &format!("{}\n{}\n{}\n", std::process::id(), socket.display(), machine_name()))
}

fn write(path: &Path, mut lock: &File, text: &str) -> io::Result<()> {
    if cfg!(windows) {
        return std::fs::write(pid_file(path, false), text);
    }
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(text.as_bytes())
}

/// The number that the last holder of the lock at `path` has written. It may have ended since.
#[must_use]
pub fn read_pid(path: &Path) -> Option<u32> {
    read(path)?.lines().next()?.trim().parse().ok()
}

/// The last holder of a lock, as it described itself by [`sign_with_socket`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The holder's process ID, as the holder wrote it.
    pub pid: u32,
    /// The socket on which the holder listens.
    pub socket: PathBuf,
    /// The machine it runs on, if that is another one: folders can be shared.
    pub machine: Option<String>,
}

/// The last holder of the lock at `path`, if it signed with its socket. It may have ended since.
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

/// The machine's name; empty where it is not to be had.
fn machine_name() -> String {
    match cfg!(windows) {
        true => std::env::var("COMPUTERNAME").unwrap_or_default(),
        false => std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned(),
    }
}

/// Returns true if somebody holds the lock at `path`. To find out, it takes the lock for a moment.
///
/// # Errors
/// Whatever the system says, except that there is no such file: nobody holds it then.
pub fn is_held(path: &Path) -> io::Result<bool> {
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => {
            // Windows frees the lock of a closed file some time later, and somebody may be about to take it.
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
