//! Many short texts in one, lower case, for searching all of them at memory speed.
//!
//! Entries are only appended; whoever asks skips those that no longer hold, and [`TextArena::is_wasteful`] says when it is
//! time to build anew.

use std::ops::Range;

use memchr::memmem::Finder;
use rayon::prelude::*;

/// Entries searched as one piece of work.
const CHUNK: usize = 1 << 17;

/// The texts, each with a number that says what it belongs to.
#[derive(Debug, Default)]
pub(crate) struct TextArena {
    /// Each text between line feeds; the first byte is one.
    text: String,
    starts: Vec<u32>,
    owners: Vec<u32>,
    /// For each text, which letters it has; see [`letters`].
    letters: Vec<u32>,
    dead: usize,
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
        self.letters.push(letters(&self.text[from..]));
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

    /// Owners of the texts that contain `needle` (lower case), each with its text, in order of entry.
    pub(crate) fn containing<'a>(&'a self, needle: &str) -> Vec<(u32, &'a str)> {
        let finder = memchr::memmem::Finder::new(needle.as_bytes());
        let count = self.owners.len();
        if count <= CHUNK {
            return self.find_in(&finder, 0..count).collect();
        }
        let chunks = (0..count.div_ceil(CHUNK)).into_par_iter();
        let finder = &finder;
        chunks.flat_map_iter(|at| self.find_in(finder, at * CHUNK..((at + 1) * CHUNK).min(count))).collect()
    }

    /// The same within a range of entries.
    fn find_in<'a, 'f>(
        &'a self,
        finder: &'f Finder<'f>,
        entries: Range<usize>,
    ) -> impl Iterator<Item = (u32, &'a str)> + use<'a, 'f> {
        let start_of = |entry: usize| self.starts.get(entry).map_or(self.text.len(), |&at| at as usize);
        let (mut from, end) = (start_of(entries.start), start_of(entries.end));
        let starts = self.starts.get(entries.clone()).unwrap_or(&[]);
        std::iter::from_fn(move || {
            let at = from + finder.find(self.text.as_bytes().get(from..end)?)?;
            let entry =
                entries.start + starts.partition_point(|&start| start as usize <= at).checked_sub(1)?;
            from = start_of(entry + 1);
            Some((self.owners[entry], self.entry(entry)))
        })
    }

    /// Owners of the texts that lack at most `missing` of the letters of `needle` and pass `test`, which is told how many
    /// are lacking; the first `limit`.
    pub(crate) fn resembling<'a>(
        &'a self,
        needle: &str,
        (missing, limit): (u32, usize),
        test: impl Fn(&str, u32) -> bool + Sync,
    ) -> Vec<(u32, &'a str)> {
        let wanted = letters(needle);
        let lacking = |at: usize| (wanted & !self.letters[at]).count_ones();
        let chunks = (0..self.owners.len().div_ceil(CHUNK)).into_par_iter();
        let found: Vec<Vec<usize>> = chunks
            .map(|chunk| {
                let entries = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.owners.len());
                let close = entries.filter(|&at| lacking(at) <= missing && test(self.entry(at), lacking(at)));
                close.take(limit).collect()
            })
            .collect();
        found.into_iter().flatten().take(limit).map(|at| (self.owners[at], self.entry(at))).collect()
    }

    fn entry(&self, at: usize) -> &str {
        let end = self.starts.get(at + 1).map_or(self.text.len(), |&next| next as usize);
        self.text.get(self.starts[at] as usize..end - 1).unwrap_or("")
    }

    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.letters.shrink_to_fit();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.text.capacity() + 12 * self.starts.capacity()
    }
}

/// One bit for each letter, and one each for digits, underscores and everything else.
fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |bits, byte| {
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

    #[test]
    fn finds_whole_entries_once() {
        let mut arena = TextArena::default();
        for (i, name) in ["Foo", "barfoofoo", "", "fo", "Straße"].iter().enumerate() {
            arena.push(name, i as u32);
        }
        let hits = arena.containing("foo");
        assert_eq!(hits, [(0, "foo"), (1, "barfoofoo")]);
        assert_eq!(arena.containing("ße").iter().map(|hit| hit.0).collect::<Vec<_>>(), [4]);
        let near = arena.resembling("fou", (1, 5), |text, missing| text.len() == 3 && missing == 1);
        assert_eq!(near, [(0, "foo")]);
    }

    #[test]
    fn many_entries_are_searched_in_pieces() {
        let mut arena = TextArena::default();
        let count = 2 * CHUNK as u32 + 7;
        (0..count).for_each(|i| arena.push(if i % CHUNK as u32 == 3 { "needle" } else { "hay" }, i));
        let hits: Vec<u32> = arena.containing("needle").iter().map(|hit| hit.0).collect();
        assert_eq!(hits, [3, CHUNK as u32 + 3, 2 * CHUNK as u32 + 3]);
        assert_eq!(arena.containing("hay").len(), count as usize - 3);
    }
}
