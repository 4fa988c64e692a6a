//! Represents sets of numbers as runs, ascending and apart from each other, so that neighbours are added, counted and
//! visited together.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

/// Runs of numbers, ascending and apart.
pub(crate) type Runs = Vec<Range<u32>>;

/// Most numbers that one thread processes faster than several do.
pub(super) const FEW: usize = 1 << 14;
/// Most numbers in one run that is shared out between threads.
const PIECE: usize = 1 << 12;
/// The number of parts into which many numbers are split.
const PARTS: usize = 16;

/// Counts the numbers in all runs.
pub(crate) fn count(runs: &[Range<u32>]) -> usize {
    runs.iter().map(Range::len).sum()
}

/// Appends a run, joined with the last one if it follows immediately.
pub(super) fn add(runs: &mut Runs, run: Range<u32>) {
    match runs.last_mut().filter(|last| last.end == run.start) {
        Some(last) => last.end = run.end,
        None => runs.push(run),
    }
}

/// The intersection of two sets of runs; the second set is passed run by run.
pub(super) struct RunIntersection<'r> {
    /// The runs of the first set that do not end before the last run of the second.
    left: &'r [Range<u32>],
    pub(super) common: Runs,
}

impl<'r> RunIntersection<'r> {
    pub(super) fn new(runs: &'r [Range<u32>]) -> Self {
        Self { left: runs, common: Runs::new() }
    }

    /// Intersects with the next run of the second set. Returns false if no further one can have anything in common.
    pub(super) fn intersect_next(&mut self, other: Range<u32>) -> bool {
        while let Some((run, rest)) = self.left.split_first() {
            if run.start >= other.end {
                return true;
            }
            if run.end > other.start {
                add(&mut self.common, run.start.max(other.start)..run.end.min(other.end));
            }
            if run.end > other.end {
                return true;
            }
            self.left = rest;
        }
        false
    }
}

/// Returns the numbers that are in some runs and not in others.
pub(crate) fn subtract_runs(some: &[Range<u32>], others: &[Range<u32>]) -> Runs {
    let mut left = Runs::new();
    let mut at = 0;
    for run in some {
        let mut start = run.start;
        while let Some(other) = others.get(at).filter(|other| other.start < run.end) {
            if start < other.start {
                left.push(start..other.start);
            }
            start = start.max(other.end);
            if other.end > run.end {
                break;
            }
            at += 1;
        }
        if start < run.end {
            left.push(start..run.end);
        }
    }
    left
}

/// Processes runs in order, on several threads if they are many, and returns the result of each part.
pub(crate) fn in_parts<T: Send>(
    runs: &[Range<u32>],
    each: impl Fn(&[Range<u32>]) -> T + Send + Sync,
) -> Vec<T> {
    let all = count(runs);
    if all <= FEW {
        return vec![each(runs)];
    }
    let is_long = |run: &Range<u32>| run.len() > PIECE;
    let runs: Cow<'_, [Range<u32>]> = match runs.iter().any(is_long) {
        true => runs.iter().flat_map(|run| pieces_of_run(run.clone())).collect(),
        false => runs.into(),
    };
    let parts: Vec<&[Range<u32>]> = divide_runs(&runs, all / PARTS).collect();
    parts.into_par_iter().map(each).collect()
}

/// Splits a run into pieces that threads can share.
fn pieces_of_run(run: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let end = run.end;
    run.step_by(PIECE).map(move |start| start..end.min(start + PIECE as u32))
}

/// Splits runs into parts of at least `numbers` numbers, at most one run more.
pub(super) fn divide_runs(runs: &[Range<u32>], numbers: usize) -> impl Iterator<Item = &[Range<u32>]> {
    let mut rest = runs;
    std::iter::from_fn(move || {
        let mut taken = 0;
        let enough = |run: &Range<u32>| {
            taken += run.len();
            taken >= numbers
        };
        let length = rest.iter().position(enough).map_or(rest.len(), |last| last + 1);
        let (part, left) = rest.split_at(length);
        rest = left;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Returns the runs of a set of numbers.
    pub(in crate::index) fn runs_of(numbers: &BTreeSet<u32>) -> Runs {
        let mut runs = Runs::new();
        numbers.iter().for_each(|&number| add(&mut runs, number..number + 1));
        runs
    }

    proptest! {
        #[test]
        fn runs_behave_like_sets(
            some in prop::collection::btree_set(0u32..60, 0..40),
            others in prop::collection::btree_set(0u32..60, 0..40),
        ) {
            let (left, right) = (runs_of(&some), runs_of(&others));
            prop_assert_eq!(count(&left), some.len());
            let mut both = RunIntersection::new(&left);
            right.iter().all(|run| both.intersect_next(run.clone()));
            prop_assert_eq!(both.common, runs_of(&(&some & &others)));
            prop_assert_eq!(subtract_runs(&left, &right), runs_of(&(&some - &others)));
        }
    }

    #[test]
    fn parts_are_in_order_and_miss_nothing() {
        let scattered = (100_000..160_000).map(|at| 2 * at..2 * at + 1);
        for runs in [vec![1..3, 10..40_000, 50_000..50_001], scattered.collect(), Runs::new()] {
            let parts = in_parts(&runs, |part| part.iter().flat_map(Clone::clone).collect::<Vec<u32>>());
            let expected: Vec<u32> = runs.into_iter().flatten().collect();
            assert_eq!(parts.concat(), expected);
        }
    }
}
