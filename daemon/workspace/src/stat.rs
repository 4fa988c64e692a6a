//! Reads a file's size, times and identity without reading the file: the prefilter before a content hash.

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds before a hash within which a file's times may hide a second change. FAT counts in two seconds; every
/// other file system is finer.
const RACY_NS: i64 = 2_000_000_000;

/// Size, times and identity of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stat {
    /// Size of the file in bytes.
    pub len: u64,
    /// Last change of the contents, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of contents or metadata, in nanoseconds since 1970; zero where the platform has none. Unlike the
    /// modification time, no program can set it.
    pub ctime_ns: i64,
    /// The file's number on its device; zero where the platform has none.
    pub inode: u64,
    /// The device; may differ after a restart of the machine, so it is no part of [`Stat::matches`].
    pub dev: u64,
    /// Number of names that the file has; 1 where the platform does not say.
    pub links: u64,
}

impl Stat {
    /// Takes the stat from what the system reports.
    #[must_use]
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            len: metadata.len(),
            mtime_ns: to_nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: to_nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            dev: metadata.dev(),
            links: metadata.nlink(),
        }
    }

    /// Takes the stat from what the system reports; this platform tells only size and time.
    #[must_use]
    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let mtime_ns = metadata.modified().map_or(0, since_epoch);
        Self { len: metadata.len(), mtime_ns, links: 1, ..Self::default() }
    }

    /// Returns true if a file that had stat `self` and now has `other` is most likely the same, unread. See also
    /// [`Stat::is_racy`].
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.len == other.len
            && self.mtime_ns == other.mtime_ns
            && self.ctime_ns == other.ctime_ns
            && self.inode == other.inode
    }

    /// Returns true if the file may have changed after it was read at `read_at_ns` without its stat showing it (git's
    /// "racily clean" entries): the next look reads such a file again.
    ///
    /// Where there is a change time, only that counts: a file with a modification time in the future is not racy for
    /// ever.
    #[must_use]
    pub fn is_racy(&self, read_at_ns: i64) -> bool {
        let changed = if self.ctime_ns == 0 { self.mtime_ns } else { self.ctime_ns };
        changed >= read_at_ns.saturating_sub(RACY_NS)
    }
}

/// Returns the present time in nanoseconds since 1970, on the clock of file times.
#[must_use]
pub fn now_ns() -> i64 {
    since_epoch(SystemTime::now())
}

fn since_epoch(time: SystemTime) -> i64 {
    let clamp = |nanos: u128| i64::try_from(nanos).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => clamp(after.as_nanos()),
        Err(before) => -clamp(before.duration().as_nanos()),
    }
}

#[cfg(unix)]
fn to_nanoseconds(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_read_right_after_its_change_is_racy() {
        let second = 1_000_000_000;
        let stat = Stat { ctime_ns: 100 * second, mtime_ns: 100 * second, ..Stat::default() };
        assert!(stat.is_racy(100 * second));
        assert!(stat.is_racy(102 * second));
        assert!(!stat.is_racy(103 * second));
        let future = Stat { mtime_ns: i64::MAX, ..stat };
        assert!(!future.is_racy(103 * second), "the change time decides where there is one");
        let fat = Stat { ctime_ns: 0, ..future };
        assert!(fat.is_racy(103 * second));
    }
}
