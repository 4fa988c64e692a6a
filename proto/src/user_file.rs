//! Reads and writes a small private file of the user's decisions, which the command line writes and the
//! daemon reads whenever it matters.
//!
//! A file that others could have written, or that cannot be parsed, is an error and never partly believed. A
//! writer replaces it whole, so that no reader sees half of it, and concurrent changes by several programs
//! all count. Its owners define the contents: [`crate::trust`] and [`crate::groups`].

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::private_dir::{self, PrivateDirError};

/// The version of the format; a file of another version is refused.
const VERSION: u32 = 1;

/// Why a file of the user's decisions cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UserFileError {
    /// The file cannot be read or written.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file that cannot be read or written.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// The folder is not private to the user.
    #[error(transparent)]
    Folder(#[from] PrivateDirError),
    /// The file belongs to another user, or others may write to it.
    #[error("`{}` could have been written by another user; remove it", .0.display())]
    NotPrivate(PathBuf),
    /// The file is damaged, or of another version of hob.
    #[error("`{}` is damaged ({why}); remove it, and repeat the commands that wrote it", path.display())]
    Damaged {
        /// The damaged file.
        path: PathBuf,
        /// The damage to the file, in words.
        why: String,
    },
}

/// The contents of a file with its version.
#[derive(Serialize, Deserialize)]
struct OnDisk<T> {
    version: u32,
    #[serde(flatten)]
    contents: T,
}

/// Reads the contents of the file; without a file, the default.
///
/// # Errors
/// [`UserFileError`].
pub fn read_user_file<T: DeserializeOwned + Default>(file: &Path) -> Result<T, UserFileError> {
    let failed = |source| UserFileError::Io { path: file.to_path_buf(), source };
    let mut open = match File::open(file) {
        Ok(open) => open,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(failed(error)),
    };
    if !is_private(&open.metadata().map_err(failed)?) {
        return Err(UserFileError::NotPrivate(file.to_path_buf()));
    }
    let text = io::read_to_string(&mut open).map_err(failed)?;
    let damaged = |why| UserFileError::Damaged { path: file.to_path_buf(), why };
    let read: OnDisk<T> = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    match read.version {
        VERSION => Ok(read.contents),
        other => Err(damaged(format!("version {other}"))),
    }
}

/// Changes the file. Concurrent changes by several programs all count.
///
/// # Errors
/// [`UserFileError`]; the file is then as it was.
pub fn change_user_file<T, O>(file: &Path, change: impl FnOnce(&mut T) -> O) -> Result<O, UserFileError>
where
    T: Serialize + DeserializeOwned + Default + Clone + PartialEq,
{
    let failed = |source| UserFileError::Io { path: file.to_path_buf(), source };
    private_dir::ensure(file.parent().unwrap_or(Path::new("/")))?;
    let lock = File::create(file.with_extension("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut contents: T = read_user_file(file)?;
    let before = contents.clone();
    let outcome = change(&mut contents);
    if contents != before {
        replace_file(file, contents).map_err(failed)?;
    }
    Ok(outcome)
}

fn replace_file<T: Serialize>(file: &Path, contents: T) -> io::Result<()> {
    let text =
        serde_json::to_string_pretty(&OnDisk { version: VERSION, contents }).map_err(io::Error::other)?;
    // The lock is held: no other process writes this name.
    let new = file.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut open = create_private(&new)?;
    open.write_all(text.as_bytes()).and_then(|()| open.sync_all())?;
    fs::rename(&new, file)
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
