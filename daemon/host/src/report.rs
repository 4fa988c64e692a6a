//! Reports what taking in a plan has done: counts of files, and times.

use std::time::Duration;

/// The counts and times of a plan that was ingested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that were looked at.
    pub scanned: usize,
    /// Files whose contents changed.
    pub changed: usize,
    /// Files whose facts were extracted or loaded.
    pub mapped: usize,
    /// Files that were gone.
    pub deleted: usize,
    /// Wall time until the text index was up to date.
    pub text_took: Duration,
    /// Wall time in all, without finding out what had changed.
    pub took: Duration,
}
