//! Keeps a client's path arguments within the workspace, symbolic links included.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hob_base::{AbsPath, PathError, WsPath};

/// Why a path argument was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The path leads out of the workspace, directly or through a symbolic link.
    #[error("`{0}` lies outside the workspace")]
    Outside(String),
    /// The path cannot be followed: a link loop, or a folder that may not be entered.
    #[error("`{path}` cannot be followed: {why}")]
    Unreadable {
        /// The argument as it was given.
        path: String,
        /// The system's reason, as an error.
        why: io::Error,
    },
    /// The path cannot be named in an answer.
    #[error(transparent)]
    Path(PathError),
}

/// Resolves `path`, absolute or relative to `root`, to a place within `root`. The place need not exist. Symbolic links
/// are followed as far as the path exists, so the answer is where the file really lies.
///
/// `root` must be canonical, as [`crate::find_root`] gives it.
///
/// # Errors
/// [`ConfineError`] when the path leads elsewhere or cannot be followed.
pub fn confine(root: &AbsPath, path: &str) -> Result<WsPath, ConfineError> {
    // The system would report a NUL byte as an I/O error that explains nothing.
    if path.contains('\0') {
        return Err(ConfineError::Outside(path.replace('\0', "\u{FFFD}")));
    }
    let unreadable = |why| ConfineError::Unreadable { path: path.to_owned(), why };
    let resolved = resolve(&root.join(path)).map_err(unreadable)?;
    resolved.relative_to(root).map_err(|error| match error {
        PathError::Outside(_) | PathError::NotAbsolute(_) => ConfineError::Outside(path.to_owned()),
        PathError::NotUnicode(_) => ConfineError::Path(error),
    })
}

/// Follows symbolic links as far as the path exists, then appends the remaining names.
fn resolve(path: &AbsPath) -> io::Result<AbsPath> {
    let mut rest: Vec<&std::ffi::OsStr> = Vec::new();
    for ancestor in path.as_path().ancestors() {
        match fs::canonicalize(ancestor) {
            Ok(real) => return to_absolute(append_reversed(real, &rest)),
            Err(e) if is_absent(&e) && !is_dangling_link(ancestor) => rest.extend(ancestor.file_name()),
            Err(e) => return Err(e),
        }
    }
    to_absolute(path.as_path().to_path_buf())
}

fn append_reversed(mut base: PathBuf, reversed: &[&std::ffi::OsStr]) -> PathBuf {
    base.extend(reversed.iter().rev());
    base
}

fn to_absolute(path: PathBuf) -> io::Result<AbsPath> {
    AbsPath::new(path).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns true for a link to nowhere: it could lead out of the workspace as soon as somebody makes its target.
fn is_dangling_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}
