//! Caches the kinds of a frequent name's definitions, file by file.
//!
//! A search for functions in a folder counts those of every matching name, and visits those of the best names. A name that is
//! a function in some files and a variable in ten thousand others has to be looked up in each of them, and they lie all over
//! the memory. The first search notes what each file has; later ones read four bytes a file in order. A change of the name's
//! definitions in any file forgets its row.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::kinds::{Kinds, Share};
use super::names::NameId;

/// Most files in all rows together, of four bytes each. When there are more, all rows are forgotten.
const MOST_FILES: usize = 1 << 21;

/// Memory per row besides its files, in bytes and about: a table entry, and what the allocation adds.
const ROW_BYTES: usize = 64;

/// The definitions of a name in one file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DefsInFile {
    kinds: Kinds,
    /// Their number; [`u16::MAX`] if there are as many or more.
    count: u16,
}

impl DefsInFile {
    pub(crate) fn new(kinds: Kinds, count: usize) -> Self {
        Self { kinds, count: u16::try_from(count).unwrap_or(u16::MAX) }
    }

    /// Counts those of the wanted kinds, or all if `wanted` is `None`; returns `None` if they have to be visited.
    pub(crate) fn count_wanted(self, wanted: Option<Kinds>) -> Option<usize> {
        match wanted.map_or(Share::All, |wanted| self.kinds.share(wanted)) {
            Share::None => Some(0),
            Share::All if self.count < u16::MAX => Some(usize::from(self.count)),
            Share::All | Share::Some => None,
        }
    }
}

/// The rows of names, each in the order of the name's posting list. They are made while queries run under a shared lock on
/// the map, so they have a lock of their own.
#[derive(Debug, Default)]
pub(super) struct FileKindsCache {
    rows: RwLock<FileKindsRows>,
}

#[derive(Debug, Default)]
struct FileKindsRows {
    by_name: FxHashMap<NameId, Arc<[DefsInFile]>>,
    /// Number of files in all rows together.
    files: usize,
}

impl FileKindsCache {
    /// Returns the row of a name, made by `make` unless it is there.
    pub(super) fn get_or_make(
        &self,
        name: NameId,
        make: impl FnOnce() -> Vec<DefsInFile>,
    ) -> Arc<[DefsInFile]> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = rows.by_name.get(&name) {
            return Arc::clone(known);
        }
        drop(rows);
        let made: Arc<[DefsInFile]> = make().into();
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        if rows.files + made.len() > MOST_FILES {
            *rows = FileKindsRows::default();
        }
        rows.files += made.len();
        // Another query may have made the same one meanwhile.
        if let Some(same) = rows.by_name.insert(name, Arc::clone(&made)) {
            rows.files -= same.len();
        }
        made
    }

    /// Forgets the row of a name whose definitions change.
    pub(super) fn forget_row(&mut self, name: NameId) {
        let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = rows.by_name.remove(&name) {
            rows.files -= row.len();
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.files * size_of::<DefsInFile>() + rows.by_name.capacity() * ROW_BYTES
    }
}
