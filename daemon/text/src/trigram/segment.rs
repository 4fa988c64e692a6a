//! Defines a segment, an immutable index of a batch of files: a table of trigrams, their posting lists, and
//! the documents.
//!
//! Lists name blocks (see `blocks`), numbered through all documents from 0; a list beside them has each
//! document's number of blocks.
//!
//! The table and the lists are plain bytes, little-endian and free of pointers, so that a segment is written
//! to disk and used from a mapping without conversion; only the accessors at the end of this file interpret
//! them. An entry of the table has twelve bytes: trigram and coding (the upper byte), number of blocks,
//! offset of the list. A list ends where the next begins. Dead documents are masked outside (see `parts`); a
//! segment never changes.
//!
//! Bytes from a mapping are not trusted, even though their checksum was right: no accessor goes out of
//! bounds, and a list may name blocks that do not exist, which every reader must expect.

use std::ops::Range;
use std::sync::Arc;

use hob_base::{ContentHash, FileId, WsPath};

use super::blocks::{Blocks, END, Ends};
use super::disk::{Section, Stored};
use super::grams::Gram;
use super::postings::{Coding, PostingList};

/// A file in a segment.
#[derive(Clone, Debug)]
pub(super) struct Doc {
    pub(super) file: FileId,
    pub(super) path: WsPath,
}

impl Doc {
    /// Returns a placeholder for a document that was dead before the index was restored: nothing needs its
    /// path.
    pub(super) fn placeholder() -> Self {
        Self { file: FileId(u32::MAX), path: WsPath::root() }
    }
}

/// The bytes and the documents of a segment. Documents are sorted by path.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) docs: Arc<[Doc]>,
    /// The hash of each document's file when it was indexed.
    hashes: Section,
    /// The end of each document's blocks.
    ends: Section,
    table: Section,
    postings: Section,
    posting_count: usize,
    stored: Option<Stored>,
}

/// Size of a document's hash in bytes.
pub(super) const HASH: usize = 32;
/// Most blocks without a trigram for each document on average; only long lines give any. Bounds the cost of a
/// damaged number.
const EMPTY_BLOCKS: usize = 1 << 13;
/// Size of a table entry in bytes.
pub(super) const ENTRY: usize = 12;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrigramEntry {
    pub(super) gram: u32,
    pub(super) coding: Coding,
    pub(super) count: u32,
    pub(super) offset: u32,
}

impl TrigramEntry {
    pub(super) fn write(self, table: &mut Vec<u8>) {
        let coding = match self.coding {
            Coding::Deltas => 0,
            Coding::Bitmap => Gram::SPACE,
        };
        for field in [self.gram | coding, self.count, self.offset] {
            table.extend_from_slice(&field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8; ENTRY]) -> Self {
        let (fields, _) = bytes.as_chunks::<4>();
        let [gram, count, offset] = [0, 1, 2].map(|at: usize| u32::from_le_bytes(fields[at]));
        let coding = if gram & Gram::SPACE == 0 { Coding::Deltas } else { Coding::Bitmap };
        Self { gram: gram & (Gram::SPACE - 1), coding, count, offset }
    }
}

impl Segment {
    /// Creates a segment from matching parts: [`HASH`] bytes of hashes per document, the [`Ends`] of blocks,
    /// a table sorted by trigram with offsets into the postings, and the postings.
    pub(super) fn new(docs: Vec<Doc>, parts: [Vec<u8>; 4]) -> Self {
        Self::from_sections(docs.into(), parts.map(Section::from))
    }

    /// Creates a segment from the same parts in memory or in mapped files.
    pub(super) fn from_sections(docs: Arc<[Doc]>, [hashes, ends, table, postings]: [Section; 4]) -> Self {
        let counts = table.as_chunks().0.iter().map(|entry| TrigramEntry::read(entry).count as usize);
        Self { docs, posting_count: counts.sum(), hashes, ends, table, postings, stored: None }
    }

    /// Returns the segment with the file that is known to hold it.
    pub(super) fn stored_as(self, stored: Stored) -> Self {
        Self { stored: Some(stored), ..self }
    }

    /// Returns its file, if it has one.
    pub(super) fn stored(&self) -> Option<Stored> {
        self.stored
    }

    /// Returns true if this crate could have written table and blocks. The posting lists are not examined.
    pub(super) fn is_sound(&self) -> bool {
        let blocks = self.block_count();
        let (entries, rest) = self.table.as_chunks::<ENTRY>();
        let mut last: Option<TrigramEntry> = None;
        let in_order = entries.iter().map(TrigramEntry::read).all(|entry| {
            let follows = last.is_none_or(|last| last.gram < entry.gram && last.offset <= entry.offset);
            last = Some(entry);
            follows && entry.gram < Gram::SPACE && entry.count as usize <= blocks
        });
        let fits = last.is_none_or(|last| last.offset as usize <= self.postings.len());
        let few = blocks <= self.docs.len().saturating_mul(EMPTY_BLOCKS).saturating_add(self.posting_count);
        let whole = few
            && self.ends.len() == END * self.docs.len()
            && Ends::from_bytes(&self.ends).is_sound(self.docs.len());
        whole && rest.is_empty() && in_order && fits && self.postings.len() <= u32::MAX as usize
    }

    /// Returns the hash of a document's file as it was indexed.
    pub(super) fn hash(&self, doc: u32) -> ContentHash {
        ContentHash(self.hashes.as_chunks().0.get(doc as usize).copied().unwrap_or_default())
    }

    /// Returns all hashes, one after the other.
    pub(super) fn hashes(&self) -> &[u8] {
        &self.hashes
    }

    /// Returns the number of blocks of all documents.
    pub(super) fn block_count(&self) -> usize {
        Ends::from_bytes(&self.ends).block_count()
    }

    /// Returns the blocks of a document.
    pub(super) fn blocks(&self, doc: u32) -> Range<u32> {
        Ends::from_bytes(&self.ends).blocks_of(doc as usize)
    }

    /// Returns the documents of ascending `blocks`, each with its own.
    pub(super) fn by_document(&self, blocks: &[u32]) -> Vec<(u32, Blocks)> {
        Ends::from_bytes(&self.ends).by_document(blocks)
    }

    /// Returns the ends of the documents' blocks.
    pub(super) fn ends(&self) -> &[u8] {
        &self.ends
    }

    /// Returns the table of trigrams.
    pub(super) fn table(&self) -> &[u8] {
        &self.table
    }

    /// Returns the bytes of all posting lists.
    pub(super) fn postings(&self) -> &[u8] {
        &self.postings
    }

    /// Returns the approximate private memory in bytes.
    pub(super) fn private_bytes(&self) -> usize {
        // A path is usually not shared; its two counters and the allocator's own word are added.
        let docs = self.docs.iter().map(|doc| size_of::<Doc>() + 24 + doc.path.as_str().len());
        let sections = [&self.hashes, &self.ends, &self.table, &self.postings].map(Section::private_bytes);
        docs.sum::<usize>() + sections.iter().sum::<usize>()
    }

    /// Returns the number of postings in all lists together.
    pub(super) fn posting_count(&self) -> usize {
        self.posting_count
    }

    /// Returns the list of a trigram; `None` when no block has it.
    pub(super) fn list(&self, gram: Gram) -> Option<PostingList<'_>> {
        let at = self.position(gram.number());
        let (entry, list) = self.row_at(at)?;
        (entry.gram == gram.number()).then_some(list)
    }

    /// Returns all trigrams in `range` with their lists, ascending.
    pub(super) fn rows_in(&self, range: Range<u32>) -> impl Iterator<Item = (u32, PostingList<'_>)> {
        (self.position(range.start)..self.position(range.end))
            .filter_map(|at| self.row_at(at))
            .map(|(entry, list)| (entry.gram, list))
    }

    /// Returns the first row whose trigram is not below `gram`.
    fn position(&self, gram: u32) -> usize {
        self.table.as_chunks::<ENTRY>().0.partition_point(|entry| TrigramEntry::read(entry).gram < gram)
    }

    fn row_at(&self, at: usize) -> Option<(TrigramEntry, PostingList<'_>)> {
        let table = self.table.as_chunks::<ENTRY>().0;
        let entry = TrigramEntry::read(table.get(at)?);
        let end =
            table.get(at + 1).map_or(self.postings.len(), |next| TrigramEntry::read(next).offset as usize);
        let mut bytes = self.postings.get(entry.offset as usize..end)?;
        if entry.coding == Coding::Bitmap {
            bytes = &bytes[..bytes.len().min(self.block_count().div_ceil(8))];
        }
        Some((entry, PostingList { coding: entry.coding, count: entry.count, bytes }))
    }
}
