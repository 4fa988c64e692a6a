//! One memory budget for all workspaces and language servers: over it, the least recently used go first.
//!
//! Looked at when a call opens or uses a workspace, at most once a second, so that an idle daemon does nothing. A workspace that
//! works or was used a moment ago stays, whatever the budget says: an answer that is being worked on comes first. What
//! leaves is saved before, and comes back warm.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::AbsPath;
use hob_live::pool::InstanceKey;

use super::workspace::Workspace;

/// How often the budget is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// The same while language servers run: finding out what they take means looking at every process.
const EVERY_WITH_SERVERS: Duration = Duration::from_secs(10);

/// What the parts of all workspaces may take together, and whom to spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Bytes.
    pub bytes: u64,
    /// A workspace used within this time is never put out.
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
    pub(super) fn is_due(&mut self, with_servers: bool) -> bool {
        let now = Instant::now();
        let every = if with_servers { EVERY_WITH_SERVERS } else { EVERY };
        let due = self.last.is_none_or(|last| now - last >= every);
        if due {
            self.last = Some(now);
        }
        due
    }
}

/// Something that can leave memory and come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// A workspace, by its root.
    Workspace(AbsPath),
    /// A language server.
    Server(InstanceKey),
}

/// One thing that takes memory.
struct Cost {
    what: Leaving,
    bytes: u64,
    used: Option<Instant>,
    busy: bool,
}

/// Which workspaces and servers have to go so that the others fit, least recently used first.
pub(super) fn superfluous<'o>(
    open: impl Iterator<Item = (&'o AbsPath, &'o Open)>,
    servers: Vec<(InstanceKey, u64, Option<Instant>)>,
    budget: MemoryBudget,
) -> Vec<Leaving> {
    let workspaces = open.map(|(root, open)| Cost {
        what: Leaving::Workspace(root.clone()),
        bytes: open.workspace.heap_bytes(),
        used: Some(open.used),
        busy: open.workspace.busy(),
    });
    let servers = servers.into_iter();
    let servers =
        servers.map(|(key, bytes, used)| Cost { what: Leaving::Server(key), bytes, used, busy: false });
    choose(workspaces.chain(servers).collect(), budget)
}

fn choose(mut all: Vec<Cost>, budget: MemoryBudget) -> Vec<Leaving> {
    all.sort_by_key(|cost| cost.used);
    let mut total: u64 = all.iter().map(|cost| cost.bytes).sum();
    let mut out = Vec::new();
    // The one used last always stays.
    let candidates = all.len().saturating_sub(1);
    for Cost { what, bytes, used, busy } in all.into_iter().take(candidates) {
        if total <= budget.bytes {
            break;
        }
        if !busy && used.is_none_or(|used| used.elapsed() >= budget.spare) {
            total -= bytes;
            out.push(what);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(name: &str, bytes: u64, ago: u64, busy: bool) -> Cost {
        let used = Instant::now().checked_sub(Duration::from_secs(ago));
        let root = AbsPath::new(format!("/{name}")).expect("absolute");
        Cost { what: Leaving::Workspace(root), bytes, used, busy }
    }

    fn names(leaving: Vec<Leaving>) -> Vec<String> {
        let name = |leaving| match leaving {
            Leaving::Workspace(root) => root.to_string(),
            Leaving::Server(key) => key.server.to_owned(),
        };
        leaving.into_iter().map(name).collect()
    }

    #[test]
    fn those_used_longest_ago_go_until_the_rest_fits() {
        let budget = MemoryBudget { bytes: 100, spare: Duration::from_secs(60) };
        let all =
            || vec![cost("new", 60, 1, false), cost("old", 50, 900, false), cost("older", 40, 999, false)];
        assert_eq!(names(choose(all(), budget)), ["/older", "/old"]);
        assert_eq!(names(choose(all(), MemoryBudget { bytes: 110, ..budget })), ["/older"]);
        assert!(choose(all(), MemoryBudget { bytes: 150, ..budget }).is_empty());
        let spared = vec![cost("a", 500, 5, false), cost("b", 500, 900, true), cost("c", 500, 0, false)];
        assert!(choose(spared, budget).is_empty(), "used a moment ago, at work, used last");
    }
}
