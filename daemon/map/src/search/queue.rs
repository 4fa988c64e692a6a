//! Yields names in the order in which they promise good hits, each on demand: a query that half a million names match
//! shows twenty.
//!
//! The queue sorts only the most promising of all matches. Once these are used up, it selects the next ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use memchr::memmem::Finder;

use super::wanted::WantedDefs;
use crate::index::{Index, NameId, in_parts, score_of_parts};

/// The key of a name, the best smallest: same case, better score, shorter; then the name's number. The lowest bit is
/// set if the case is only assumed to be the same.
type QueuedName = u64;

const UNSURE: QueuedName = 1;
const OTHER_CASE: QueuedName = 1 << 63;
/// Greatest length that is distinguished.
const LENGTHS: usize = (1 << 15) - 1;

/// Number of names that are sorted first.
const BEST: usize = 1 << 10;

/// The order of the best hit that a name can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamePromise {
    /// True if the case of the name surely differs from the query's.
    pub(super) other_case: bool,
    /// A score that no definition of the name exceeds.
    pub(super) highest_score: f32,
}

/// Names that match, most promising first.
pub(super) struct NameQueue<'q, 'm> {
    index: &'m Index,
    wanted: &'q WantedDefs<'m>,
    runs: &'q [Range<u32>],
    /// The query with its capitals.
    asked: Finder<'q>,
    has_capitals: bool,
    names: BinaryHeap<Reverse<QueuedName>>,
    /// The greatest key that was sorted; `None` if all were.
    border: Option<QueuedName>,
    /// Number of names that are sorted at once.
    best: usize,
    /// Number of wanted definitions of all names together.
    pub(super) total: usize,
}

impl<'q, 'm> NameQueue<'q, 'm> {
    /// Creates a queue of the names in runs of entries that have wanted definitions.
    pub(super) fn new(
        index: &'m Index,
        wanted: &'q WantedDefs<'m>,
        runs: &'q [Range<u32>],
        asked: &'q str,
    ) -> Self {
        let has_capitals = asked.to_lowercase() != asked;
        let asked = Finder::new(asked);
        let names = BinaryHeap::new();
        let mut queue =
            Self { index, wanted, runs, asked, has_capitals, names, border: None, best: BEST, total: 0 };
        queue.total = queue.fill_best(None);
        queue
    }

    /// Sorts the best names after a key. Returns the number of wanted definitions of all names after it.
    fn fill_best(&mut self, behind: Option<QueuedName>) -> usize {
        let parts = in_parts(self.runs, |runs| {
            let mut best = SmallestKeys::new(self.best);
            let mut total = 0;
            for entry in runs.iter().flat_map(Clone::clone) {
                let count = self.wanted.count(entry);
                if count > 0 {
                    let place = self.queue_key(entry);
                    if behind.is_none_or(|behind| place > behind) {
                        best.add(place);
                        total += count;
                    }
                }
            }
            (best, total)
        });
        let total = parts.iter().map(|(_, total)| total).sum();
        let mut all = SmallestKeys::new(self.best);
        parts.into_iter().for_each(|(part, _)| all.merge(part));
        self.border = all.close();
        self.names.extend(all.places.into_iter().map(Reverse));
        total
    }

    /// Returns the hub score of an entry; until scores are derived, the mention weight of the name.
    fn score(&self, entry: u32) -> u16 {
        let standings = self.index.standings();
        if standings.is_scored() {
            return standings.score(entry);
        }
        self.index.mention_weight_of_id(NameId(self.index.def_names().owner(entry))) as u16
    }

    /// Returns a score that no definition of a name exceeds, given what [`Self::score`] returned for the name.
    fn highest_of_key(&self, score: u16) -> f32 {
        match score {
            // Too low a score to be kept, or one of too many.
            0 | u16::MAX => f32::INFINITY,
            _ if self.index.standings().is_scored() => score_of_parts(score),
            // The fraction of a mention weight is cut off.
            _ => f32::from(score) + 1.0,
        }
    }

    /// Returns what the next name promises; after the last one, nothing.
    pub(super) fn next_promise(&self) -> NamePromise {
        let best = self.names.peek().map(|place| place.0).into_iter().chain(self.border).min();
        let Some(best) = best else { return NamePromise { other_case: true, highest_score: 0.0 } };
        NamePromise {
            other_case: best & OTHER_CASE != 0,
            highest_score: self.highest_of_key(u16::MAX - ((best & !OTHER_CASE) >> 47) as u16),
        }
    }

    fn queue_key(&self, entry: u32) -> QueuedName {
        let names = self.index.def_names();
        let score = QueuedName::from(u16::MAX - self.score(entry)) << 47;
        let length = (names.text_length(entry).min(LENGTHS) as QueuedName) << 32;
        let promise = score | length | QueuedName::from(names.owner(entry)) << 1;
        // Most names have no capitals, and need no comparison with the query.
        match (names.had_capitals(entry), self.has_capitals) {
            (true, _) => promise | UNSURE,
            (false, true) => promise | OTHER_CASE,
            (false, false) => promise,
        }
    }
}

impl Iterator for NameQueue<'_, '_> {
    /// A name, and true if its case differs from the query's.
    type Item = (NameId, bool);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = self.names.peek().map(|place| place.0);
            if let Some(border) = self.border.filter(|border| next.is_none_or(|next| next > *border)) {
                self.best *= 4;
                self.fill_best(Some(border));
                continue;
            }
            let Reverse(place) = self.names.pop()?;
            let name = NameId((place as u32) >> 1);
            if place & UNSURE != 0 && self.asked.find(self.index.name(name).as_bytes()).is_none() {
                self.names.push(Reverse((place | OTHER_CASE) & !UNSURE));
                continue;
            }
            return Some((name, place & OTHER_CASE != 0));
        }
    }
}

/// The smallest of many keys.
struct SmallestKeys {
    places: Vec<QueuedName>,
    most: usize,
    /// The greatest key that is kept, if greater ones were dropped.
    border: Option<QueuedName>,
}

impl SmallestKeys {
    fn new(most: usize) -> Self {
        Self { places: Vec::new(), most, border: None }
    }

    #[inline]
    fn add(&mut self, place: QueuedName) {
        if self.border.is_some_and(|border| place > border) {
            return;
        }
        self.places.push(place);
        if self.places.len() >= 2 * self.most {
            self.cut_to_most();
        }
    }

    fn cut_to_most(&mut self) {
        if self.places.len() > self.most {
            let (_, border, _) = self.places.select_nth_unstable(self.most - 1);
            self.border = Some(*border);
            self.places.truncate(self.most);
        }
    }

    fn merge(&mut self, other: Self) {
        let left_out = other.border;
        other.places.into_iter().for_each(|place| self.add(place));
        // Keys that the other one dropped are above its border, so they are dropped here too.
        if let Some(border) = left_out {
            self.places.retain(|place| *place <= border);
            self.border = Some(self.border.map_or(border, |own| own.min(border)));
        }
    }

    /// Drops the keys above the most wanted. Returns the border, if any were dropped.
    fn close(&mut self) -> Option<QueuedName> {
        self.cut_to_most();
        self.border
    }
}

/// Counts the wanted definitions of the names in runs of entries.
pub(super) fn count(wanted: &WantedDefs<'_>, runs: &[Range<u32>]) -> usize {
    let counts = in_parts(runs, |runs| runs.iter().map(|run| wanted.count_run(run.clone())).sum::<usize>());
    counts.into_iter().sum()
}
