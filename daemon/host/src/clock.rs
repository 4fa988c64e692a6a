//! Converts times into the numbers that records in the store have.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seconds since 1970; 0 for a time before.
pub(super) fn unix_seconds_of(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
