//! Merges small segments into larger ones.
//!
//! Segments are sorted into tiers by the number of live documents, each tier eight times the one below. Eight
//! segments in one tier are merged, together with all smaller ones; so every document is rewritten about once
//! per tier, and the number of segments stays logarithmic. A segment that is half dead is rewritten alone.
//! The idea is that of log-structured merge trees (O'Neil et al., 1996), in the tiered form that Lucene uses.
//!
//! Documents of a merged segment are sorted by path again, which keeps answers in order nearly for free.

use std::ops::Range;

use rayon::prelude::*;

use super::blocks::Ends;
use super::grams::Gram;
use super::parts::TrigramPart;
use super::postings;
use super::segment::{Doc, Segment, TrigramEntry};

/// The number of segments of one tier that are merged together; also the ratio of tiers.
const FANOUT: usize = 8;
/// Most postings of a merged segment: at no more than four bytes each, their offsets fit the table's 32 bits.
const MAX_POSTINGS: usize = (1 << 30) - 1;

/// A due merge: immutable sources, to be run on any thread.
#[derive(Debug)]
pub struct MergeJob {
    parts: Vec<TrigramPart>,
}

/// A finished merge, which the index installs.
#[derive(Debug)]
pub struct Merged {
    pub(super) sources: Vec<u64>,
    pub(super) segment: Segment,
}
/// Number of postings below which a merge runs on one thread.
const WORTH_SHARING: usize = 1 << 18;

impl MergeJob {
    pub(super) fn plan_merge(parts: &[TrigramPart]) -> Option<Self> {
        let full_tier = (0..usize::BITS).find(|&tier| {
            parts.iter().filter(|part| is_mergeable(part) && tier_of(part) == tier).count() >= FANOUT
        });
        let chosen = match full_tier {
            Some(tier) => {
                as_many_as_fit(parts.iter().filter(|part| is_mergeable(part) && tier_of(part) <= tier))
            }
            None => parts.iter().find(|part| mostly_dead(part)).into_iter().cloned().collect(),
        };
        (!chosen.is_empty()).then_some(Self { parts: chosen })
    }

    /// Runs the merge, in parallel.
    #[must_use]
    pub fn run(self) -> Merged {
        let LiveDocuments { docs, hashes, ends, blocks } = LiveDocuments::live_documents_of(&self.parts);
        let numbered = self.parts.iter().zip(&blocks);
        let sources: Vec<SegmentMergeSource<'_>> =
            numbered.map(|(part, numbers)| SegmentMergeSource { segment: &part.segment, numbers }).collect();
        let count = Ends::from_bytes(&ends).block_count();
        let pieces: Vec<SegmentMergePiece> = self
            .split_gram_space()
            .into_par_iter()
            .map(|range| SegmentMergePiece::merge(&sources, range, count))
            .collect();
        // A list that grows by doubling takes up to twice its memory, and is copied while it grows.
        let mut lists = Vec::with_capacity(pieces.iter().map(|piece| piece.postings.len()).sum());
        let mut table = Vec::new();
        for piece in pieces {
            let start = lists.len() as u32;
            lists.extend_from_slice(&piece.postings);
            piece.entries.iter().for_each(|entry| {
                TrigramEntry { offset: start + entry.offset, ..*entry }.write(&mut table);
            });
        }
        let keys = self.parts.iter().map(|part| part.key).collect();
        Merged { sources: keys, segment: Segment::new(docs, [hashes, ends, table, lists]) }
    }

    /// Splits the space of trigrams by first byte if there is enough work to share (text is dense in few of
    /// them).
    fn split_gram_space(&self) -> Vec<Range<u32>> {
        if self.parts.iter().map(|part| part.segment.posting_count()).sum::<usize>() < WORTH_SHARING {
            return std::iter::once(0..Gram::SPACE).collect();
        }
        let step = Gram::SPACE / 256;
        (0..256).map(|byte| byte * step..(byte + 1) * step).collect()
    }
}

fn is_mergeable(part: &TrigramPart) -> bool {
    part.segment.posting_count() < MAX_POSTINGS / 2
}

fn tier_of(part: &TrigramPart) -> u32 {
    part.live_count().max(1).ilog(FANOUT)
}

fn mostly_dead(part: &TrigramPart) -> bool {
    part.live_count() * 2 < part.segment.docs.len()
}

/// Returns as many of `parts` as a merged segment can hold; all of them unless the index is huge.
fn as_many_as_fit<'a>(parts: impl Iterator<Item = &'a TrigramPart>) -> Vec<TrigramPart> {
    let mut room = MAX_POSTINGS;
    let fits = |part: &&TrigramPart| {
        let count = part.segment.posting_count();
        let fits = count <= room;
        room -= if fits { count } else { 0 };
        fits
    };
    parts.filter(fits).cloned().collect()
}

/// A segment with the new number of each of its blocks; dead blocks have none.
struct SegmentMergeSource<'a> {
    segment: &'a Segment,
    numbers: &'a [Option<u32>],
}

/// The live documents of all parts, by path.
struct LiveDocuments {
    docs: Vec<Doc>,
    hashes: Vec<u8>,
    ends: Vec<u8>,
    /// The new number of each block of each part.
    blocks: Vec<Vec<Option<u32>>>,
}

impl LiveDocuments {
    fn live_documents_of(parts: &[TrigramPart]) -> Self {
        let mut live: Vec<(&Doc, usize, u32)> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            live.extend(part.live_docs().map(|(number, doc)| (doc, at, number)));
        }
        live.sort_by(|(a, ..), (b, ..)| (&a.path, a.file).cmp(&(&b.path, b.file)));
        let mut blocks: Vec<_> = parts.iter().map(|part| vec![None; part.segment.block_count()]).collect();
        let mut next = 0..;
        for (_, part, doc) in &live {
            let range = parts[*part].segment.blocks(*doc);
            let here = &mut blocks[*part][range.start as usize..range.end as usize];
            here.iter_mut().for_each(|block| *block = next.next());
        }
        let counts = live.iter().map(|(_, part, doc)| parts[*part].segment.blocks(*doc).len() as u32);
        let hashes = live.iter().flat_map(|(_, part, doc)| parts[*part].segment.hash(*doc).0);
        Self {
            ends: Ends::write(counts),
            hashes: hashes.collect(),
            docs: live.iter().map(|(doc, ..)| (*doc).clone()).collect(),
            blocks,
        }
    }
}

/// A merged part of the space of trigrams; offsets count from its own start.
#[derive(Default)]
struct SegmentMergePiece {
    entries: Vec<TrigramEntry>,
    postings: Vec<u8>,
}

impl SegmentMergePiece {
    fn merge(sources: &[SegmentMergeSource<'_>], range: Range<u32>, block_count: usize) -> Self {
        let mut rows: Vec<_> = sources
            .iter()
            .flat_map(|source| {
                source.segment.rows_in(range.clone()).map(move |(gram, list)| (gram, list, source))
            })
            .collect();
        rows.sort_by_key(|(gram, ..)| *gram);
        let (mut piece, mut blocks) = (Self::default(), Vec::new());
        for same in rows.chunk_by(|(a, ..), (b, ..)| a == b) {
            blocks.clear();
            for (_, list, source) in same {
                list.for_each(|block| blocks.extend(source.numbers.get(block as usize).copied().flatten()));
            }
            // Each source is an ascending run, which a stable sort merges. A damaged list may repeat blocks.
            blocks.sort();
            blocks.dedup();
            piece.push(same[0].0, &blocks, block_count);
        }
        // All pieces wait for the last one.
        piece.postings.shrink_to_fit();
        piece
    }

    fn push(&mut self, gram: u32, blocks: &[u32], block_count: usize) {
        if !blocks.is_empty() {
            let offset = self.postings.len() as u32;
            let coding = postings::encode(blocks, block_count, &mut self.postings);
            self.entries.push(TrigramEntry { gram, coding, count: blocks.len() as u32, offset });
        }
    }
}
