//! An immutable index of a batch of files: a table of trigrams, their posting lists, and who the documents are.
//!
//! Lists name blocks (see `blocks`), numbered through all documents from 0; how many each document has is beside them.
//!
//! The table and the lists are plain bytes, little-endian and free of pointers, so that a segment is written to disk
//! and used from a mapping as it is; only the accessors at the end of this file look inside. An entry of the table has
//! twelve bytes: trigram and coding (the upper byte), number of blocks, offset of the list. A list ends where the
//! next begins. What dies is masked outside (see `parts`); a segment never changes.
//!
//! Bytes from a mapping are not trusted, even though their checksum was right: no accessor goes out of bounds, and a
//! list may name blocks that do not exist, which whoever reads it must expect.

use std::ops::Range;
use std::sync::Arc;

use hob_base::{ContentHash, FileId, WsPath};

use super::blocks::{Blocks, END, Ends};
use super::disk::{Section, Stored};
use super::grams::Gram;
use super::postings::{Coding, PostingList};

/// A file as a segment knows it.
#[derive(Clone, Debug)]
pub(super) struct Doc {
    pub(super) file: FileId,
    pub(super) path: WsPath,
}

impl Doc {
    /// In place of a document that is dead since before the index was restored: nothing asks who it was.
    pub(super) fn placeholder() -> Self {
        Self { file: FileId(u32::MAX), path: WsPath::root() }
    }
}

/// See the file's header. Documents are sorted by path.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) docs: Arc<[Doc]>,
    /// Hash of each document's file as it was indexed.
    hashes: Section,
    /// Where each document's blocks end.
    ends: Section,
    table: Section,
    postings: Section,
    posting_count: usize,
    stored: Option<Stored>,
}

/// Bytes of a document's hash.
pub(super) const HASH: usize = 32;
/// Most blocks without a trigram that documents have on average; only long lines leave any. Bounds what a damaged number costs.
const EMPTY_BLOCKS: usize = 1 << 13;
/// Bytes of a table entry.
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
    /// From parts that belong together: [`HASH`] bytes of hashes per document, the [`Ends`] of blocks, a table sorted by trigram
    /// with offsets into the postings, and those.
    pub(super) fn new(docs: Vec<Doc>, parts: [Vec<u8>; 4]) -> Self {
        Self::from_sections(docs.into(), parts.map(Section::from))
    }

    /// The same from parts wherever they lie.
    pub(super) fn from_sections(docs: Arc<[Doc]>, [hashes, ends, table, postings]: [Section; 4]) -> Self {
        let counts = table.as_chunks().0.iter().map(|entry| TrigramEntry::read(entry).count as usize);
        Self { docs, posting_count: counts.sum(), hashes, ends, table, postings, stored: None }
    }

    /// The same segment, known to be in a file.
    pub(super) fn stored_as(self, stored: Stored) -> Self {
        Self { stored: Some(stored), ..self }
    }

    /// Its file, if it is in one.
    pub(super) fn stored(&self) -> Option<Stored> {
        self.stored
    }

    /// Returns true if table and blocks are what this crate could have written. The posting lists are not looked
    /// into.
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

    /// All hashes, one after the other.
    pub(super) fn hashes(&self) -> &[u8] {
        &self.hashes
    }

    /// Number of blocks of all documents.
    pub(super) fn block_count(&self) -> usize {
        Ends::from_bytes(&self.ends).block_count()
    }

    /// The blocks of a document.
    pub(super) fn blocks(&self, doc: u32) -> Range<u32> {
        Ends::from_bytes(&self.ends).blocks_of(doc as usize)
    }

    /// The documents that ascending `blocks` are of, each with its own.
    pub(super) fn by_document(&self, blocks: &[u32]) -> Vec<(u32, Blocks)> {
        Ends::from_bytes(&self.ends).by_document(blocks)
    }

    /// Where each document's blocks end.
    pub(super) fn ends(&self) -> &[u8] {
        &self.ends
    }

    /// The table of trigrams.
    pub(super) fn table(&self) -> &[u8] {
        &self.table
    }

    /// Returns the bytes of all posting lists.
    pub(super) fn postings(&self) -> &[u8] {
        &self.postings
    }

    /// Bytes of private memory it takes, about.
    pub(super) fn private_bytes(&self) -> usize {
        // A path is shared with nobody in general; its two counters and the allocator's own word come on top.
        let docs = self.docs.iter().map(|doc| size_of::<Doc>() + 24 + doc.path.as_str().len());
        let sections = [&self.hashes, &self.ends, &self.table, &self.postings].map(Section::private_bytes);
        docs.sum::<usize>() + sections.iter().sum::<usize>()
    }

    /// Number of postings in all lists together.
    pub(super) fn posting_count(&self) -> usize {
        self.posting_count
    }

    /// The list of a trigram; `None` when no block has it.
    pub(super) fn list(&self, gram: Gram) -> Option<PostingList<'_>> {
        let at = self.position(gram.number());
        let (entry, list) = self.row_at(at)?;
        (entry.gram == gram.number()).then_some(list)
    }

    /// All trigrams in `range` with their lists, ascending.
    pub(super) fn rows_in(&self, range: Range<u32>) -> impl Iterator<Item = (u32, PostingList<'_>)> {
        (self.position(range.start)..self.position(range.end))
            .filter_map(|at| self.row_at(at))
            .map(|(entry, list)| (entry.gram, list))
    }

    /// The first row whose trigram is not below `gram`.
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
