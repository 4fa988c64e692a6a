//! Keeps the store on disk: one database, which it copies into a fresh one when most of its space is dead.
//!
//! A database of sled does not give space back: removed entries leave holes that sled fills only in part, and
//! its file hardly ever becomes shorter. So when most of a database is dead, the store copies the live
//! entries into a fresh database beside it, which then takes its place. Nobody waits for the copy: readers
//! keep reading, and writers write to both. The stamp names the database that counts and is replaced by
//! renaming, so a process that is killed at any moment leaves one whole store and at worst an unfinished
//! copy, which the next opening removes.

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use crate::files::StoreFiles;
use crate::format;
use crate::sled::SledStore;
use crate::trees::{Store, StoreError, StoreOperation, StoreTree};

/// Entries copied while writers wait; one slice takes a few milliseconds.
const SLICE: usize = 256;

/// Time that readers of the old database may take to release it, in steps of [`PATIENCE_STEP`]. After that
/// its files stay until the next opening.
const PATIENCE: u32 = 500;
const PATIENCE_STEP: Duration = Duration::from_millis(10);

/// A [`Store`] in a folder.
#[derive(Debug)]
pub(crate) struct DiskStore {
    places: StoreFiles,
    current: RwLock<Arc<SledStore>>,
    /// The database that a copy is filling. Writers hold the lock for reading, so that each write either is
    /// in both databases or precedes the copy.
    next: RwLock<Option<Copying>>,
    /// The number of the database that counts; locked while a copy runs.
    number: Mutex<u32>,
}

#[derive(Debug)]
struct Copying {
    store: Arc<SledStore>,
    /// The reason why the database lacks entries.
    failed: Mutex<Option<StoreError>>,
}

impl DiskStore {
    pub(crate) fn new(places: StoreFiles, number: u32, store: SledStore) -> Self {
        Self {
            places,
            current: RwLock::new(Arc::new(store)),
            next: RwLock::default(),
            number: Mutex::new(number),
        }
    }

    fn current_store(&self) -> Arc<SledStore> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn read_copying(&self) -> RwLockReadGuard<'_, Option<Copying>> {
        self.next.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the writers under way and keeps others out.
    fn without_writers(&self) -> RwLockWriteGuard<'_, Option<Copying>> {
        self.next.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills a fresh database with the entries of this one and puts it in its place.
    fn copy_to(&self, number: u32, go_on: &dyn Fn() -> bool) -> Result<bool, StoreError> {
        let data = self.places.data_folder(number);
        self.places.remove_database(number)?;
        let store = Arc::new(SledStore::open(&data, self.places.damage_mark(number))?);
        *self.without_writers() = Some(Copying { store: Arc::clone(&store), failed: Mutex::default() });
        let done = self.copy_all(&store, go_on).and_then(|whole| match whole {
            true => self.switch_to_copy(number).map(|()| true),
            false => Ok(false),
        });
        // After a switch there is no copy in progress; otherwise writers must release the unfinished one.
        *self.without_writers() = None;
        if !matches!(done, Ok(true)) {
            self.discard_database(store, number);
        }
        done
    }

    /// Copies every entry into `next`; returns false if `go_on` ended the copy.
    fn copy_all(&self, next: &SledStore, go_on: &dyn Fn() -> bool) -> Result<bool, StoreError> {
        for tree in StoreTree::ALL {
            // Later writes go to both databases, so the list needs only the present keys.
            for slice in self.current_store().keys(tree, b"")?.chunks(SLICE) {
                if !go_on() {
                    return Ok(false);
                }
                self.copy_slice(next, tree, slice)?;
            }
        }
        next.flush()?;
        Ok(true)
    }

    fn copy_slice(&self, next: &SledStore, tree: StoreTree, keys: &[Vec<u8>]) -> Result<(), StoreError> {
        let _alone = self.without_writers();
        let current = self.current_store();
        let mut ops = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some(value) = current.get(tree, key)? {
                ops.push(StoreOperation::Put { key: key.clone(), value });
            }
        }
        next.batch(tree, ops)
    }

    fn switch_to_copy(&self, number: u32) -> Result<(), StoreError> {
        let mut next = self.without_writers();
        let copying = next.as_ref().expect("only `copy_to`, which called this, takes it out");
        if let Some(error) = copying.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        copying.store.flush()?;
        format::write_stamp(self.places.stamp_file(), number)?;
        let store = Arc::clone(&copying.store);
        *next = None;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, store);
        drop((current, next));
        self.discard_database(old, number - 1);
        Ok(())
    }

    /// Closes a database that does not count and removes its files, once nobody reads it.
    fn discard_database(&self, store: Arc<SledStore>, number: u32) {
        let mut store = store;
        for _ in 0..PATIENCE {
            match Arc::try_unwrap(store) {
                Ok(last) => {
                    drop(last);
                    if let Err(error) = self.places.remove_database(number) {
                        tracing::warn!(%error, "a copy of the store is left until the next start");
                    }
                    return;
                }
                Err(shared) => store = shared,
            }
            std::thread::sleep(PATIENCE_STEP);
        }
    }
}

impl Store for DiskStore {
    fn get(&self, tree: StoreTree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.current_store().get(tree, key)
    }

    fn batch(&self, tree: StoreTree, ops: Vec<StoreOperation>) -> Result<(), StoreError> {
        let copying = self.read_copying();
        let Some(copying) = copying.as_ref() else { return self.current_store().batch(tree, ops) };
        self.current_store().batch(tree, ops.clone())?;
        if let Err(error) = copying.store.batch(tree, ops) {
            *copying.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        Ok(())
    }

    fn each(
        &self,
        tree: StoreTree,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.current_store().each(tree, prefix, visit)
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.current_store().flush()
    }

    fn size_on_disk(&self) -> u64 {
        self.current_store().size_on_disk()
    }

    fn compact(&self, go_on: &dyn Fn() -> bool) -> Result<bool, StoreError> {
        let mut number = match self.number.try_lock() {
            Ok(number) => number,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(false),
        };
        let done = self.copy_to(*number + 1, go_on)?;
        *number += u32::from(done);
        Ok(done)
    }
}
