//! Builds a segment from a batch of files.
//!
//! A few files, as an editing user saves them, are inverted by sorting. Many files are walked through
//! together, in steps of trigrams with the same first byte, which each block has together: the postings of one
//! step are few enough to be sorted by counting within the processor's caches. To write all lists at once, each
//! posting at its final place, misses the caches at every posting and took more than twice as long.

use hob_base::ContentHash;

use super::blocks::Ends;
use super::grams::{FileGrams, Gram};
use super::postings;
use super::segment::{Doc, Segment, TrigramEntry};

/// Number of postings up to which sorting is quicker than the steps.
const FEW: usize = 1 << 17;

/// A file to index.
#[derive(Debug)]
pub(super) struct NewDoc {
    pub(super) doc: Doc,
    pub(super) hash: ContentHash,
    pub(super) grams: FileGrams,
}

/// Indexes `files`, which should be sorted by path; at most some ten thousand at a time (see [`super::batch`]).
pub(super) fn build(files: Vec<NewDoc>) -> Segment {
    let blocks = files.iter().map(|file| file.grams.block_count());
    let (ends, count) = (Ends::write(blocks.clone()), blocks.sum::<u32>() as usize);
    let (table, postings) = if files.iter().map(|file| file.grams.len()).sum::<usize>() <= FEW {
        by_sorting(&files, count)
    } else {
        by_steps(&files, count)
    };
    let hashes = files.iter().flat_map(|file| *file.hash.as_bytes()).collect();
    let docs = files.into_iter().map(|file| file.doc).collect();
    Segment::new(docs, [hashes, ends, table, postings])
}

/// Returns the trigrams of all blocks with the blocks' numbers, ascending within a block.
fn number_blocks(files: &[NewDoc]) -> impl Iterator<Item = (impl Iterator<Item = Gram> + '_, u32)> {
    files.iter().flat_map(|file| file.grams.blocks()).zip(0..)
}

fn by_sorting(files: &[NewDoc], block_count: usize) -> (Vec<u8>, Vec<u8>) {
    let mut pairs: Vec<(u32, u32)> = number_blocks(files)
        .flat_map(|(grams, block)| grams.map(move |gram| (gram.number(), block)))
        .collect();
    // A stable sort, because the blocks are sorted runs.
    pairs.sort();
    let (mut table, mut postings, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for same in pairs.chunk_by(|(a, _), (b, _)| a == b) {
        blocks.clear();
        blocks.extend(same.iter().map(|(_, block)| *block));
        let offset = postings.len() as u32;
        let coding = postings::encode(&blocks, block_count, &mut postings);
        TrigramEntry { gram: same[0].0, coding, count: blocks.len() as u32, offset }.write(&mut table);
    }
    (table, postings)
}

fn by_steps(files: &[NewDoc], block_count: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut table, mut postings, mut sorter) = (Vec::new(), Vec::new(), PostingSorter::new());
    let steps = (0..).zip(group_by_first_byte(files));
    for (first, step) in steps.filter(|(_, step)| !step.tails.is_empty()) {
        sorter.hand_out_sorted(&step, |tail, blocks| {
            let offset = postings.len() as u32;
            let coding = postings::encode(blocks, block_count, &mut postings);
            let gram = first << 16 | tail;
            TrigramEntry { gram, coding, count: blocks.len() as u32, offset }.write(&mut table);
        });
    }
    (table, postings)
}

/// The trigrams of blocks that start with one byte.
#[derive(Clone, Default)]
struct SegmentBuildStep {
    /// Ascending blocks, each with the number of its trigrams.
    blocks: Vec<(u32, u32)>,
    /// The last two bytes of the trigrams, block by block.
    tails: Vec<u16>,
}

impl SegmentBuildStep {
    /// Returns the blocks with the tails of their trigrams.
    fn block_tails(&self) -> impl Iterator<Item = (u32, &[u16])> {
        let mut rest = &*self.tails;
        self.blocks
            .iter()
            .map(move |&(block, len)| (block, rest.split_off(..len as usize).unwrap_or_default()))
    }
}

/// Puts the trigrams of each first byte together: to collect them from all files at each step would miss the caches.
fn group_by_first_byte(files: &[NewDoc]) -> Vec<SegmentBuildStep> {
    let blocks = || files.iter().flat_map(|file| file.grams.grouped_blocks());
    let mut sizes = [(0, 0); 1 << 8];
    for group in blocks().flat_map(|(groups, _)| groups) {
        let (blocks, tails) = &mut sizes[usize::from(group.first)];
        *blocks += 1;
        *tails += group.gram_count();
    }
    let with_room = |(blocks, tails)| SegmentBuildStep {
        blocks: Vec::with_capacity(blocks),
        tails: Vec::with_capacity(tails),
    };
    let mut steps = Vec::from(sizes.map(with_room));
    for ((groups, mut tails), block) in blocks().zip(0..) {
        for group in groups {
            let step = &mut steps[usize::from(group.first)];
            step.blocks.push((block, group.gram_count() as u32));
            step.tails.extend_from_slice(tails.split_off(..group.gram_count()).unwrap_or_default());
        }
    }
    steps
}

/// The number of trigrams with the same first byte.
const STEP: usize = 1 << 16;
/// The number of trigrams that are looked at together: most have no posting.
const CHUNK: usize = 16;

/// Sorts the postings of a step by trigram. Empty between steps.
struct PostingSorter {
    /// The number of postings of each trigram of the step, and then the end of its blocks in `sorted`.
    counts: Box<[u32]>,
    /// The blocks, by trigram.
    sorted: Vec<u32>,
}

impl PostingSorter {
    fn new() -> Self {
        Self { counts: vec![0; STEP].into(), sorted: Vec::new() }
    }

    /// Calls `each` with all trigrams, as their last two bytes, and their blocks, both ascending.
    fn hand_out_sorted(&mut self, step: &SegmentBuildStep, mut each: impl FnMut(u32, &[u32])) {
        step.tails.iter().for_each(|tail| self.counts[usize::from(*tail)] += 1);
        let mut total = 0;
        for counts in self.counts.as_chunks_mut::<CHUNK>().0 {
            if has_postings(counts) {
                for count in counts.iter_mut().filter(|count| **count > 0) {
                    total += std::mem::replace(count, total);
                }
            }
        }
        self.sorted.resize(total as usize, 0);
        // The start of a list becomes its end, which is the start of the next one.
        for (block, tails) in step.block_tails() {
            for tail in tails {
                let at = &mut self.counts[usize::from(*tail)];
                self.sorted[*at as usize] = block;
                *at += 1;
            }
        }
        let mut start = 0;
        for (chunk, counts) in (0..).zip(self.counts.as_chunks_mut::<CHUNK>().0) {
            if !has_postings(counts) {
                continue;
            }
            for (tail, end) in (chunk * CHUNK as u32..).zip(counts) {
                let end = std::mem::take(end) as usize;
                if start < end {
                    each(tail, &self.sorted[start..end]);
                    start = end;
                }
            }
        }
    }
}

/// Returns true if a trigram of a chunk has a posting. To compare with an array of zeros would be a call.
fn has_postings(counts: &[u32; CHUNK]) -> bool {
    counts.iter().fold(0, |all, count| all | count) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use hob_base::{FileId, WsPath};

    #[test]
    fn both_ways_give_the_same_bytes() {
        let files: Vec<NewDoc> = (0..300u32)
            .map(|n| {
                let text =
                    format!("shared {} {:b} \u{e9}\n{}", n % 7, n * n, "x y\n".repeat(n as usize % 100));
                let path = WsPath::new(&format!("f{n:03}")).expect("a relative path");
                let (hash, grams) =
                    (ContentHash::of(text.as_bytes()), FileGrams::from_bytes(text.as_bytes()));
                NewDoc { doc: Doc { file: FileId(n), path }, hash, grams }
            })
            .collect();
        let blocks = files.iter().map(|file| file.grams.block_count() as usize).sum();
        assert!(blocks > files.len());
        assert_eq!(by_sorting(&files, blocks), by_steps(&files, blocks));
        assert_eq!(by_sorting(&[], 0), by_steps(&[], 0));
    }
}
