//! Holds the cached texts at one moment, for an index and its queries.
//!
//! It finds a text by its hash in the packs. It neither writes packs nor knows an index: `keeper` does.

use std::sync::Arc;

use hob_base::ContentHash;

use super::pack::{CachedText, Pack};

/// The cached texts at one moment. Cheap to clone; never changes.
#[derive(Clone, Debug, Default)]
pub struct ContentCache {
    pub(super) packs: Arc<[Arc<Pack>]>,
}

/// The figures of a cache, sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Number of files on the disk.
    pub packs: usize,
    /// Number of texts in the packs.
    pub texts: usize,
    /// Size of those files.
    pub disk_bytes: usize,
    /// Private memory; mapped files do not count.
    pub private_bytes: usize,
}

impl ContentCache {
    pub(super) fn from_packs(packs: Vec<Arc<Pack>>) -> Self {
        Self { packs: packs.into() }
    }

    /// Returns the text with this hash, if the cache has it undamaged.
    pub(crate) fn get(&self, hash: &ContentHash) -> Option<CachedText<'_>> {
        self.packs.iter().rev().find_map(|pack| pack.get(hash))
    }

    /// Returns true if the cache has a text that is not known to be damaged.
    pub(super) fn has_text(&self, hash: &ContentHash) -> bool {
        self.packs.iter().any(|pack| pack.has_text(hash))
    }

    /// Returns true if the cache has no pack.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    /// Returns the figures of the cache.
    #[must_use]
    pub fn stats(&self) -> CacheStats {
        self.packs.iter().fold(CacheStats::default(), |sum, pack| CacheStats {
            packs: sum.packs + 1,
            texts: sum.texts + pack.len(),
            disk_bytes: sum.disk_bytes + pack.disk_bytes(),
            private_bytes: sum.private_bytes + pack.private_bytes(),
        })
    }
}
