//! Writing a file so that it is there as a whole or not at all, and survives a power cut once it is there.
//!
//! The usual order: write under another name, flush to the disk, rename, flush the folder. Files are the user's alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::frame::{CHECKSUM, Format};

/// Ends of names of files that are being written.
pub(super) const UNFINISHED: &str = ".new";

/// A file that is being written.
pub(super) struct IndexFileDraft {
    out: BufWriter<File>,
    hasher: blake3::Hasher,
}

impl IndexFileDraft {
    /// Begins a file of a format at `path`, in place of what was there.
    pub(super) fn begin(path: &Path, format: Format) -> io::Result<Self> {
        // A leftover may be a link or belong to someone else; never write through it.
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

    /// Completes the file and waits until it is on the disk. Answers its checksum.
    pub(super) fn finish(mut self) -> io::Result<[u8; CHECKSUM]> {
        let checksum = *self.hasher.finalize().as_bytes();
        self.out.write_all(&checksum)?;
        self.out.into_inner()?.sync_all()?;
        Ok(checksum)
    }
}

/// Creates a file for the user alone; one that is there is an error.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder, with what is above it, for the user alone.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Waits until the names in a folder are on the disk. Only Unix has such a thing, and needs it.
pub(super) fn flush_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
