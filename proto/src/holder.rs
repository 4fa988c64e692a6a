//! Which process holds a lock: a number beside the lock, for messages to people, and on Windows for clients.
//!
//! It is written by whoever has just taken the lock. Elsewhere than on Windows it stands in the locked file itself; there
//! nobody else can read what is locked, so it has a file of its own. It is never a sign of life: only the lock is.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Where the number is, for a lock at `lock`.
fn place(lock: &Path, is_read_while_locked: bool) -> PathBuf {
    if is_read_while_locked { lock.to_path_buf() } else { lock.with_extension("pid") }
}

/// Writes this process's number for the lock at `path`, which is held by `lock`.
///
/// # Errors
/// Whatever the system says: the disk may be full. The lock is good all the same.
pub fn sign(path: &Path, mut lock: &File) -> io::Result<()> {
    let number = format!("{}\n", std::process::id());
    if cfg!(windows) {
        return std::fs::write(place(path, false), number);
    }
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(number.as_bytes())
}

/// The number that the last holder of the lock at `path` has written. It may have ended since.
#[must_use]
pub fn pid(path: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(place(path, !cfg!(windows))).ok()?.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::place;
    use std::path::Path;

    #[test]
    fn what_cannot_be_read_while_it_is_locked_has_its_number_beside_it() {
        let lock = Path::new("run/daemon.lock");
        assert_eq!(place(lock, true), lock);
        assert_eq!(place(lock, false), Path::new("run/daemon.pid"));
    }
}
