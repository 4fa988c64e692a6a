//! Encodes one trigram's blocks within a segment, and implements the two set operations that queries need.
//!
//! Blocks are numbered from 0 within a segment. A list is coded as varint distances, or, when that would be longer
//! than a bit per block, as a bitmap: common trigrams (a list with more than one block in eight) make up half of the
//! postings, and there a bitmap is a third of the size and answers membership at once.

use super::grams::bit_positions;
use super::varint;

/// The coding of a posting list's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coding {
    /// Varint distances; the first one is the first block's number plus one.
    Deltas,
    /// A bit for each block, lowest bit first.
    Bitmap,
}

/// A borrowed posting list.
#[derive(Clone, Copy, Debug)]
pub(super) struct PostingList<'a> {
    pub(super) coding: Coding,
    /// Number of blocks in the list.
    pub(super) count: u32,
    pub(super) bytes: &'a [u8],
}

/// Returns the shorter coding for a list, and its length in bytes.
fn choose_coding(blocks: &[u32], block_count: usize) -> (Coding, usize) {
    let bitmap = block_count.div_ceil(8);
    // A delta takes at least a byte.
    if blocks.len() > bitmap {
        return (Coding::Bitmap, bitmap);
    }
    let mut next = 0;
    let deltas = blocks.iter().map(|&block| varint::len(block - std::mem::replace(&mut next, block + 1)));
    let delta_bytes = deltas.sum::<u32>() as usize;
    if delta_bytes <= bitmap { (Coding::Deltas, delta_bytes) } else { (Coding::Bitmap, bitmap) }
}

/// Appends the ascending `blocks` of a segment with `block_count` of them, in the shorter coding.
pub(super) fn encode(blocks: &[u32], block_count: usize, out: &mut Vec<u8>) -> Coding {
    let (coding, len) = choose_coding(blocks, block_count);
    match coding {
        Coding::Deltas => {
            let mut next = 0;
            for &block in blocks {
                varint::write(block - std::mem::replace(&mut next, block + 1), out);
            }
        }
        Coding::Bitmap => {
            let start = out.len();
            out.resize(start + len, 0);
            for &block in blocks {
                out[start + block as usize / 8] |= 1 << (block % 8);
            }
        }
    }
    coding
}

impl PostingList<'_> {
    /// Calls `each` with every block, ascending.
    pub(super) fn for_each(&self, mut each: impl FnMut(u32)) {
        match self.coding {
            Coding::Deltas => {
                let (mut rest, mut next) = (self.bytes, 0u32);
                while let Some(delta) = varint::read(&mut rest) {
                    let block = next.wrapping_add(delta);
                    each(block);
                    next = block.wrapping_add(1);
                }
            }
            Coding::Bitmap => {
                for (at, &byte) in self.bytes.iter().enumerate() {
                    bit_positions(u64::from(byte)).for_each(|bit| each(at as u32 * 8 + bit));
                }
            }
        }
    }

    /// Returns the blocks of the list, ascending.
    pub(super) fn to_vec(self) -> Vec<u32> {
        let mut blocks = Vec::with_capacity(self.count as usize);
        self.for_each(|block| blocks.push(block));
        blocks
    }

    /// Returns those of the ascending `blocks` that are in the list.
    pub(super) fn intersect_blocks(&self, blocks: &[u32]) -> Vec<u32> {
        if self.coding == Coding::Bitmap {
            let contains = |block: u32| {
                self.bytes.get(block as usize / 8).is_some_and(|byte| byte & 1 << (block % 8) != 0)
            };
            return blocks.iter().copied().filter(|&block| contains(block)).collect();
        }
        let (mut kept, mut wanted) = (Vec::new(), blocks.iter().copied().peekable());
        self.for_each(|block| {
            while wanted.next_if(|&other| other < block).is_some() {}
            kept.extend(wanted.next_if_eq(&block));
        });
        kept
    }

    /// Returns the cost of an intersection with `len` blocks, as a number of blocks.
    pub(super) fn intersection_cost(&self, len: usize) -> usize {
        match self.coding {
            Coding::Deltas => self.count as usize,
            Coding::Bitmap => len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_list(blocks: &[u32], block_count: usize, coding: Coding) {
        let mut bytes = Vec::new();
        assert_eq!(encode(blocks, block_count, &mut bytes), coding);
        let list = PostingList { coding, count: blocks.len() as u32, bytes: &bytes };
        assert_eq!(list.to_vec(), blocks);
        let odd: Vec<u32> = (0..block_count as u32).filter(|n| n % 2 == 1).collect();
        let expected: Vec<u32> = blocks.iter().copied().filter(|n| n % 2 == 1).collect();
        assert_eq!(list.intersect_blocks(&odd), expected);
        assert_eq!(list.intersect_blocks(&[]), [0; 0]);
    }

    #[test]
    fn lists_survive_in_both_codings() {
        check_list(&[0], 100, Coding::Deltas);
        check_list(&[5, 6, 999, 70_000], 80_000, Coding::Deltas);
        check_list(&(0..1000).collect::<Vec<_>>(), 1000, Coding::Bitmap);
        check_list(&(0..1000).filter(|n| n % 3 != 0).collect::<Vec<_>>(), 1000, Coding::Bitmap);
        check_list(&[0], 1, Coding::Deltas);
    }
}
