//! Reports the work of ingesting a plan: counts of files, and times.

use std::time::Duration;

/// The counts and times of a plan that was ingested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of files that were examined.
    pub scanned: usize,
    /// Number of files whose contents changed.
    pub changed: usize,
    /// Number of files whose facts were extracted or loaded.
    pub mapped: usize,
    /// Number of files that were gone.
    pub deleted: usize,
    /// Wall time until the text index was up to date.
    pub text_took: Duration,
    /// Wall time in all, without finding out what had changed.
    pub took: Duration,
}
