//! Folding small segments into larger ones.
//!
//! Segments are sorted into tiers by the number of live documents, each tier eight times the one below. Eight segments
//! in one tier are merged, with whatever is smaller; so every document is rewritten about once per tier, and the number
//! of segments stays logarithmic. A segment that is half dead is rewritten alone. The idea is that of log-structured
//! merge trees (O'Neil et al., 1996), in the tiered form that Lucene uses.
//!
//! Documents of a merged segment are sorted by path again, which keeps answers in order nearly for free.

use std::ops::Range;

use rayon::prelude::*;

use super::grams::Gram;
use super::parts::Part;
use super::postings;
use super::segment::{Doc, Entry, HASH, Segment};

/// Segments of one tier that are merged together; also the ratio of tiers.
const FANOUT: usize = 8;
/// Most postings of a merged segment: at no more than four bytes each, their offsets fit the table's 32 bits.
const MAX_POSTINGS: usize = (1 << 30) - 1;

/// A merge that is due: immutable sources, to be run anywhere.
#[derive(Debug)]
pub struct MergeJob {
    parts: Vec<Part>,
}

/// A finished merge, to be given back to the index.
#[derive(Debug)]
pub struct Merged {
    pub(super) sources: Vec<u64>,
    pub(super) segment: Segment,
}
/// Merges of fewer postings run on one thread.
const WORTH_SHARING: usize = 1 << 18;

impl MergeJob {
    pub(super) fn plan(parts: &[Part]) -> Option<Self> {
        let full_tier = (0..usize::BITS).find(|&tier| {
            parts.iter().filter(|part| mergeable(part) && tier_of(part) == tier).count() >= FANOUT
        });
        let chosen = match full_tier {
            Some(tier) => affordable(parts.iter().filter(|part| mergeable(part) && tier_of(part) <= tier)),
            None => parts.iter().find(|part| mostly_dead(part)).into_iter().cloned().collect(),
        };
        (!chosen.is_empty()).then_some(Self { parts: chosen })
    }

    /// Does the work, in parallel.
    #[must_use]
    pub fn run(self) -> Merged {
        let (docs, renumbering) = renumber(&self.parts);
        let sources: Vec<Source<'_>> = self
            .parts
            .iter()
            .zip(&renumbering)
            .map(|(part, numbers)| Source { segment: &part.segment, numbers })
            .collect();
        let hashes = self.hashes(&renumbering, docs.len());
        let pieces: Vec<Piece> =
            self.ranges().into_par_iter().map(|range| Piece::merge(&sources, range, docs.len())).collect();
        let (mut table, mut lists) = (Vec::new(), Vec::new());
        for piece in pieces {
            let start = lists.len() as u32;
            lists.extend_from_slice(&piece.postings);
            piece.entries.iter().for_each(|entry| {
                Entry { offset: start + entry.offset, ..*entry }.write(&mut table);
            });
        }
        lists.shrink_to_fit();
        let keys = self.parts.iter().map(|part| part.key).collect();
        Merged { sources: keys, segment: Segment::new(docs, hashes, table, lists) }
    }

    /// The hashes of the merged documents, in their order.
    fn hashes(&self, renumbering: &[Vec<Option<u32>>], doc_count: usize) -> Vec<u8> {
        let mut hashes = vec![[0; HASH]; doc_count];
        for (part, numbers) in self.parts.iter().zip(renumbering) {
            for (old, new) in numbers.iter().enumerate() {
                if let Some(new) = new {
                    hashes[*new as usize] = part.segment.hash(old as u32).0;
                }
            }
        }
        hashes.into_flattened()
    }

    /// The space of trigrams, cut by first byte when there is enough to share out (text is dense in few of them).
    fn ranges(&self) -> Vec<Range<u32>> {
        if self.parts.iter().map(|part| part.segment.posting_count()).sum::<usize>() < WORTH_SHARING {
            return std::iter::once(0..Gram::SPACE).collect();
        }
        let step = Gram::SPACE / 256;
        (0..256).map(|byte| byte * step..(byte + 1) * step).collect()
    }
}

fn mergeable(part: &Part) -> bool {
    part.segment.posting_count() < MAX_POSTINGS / 2
}

fn tier_of(part: &Part) -> u32 {
    part.live_count().max(1).ilog(FANOUT)
}

fn mostly_dead(part: &Part) -> bool {
    part.live_count() * 2 < part.segment.docs.len()
}

/// As many of `parts` as a merged segment can hold; all of them unless the index is huge.
fn affordable<'a>(parts: impl Iterator<Item = &'a Part>) -> Vec<Part> {
    let mut room = MAX_POSTINGS;
    let fits = |part: &&Part| {
        let count = part.segment.posting_count();
        let fits = count <= room;
        room -= if fits { count } else { 0 };
        fits
    };
    parts.filter(fits).cloned().collect()
}

/// A segment with the new number of each of its documents; dead ones have none.
struct Source<'a> {
    segment: &'a Segment,
    numbers: &'a [Option<u32>],
}

/// The live documents of all parts by path, and where each went.
fn renumber(parts: &[Part]) -> (Vec<Doc>, Vec<Vec<Option<u32>>>) {
    let mut live: Vec<(&Doc, usize, u32)> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        live.extend(part.live_docs().map(|(number, doc)| (doc, at, number)));
    }
    live.sort_by(|(a, ..), (b, ..)| (&a.path, a.file).cmp(&(&b.path, b.file)));
    let mut renumbering: Vec<_> = parts.iter().map(|part| vec![None; part.segment.docs.len()]).collect();
    for (new, (_, part, old)) in live.iter().enumerate() {
        renumbering[*part][*old as usize] = Some(new as u32);
    }
    (live.into_iter().map(|(doc, ..)| doc.clone()).collect(), renumbering)
}

/// A part of the space of trigrams, merged; offsets count from its own start.
#[derive(Default)]
struct Piece {
    entries: Vec<Entry>,
    postings: Vec<u8>,
}

impl Piece {
    fn merge(sources: &[Source<'_>], range: Range<u32>, doc_count: usize) -> Self {
        let mut rows: Vec<_> = sources
            .iter()
            .flat_map(|source| {
                source.segment.rows(range.clone()).map(move |(gram, list)| (gram, list, source))
            })
            .collect();
        rows.sort_by_key(|(gram, ..)| *gram);
        let (mut piece, mut docs) = (Self::default(), Vec::new());
        for same in rows.chunk_by(|(a, ..), (b, ..)| a == b) {
            docs.clear();
            for (_, list, source) in same {
                list.for_each(|doc| docs.extend(source.numbers.get(doc as usize).copied().flatten()));
            }
            // One ascending run per source: a stable sort merges them. A list that is damaged may repeat itself.
            docs.sort();
            docs.dedup();
            piece.push(same[0].0, &docs, doc_count);
        }
        piece
    }

    fn push(&mut self, gram: u32, docs: &[u32], doc_count: usize) {
        if !docs.is_empty() {
            let offset = self.postings.len() as u32;
            let coding = postings::encode(docs, doc_count, &mut self.postings);
            self.entries.push(Entry { gram, coding, count: docs.len() as u32, offset });
        }
    }
}
