//! Replaces a file as a whole, so that a kill leaves the old or the new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes the bytes to a file next to the old one, and renames it.
///
/// # Errors
/// Any error of the system; the file is then as it was.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
