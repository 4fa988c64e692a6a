//! Writes one file of texts once, and maps it.
//!
//! Eight bytes that identify the format and a version come first, then the texts, one after the other; then
//! the table, an entry of 48 bytes per text sorted by hash: hash, start of the text, its length (whose upper
//! bits say that the text is plain: no byte order mark, no NUL; and that it is ASCII); then the number of
//! entries and the blake3 of table and number. All numbers are little-endian.
//!
//! The table is checked when the file is opened, a text when it is first read: its hash is its checksum.
//! Packs that this process wrote need no check.
//!
//! Versions:
//! 1. The first.
//! 2. Says of each text whether it is ASCII.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

use hob_base::{ContentHash, Region};
use memchr::memchr;

use crate::encoding::is_marked;
use crate::trigram::disk::create;

const MAGIC: [u8; 8] = *b"hobtexts";
const VERSION: u32 = 2;
/// Bytes before the texts.
const HEAD: usize = 12;
/// Size of an entry in bytes.
const ENTRY: usize = 48;
/// Size of the number of entries and the checksum, in bytes.
const FOOT: usize = 40;
/// The bit of an entry's length for a plain text.
const PLAIN: u64 = 1 << 63;
/// The bit of an entry's length for an ASCII text.
const ASCII: u64 = 1 << 62;
/// The ending of packs' names.
pub(super) const SUFFIX: &str = ".texts";

/// A file's bytes from the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedText<'a> {
    pub(crate) bytes: &'a [u8],
    /// True if the text has no byte order mark and no NUL.
    pub(crate) is_plain: bool,
    /// True if the text is ASCII.
    pub(crate) is_ascii: bool,
}

/// See the file's header.
#[derive(Debug)]
pub(super) struct Pack {
    path: PathBuf,
    region: Region,
    /// The start of the table.
    table: usize,
    /// The starts in the table of the groups of hashes with the same upper bits: about one hash for each
    /// group, so that finding one reads the mapping once or twice, where a binary search would read it a
    /// dozen times.
    starts: Box<[u32]>,
    /// The state of each text, unseen, good or bad, by place in the table.
    known: Box<[AtomicU8]>,
}

/// The state of a text that has not been checked.
const UNSEEN: u8 = 0;
/// The state of a text that has its hash.
const GOOD: u8 = 1;
/// The state of a damaged text.
const BAD: u8 = 2;

impl Pack {
    /// Opens a pack of an earlier run; `None` if it is not one, or its table is damaged.
    pub(super) fn open(path: &Path) -> Option<Self> {
        Self::open_pack(path, UNSEEN)
    }

    fn open_pack(path: &Path, known: u8) -> Option<Self> {
        let region = Region::open(path).ok()?;
        if !region.starts_with(&head()) {
            return None;
        }
        let foot = region.len().checked_sub(FOOT)?;
        let count = u64::from_le_bytes(*region.get(foot..)?.first_chunk()?);
        let count = usize::try_from(count).ok()?;
        let table = foot.checked_sub(count.checked_mul(ENTRY)?)?;
        if blake3::hash(region.get(table..foot + 8)?).as_bytes()[..] != region[foot + 8..] {
            return None;
        }
        let known = (0..count).map(|_| AtomicU8::new(known)).collect();
        let starts = group_starts(region.get(table..foot)?.as_chunks().0)?;
        Some(Self { path: path.to_owned(), region, table, starts, known })
    }

    /// Returns the number of texts.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn disk_bytes(&self) -> usize {
        self.region.len()
    }

    pub(super) fn private_bytes(&self) -> usize {
        let lists = self.known.len() + size_of_val(&*self.starts);
        lists + if self.region.is_mapped() { 0 } else { self.region.len() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the pack has the text and the text is not known to be damaged.
    pub(super) fn has_text(&self, hash: &ContentHash) -> bool {
        self.place_of(hash).is_some_and(|at| self.known[at].load(Ordering::Relaxed) != BAD)
    }

    /// Returns the text, if the pack has it and it has its hash.
    pub(super) fn get(&self, hash: &ContentHash) -> Option<CachedText<'_>> {
        let at = self.place_of(hash)?;
        let PackEntry { start, len, is_plain, is_ascii, .. } = self.entry_at(at)?;
        let bytes = self.region.get(..self.table)?.get(start..start.checked_add(len)?)?;
        // Two threads may check the same text at once and get the same result.
        let known = match self.known[at].load(Ordering::Relaxed) {
            UNSEEN => self.look_at(at, hash, bytes),
            known => known,
        };
        (known == GOOD).then_some(CachedText { bytes, is_plain, is_ascii })
    }

    fn look_at(&self, at: usize, hash: &ContentHash, bytes: &[u8]) -> u8 {
        let known = if ContentHash::of(bytes) == *hash { GOOD } else { BAD };
        self.known[at].store(known, Ordering::Relaxed);
        known
    }

    /// Returns all hashes with the lengths of their texts.
    pub(super) fn text_lengths(&self) -> impl Iterator<Item = (ContentHash, usize)> {
        self.entries().iter().map(|entry| {
            let entry = PackEntry::read(entry);
            (entry.hash, entry.len)
        })
    }

    fn entries(&self) -> &[[u8; ENTRY]] {
        let end = self.region.len() - FOOT;
        self.region.get(self.table..end).unwrap_or_default().as_chunks().0
    }

    fn entry_at(&self, at: usize) -> Option<PackEntry> {
        self.entries().get(at).map(PackEntry::read)
    }

    fn place_of(&self, hash: &ContentHash) -> Option<usize> {
        let group = group_of(hash.as_bytes(), self.starts.len() - 1);
        let [start, end] = [group, group + 1].map(|at| self.starts[at] as usize);
        let same = self.entries().get(start..end)?;
        let at = start + same.iter().position(|entry| entry.starts_with(hash.as_bytes()))?;
        (at < self.known.len()).then_some(at)
    }
}

fn head() -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..].copy_from_slice(&VERSION.to_le_bytes());
    head
}

/// Returns the group of `hash`, if there are `groups` groups, a power of two.
fn group_of(hash: &[u8], groups: usize) -> usize {
    let upper = hash.first_chunk().map_or(0, |upper| u32::from_be_bytes(*upper));
    ((u64::from(upper) * groups as u64) >> 32) as usize
}

/// Returns the start of each group in a table that is sorted by hash, and the end of the last one; `None` for
/// a table that is not sorted, or is too large.
fn group_starts(entries: &[[u8; ENTRY]]) -> Option<Box<[u32]>> {
    let count = u32::try_from(entries.len()).ok()?;
    let groups = entries.len().next_power_of_two();
    let mut starts = Vec::with_capacity(groups + 1);
    for (at, entry) in (0..count).zip(entries) {
        let group = group_of(entry, groups);
        if group + 1 < starts.len() {
            return None;
        }
        starts.resize(group + 1, at);
    }
    starts.resize(groups + 1, count);
    Some(starts.into())
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct PackEntry {
    hash: ContentHash,
    start: usize,
    len: usize,
    is_plain: bool,
    is_ascii: bool,
}

impl PackEntry {
    fn read(bytes: &[u8; ENTRY]) -> Self {
        let (hash, numbers) = bytes.split_first_chunk().expect("an entry is longer");
        let numbers = numbers.as_chunks::<8>().0;
        let [start, len] = [0, 1].map(|at: usize| u64::from_le_bytes(numbers[at]));
        // A size that does not fit into memory is out of every range.
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            hash: ContentHash(*hash),
            start: size(start),
            len: size(len & !(PLAIN | ASCII)),
            is_plain: len & PLAIN != 0,
            is_ascii: len & ASCII != 0,
        }
    }

    fn write(&self, table: &mut Vec<u8>) {
        table.extend_from_slice(self.hash.as_bytes());
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let len = self.len as u64 | flag(self.is_plain, PLAIN) | flag(self.is_ascii, ASCII);
        for number in [self.start as u64, len] {
            table.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// An unfinished pack; it is deleted if it is not finished.
pub(super) struct PackDraft {
    path: PathBuf,
    out: BufWriter<File>,
    at: usize,
    entries: Vec<PackEntry>,
}

impl PackDraft {
    /// Begins a pack at `path`, and replaces an existing file.
    pub(super) fn begin(path: &Path) -> io::Result<Self> {
        // A leftover may be a link or belong to another user; never write through it.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut out = BufWriter::with_capacity(1 << 18, create(path)?);
        out.write_all(&head())?;
        Ok(Self { path: path.to_owned(), out, at: HEAD, entries: Vec::new() })
    }

    /// Adds a text with the hash `hash`.
    pub(super) fn add(&mut self, hash: ContentHash, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        let is_plain = !is_marked(bytes) && memchr(0, bytes).is_none();
        let (start, len, is_ascii) = (self.at, bytes.len(), bytes.is_ascii());
        self.entries.push(PackEntry { hash, start, len, is_plain, is_ascii });
        self.at += bytes.len();
        Ok(())
    }

    /// Completes the pack in `folder`, under a name of its own, and opens it. It is not flushed to the disk:
    /// after a power cut each remaining text must match its hash or is not used.
    pub(super) fn finish(mut self, folder: &Path) -> io::Result<Pack> {
        self.entries.sort_unstable_by_key(|entry| entry.hash);
        let mut table = Vec::with_capacity(self.entries.len() * ENTRY + FOOT);
        self.entries.iter().for_each(|entry| entry.write(&mut table));
        table.extend_from_slice(&(self.entries.len() as u64).to_le_bytes());
        let checksum = blake3::hash(&table);
        self.out.write_all(&table)?;
        self.out.write_all(checksum.as_bytes())?;
        self.out.flush()?;
        let name: String = checksum.as_bytes()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(name + SUFFIX);
        fs::rename(&self.path, &path)?;
        Pack::open_pack(&path, GOOD).ok_or_else(|| io::Error::other("what was just written cannot be read"))
    }
}

impl Drop for PackDraft {
    fn drop(&mut self) {
        // After `finish` no file has this name.
        let _ = fs::remove_file(&self.path);
    }
}
