//! Notes on disk which contents are being parsed, so that the next daemon knows of which this one died.
//!
//! Grammars are foreign C code, so a file may end the process whatever is done against that, and the next daemon would
//! begin with the same file. Each extraction therefore writes its content's hash to a slot of a small file, and clears
//! the slot when it is done. A note takes a microsecond and is never synced, because it has to outlive the process and
//! not the machine. Contents that a new daemon finds there are suspects: it parses them after everything else and
//! alone, so that it suspects nothing innocent with them. Contents that are found a second time are text only, which
//! the store keeps in place of their facts.
//!
//! A daemon that is killed for other reasons leaves notes too. They cost their files nothing but their turn.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use hob_base::ContentHash;
use rustc_hash::FxHashMap;

/// Bytes of a slot: a hash, and the number of daemons that had ended while they parsed it when the slot was written.
const SLOT: usize = HASH + 1;
const HASH: usize = 32;
/// Most extractions that are noted at the same time; further ones go without a note.
const SLOTS: usize = 256;
/// Number of daemons that end while they parse some contents, from which on nobody tries again.
const ENOUGH: u8 = 2;

/// The notes of this daemon and those of the last.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// `None` where notes cannot be kept.
    file: Option<File>,
    /// Slots that nobody uses.
    free: Mutex<Vec<usize>>,
    suspects: RwLock<FxHashMap<ContentHash, Suspect>>,
    /// Held for writing while a suspect is parsed, so that nothing else is.
    turn: RwLock<()>,
}

/// Contents that were being parsed when a daemon ended.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    /// Number of daemons that ended while they parsed these contents.
    ended: u8,
    slot: Option<usize>,
}

/// An extraction under way, until it is dropped.
#[derive(Debug)]
pub(super) struct ExtractionAttempt<'a> {
    attempts: &'a Attempts,
    hash: ContentHash,
    slot: Option<usize>,
    _turn: ExtractionTurn<'a>,
}

#[derive(Debug)]
enum ExtractionTurn<'a> {
    Shared(#[allow(dead_code, reason = "held")] RwLockReadGuard<'a, ()>),
    Alone(#[allow(dead_code, reason = "held")] RwLockWriteGuard<'a, ()>),
}

impl Attempts {
    /// Reads the notes that the last daemon left at `path`, and starts a new file.
    pub(super) fn open(path: &Path) -> Self {
        let left = File::open(path).map(|file| read(&file)).unwrap_or_default();
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
        if let Err(error) = &file {
            tracing::warn!(%error, "what is being parsed cannot be noted");
        }
        let mut attempts = Self { file: file.ok(), ..Self::default() };
        attempts.free = Mutex::new((0..SLOTS).rev().collect());
        for (hash, ended) in left {
            tracing::warn!(?hash, ended, "a daemon ended while this was being parsed");
            let slot = attempts.take_slot();
            // The next daemon adds one; a daemon that ends before it has tried must not count.
            attempts.write(slot, &hash, ended - 1);
            attempts
                .suspects
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(hash, Suspect { ended, slot });
        }
        attempts
    }

    /// Returns true if a daemon has ended while these contents were parsed.
    pub(super) fn is_suspect(&self, hash: &ContentHash) -> bool {
        self.suspect_of(hash).is_some()
    }

    /// Notes that these contents are about to be parsed; `None` if they must not be.
    pub(super) fn begin(&self, hash: ContentHash) -> Option<ExtractionAttempt<'_>> {
        let suspect = self.suspect_of(&hash);
        if suspect.is_some_and(|suspect| suspect.ended >= ENOUGH) {
            return None;
        }
        let turn = match suspect {
            Some(_) => ExtractionTurn::Alone(self.turn.write().unwrap_or_else(PoisonError::into_inner)),
            None => ExtractionTurn::Shared(self.turn.read().unwrap_or_else(PoisonError::into_inner)),
        };
        let slot = suspect.map_or_else(|| self.take_slot(), |suspect| suspect.slot);
        self.write(slot, &hash, suspect.map_or(0, |suspect| suspect.ended));
        Some(ExtractionAttempt { attempts: self, hash, slot, _turn: turn })
    }

    fn suspect_of(&self, hash: &ContentHash) -> Option<Suspect> {
        self.suspects.read().unwrap_or_else(PoisonError::into_inner).get(hash).copied()
    }

    fn take_slot(&self) -> Option<usize> {
        self.file.as_ref()?;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn write(&self, slot: Option<usize>, hash: &ContentHash, ended: u8) {
        let (Some(file), Some(slot)) = (&self.file, slot) else { return };
        let mut bytes = [0; SLOT];
        bytes[..HASH].copy_from_slice(hash.as_bytes());
        bytes[HASH] = ended;
        // Without a note, the contents are parsed as if there were no notes at all.
        let _ = write_at(file, &bytes, (slot * SLOT) as u64);
    }
}

impl Drop for ExtractionAttempt<'_> {
    fn drop(&mut self) {
        self.attempts.write(self.slot, &NOTHING, 0);
        self.attempts.suspects.write().unwrap_or_else(PoisonError::into_inner).remove(&self.hash);
        let free = self.slot.map(|slot| (slot, &self.attempts.free));
        if let Some((slot, free)) = free {
            free.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
        }
    }
}

/// The hash in a free slot.
const NOTHING: ContentHash = ContentHash([0; HASH]);

/// Reads the hashes of contents that were being parsed, each with the number of daemons that have ended by now while
/// it was. Of a torn or foreign file, it returns whatever is there: a hash that no file has costs nothing.
fn read(file: &File) -> Vec<(ContentHash, u8)> {
    let mut bytes = Vec::new();
    let _ = file.take((SLOTS * SLOT) as u64).read_to_end(&mut bytes);
    let slots = bytes.chunks_exact(SLOT).filter_map(|slot| slot.split_first_chunk::<HASH>());
    let found = slots.map(|(hash, rest)| (ContentHash(*hash), rest[0].saturating_add(1)));
    found.filter(|(hash, _)| *hash != NOTHING).collect()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, at).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_being_parsed_twice_when_a_daemon_ended_is_not_parsed_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("parsing");
        let (deadly, innocent) = (ContentHash::of(b"deadly"), ContentHash::of(b"innocent"));
        // Forgotten attempts are not dropped: they leave their notes, as a daemon that ends does.
        let first = Attempts::open(&path);
        std::mem::forget((first.begin(deadly), first.begin(innocent)));
        drop(first.begin(ContentHash::of(b"done")));

        let second = Attempts::open(&path);
        assert!(second.is_suspect(&deadly) && second.is_suspect(&innocent));
        assert!(!second.is_suspect(&ContentHash::of(b"done")));
        drop(second.begin(innocent).expect("once may be chance"));
        assert!(!second.is_suspect(&innocent));
        // This one ends before it has tried again.
        let third = Attempts::open(&path);
        std::mem::forget(third.begin(deadly).expect("it was not tried since"));

        let fourth = Attempts::open(&path);
        assert!(fourth.begin(deadly).is_none() && fourth.begin(innocent).is_some());
        assert!(Attempts::open(&path).begin(deadly).is_none(), "and it stays so");
    }

    #[test]
    fn a_suspect_is_parsed_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("parsing");
        let (deadly, other) = (ContentHash::of(b"deadly"), ContentHash::of(b"other"));
        std::mem::forget(Attempts::open(&path).begin(deadly));
        let attempts = Attempts::open(&path);
        let alone = attempts.begin(deadly).expect("once may be chance");
        assert!(attempts.turn.try_read().is_err());
        drop(alone);
        let shared = attempts.begin(other);
        assert!(shared.is_some() && attempts.turn.try_read().is_ok());
    }

    #[test]
    fn any_bytes_may_be_there() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("parsing");
        std::fs::write(&path, [255; 1_000]).expect("written");
        assert!(Attempts::open(&path).begin(ContentHash::of(b"a")).is_some());
        assert!(Attempts::open(dir.path()).begin(ContentHash::of(b"a")).is_some(), "no file at all");
    }
}
