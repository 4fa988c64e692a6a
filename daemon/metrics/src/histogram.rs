//! Counts the durations of calls in buckets that grow with the value: fixed memory, an error of an eighth at most.
//!
//! The buckets are those of HDR histograms (Gil Tene): exact below eight, then eight to each doubling. hob does not use
//! the crate of that name, because calls count from many threads, and an array of atomic numbers needs no lock, unlike
//! that crate's histogram; and only the two functions between a value and its bucket are left to write.

use std::sync::atomic::{AtomicU64, Ordering};

/// Number of buckets for each doubling, as a power of two.
const FINE: u32 = 3;
const STEPS: u64 = 1 << FINE;

/// Value in microseconds from which all count in the last bucket (more than an hour, the longest that a call may run).
const LARGEST: u64 = (1 << 33) - 1;

/// Number of buckets of a histogram.
pub(super) const BUCKETS: usize = bucket_of(LARGEST) + 1;

/// Returns the bucket of a value.
const fn bucket_of(value: u64) -> usize {
    let value = if value > LARGEST { LARGEST } else { value };
    if value < STEPS {
        return value as usize;
    }
    let doublings = value.ilog2() - FINE;
    let step = (value >> doublings) - STEPS;
    (STEPS * (doublings as u64 + 1) + step) as usize
}

/// Returns the largest value of a bucket.
pub(super) const fn upper_bound(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let (doublings, step) = (bucket / STEPS - 1, bucket % STEPS);
    ((STEPS + step + 1) << doublings) - 1
}

/// Counts of values, in microseconds.
#[derive(Debug)]
pub(super) struct Histogram {
    counts: Box<[AtomicU64]>,
    max: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(), max: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Counts one value, in microseconds.
    pub(super) fn count(&self, micros: u64) {
        self.counts[bucket_of(micros)].fetch_add(1, Ordering::Relaxed);
        self.max.fetch_max(micros, Ordering::Relaxed);
    }

    /// Returns the present counts.
    pub(super) fn current_counts(&self) -> HistogramCounts {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        HistogramCounts { counts, max: self.max.load(Ordering::Relaxed) }
    }

    /// Replaces the counts by earlier ones.
    pub(super) fn set(&self, shot: &HistogramCounts) {
        for (count, before) in self.counts.iter().zip(shot.counts.iter().chain(std::iter::repeat(&0))) {
            count.store(*before, Ordering::Relaxed);
        }
        self.max.store(shot.max, Ordering::Relaxed);
    }
}

/// The counts at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HistogramCounts {
    /// Number of values in each bucket.
    pub(super) counts: Vec<u64>,
    /// The largest value, exactly.
    pub(super) max: u64,
}

impl HistogramCounts {
    /// Adds the counts of another histogram.
    pub(super) fn add(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.max = self.max.max(other.max);
    }

    /// Returns the value that `share` (0 to 1) of all values do not exceed, by its bucket; 0 without values.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of calls"
    )]
    pub(super) fn quantile(&self, share: f64) -> u64 {
        let all: u64 = self.counts.iter().sum();
        let wanted = ((all as f64 * share).ceil() as u64).max(1);
        let mut passed = 0;
        let reaches = |count: &u64| {
            passed += count;
            passed >= wanted
        };
        self.counts.iter().position(reaches).map_or(0, |at| upper_bound(at).min(self.max))
    }

    /// Returns the number of values up to each power of two, for people, without the empty ones at both ends.
    pub(super) fn counts_by_doubling(&self) -> Vec<(u64, u64)> {
        let mut all: Vec<(u64, u64)> = Vec::new();
        for (at, count) in self.counts.iter().enumerate() {
            let up_to = (upper_bound(at) + 1).next_power_of_two();
            match all.last_mut() {
                Some(last) if last.0 == up_to => last.1 += count,
                _ => all.push((up_to, *count)),
            }
        }
        let first = all.iter().position(|(_, count)| *count > 0).unwrap_or(all.len());
        let end = all.iter().rposition(|(_, count)| *count > 0).map_or(first, |last| last + 1);
        all[first..end].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket_and_a_bucket_is_narrow() {
        assert!(
            (0..BUCKETS).all(|at| bucket_of(upper_bound(at)) == at),
            "the upper end of a bucket is in it"
        );
        for value in (0..4_000).chain([9_999, 1 << 20, (1 << 32) + 5, LARGEST]) {
            let at = bucket_of(value);
            assert!(value <= upper_bound(at) && (at == 0 || value > upper_bound(at - 1)), "{value}");
            assert!(upper_bound(at) - value <= value / 8, "{value}: {}", upper_bound(at));
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_those_of_the_values() {
        let histogram = Histogram::default();
        (1..=1_000).for_each(|value| histogram.count(value));
        let shot = histogram.current_counts();
        for (share, exact) in [(0.5, 500), (0.9, 900), (0.99, 990)] {
            let told = shot.quantile(share);
            assert!(told >= exact && told <= exact + exact / 8, "{share}: {told}");
        }
        assert_eq!((shot.quantile(1.0), shot.max), (1_000, 1_000));
        assert_eq!(HistogramCounts::default().quantile(0.5), 0);
        let mut twice = shot.clone();
        twice.add(&shot);
        assert_eq!(twice.quantile(0.5), shot.quantile(0.5));
        assert_eq!(twice.counts_by_doubling().iter().map(|(_, count)| count).sum::<u64>(), 2_000);
        assert_eq!(shot.counts_by_doubling().last().map(|(up_to, _)| *up_to), Some(1_024));
    }
}
