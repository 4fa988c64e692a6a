//! Reads and writes the files of this crate: pending edits, decisions on earlier ones, journals, and undo records.
//!
//! ## Ledger
//! | version | what changed |
//! |---|---|
//! | 1 | first version |
//! | 2 | extended attributes of a side, files that are written over; 1 is read too |
//!
//! A file is a magic word, a letter for its kind, the version, a MessagePack body, and the blake3 of everything before
//! it. A file of another version, with a wrong checksum or with an invalid body is refused as a whole.

mod dto;

use std::fmt;
use std::sync::Arc;

use hob_base::ContentHash;
use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const MAGIC: &[u8; 8] = b"hobedits";
const VERSION: u32 = 2;

/// The oldest version that is read, so that files left by a crash or a user survive an update.
const OLDEST: u32 = 1;

/// Why a file is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum FormatError {
    #[error("it is none of hob's")]
    Foreign,
    #[error("it has format {0}, this version of hob uses {VERSION}")]
    Version(u32),
    #[error("it is damaged")]
    Damaged,
}

/// A type with a disk form.
pub(crate) trait DiskForm: Sized {
    /// The letter of its kind.
    const KIND: u8;
    /// The type of its disk form.
    type Dto: Serialize + DeserializeOwned;
    fn to_dto(&self) -> Self::Dto;
    /// Converts the disk form; `None` if it is invalid.
    fn from_dto(dto: Self::Dto) -> Option<Self>;
}

/// Returns the bytes of a file.
pub(crate) fn encode<T: DiskForm>(value: &T) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(T::KIND);
    out.extend(VERSION.to_le_bytes());
    let body = rmp_serde::to_vec(&value.to_dto()).expect("plain data has a form in MessagePack");
    out.extend(body);
    let sum = ContentHash::of(&out);
    out.extend(sum.as_bytes());
    out
}

/// Decodes the value that the bytes of a file hold.
pub(crate) fn decode<T: DiskForm>(bytes: &[u8]) -> Result<T, FormatError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(FormatError::Foreign)?;
    let (kind, rest) = rest.split_first().ok_or(FormatError::Foreign)?;
    let (version, _) = rest.split_first_chunk::<4>().ok_or(FormatError::Damaged)?;
    let version = u32::from_le_bytes(*version);
    if !(OLDEST..=VERSION).contains(&version) {
        return Err(FormatError::Version(version));
    }
    let (sealed, sum) = bytes.split_last_chunk::<32>().ok_or(FormatError::Damaged)?;
    if *kind != T::KIND || ContentHash::of(sealed).as_bytes() != sum {
        return Err(FormatError::Damaged);
    }
    let body = sealed.get(MAGIC.len() + 5..).ok_or(FormatError::Damaged)?;
    let dto = rmp_serde::from_slice(body).map_err(|_| FormatError::Damaged)?;
    T::from_dto(dto).ok_or(FormatError::Damaged)
}

/// Bytes for MessagePack, which would otherwise write a list of numbers.
#[derive(Clone)]
pub(crate) struct Blob(Arc<[u8]>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Blob;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use hob_base::{AbsPath, WsPath};

    use super::*;
    use crate::files::{Attrs, Extended};
    use crate::pending::{PendingId, PendingOutcome, Settled};
    use crate::record::{EditSubject, JournalEntry, JournalSide, Record, UndoRecord};

    fn parse_ws_path(path: &str) -> Option<WsPath> {
        WsPath::new(path).ok()
    }

    fn bytes_of(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    fn sample_record() -> Record {
        let extended = [(b"user.\xff".to_vec(), b"\0v".to_vec())].into();
        let extended = Extended(Arc::new(extended));
        let attrs = Some(Attrs { mode: 0o755, uid: 1000, gid: 100, extended });
        let subject = EditSubject {
            id: PendingId::random_id(),
            label: "ä label".into(),
            tool: "edit_text".into(),
            at: UNIX_EPOCH + Duration::from_millis(1234),
        };
        let entry = |at: &str, old: Option<&str>, new: Option<&str>| JournalEntry {
            at: parse_ws_path(at).expect("relative"),
            old: old.map(|text| JournalSide { bytes: bytes_of(text), attrs: attrs.clone() }),
            new: new.map(|text| JournalSide { bytes: bytes_of(text), attrs: None }),
            in_place: at == "c",
        };
        Record {
            root: AbsPath::new("/w s").expect("absolute"),
            subject,
            undoes: true,
            entries: vec![
                entry("a/ü", Some("\u{feff}1\r\n"), None),
                entry("b", None, Some("")),
                entry("c", Some("1"), Some("2")),
            ],
            new_folders: vec![parse_ws_path("n").expect("relative")],
            old_folders: vec![parse_ws_path("o/p").expect("relative")],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let record = sample_record();
        assert_eq!(decode::<Record>(&encode(&record)), Ok(record.clone()));
        let kept = |entries| UndoRecord {
            subject: record.subject.clone(),
            files: record.new_folders.clone(),
            entries,
            new_folders: record.old_folders.clone(),
        };
        for kept in [kept(None), kept(Some(record.entries.clone()))] {
            assert_eq!(decode::<UndoRecord>(&encode(&kept)), Ok(kept));
        }
        let outcomes = [PendingOutcome::Applied, PendingOutcome::Discarded, PendingOutcome::Expired];
        let settled = outcomes.map(|outcome| Settled {
            id: PendingId::random_id(),
            label: "l".into(),
            outcome,
            at: UNIX_EPOCH + Duration::from_secs(1),
        });
        assert_eq!(decode::<Vec<Settled>>(&encode(&settled.to_vec())), Ok(settled.to_vec()));
    }

    /// Checks that files from before extended attributes are still read.
    #[test]
    fn the_first_version_is_read() {
        struct First;
        type FirstSide = Option<(Blob, Option<(u32, u32, u32)>)>;
        #[derive(Serialize, Deserialize)]
        struct Entries(Vec<(String, FirstSide, FirstSide)>);
        impl DiskForm for First {
            const KIND: u8 = b'U';
            type Dto = ((String, String, String, u64), Vec<String>, Option<Entries>, Vec<String>);
            fn to_dto(&self) -> Self::Dto {
                let side = |text: &str| Some((Blob(bytes_of(text)), Some((0o640, 1, 2))));
                let subject = (PendingId::random_id().to_string(), "l".into(), "t".into(), 5);
                let entries = Entries(vec![("a".into(), side("old"), side("new"))]);
                (subject, vec!["a".into()], Some(entries), Vec::new())
            }
            fn from_dto(_: Self::Dto) -> Option<Self> {
                None
            }
        }
        let mut first = encode(&First);
        first.truncate(first.len() - 32);
        first[MAGIC.len() + 1] = 1;
        first.extend(ContentHash::of(&first).as_bytes().to_vec());
        let kept = decode::<UndoRecord>(&first).expect("it is read");
        let entry = &kept.entries.expect("it has them")[0];
        let attrs = Some(Attrs { mode: 0o640, uid: 1, gid: 2, extended: Extended::default() });
        assert_eq!(entry.old, Some(JournalSide { bytes: bytes_of("old"), attrs }));
        assert!(!entry.in_place);
    }

    /// Checks that a damaged journal with a right checksum causes no panic, and is no other journal than the written
    /// one.
    #[test]
    fn anything_with_a_right_checksum_is_read_as_it_is_or_refused() {
        let good = encode(&sample_record());
        let body = &good[..good.len() - 32];
        let (mut read, mut refused) = (0, 0);
        for at in MAGIC.len() + 5..body.len() {
            let lengths: [&[u8]; 3] = [
                &[0xdd, 0xff, 0xff, 0xff, 0xff],
                &[0xdb, 0xff, 0xff, 0xff, 0xff],
                &[0xc6, 0xff, 0xff, 0xff, 0xff],
            ];
            let mut changed: Vec<Vec<u8>> =
                lengths.iter().map(|length| [&body[..at], *length, &body[at + 1..]].concat()).collect();
            changed.extend(
                [0, 1, 0x7f, 0x90, 0xc0, 0xff].map(|byte| [&body[..at], &[byte], &body[at + 1..]].concat()),
            );
            changed.push(body[..at].to_vec());
            changed.push([&body[..at], &body[at + 1..]].concat());
            for mut bytes in changed {
                let sum = ContentHash::of(&bytes);
                bytes.extend(sum.as_bytes());
                match decode::<Record>(&bytes) {
                    Ok(record) => {
                        read += 1;
                        assert_eq!(decode::<Record>(&encode(&record)), Ok(record));
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(read > 100 && refused > 100, "{read} were read, {refused} refused");
    }

    #[test]
    fn every_flipped_or_missing_byte_is_noticed() {
        let good = encode(&sample_record());
        assert_eq!(decode::<UndoRecord>(&good), Err(FormatError::Damaged), "of another kind");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(decode::<Record>(&bad).is_err(), "flipped {at}");
            assert!(decode::<Record>(&good[..at]).is_err(), "cut at {at}");
        }
        let mut newer = good;
        newer[MAGIC.len() + 1] = 9;
        assert_eq!(decode::<Record>(&newer), Err(FormatError::Version(9)));
    }
}
