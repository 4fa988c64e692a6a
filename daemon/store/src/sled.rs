//! Implements the store on disk with sled; the only file that knows sled.
//!
//! sled panics on some damaged files, while opening and also later, so every call into it is guarded: a panic
//! becomes [`StoreError::Damaged`] and leaves a mark beside the database, by which the next start knows to
//! rebuild it. The periodic flush is off, because it would wake an idle daemon twice a second. The thread
//! that flushes would also clean half-empty segments; `disk` does that work instead.
//!
//! sled notes uses of pages in 256 queues of 64, and looks at the limit of its cache only when one is full. So after many
//! entries were read or written it holds up to 16,000 pages more than its cache may, and keeps them while nothing else
//! happens. [`SledStore::reopen_database`] gives their memory back.
//!
//! sled's pool of threads for input and output belongs to the process and stays when the last database is
//! closed. Each of its seven lasting threads checks its queue once a second; [`PatientStart`] makes that once
//! an hour on Linux.

use std::fs::{self, File};
use std::io::{self, Read as _};
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::thread;

use crate::trees::{Store, StoreError, StoreOperation, StoreTree};

/// Most pauses before a locked database counts as another's: one that was closed a moment ago stays locked until sled's
/// own threads release it. The first pause is a millisecond, and each is twice as long as the one before: a second in all.
const LOCK_PAUSES: u32 = 10;

/// The cache is small, because facts are read once per file and then live in the map, so a large cache would
/// only hold them twice. With 64 MiB, sled takes four times the memory for the first 25,000 writes and saves
/// less than a fifth of the time; below 16 MiB, its data about each page outweighs its cache
/// (docs/endurance.md).
const CACHE_BYTES: u64 = 16 << 20;

/// Bytes of values, read and written, after which sled may hold much more than its cache. Tests write little.
const REOPENING_BYTES: u64 = if cfg!(test) { 64 << 10 } else { 2 * CACHE_BYTES };

/// Bytes that must be free on the disk beside what sled's summaries of the log take twice over.
const LEAST_ROOM: u64 = 1 << 20;

/// A database in a folder.
pub(crate) struct SledStore {
    folder: PathBuf,
    /// The database, or the failure of the last attempt to open it again.
    opened: Result<OpenDb, ReopenFailure>,
    damage_mark: PathBuf,
    /// The bytes of the values that were read and written since it was opened.
    handled_bytes: AtomicU64,
}

/// Why a database could not be opened again.
struct ReopenFailure {
    why: String,
    is_damaged: bool,
}

impl ReopenFailure {
    fn new(error: &StoreError) -> Self {
        match error {
            StoreError::Damaged(why) => Self { why: why.clone(), is_damaged: true },
            StoreError::Io(error) => Self { why: error.to_string(), is_damaged: false },
        }
    }

    fn to_error(&self) -> StoreError {
        if self.is_damaged {
            StoreError::Damaged(self.why.clone())
        } else {
            StoreError::Io(io::Error::other(format!("it could not be opened again: {}", self.why)))
        }
    }
}

struct OpenDb {
    db: sled::Db,
    /// The open trees, in the order of [`StoreTree::ALL`].
    trees: Vec<sled::Tree>,
}

impl OpenDb {
    /// Opens or creates a database in `folder`, and waits for a moment if it is still locked.
    fn open_patiently(folder: &Path) -> Result<Self, StoreError> {
        remove_unfinished(folder)?;
        let mut opened = Self::open(folder);
        for pause in 0..LOCK_PAUSES {
            if !opened.as_ref().is_err_and(is_locked) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1 << pause));
            opened = Self::open(folder);
        }
        opened
    }

    fn open(folder: &Path) -> Result<Self, StoreError> {
        let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).flush_every_ms(None);
        catch_failures(|| {
            let patient = PatientStart::begin();
            let db = config.open()?;
            patient.start_pool(&db);
            let trees =
                StoreTree::ALL.iter().map(|tree| db.open_tree(tree.name())).collect::<Result<_, _>>()?;
            Ok(Self { db, trees })
        })
    }
}

impl SledStore {
    /// Opens or creates a database in `folder`. `damage_mark` is the file that it writes when damage shows
    /// later.
    pub(crate) fn open(folder: &Path, damage_mark: PathBuf) -> Result<Self, StoreError> {
        let opened = Ok(OpenDb::open_patiently(folder)?);
        Ok(Self { folder: folder.to_path_buf(), opened, damage_mark, handled_bytes: AtomicU64::new(0) })
    }

    /// Closes the database and opens it again, which gives the memory of its pages back.
    ///
    /// # Errors
    /// [`StoreError`] when the disk has no room for what an opening writes, and the database stays open; or when it cannot be
    /// opened again, and every call fails until this one succeeds.
    pub(crate) fn reopen_database(&mut self) -> Result<(), StoreError> {
        if self.is_open() {
            self.flush()?;
            self.check_room()?;
        }
        self.close();
        let opened = OpenDb::open_patiently(&self.folder);
        if let Err(error) = &opened {
            self.opened = Err(ReopenFailure::new(error));
        }
        self.opened = Ok(self.mark_damage(opened)?);
        self.handled_bytes = AtomicU64::new(0);
        Ok(())
    }

    /// Fails if the disk has no room for what sled writes while it opens a database: a new summary of the log. The room is
    /// tried out, because quotas and limits of file sizes refuse it as well as a full disk.
    fn check_room(&self) -> io::Result<()> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let summaries = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("snap."));
        let needed: u64 =
            summaries.filter_map(|entry| entry.metadata().ok()).map(|summary| summary.len()).sum();
        let probe = self.damage_mark.with_extension("room");
        let written = File::create(&probe)
            .and_then(|mut file| io::copy(&mut io::repeat(0).take(2 * needed + LEAST_ROOM), &mut file));
        let removed = fs::remove_file(&probe);
        match written {
            // Somebody has removed the folder. Opening makes another.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            written => written.and(removed),
        }
    }

    /// Returns true if the database may hold much more memory than its cache may take, or is closed but not damaged.
    pub(crate) fn is_reopening_due(&self) -> bool {
        if !self.is_open() {
            return !self.is_damaged();
        }
        self.handled_bytes.load(Ordering::Relaxed) > REOPENING_BYTES
    }

    pub(crate) fn is_open(&self) -> bool {
        self.opened.is_ok()
    }

    /// Returns true if the database was found damaged when it was opened again, which only the next start can mend.
    pub(crate) fn is_damaged(&self) -> bool {
        self.opened.as_ref().is_err_and(|failure| failure.is_damaged)
    }

    fn close(&mut self) {
        let closed = ReopenFailure { why: "it is closed".to_owned(), is_damaged: false };
        // sled flushes when dropped, and may panic in doing so.
        let opened = std::mem::replace(&mut self.opened, Err(closed));
        if catch_unwind(AssertUnwindSafe(|| drop(opened))).is_err() {
            tracing::warn!("the store could not be closed in order");
        }
    }

    fn open_db(&self) -> Result<&OpenDb, StoreError> {
        self.opened.as_ref().map_err(ReopenFailure::to_error)
    }

    fn sled_tree(&self, tree: StoreTree) -> Result<&sled::Tree, StoreError> {
        Ok(&self.open_db()?.trees[tree as usize])
    }

    /// Counts the bytes of a value that was read or written.
    fn count_handled(&self, value: &[u8]) {
        self.handled_bytes.fetch_add(value.len() as u64, Ordering::Relaxed);
    }

    /// Runs `work`; if damage shows, leaves the mark for the next start.
    fn run<T>(&self, work: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
        self.mark_damage(catch_failures(work))
    }

    /// Leaves the mark for the next start if a result shows damage.
    fn mark_damage<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Damaged(why)) = &result {
            tracing::warn!(why, "the store is damaged");
            // If even the mark cannot be written, the next start meets the damage again by itself.
            let _ = fs::write(&self.damage_mark, why);
        }
        result
    }
}

impl Store for SledStore {
    fn get(&self, tree: StoreTree, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let tree = self.sled_tree(tree)?;
        let value = self.run(|| Ok(tree.get(key)?.map(|value| value.to_vec())))?;
        self.count_handled(value.as_deref().unwrap_or_default());
        Ok(value)
    }

    fn batch(&self, tree: StoreTree, ops: Vec<StoreOperation>) -> Result<(), StoreError> {
        let tree = self.sled_tree(tree)?;
        let mut batch = sled::Batch::default();
        for op in ops {
            match op {
                StoreOperation::Put { key, value } => {
                    self.count_handled(&value);
                    batch.insert(key, value);
                }
                StoreOperation::Remove { key } => batch.remove(key),
            }
        }
        self.run(|| tree.apply_batch(batch))
    }

    fn each(
        &self,
        tree: StoreTree,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let tree = self.sled_tree(tree)?;
        let mut entries = self.run(|| Ok(tree.scan_prefix(prefix)))?;
        // Only sled's own step is guarded: a panic in `visit` is the caller's.
        while let Some((key, value)) = self.run(|| entries.next().transpose())? {
            self.count_handled(&value);
            if !visit(&key, &value) {
                break;
            }
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), StoreError> {
        let db = &self.open_db()?.db;
        self.run(|| db.flush().map(|_bytes| ()))
    }

    fn size_on_disk(&self) -> u64 {
        self.open_db().and_then(|opened| self.run(|| opened.db.size_on_disk())).unwrap_or(0)
    }
}

impl Drop for SledStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for SledStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SledStore").finish_non_exhaustive()
    }
}

/// Makes the threads that sled starts meanwhile wait long: a thread inherits the time by which the kernel may
/// prolong its waits. The pool's threads wait for work, which wakes them at once, so they need no clock.
struct PatientStart {
    #[cfg(target_os = "linux")]
    before: Option<NonZeroU64>,
}

#[cfg(target_os = "linux")]
impl PatientStart {
    /// The time by which the kernel may prolong a wait, in nanoseconds: an hour.
    const SLACK: Option<NonZeroU64> = NonZeroU64::new(3_600_000_000_000);

    /// Prolongs the waits of this thread; if the kernel refuses, sled's threads check once a second as usual.
    fn begin() -> Self {
        let before = thread::current_timer_slack().ok().and_then(NonZeroU64::new);
        let _ = thread::set_current_timer_slack(Self::SLACK);
        Self { before }
    }
}

#[cfg(target_os = "linux")]
impl Drop for PatientStart {
    fn drop(&mut self) {
        let _ = thread::set_current_timer_slack(self.before);
    }
}

#[cfg(not(target_os = "linux"))]
impl PatientStart {
    fn begin() -> Self {
        Self {}
    }
}

impl PatientStart {
    /// Makes sled start its pool now; a database that is only opened does not start it. This is useful on
    /// Linux alone: elsewhere, a thread of the pool would hold the files for a moment longer than their
    /// owner.
    fn start_pool(self, db: &sled::Db) {
        if !cfg!(target_os = "linux") {
            return;
        }
        // The first step of an asynchronous flush hands it to the pool; nobody waits for its end. Threads
        // that the pool adds under load inherit the long waits and stay longer than sled intends; they do not
        // wake.
        let flush = std::pin::pin!(db.flush_async());
        let _ = flush.poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// Removes an unfinished summary of the log: while opening, sled writes it under the name `snap.….generating`
/// and renames it. If sled was killed in between, it would take the torn file for the newest summary and the
/// whole database for damaged.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Returns true if another process has the database open.
fn is_locked(error: &StoreError) -> bool {
    // sled wraps the system's error in a message of its own.
    matches!(error, StoreError::Io(error) if error.to_string().contains("could not acquire lock"))
}

/// Runs `work` and turns sled's panics and errors into errors of the store.
fn catch_failures<T>(work: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(translate_error),
        Err(panic) => Err(StoreError::Damaged(panic_text(panic.as_ref()))),
    }
}

fn translate_error(error: sled::Error) -> StoreError {
    match error {
        sled::Error::Io(e) if is_damage(&e) => StoreError::Damaged(e.to_string()),
        sled::Error::Io(e) => StoreError::Io(e),
        other => StoreError::Damaged(other.to_string()),
    }
}

/// Returns true for errors that the file's contents cause rather than the disk.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .and_then(|text| text.lines().next())
        .unwrap_or("it cannot be read")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel tells a thread's own slack in its folder of `/proc`.
    #[cfg(target_os = "linux")]
    #[test]
    fn threads_of_the_pool_wait_patiently_and_the_opener_does_not() {
        let folder = tempfile::tempdir().expect("tempdir");
        let own = thread::current_timer_slack().expect("Linux tells it");
        let store = SledStore::open(folder.path(), folder.path().join("damaged")).expect("it can be made");
        assert_eq!(thread::current_timer_slack().expect("Linux tells it"), own);
        // A thread has its name a moment after its start.
        let mut looks = 0;
        while patient_pool_threads() < 7 {
            assert!(looks < 1000, "{} threads wait patiently", patient_pool_threads());
            looks += 1;
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        drop(store);
    }

    #[cfg(target_os = "linux")]
    fn patient_pool_threads() -> usize {
        let tasks = fs::read_dir("/proc/self/task").expect("Linux has it").flatten();
        let pool = tasks.filter(|task| {
            fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with("sled-io"))
        });
        let slacks = pool.filter_map(|task| {
            let number = task.file_name().into_string().ok()?;
            fs::read_to_string(format!("/proc/{number}/timerslack_ns")).ok()
        });
        let patient = PatientStart::SLACK.map_or(0, NonZeroU64::get).to_string();
        slacks.filter(|slack| slack.trim() == patient).count()
    }

    #[test]
    fn a_full_disk_is_told_from_damage() {
        let full = translate_error(sled::Error::Io(io::ErrorKind::StorageFull.into()));
        assert!(full.is_full() && matches!(full, StoreError::Io(_)));
        let torn = translate_error(sled::Error::Io(io::ErrorKind::UnexpectedEof.into()));
        assert!(matches!(torn, StoreError::Damaged(_)));
        let panicked = catch_failures::<()>(|| panic!("first line\nsecond"));
        assert!(matches!(panicked, Err(StoreError::Damaged(why)) if why == "first line"));
    }
}
