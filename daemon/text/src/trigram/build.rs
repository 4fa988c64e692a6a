//! Builds a segment from a batch of files.
//!
//! A few files, as an editing user saves them, are inverted by sorting. Many files are walked through
//! together, in steps of trigrams with the same upper bits: each block's trigrams are sorted, so those of a
//! step follow those of the one before, and the postings of one step are few enough to be sorted by counting
//! within the processor's caches. To write all lists at once, each posting at its final place, misses the
//! caches at every posting and took more than twice as long.

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
    let mut blocks: Vec<_> =
        files.iter().flat_map(|file| file.grams.blocks()).map(Iterator::peekable).collect();
    let (mut table, mut postings, mut step) = (Vec::new(), Vec::new(), SegmentBuildStep::new());
    let mut next = Some(0);
    while let Some(number) = next {
        next = None;
        for (grams, block) in blocks.iter_mut().zip(0..) {
            while let Some(gram) = grams.next_if(|gram| step_of(*gram) == number) {
                step.add(gram, block);
            }
            if let Some(later) = grams.peek() {
                next = Some(next.unwrap_or(u32::MAX).min(step_of(*later)));
            }
        }
        step.hand_out_sorted(number, |gram, blocks| {
            let offset = postings.len() as u32;
            let coding = postings::encode(blocks, block_count, &mut postings);
            TrigramEntry { gram, coding, count: blocks.len() as u32, offset }.write(&mut table);
        });
    }
    (table, postings)
}

/// Trigrams with the same upper bits form a step; this is the number of lower bits.
const STEP_BITS: u32 = 14;
const STEP: usize = 1 << STEP_BITS;

fn step_of(gram: Gram) -> u32 {
    gram.number() >> STEP_BITS
}

/// The postings of one step, in the order of blocks. Empty between steps.
struct SegmentBuildStep {
    /// Lower bits of each trigram, and the block that has it.
    postings: Vec<(u16, u32)>,
    /// The number of postings of each trigram of the step.
    counts: Box<[u32; STEP]>,
    /// The blocks, by trigram.
    sorted: Vec<u32>,
}

impl SegmentBuildStep {
    fn new() -> Self {
        Self { postings: Vec::new(), counts: Box::new([0; STEP]), sorted: Vec::new() }
    }

    fn add(&mut self, gram: Gram, block: u32) {
        let lower = gram.number() as usize % STEP;
        self.postings.push((lower as u16, block));
        self.counts[lower] += 1;
    }

    /// Calls `each` with all trigrams and their blocks, ascending, and empties the step.
    fn hand_out_sorted(&mut self, number: u32, mut each: impl FnMut(u32, &[u32])) {
        let mut end = 0;
        for count in self.counts.iter_mut() {
            end += std::mem::replace(count, end);
        }
        self.sorted.resize(self.postings.len(), 0);
        // The start of a list becomes its end, which is the start of the next one.
        for (lower, block) in self.postings.drain(..) {
            let at = &mut self.counts[lower as usize];
            self.sorted[*at as usize] = block;
            *at += 1;
        }
        let mut start = 0;
        for (lower, end) in (0..).zip(self.counts.iter_mut()) {
            let end = std::mem::take(end) as usize;
            if start < end {
                each(number << STEP_BITS | lower, &self.sorted[start..end]);
            }
            start = end;
        }
    }
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
