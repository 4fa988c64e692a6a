//! Defines the [`Store`] trait, the trees of a store, the steps of a batch, and the errors.
//!
//! The stores on disk and in memory, and the version record, use this file and never the crate's root.

use std::fmt;
use std::io;

/// The trees of the store: a closed list, so that two parts cannot use one name for two things.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StoreTree {
    /// Small records about the store itself and about whole workspaces.
    Meta,
    /// Extracted facts, keyed by content hash and extractor version.
    Facts,
    /// The file tables of workspaces, as they were last saved.
    Files,
    /// Edges that a language server confirmed, keyed by the contents they depended on.
    Confirmed,
    /// Since when facts have not been used; the keys are those of `Facts`.
    Unused,
}

impl StoreTree {
    /// Every tree, in the order of the declaration.
    pub const ALL: [Self; 5] = [Self::Meta, Self::Facts, Self::Files, Self::Confirmed, Self::Unused];

    /// Returns the tree's name on disk. A name changes only with a new format version.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Facts => "facts",
            Self::Files => "files",
            Self::Confirmed => "confirmed",
            Self::Unused => "unused",
        }
    }
}

/// One step of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreOperation {
    /// Sets `key` to `value`.
    Put {
        /// The key to set.
        key: Vec<u8>,
        /// The new value of the key.
        value: Vec<u8>,
    },
    /// Removes `key`; no error if it is absent.
    Remove {
        /// The key to remove.
        key: Vec<u8>,
    },
}

/// Why an operation on the store failed. Such an error never stops hob, because the data can be computed
/// again.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk refused; most often it is full.
    #[error("the store could not be read or written: {0}")]
    Io(#[from] io::Error),
    /// The data on disk is inconsistent. The next start rebuilds the store.
    #[error("the store is damaged ({0}); it will be rebuilt at the next start")]
    Damaged(String),
}

impl StoreError {
    /// Returns true if the disk has no room left.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Io(e) if matches!(e.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
    }
}

/// Typed trees of plain bytes. Implementations never panic, whatever is on the disk.
///
/// Writes are visible to readers at once; they are on disk after [`Store::flush`]. A process that is killed in between
/// loses some of its latest writes and nothing else.
pub trait Store: Send + Sync + fmt::Debug {
    /// Returns the value of `key`, if any.
    ///
    /// # Errors
    /// [`StoreError`] when the disk cannot be read.
    fn get(&self, tree: StoreTree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Applies `ops` to one tree in order: all of them or none.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses.
    fn batch(&self, tree: StoreTree, ops: Vec<StoreOperation>) -> Result<(), StoreError>;

    /// Calls `visit` with every key and value of `tree` whose key starts with `prefix`, in byte order, until it answers
    /// `false`.
    ///
    /// # Errors
    /// [`StoreError`] when the disk cannot be read.
    fn each(
        &self,
        tree: StoreTree,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError>;

    /// Brings all writes to the disk. Nothing does so by a clock, because an idle daemon must not wake up.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses.
    fn flush(&self) -> Result<(), StoreError>;

    /// Returns the bytes that the store takes on disk; zero for a store in memory.
    fn size_on_disk(&self) -> u64;

    /// Gives back the disk space of removed entries, by writing the others anew. Takes seconds for a large
    /// store, blocks neither readers nor (for longer than some milliseconds) writers, and asks `go_on` in
    /// between; returns true if it finished.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses; the store is then as it was.
    fn compact(&self, _go_on: &dyn Fn() -> bool) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Gives back the memory of what was read and written, if it may be much. Others wait meanwhile, usually for less than a
    /// tenth of a second, so this is for times of rest. Does nothing while the store is in use.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses. If the store is closed then, calls fail, and every few seconds one of them tries
    /// to open it.
    fn release_memory(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Sets `key` to `value`.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses.
    fn put(&self, tree: StoreTree, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.batch(tree, vec![StoreOperation::Put { key: key.to_vec(), value: value.to_vec() }])
    }

    /// Removes `key`.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses.
    fn remove(&self, tree: StoreTree, key: &[u8]) -> Result<(), StoreError> {
        self.batch(tree, vec![StoreOperation::Remove { key: key.to_vec() }])
    }

    /// Returns all keys of `tree` that start with `prefix`, in byte order.
    ///
    /// # Errors
    /// [`StoreError`] when the disk cannot be read.
    fn keys(&self, tree: StoreTree, prefix: &[u8]) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut keys = Vec::new();
        self.each(tree, prefix, &mut |key, _| {
            keys.push(key.to_vec());
            true
        })?;
        Ok(keys)
    }
}
