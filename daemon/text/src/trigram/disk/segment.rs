//! Reads and writes a segment as a file.
//!
//! After the head (see `frame`) come the lengths of five sections in bytes, then the sections:
//! - paths: for each document, in the order of numbers, the number of bytes that it shares with the path
//!   before (varint), the number of its further bytes (varint), and those bytes;
//! - hashes: the blake3 of each document's file, 32 bytes each;
//! - ends of blocks, table and postings, in the form of `Segment` in memory.
//!
//! Versions (a change of the trigrams that [`FileGrams::from_bytes`](crate::FileGrams::from_bytes) finds, or
//! of its decoding, counts too):
//! 1. The first.
//! 2. Lists name blocks instead of files.
//! 3. Blocks of 4 KiB instead of 16.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hob_base::{Region, WsPath};

use super::error::{DiskError, FormatError};
use super::file::IndexFileDraft;
use super::frame::{self, CHECKSUM, Format};
use super::section::Section;
use crate::trigram::segment::{Doc, HASH, Segment};
use crate::trigram::varint;

pub(super) const FORMAT: Format = Format { magic: *b"hobgrams", version: 3 };
/// The ending of segment files' names.
pub(super) const SUFFIX: &str = ".grams";

/// The error for paths and hashes of different documents.
pub(super) const UNPAIRED: FormatError = FormatError::Damaged("it does not have a hash for each path");

/// Identifies a segment file by its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::trigram) struct Stored(pub(super) [u8; CHECKSUM]);

impl Stored {
    /// Returns the name of the file.
    pub(super) fn file_name(self) -> String {
        let mut name: String = self.0[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        name.push_str(SUFFIX);
        name
    }
}

/// Writes a segment; the file is complete and on the disk when this returns.
pub(super) fn write(segment: &Segment, path: &Path) -> io::Result<Stored> {
    let mut draft = IndexFileDraft::begin(path, FORMAT)?;
    let paths = encode_paths(&segment.docs);
    let sections = [&paths[..], segment.hashes(), segment.ends(), segment.table(), segment.postings()];
    for section in sections {
        draft.write_number(section.len())?;
    }
    for section in sections {
        draft.write(section)?;
    }
    draft.finish().map(Stored)
}

fn encode_paths(docs: &[Doc]) -> Vec<u8> {
    let (mut out, mut last) = (Vec::new(), &[][..]);
    for doc in docs {
        let path = doc.path.as_str().as_bytes();
        let shared = path.iter().zip(last).take_while(|(a, b)| a == b).count();
        varint::write(shared as u32, &mut out);
        varint::write((path.len() - shared) as u32, &mut out);
        out.extend_from_slice(&path[shared..]);
        last = path;
    }
    out
}

/// A checked segment file, before its documents have numbers.
#[derive(Debug)]
pub(super) struct SegmentFile {
    pub(super) stored: Stored,
    region: Arc<Region>,
    /// The ranges of paths, hashes, ends of blocks, table, postings.
    sections: [Range<usize>; 5],
}

impl SegmentFile {
    /// Opens and checks a file.
    pub(super) fn open(path: &Path) -> Result<Self, DiskError> {
        let region = Region::open(path).map_err(DiskError::io_at(path))?;
        Self::from_region(region).map_err(DiskError::format(path))
    }

    pub(super) fn from_region(region: Region) -> Result<Self, FormatError> {
        let body = FORMAT.check_frame(&region)?;
        let mut rest = body.bytes;
        let mut lens = [0; 5];
        for len in &mut lens {
            *len = frame::take_number(&mut rest)?;
        }
        let total = lens.iter().try_fold(0usize, |sum, len| sum.checked_add(*len));
        if total != Some(rest.len()) {
            return Err(FormatError::Damaged("its sections do not add up"));
        }
        let mut at = body.start + body.bytes.len() - rest.len();
        let sections = lens.map(|len| {
            at += len;
            at - len..at
        });
        Ok(Self { stored: Stored(body.checksum), sections, region: Arc::new(region) })
    }

    fn section_at(&self, at: usize) -> Section {
        Section::Shared { region: Arc::clone(&self.region), range: self.sections[at].clone() }
    }

    /// Checks that this is the very file that a manifest names.
    pub(super) fn is(&self, stored: Stored) -> Result<(), FormatError> {
        if self.stored == stored { Ok(()) } else { Err(FormatError::Damaged("it is another segment")) }
    }

    /// Returns the hash of each document's file as it was indexed.
    pub(super) fn hashes(&self) -> Section {
        self.section_at(1)
    }

    /// Reads the paths of the documents.
    pub(super) fn read_paths(&self) -> Result<Vec<WsPath>, FormatError> {
        let damaged = || FormatError::Damaged("a path is no path");
        let section = self.section_at(0);
        let mut rest = &section[..];
        let (mut paths, mut path) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let shared = varint::read(&mut rest).ok_or_else(damaged)?;
            let own = varint::read(&mut rest).ok_or_else(damaged)?;
            let (own, later) = rest.split_at_checked(own as usize).ok_or_else(damaged)?;
            rest = later;
            if shared as usize > path.len() {
                return Err(damaged());
            }
            path.truncate(shared as usize);
            path.extend_from_slice(own);
            let text = std::str::from_utf8(&path).map_err(|_| damaged())?;
            paths.push(WsPath::new(text).map_err(|_| damaged())?);
        }
        Ok(paths)
    }

    /// Returns the segment with the documents `docs`; checks that all its parts fit together.
    pub(super) fn into_segment(self, docs: Arc<[Doc]>) -> Result<Segment, FormatError> {
        let parts @ [hashes, ..] = &[1, 2, 3, 4].map(|at| self.section_at(at));
        if hashes.len() % HASH != 0 || hashes.len() / HASH != docs.len() {
            return Err(UNPAIRED);
        }
        let segment = Segment::from_sections(docs, parts.clone()).stored_as(self.stored);
        if segment.is_sound() { Ok(segment) } else { Err(FormatError::Damaged("its table makes no sense")) }
    }
}
