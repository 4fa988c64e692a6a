//! Counts calls per tool, in numbers that any thread may raise.

use std::sync::atomic::{AtomicU64, Ordering};

use hob_proto::tools::TOOLS;
use hob_proto::tools::metrics::{Totals, make_totals};

/// The running counts of one tool.
#[derive(Debug, Default)]
pub(super) struct Count {
    pub(super) calls: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) actual: AtomicU64,
    pub(super) baseline: AtomicU64,
}

/// The counts of one tool at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) actual: u64,
    pub(super) baseline: u64,
}

impl Count {
    pub(super) fn figures(&self) -> Figures {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Figures {
            calls: read(&self.calls),
            failed: read(&self.failed),
            actual: read(&self.actual),
            baseline: read(&self.baseline),
        }
    }

    pub(super) fn set(&self, figures: Figures) {
        self.calls.store(figures.calls, Ordering::Relaxed);
        self.failed.store(figures.failed, Ordering::Relaxed);
        self.actual.store(figures.actual, Ordering::Relaxed);
        self.baseline.store(figures.baseline, Ordering::Relaxed);
    }
}

impl Figures {
    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.actual += other.actual;
        self.baseline += other.baseline;
    }

    /// Converts the figures into their form in reports.
    pub(super) fn to_totals(self) -> Totals {
        make_totals(self.calls, self.failed, self.actual, self.baseline)
    }
}

/// The counts of each tool, in the order of the table.
pub(super) type ToolCounts = Box<[Count]>;

/// Returns counts of zero, one for each tool.
pub(super) fn zero_counts() -> ToolCounts {
    TOOLS.iter().map(|_| Count::default()).collect()
}
