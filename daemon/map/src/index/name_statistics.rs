//! Holds the statistics of names, which search reads instead of visiting their definitions.
//!
//! They are columns in the order of the text of names, so that the statistics of neighbours are read sequentially.

use std::ops::Range;

use super::{Kinds, NameId};

/// The statistics of one name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameStatistics {
    /// Number of definitions that have the name.
    pub(crate) defs: u32,
    /// The kinds of these definitions.
    pub(crate) kinds: Kinds,
    /// The top folders that contain the definitions, or did.
    pub(crate) places: TopFolders,
}

/// A set of top folders, a bit for each; all after the first fifteen share the last bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TopFolders(u16);

impl TopFolders {
    /// Returns true if no folder is in both sets.
    pub(crate) fn is_apart_from(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The names of top folders, in order of their first file.
#[derive(Debug, Default)]
pub(super) struct Roots(Vec<Box<str>>);

impl Roots {
    /// Returns the top folder of a path, or the path itself at the root; empty if it is unknown.
    pub(super) fn top_folder_of(&self, path: &str) -> TopFolders {
        let at = self.0.iter().position(|known| **known == *top_segment(path));
        TopFolders(at.map_or(0, |at| 1 << at.min(15)))
    }

    /// Returns the top folder of a path, which is added if it is new.
    pub(super) fn note_top_folder(&mut self, path: &str) -> TopFolders {
        if !self.0.iter().any(|known| **known == *top_segment(path)) {
            self.0.push(top_segment(path).into());
        }
        self.top_folder_of(path)
    }
}

fn top_segment(path: &str) -> &str {
    path.split_once('/').map_or(path, |(top, _)| top)
}

/// The entry of a name that has none.
const ABSENT: u32 = u32::MAX;
/// The number of parts into which a score of 1 is divided: scores have four decimal places.
const PARTS: f32 = 1e4;

/// Returns the score that is stored as these parts.
pub(crate) fn score_of_parts(parts: u16) -> f32 {
    (f64::from(parts) / f64::from(PARTS)) as f32
}

/// The table of statistics. Its entries are those of the text of names.
#[derive(Debug, Default)]
pub(crate) struct NameStatisticsTable {
    /// The entry of each name, by the number of the name.
    entries: Vec<u32>,
    defs: Vec<u32>,
    kinds: Vec<Kinds>,
    places: Vec<TopFolders>,
    /// The best hub score of the name's definitions at the last derivation, in parts; 0 if it is too low to store.
    scores: Vec<u16>,
    /// True if scores were derived at least once.
    is_scored: bool,
}

impl NameStatisticsTable {
    /// Returns the entry of a name, if it was ever defined.
    pub(super) fn entry_of(&self, name: NameId) -> Option<u32> {
        self.entries.get(name.index()).copied().filter(|entry| *entry != ABSENT)
    }

    /// Adds the next entry, for a name.
    pub(super) fn push(&mut self, name: NameId, standing: NameStatistics) {
        if self.entries.len() <= name.index() {
            self.entries.resize(name.index() + 1, ABSENT);
        }
        self.entries[name.index()] = self.defs.len() as u32;
        self.defs.push(standing.defs);
        self.kinds.push(standing.kinds);
        self.places.push(standing.places);
        self.scores.push(0);
    }

    /// Returns the statistics of the name of an entry; all zero if there is no such entry.
    pub(crate) fn get(&self, entry: u32) -> NameStatistics {
        let at = entry as usize;
        let defs = self.defs.get(at).copied().unwrap_or(0);
        let kinds = self.kinds.get(at).copied().unwrap_or_default();
        NameStatistics { defs, kinds, places: self.folders_of(entry) }
    }

    pub(super) fn set(&mut self, entry: u32, standing: NameStatistics) {
        let at = entry as usize;
        if at < self.defs.len() {
            (self.defs[at], self.kinds[at]) = (standing.defs, standing.kinds);
            self.places[at] = standing.places;
        }
    }

    /// Adds kinds and top folders of a name's definitions.
    pub(super) fn note_definitions(&mut self, name: NameId, kinds: Kinds, place: TopFolders) {
        if let Some(entry) = self.entry_of(name) {
            let mut standing = self.get(entry);
            standing.kinds.apply_change(Kinds::default(), kinds);
            standing.places.add(place);
            self.set(entry, standing);
        }
    }

    /// Returns the top folders that contain the definitions of an entry, or did.
    pub(crate) fn folders_of(&self, entry: u32) -> TopFolders {
        self.places.get(entry as usize).copied().unwrap_or_default()
    }

    /// Returns the best score of an entry, in parts.
    pub(crate) fn score(&self, entry: u32) -> u16 {
        self.scores.get(entry as usize).copied().unwrap_or(0)
    }

    /// Returns true if scores were derived at least once.
    pub(crate) fn is_scored(&self) -> bool {
        self.is_scored
    }

    /// Counts the definitions of the names of a run of entries.
    pub(crate) fn defs_in(&self, run: Range<u32>) -> usize {
        let defs = self.defs.get(run.start as usize..run.end as usize).unwrap_or(&[]);
        defs.iter().map(|defs| *defs as usize).sum()
    }

    /// Returns the scores of all entries; those whose names `scores` lacks get 0.
    pub(super) fn score_column(&self, scores: impl Iterator<Item = (NameId, f32)>) -> Vec<u16> {
        let mut column = vec![0; self.defs.len()];
        for (name, score) in scores {
            if let Some(entry) = self.entry_of(name) {
                column[entry as usize] = (score * PARTS).round() as u16;
            }
        }
        column
    }

    /// Swaps the scores with `column`. Entries that `column` lacks get 0.
    pub(super) fn swap_scores(&mut self, column: &mut Vec<u16>) {
        self.is_scored = true;
        column.resize(self.defs.len(), 0);
        std::mem::swap(&mut self.scores, column);
    }

    pub(super) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.defs.shrink_to_fit();
        self.kinds.shrink_to_fit();
        self.places.shrink_to_fit();
        self.scores.shrink_to_fit();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        4 * (self.entries.capacity() + self.defs.capacity())
            + size_of::<Kinds>() * self.kinds.capacity()
            + 2 * (self.places.capacity() + self.scores.capacity())
    }
}
