//! Holds many short lower-case texts in one, to find those that contain a query.
//!
//! The texts lie side by side, with posting lists of their name trigrams (`grams`). A query first intersects the lists
//! of its own trigrams, and then searches the texts that remain; a query of two or three letters needs no search. For a
//! kernel's names the lists take a third more than the text.
//!
//! Entries are only appended; callers skip those that no longer hold, and [`TextArena::is_wasteful`] says when to build
//! the arena anew.

use std::ops::Range;

use memchr::memmem::Finder;

use super::grams::{EDGE, Grams, byte_kinds, is_exact};
use super::runs::{Runs, add, count, divide_runs, in_parts};

/// The bit in an entry's letters that is set if the added text had capital letters.
const HAD_CAPITALS: u32 = 1 << 31;

/// Most texts between two runs that are searched as one run.
const CLOSE: u32 = 24;
/// Number of texts that are tested before the search checks whether the hits suffice.
const AT_ONCE: usize = 1 << 15;

/// The texts, each with the number of its owner.
#[derive(Debug, Default)]
pub(crate) struct TextArena {
    /// Each text, with a line feed before and after it.
    text: String,
    starts: Vec<u32>,
    owners: Vec<u32>,
    /// For each text, the set of its letters (see [`letter_bits`]), and whether it [had capitals](HAD_CAPITALS).
    letters: Vec<u32>,
    grams: Grams,
    dead: usize,
}

impl TextArena {
    /// Adds a text, without line feeds.
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
        self.letters.push(letter_bits(lower.as_bytes()) | capitals);
        self.grams.push(lower);
        self.text.push('\n');
    }

    /// Counts an entry that no longer holds.
    pub(crate) fn note_dead_entry(&mut self) {
        self.dead += 1;
    }

    /// Returns true if some entries no longer hold.
    pub(crate) fn has_dead(&self) -> bool {
        self.dead > 0
    }

    /// Returns true if most entries no longer hold, so that the arena should be built anew.
    pub(crate) fn is_wasteful(&self) -> bool {
        self.dead > 1000 && self.dead * 2 > self.owners.len()
    }

    /// Returns the entries whose text contains `needle` (lower case).
    pub(crate) fn containing(&self, needle: &str) -> Runs {
        if needle.contains('\n') {
            // Line feeds separate the texts, so no text contains one.
            return Runs::new();
        }
        let wanted: Vec<u8> = byte_kinds(needle).collect();
        let found = match wanted[..] {
            [] | [_] => Vec::from_iter((!self.owners.is_empty()).then_some(0..self.owners.len() as u32)),
            _ => self.grams.texts_having(&wanted),
        };
        if wanted.len() > 1 && is_exact(&wanted) {
            return found;
        }
        let finder = Finder::new(needle.as_bytes());
        // Texts between these runs lack some trigrams of the query, so none of them is a hit, and reading them is
        // cheaper than skipping them.
        collect_runs(&bridge_close_runs(&found), |run, kept| self.find_in(&finder, run, kept))
    }

    /// Returns the entries whose text starts with `needle` (lower case, not empty).
    pub(crate) fn starting_with(&self, needle: &str) -> Runs {
        let wanted: Vec<u8> = std::iter::once(EDGE).chain(byte_kinds(needle)).collect();
        if wanted.len() < 2 || needle.contains('\n') {
            return Runs::new();
        }
        let found = self.grams.texts_having(&wanted);
        if is_exact(&wanted) {
            return found;
        }
        self.passing(&found, |at| self.text(at).starts_with(needle))
    }

    /// Returns the entries that contain some [`byte_kinds`], at least two and with [`EDGE`] for the beginning or end of
    /// a text, and perhaps others.
    pub(super) fn entries_having(&self, kinds: &[u8]) -> Runs {
        self.grams.texts_having(kinds)
    }

    /// Returns the entries of runs for which `test` returns true.
    pub(crate) fn passing(&self, runs: &[Range<u32>], test: impl Fn(u32) -> bool + Send + Sync) -> Runs {
        collect_runs(runs, |run, kept| run.filter(|&at| test(at)).for_each(|at| add(kept, at..at + 1)))
    }

    /// Returns the first entries of runs that pass a test: at least `least`, if so many pass.
    pub(super) fn first_passing(
        &self,
        runs: &[Range<u32>],
        least: usize,
        test: impl Fn(u32) -> bool + Send + Sync,
    ) -> Runs {
        let mut kept = Runs::new();
        for part in divide_runs(runs, AT_ONCE) {
            self.passing(part, &test).into_iter().for_each(|run| add(&mut kept, run));
            if count(&kept) >= least {
                break;
            }
        }
        kept
    }

    /// Adds the entries of a run that contain the searched text.
    fn find_in(&self, finder: &Finder<'_>, run: Range<u32>, kept: &mut Runs) {
        let (mut entry, end) = (run.start, self.start_of(run.end));
        let mut from = self.start_of(entry);
        while let Some(at) = self.text.as_bytes().get(from..end).and_then(|text| finder.find(text)) {
            entry = self.entry_at(from + at, entry..run.end);
            add(kept, entry..entry + 1);
            entry += 1;
            from = self.start_of(entry);
        }
    }

    /// Returns the entry of a run that contains a place in the text. The search begins at the first entries, which are
    /// the likeliest.
    fn entry_at(&self, place: usize, run: Range<u32>) -> u32 {
        let starts = &self.starts[run.start as usize + 1..run.end as usize];
        let is_before = |start: &u32| *start as usize <= place;
        let mut step = 4;
        while starts.get(step).is_some_and(is_before) {
            step *= 2;
        }
        let from = if step > 4 { step / 2 } else { 0 };
        let near = &starts[from..starts.len().min(step + 1)];
        run.start + (from + near.partition_point(is_before)) as u32
    }

    /// Returns the owner of an entry, as passed to [`TextArena::push`].
    pub(crate) fn owner(&self, entry: u32) -> u32 {
        self.owners[entry as usize]
    }

    /// Returns the lower-case text of an entry.
    pub(crate) fn text(&self, entry: u32) -> &str {
        self.text.get(self.starts[entry as usize] as usize..self.start_of(entry + 1) - 1).unwrap_or("")
    }

    /// Returns true if an entry's text had capital letters when it was added.
    pub(crate) fn had_capitals(&self, entry: u32) -> bool {
        self.letters[entry as usize] & HAD_CAPITALS != 0
    }

    /// Returns the length of an entry's text, in bytes.
    pub(crate) fn text_length(&self, entry: u32) -> usize {
        self.start_of(entry + 1) - 1 - self.starts[entry as usize] as usize
    }

    /// Counts those of some [`letter_bits`] that an entry lacks.
    pub(super) fn count_missing_letters(&self, entry: u32, letters: u32) -> u32 {
        (letters & !self.letters[entry as usize]).count_ones()
    }

    fn start_of(&self, entry: u32) -> usize {
        self.starts.get(entry as usize).map_or(self.text.len(), |&at| at as usize)
    }

    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.letters.shrink_to_fit();
        self.grams.shrink();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.text.capacity() + 12 * self.starts.capacity() + self.grams.heap_bytes()
    }
}

/// Joins runs that are close to each other, with the numbers between them.
fn bridge_close_runs(runs: &[Range<u32>]) -> Runs {
    let mut bridged = Runs::with_capacity(runs.len());
    for run in runs {
        match bridged.last_mut().filter(|last: &&mut Range<u32>| run.start - last.end <= CLOSE) {
            Some(last) => last.end = run.end,
            None => bridged.push(run.clone()),
        }
    }
    bridged
}

/// Concatenates the results of `each` for every run.
fn collect_runs(runs: &[Range<u32>], each: impl Fn(Range<u32>, &mut Runs) + Send + Sync) -> Runs {
    let parts = in_parts(runs, |runs| {
        let mut kept = Runs::new();
        runs.iter().for_each(|run| each(run.clone(), &mut kept));
        kept
    });
    let mut all = Runs::new();
    parts.into_iter().flatten().for_each(|run| add(&mut all, run));
    all
}

/// Returns the set of letters in a text: one bit for each letter, and one each for digits, underscores and everything
/// else.
pub(super) fn letter_bits(text: &[u8]) -> u32 {
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
    use crate::index::runs::FEW;

    fn owners_of(arena: &TextArena, runs: &[Range<u32>]) -> Vec<u32> {
        runs.iter().flat_map(Clone::clone).map(|entry| arena.owner(entry)).collect()
    }

    #[test]
    fn finds_whole_entries_once() {
        let mut arena = TextArena::default();
        for (i, name) in ["Foo", "barfoofoo", "", "fo", "Straße"].iter().enumerate() {
            arena.push(name, i as u32);
        }
        let found = |needle: &str| owners_of(&arena, &arena.containing(needle));
        assert_eq!(found("foo"), [0, 1]);
        assert_eq!((arena.text(0), arena.had_capitals(0), arena.had_capitals(1)), ("foo", true, false));
        assert_eq!(found("ße"), [4]);
        assert_eq!(found("f"), [0, 1, 3]);
        assert_eq!(owners_of(&arena, &arena.starting_with("fo")), [0, 3]);
        assert!(TextArena::default().containing("x").is_empty());
    }

    #[test]
    fn no_text_has_what_lies_between_two() {
        let mut arena = TextArena::default();
        ["one", "two\nthree"].iter().for_each(|text| arena.push(text, 0));
        for needle in ["e\nt", "\n", "\nt", "o\nt", "one\n"] {
            assert!(
                arena.containing(needle).is_empty() && arena.starting_with(needle).is_empty(),
                "{needle:?}"
            );
        }
        assert_eq!(arena.containing("twothree"), std::slice::from_ref(&(1..2)));
    }

    #[test]
    fn many_entries_are_searched_in_pieces() {
        let mut arena = TextArena::default();
        let count = 2 * FEW as u32 + 7;
        (0..count).for_each(|i| arena.push(if i % FEW as u32 == 3 { "needle" } else { "heedless" }, i));
        assert_eq!(owners_of(&arena, &arena.containing("needle")), [3, FEW as u32 + 3, 2 * FEW as u32 + 3]);
        assert_eq!(arena.containing("eedle").len(), 1);
        assert_eq!(crate::index::runs::count(&arena.containing("dless")), count as usize - 3);
    }

    #[test]
    fn finds_what_looking_at_every_text_finds() {
        let mut rng = 7u64;
        let mut next = |below: u64| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (rng >> 33) % below
        };
        let alphabet: Vec<char> = "aAbcz09_.é/\u{1F}".chars().collect();
        let mut word = |longest: u64| -> String {
            (0..next(longest + 1)).map(|_| alphabet[next(alphabet.len() as u64) as usize]).collect()
        };
        let texts: Vec<String> = (0..3000).map(|_| word(9)).collect();
        let mut arena = TextArena::default();
        for (at, text) in texts.iter().enumerate() {
            arena.push(text, at as u32);
        }
        let those = |test: &dyn Fn(&str) -> bool| -> Vec<u32> {
            (0..texts.len() as u32).filter(|&at| test(&texts[at as usize].to_lowercase())).collect()
        };
        for _ in 0..500 {
            let needle = word(5).to_lowercase();
            if needle.is_empty() {
                continue;
            }
            let found = owners_of(&arena, &arena.containing(&needle));
            assert_eq!(found, those(&|text| text.contains(&needle)), "{needle}");
            let found = owners_of(&arena, &arena.starting_with(&needle));
            assert_eq!(found, those(&|text| text.starts_with(&needle)), "{needle}");
        }
    }
}
