//! Sets of numbers as runs: ascending, apart from each other. What lies side by side is taken in, counted and gone through together.

use std::ops::Range;

use rayon::prelude::*;

/// Runs of numbers, ascending and apart.
pub(crate) type Runs = Vec<Range<u32>>;

/// Numbers gone through as one piece of work.
pub(super) const CHUNK: usize = 1 << 12;

/// How many numbers there are in runs.
pub(crate) fn count(runs: &[Range<u32>]) -> usize {
    runs.iter().map(Range::len).sum()
}

/// Adds a run behind others; it is joined with the last if it follows at once.
pub(super) fn add(runs: &mut Runs, run: Range<u32>) {
    match runs.last_mut().filter(|last| last.end == run.start) {
        Some(last) => last.end = run.end,
        None => runs.push(run),
    }
}

/// What is in both.
pub(super) fn both(some: &[Range<u32>], others: impl Iterator<Item = Range<u32>>) -> Runs {
    let mut common = Runs::new();
    let mut at = 0;
    for other in others {
        while some.get(at).is_some_and(|run| run.end <= other.start) {
            at += 1;
        }
        while let Some(run) = some.get(at).filter(|run| run.start < other.end) {
            add(&mut common, run.start.max(other.start)..run.end.min(other.end));
            if run.end > other.end {
                break;
            }
            at += 1;
        }
        if at == some.len() {
            break;
        }
    }
    common
}

/// What is in some runs and not in others.
pub(crate) fn without(some: &[Range<u32>], others: &[Range<u32>]) -> Runs {
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

/// Goes through runs in order, on several threads if they are many, and hands back what each part gave.
pub(crate) fn in_parts<T: Send>(
    runs: &[Range<u32>],
    each: impl Fn(&[Range<u32>]) -> T + Send + Sync,
) -> Vec<T> {
    if count(runs) <= CHUNK {
        return vec![each(runs)];
    }
    let pieces: Runs = runs.iter().flat_map(|run| pieces(run.clone())).collect();
    pieces.par_chunks(CHUNK / 4).map(each).collect()
}

/// A run in pieces that several threads can share.
fn pieces(run: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let end = run.end;
    run.step_by(CHUNK).map(move |start| start..end.min(start + CHUNK as u32))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn runs(numbers: &BTreeSet<u32>) -> Runs {
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
            let (left, right) = (runs(&some), runs(&others));
            prop_assert_eq!(count(&left), some.len());
            prop_assert_eq!(both(&left, right.iter().cloned()), runs(&(&some & &others)));
            prop_assert_eq!(without(&left, &right), runs(&(&some - &others)));
        }
    }

    #[test]
    fn parts_are_in_order_and_miss_nothing() {
        let runs: Runs = vec![1..3, 10..40_000, 50_000..50_001];
        let parts = in_parts(&runs, |part| part.iter().flat_map(Clone::clone).collect::<Vec<u32>>());
        let expected: Vec<u32> = runs.into_iter().flatten().collect();
        assert_eq!(parts.concat(), expected);
    }
}
