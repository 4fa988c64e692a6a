//! Records the format version of a store on disk, and judges a store of another version.
//!
//! The version stands in two places: in a small file beside the database, the stamp, written last, so that a
//! database that lost its records differs from a new one; and in the tree `Meta`, so that a copied file
//! cannot mix up two versions. Both must agree. The stamp also names the database that counts. There is no
//! migration yet, because everything can be computed again; when a version needs one, it goes here, and an
//! old folder is kept for a test.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::trees::{Store, StoreError, StoreTree};

/// One line for each format version, with what it changed. The last is the version that this build writes.
pub const FORMAT_LEDGER: &[(u32, &str)] = &[
    (1, "trees meta, facts, files, confirmed; version as four little-endian bytes"),
    (2, "tree unused; the stamp has the number of the database after the version"),
];

/// The format that this build reads and writes.
pub const FORMAT_VERSION: u32 = FORMAT_LEDGER[FORMAT_LEDGER.len() - 1].0;

const VERSION_KEY: &[u8] = b"format-version";
const STAMP_START: &str = "hob-store ";

/// The state of the store that a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatState {
    /// The folder is empty.
    New,
    /// A store of this version.
    Current,
    /// A store of another version.
    Other(u32),
    /// A store whose parts do not agree; the text says how.
    Damaged(&'static str),
}

/// The contents of a stamp file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) version: u32,
    /// The number of the database that counts; 0 in versions that had only one.
    pub(crate) number: u32,
}

/// Replaces the stamp by this version's stamp for a database, atomically; the new stamp is on the disk on
/// return.
pub(crate) fn write_stamp(path: &Path, number: u32) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(format!("{STAMP_START}{FORMAT_VERSION} {number}\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    #[cfg(unix)]
    File::open(path.parent().unwrap_or(path))?.sync_all()?;
    Ok(())
}

/// Reads a stamp's text; `None` if it is malformed.
pub(crate) fn parse_stamp(text: &str) -> Option<Stamp> {
    let mut numbers = text.strip_prefix(STAMP_START)?.split_whitespace().map(str::parse);
    let version = numbers.next()?.ok()?;
    let number = numbers.next().unwrap_or(Ok(0)).ok()?;
    Some(Stamp { version, number })
}

/// Records this version in `store`.
pub(crate) fn write_version(store: &dyn Store) -> Result<(), StoreError> {
    store.put(StoreTree::Meta, VERSION_KEY, &FORMAT_VERSION.to_le_bytes())
}

/// Returns true if a database has the record of its version.
pub(crate) fn has_version(store: &dyn Store) -> Result<bool, StoreError> {
    Ok(store.get(StoreTree::Meta, VERSION_KEY)?.is_some())
}

/// Judges a database by the version in its stamp (`None`: there is no stamp) and by its records.
pub(crate) fn judge_format(stamped: Option<u32>, store: &dyn Store) -> Result<FormatState, StoreError> {
    let recorded = match store.get(StoreTree::Meta, VERSION_KEY)? {
        None => None,
        Some(bytes) => match <[u8; 4]>::try_from(bytes.as_slice()) {
            Ok(bytes) => Some(u32::from_le_bytes(bytes)),
            Err(_) => return Ok(FormatState::Damaged("its version record is not readable")),
        },
    };
    Ok(match (stamped, recorded) {
        (None, None) if is_empty(store)? => FormatState::New,
        (None, None) => FormatState::Damaged("it has data but no version"),
        (Some(_), None) => FormatState::Damaged("its version record is gone"),
        (Some(a), Some(b)) if a != b => FormatState::Damaged("its two versions differ"),
        // A process was killed between the first flush and the stamp: the record is enough.
        (_, Some(FORMAT_VERSION)) => FormatState::Current,
        (_, Some(other)) => FormatState::Other(other),
    })
}

fn is_empty(store: &dyn Store) -> Result<bool, StoreError> {
    for tree in StoreTree::ALL {
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
    use crate::memory::MemoryStore;

    #[test]
    fn ledger_counts_up_by_one() {
        for (index, (version, text)) in FORMAT_LEDGER.iter().enumerate() {
            assert_eq!(*version as usize, index + 1);
            assert!(!text.is_empty());
        }
    }

    #[test]
    fn stamps_of_all_versions_are_read() {
        assert_eq!(parse_stamp("hob-store 1\n"), Some(Stamp { version: 1, number: 0 }));
        assert_eq!(parse_stamp("hob-store 2 7\n"), Some(Stamp { version: 2, number: 7 }));
        assert_eq!(parse_stamp("hob-store 2 x\n"), None);
        assert_eq!(parse_stamp("elephant"), None);
    }

    #[test]
    fn stamp_and_record_must_fit() {
        let store = MemoryStore::new();
        let judge = |stamped: Option<u32>| judge_format(stamped, &store).expect("memory does not fail");
        assert_eq!(judge(None), FormatState::New);
        assert!(matches!(judge(Some(FORMAT_VERSION)), FormatState::Damaged(_)));
        store.put(StoreTree::Facts, b"k", b"v").expect("put");
        assert!(matches!(judge(None), FormatState::Damaged(_)));
        write_version(&store).expect("put");
        assert_eq!(judge(Some(FORMAT_VERSION)), FormatState::Current);
        assert_eq!(judge(None), FormatState::Current);
        store.put(StoreTree::Meta, VERSION_KEY, &9u32.to_le_bytes()).expect("put");
        assert_eq!(judge(Some(9)), FormatState::Other(9));
        assert!(matches!(judge(Some(FORMAT_VERSION)), FormatState::Damaged(_)));
        store.put(StoreTree::Meta, VERSION_KEY, b"?").expect("put");
        assert!(matches!(judge(None), FormatState::Damaged(_)));
    }
}
