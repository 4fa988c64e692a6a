//! Describes one running process in the same words on every system.
//!
//! Ways to find processes are in the files of the systems, and this file knows none of them.

use std::time::Duration;

/// One running process, as the system describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proc {
    /// The number of the process, which the system may give out again.
    pub pid: u32,
    /// The number of the process that started this one, or has taken it over.
    pub parent: u32,
    /// Bytes of memory it occupies.
    pub rss_bytes: u64,
    /// Time it has had on processors.
    pub cpu: Duration,
    /// When it started, in the system's ticks or in seconds: a number alone may be given out again.
    pub(super) started: u64,
}
