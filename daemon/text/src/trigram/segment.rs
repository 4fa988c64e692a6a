//! An immutable index of a batch of files: a table of trigrams, their posting lists, and who the documents are.
//!
//! The table and the lists are plain bytes, little-endian and free of pointers, so that a segment can be written to
//! disk and mapped as it is; only the two accessors at the end of this file look inside. An entry of the table has
//! twelve bytes: trigram and coding (the upper byte), number of documents, offset of the list. A list ends where the
//! next begins. What dies is masked outside (see `parts`); a segment never changes.

use hob_base::{FileId, WsPath};

use super::grams::Gram;
use super::postings::{Coding, PostingList};

/// A file as a segment knows it.
#[derive(Clone, Debug)]
pub(super) struct Doc {
    pub(super) file: FileId,
    pub(super) path: WsPath,
}

/// See the file's header. Documents are sorted by path.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) docs: Box<[Doc]>,
    table: Box<[u8]>,
    postings: Box<[u8]>,
    posting_count: usize,
}

/// Bytes of a table entry.
pub(super) const ENTRY: usize = 12;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) gram: u32,
    pub(super) coding: Coding,
    pub(super) count: u32,
    pub(super) offset: u32,
}

impl Entry {
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
    /// From parts that belong together: `table` sorted by trigram, offsets into `postings`.
    pub(super) fn new(docs: Box<[Doc]>, table: Vec<u8>, postings: Vec<u8>) -> Self {
        let counts = table.as_chunks().0.iter().map(|entry| Entry::read(entry).count as usize);
        Self {
            docs,
            posting_count: counts.sum(),
            table: table.into_boxed_slice(),
            postings: postings.into_boxed_slice(),
        }
    }

    /// Number of postings in all lists together.
    pub(super) fn posting_count(&self) -> usize {
        self.posting_count
    }

    /// Bytes of posting lists.
    pub(super) fn postings_bytes(&self) -> usize {
        self.postings.len()
    }

    /// Bytes of the trigram table.
    pub(super) fn table_bytes(&self) -> usize {
        self.table.len()
    }

    /// The list of a trigram; `None` when no document has it.
    pub(super) fn list(&self, gram: Gram) -> Option<PostingList<'_>> {
        let at = self.position(gram.number());
        let (entry, list) = self.row(at)?;
        (entry.gram == gram.number()).then_some(list)
    }

    /// All trigrams in `range` with their lists, ascending.
    pub(super) fn rows(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = (u32, PostingList<'_>)> {
        (self.position(range.start)..self.position(range.end))
            .filter_map(|at| self.row(at))
            .map(|(entry, list)| (entry.gram, list))
    }

    /// The first row whose trigram is not below `gram`.
    fn position(&self, gram: u32) -> usize {
        self.table.as_chunks::<ENTRY>().0.partition_point(|entry| Entry::read(entry).gram < gram)
    }

    fn row(&self, at: usize) -> Option<(Entry, PostingList<'_>)> {
        let table = self.table.as_chunks::<ENTRY>().0;
        let entry = Entry::read(table.get(at)?);
        let end = table.get(at + 1).map_or(self.postings.len(), |next| Entry::read(next).offset as usize);
        let bytes = self.postings.get(entry.offset as usize..end)?;
        Some((entry, PostingList { coding: entry.coding, count: entry.count, bytes }))
    }
}
