//! Defines blocks: the pieces of a file that posting lists name.
//!
//! A file is cut after the first line end at or past every [`BLOCK`] bytes, so a match, which never spans
//! lines, lies in one block, and so do all the trigrams that it needs. A large file is then no candidate
//! merely because of trigrams at its two ends, and of a candidate only some pieces are searched. The cuts
//! follow from the text alone; the index stores their number.
//!
//! # The choice of the block size
//! Where lists name files, nearly all the time of a selective search (6.0 of 6.3 ms) goes into searching candidates without a
//! match: half of the kernel's text is in files of more than 64 KiB, which have nearly every trigram somewhere. Candidates for
//! patterns of two classes, and for `should not be called` as prose, on the sources of Linux 6.1 (78,594 files, 1,298 MB;
//! 90, 75 and 71 files have a match):
//!
//! | lists name | postings | lists, of the text | `copy_from_user_\w+` | three rare names | prose |
//! |---|---|---|---|---|---|
//! | files | 119 M | 7.6 % | 63.6 MB | 35.9 MB | 286 MB |
//! | blocks of 32 KiB | 141 M | 9.1 % | 33.3 MB | 16.1 MB | 180 MB |
//! | blocks of 16 KiB | 164 M | 10.7 % | 20.7 MB | 9.4 MB | 89 MB |
//! | blocks of 8 KiB | 199 M | 13.3 % | 11.7 MB | 5.0 MB | 29 MB |
//! | blocks of 4 KiB | 247 M | 17.4 % | 5.9 MB | 2.3 MB | 7 MB |
//! | files, four bytes | | | 28.9 MB | 25.9 MB | 112 MB |
//! | files, five bytes | | | 28.0 MB | 25.7 MB | 80 MB |
//!
//! With blocks of 4 KiB the whole index is 17.9 % of the text, beside a plain copy of the text itself; it is ready after
//! 4.6 s, with blocks of 16 KiB (11.1 %) after 3.4 to 3.9. Medians of searches in turns, two cores, in ms, with blocks of 16, 8
//! and 4 KiB: prose 6.9, 3.5, 1.1; the three names 4.4, 2.9, 2.0; `copy_from_user_\w+` 1.8, 1.6, 1.2; `struct .*ops = \{`
//! (8,703 files) 15.4, 13.7, 13.0; `\bEIO\b` (4,289 files) 7.6, 6.9, 6.5; `0x[0-9a-f]{8}\b` (14,253 files) 205, 191, 174. A name
//! that 23,565 files have takes the same time with each, if a file is searched whole once half of its blocks have to be.
//!
//! The last two rows are the best that longer n-grams could do: sparse n-grams (GitHub's code search, 2023) choose some of
//! them, a mask of following bytes with each posting (its forerunner's bloom-masked trigrams) approximates four. They tell files
//! apart that lack the string, not places in a file that has most of it, and cost a byte a posting or a second index. zoekt's
//! positions of every trigram answer exactly, in an index of some three times the text; codesearch's lists name files.

use std::ops::Range;

use memchr::memchr;

/// Approximate size of a block in bytes. Small in unit tests, so that small texts have many blocks.
pub(crate) const BLOCK: usize = if cfg!(test) { 64 } else { 4 << 10 };
/// Consecutive blocks are searched as one up to about this many bytes.
const LONGEST_RUN: usize = if cfg!(test) { 256 } else { 64 << 10 };

/// Numbers of a file's blocks, ascending, from 0; `None` means all blocks.
pub(crate) type Blocks = Option<Box<[u32]>>;

/// Returns the number of blocks of a text of `len` bytes, at least one. Some may be empty, if a line is long.
pub(super) fn count(len: usize) -> usize {
    len.saturating_add(BLOCK / 2).div_euclid(BLOCK).max(1)
}

/// Returns the blocks of a text, in order.
pub(super) fn block_ranges(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    (1..=count(text.len())).scan(0, |at, next| {
        let start = std::mem::replace(at, boundary_of(text, next, *at));
        Some(start..*at)
    })
}

/// Returns the byte ranges of ascending `blocks` of a text, with neighbours joined.
pub(crate) fn runs_of_blocks(text: &[u8], blocks: &[u32]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut done = 0;
    for number in blocks.iter().map(|number| *number as usize) {
        let start = boundary_of(text, number, done);
        done = boundary_of(text, number.saturating_add(1), start);
        match runs.last_mut() {
            Some(last) if last.end == start && last.len() < LONGEST_RUN => last.end = done,
            _ if start < done => runs.push(start..done),
            _ => {}
        }
    }
    runs
}

/// Returns the start of a block that is known not to be before `done`, the end of an earlier block. Between
/// that block's nominal end and `done` there is no other line end, so no byte is scanned twice, however long
/// a line.
fn boundary_of(text: &[u8], number: usize, done: usize) -> usize {
    let about = number.saturating_mul(BLOCK);
    if number >= count(text.len()) {
        text.len()
    } else if about <= done {
        done
    } else {
        memchr(b'\n', &text[about - 1..]).map_or(text.len(), |newline| about + newline)
    }
}

/// Size of an entry of [`Ends`] in bytes.
pub(super) const END: usize = 4;

/// The ends of documents' blocks in a segment: for each document, one past its last block. The bytes may be
/// damaged.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a>(&'a [[u8; END]]);

impl<'a> Ends<'a> {
    pub(super) fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    /// Writes the ends of documents with these numbers of blocks.
    pub(super) fn write(counts: impl Iterator<Item = u32>) -> Vec<u8> {
        let ends = counts.scan(0u32, |end, count| {
            *end += count;
            Some(end.to_le_bytes())
        });
        ends.flatten().collect()
    }

    /// Returns true if these are valid ends for this number of documents, each with at least one block.
    pub(super) fn is_sound(self, documents: usize) -> bool {
        let mut all = (0..documents).map(|document| self.blocks_of(document));
        self.0.len() == documents && all.all(|blocks| blocks.start < blocks.end)
    }

    /// Returns the number of all blocks.
    pub(super) fn block_count(self) -> usize {
        self.0.last().map_or(0, |end| u32::from_le_bytes(*end) as usize)
    }

    /// Returns the blocks of a document.
    pub(super) fn blocks_of(self, document: usize) -> Range<u32> {
        let end = |at: usize| self.0.get(at).map_or(u32::MAX, |end| u32::from_le_bytes(*end));
        let start = document.checked_sub(1).map_or(0, end);
        start..end(document)
    }

    /// Returns the documents of ascending `blocks`, each with its own blocks. Numbers of no block are
    /// skipped.
    pub(super) fn by_document(self, blocks: &[u32]) -> Vec<(u32, Blocks)> {
        let (mut found, mut rest, mut document) = (Vec::new(), blocks, 0);
        while let Some(&block) = rest.first() {
            document = self.document_with(block, document);
            if document >= self.0.len() {
                break;
            }
            let range = self.blocks_of(document);
            let here = rest.iter().take_while(|block| range.contains(block)).count();
            let (own, later) = rest.split_at(here.max(1));
            rest = later;
            if here > 0 {
                let is_all = here == range.len();
                let numbers = || own.iter().map(|block| block - range.start).collect();
                found.push((document as u32, (!is_all).then(numbers)));
            }
        }
        found
    }

    /// Returns the first document from `from` on that ends after `block`; it is mostly near.
    fn document_with(self, block: u32, from: usize) -> usize {
        let is_before = |end: &[u8; END]| u32::from_le_bytes(*end) <= block;
        let (mut at, mut step) = (from, 1);
        while self.0.get(at + step - 1).is_some_and(is_before) {
            at += step;
            step *= 2;
        }
        let within = self.0.get(at..self.0.len().min(at + step)).unwrap_or_default();
        at + within.partition_point(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![9 => 0..40usize, 1 => 100..400usize];
        let lines =
            prop::collection::vec(line.prop_map(|len| [vec![b'x'; len], vec![b'\n']].concat()), 0..40);
        (lines, 0..200usize).prop_map(|(lines, end)| [lines.concat(), vec![b'y'; end]].concat())
    }

    #[test]
    fn a_text_of_one_line_is_one_block() {
        let long = vec![b'x'; 10 * BLOCK];
        assert_eq!(block_ranges(&long).next(), Some(0..long.len()));
        assert!(block_ranges(&long).skip(1).all(|block| block.is_empty()));
        assert!(block_ranges(b"").eq(std::iter::once(0..0)));
    }

    proptest! {
        #[test]
        fn blocks_are_whole_lines_and_all_of_the_text(text in text()) {
            let mut end = 0;
            for block in block_ranges(&text) {
                prop_assert_eq!(block.start, end);
                prop_assert!(block.start == 0 || block.is_empty() || text[block.start - 1] == b'\n');
                end = block.end;
            }
            prop_assert_eq!(end, text.len());
        }

        #[test]
        fn runs_are_the_blocks_they_are_of(text in text(), chosen in prop::collection::vec(any::<bool>(), 80)) {
            let all: Vec<Range<usize>> = block_ranges(&text).collect();
            let numbers: Vec<u32> = (0..all.len() as u32).filter(|n| chosen[*n as usize % 80]).collect();
            let expected: Vec<usize> = numbers.iter().flat_map(|n| all[*n as usize].clone()).collect();
            prop_assert_eq!(runs_of_blocks(&text, &numbers).into_iter().flatten().collect::<Vec<_>>(), expected);
        }

        #[test]
        fn blocks_find_their_documents(
            counts in prop::collection::vec(1..6u32, 1..60),
            chosen in prop::collection::btree_set(0..400u32, 0..60),
        ) {
            let bytes = Ends::write(counts.iter().copied());
            let ends = Ends::from_bytes(&bytes);
            prop_assert!(ends.is_sound(counts.len()));
            let mut expected = Vec::new();
            for document in 0..counts.len() {
                let range = ends.blocks_of(document);
                let own: Vec<u32> = chosen.range(range.clone()).map(|block| block - range.start).collect();
                if !own.is_empty() {
                    expected.push((document as u32, (own.len() < range.len()).then(|| own.into())));
                }
            }
            let chosen: Vec<u32> = chosen.into_iter().collect();
            prop_assert_eq!(ends.by_document(&chosen), expected);
        }
    }
}
