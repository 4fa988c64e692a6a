//! Removes records of confirmed edges whose files no workspace has any more.
//!
//! A record has the time at which it was written, so no notes are needed. A record whose file no workspace has is
//! removed once it is older than the grace period, an unreadable one immediately. When all records take too much, the
//! oldest are removed first, in use or not; the next question confirms their edges again.

use hob_base::ContentHash;
use hob_store::StoreTree;
use rustc_hash::FxHashSet;

use super::run::{CollectError, CollectRun, remove};
use crate::promote::{content_of, seconds_of};

/// Most bytes that all records may take.
const MOST_BYTES: u64 = 32 << 20;

impl CollectRun<'_> {
    pub(super) fn sweep_confirmed(&self, live: &FxHashSet<ContentHash>) -> Result<(), CollectError> {
        self.check_go_on()?;
        let (mut kept, mut bytes, mut steps) = (Vec::new(), 0, Vec::new());
        self.store.each(StoreTree::Confirmed, b"", &mut |key, value| {
            let written = seconds_of(value).unwrap_or(0);
            let content = content_of(key, value);
            let is_live = content.is_some_and(|content| live.contains(&content));
            let over = self.now.saturating_sub(written) > self.keep.grace.as_secs();
            if content.is_none() || (over && !is_live) {
                steps.push(remove(key.to_vec()));
            } else {
                let size = (key.len() + value.len()) as u64;
                bytes += size;
                kept.push((written, size, key.to_vec()));
            }
            true
        })?;
        kept.sort_unstable();
        for (_, size, key) in kept {
            if bytes <= MOST_BYTES {
                break;
            }
            bytes -= size;
            steps.push(remove(key));
        }
        if !steps.is_empty() {
            self.store.batch(StoreTree::Confirmed, steps)?;
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use hob_base::AbsPath;
    use hob_store::{MemoryStore, Store as _};

    use super::super::run::RetentionLimits;
    use super::*;
    use crate::open_workspaces::OpenWorkspaces;

    const DAY: u64 = 24 * 3600;
    const NOW: u64 = 1_800_000_000;

    /// Stores a record of `size` bytes after its header, which is all that is read here.
    fn put_record(store: &MemoryStore, content: &[u8], written: u64, size: usize) {
        let mut value = vec![1];
        value.extend(written.to_le_bytes());
        value.resize(9 + size, 0);
        store.put(StoreTree::Confirmed, &key(content), &value).expect("memory does not fail");
    }

    fn key(content: &[u8]) -> Vec<u8> {
        [ContentHash::of(content).as_bytes(), &b"a.py"[..]].concat()
    }

    fn sweep_with_live(store: &MemoryStore, live: &[&[u8]]) {
        let (snapshots, open) = (AbsPath::new("/nowhere").expect("absolute"), OpenWorkspaces::default());
        let live = live.iter().map(|content| ContentHash::of(content)).collect();
        let keep = RetentionLimits::default();
        let unpacked = AbsPath::new("/nowhere/else").expect("absolute");
        let run = CollectRun {
            store,
            snapshots: &snapshots,
            unpacked: &unpacked,
            open: &open,
            keep,
            now: NOW,
            go_on: &|| true,
        };
        run.sweep_confirmed(&live).expect("memory does not fail");
    }

    fn has_record(store: &MemoryStore, content: &[u8]) -> bool {
        store.get(StoreTree::Confirmed, &key(content)).expect("memory does not fail").is_some()
    }

    #[test]
    fn what_is_old_and_unused_or_unreadable_goes() {
        let store = MemoryStore::new();
        put_record(&store, b"old", NOW - 15 * DAY, 10);
        put_record(&store, b"old, in use", NOW - 15 * DAY, 10);
        put_record(&store, b"new", NOW - 13 * DAY, 10);
        store.put(StoreTree::Confirmed, &key(b"foreign"), &[200; 40]).expect("memory does not fail");
        sweep_with_live(&store, &[b"old, in use", b"foreign"]);
        let left =
            [&b"old"[..], b"old, in use", b"new", b"foreign"].map(|content| has_record(&store, content));
        assert_eq!(left, [false, true, true, false]);
    }

    #[test]
    fn of_too_much_the_oldest_goes_also_in_use() {
        let store = MemoryStore::new();
        let third = MOST_BYTES as usize / 3;
        for (content, age) in [(&b"second"[..], 2), (b"first", 3), (b"last", 1)] {
            put_record(&store, content, NOW - age * DAY, third);
        }
        sweep_with_live(&store, &[b"first", b"second", b"last"]);
        assert_eq!(
            [&b"first"[..], b"second", b"last"].map(|content| has_record(&store, content)),
            [false, true, true]
        );
    }
}
