//! Bytes of a file where they lie: mapped, so that a model of some hundred megabytes takes no memory of its own.
//!
//! This file has the crate's one unsafe call. A mapping is sound as long as nobody changes or shortens the file. The daemon maps
//! only copies in a folder of its own, private to its user, which are replaced and removed by name and never written to again.
//! Whoever writes into one nevertheless changes numbers; every access is checked against bounds and none is believed twice.
//! Whoever shortens one ends the process at the next access (SIGBUS), and the next daemon finds a file that is no model.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// A whole file's bytes.
#[derive(Debug)]
pub(crate) enum Region {
    Mapped(Mmap),
    /// Where mapping does not work: some network file systems, some sandboxes, empty files.
    Read(Vec<u8>),
}

impl Region {
    /// Maps the file, or reads it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
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

    /// Bytes of private memory that it takes.
    pub(crate) fn private_bytes(&self) -> usize {
        match self {
            Self::Mapped(_) => 0,
            Self::Read(bytes) => bytes.len(),
        }
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the file is private and immutable; see this file's header for what that rests on.
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
