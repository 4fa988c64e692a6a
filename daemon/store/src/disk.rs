//! Keeps the store on disk: one database, which it copies into a fresh one when most of its space is dead.
//!
//! A database of sled does not give space back: removed entries leave holes that sled fills only in part, and
//! its file hardly ever becomes shorter. So when most of a database is dead, the store copies the live
//! entries into a fresh database beside it, which then takes its place. Nobody waits for the copy: readers
//! keep reading, and writers write to both. The stamp names the database that counts and is replaced by
//! renaming, so a process that is killed at any moment leaves one whole store and at worst an unfinished
//! copy, which the next opening removes.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use std::time::{Duration, Instant};

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

/// Attempts to give memory back, and the pause before the next one: most uses of a store take microseconds.
const RELEASE_TRIES: u32 = 5;
const RELEASE_PAUSE: Duration = Duration::from_millis(5);

/// Time from one attempt to open a closed store to the next. Tests do not wait.
const RETRY: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_secs(5) };

/// A [`Store`] in a folder.
#[derive(Debug)]
pub(crate) struct DiskStore {
    places: StoreFiles,
    current: RwLock<Arc<SledStore>>,
    /// The database that a copy is filling. Writers hold the lock for reading, so that each write either is
    /// in both databases or precedes the copy.
    next: RwLock<Option<Copying>>,
    /// The number of the database that counts; locked while it is copied or opened again.
    number: Mutex<u32>,
    /// The last attempt to open a store that could not be opened again.
    retried: Mutex<Option<Instant>>,
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
            retried: Mutex::default(),
        }
    }

    fn current_store(&self) -> Arc<SledStore> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the current store. If it could not be opened again, tries to open it, though not each time.
    fn open_store(&self) -> Arc<SledStore> {
        let store = self.current_store();
        if store.is_open() || store.is_damaged() || !self.begin_retry() {
            return store;
        }
        drop(store);
        if let Err(error) = self.reopen_unused() {
            tracing::warn!(%error, "the store is closed");
        }
        self.current_store()
    }

    /// Returns true if the last attempt to open a closed store is long ago, and notes this one.
    fn begin_retry(&self) -> bool {
        let mut retried = self.retried.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = retried.is_none_or(|at| at.elapsed() >= RETRY);
        if is_due {
            *retried = Some(Instant::now());
        }
        is_due
    }

    /// Closes the store and opens it again unless somebody reads, writes or copies it. Returns true if it did.
    fn reopen_unused(&self) -> Result<bool, StoreError> {
        let Some(number) = self.lock_number() else { return Ok(false) };
        let store = self.current_store();
        if store.is_open() {
            // This leaves little to write while others wait.
            store.flush()?;
        }
        drop(store);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let Some(store) = Arc::get_mut(&mut current) else { return Ok(false) };
        let start = Instant::now();
        store.reopen_database()?;
        if !format::has_version(store)? || !self.places.stamp_file().exists() {
            // Somebody has removed the folder. The database that is there now is new, and the next start must know it.
            format::write_version(store)?;
            store.flush()?;
            format::write_stamp(self.places.stamp_file(), *number)?;
        }
        tracing::info!(took = ?start.elapsed(), "the store was opened again");
        Ok(true)
    }

    /// Locks the number of the database; `None` while it is copied or opened again.
    fn lock_number(&self) -> Option<MutexGuard<'_, u32>> {
        match self.number.try_lock() {
            Ok(number) => Some(number),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
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
        self.open_store().get(tree, key)
    }

    fn batch(&self, tree: StoreTree, ops: Vec<StoreOperation>) -> Result<(), StoreError> {
        let copying = self.read_copying();
        let Some(copying) = copying.as_ref() else { return self.open_store().batch(tree, ops) };
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
        self.open_store().each(tree, prefix, visit)
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.open_store().flush()
    }

    fn size_on_disk(&self) -> u64 {
        self.current_store().size_on_disk()
    }

    fn compact(&self, go_on: &dyn Fn() -> bool) -> Result<bool, StoreError> {
        let Some(mut number) = self.lock_number() else { return Ok(false) };
        let done = self.copy_to(*number + 1, go_on)?;
        *number += u32::from(done);
        Ok(done)
    }

    fn release_memory(&self) -> Result<(), StoreError> {
        for _ in 0..RELEASE_TRIES {
            if !self.current_store().is_reopening_due() || self.reopen_unused()? {
                break;
            }
            std::thread::sleep(RELEASE_PAUSE);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::open;

    /// A store in a folder as `open` makes it, with access to its own functions.
    fn disk_store(folder: &Path) -> DiskStore {
        drop(open(folder));
        let places = StoreFiles::new(folder);
        let store = SledStore::open(&places.data_folder(0), places.damage_mark(0)).expect("it can be opened");
        DiskStore::new(places, 0, store)
    }

    fn value_of(n: u32) -> Vec<u8> {
        n.to_le_bytes().repeat(1_000)
    }

    fn put_much(store: &DiskStore) {
        for n in 0..50_u32 {
            store.put(StoreTree::Facts, &n.to_le_bytes(), &value_of(n)).expect("put");
        }
    }

    fn assert_much(store: &dyn Store) {
        for n in 0..50_u32 {
            let found = store.get(StoreTree::Facts, &n.to_le_bytes()).expect("get");
            assert!(found == Some(value_of(n)), "entry {n}");
        }
    }

    #[test]
    fn a_store_that_gave_its_memory_back_has_everything_and_takes_more() {
        let folder = tempfile::tempdir().expect("tempdir");
        let store = disk_store(folder.path());
        store.release_memory().expect("nothing is due");
        for _ in 0..3 {
            put_much(&store);
            assert!(store.current_store().is_reopening_due());
            store.release_memory().expect("it can be opened again");
            assert!(!store.current_store().is_reopening_due());
            assert_much(&store);
            store.put(StoreTree::Files, b"later", b"too").expect("put");
        }
        drop(store);
        let opened = open(folder.path());
        assert_eq!(opened.notice, None);
        assert_much(&*opened.store);
        let later = opened.store.get(StoreTree::Files, b"later").expect("get");
        assert_eq!(later.as_deref(), Some(&b"too"[..]));
    }

    #[test]
    fn a_store_is_opened_again_while_others_use_it_and_nothing_is_lost() {
        let folder = tempfile::tempdir().expect("tempdir");
        let store = disk_store(folder.path());
        let mut reopened = 0;
        std::thread::scope(|threads| {
            let use_store = |worker: u8| {
                for n in 0..300 {
                    let key = [&[worker], &u32::to_le_bytes(n)[..]].concat();
                    store.put(StoreTree::Facts, &key, &value_of(n)).expect("put");
                    assert!(store.get(StoreTree::Facts, &key).expect("get") == Some(value_of(n)), "{key:?}");
                    std::thread::sleep(Duration::from_millis(1));
                }
            };
            let workers = [1, 2].map(|worker| threads.spawn(move || use_store(worker)));
            while workers.iter().any(|worker| !worker.is_finished()) {
                reopened += u32::from(store.reopen_unused().expect("it can be opened again"));
            }
        });
        assert!(reopened > 0);
        assert_eq!(store.keys(StoreTree::Facts, b"").expect("keys").len(), 600);
    }

    #[test]
    fn a_store_whose_folder_was_removed_begins_anew() {
        let folder = tempfile::tempdir().expect("tempdir");
        let store = disk_store(folder.path());
        put_much(&store);
        if fs::remove_dir_all(folder.path()).is_err() {
            // Windows removes no folder with open files.
            return;
        }
        store.release_memory().expect("a new one can be made");
        assert_eq!(store.get(StoreTree::Facts, &0_u32.to_le_bytes()).expect("get"), None);
        put_much(&store);
        store.flush().expect("flush");
        drop(store);
        let opened = open(folder.path());
        assert_eq!(opened.notice, None, "the next start knows what it is");
        assert_much(&*opened.store);
    }

    #[cfg(unix)]
    #[test]
    fn a_store_stays_open_while_there_is_no_room_to_open_it_again() {
        let folder = tempfile::tempdir().expect("tempdir");
        let store = disk_store(folder.path());
        put_much(&store);
        // Nothing can be written to this.
        std::os::unix::fs::symlink("/dev/full", folder.path().join("damaged.room")).expect("a link");
        assert!(store.release_memory().is_err(), "there is no room");
        assert!(store.current_store().is_open());
        assert_much(&store);
    }

    #[cfg(unix)]
    #[test]
    fn a_store_that_is_damaged_when_it_is_opened_again_is_left_to_the_next_start() {
        let folder = tempfile::tempdir().expect("tempdir");
        let store = disk_store(folder.path());
        put_much(&store);
        store.flush().expect("flush");
        for entry in fs::read_dir(folder.path().join("data")).expect("a folder").flatten() {
            if entry.file_name() != "conf" && entry.path().is_file() {
                fs::write(entry.path(), [0x5a; 4_096].repeat(64)).expect("write");
            }
        }
        let refused = store.release_memory();
        assert!(matches!(refused, Err(StoreError::Damaged(_))), "{refused:?}");
        let read = store.get(StoreTree::Facts, &0_u32.to_le_bytes());
        assert!(matches!(read, Err(StoreError::Damaged(_))), "{read:?}");
        drop(store);
        let notice = open(folder.path()).notice;
        assert!(matches!(notice, Some(crate::StoreNotice::Rebuilt { .. })), "{notice:?}");
    }

    /// Windows renames no folder with open files.
    #[cfg(unix)]
    #[test]
    fn a_store_that_cannot_be_opened_again_fails_until_it_can() {
        let folder = tempfile::tempdir().expect("tempdir");
        let store = disk_store(folder.path());
        put_much(&store);
        let (data, aside) = (folder.path().join("data"), folder.path().join("elsewhere"));
        fs::rename(&data, &aside).expect("rename");
        fs::write(&data, "a file in its place").expect("write");
        assert!(store.release_memory().is_err(), "there is no database");
        let key = 0_u32.to_le_bytes();
        assert!(store.get(StoreTree::Facts, &key).is_err());
        assert!(store.put(StoreTree::Facts, &key, b"").is_err());
        assert!(store.keys(StoreTree::Facts, b"").is_err());
        assert!(store.flush().is_err());
        fs::remove_file(&data).expect("remove");
        fs::rename(&aside, &data).expect("rename");
        // A full disk leaves such a summary.
        fs::write(data.join("snap.7FFFFFFFFFFFFFFF.generating"), "torn").expect("write");
        assert_much(&store);
    }
}
