//! Keeps all workspaces and language servers within one memory limit: over it, the least recently used leave first.
//!
//! The limit is compared with what the system counts: the daemon's resident memory, which is more than workspaces know
//! of themselves (the allocator's reserves, mapped files, threads), and that of the servers.
//!
//! The comparison happens when a call opens or uses a workspace, at most once a second, and again every few seconds
//! while memory is over the limit and something could still leave, so that an idle daemon does nothing. A workspace
//! that works or was used a moment ago stays in any case, because its answer comes first. A workspace is saved before
//! it leaves, and is restored with the next call.

use std::time::{Duration, Instant};

use hob_base::AbsPath;
use hob_live::pool::InstanceKey;

use super::open_workspaces::UsedWorkspace;
use hob_settings::MemoryBudget;

/// Shortest interval between two comparisons of the memory in use with the limit.
const EVERY: Duration = Duration::from_secs(1);

/// Shortest interval while language servers run: finding out their memory means looking at every process.
const EVERY_WITH_SERVERS: Duration = Duration::from_secs(10);

/// Time until the next comparison while memory is over the limit, even if nobody calls.
pub(super) const AGAIN: Duration = Duration::from_secs(3);

/// The part of the limit by which memory has to exceed it for little to be spared.
const FAR_OVER: u64 = 4;

/// Divisor of the sparing time where memory is far over the limit.
const SPARED_LITTLE: u32 = 12;

/// The state of the comparisons with the limit.
#[derive(Debug, Default)]
pub(super) struct Watch {
    last: Option<Instant>,
    /// True if memory was over the limit, and something may leave later.
    is_over: bool,
    /// True if a thread waits to compare again.
    is_waited: bool,
}

impl Watch {
    /// Returns true if it is time to compare again, and notes the time.
    pub(super) fn is_due(&mut self, with_servers: bool) -> bool {
        let now = Instant::now();
        let every = if with_servers { EVERY_WITH_SERVERS } else { EVERY };
        let due = self.last.is_none_or(|last| now - last >= every);
        if due {
            self.last = Some(now);
        }
        due
    }

    /// Records the outcome of a comparison.
    pub(super) fn record_look(&mut self, is_over: bool) {
        self.is_over = is_over;
    }

    /// Returns true if the caller has to start a thread that compares again: memory is over the limit, and no thread
    /// waits yet.
    pub(super) fn begin_waiting(&mut self) -> bool {
        let begins = self.is_over && !self.is_waited;
        self.is_waited |= begins;
        begins
    }

    /// Returns true if the waiting thread has to go on.
    pub(super) fn goes_on(&mut self) -> bool {
        self.is_waited = self.is_over;
        self.is_waited
    }
}

/// Something that can leave memory and come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// A workspace, by its root.
    Workspace(AbsPath),
    /// A language server, by its key.
    Server(InstanceKey),
}

/// A workspace or server with the memory that it takes.
struct Cost {
    what: Leaving,
    bytes: u64,
    used: Option<Instant>,
    busy: bool,
    /// True for the source of a package.
    is_package: bool,
}

/// The outcome of one comparison.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EvictionDecision {
    /// The workspaces and servers that have to go so that the rest fits, least recently used first.
    pub(super) leaving: Vec<Leaving>,
    /// True if memory stays over the limit, and something that is in use now could leave later.
    pub(super) is_over: bool,
}

/// Returns the workspaces and servers that have to go. `resident` is the memory that the system counts for this
/// process, if it does.
pub(super) fn find_superfluous<'o>(
    open: impl Iterator<Item = (&'o AbsPath, &'o UsedWorkspace)>,
    servers: Vec<(InstanceKey, u64, Option<Instant>)>,
    resident: Option<u64>,
    budget: MemoryBudget,
) -> EvictionDecision {
    let workspaces = open.map(|(root, open)| Cost {
        what: Leaving::Workspace(root.clone()),
        bytes: open.workspace.heap_bytes(),
        used: Some(open.used),
        busy: open.workspace.is_busy(),
        is_package: open.is_package,
    });
    let servers = servers.into_iter();
    let servers = servers.map(|(key, bytes, used)| Cost {
        what: Leaving::Server(key),
        bytes,
        used,
        busy: false,
        is_package: false,
    });
    choose_leaving(
        spread_resident(workspaces.collect(), resident).into_iter().chain(servers).collect(),
        budget,
    )
}

/// Distributes the resident memory of the process over the workspaces, in proportion to what each knows of itself.
fn spread_resident(mut workspaces: Vec<Cost>, resident: Option<u64>) -> Vec<Cost> {
    let known: u64 = workspaces.iter().map(|cost| cost.bytes).sum::<u64>().max(1);
    let resident = resident.unwrap_or(known).max(known);
    for cost in &mut workspaces {
        let part = u128::from(cost.bytes.max(1)) * u128::from(resident) / u128::from(known);
        cost.bytes = u64::try_from(part).unwrap_or(u64::MAX);
    }
    workspaces
}

fn choose_leaving(mut all: Vec<Cost>, budget: MemoryBudget) -> EvictionDecision {
    all.sort_by_key(|cost| (!cost.is_package, cost.used));
    let mut total: u64 = all.iter().map(|cost| cost.bytes).sum();
    let is_far_over = total > budget.bytes.saturating_add(budget.bytes / FAR_OVER);
    let spare = if is_far_over { budget.spare / SPARED_LITTLE } else { budget.spare };
    let mut judged = EvictionDecision::default();
    // The one used last always stays.
    let candidates = all.len().saturating_sub(1);
    for Cost { what, bytes, used, busy, .. } in all.into_iter().take(candidates) {
        if total <= budget.bytes {
            judged.is_over = false;
            break;
        }
        if !busy && used.is_none_or(|used| used.elapsed() >= spare) {
            total -= bytes;
            judged.leaving.push(what);
        } else {
            judged.is_over = true;
        }
    }
    judged.is_over &= total > budget.bytes;
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost_of(name: &str, bytes: u64, ago: u64, busy: bool) -> Cost {
        let used = Instant::now().checked_sub(Duration::from_secs(ago));
        let root = AbsPath::new(format!("/{name}")).expect("absolute");
        Cost { what: Leaving::Workspace(root), bytes, used, busy, is_package: false }
    }

    fn leaving_names(EvictionDecision { leaving, .. }: EvictionDecision) -> Vec<String> {
        let name = |leaving| match leaving {
            Leaving::Workspace(root) => root.to_string(),
            Leaving::Server(key) => key.server.to_owned(),
        };
        leaving.into_iter().map(name).collect()
    }

    #[test]
    fn those_used_longest_ago_go_until_the_rest_fits() {
        let budget = MemoryBudget { bytes: 100, spare: Duration::from_secs(60) };
        let all = || {
            vec![
                cost_of("new", 60, 1, false),
                cost_of("old", 50, 900, false),
                cost_of("older", 40, 999, false),
            ]
        };
        assert_eq!(leaving_names(choose_leaving(all(), budget)), ["/older", "/old"]);
        assert_eq!(leaving_names(choose_leaving(all(), MemoryBudget { bytes: 110, ..budget })), ["/older"]);
        assert_eq!(choose_leaving(all(), MemoryBudget { bytes: 150, ..budget }), EvictionDecision::default());
        let spared =
            vec![cost_of("a", 500, 1, false), cost_of("b", 500, 900, true), cost_of("c", 500, 0, false)];
        let judged = choose_leaving(spared, budget);
        assert!(judged.leaving.is_empty() && judged.is_over, "used a moment ago, at work, used last");
    }

    #[test]
    fn sources_of_packages_go_first() {
        let budget = MemoryBudget { bytes: 100, spare: Duration::from_secs(60) };
        let package = Cost { is_package: true, ..cost_of("package", 60, 100, false) };
        let all = vec![cost_of("old", 50, 900, false), package, cost_of("new", 40, 0, false)];
        assert_eq!(leaving_names(choose_leaving(all, budget)), ["/package"]);
    }

    #[test]
    fn little_is_spared_far_over_the_budget() {
        let budget = MemoryBudget { bytes: 100, spare: Duration::from_secs(60) };
        let all = |bytes| vec![cost_of("a", bytes, 30, false), cost_of("b", 60, 0, false)];
        assert!(choose_leaving(all(50), budget).is_over);
        assert_eq!(leaving_names(choose_leaving(all(80), budget)), ["/a"]);
    }

    #[test]
    fn what_the_system_counts_is_what_counts() {
        let budget = MemoryBudget { bytes: 200, spare: Duration::from_secs(60) };
        let all = || (1..=4).map(|n| cost_of(&n.to_string(), 10, n * 100, false)).collect::<Vec<_>>();
        assert_eq!(choose_leaving(all(), budget), EvictionDecision::default());
        assert_eq!(leaving_names(choose_leaving(spread_resident(all(), Some(400)), budget)), ["/4", "/3"]);
        assert_eq!(choose_leaving(spread_resident(all(), None), budget), EvictionDecision::default());
        assert!(
            !choose_leaving(spread_resident(vec![cost_of("one", 10, 0, false)], Some(900)), budget).is_over,
            "nothing could go"
        );
    }
}
