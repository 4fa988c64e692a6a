//! Names in the order in which they promise good hits, each found when it is asked for: a query that half a million names match
//! shows twenty.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use memchr::memmem::Finder;

use super::wanted::Wanted;
use crate::index::{Index, NameId, in_parts};

/// A name with what it promises, the best smallest: same case, better score, shorter. In the lowest bit, whether its case is
/// only taken to be the same.
type Place = u128;

const UNSURE: Place = 1;
const OTHER_CASE: Place = 1 << 97;

/// Names that match, most promising first.
pub(super) struct Queue<'m, 'q> {
    index: &'m Index,
    /// The query with its capitals.
    asked: Finder<'q>,
    names: BinaryHeap<Reverse<Place>>,
    /// How many wanted definitions they all have.
    pub(super) total: usize,
}

impl<'m, 'q> Queue<'m, 'q> {
    /// The names of runs of entries that have wanted definitions.
    pub(super) fn new(
        index: &'m Index,
        wanted: &Wanted<'_>,
        (runs, asked): (&[Range<u32>], &'q str),
    ) -> Self {
        let has_capitals = asked.to_lowercase() != asked;
        let parts = in_parts(runs, |runs| {
            let (mut names, mut total) = (Vec::new(), 0);
            for entry in runs.iter().flat_map(Clone::clone) {
                let count = wanted.count(NameId(index.def_names().owner(entry)));
                if count > 0 {
                    names.push(Reverse(place(index, entry, has_capitals)));
                    total += count;
                }
            }
            (names, total)
        });
        let total = parts.iter().map(|(_, total)| total).sum();
        let names: Vec<Reverse<Place>> = parts.into_iter().flat_map(|(names, _)| names).collect();
        Self { index, asked: Finder::new(asked), names: names.into(), total }
    }
}

impl Iterator for Queue<'_, '_> {
    /// A name, and whether its case is another than the query's.
    type Item = (NameId, bool);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Reverse(place) = self.names.pop()?;
            let name = NameId((place >> 1) as u32);
            if place & UNSURE != 0 && self.asked.find(self.index.name(name).as_bytes()).is_none() {
                self.names.push(Reverse((place | OTHER_CASE) & !UNSURE));
                continue;
            }
            return Some((name, place & OTHER_CASE != 0));
        }
    }
}

/// How many wanted definitions the names of runs of entries have.
pub(super) fn count(index: &Index, wanted: &Wanted<'_>, runs: &[Range<u32>]) -> usize {
    let counts = in_parts(runs, |runs| {
        let entries = runs.iter().flat_map(Clone::clone);
        entries.map(|entry| wanted.count(NameId(index.def_names().owner(entry)))).sum::<usize>()
    });
    counts.into_iter().sum()
}

fn place(index: &Index, entry: u32, has_capitals: bool) -> Place {
    let names = index.def_names();
    let name = names.owner(entry);
    let score = super::score_bits(index.standing(NameId(name)).score);
    let promise = Place::from(score) << 65 | (names.length(entry) as Place) << 33 | Place::from(name) << 1;
    // Most names have no capitals, and need not be looked at again.
    match (names.had_capitals(entry), has_capitals) {
        (true, _) => promise | UNSURE,
        (false, true) => promise | OTHER_CASE,
        (false, false) => promise,
    }
}
