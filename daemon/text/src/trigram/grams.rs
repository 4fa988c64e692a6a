//! Computes the trigrams of one file, as a set for each of its blocks.
//!
//! A trigram is three consecutive bytes of the searchable text, with their case, and with no `\n` among them:
//! matches never span lines, so a trigram across two lines proves nothing. A set is delta-coded (1.3 to 2
//! bytes each), so that the sets of many files can be in memory until they become a segment, and could be
//! stored under the content hash.
//!
//! This is the one step that touches every byte of a tree. It marks each trigram in a bitmap of 2^24 bits and
//! each touched word of that in a summary; a scan of the summary yields the set sorted, without a sort.

use std::cell::RefCell;

use super::{blocks, varint};
use crate::encoding::searchable_bytes;

/// A trigram: its three bytes, the first one highest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Gram(u32);

impl Gram {
    /// Number of different trigrams.
    pub const SPACE: u32 = 1 << 24;

    /// Creates the trigram of three bytes.
    #[must_use]
    pub fn new(bytes: [u8; 3]) -> Self {
        Self(u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]))
    }

    /// Returns the trigrams of a string, in order, with repetitions; none when it is shorter than three
    /// bytes.
    pub fn grams_of(text: &[u8]) -> impl Iterator<Item = Self> + '_ {
        text.windows(3).map(|window| Self::new([window[0], window[1], window[2]]))
    }

    /// Returns the trigram as a number below [`Gram::SPACE`].
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The distinct trigrams of each block of one file, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileGrams {
    count: usize,
    /// The size of each block's deltas in bytes.
    blocks: Box<[u32]>,
    /// Each trigram as its varint distance from the one before (from 0 for a block's first).
    deltas: Box<[u8]>,
}

thread_local! {
    static MARKS: RefCell<Option<Box<Marks>>> = const { RefCell::new(None) };
}

impl FileGrams {
    /// Computes the trigrams of a file's bytes. Pure; meant to be called for many files in parallel. Each
    /// calling thread keeps 2 MiB of working memory.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let text = searchable_bytes(bytes);
        MARKS.with_borrow_mut(|marks| {
            let marks = marks.get_or_insert_with(Marks::new);
            let (mut count, mut ends, mut deltas) = (0, Vec::new(), Vec::new());
            for block in blocks::block_ranges(&text) {
                let start = deltas.len();
                marks.add(&text[block]);
                count += marks.read_and_clear(&mut deltas);
                ends.push((deltas.len() - start) as u32);
            }
            Self { count, blocks: ends.into(), deltas: deltas.into() }
        })
    }

    /// Returns the number of trigrams, distinct in each block.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if there is no trigram.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of blocks, at least one.
    pub(super) fn block_count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Returns the trigrams of each block, ascending.
    pub fn blocks(&self) -> impl Iterator<Item = impl Iterator<Item = Gram> + '_> {
        let mut deltas = &*self.deltas;
        self.blocks.iter().map(move |len| {
            let mut rest = deltas.split_off(..*len as usize).unwrap_or_default();
            let mut last = 0;
            std::iter::from_fn(move || {
                last += varint::read(&mut rest)?;
                Some(Gram(last))
            })
        })
    }
}

/// Number of summary words that are scanned together: most of them are empty.
const GROUP: usize = 8;

/// The bitmap of all trigrams and its summary (a bit per word). Empty between calls.
struct Marks {
    words: Box<[u64]>,
    summary: Box<[u64]>,
}

const WORDS: usize = (Gram::SPACE / 64) as usize;

impl Marks {
    fn new() -> Box<Self> {
        let zeros = |n| vec![0; n].into_boxed_slice();
        Box::new(Self { words: zeros(WORDS), summary: zeros(WORDS / 64) })
    }

    /// Marks every trigram of `text`, also those with a `\n`: to skip them afterwards is cheaper than a
    /// branch here.
    fn add(&mut self, text: &[u8]) {
        let [first, second, rest @ ..] = text else { return };
        let mut gram = u32::from_be_bytes([0, 0, *first, *second]);
        for &byte in rest {
            gram = (gram << 8 | u32::from(byte)) & (Gram::SPACE - 1);
            let word = (gram / 64) as usize;
            self.words[word] |= 1 << (gram % 64);
            self.summary[word / 64] |= 1 << (word % 64);
        }
    }

    /// Reads the set out and clears it; answers its size.
    fn read_and_clear(&mut self, deltas: &mut Vec<u8>) -> usize {
        let (mut count, mut last) = (0, 0);
        for (at, group) in self.summary.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            if group.iter().fold(0, |all, marked| all | marked) == 0 {
                continue;
            }
            for word in marked_words(at * GROUP, std::mem::take(group)) {
                for bit in bit_positions(std::mem::take(&mut self.words[word])) {
                    let gram = word as u32 * 64 + bit;
                    if !has_newline(gram) {
                        varint::write(gram - last, deltas);
                        last = gram;
                        count += 1;
                    }
                }
            }
        }
        count
    }
}

/// The words that a group of the summary, which starts at its word `first`, says are not empty.
fn marked_words(first: usize, group: [u64; GROUP]) -> impl Iterator<Item = usize> {
    let all = group.into_iter().enumerate();
    all.flat_map(move |(at, marked)| bit_positions(marked).map(move |bit| (first + at) * 64 + bit as usize))
}

/// Returns the positions of the ones in a word, ascending.
pub(super) fn bit_positions(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        (word != 0).then(|| {
            word &= word - 1;
            bit
        })
    })
}

fn has_newline(gram: u32) -> bool {
    gram.to_be_bytes()[1..].contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram_words(text: &[u8]) -> Vec<String> {
        let grams = FileGrams::from_bytes(text);
        let words: Vec<String> = grams
            .blocks()
            .flatten()
            .map(|gram| String::from_utf8_lossy(&gram.number().to_be_bytes()[1..]).into_owned())
            .collect();
        assert_eq!(words.len(), grams.len());
        words
    }

    #[test]
    fn trigrams_are_distinct_sorted_and_stay_within_lines() {
        assert_eq!(gram_words(b"banana"), ["ana", "ban", "nan"]);
        assert_eq!(gram_words(b"abc\nxyz\r\n"), ["abc", "xyz", "yz\r"]);
        assert_eq!(gram_words(b"ab\nc"), [""; 0]);
        assert_eq!(gram_words(b"ab"), [""; 0]);
        assert_eq!(gram_words(b""), [""; 0]);
    }

    #[test]
    fn one_file_leaves_nothing_behind_for_the_next() {
        let _ = gram_words(b"the quick brown fox \xff\xff\xff\x00\x00\x00");
        assert_eq!(gram_words(b"abc"), ["abc"]);
    }

    #[test]
    fn each_block_has_its_own() {
        let filler = "-".repeat(blocks::BLOCK - 4);
        let text = format!("{filler}abc\n{filler}xyz\nabc");
        let grams = FileGrams::from_bytes(text.as_bytes());
        let firsts: Vec<String> = grams
            .blocks()
            .map(|block| {
                let last = block.last().expect("a trigram of each").number().to_be_bytes();
                String::from_utf8_lossy(&last[1..]).into_owned()
            })
            .collect();
        assert_eq!(firsts, ["abc", "xyz"], "the short end belongs to the last");
    }

    #[test]
    fn extreme_bytes_are_kept() {
        let all: Vec<u32> =
            FileGrams::from_bytes(b"\0\0\0\xff\xff\xff").blocks().flatten().map(Gram::number).collect();
        assert_eq!(all, [0, 0xff, 0xffff, 0xff_ffff].map(|n: u32| n).to_vec());
    }

    #[test]
    fn utf16_files_are_indexed_as_the_text_they_hold() {
        let bytes: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("needle".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(FileGrams::from_bytes(&bytes), FileGrams::from_bytes(b"needle"));
    }
}
