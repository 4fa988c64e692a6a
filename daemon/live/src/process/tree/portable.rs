//! Lists processes by the `sysinfo` crate. Where there is no `/proc`, only calls of the system's own library show
//! processes, and none of those is safe to make by hand. Run on Linux only (by a test, against `linux.rs`): see
//! `docs/platforms.md`.

use std::time::Duration;

use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System};

use super::proc::Proc;

pub(super) fn all() -> Vec<Proc> {
    let system = asked(ProcessesToUpdate::All);
    // On Linux the list has threads too.
    system.processes().values().filter(|process| process.thread_kind().is_none()).map(of).collect()
}

pub(super) fn look(pid: u32) -> Option<Proc> {
    let pid = Pid::from_u32(pid);
    asked(ProcessesToUpdate::Some(&[pid])).process(pid).map(of)
}

pub(super) fn memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    Some(system.total_memory()).filter(|bytes| *bytes > 0)
}

fn asked(which: ProcessesToUpdate<'_>) -> System {
    let mut system = System::new();
    system.refresh_processes_specifics(which, true, ProcessRefreshKind::nothing().with_memory().with_cpu());
    system
}

fn of(process: &Process) -> Proc {
    Proc {
        pid: process.pid().as_u32(),
        parent: process.parent().map_or(0, Pid::as_u32),
        rss_bytes: process.memory(),
        cpu: Duration::from_millis(process.accumulated_cpu_time()),
        started: process.start_time(),
    }
}
