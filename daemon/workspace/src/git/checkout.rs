//! Reads git's index: which contents each file of the working tree had, and its stat at that time.
//!
//! Git keeps the index so that it need not read files, and hob uses it for the same purpose: a file whose stat is still
//! the same has the contents that the index notes. As in git, an entry does not count if the file changed in the second
//! in which the index was written or later ("racily clean"), or if a user told git to ignore changes of the file.

use std::collections::HashMap;

use gix::index::entry::{Flags, Mode, Stage, Stat as Noted};
use hob_base::WsPath;

use super::{Oid, Repository};
use crate::Stat;

/// Flags of entries that say nothing about the file: git was told not to look, or the file is not added yet, or not
/// checked out.
const SILENT: Flags = Flags::ASSUME_VALID
    .union(Flags::SKIP_WORKTREE)
    .union(Flags::INTENT_TO_ADD)
    .union(Flags::REMOVE)
    .union(Flags::CONFLICTED);

/// The entries of one working tree's index that can be relied on.
#[derive(Clone, Debug, Default)]
pub struct Checkout {
    notes: HashMap<WsPath, (Noted, Oid)>,
}

impl Repository {
    /// Returns the entries of the index that can be relied on. The index only saves work: if it is missing or damaged,
    /// there are none.
    #[must_use]
    pub fn read_checkout(&self) -> Checkout {
        let repository = self.open();
        let Ok(index) = repository.open_index() else { return Checkout::default() };
        let written = index.timestamp().unix_seconds();
        let prefix: String = self.prefix.iter().map(|part| format!("{part}/")).collect();
        let mut notes = HashMap::new();
        for entry in index.entries() {
            let is_file = entry.mode == Mode::FILE || entry.mode == Mode::FILE_EXECUTABLE;
            let is_racy = i64::from(entry.stat.mtime.secs) >= written;
            let plain = entry.stage() == Stage::Unconflicted && !entry.flags.intersects(SILENT);
            let path =
                std::str::from_utf8(entry.path(&index)).ok().and_then(|path| path.strip_prefix(&prefix));
            let path = path.and_then(|path| WsPath::new(path).ok());
            if let Some(path) = path.filter(|_| is_file && plain && !is_racy) {
                notes.insert(path, (entry.stat, Oid(entry.id)));
            }
        }
        Checkout { notes }
    }
}

impl Checkout {
    /// Returns the contents of the file at `path`, which now has `stat`, if they are known without reading it. A
    /// difference that git itself makes in line ends counts as none.
    #[must_use]
    pub fn blob_if_untouched(&self, path: &WsPath, stat: &Stat) -> Option<Oid> {
        let (noted, oid) = self.notes.get(path)?;
        looks_the_same(noted, stat).then_some(*oid)
    }
}

/// Returns true if a file's stat matches git's entry. Git keeps the lower 32 bits of numbers, and no change time where
/// the platform has none.
#[allow(clippy::cast_possible_truncation)]
fn looks_the_same(noted: &Noted, stat: &Stat) -> bool {
    const SECOND: i64 = 1_000_000_000;
    let time = |time: gix::index::entry::stat::Time| i64::from(time.secs) * SECOND + i64::from(time.nsecs);
    let changed = stat.ctime_ns == 0 || time(noted.ctime) == stat.ctime_ns;
    let number = stat.inode == 0 || noted.ino == stat.inode as u32;
    noted.size == stat.len as u32 && time(noted.mtime) == stat.mtime_ns && changed && number
}
