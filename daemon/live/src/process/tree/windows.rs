//! Ends processes on Windows, where a job (`process/windows.rs`) has done it already and this is for what escaped it.
//! Read, never run: see `docs/platforms.md`.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

pub(super) fn kill_one(pid: u32) {
    let pid = Pid::from_u32(pid);
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, ProcessRefreshKind::nothing());
    if let Some(process) = system.process(pid) {
        let _ = process.kill();
    }
}

/// There are no groups; jobs end with whoever leads them.
pub(crate) fn kill_group(_leader: u32) {}
