//! The version of what is on disk, and what to do about another one.
//!
//! The version stands in two places: in a small file beside the database, written last, so that a database which lost
//! its records can be told from a new one; and in the tree `Meta`, so that the two cannot be mixed up by copying. Both
//! must agree. There is no migration yet, because everything can be computed again; when a version needs one, it goes
//! here, and an old folder is kept for a test.

use crate::{Store, StoreError, Tree};

/// One line for each format version: what changed. The last is the one that this build writes.
pub const FORMAT_LEDGER: &[(u32, &str)] =
    &[(1, "trees meta, facts, files, confirmed; version as four little-endian bytes")];

/// The format that this build reads and writes.
pub const FORMAT_VERSION: u32 = FORMAT_LEDGER[FORMAT_LEDGER.len() - 1].0;

const VERSION_KEY: &[u8] = b"format-version";
const STAMP_START: &str = "hob-store ";

/// What a folder turned out to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing yet.
    New,
    /// Ours, of this version.
    Current,
    /// Ours, of another version.
    Other(u32),
    /// Ours once, but the parts do not fit together.
    Damaged(&'static str),
}

/// The text of the stamp file for this version.
pub(crate) fn stamp() -> String {
    format!("{STAMP_START}{FORMAT_VERSION}\n")
}

/// Records this version in `store`.
pub(crate) fn write_version(store: &dyn Store) -> Result<(), StoreError> {
    store.put(Tree::Meta, VERSION_KEY, &FORMAT_VERSION.to_le_bytes())
}

/// Judges a database by its stamp file (`None`: there is none) and its records.
pub(crate) fn judge(stamp: Option<&str>, store: &dyn Store) -> Result<Verdict, StoreError> {
    let stamped = match stamp {
        None => None,
        Some(text) => match parse_stamp(text) {
            None => return Ok(Verdict::Damaged("its stamp is not readable")),
            some => some,
        },
    };
    let recorded = match store.get(Tree::Meta, VERSION_KEY)? {
        None => None,
        Some(bytes) => match <[u8; 4]>::try_from(bytes.as_slice()) {
            Ok(bytes) => Some(u32::from_le_bytes(bytes)),
            Err(_) => return Ok(Verdict::Damaged("its version record is not readable")),
        },
    };
    Ok(match (stamped, recorded) {
        (None, None) if is_empty(store)? => Verdict::New,
        (None, None) => Verdict::Damaged("it has data but no version"),
        (Some(_), None) => Verdict::Damaged("its version record is gone"),
        (Some(a), Some(b)) if a != b => Verdict::Damaged("its two versions differ"),
        // Killed between the first flush and the stamp: the record is enough.
        (_, Some(FORMAT_VERSION)) => Verdict::Current,
        (_, Some(other)) => Verdict::Other(other),
    })
}

fn parse_stamp(text: &str) -> Option<u32> {
    text.strip_prefix(STAMP_START)?.trim_end().parse().ok()
}

fn is_empty(store: &dyn Store) -> Result<bool, StoreError> {
    for tree in Tree::ALL {
        let mut empty = true;
        store.each(tree, b"", &mut |_, _| {
            empty = false;
            false
        })?;
        if !empty {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    #[test]
    fn ledger_counts_up_by_one() {
        for (index, (version, text)) in FORMAT_LEDGER.iter().enumerate() {
            assert_eq!(*version as usize, index + 1);
            assert!(!text.is_empty());
        }
    }

    #[test]
    fn stamp_and_record_must_fit() {
        let store = MemoryStore::new();
        let judge = |stamp: Option<&str>| judge(stamp, &store).expect("memory does not fail");
        assert_eq!(judge(None), Verdict::New);
        assert!(matches!(judge(Some("hob-store 1\n")), Verdict::Damaged(_)));
        store.put(Tree::Facts, b"k", b"v").expect("put");
        assert!(matches!(judge(None), Verdict::Damaged(_)));
        write_version(&store).expect("put");
        assert_eq!(judge(Some(&stamp())), Verdict::Current);
        assert_eq!(judge(None), Verdict::Current);
        assert!(matches!(judge(Some("elephant")), Verdict::Damaged(_)));
        store.put(Tree::Meta, VERSION_KEY, &9u32.to_le_bytes()).expect("put");
        assert_eq!(judge(Some("hob-store 9\n")), Verdict::Other(9));
        assert!(matches!(judge(Some(&stamp())), Verdict::Damaged(_)));
        store.put(Tree::Meta, VERSION_KEY, b"?").expect("put");
        assert!(matches!(judge(None), Verdict::Damaged(_)));
    }
}
