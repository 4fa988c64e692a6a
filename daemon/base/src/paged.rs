//! Lists that the system may put out of memory, and takes back by itself when they are read.
//!
//! A list is copied into a mapping of a file without a name, so it takes no memory of the process's own: its pages belong to the system,
//! which writes them to the file when it wants the memory, and reads them again when somebody looks. This is for what is large and
//! mostly not looked at, such as the facts of a kernel's files. Nothing of it outlives the process; no other user can open the file.
//!
//! Space is given back a segment at a time, once the last list in it is dropped. Few lists should therefore go here that are dropped
//! soon: what is edited belongs on the heap. A store whose segments hold little more than dropped lists makes no further ones.
//!
//! A page that has no room on the disk when it is written ends the process. So a segment is made only on file systems on which reserved
//! room is sure (ext4, XFS), all of it is reserved before anything is written, and the disk keeps room for others. On file systems
//! that copy when they write, in memory, over a network, and on other systems than Linux, [`PagedStore::place`] returns `None`, and the
//! caller keeps its list.
//!
//! Disks fail. [`PagedStore::settle`] writes pages before it gives them up, and keeps them if writing failed. A page that the disk
//! cannot read back ends the daemon by SIGBUS, as with the mapped files of [`region`](crate::region). What is left is a disk that
//! loses what the system wrote by itself, before `settle` asked: like any memory that fails, that cannot be told here.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use memmap2::MmapRaw;

use crate::sync::lock;

/// Bytes of the largest segment that lists share. Tests need no more than a sixteenth.
const SEGMENT: usize = if cfg!(test) { 1 << 20 } else { 16 << 20 };
/// Bytes of a list that has a segment of its own, which goes when the list does.
const ALONE: usize = SEGMENT / 4;
/// Bytes of the first segment. Each later one is as large as all before it, up to the largest, so that small stores stay small.
const FIRST_SEGMENT: usize = SEGMENT / 16;
/// Bytes of shared segments up to which a store makes another one although they hold less than half of it.
const MOST_WASTED: usize = 4 * SEGMENT;
/// Time after which a store tries again to make a shared segment.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// Alignment of every list: no type needs more.
const ALIGNMENT: usize = 16;

/// Places lists in files without names, all in one folder.
pub struct PagedStore {
    folder: PathBuf,
    /// Reserves room for so many bytes on the disk of an empty file; false if it is not sure.
    reserve_room: fn(&File, u64) -> bool,
    open: Mutex<OpenSegment>,
    /// Behind a lock of its own, because making a segment waits for the disk.
    segments: Mutex<Vec<Weak<Segment>>>,
    /// True once pages could not be written: the store then takes no further lists.
    has_failed: AtomicBool,
}

/// The segment that lists are added to.
#[derive(Default)]
struct OpenSegment {
    /// The segment with its bytes that are taken.
    segment: Option<(Arc<Segment>, usize)>,
    /// Bytes of all shared segments that were ever made.
    made: usize,
    /// The time at which there was no room for a shared segment.
    refused: Option<Instant>,
}

/// A mapped file, whose bytes are written once each and read by the lists in it.
struct Segment {
    map: MmapRaw,
    /// True if the file holds several lists, and goes with the last of them.
    is_shared: bool,
    /// Bytes of the lists that are still there. Each clone of a list counts.
    live: AtomicUsize,
    /// True if a list was placed since the segment was last written to the disk.
    is_dirty: AtomicBool,
}

/// A list in a [`PagedStore`]. Clones share the list.
pub struct PagedList<T> {
    items: NonNull<T>,
    len: u32,
    /// Keeps the bytes mapped.
    segment: Arc<Segment>,
}

/// A text in a [`PagedStore`]. Clones share the text.
#[derive(Clone)]
pub struct PagedText(PagedList<u8>);

impl PagedStore {
    /// A store whose files are made in `folder`, once there is something to place. The folder may not exist yet.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            reserve_room: reserve_sure_room,
            open: Mutex::default(),
            segments: Mutex::default(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// A store that trusts any file system and reserves nothing, for tests.
    #[must_use]
    pub fn trusting(folder: PathBuf) -> Self {
        Self { reserve_room: |file, bytes| file.set_len(bytes).is_ok(), ..Self::new(folder) }
    }

    /// Copies a list out of memory. `None` if it is empty, or if there is no room on the disk for it.
    #[must_use]
    #[allow(unsafe_code)]
    pub fn place<T: Copy + Send + Sync + 'static>(&self, items: &[T]) -> Option<PagedList<T>> {
        const { assert!(align_of::<T>() <= ALIGNMENT) };
        if items.is_empty() || size_of::<T>() == 0 {
            return None;
        }
        let len = u32::try_from(items.len()).ok()?;
        let (segment, offset) = self.reserve(size_of_val(items))?;
        // SAFETY: `reserve` hands out these bytes of the mapping once, aligned and within it, so nobody else reads or writes them while
        // they are written; the mapping is writable, and lives as long as `segment`.
        let start = unsafe {
            let start = segment.map.as_mut_ptr().add(offset).cast::<T>();
            std::ptr::copy_nonoverlapping(items.as_ptr(), start, items.len());
            start
        };
        let list = PagedList { items: NonNull::new(start)?, len, segment };
        list.count(true);
        list.segment.is_dirty.store(true, Ordering::Release);
        Some(list)
    }

    /// Copies a list out of memory if it is so long that it has a file of its own, whose room comes back with it. So lists may go here
    /// that are replaced often.
    #[must_use]
    pub fn place_alone<T: Copy + Send + Sync + 'static>(&self, items: &[T]) -> Option<PagedList<T>> {
        if size_of_val(items) >= ALONE { self.place(items) } else { None }
    }

    /// Copies a text out of memory, as [`PagedStore::place`] does a list.
    #[must_use]
    pub fn place_text(&self, text: &str) -> Option<PagedText> {
        self.place(text.as_bytes()).map(PagedText)
    }

    /// Writes all lists to the disk and tells the system that it may have their memory; the next look at one reads its pages from the
    /// page cache or the disk. Waits for the disk.
    ///
    /// # Errors
    /// If they could not be written. They then stay in memory, and the store takes no further ones.
    pub fn settle(&self) -> io::Result<()> {
        if self.has_failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        for segment in self.segments() {
            // A segment that is clean already would still have the disk empty its own cache.
            if segment.is_dirty.swap(false, Ordering::AcqRel) {
                segment.map.flush().inspect_err(|_| self.has_failed.store(true, Ordering::Relaxed))?;
            }
            segment.release_pages();
        }
        Ok(())
    }

    /// Tells the system that it may have the memory of all lists, which it writes by itself, without waiting.
    pub fn release(&self) {
        if !self.has_failed.load(Ordering::Relaxed) {
            self.segments().iter().for_each(|segment| segment.release_pages());
        }
    }

    /// Returns the bytes of the files that lists are in.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.segments().iter().map(|segment| segment.map.len() as u64).sum()
    }

    fn segments(&self) -> Vec<Arc<Segment>> {
        lock(&self.segments).iter().filter_map(Weak::upgrade).collect()
    }

    /// Takes bytes of a segment for the caller alone.
    fn reserve(&self, bytes: usize) -> Option<(Arc<Segment>, usize)> {
        if self.has_failed.load(Ordering::Relaxed) {
            return None;
        }
        if bytes >= ALONE {
            return Some((self.add_segment(bytes, false)?, 0));
        }
        let mut open = lock(&self.open);
        if let Some((segment, used)) = &mut open.segment
            && let Some(end) = used.checked_add(bytes).filter(|end| *end <= segment.map.len())
        {
            let offset = std::mem::replace(used, end.next_multiple_of(ALIGNMENT));
            return Some((Arc::clone(segment), offset));
        }
        if open.refused.is_some_and(|refused| refused.elapsed() < TRY_AGAIN) {
            return None;
        }
        let size = open.made.clamp(FIRST_SEGMENT, SEGMENT).max(bytes);
        let segment = if self.may_grow(bytes, size) { self.add_segment(size, true) } else { None };
        let Some(segment) = segment else {
            open.refused = Some(Instant::now());
            return None;
        };
        open.refused = None;
        open.made = open.made.saturating_add(size);
        open.segment = Some((Arc::clone(&segment), bytes.next_multiple_of(ALIGNMENT)));
        Some((segment, 0))
    }

    fn add_segment(&self, bytes: usize, is_shared: bool) -> Option<Arc<Segment>> {
        let segment = Arc::new(Segment::create_mapped(&self.folder, bytes, self.reserve_room, is_shared)?);
        let mut segments = lock(&self.segments);
        segments.retain(|segment| segment.strong_count() > 0);
        segments.push(Arc::downgrade(&segment));
        Some(segment)
    }

    /// Returns true if a further shared segment of `size` bytes for a list of `bytes` leaves the shared ones well used.
    fn may_grow(&self, bytes: usize, size: usize) -> bool {
        let (mut files, mut live) = (size as u64, bytes as u64);
        for segment in self.segments().iter().filter(|segment| segment.is_shared) {
            files += segment.map.len() as u64;
            live += segment.live.load(Ordering::Relaxed).min(segment.map.len()) as u64;
        }
        files <= 2 * live + MOST_WASTED as u64
    }
}

impl fmt::Debug for PagedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagedStore").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Segment {
    /// A new file of this length, with room on the disk for all of it; `None` where that cannot be had.
    #[cfg(target_os = "linux")]
    fn create_mapped(
        folder: &Path,
        bytes: usize,
        reserve_room: fn(&File, u64) -> bool,
        is_shared: bool,
    ) -> Option<Self> {
        std::fs::create_dir_all(folder).ok()?;
        let file = tempfile::tempfile_in(folder).ok()?;
        if !reserve_room(&file, bytes as u64) {
            return None;
        }
        Some(Self {
            map: MmapRaw::map_raw(&file).ok()?,
            is_shared,
            live: AtomicUsize::new(0),
            is_dirty: AtomicBool::new(false),
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn create_mapped(
        _folder: &Path,
        _bytes: usize,
        _reserve_room: fn(&File, u64) -> bool,
        _is_shared: bool,
    ) -> Option<Self> {
        None
    }

    #[cfg(target_os = "linux")]
    #[allow(unsafe_code)]
    fn release_pages(&self) {
        // SAFETY: the mapping is of a file and shared, so its pages keep their bytes in the file. A failure leaves them in memory.
        let _ = unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }

    #[cfg(not(target_os = "linux"))]
    fn release_pages(&self) {}
}

/// Reserves room for a file if that is sure to be there when it is written to, and if the disk has enough left for others.
#[cfg(target_os = "linux")]
fn reserve_sure_room(file: &File, bytes: u64) -> bool {
    /// The numbers by which the system knows ext4 and XFS. Its elders have ext4's, and refuse to reserve.
    const KINDS: [u64; 2] = [0xEF53, 0x5846_5342];
    /// Bytes that stay free: a twentieth of the disk, but between these.
    const LEFT_FREE: (u64, u64) = (1 << 30, 10 << 30);
    let (Ok(kind), Ok(disk)) = (rustix::fs::fstatfs(file), rustix::fs::fstatvfs(file)) else { return false };
    let left = (disk.f_blocks.saturating_mul(disk.f_frsize) / 20).clamp(LEFT_FREE.0, LEFT_FREE.1);
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    KINDS.contains(&(kind.f_type as u64 & 0xFFFF_FFFF))
        && free >= left.saturating_add(bytes)
        && rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn reserve_sure_room(_file: &File, _bytes: u64) -> bool {
    false
}

#[allow(unsafe_code)]
// SAFETY: a list is never written to after it was placed, so threads may share it if they may share its items.
unsafe impl<T: Send + Sync> Send for PagedList<T> {}
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for PagedList<T> {}

impl<T> Deref for PagedList<T> {
    type Target = [T];

    #[allow(unsafe_code)]
    fn deref(&self) -> &[T] {
        // SAFETY: `place` wrote as many items there, aligned; nobody writes them again, and `segment` keeps them mapped.
        unsafe { std::slice::from_raw_parts(self.items.as_ptr(), self.len as usize) }
    }
}

impl<T> PagedList<T> {
    /// Counts the bytes of the list among those of its segment that are there, or no longer.
    fn count(&self, is_there: bool) {
        let bytes = self.len as usize * size_of::<T>();
        let live = &self.segment.live;
        if is_there {
            live.fetch_add(bytes, Ordering::Relaxed)
        } else {
            live.fetch_sub(bytes, Ordering::Relaxed)
        };
    }
}

impl<T> Clone for PagedList<T> {
    fn clone(&self) -> Self {
        let list = Self { items: self.items, len: self.len, segment: Arc::clone(&self.segment) };
        list.count(true);
        list
    }
}

impl<T> Drop for PagedList<T> {
    fn drop(&mut self) {
        self.count(false);
    }
}

impl Deref for PagedText {
    type Target = str;

    #[allow(unsafe_code)]
    fn deref(&self) -> &str {
        // SAFETY: `place_text` was given a text, and a list never changes.
        unsafe { std::str::from_utf8_unchecked(&self.0) }
    }
}

impl fmt::Debug for PagedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: fmt::Debug> fmt::Debug for PagedList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn lists_are_what_they_were_after_their_memory_is_released() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = PagedStore::trusting(folder.path().join("made/when/needed"));
        let small: Vec<u8> = (0..=255).collect();
        let large: Vec<u64> = (0..3 * SEGMENT as u64 / 8).collect();
        let lists: Vec<_> = (0..100).map(|_| store.place(&small).expect("there is room")).collect();
        let alone = store.place(&large).expect("there is room");
        let pairs = store.place(&[(1u8, 'ä'), (2, 'ß')]).expect("there is room");
        let text = store.place_text("ä text").expect("there is room");
        for _ in 0..2 {
            store.settle().expect("the disk works");
            store.release();
            assert!(lists.iter().all(|list| **list == *small) && *alone == *large);
            assert_eq!((&*pairs, &*text), (&[(1, 'ä'), (2, 'ß')][..], "ä text"));
        }
        assert!(store.place::<u32>(&[]).is_none());
        let named =
            std::fs::read_dir(folder.path().join("made/when/needed")).expect("the folder was made").count();
        assert_eq!(named, 0, "nobody can open them");
    }

    #[test]
    fn the_disk_gets_its_room_back_with_the_last_list_of_a_segment() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = PagedStore::trusting(folder.path().to_path_buf());
        let large = vec![7u8; SEGMENT];
        let first = store.place(&large).expect("there is room");
        let second = first.clone();
        assert_eq!(store.file_bytes(), SEGMENT as u64);
        drop(first);
        assert_eq!((store.file_bytes(), second[SEGMENT - 1]), (SEGMENT as u64, 7));
        drop(second);
        assert_eq!(store.file_bytes(), 0);
    }

    #[test]
    fn threads_place_and_read_side_by_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = PagedStore::trusting(folder.path().to_path_buf());
        let place_lists = |thread: u32| {
            let lists: Vec<(Vec<u32>, PagedList<u32>)> = (0..500)
                .map(|round| {
                    let items = vec![thread * 1_000 + round; 1 + (round as usize * 37) % 9_000];
                    let placed = store.place(&items).expect("there is room");
                    (items, placed)
                })
                .collect();
            store.release();
            assert!(lists.iter().all(|(items, placed)| *items == **placed));
            lists
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || place_lists(thread))).collect();
            // All lists stay until the last thread is done. If a fast thread dropped its own, the store would hold little more than
            // dropped lists, and refuse to grow for the slow ones.
            let lists: Vec<_> =
                threads.into_iter().map(|thread| thread.join().expect("the thread ends well")).collect();
            assert!(lists.iter().flatten().all(|(items, placed)| *items == **placed));
        });
    }

    #[test]
    fn without_room_lists_stay_where_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "no folder").expect("it can be written");
        let refusing =
            PagedStore { reserve_room: |_, _| false, ..PagedStore::new(folder.path().to_path_buf()) };
        for store in [PagedStore::trusting(file), refusing] {
            assert!(store.place(&[1u8, 2]).is_none() && store.place(&[1u8, 2]).is_none());
        }
    }

    #[test]
    fn a_store_of_few_lists_in_many_files_takes_no_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = PagedStore::trusting(folder.path().to_path_buf());
        let most = vec![7u8; ALONE - 16];
        // Each segment is held by a short list alone.
        let held = std::iter::from_fn(|| {
            let long: Option<Vec<_>> = (0..4).map(|_| store.place(&most)).collect();
            let short = store.place(&[1u8; 16])?;
            long.map(|_| short)
        });
        let held: Vec<_> = held.take(100).collect();
        assert!((2..20).contains(&held.len()), "{} lists of 16 bytes hold a file each", held.len());
        // When the last file was made, a segment's worth of long lists was there, which counts twice.
        assert!(store.file_bytes() <= (MOST_WASTED + 2 * SEGMENT) as u64);
        drop(held);
        assert!(store.file_bytes() <= SEGMENT as u64, "the one that is open");
    }
}
