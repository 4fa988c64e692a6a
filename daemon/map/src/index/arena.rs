//! Many short texts in one, lower case, for finding those that contain a query.
//!
//! The texts lie side by side in blocks, and for each pair of neighbouring letters a bit per block says whether the block has it
//! (`pairs`). A query first intersects the bits of its own pairs, and then searches the blocks that are left: for a kernel's
//! names that is some kilobytes in place of fifty megabytes, at a quarter of the texts' size.
//!
//! Entries are only appended; whoever asks skips those that no longer hold, and [`TextArena::is_wasteful`] says when it is
//! time to build anew.

use std::ops::Range;

use memchr::memmem::Finder;
use rayon::prelude::*;

use super::pairs::{BLOCK, Pairs};

/// Entries searched as one piece of work.
pub(super) const CHUNK: usize = 1 << 16;

/// In an entry's letters: the text that was added had capital letters.
const HAD_CAPITALS: u32 = 1 << 31;

/// The texts, each with a number that says what it belongs to.
#[derive(Debug, Default)]
pub(crate) struct TextArena {
    /// Each text between line feeds; the first byte is one.
    text: String,
    starts: Vec<u32>,
    owners: Vec<u32>,
    /// For each text, which letters it has (see [`letters`]), and whether it [had capitals](HAD_CAPITALS).
    letters: Vec<u32>,
    pairs: Pairs,
    dead: usize,
}

/// A text that contains what was looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Containing<'a> {
    /// What it belongs to.
    pub(crate) owner: u32,
    /// The text, lower case.
    pub(crate) text: &'a str,
    /// Whether it had capital letters when it was added.
    pub(crate) had_capitals: bool,
}

impl TextArena {
    /// Adds a text; it must hold no line feed, or finds nothing beyond it.
    pub(crate) fn push(&mut self, text: &str, owner: u32) {
        if self.text.is_empty() {
            self.text.push('\n');
        }
        self.starts.push(self.text.len() as u32);
        self.owners.push(owner);
        let from = self.text.len();
        if text.is_ascii() && !text.contains('\n') {
            self.text.push_str(text);
            self.text[from..].make_ascii_lowercase();
        } else {
            self.text.extend(text.chars().flat_map(char::to_lowercase).filter(|&c| c != '\n'));
        }
        let lower = &self.text[from..];
        let capitals = if lower == text { 0 } else { HAD_CAPITALS };
        self.letters.push(letters(lower.as_bytes()) | capitals);
        self.pairs.push(lower);
        self.text.push('\n');
    }

    /// Notes that an entry no longer holds.
    pub(crate) fn forget(&mut self) {
        self.dead += 1;
    }

    /// Whether most entries no longer hold.
    pub(crate) fn is_wasteful(&self) -> bool {
        self.dead > 1000 && self.dead * 2 > self.owners.len()
    }

    /// The texts that contain `needle` (lower case), in order of entry.
    pub(crate) fn containing<'a>(&'a self, needle: &str) -> Vec<Containing<'a>> {
        let finder = Finder::new(needle.as_bytes());
        let runs = self.runs(needle);
        if runs.iter().map(Range::len).sum::<usize>() <= CHUNK {
            return runs.into_iter().flat_map(|run| self.find_in(&finder, run)).collect();
        }
        let pieces: Vec<Range<usize>> = runs.into_iter().flat_map(pieces).collect();
        let finder = &finder;
        pieces.into_par_iter().with_min_len(16).flat_map_iter(|run| self.find_in(finder, run)).collect()
    }

    /// Runs of entries outside of which no text contains `needle`.
    fn runs(&self, needle: &str) -> Vec<Range<usize>> {
        let entries =
            |blocks: Range<usize>| blocks.start * BLOCK..(blocks.end * BLOCK).min(self.owners.len());
        match self.pairs.blocks_with(needle) {
            Some(blocks) => blocks.into_iter().map(entries).collect(),
            None => Vec::from_iter((!self.owners.is_empty()).then_some(0..self.owners.len())),
        }
    }

    /// The same within a run of entries.
    fn find_in<'a, 'f>(
        &'a self,
        finder: &'f Finder<'f>,
        entries: Range<usize>,
    ) -> impl Iterator<Item = Containing<'a>> + use<'a, 'f> {
        let mut entry = entries.start;
        let (mut from, end) = (self.start_of(entry), self.start_of(entries.end));
        std::iter::from_fn(move || {
            let at = from + finder.find(self.text.as_bytes().get(from..end)?)?;
            // Runs are short where hits are rare, and where they are dense the next hit is near.
            while self.start_of(entry + 1) <= at {
                entry += 1;
            }
            from = self.start_of(entry + 1);
            Some(self.found(entry))
        })
    }

    pub(super) fn found(&self, entry: usize) -> Containing<'_> {
        let had_capitals = self.letters[entry] & HAD_CAPITALS != 0;
        Containing { owner: self.owners[entry], text: self.entry(entry), had_capitals }
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.owners.len()
    }

    /// How many bytes an entry has.
    pub(super) fn length(&self, at: usize) -> usize {
        self.start_of(at + 1) - 1 - self.starts[at] as usize
    }

    /// How many of some [`letters`] an entry has not.
    pub(super) fn lacks(&self, at: usize, letters: u32) -> u32 {
        (letters & !self.letters[at]).count_ones()
    }

    fn start_of(&self, entry: usize) -> usize {
        self.starts.get(entry).map_or(self.text.len(), |&at| at as usize)
    }

    pub(super) fn entry(&self, at: usize) -> &str {
        self.text.get(self.starts[at] as usize..self.start_of(at + 1) - 1).unwrap_or("")
    }

    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.letters.shrink_to_fit();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.text.capacity() + 12 * self.starts.capacity() + self.pairs.heap_bytes()
    }
}

/// A run in pieces that several threads can share.
fn pieces(run: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = run.end;
    run.step_by(CHUNK / 16).map(move |start| start..(start + CHUNK / 16).min(end))
}

/// One bit for each letter, and one each for digits, underscores and everything else.
pub(super) fn letters(text: &[u8]) -> u32 {
    text.iter().fold(0, |bits, byte| {
        bits | match byte {
            b'a'..=b'z' => 1 << (byte - b'a'),
            b'0'..=b'9' => 1 << 26,
            b'_' => 1 << 27,
            _ => 1 << 28,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(found: &[Containing<'_>]) -> Vec<u32> {
        found.iter().map(|found| found.owner).collect()
    }

    #[test]
    fn finds_whole_entries_once() {
        let mut arena = TextArena::default();
        for (i, name) in ["Foo", "barfoofoo", "", "fo", "Straße"].iter().enumerate() {
            arena.push(name, i as u32);
        }
        let hits = arena.containing("foo");
        assert_eq!(hits[0], Containing { owner: 0, text: "foo", had_capitals: true });
        assert_eq!(hits[1], Containing { owner: 1, text: "barfoofoo", had_capitals: false });
        assert_eq!(hits.len(), 2);
        assert_eq!(owners(&arena.containing("ße")), [4]);
        assert_eq!(owners(&arena.containing("f")), [0, 1, 3]);
        assert!(TextArena::default().containing("x").is_empty());
    }

    #[test]
    fn many_entries_are_searched_in_pieces() {
        let mut arena = TextArena::default();
        let count = 2 * CHUNK as u32 + 7;
        (0..count).for_each(|i| arena.push(if i % CHUNK as u32 == 3 { "needle" } else { "hay" }, i));
        assert_eq!(owners(&arena.containing("needle")), [3, CHUNK as u32 + 3, 2 * CHUNK as u32 + 3]);
        assert_eq!(arena.containing("hay").len(), count as usize - 3);
    }

    #[test]
    fn what_the_pairs_leave_out_has_no_match() {
        let mut rng = 7u64;
        let mut next = |below: u64| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (rng >> 33) % below
        };
        let alphabet: Vec<char> = "aAbcz09_.é/".chars().collect();
        let mut word = |longest: u64| -> String {
            (0..next(longest + 1)).map(|_| alphabet[next(alphabet.len() as u64) as usize]).collect()
        };
        let texts: Vec<String> = (0..3000).map(|_| word(9)).collect();
        let mut arena = TextArena::default();
        for (at, text) in texts.iter().enumerate() {
            arena.push(text, at as u32);
        }
        for _ in 0..500 {
            let needle = word(4).to_lowercase();
            if needle.is_empty() {
                continue;
            }
            let expected: Vec<u32> = (0..texts.len() as u32)
                .filter(|&at| texts[at as usize].to_lowercase().contains(&needle))
                .collect();
            assert_eq!(owners(&arena.containing(&needle)), expected, "{needle}");
        }
    }
}
