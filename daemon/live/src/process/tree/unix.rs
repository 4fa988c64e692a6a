//! Ends processes on Unix, by signals.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

pub(super) fn kill_one(pid: u32) {
    if let Some(pid) = pid_from_number(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Ends every process of a group.
pub(crate) fn kill_group(leader: u32) {
    if let Some(pid) = pid_from_number(leader) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn pid_from_number(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
