//! Makes and checks a folder that only its owner may enter.
//!
//! The socket and the locks lie in such a folder, sometimes below a shared `/tmp`, where another user could
//! have made it first. So both sides check it before they trust its contents: a client that connects without
//! a check could reach another user's program. On systems other than Unix the user's own profile is private
//! already, and nothing is checked.

use std::io;
use std::path::{Path, PathBuf};

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PrivateDirError {
    /// The folder does not exist and could not be created, or cannot be examined.
    #[error("cannot create the folder `{}`: {source}", path.display())]
    Create {
        /// The folder that could not be used.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// A file or link has the folder's name; a symbolic link counts, since others could redirect it.
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Another user made it.
    #[error("the folder `{}` belongs to user {owner}, not to user {ours}", path.display())]
    OtherOwner {
        /// The folder that belongs to another user.
        path: PathBuf,
        /// The numeric ID of the folder's owner.
        owner: u32,
        /// The numeric ID of the user who runs this process.
        ours: u32,
    },
    /// Others may write to the folder, so its contents cannot be trusted.
    #[error("the folder `{}` can be written by other users (mode {mode:o})", path.display())]
    WritableByOthers {
        /// The folder that others may enter.
        path: PathBuf,
        /// The folder's permission bits, as in `0o755`.
        mode: u32,
    },
}

/// Makes the folder, and those above it, private (0700); an existing one is checked and tightened.
///
/// # Errors
/// [`PrivateDirError`].
pub fn ensure(path: &Path) -> Result<(), PrivateDirError> {
    if check(path)? {
        return Ok(());
    }
    let failed = |source| PrivateDirError::Create { path: path.to_path_buf(), source };
    create(path).map_err(failed)?;
    // Between the check and the creation another process may have been faster.
    if check(path)? { Ok(()) } else { Err(failed(io::ErrorKind::NotFound.into())) }
}

/// Returns true if the folder exists; makes an existing one private if it is not.
///
/// # Errors
/// [`PrivateDirError`].
pub fn check(path: &Path) -> Result<bool, PrivateDirError> {
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => check_access(path, &meta).map(|()| true),
        Ok(_) => Err(PrivateDirError::NotAFolder(path.to_path_buf())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(PrivateDirError::Create { path: path.to_path_buf(), source }),
    }
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(unix)]
fn check_access(path: &Path, meta: &std::fs::Metadata) -> Result<(), PrivateDirError> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let ours = rustix::process::geteuid().as_raw();
    if meta.uid() != ours {
        return Err(PrivateDirError::OtherOwner { path: path.to_path_buf(), owner: meta.uid(), ours });
    }
    let mode = meta.mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(PrivateDirError::WritableByOthers { path: path.to_path_buf(), mode });
    }
    if mode & 0o077 == 0 {
        return Ok(());
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
        .map_err(|source| PrivateDirError::Create { path: path.to_path_buf(), source })
}

#[cfg(not(unix))]
fn check_access(_path: &Path, _meta: &std::fs::Metadata) -> Result<(), PrivateDirError> {
    Ok(())
}
