//! Reads processes from `/proc`.

use std::time::Duration;

use super::proc::Proc;

pub(super) fn all() -> Vec<Proc> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(look).collect()
}

pub(super) fn look(pid: u32) -> Option<Proc> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may itself hold brackets and spaces.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    let field = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let pages = field(21)?;
    Some(Proc {
        pid,
        parent: u32::try_from(field(1)?).ok()?,
        rss_bytes: pages * rustix::param::page_size() as u64,
        cpu: duration_of_ticks(field(11)? + field(12)?),
        started: field(19)?,
    })
}

fn duration_of_ticks(ticks: u64) -> Duration {
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks * 1000 / per_second)
}

pub(super) fn memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}
