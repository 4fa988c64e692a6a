//! Implements a store that lives as long as its owner: for tests, and for machines whose cache folder cannot
//! be used.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::trees::{Store, StoreError, StoreOperation, StoreTree};

type Trees = BTreeMap<StoreTree, BTreeMap<Vec<u8>, Vec<u8>>>;

/// A [`Store`] in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    trees: Mutex<Trees>,
}

impl MemoryStore {
    /// Creates an empty store in memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the trees, also after a panic: every write is complete before it releases the lock, and a
    /// caller's `visit`, which may panic, only reads. So a poisoned lock holds sound data.
    fn lock(&self) -> MutexGuard<'_, Trees> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn get(&self, tree: StoreTree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.lock().get(&tree).and_then(|t| t.get(key).cloned()))
    }

    fn batch(&self, tree: StoreTree, ops: Vec<StoreOperation>) -> Result<(), StoreError> {
        let mut trees = self.lock();
        let tree = trees.entry(tree).or_default();
        for op in ops {
            match op {
                StoreOperation::Put { key, value } => tree.insert(key, value),
                StoreOperation::Remove { key } => tree.remove(&key),
            };
        }
        Ok(())
    }

    fn each(
        &self,
        tree: StoreTree,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let trees = self.lock();
        let Some(tree) = trees.get(&tree) else { return Ok(()) };
        for (key, value) in tree.range(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix)) {
            if !visit(key, value) {
                break;
            }
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn size_on_disk(&self) -> u64 {
        0
    }
}
