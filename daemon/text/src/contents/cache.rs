//! The texts that are at hand at one moment, as an index and its queries hold them.
//!
//! Finds a text by its hash in the packs. It neither writes packs nor knows an index: `keeper` does that.

use std::sync::Arc;

use hob_base::ContentHash;

use super::pack::{CachedText, Pack};

/// The texts that are at hand. Cheap to clone; never changes.
#[derive(Clone, Debug, Default)]
pub struct ContentCache {
    pub(super) packs: Arc<[Arc<Pack>]>,
}

/// Figures about a cache, sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Files on the disk.
    pub packs: usize,
    /// Number of texts in the packs.
    pub texts: usize,
    /// Bytes of those files.
    pub disk_bytes: usize,
    /// Private memory; what lies in mapped files is not counted.
    pub private_bytes: usize,
}

impl ContentCache {
    pub(super) fn from_packs(packs: Vec<Arc<Pack>>) -> Self {
        Self { packs: packs.into() }
    }

    /// The text with this hash, if it is here and undamaged.
    pub(crate) fn get(&self, hash: &ContentHash) -> Option<CachedText<'_>> {
        self.packs.iter().rev().find_map(|pack| pack.get(hash))
    }

    /// Returns true if a text is in the cache, undamaged as far as is known.
    pub(super) fn has_text(&self, hash: &ContentHash) -> bool {
        self.packs.iter().any(|pack| pack.has_text(hash))
    }

    /// Returns true if the cache has no pack.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    /// Figures about the cache.
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
