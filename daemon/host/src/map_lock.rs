//! The lock around the map of a workspace, which lets readers in between the slices of a change.
//!
//! The standard lock keeps new readers out as soon as somebody waits to write, so that one long question, or something made of the
//! whole map aside, has everybody wait for it. Here a writer first looks for a moment without readers and lets new ones in
//! meanwhile; only when it has found none for [`PATIENCE`] does it stand in their way. Whoever reads for long and may let go asks
//! [`MapLock::is_wanted`].
//!
//! A change that takes longer than [`SLICE`] is made in slices, and between two of them come the readers that wait
//! ([`MapLock::write_in_slices`]). What was taken out is dropped without the lock.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use hob_map::Map;

/// Longest time that a writer lets new readers pass before it.
const PATIENCE: Duration = Duration::from_millis(20);
/// Time between two looks for a moment without readers.
const LOOK: Duration = Duration::from_micros(50);
/// Longest time that one slice of a change should take.
const SLICE: Duration = Duration::from_millis(1);
/// Longest time that the next slice waits for readers to come in: they only have to be woken.
const TURN: Duration = Duration::from_millis(2);

/// A wait of a reader from which on it counts as long.
const LONG_WAIT: Duration = Duration::from_millis(2);

/// The waits of readers for changes of the map, since the workspace was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReaderWaits {
    /// Number of readers that had to wait.
    pub count: u64,
    /// Number of those that waited for 2 ms or longer.
    pub long: u64,
    /// The longest wait.
    pub longest: Duration,
}

/// Counts the waits of readers.
#[derive(Debug, Default)]
struct ReaderWaitCounts {
    count: AtomicU64,
    long: AtomicU64,
    longest_micros: AtomicU64,
}

impl ReaderWaitCounts {
    fn add(&self, wait: Duration) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.long.fetch_add(u64::from(wait >= LONG_WAIT), Ordering::Relaxed);
        let micros = u64::try_from(wait.as_micros()).unwrap_or(u64::MAX);
        self.longest_micros.fetch_max(micros, Ordering::Relaxed);
    }
}

/// The map of a workspace, for many readers or one change at a time.
#[derive(Debug)]
pub(super) struct MapLock {
    map: RwLock<Map>,
    /// Longest time that a writer lets new readers pass before it.
    patience: Duration,
    /// Number of threads that wait to change the map.
    writers: AtomicUsize,
    /// Number of threads that found the map being changed and wait to read it.
    readers: AtomicUsize,
    waits: ReaderWaitCounts,
}

impl Default for MapLock {
    fn default() -> Self {
        Self::with_patience(PATIENCE)
    }
}

impl MapLock {
    fn with_patience(patience: Duration) -> Self {
        Self {
            map: RwLock::default(),
            patience,
            writers: AtomicUsize::default(),
            readers: AtomicUsize::default(),
            waits: ReaderWaitCounts::default(),
        }
    }

    /// Reads the map.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Map> {
        match self.map.try_read() {
            Ok(map) => map,
            // A second look would wait behind a writer that waits for the guard in this very error.
            Err(TryLockError::Poisoned(map)) => map.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let begun = Instant::now();
                self.readers.fetch_add(1, Ordering::AcqRel);
                let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
                self.readers.fetch_sub(1, Ordering::AcqRel);
                self.waits.add(begun.elapsed());
                map
            }
        }
    }

    /// Returns how readers have waited so far.
    pub(super) fn reader_waits(&self) -> ReaderWaits {
        let ReaderWaitCounts { count, long, longest_micros } = &self.waits;
        ReaderWaits {
            count: count.load(Ordering::Relaxed),
            long: long.load(Ordering::Relaxed),
            longest: Duration::from_micros(longest_micros.load(Ordering::Relaxed)),
        }
    }

    /// Returns true if a thread waits to change the map.
    pub(super) fn is_wanted(&self) -> bool {
        self.writers.load(Ordering::Relaxed) > 0
    }

    /// Lets those who wait to change the map do so, for whoever lets go of it for them and comes back: without waiting here it would
    /// have it again before they are awake.
    pub(super) fn give_way(&self) {
        while self.is_wanted() {
            thread::sleep(LOOK);
        }
    }

    /// Calls `step` with the map until it says that all is done. It is asked to stop as soon as somebody waits to change the map and the
    /// slice is over.
    pub(super) fn read_in_slices(&self, mut step: impl FnMut(&Map, &dyn Fn() -> bool) -> bool) {
        loop {
            let map = self.read();
            let until = Instant::now() + SLICE;
            if step(&map, &|| !self.is_wanted() || Instant::now() < until) {
                return;
            }
            drop(map);
            self.give_way();
        }
    }

    /// Makes a change that is quick. What it takes out and is large, it returns, so that the caller drops it.
    pub(super) fn write<T>(&self, change: impl FnOnce(&mut Map) -> T) -> T {
        let mut map = self.lock(Instant::now() + self.patience);
        let outcome = change(&mut map);
        let waste = map.take_waste();
        drop(map);
        drop(waste);
        outcome
    }

    /// Calls `step` until it says that all is done, each time with the map and with a function that says whether the slice has time
    /// left. The map is wanted until then, so that whoever reads for long does not begin between two slices.
    pub(super) fn write_in_slices(&self, mut step: impl FnMut(&mut Map, &dyn Fn() -> bool) -> bool) {
        let _wanted = WantedMap::new(&self.writers);
        let patient_until = Instant::now() + self.patience;
        loop {
            let mut map = self.lock(patient_until);
            let until = Instant::now() + SLICE;
            let is_done = step(&mut map, &|| Instant::now() < until);
            let waste = map.take_waste();
            drop(map);
            drop(waste);
            if is_done {
                return;
            }
            self.let_readers_in();
        }
    }

    /// Takes the lock for a change: lets new readers pass until `patient_until`, and then no longer.
    fn lock(&self, patient_until: Instant) -> RwLockWriteGuard<'_, Map> {
        // Once it is taken, a reader waits by itself.
        let _wanted = WantedMap::new(&self.writers);
        self.lock_between_readers(patient_until)
            .unwrap_or_else(|| self.map.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the lock if there is a moment without readers until then.
    fn lock_between_readers(&self, patient_until: Instant) -> Option<RwLockWriteGuard<'_, Map>> {
        loop {
            match self.map.try_write() {
                Ok(map) => return Some(map),
                Err(TryLockError::Poisoned(map)) => return Some(map.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() < patient_until => thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => return None,
            }
        }
    }

    /// Waits until those who wait to read do so. Without it the next slice would take the lock before they are awake.
    fn let_readers_in(&self) {
        let until = Instant::now() + TURN;
        while self.readers.load(Ordering::Acquire) > 0 && Instant::now() < until {
            thread::yield_now();
        }
    }
}

/// Counts one thread that wants to change the map, until it is dropped.
struct WantedMap<'l>(&'l AtomicUsize);

impl<'l> WantedMap<'l> {
    fn new(writers: &'l AtomicUsize) -> Self {
        writers.fetch_add(1, Ordering::AcqRel);
        Self(writers)
    }
}

impl Drop for WantedMap<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc::channel;

    use hob_base::FileId;
    use hob_map::graph::MapChange;

    use super::*;

    fn remove(file: u32) -> MapChange {
        MapChange::Remove { file: FileId(file) }
    }

    /// A reader that holds the map for as long as a writer waits, and another that comes meanwhile: it gets in.
    #[test]
    fn a_reader_comes_in_while_a_writer_waits_for_another_reader() {
        let lock = MapLock::with_patience(Duration::from_secs(3_600));
        let (done, ended) = channel();
        thread::scope(|scope| {
            let held = lock.read();
            scope.spawn(|| {
                lock.write(|map| map.apply(vec![remove(0)]));
                done.send(()).expect("somebody waits");
            });
            while !lock.is_wanted() {
                thread::yield_now();
            }
            // It would wait for ever if it came behind a writer that waits for `held`, which this thread has.
            assert_eq!(lock.read().stats().files, 0);
            drop(held);
            ended.recv().expect("it writes once nobody reads");
        });
        assert!(!lock.is_wanted());
    }

    /// A reader that waits for a change in slices gets its turn after the slice in which it came.
    #[test]
    fn a_reader_gets_its_turn_between_two_slices() {
        const SLICES: usize = 200;
        let lock = MapLock::default();
        let (begun, slice) = (Barrier::new(2), AtomicUsize::new(0));
        let seen = thread::scope(|scope| {
            let reader = scope.spawn(|| {
                begun.wait();
                let _map = lock.read();
                slice.load(Ordering::SeqCst)
            });
            lock.write_in_slices(|_, _| {
                let number = slice.fetch_add(1, Ordering::SeqCst) + 1;
                if number == 1 {
                    begun.wait();
                    // Until it stands at the lock.
                    while lock.readers.load(Ordering::SeqCst) == 0 {
                        thread::yield_now();
                    }
                }
                thread::sleep(LOOK);
                number == SLICES
            });
            reader.join().expect("it reads")
        });
        assert!(seen < SLICES / 2, "it read after {seen} of {SLICES} slices");
        assert!(!lock.is_wanted());
        let waits = lock.reader_waits();
        assert_eq!(waits.count, 1);
        assert!(waits.longest > Duration::ZERO);
    }

    /// A panic in a change leaves a lock that readers and writers still get, at the same time.
    #[test]
    fn after_a_panic_in_a_change_readers_and_writers_go_on() {
        let lock = MapLock::with_patience(Duration::ZERO);
        let panicking = || lock.write(|_| panic!("a bug"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panicking)).is_err());
        assert!(!lock.is_wanted(), "who failed wants it no longer");
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..500).for_each(|_| drop(lock.read())));
                scope.spawn(|| (0..500).for_each(|_| lock.write(|map| map.apply(vec![remove(0)]))));
            }
        });
        assert_eq!(lock.read().stats().files, 0);
    }
}
