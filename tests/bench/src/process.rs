//! Measures the cost of a running process: its CPU time and wake-ups, per thread, as Linux counts them under `/proc`.
//!
//! On other systems there is nothing to read, and the rows that need it say so.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::rows::Failure;

/// The cost of one thread since it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    /// The first 15 bytes of its name.
    pub(crate) name: String,
    /// The CPU time, in nanoseconds if the scheduler counts them, otherwise in clock ticks.
    pub(crate) cpu: Duration,
    /// The number of times that it gave up the processor by itself, and so had to be woken later.
    pub(crate) waits: u64,
    /// The number of times that the processor was taken from it.
    pub(crate) preempted: u64,
}

/// Returns the present threads of a process by their IDs.
pub(crate) fn threads(pid: u32) -> Result<BTreeMap<u32, Thread>, Failure> {
    let mut threads = BTreeMap::new();
    for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
        let entry = entry?;
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A thread may end after it was listed and before it is read.
        if let Ok(thread) = thread(&entry.path()) {
            threads.insert(id, thread);
        }
    }
    Ok(threads)
}

fn thread(task: &Path) -> Result<Thread, Failure> {
    let status = fs::read_to_string(task.join("status"))?;
    let switches = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
    };
    let nanos = fs::read_to_string(task.join("schedstat")).ok();
    let nanos = nanos.and_then(|text| text.split_whitespace().next()?.parse().ok());
    let cpu = match nanos {
        Some(nanos) => Duration::from_nanos(nanos),
        None => ticks(&task.join("stat"))?,
    };
    Ok(Thread {
        name: fs::read_to_string(task.join("comm"))?.trim().to_owned(),
        cpu,
        waits: switches("voluntary_ctxt_switches:"),
        preempted: switches("nonvoluntary_ctxt_switches:"),
    })
}

/// Returns the CPU time of a process with all its threads, including those that have ended, in whole clock ticks.
pub(crate) fn cpu(pid: u32) -> Result<Duration, Failure> {
    ticks(Path::new(&format!("/proc/{pid}/stat")))
}

/// Returns the sum of `utime` and `stime`, as described in proc_pid_stat(5).
fn ticks(stat: &Path) -> Result<Duration, Failure> {
    let stat = fs::read_to_string(stat)?;
    // The name in parentheses may contain anything; the state follows it.
    let (_, rest) = stat.rsplit_once(')').ok_or("stat has no name")?;
    let field = |at: usize| rest.split_whitespace().nth(at).and_then(|text| text.parse::<u64>().ok());
    let ticks = field(11).ok_or("stat has no utime")? + field(12).ok_or("stat has no stime")?;
    Ok(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
}

/// Returns the bytes of memory of a process that are not mapped from a file.
pub(crate) fn private_bytes(pid: u32) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("RssAnon:")).ok_or("status has no RssAnon")?;
    let kib: u64 = line.split_whitespace().next().ok_or("RssAnon has no value")?.parse()?;
    Ok(kib * 1024)
}

/// Waits until a process has used hardly any CPU for three seconds, or until `patience` is over. Returns true if it
/// came to rest.
pub(crate) fn wait_for_rest(pid: u32, patience: Duration) -> Result<bool, Failure> {
    let start = Instant::now();
    let (mut seen, mut since) = (cpu(pid)?, Instant::now());
    while since.elapsed() < Duration::from_secs(3) {
        if start.elapsed() > patience {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(100));
        let now = cpu(pid)?;
        // One tick may be the sum of many wake-ups.
        if now > seen + Duration::from_millis(10) {
            (seen, since) = (now, Instant::now());
        }
    }
    Ok(true)
}

/// Asks a process to end and waits until it has.
pub(crate) fn end(pid: u32) -> Result<(), Failure> {
    end_by(pid, Signal::TERM)
}

/// Ends a process as a crash would, and waits until it is gone.
pub(crate) fn kill_hard(pid: u32) -> Result<(), Failure> {
    end_by(pid, Signal::KILL)
}

fn end_by(pid: u32, signal: Signal) -> Result<(), Failure> {
    if let Some(pid) = number(pid) {
        let _ = kill_process(pid, signal);
    }
    wait_for_end(pid)
}

/// Waits until a process is gone. It is an error if it does not end.
pub(crate) fn wait_for_end(pid: u32) -> Result<(), Failure> {
    let start = Instant::now();
    while number(pid).is_some_and(|pid| test_kill_process(pid).is_ok()) && !is_zombie(pid) {
        if start.elapsed() > Duration::from_secs(30) {
            return Err(format!("process {pid} does not end").into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn number(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

fn is_zombie(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}
