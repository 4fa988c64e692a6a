//! Defines the disk form of the file table.
//!
//! ## Ledger
//! | version | what changed |
//! |---|---|
//! | 1 | first version |
//! | 2 | Markdown has a number among the languages |
//! | 3 | the languages that the build reads: a file is text only where its language is not among them |
//!
//! The form is little-endian: magic, version, languages, root, number of entries, the entries, and the blake3 of
//! everything before it. A file of another version, with another checksum or with anything out of range is refused as a
//! whole.

use hob_base::{AbsPath, ContentHash, WsPath};
use hob_map::{Lang, built_languages};
use hob_workspace::{FileClass, Record, Stat};

use crate::byte_reader::ByteReader;
use crate::file_kind::FileKind;

/// Name of the table's file in a snapshot's folder.
pub(super) const TABLE: &str = "files";

const MAGIC: &[u8; 8] = b"hobfiles";
const VERSION: u32 = 3;

/// Bytes for a [`FileKind`] without a language.
const BINARY: u8 = 255;
const NO_LANGUAGE: u8 = 254;

/// The reason why a saved table is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FormatError {
    #[error("it is no table of files")]
    Foreign,
    #[error("it has format {0}, this version of hob uses {VERSION}")]
    Version(u32),
    #[error("it is damaged")]
    Damaged,
    #[error("it is of a build of hob with other languages")]
    Languages,
}

/// One file of a saved table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TableEntry {
    pub(super) path: WsPath,
    pub(super) record: Record,
    pub(super) kind: FileKind,
}

/// A table that was read back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) root: String,
    pub(super) entries: Vec<TableEntry>,
}

pub(super) fn encode(root: &AbsPath, entries: &[TableEntry]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    out.extend(built_languages().to_le_bytes());
    text(&mut out, &root.to_string());
    out.extend((entries.len() as u64).to_le_bytes());
    entries.iter().for_each(|item| write_entry(&mut out, item));
    let sum = ContentHash::of(&out);
    out.extend(sum.as_bytes());
    out
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

fn write_entry(out: &mut Vec<u8>, TableEntry { path, record, kind }: &TableEntry) {
    text(out, path.as_str());
    let Stat { len, mtime_ns, ctime_ns, inode, dev, links } = record.stat;
    for number in [len, mtime_ns.cast_unsigned(), ctime_ns.cast_unsigned(), inode, dev, links] {
        out.extend(number.to_le_bytes());
    }
    out.extend(record.read_at_ns.to_le_bytes());
    out.extend(record.hash.as_bytes());
    out.push(match record.class {
        FileClass::Parse => 0,
        FileClass::TextOnly => 1,
        FileClass::TooLarge => 2,
    });
    out.push(match kind {
        FileKind::Binary => BINARY,
        FileKind::Text(None) => NO_LANGUAGE,
        FileKind::Text(Some(lang)) => *lang as u8,
    });
}

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let body = bytes.strip_prefix(MAGIC).ok_or(FormatError::Foreign)?;
    let mut reader = ByteReader { rest: body };
    let version = reader.read_u32().ok_or(FormatError::Foreign)?;
    if version != VERSION {
        return Err(FormatError::Version(version));
    }
    let (sealed, sum) = bytes.split_last_chunk::<32>().ok_or(FormatError::Damaged)?;
    if ContentHash::of(sealed).as_bytes() != sum {
        return Err(FormatError::Damaged);
    }
    reader.rest = reader.rest.get(..reader.rest.len() - sum.len()).ok_or(FormatError::Damaged)?;
    if reader.read_u64().ok_or(FormatError::Damaged)? != built_languages() {
        return Err(FormatError::Languages);
    }
    read_table(&mut reader).ok_or(FormatError::Damaged)
}

fn read_table(reader: &mut ByteReader<'_>) -> Option<Decoded> {
    let root = reader.read_text()?;
    let count = usize::try_from(reader.read_u64()?).ok()?;
    // The capacity follows from the bytes at hand, because the count may lie.
    let mut entries = Vec::with_capacity(count.min(reader.rest.len() / 64));
    for _ in 0..count {
        entries.push(read_entry(reader)?);
    }
    reader.rest.is_empty().then_some(Decoded { root, entries })
}

fn read_entry(reader: &mut ByteReader<'_>) -> Option<TableEntry> {
    let path = WsPath::new(&reader.read_text()?).ok()?;
    let stat = Stat {
        len: reader.read_u64()?,
        mtime_ns: reader.read_u64()?.cast_signed(),
        ctime_ns: reader.read_u64()?.cast_signed(),
        inode: reader.read_u64()?,
        dev: reader.read_u64()?,
        links: reader.read_u64()?,
    };
    let read_at_ns = reader.read_u64()?.cast_signed();
    let hash = ContentHash(reader.read_bytes::<32>()?);
    let class = match reader.read_bytes::<1>()? {
        [0] => FileClass::Parse,
        [1] => FileClass::TextOnly,
        [2] => FileClass::TooLarge,
        _ => return None,
    };
    let kind = match reader.read_bytes::<1>()? {
        [BINARY] => FileKind::Binary,
        [NO_LANGUAGE] => FileKind::Text(None),
        [lang] => FileKind::Text(Some(*Lang::ALL.get(usize::from(lang))?)),
    };
    Some(TableEntry { path, record: Record { stat, read_at_ns, hash, class }, kind })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sample_table() -> (AbsPath, Vec<TableEntry>) {
        let kinds = [FileKind::Binary, FileKind::Text(None), FileKind::Text(Some(Lang::Rust))];
        let entries = kinds.into_iter().enumerate().map(|(i, kind)| TableEntry {
            path: WsPath::new(&format!("src/ü{i}.rs")).expect("relative"),
            record: Record {
                stat: Stat { len: i as u64, mtime_ns: -5, ctime_ns: 7, inode: 9, dev: 1, links: 2 },
                read_at_ns: 11,
                hash: ContentHash::of(&[i as u8]),
                class: FileClass::TextOnly,
            },
            kind,
        });
        (AbsPath::new("/a/b").expect("absolute"), entries.collect())
    }

    #[test]
    fn a_table_reads_back_as_it_was() {
        let (root, entries) = sample_table();
        let decoded = decode(&encode(&root, &entries));
        assert_eq!(decoded, Ok(Decoded { root: "/a/b".into(), entries }));
    }

    #[test]
    fn a_table_of_a_build_with_other_languages_is_refused() {
        let (root, entries) = sample_table();
        let mut other = encode(&root, &entries);
        other.truncate(other.len() - 32);
        other[MAGIC.len() + 4] ^= 1;
        let sum = ContentHash::of(&other);
        other.extend(sum.as_bytes());
        assert_eq!(decode(&other), Err(FormatError::Languages));
    }

    /// A table that is damaged together with its checksum causes no panic and no large allocation, and is never read as
    /// another table than it is.
    #[test]
    fn anything_with_a_right_checksum_is_read_as_it_is_or_refused() {
        let (root, entries) = sample_table();
        let body = encode(&root, &entries);
        let body = &body[..body.len() - 32];
        let seal = |mut bytes: Vec<u8>| {
            let sum = ContentHash::of(&bytes);
            bytes.extend(sum.as_bytes());
            bytes
        };
        let (mut read, mut refused) = (0, 0);
        for at in MAGIC.len()..body.len() {
            let mut changed: Vec<Vec<u8>> = [0, 1, 0x7f, 0x80, 0xff]
                .map(|byte| {
                    let mut bytes = body.to_vec();
                    bytes[at] = byte;
                    bytes
                })
                .into();
            changed.push(body[..at].to_vec());
            changed.push([&body[..at], &body[at + 1..]].concat());
            changed.push([&body[..at], &[0xff; 8], &body[at..]].concat());
            for bytes in changed {
                let bytes = seal(bytes);
                let Ok(table) = decode(&bytes) else {
                    refused += 1;
                    continue;
                };
                read += 1;
                if let Ok(root) = AbsPath::new(&table.root) {
                    assert_eq!(
                        decode(&encode(&root, &table.entries)).map(|again| again.entries),
                        Ok(table.entries)
                    );
                }
            }
        }
        assert!(read > 100 && refused > 100, "{read} were read, {refused} refused");
    }

    #[test]
    fn every_flipped_or_missing_byte_is_noticed() {
        let (root, entries) = sample_table();
        let good = encode(&root, &entries);
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(decode(&bad).is_err(), "flipped {at}");
            assert!(decode(&good[..at]).is_err(), "cut at {at}");
        }
    }
}
