//! Joins a segment with the record of its documents that still count.
//!
//! The record is a bitmap beside the immutable segment. Text views share it, and the first change after a
//! view was taken copies it (10 KB for 80,000 files), so a query sees one moment and a change never waits for
//! a query.

use std::sync::Arc;

use super::grams::bit_positions;
use super::segment::{Doc, Segment};

/// A segment and its live documents. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct TrigramPart {
    /// Identity of the segment within its index; never used twice.
    pub(super) key: u64,
    pub(super) segment: Arc<Segment>,
    live: Arc<Live>,
}

#[derive(Clone, Debug)]
struct Live {
    words: Vec<u64>,
    count: usize,
}

impl TrigramPart {
    /// Creates a part of a segment; the documents for which `is_live` is true count.
    pub(super) fn new(key: u64, segment: Arc<Segment>, mut is_live: impl FnMut(&Doc) -> bool) -> Self {
        let mut live = Live { words: vec![0; segment.docs.len().div_ceil(64)], count: 0 };
        for (at, _) in segment.docs.iter().enumerate().filter(|(_, doc)| is_live(doc)) {
            live.words[at / 64] |= 1 << (at % 64);
            live.count += 1;
        }
        Self { key, segment, live: Arc::new(live) }
    }

    /// Masks a document, so that queries no longer see it.
    pub(super) fn kill(&mut self, doc: u32) {
        if self.is_live(doc) {
            let live = Arc::make_mut(&mut self.live);
            live.words[doc as usize / 64] &= !(1 << (doc % 64));
            live.count -= 1;
        }
    }

    /// Returns true if a document exists and is not masked.
    pub(super) fn is_live(&self, doc: u32) -> bool {
        self.live.words.get(doc as usize / 64).is_some_and(|word| word & 1 << (doc % 64) != 0)
    }

    /// Returns the number of documents that count.
    pub(super) fn live_count(&self) -> usize {
        self.live.count
    }

    /// Returns the documents that count with their numbers, ascending.
    pub(super) fn live_docs(&self) -> impl Iterator<Item = (u32, &Doc)> {
        self.live
            .words
            .iter()
            .enumerate()
            .flat_map(|(at, &word)| bit_positions(word).map(move |bit| at as u32 * 64 + bit))
            .map(|at| (at, &self.segment.docs[at as usize]))
    }
}
