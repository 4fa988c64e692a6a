//! Computes the trigrams of one file, as a set for each of its blocks.
//!
//! A trigram is three consecutive bytes of the searchable text, with their case, and with no `\n` among them:
//! matches never span lines, so a trigram across two lines proves nothing. A set is kept as groups with the same
//! first byte, each of which lists the other two bytes, in the order in which a segment is built: 2 bytes for a trigram
//! and 4 for a group, less than half of the text.
//!
//! This is the one step that touches every byte of a tree. It marks each trigram in a bitmap and each touched word
//! of that in a summary; a scan of the summary yields the set sorted, without a sort. The bitmap of all trigrams
//! takes 2 MiB, which misses the nearest caches; that of ASCII alone takes 256 KiB, and nearly all blocks are ASCII.

use std::cell::RefCell;

use super::blocks;
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
    /// The number of groups of each block.
    blocks: Box<[u32]>,
    /// The groups of all blocks, ascending within a block.
    groups: Box<[GramGroup]>,
    /// The second and the third byte of each trigram, the second one higher; ascending within a group.
    tails: Box<[u16]>,
}

/// Trigrams of a block with the same first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GramGroup {
    pub(super) first: u8,
    /// The number of trigrams less one; there are at most 65,536.
    others: u16,
}

impl GramGroup {
    /// Returns the number of trigrams.
    pub(super) fn gram_count(self) -> usize {
        usize::from(self.others) + 1
    }
}

thread_local! {
    static MARKS: RefCell<Option<Box<Marks>>> = const { RefCell::new(None) };
}

impl FileGrams {
    /// Computes the trigrams of a file's bytes. Pure; meant to be called for many files in parallel. Each
    /// calling thread keeps 2.3 MiB of working memory.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let text = searchable_bytes(bytes);
        MARKS.with_borrow_mut(|marks| {
            let marks = marks.get_or_insert_with(Box::default);
            let (mut blocks, mut found) = (Vec::new(), GramList::default());
            for block in blocks::block_ranges(&text) {
                let before = found.groups.len();
                marks.read_block(&text[block], &mut found);
                blocks.push((found.groups.len() - before) as u32);
            }
            Self { blocks: blocks.into(), groups: found.groups.into(), tails: found.tails.into() }
        })
    }

    /// Returns the number of trigrams, distinct in each block.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tails.len()
    }

    /// Returns true if there is no trigram.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tails.is_empty()
    }

    /// Returns the number of blocks, at least one.
    pub(super) fn block_count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Returns the groups of each block, and the tails of the block's trigrams, which follow one another by group.
    pub(super) fn grouped_blocks(&self) -> impl Iterator<Item = (&[GramGroup], &[u16])> {
        let (mut groups, mut tails) = (&*self.groups, &*self.tails);
        self.blocks.iter().map(move |count| {
            let own = groups.split_off(..*count as usize).unwrap_or_default();
            let len = own.iter().map(|group| group.gram_count()).sum();
            (own, tails.split_off(..len).unwrap_or_default())
        })
    }

    /// Returns the trigrams of each block, ascending.
    pub fn blocks(&self) -> impl Iterator<Item = impl Iterator<Item = Gram> + '_> {
        self.grouped_blocks().map(|(groups, mut tails)| {
            groups.iter().flat_map(move |group| {
                let own = tails.split_off(..group.gram_count()).unwrap_or_default();
                own.iter().map(|tail| Gram(u32::from(group.first) << 16 | u32::from(*tail)))
            })
        })
    }
}

/// The trigrams that were found in blocks, in the form of [`FileGrams`].
#[derive(Default)]
struct GramList {
    groups: Vec<GramGroup>,
    tails: Vec<u16>,
}

/// The bitmaps of the trigrams of ASCII and of all trigrams. Both are empty between calls; the second one is made when
/// a block needs it.
#[derive(Default)]
struct Marks {
    ascii: GramBitmap<7>,
    all: Option<GramBitmap<8>>,
}

impl Marks {
    /// Appends the trigrams of a block.
    fn read_block(&mut self, text: &[u8], found: &mut GramList) {
        if text.is_ascii() {
            self.ascii.mark_grams(text);
            self.ascii.take_marked(found);
        } else {
            let all = self.all.get_or_insert_default();
            all.mark_grams(text);
            all.take_marked(found);
        }
    }
}

/// Number of summary words that are scanned together: most of them are empty.
const SUMMARY_WORDS: usize = 8;

/// A bit for each trigram of bytes of `BITS` bits, and a summary with a bit for each word of these.
struct GramBitmap<const BITS: u32> {
    words: Box<[u64]>,
    summary: Box<[u64]>,
}

impl<const BITS: u32> Default for GramBitmap<BITS> {
    fn default() -> Self {
        let words = 1 << (3 * BITS - 6);
        let zeros = |count| vec![0; count].into_boxed_slice();
        Self { words: zeros(words), summary: zeros(words / 64) }
    }
}

impl<const BITS: u32> GramBitmap<BITS> {
    /// The number of words that have the trigrams of the same two bytes.
    const WORDS_OF_PAIR: usize = 1 << (BITS - 6);

    /// Marks every trigram of `text`, also those with a `\n`: to skip them afterwards is cheaper than a
    /// branch here.
    fn mark_grams(&mut self, text: &[u8]) {
        let [first, second, rest @ ..] = text else { return };
        let mut last = u32::from(*first) << BITS | u32::from(*second);
        for &byte in rest {
            last = last << BITS | u32::from(byte);
            let gram = (last & ((1 << (3 * BITS)) - 1)) as usize;
            let word = gram / 64;
            self.words[word] |= 1 << (gram % 64);
            self.summary[word / 64] |= 1 << (word % 64);
        }
    }

    /// Appends the marked trigrams, ascending, without those that have a `\n`, and clears the marks.
    fn take_marked(&mut self, found: &mut GramList) {
        let (mut first, mut start) = (0, found.tails.len());
        for (at, summary) in self.summary.as_chunks_mut::<SUMMARY_WORDS>().0.iter_mut().enumerate() {
            if summary.iter().fold(0, |all, marked| all | marked) == 0 {
                continue;
            }
            for word in marked_words(at * SUMMARY_WORDS, std::mem::take(summary)) {
                let marked = std::mem::take(&mut self.words[word]);
                let (pair, part) = (word / Self::WORDS_OF_PAIR, word % Self::WORDS_OF_PAIR);
                let bytes = [(pair >> BITS) as u8, (pair % (1 << BITS)) as u8];
                if bytes.contains(&b'\n') {
                    continue;
                }
                if bytes[0] != first {
                    found.end_group(first, start);
                    (first, start) = (bytes[0], found.tails.len());
                }
                let newline = if part == 0 { 1 << b'\n' } else { 0 };
                let tail = u16::from_be_bytes([bytes[1], part as u8 * 64]);
                found.tails.extend(bit_positions(marked & !newline).map(|bit| tail | bit as u16));
            }
        }
        found.end_group(first, start);
    }
}

impl GramList {
    /// Makes the tails from `start` on a group, if there are any.
    fn end_group(&mut self, first: u8, start: usize) {
        if let Some(others) = (self.tails.len() - start).checked_sub(1) {
            self.groups.push(GramGroup { first, others: others as u16 });
        }
    }
}

/// Returns the words that are not empty, as words of the summary from `first` on say.
fn marked_words(first: usize, summary: [u64; SUMMARY_WORDS]) -> impl Iterator<Item = usize> {
    let all = summary.into_iter().enumerate();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

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

    /// The sets by looking at each three bytes.
    fn plain_sets(text: &[u8]) -> Vec<BTreeSet<Gram>> {
        let is_in_line = |gram: &Gram| !gram.number().to_be_bytes()[1..].contains(&b'\n');
        let blocks = blocks::block_ranges(text);
        blocks.map(|block| Gram::grams_of(&text[block]).filter(is_in_line).collect()).collect()
    }

    proptest! {
        #[test]
        fn each_block_has_exactly_its_trigrams(
            parts in prop::collection::vec(("[a-c\n]{0,90}", prop::collection::vec(any::<u8>(), 0..3)), 0..6),
        ) {
            let parts = parts.into_iter().map(|(ascii, other)| [ascii.into_bytes(), other].concat());
            let text: Vec<u8> = parts.flatten().collect();
            prop_assume!(searchable_bytes(&text) == text);
            let (grams, expected) = (FileGrams::from_bytes(&text), plain_sets(&text));
            prop_assert_eq!(grams.len(), expected.iter().map(BTreeSet::len).sum::<usize>());
            let found: Vec<Vec<Gram>> = grams.blocks().map(Iterator::collect).collect();
            prop_assert_eq!(found, expected.into_iter().map(Vec::from_iter).collect::<Vec<_>>());
        }
    }
}
