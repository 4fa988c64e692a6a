//! Defines the disk form of the confirmed edges of one file.
//!
//! ## Ledger
//! | version | what changed |
//! |---|---|
//! | 1 | first version |
//!
//! The key is the content hash of the file and its path. The value, little-endian, has the version, the time of writing
//! in seconds since 1970, the hash of all that the record depends on, and the references: line, column, and the path,
//! qualified name and ordinal of the definition that each means. A value of another version, or with anything out of
//! range, counts as absent.

use hob_base::ContentHash;

use crate::byte_reader::ByteReader;

const VERSION: u8 = 1;

/// The confirmed meanings of one file's references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) written: u64,
    /// The hash of everything that the record depends on.
    pub(super) depends: ContentHash,
    pub(super) spots: Vec<ConfirmedRef>,
}

/// A reference and the definition that it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfirmedRef {
    pub(super) at: (u32, u32),
    pub(super) path: String,
    pub(super) qualified: String,
    pub(super) ordinal: u32,
}

pub(super) fn key(content: ContentHash, path: &str) -> Vec<u8> {
    let mut key = content.as_bytes().to_vec();
    key.extend(path.as_bytes());
    key
}

/// Returns the content hash and the path in a key.
pub(super) fn parts_of(key: &[u8]) -> Option<(ContentHash, &str)> {
    let (hash, path) = key.split_first_chunk::<32>()?;
    Some((ContentHash(*hash), std::str::from_utf8(path).ok()?))
}

/// Returns the content hash of a record's file; `None` for an unreadable record.
pub(crate) fn content_of(key: &[u8], value: &[u8]) -> Option<ContentHash> {
    seconds_of(value)?;
    parts_of(key).map(|(content, _)| content)
}

/// Returns the time at which a record was written, in seconds since 1970; `None` for an unreadable record.
pub(crate) fn seconds_of(value: &[u8]) -> Option<u64> {
    let (version, rest) = value.split_first()?;
    let (written, _) = rest.split_first_chunk::<8>()?;
    (*version == VERSION).then(|| u64::from_le_bytes(*written))
}

pub(super) fn encode(record: &Record) -> Vec<u8> {
    let mut out = vec![VERSION];
    out.extend(record.written.to_le_bytes());
    out.extend(record.depends.as_bytes());
    out.extend((record.spots.len() as u32).to_le_bytes());
    for ConfirmedRef { at, path, qualified, ordinal } in &record.spots {
        [at.0, at.1, *ordinal].iter().for_each(|number| out.extend(number.to_le_bytes()));
        for text in [path, qualified] {
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        }
    }
    out
}

pub(super) fn decode(value: &[u8]) -> Option<Record> {
    let written = seconds_of(value)?;
    let mut reader = ByteReader { rest: value.get(9..)? };
    let depends = ContentHash(reader.read_bytes::<32>()?);
    let count = reader.read_u32()? as usize;
    // The capacity follows from the bytes at hand, because the count may lie.
    let mut spots = Vec::with_capacity(count.min(reader.rest.len() / 20));
    for _ in 0..count {
        let (line, col, ordinal) = (reader.read_u32()?, reader.read_u32()?, reader.read_u32()?);
        spots.push(ConfirmedRef {
            at: (line, col),
            ordinal,
            path: reader.read_text()?,
            qualified: reader.read_text()?,
        });
    }
    reader.rest.is_empty().then_some(Record { written, depends, spots })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_record() -> Record {
        let spot = |line| ConfirmedRef {
            at: (line, 7),
            path: "pkg/ü.py".into(),
            qualified: "A.m".into(),
            ordinal: 2,
        };
        Record { written: 9, depends: ContentHash::of(b"x"), spots: vec![spot(1), spot(80)] }
    }

    #[test]
    fn a_record_reads_back_as_it_was() {
        let bytes = encode(&sample_record());
        assert_eq!(decode(&bytes), Some(sample_record()));
        let key = key(ContentHash::of(b"a"), "pkg/a.py");
        assert_eq!(parts_of(&key), Some((ContentHash::of(b"a"), "pkg/a.py")));
        assert_eq!((content_of(&key, &bytes), seconds_of(&bytes)), (Some(ContentHash::of(b"a")), Some(9)));
    }

    #[test]
    fn what_is_cut_or_of_another_version_counts_as_absent() {
        let good = encode(&sample_record());
        for end in 0..good.len() {
            assert_eq!(decode(&good[..end]), None, "cut at {end}");
        }
        let mut other = good.clone();
        other[0] = 2;
        assert_eq!((decode(&other), content_of(&[0; 40], &other)), (None, None));
        assert_eq!(content_of(b"short", &good), None);
    }
}
