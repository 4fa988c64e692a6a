//! Holds a part of an index: a range of a mapped file, or bytes in memory.

use std::ops::{Deref, Range};
use std::sync::Arc;

use hob_base::Region;

/// A part of a region, or separate bytes.
#[derive(Clone, Debug)]
pub(in crate::trigram) enum Section {
    Owned(Box<[u8]>),
    Shared { region: Arc<Region>, range: Range<usize> },
}

impl Section {
    /// Returns the private memory in bytes.
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
