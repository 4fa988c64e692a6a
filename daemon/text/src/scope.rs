//! Restricts a search to some lines of each file, those of symbols for example.
//!
//! A line is in or out as a whole, by its number. The search asks the source of the lines (the map, a test)
//! for each file while it runs, so nothing is collected beforehand for files that cannot match anyway.

use std::fmt;
use std::sync::Arc;

use hob_base::{FileId, WsPath};

/// A set of 1-based line numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSet {
    /// First and last line of each range; ascending, neither overlapping nor adjoining.
    stretches: Vec<(u32, u32)>,
}

impl LineSet {
    /// Creates the set of every line.
    #[must_use]
    pub fn every_line() -> Self {
        Self { stretches: vec![(0, u32::MAX)] }
    }

    /// Creates the set of all lines in `stretches` (first and last line, in any order, overlapping or not).
    #[must_use]
    pub fn from_stretches(stretches: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut sorted: Vec<(u32, u32)> =
            stretches.into_iter().filter(|(first, last)| first <= last).collect();
        sorted.sort_unstable();
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for (first, last) in sorted {
            match stretches.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => stretches.push((first, last)),
            }
        }
        Self { stretches }
    }

    /// Returns the lines that are not among `others`.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        let mut left = Vec::new();
        for &(first, last) in &self.stretches {
            let mut from = first;
            for &(gap, end) in others.stretches.iter().filter(|(gap, end)| *gap <= last && *end >= first) {
                left.extend((from < gap).then(|| (from, gap - 1)));
                from = end.saturating_add(1);
            }
            left.extend((from <= last && from != u32::MAX).then_some((from, last)));
        }
        Self { stretches: left }
    }

    /// Returns the lines that are also among `others`.
    #[must_use]
    pub fn within(&self, others: &Self) -> Self {
        self.without(&self.without(others))
    }

    /// Returns true if no line is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Returns true if every line is in the set.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.stretches == [(0, u32::MAX)]
    }

    /// Returns true if this 1-based line is in the set.
    #[must_use]
    pub fn contains(&self, line: u64) -> bool {
        let after = self.stretches.partition_point(|(_, last)| u64::from(*last) < line);
        self.stretches.get(after).is_some_and(|(first, _)| u64::from(*first) <= line)
    }
}

/// Decides which lines of every file count. Several threads call it, once per candidate, between reading
/// files.
#[derive(Clone)]
pub struct LineScope(Arc<LinesOf>);

type LinesOf = dyn Fn(FileId, &WsPath) -> LineSet + Send + Sync;

impl LineScope {
    /// Creates a scope that calls `lines_of`.
    pub fn new(lines_of: impl Fn(FileId, &WsPath) -> LineSet + Send + Sync + 'static) -> Self {
        Self(Arc::new(lines_of))
    }

    /// Returns the lines of a file that count.
    pub(crate) fn lines_of(scope: Option<&Self>, file: FileId, path: &WsPath) -> LineSet {
        scope.map_or_else(LineSet::every_line, |scope| scope.0(file, path))
    }
}

impl fmt::Debug for LineScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members_of(lines: &LineSet) -> Vec<u64> {
        (0..12).filter(|line| lines.contains(*line)).collect()
    }

    #[test]
    fn stretches_join_where_they_overlap_or_adjoin() {
        let lines = LineSet::from_stretches([(7, 8), (1, 2), (3, 3), (2, 2), (9, 8)]);
        assert_eq!(members_of(&lines), [1, 2, 3, 7, 8]);
        assert_eq!(lines, LineSet::from_stretches([(1, 3), (7, 8)]));
        assert!(!lines.is_all() && !lines.is_empty());
    }

    #[test]
    fn lines_can_be_taken_out_of_others() {
        let lines = LineSet::from_stretches([(1, 5), (7, 9)]);
        let others = LineSet::from_stretches([(0, 1), (3, 3), (5, 7)]);
        assert_eq!(members_of(&lines.without(&others)), [2, 4, 8, 9]);
        assert_eq!(members_of(&lines.within(&others)), [1, 3, 5, 7]);
        assert_eq!(LineSet::every_line().within(&others), others);
        assert!(lines.without(&LineSet::every_line()).is_empty());
        assert_eq!(members_of(&LineSet::every_line().without(&lines)), [0, 6, 10, 11]);
        assert_eq!(lines.without(&LineSet::default()), lines);
    }

    #[test]
    fn all_and_none() {
        assert_eq!(members_of(&LineSet::every_line()).len(), 12);
        assert!(LineSet::every_line().contains(u64::MAX >> 32) && LineSet::every_line().is_all());
        assert!(
            LineSet::from_stretches([]).is_empty() && members_of(&LineSet::from_stretches([])).is_empty()
        );
    }
}
