//! Maps the bytes of a file, so that an index of hundreds of megabytes takes no private memory.
//!
//! This file has the one unsafe call that maps. A mapping is sound as long as no process changes or shortens
//! the file. None should: callers map only files that hob itself has made, private to its user, never opened
//! for writing again after their rename, and replaced or removed only by name, which leaves a mapping's pages
//! as they are. A process that nevertheless *writes* into the file changes what readers see; every access is
//! checked against bounds, and no reader relies on reading the same byte twice. If a process *shortens* the
//! file, or a disk fails, the daemon receives SIGBUS at the next access and ends, and the next daemon finds
//! the checksum wrong. To survive that, hob would have to copy every index into memory, at a permanent cost
//! of eight per cent of the text, against an event that does not happen by accident.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a whole file.
#[derive(Debug)]
pub enum Region {
    /// The file's pages.
    Mapped(Mmap),
    /// A copy, where mapping does not work: some network file systems, some sandboxes, empty files.
    Read(Vec<u8>),
}

impl Region {
    /// Maps the file, or reads it.
    ///
    /// # Errors
    /// When the file cannot be read, or is no regular one.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        if let Ok(mapping) = map(&file) {
            return Ok(Self::Mapped(mapping));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }

    /// Returns true if the region takes no private memory.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self, Self::Mapped(_))
    }

    /// Returns the bytes of private memory that the region takes.
    #[must_use]
    pub fn private_bytes(&self) -> usize {
        match self {
            Self::Mapped(_) => 0,
            Self::Read(bytes) => bytes.len(),
        }
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the file is private and immutable; this file's header says why.
    unsafe { Mmap::map(file) }
}

impl Deref for Region {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(mapping) => mapping,
            Self::Read(bytes) => bytes,
        }
    }
}
