//! Defines the memory limit that the user gives the daemon.

use std::time::Duration;

/// The memory that the daemon and its servers may use together, and the time for which the daemon does not
/// close recently used workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// The memory limit in bytes.
    pub bytes: u64,
    /// Time for which a used workspace stays open; a twelfth of it when memory is far over the limit.
    pub spare: Duration,
}

impl Default for MemoryBudget {
    /// Returns a quarter of the machine's memory.
    fn default() -> Self {
        Self::of_share(25.0)
    }
}

impl MemoryBudget {
    /// Creates a limit of a percentage of the machine's memory; of 8 GiB if the machine's memory is unknown.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rough share"
    )]
    pub fn of_share(percent: f64) -> Self {
        let all = hob_live::process::machine_memory().unwrap_or(8 << 30);
        let bytes = (all as f64 * percent.clamp(0.0, 100.0) / 100.0) as u64;
        Self { bytes, spare: Duration::from_secs(60) }
    }
}
