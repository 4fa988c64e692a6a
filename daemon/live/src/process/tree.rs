//! A process and all it started, as the system sees them now.
//!
//! Linux tells by `/proc`; elsewhere only the process group is known, and memory is not counted.

/// A process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Its number.
    pub pid: u32,
    /// Who started it, or has taken it over.
    pub parent: u32,
    /// Bytes of memory it occupies.
    pub rss_bytes: u64,
    /// When it started, in the system's ticks: a number alone may be given out again.
    started: u64,
}

impl Proc {
    /// Ends it, if it is still the same process.
    pub(super) fn kill(&self) {
        if look(self.pid).is_some_and(|now| now.started == self.started) {
            kill_one(self.pid);
        }
    }
}

/// `root` and everything below it. A process that has left the tree (its parents ended and it was taken over) is in it no
/// more.
#[must_use]
pub fn processes_below(root: u32) -> Vec<Proc> {
    let all = all();
    let mut found: Vec<Proc> = all.iter().filter(|process| process.pid == root).copied().collect();
    let mut next = 0;
    while let Some(parent) = found.get(next).map(|process| process.pid) {
        found.extend(all.iter().filter(|process| process.parent == parent && process.pid != root));
        next += 1;
    }
    found
}

#[cfg(target_os = "linux")]
fn all() -> Vec<Proc> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(look).collect()
}

#[cfg(target_os = "linux")]
fn look(pid: u32) -> Option<Proc> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name comes in brackets and may itself hold brackets and spaces.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    let field = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let pages = field(21)?;
    Some(Proc {
        pid,
        parent: u32::try_from(field(1)?).ok()?,
        rss_bytes: pages * rustix::param::page_size() as u64,
        started: field(19)?,
    })
}

#[cfg(not(target_os = "linux"))]
fn all() -> Vec<Proc> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn look(_pid: u32) -> Option<Proc> {
    None
}

#[cfg(unix)]
fn kill_one(pid: u32) {
    if let Some(pid) = of(pid) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

/// Ends every process of a group.
#[cfg(unix)]
pub(super) fn kill_group(leader: u32) {
    if let Some(pid) = of(leader) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn of(pid: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(not(unix))]
fn kill_one(_pid: u32) {}

#[cfg(not(unix))]
pub(super) fn kill_group(_leader: u32) {}
