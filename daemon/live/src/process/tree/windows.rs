//! Ends processes on Windows that escaped their job: the job (`process/windows.rs`) has already ended all others. Read,
//! never run: see `docs/platforms.md`.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

pub(super) fn kill_one(pid: u32) {
    let pid = Pid::from_u32(pid);
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, ProcessRefreshKind::nothing());
    if let Some(process) = system.process(pid) {
        let _ = process.kill();
    }
}

/// Does nothing: Windows has no groups, and jobs end with their leader.
pub(crate) fn kill_group(_leader: u32) {}
