//! Creates files that nobody but the user may read, from their first byte.

use std::fs::{self, File};
use std::io;

use hob_base::AbsPath;

/// Creates a file for the user alone.
pub(super) fn create_private(path: &AbsPath) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
