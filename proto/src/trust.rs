//! The list of projects that the user trusts: one private file, written by the command line, read by the daemon
//! whenever it matters.
//!
//! Trust of a folder covers what lies below it. Folders are kept as they really are, with symbolic links resolved, and so must
//! be asked for. A file that others could have written, or that cannot be read, trusts nothing: the daemon then goes on
//! as if nobody had said anything, and the command line says what is wrong. It is replaced whole, so that no reader ever
//! sees half of it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::private_dir::{self, PrivateDirError};

/// The version of the format; a file of another one is refused.
const VERSION: u32 = 1;

/// The folders that are trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trusted {
    folders: BTreeSet<PathBuf>,
}

/// As it stands in the file.
#[derive(Debug, Serialize, Deserialize)]
struct OnDisk {
    version: u32,
    folders: BTreeSet<PathBuf>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It cannot be read or written.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file that cannot be read or written.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// Its folder is not the user's alone.
    #[error(transparent)]
    Folder(#[from] PrivateDirError),
    /// It belongs to another user, or others may write to it.
    #[error("`{}` could have been written by another user; remove it", .0.display())]
    NotPrivate(PathBuf),
    /// It is damaged, or of another version of hob.
    #[error("`{}` cannot be understood ({why}); remove it, and trust again what is to be trusted", path.display())]
    Damaged {
        /// The file that cannot be understood.
        path: PathBuf,
        /// The damage to the file, in words.
        why: String,
    },
}

impl Trusted {
    /// Reads the trusted folders from the file; without a file, nothing is trusted.
    ///
    /// # Errors
    /// [`TrustError`].
    pub fn read(file: &Path) -> Result<Self, TrustError> {
        let failed = |source| TrustError::Io { path: file.to_path_buf(), source };
        let mut open = match File::open(file) {
            Ok(open) => open,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
        };
        if !is_private(&open.metadata().map_err(failed)?) {
            return Err(TrustError::NotPrivate(file.to_path_buf()));
        }
        let text = io::read_to_string(&mut open).map_err(failed)?;
        let damaged = |why| TrustError::Damaged { path: file.to_path_buf(), why };
        let read: OnDisk = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        match read.version {
            VERSION => Ok(Self { folders: read.folders }),
            other => Err(damaged(format!("version {other}"))),
        }
    }

    /// Changes what the file says. Changes by several programs at once all count.
    ///
    /// # Errors
    /// [`TrustError`]; the file is then as it was.
    pub fn change_file<T>(file: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<T, TrustError> {
        let failed = |source| TrustError::Io { path: file.to_path_buf(), source };
        private_dir::ensure(file.parent().unwrap_or(Path::new("/")))?;
        let lock = File::create(file.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut trusted = Self::read(file)?;
        let before = trusted.clone();
        let outcome = change(&mut trusted);
        if trusted != before {
            trusted.write(file).map_err(failed)?;
        }
        Ok(outcome)
    }

    /// Returns true if `folder`, with symbolic links resolved, is trusted or lies below a trusted folder.
    #[must_use]
    pub fn covers(&self, folder: &Path) -> bool {
        self.because_of(folder).is_some()
    }

    /// The trusted folder that `folder` is or lies in.
    #[must_use]
    pub fn because_of(&self, folder: &Path) -> Option<&Path> {
        self.folders().find(|trusted| folder.starts_with(trusted))
    }

    /// Every trusted folder, sorted.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// Trusts a folder; `false` if it was trusted already.
    pub fn add(&mut self, folder: &Path) -> bool {
        !self.covers(folder) && self.folders.insert(folder.to_path_buf())
    }

    /// Trusts a folder and those below it no more; answers how many entries are gone.
    pub fn remove(&mut self, folder: &Path) -> usize {
        let before = self.folders.len();
        self.folders.retain(|trusted| !trusted.starts_with(folder));
        before - self.folders.len()
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let on_disk = OnDisk { version: VERSION, folders: self.folders.clone() };
        let text = serde_json::to_string_pretty(&on_disk).map_err(io::Error::other)?;
        // Under the lock: nobody else writes this name.
        let new = file.with_extension("new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut open = create_private(&new)?;
        open.write_all(text.as_bytes()).and_then(|()| open.sync_all())?;
        fs::rename(&new, file)
    }
}

#[cfg(unix)]
fn is_private(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_private(_meta: &fs::Metadata) -> bool {
    true
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_covers_what_lies_below_it_and_nothing_else() {
        let mut trusted = Trusted::default();
        assert!(!trusted.covers(Path::new("/a/b")));
        assert!(trusted.add(Path::new("/a/b")) && !trusted.add(Path::new("/a/b/c")));
        assert!(trusted.covers(Path::new("/a/b")) && trusted.covers(Path::new("/a/b/c")));
        assert!(!trusted.covers(Path::new("/a")) && !trusted.covers(Path::new("/a/bc")));
        assert_eq!(trusted.remove(Path::new("/a/b/c")), 0);
        assert_eq!(trusted.remove(Path::new("/a")), 1);
        assert!(!trusted.covers(Path::new("/a/b")));
    }
}
