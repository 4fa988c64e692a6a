//! Lists a process and everything that it started, as the system shows them now.
//!
//! Linux shows processes in `/proc` (`linux.rs`). On other systems the `sysinfo` crate asks (`portable.rs`), which
//! Linux compiles for its tests. `unix.rs` and `windows.rs` end processes.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
mod proc;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux::{all, look, memory};
#[cfg(not(target_os = "linux"))]
use portable::{all, look, memory};
#[cfg(unix)]
pub(super) use unix::kill_group;
#[cfg(unix)]
use unix::kill_one;
#[cfg(windows)]
pub(super) use windows::kill_group;
#[cfg(windows)]
use windows::kill_one;

pub use proc::Proc;

impl Proc {
    /// Ends the process, if it is still the same one.
    pub(super) fn kill(&self) {
        if look(self.pid).is_some_and(|now| now.started == self.started) {
            kill_one(self.pid);
        }
    }
}

/// Returns `root` and everything below it. A process that has left the tree (its parents ended and another process took
/// it over) is not in the list any more.
#[must_use]
pub fn processes_below(root: u32) -> Vec<Proc> {
    // Windows gives orphans to no other process: the next process with their parent's number looks like their parent.
    tree_below(&all(), root, cfg!(windows))
}

/// Returns the machine's memory in bytes; `None` where the system does not tell.
#[must_use]
pub fn machine_memory() -> Option<u64> {
    memory()
}

/// Returns the bytes that the system counts as this process's memory (resident, mapped files included); `None` where
/// the system does not say.
#[must_use]
pub fn own_memory() -> Option<u64> {
    look(std::process::id()).map(|own| own.rss_bytes).filter(|bytes| *bytes > 0)
}

/// Returns the processes of `all` at and below `root`; with `strictly` none that is older than its parent.
fn tree_below(all: &[Proc], root: u32, strictly: bool) -> Vec<Proc> {
    let mut found: Vec<Proc> = all.iter().filter(|process| process.pid == root).copied().collect();
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let is_child = |process: &&Proc| {
            process.parent == parent.pid
                && process.pid != root
                && !(strictly && (process.started < parent.started || process.pid == parent.pid))
        };
        found.extend(all.iter().filter(is_child));
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::*;

    fn process_of(pid: u32, parent: u32, started: u64) -> Proc {
        Proc { pid, parent, rss_bytes: 0, cpu: Duration::ZERO, started }
    }

    #[test]
    fn a_tree_is_all_that_is_below_and_where_wanted_nothing_older() {
        let all = [
            process_of(1, 0, 1),
            process_of(5, 1, 5),
            process_of(6, 5, 6),
            process_of(7, 5, 2),
            process_of(8, 1, 8),
        ];
        let pids =
            |strictly| tree_below(&all, 5, strictly).iter().map(|process| process.pid).collect::<Vec<_>>();
        assert_eq!(pids(false), [5, 6, 7]);
        assert_eq!(pids(true), [5, 6]);
        assert_eq!(tree_below(&[process_of(4, 4, 1)], 4, true).len(), 1);
        assert!(tree_below(&all, 9, false).is_empty());
    }

    /// Checks that the calls of other systems return the same processes as `/proc`, for processes that stand still.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_portable_way_finds_the_same_processes() {
        let script = "sleep 1000 & sleep 1000 & echo ready; wait";
        let mut shell = Command::new("/bin/sh")
            .args(["-c", script])
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let mut ready = [0; 6];
        let output = shell.stdout.as_mut().expect("a pipe");
        std::io::Read::read_exact(output, &mut ready).expect("it says so");
        let (own, root) = (std::process::id(), shell.id());
        let seen = |all: &[Proc]| {
            let mut seen: Vec<_> =
                tree_below(all, root, true).iter().map(|one| (one.pid, one.parent)).collect();
            seen.sort_unstable();
            seen
        };
        let (ours, portable) = (linux::all(), portable::all());
        assert_eq!(seen(&portable), seen(&ours));
        assert_eq!(seen(&portable).len(), 3);
        assert!(portable::look(own).is_some_and(|found| found.rss_bytes > 0 && found.started > 0));
        for process in tree_below(&portable, root, true) {
            kill_one(process.pid);
        }
        let _ = shell.wait();
        assert_eq!(portable::look(root), None);
        assert_eq!(portable::memory(), machine_memory());
        assert!(machine_memory().is_some_and(|bytes| bytes > 1 << 20));
    }
}
