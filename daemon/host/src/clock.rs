//! Writes moments as numbers, in the form in which records in the store have them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970; 0 before.
pub(super) fn unix_seconds_of(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
