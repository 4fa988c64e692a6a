//! Small sets of byte strings: what a part of a regex can be, or must begin or end with.

use super::GramQuery;

/// Most strings of a set that is carried on; crossing two such sets is the largest ever made.
const MAX_STRINGS: usize = 16;
/// Longest string that is carried on; longer ones gain nothing over their trigrams.
const MAX_LEN: usize = 64;

/// Sorted, distinct, none with a `\n`. The empty set means that nothing can match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Strings(Vec<Vec<u8>>);

impl Strings {
    pub(super) fn new(strings: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut strings: Vec<_> = strings.into_iter().filter(|string| !string.contains(&b'\n')).collect();
        strings.sort_unstable();
        strings.dedup();
        Self(strings)
    }

    /// The set of the empty string: says nothing about how something begins or ends.
    pub(super) fn empty_string() -> Self {
        Self(vec![Vec::new()])
    }

    /// Returns true if the set is small enough to be carried on.
    pub(super) fn is_small(&self) -> bool {
        self.0.len() <= MAX_STRINGS && self.0.iter().all(|string| string.len() <= MAX_LEN)
    }

    /// Every string of `self` followed by every one of `other`.
    pub(super) fn concatenate_each(&self, other: &Self) -> Self {
        Self::new(self.0.iter().flat_map(|a| other.0.iter().map(move |b| [&a[..], b].concat())))
    }

    pub(super) fn union_of<'a>(sets: impl Iterator<Item = &'a Self>) -> Self {
        Self::new(sets.flat_map(|set| set.0.iter().cloned()))
    }

    /// The set, or what is left of the strings' beginnings when it must be smaller. Two bytes are what a trigram across
    /// the next border needs.
    pub(super) fn into_heads(self) -> Self {
        self.shrink_by(|string, len| &string[..len.min(string.len())])
    }

    /// The set, or what is left of the strings' ends.
    pub(super) fn into_tails(self) -> Self {
        self.shrink_by(|string, len| &string[string.len().saturating_sub(len)..])
    }

    fn shrink_by(self, cut: fn(&[u8], usize) -> &[u8]) -> Self {
        if self.is_small() {
            return self;
        }
        let cut_to = |len| Self::new(self.0.iter().map(|string| cut(string, len).to_vec()));
        [2, 1].into_iter().map(cut_to).find(Self::is_small).unwrap_or_else(Self::empty_string)
    }

    /// The condition that one of the strings occurs.
    pub(super) fn query(&self) -> GramQuery {
        GramQuery::any_of(self.0.iter().map(|string| GramQuery::from_literal(string)))
    }
}
