//! One memory budget for all workspaces: over it, the least recently used go first.
//!
//! Looked at when a call opens or uses a workspace, at most once a second, so that an idle daemon does nothing. A workspace that
//! works or was used a moment ago stays, whatever the budget says: an answer that is being worked on comes first. What
//! leaves is saved before, and comes back warm.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::AbsPath;

use super::workspace::Workspace;

/// How often the budget is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// What the parts of all workspaces may take together, and whom to spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Bytes.
    pub bytes: u64,
    /// A workspace used within this time is never put out.
    pub spare: Duration,
}

impl Default for MemoryBudget {
    /// A quarter of the machine's memory; 2 GiB where that cannot be found out.
    fn default() -> Self {
        Self { bytes: machine_memory().map_or(2 << 30, |all| all / 4), spare: Duration::from_secs(60) }
    }
}

fn machine_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let info = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kib * 1024)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// An open workspace and when a call last used it.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) workspace: Arc<Workspace>,
    pub(super) used: Instant,
}

/// When the budget was last looked at.
#[derive(Debug, Default)]
pub(super) struct Watch {
    last: Option<Instant>,
}

impl Watch {
    /// Whether it is time to look again.
    pub(super) fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now - last >= EVERY);
        if due {
            self.last = Some(now);
        }
        due
    }
}

/// Which of `open` have to go so that the others fit, least recently used first.
pub(super) fn superfluous<'o>(
    open: impl Iterator<Item = (&'o AbsPath, &'o Open)>,
    budget: MemoryBudget,
) -> Vec<AbsPath> {
    let mut all: Vec<(&AbsPath, &Open, u64)> =
        open.map(|(root, open)| (root, open, open.workspace.heap_bytes())).collect();
    all.sort_by_key(|(_, open, _)| open.used);
    let mut total: u64 = all.iter().map(|(_, _, bytes)| bytes).sum();
    let mut out = Vec::new();
    // The one used last always stays.
    let candidates = all.len().saturating_sub(1);
    for (root, open, bytes) in all.into_iter().take(candidates) {
        if total <= budget.bytes {
            break;
        }
        if open.used.elapsed() >= budget.spare && !open.workspace.busy() {
            total -= bytes;
            out.push(root.clone());
        }
    }
    out
}
