//! The memory that the user gives the daemon.

use std::time::Duration;

/// The memory that the daemon and its servers may take together, and the time for which it spares what was used
/// lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Size of the budget in bytes.
    pub bytes: u64,
    /// A workspace used within this time is not put out, but far over the budget, where it is a twelfth of this.
    pub spare: Duration,
}

impl Default for MemoryBudget {
    /// A quarter of the machine's memory.
    fn default() -> Self {
        Self::of_share(25.0)
    }
}

impl MemoryBudget {
    /// So many per cent of the machine's memory; of 8 GiB where that cannot be found out.
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
