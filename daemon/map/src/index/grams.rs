//! Holds posting lists of name trigrams: an inverted index of three neighbouring letters (as Cox 2012 describes for
//! code search), in which the beginning and the end of a text count as letters.
//!
//! A list holds numbers of texts as runs, because neighbours come from one file and begin alike; so an entry costs less
//! than a byte. Texts are only appended, so lists only grow at their ends, and recording a trigram twice costs one
//! comparison.
//!
//! A result may contain texts too many: unusual bytes are all of one kind, and a text that has all trigrams of a query
//! need not have them side by side. [`is_exact`] says when it cannot.

use std::ops::Range;

use super::runs::{RunIntersection, Runs, add, count};

/// The number of kinds of bytes.
const KINDS: usize = 42;
/// The kind of all bytes that are no usual characters of names or paths.
const OTHER: u8 = 40;
/// The kind for the beginning and the end of a text.
pub(super) const EDGE: u8 = 41;
/// The place of a trigram that no text has.
const ABSENT: u32 = u32::MAX;

/// The cost of testing one text, as a number of bytes of a list that are read in the same time.
const TEST: usize = 8;

/// The posting lists of the appended texts.
#[derive(Debug, Default)]
pub(super) struct Grams {
    texts: u32,
    /// For each trigram the index of its list.
    places: Vec<u32>,
    lists: Vec<List>,
}

/// The posting list of one trigram.
#[derive(Debug, Default)]
struct List {
    /// For each written run the distance from the one before, doubled, plus one if it is longer than one; then its
    /// length less two.
    bytes: Vec<u8>,
    /// The end of the last written run.
    written: u32,
    /// The last run, which is not written yet and may grow.
    last: Range<u32>,
}

impl List {
    fn append_text(&mut self, text: u32) {
        match self.last.end {
            end if end == text + 1 => {}
            end if end == text && !self.last.is_empty() => self.last.end += 1,
            _ => {
                self.write();
                self.last = text..text + 1;
            }
        }
    }

    fn write(&mut self) {
        let Some(more) = self.last.len().checked_sub(1) else { return };
        put_varint(&mut self.bytes, (self.last.start - self.written) << 1 | u32::from(more > 0));
        if more > 0 {
            put_varint(&mut self.bytes, more as u32 - 1);
        }
        self.written = self.last.end;
    }

    /// Calls `each` with the runs in order, until it returns false.
    fn while_each(&self, mut each: impl FnMut(Range<u32>) -> bool) {
        let (mut rest, mut end) = (&*self.bytes, 0);
        while let Some(head) = take_varint(&mut rest) {
            let start = end + (head >> 1);
            let more = if head & 1 == 1 { take_varint(&mut rest).map_or(0, |more| more + 1) } else { 0 };
            end = start + more + 1;
            if !each(start..end) {
                return;
            }
        }
        if !self.last.is_empty() {
            each(self.last.clone());
        }
    }

    fn runs(&self) -> Runs {
        let mut runs = Runs::new();
        self.while_each(|run| {
            runs.push(run);
            true
        });
        runs
    }
}

impl Grams {
    /// Adds the trigrams of the next text, which is in lower case.
    pub(super) fn push(&mut self, text: &str) {
        if self.places.is_empty() {
            self.places = vec![ABSENT; KINDS * KINDS * KINDS];
        }
        let at = self.texts;
        self.texts += 1;
        let Some((first, others)) = text.as_bytes().split_first() else { return };
        let mut gram = [EDGE, kind(*first)];
        for next in others.iter().map(|byte| kind(*byte)).chain([EDGE]) {
            let place = &mut self.places[gram_number([gram[0], gram[1], next])];
            if *place == ABSENT {
                *place = self.lists.len() as u32;
                self.lists.push(List::default());
            }
            self.lists[*place as usize].append_text(at);
            gram = [gram[1], next];
        }
    }

    /// Returns the texts that have every trigram of some [`byte_kinds`], at least two of them, and perhaps others if
    /// they are many.
    pub(super) fn texts_having(&self, kinds: &[u8]) -> Runs {
        if let &[first, second] = kinds {
            return self.having_pair(first, second);
        }
        let mut wanted: Vec<usize> =
            kinds.windows(3).map(|gram| gram_number([gram[0], gram[1], gram[2]])).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let lists: Option<Vec<&List>> = wanted.iter().map(|gram| self.list(*gram)).collect();
        let Some(mut lists) = lists else { return Runs::new() };
        lists.sort_by_key(|list| list.bytes.len());
        let Some((first, others)) = lists.split_first() else { return Runs::new() };
        let mut common = first.runs();
        for other in others {
            if count(&common) * TEST < other.bytes.len() {
                break;
            }
            let mut both = RunIntersection::new(&common);
            other.while_each(|run| both.intersect_next(run));
            common = both.common;
        }
        common
    }

    /// Returns the texts that have two kinds of bytes side by side.
    fn having_pair(&self, first: u8, second: u8) -> Runs {
        let mut texts = Bits::new(self.texts as usize);
        for third in 0..KINDS as u8 {
            // No letter follows the end of a text.
            let gram = if second == EDGE { [third, first, second] } else { [first, second, third] };
            if let Some(list) = self.list(gram_number(gram)) {
                list.while_each(|run| {
                    texts.set(run);
                    true
                });
            }
        }
        texts.runs()
    }

    fn list(&self, gram: usize) -> Option<&List> {
        self.lists.get(*self.places.get(gram)? as usize)
    }

    pub(super) fn shrink(&mut self) {
        self.lists.iter_mut().for_each(|list| list.bytes.shrink_to_fit());
        self.lists.shrink_to_fit();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        4 * self.places.capacity()
            + size_of::<List>() * self.lists.capacity()
            + self.lists.iter().map(|list| list.bytes.capacity()).sum::<usize>()
    }
}

/// A set of text numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn new(texts: usize) -> Self {
        Self(vec![0; texts.div_ceil(64)])
    }

    fn set(&mut self, run: Range<u32>) {
        let (mut at, end) = (run.start as usize, run.end as usize);
        while at < end {
            let until = end.min((at / 64 + 1) * 64);
            self.0[at / 64] |= (u64::MAX >> (64 - (until - at))) << (at % 64);
            at = until;
        }
    }

    fn runs(&self) -> Runs {
        let mut runs = Runs::new();
        for (at, &word) in self.0.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let first = left.trailing_zeros();
                let ones = (left >> first).trailing_ones();
                let start = at as u32 * 64 + first;
                add(&mut runs, start..start + ones);
                left = if first + ones == 64 { 0 } else { left & (u64::MAX << (first + ones)) };
            }
        }
        runs
    }
}

/// Yields the kind of byte for each byte of a lower-case text.
pub(super) fn byte_kinds(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().map(kind)
}

/// Returns true if every text that has the trigrams of these kinds has the kinds side by side, and each kind is one
/// byte.
pub(super) fn is_exact(kinds: &[u8]) -> bool {
    kinds.len() <= 3 && !kinds.contains(&OTHER)
}

fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'0'..=b'9' => 26 + byte - b'0',
        b'_' => 36,
        b'/' => 37,
        b'.' => 38,
        b'-' => 39,
        _ => OTHER,
    }
}

fn gram_number(gram: [u8; 3]) -> usize {
    gram.iter().fold(0, |number, kind| number * KINDS + usize::from(*kind))
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    // Nearly all numbers take one byte.
    if let Some((&byte, rest)) = bytes.split_first()
        && byte < 0x80
    {
        *bytes = rest;
        return Some(u32::from(byte));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::runs::tests::runs_of;
    use super::*;

    proptest! {
        #[test]
        fn lists_hold_what_was_noted(numbers in prop::collection::btree_set(0u32..300, 0..80)) {
            let mut list = List::default();
            numbers.iter().for_each(|&number| { list.append_text(number); list.append_text(number); });
            prop_assert_eq!(list.runs(), runs_of(&numbers));
            let mut bits = Bits::new(300);
            list.runs().into_iter().for_each(|run| bits.set(run));
            prop_assert_eq!(bits.runs(), runs_of(&numbers));
        }
    }

    #[test]
    fn beginnings_and_ends_are_letters() {
        let mut grams = Grams::default();
        ["ab", "cab", "abc", "b", ""].iter().for_each(|text| grams.push(text));
        let having = |text: &[u8]| grams.texts_having(text);
        assert_eq!(having(&[0, 1]), std::slice::from_ref(&(0..3)));
        assert_eq!(having(&[EDGE, 0]), [0..1, 2..3]);
        assert_eq!(having(&[1, EDGE]), [0..2, 3..4]);
        assert_eq!(having(&[EDGE, 1, EDGE]), std::slice::from_ref(&(3..4)));
        assert_eq!(having(&[9, 9, 9]), []);
        assert_eq!(Grams::default().texts_having(&[0, 1, 2]), []);
    }
}
