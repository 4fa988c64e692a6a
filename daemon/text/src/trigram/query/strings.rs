//! Implements small sets of byte strings: the strings that a part of a regex can be, or must begin or end
//! with.

use super::GramQuery;

/// Most strings of a set that is kept; the product of two such sets is the largest set ever made.
const MAX_STRINGS: usize = 16;
/// Length of the longest string that is kept; longer ones gain nothing over their trigrams.
const MAX_LEN: usize = 64;

/// A set of strings, sorted, distinct, none with a `\n`. The empty set means that nothing can match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Strings(Vec<Vec<u8>>);

impl Strings {
    pub(super) fn new(strings: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut strings: Vec<_> = strings.into_iter().filter(|string| !string.contains(&b'\n')).collect();
        strings.sort_unstable();
        strings.dedup();
        Self(strings)
    }

    /// Returns the set of the empty string, which gives no condition on a beginning or an end.
    pub(super) fn empty_string() -> Self {
        Self(vec![Vec::new()])
    }

    /// Returns true if the set is small enough to be kept.
    pub(super) fn is_small(&self) -> bool {
        self.0.len() <= MAX_STRINGS && self.0.iter().all(|string| string.len() <= MAX_LEN)
    }

    /// Returns every string of `self` followed by every one of `other`.
    pub(super) fn concatenate_each(&self, other: &Self) -> Self {
        Self::new(self.0.iter().flat_map(|a| other.0.iter().map(move |b| [&a[..], b].concat())))
    }

    pub(super) fn union_of<'a>(sets: impl Iterator<Item = &'a Self>) -> Self {
        Self::new(sets.flat_map(|set| set.0.iter().cloned()))
    }

    /// Returns the set, or if it must be smaller, the set of the strings' beginnings. A trigram across the
    /// next border needs two bytes.
    pub(super) fn into_heads(self) -> Self {
        self.shrink_by(|string, len| &string[..len.min(string.len())])
    }

    /// Returns the set, or if it must be smaller, the set of the strings' ends.
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

    /// Returns the condition that one of the strings occurs.
    pub(super) fn query(&self) -> GramQuery {
        GramQuery::any_of(self.0.iter().map(|string| GramQuery::from_literal(string)))
    }
}
