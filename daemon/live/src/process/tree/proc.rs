//! Describes one running process in the same way on every system.
//!
//! The files of the systems find processes; this file knows none of them.

use std::time::Duration;

/// One running process, as the system describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proc {
    /// The number of the process, which the system may use again.
    pub pid: u32,
    /// The number of the process that started this one, or has taken it over.
    pub parent: u32,
    /// Bytes of memory that the process occupies.
    pub rss_bytes: u64,
    /// Processor time so far.
    pub cpu: Duration,
    /// The time of its start, in the system's ticks or in seconds: the system may use a number again.
    pub(super) started: u64,
}
