//! Reads and writes the manifest: the list of the segments that make up the index, in a file of its own that
//! is replaced as a whole.
//!
//! After the head (see `frame`) comes the checksum of each segment file, which is also its name; so a
//! manifest names contents, not just places, and a file under another file's name is rejected.
//!
//! Versions:
//! 1. The first.

use std::fs;
use std::io;
use std::path::Path;

use super::error::{DiskError, FormatError};
use super::file::{self, IndexFileDraft, UNFINISHED};
use super::frame::{CHECKSUM, Format};
use super::segment::{SUFFIX, Stored};

const FORMAT: Format = Format { magic: *b"hobindex", version: 1 };
pub(super) const NAME: &str = "manifest";

/// Replaces the manifest of a folder; the new one is on the disk when this returns.
pub(super) fn write(folder: &Path, segments: &[Stored]) -> io::Result<()> {
    let unfinished = folder.join(format!("{NAME}{UNFINISHED}"));
    let mut draft = IndexFileDraft::begin(&unfinished, FORMAT)?;
    for segment in segments {
        draft.write(&segment.0)?;
    }
    draft.finish()?;
    fs::rename(unfinished, folder.join(NAME))?;
    file::flush_folder(folder)
}

/// Reads the manifest of a folder.
pub(super) fn read(folder: &Path) -> Result<Vec<Stored>, DiskError> {
    let path = folder.join(NAME);
    let bytes = fs::read(&path).map_err(DiskError::io_at(&path))?;
    parse(&bytes).map_err(DiskError::format(&path))
}

fn parse(bytes: &[u8]) -> Result<Vec<Stored>, FormatError> {
    let (checksums, rest) = FORMAT.check_frame(bytes)?.bytes.as_chunks::<CHECKSUM>();
    if !rest.is_empty() {
        return Err(FormatError::Damaged("its list is cut off"));
    }
    Ok(checksums.iter().copied().map(Stored).collect())
}

/// Deletes this crate's files in the folder that `segments` does not name. A file that cannot be deleted (a
/// mapped file, on some systems) stays for the next time.
pub(super) fn delete_others(folder: &Path, segments: &[Stored]) {
    let names: Vec<String> = segments.iter().map(|segment| segment.file_name()).collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let ours = name.ends_with(SUFFIX) || name.ends_with(UNFINISHED);
        if ours && !names.contains(&name) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let segments = [Stored([1; CHECKSUM]), Stored([2; CHECKSUM])];
        write(folder.path(), &segments).expect("a folder of our own");
        assert_eq!(read(folder.path()).expect("just written"), segments);
        let good = fs::read(folder.path().join(NAME)).expect("just written");
        for at in 0..good.len() {
            assert!(parse(&good[..at]).is_err(), "cut at {at}");
            let mut flipped = good.clone();
            flipped[at] ^= 0x10;
            assert!(parse(&flipped).is_err(), "flipped at {at}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(parse(b"#!/bin/sh\necho hello\n"), Err(FormatError::Foreign));
        let newer = [&b"hobindex"[..], &9u32.to_le_bytes(), &[0; 64]].concat();
        assert_eq!(parse(&newer), Err(FormatError::Version { found: 9, wanted: 1 }));
    }
}
