//! Writes a file atomically: it exists whole or not at all, and survives a power cut once it exists.
//!
//! The steps are the usual ones: write under another name, flush to the disk, rename, flush the folder. Files
//! are private to the user.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::frame::{CHECKSUM, Format};

/// The ending of unfinished files' names.
pub(super) const UNFINISHED: &str = ".new";

/// A file that is being written.
pub(super) struct IndexFileDraft {
    out: BufWriter<File>,
    hasher: blake3::Hasher,
}

impl IndexFileDraft {
    /// Begins a file of a format at `path`, and replaces an existing one.
    pub(super) fn begin(path: &Path, format: Format) -> io::Result<Self> {
        // A leftover may be a link or belong to another user; never write through it.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut draft = Self { out: BufWriter::new(create(path)?), hasher: blake3::Hasher::new() };
        draft.write(&format.head())?;
        Ok(draft)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }

    pub(super) fn write_number(&mut self, number: usize) -> io::Result<()> {
        self.write(&(number as u64).to_le_bytes())
    }

    /// Completes the file and waits until it is on the disk. Returns its checksum.
    pub(super) fn finish(mut self) -> io::Result<[u8; CHECKSUM]> {
        let checksum = *self.hasher.finalize().as_bytes();
        self.out.write_all(&checksum)?;
        self.out.into_inner()?.sync_all()?;
        Ok(checksum)
    }
}

/// Creates a file that is private to the user; an existing one is an error.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder and its parents, private to the user.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Waits until the names in a folder are on the disk. Only Unix has such a call, and needs it.
pub(super) fn flush_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
