//! Bytes where they lie: in a mapped file, or in memory.
//!
//! This file has the crate's one unsafe call. A mapping is sound as long as nobody changes or shortens the file, and
//! nobody should: it is created by this crate alone, readable and writable for its user alone, never opened for writing
//! again after its rename, and replaced or removed only by name, which leaves a mapping's pages as they are. Whoever
//! nevertheless *writes* into the file changes what queries see; every access is checked against bounds and no reader
//! relies on reading the same byte twice, so answers lose candidates, and the next start finds the checksum wrong.
//! Whoever *shortens* it, or a disk that fails, makes the process receive SIGBUS at the next access: it dies, and the
//! next one finds the checksum wrong and indexes anew. Copying every index into memory to survive that would cost eight
//! per cent of the text, for ever, against something that does not happen by accident.

use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// A whole file's bytes.
#[derive(Debug)]
pub(crate) enum Region {
    Mapped(Mmap),
    /// Where mapping does not work: some network file systems, some sandboxes.
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

    /// Returns true if the region takes no private memory.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self, Self::Mapped(_))
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

/// A part of a region, or bytes of its own.
#[derive(Clone, Debug)]
pub(in crate::trigram) enum Section {
    Owned(Box<[u8]>),
    Shared { region: Arc<Region>, range: Range<usize> },
}

impl Section {
    /// Bytes of private memory that it takes.
    pub(in crate::trigram) fn private_bytes(&self) -> usize {
        match self {
            Self::Shared { region, .. } if region.is_mapped() => 0,
            _ => self.len(),
        }
    }
}

impl From<Vec<u8>> for Section {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Owned(bytes.into_boxed_slice())
    }
}

impl Deref for Section {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Shared { region, range } => region.get(range.clone()).unwrap_or_default(),
        }
    }
}
