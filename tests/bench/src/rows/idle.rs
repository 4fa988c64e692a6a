//! Measures the cost of the daemon while nobody asks it anything: CPU time and wake-ups by thread. Also measures the
//! cost of another program that reads the tree.
//!
//! One session of an agent stays open, as is usual during a day. A wake-up is counted each time that a thread gives up
//! the processor by itself, because it is then woken once.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{FEW, Failure, Lab, timed};
use crate::Args;
use crate::mcp::Server;
use crate::peers::is_there;
use crate::process::{self, Thread};
use crate::stats::{Times, compare, millis, show};

/// The parts of the time that are shown separately, to distinguish a single burst from regular work.
const PARTS: u32 = 10;

/// Measures the processes while nobody asks for a while.
pub(super) fn idle(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nidle: the tree indexed, one session open, nobody asks for {} s", args.idle_seconds);
    let mut server = lab.world.server()?;
    server.call("hob_noop", &json!({}))?;
    let pid = lab.world.pid()?;
    if process::threads(pid).is_err() {
        println!("  this system has no /proc: left out");
        return Ok(());
    }
    lab.world.rest()?;
    let time = Duration::from_secs(args.idle_seconds);
    for _ in 0..FEW {
        let spent = look_on(pid, server.pid(), time)?;
        if spent < time / 100 {
            break;
        }
        println!("  it was at something that it had put off; once more:");
    }
    while_others_read(args, lab, &mut server)
}

/// Prints what the daemon and the shim do during `time`. Returns the CPU time of the daemon.
fn look_on(daemon: u32, shim: u32, time: Duration) -> Result<Duration, Failure> {
    let (shim, daemon) = (IdleSpan::begin(shim)?, IdleSpan::begin(daemon)?);
    let bursts = watch_parts(daemon.pid, time / PARTS)?;
    daemon.print("hobd")?;
    shim.print("hob-mcp")?;
    println!("  hobd's CPU ms by tenth of the time: {}", bursts.join(" "));
    Ok(total(&daemon.spent()?))
}

fn watch_parts(pid: u32, part: Duration) -> Result<Vec<String>, Failure> {
    let mut shown = Vec::new();
    for _ in 0..PARTS {
        let before = total(&process::threads(pid)?);
        std::thread::sleep(part);
        let after = total(&process::threads(pid)?);
        shown.push(format!("{:.1}", millis(after.saturating_sub(before))));
    }
    Ok(shown)
}

fn total(threads: &BTreeMap<u32, Thread>) -> Duration {
    threads.values().map(|thread| thread.cpu).sum()
}

/// A process, measured from one moment on.
struct IdleSpan {
    pid: u32,
    start: Instant,
    cpu: Duration,
    threads: BTreeMap<u32, Thread>,
}

impl IdleSpan {
    fn begin(pid: u32) -> Result<Self, Failure> {
        Ok(Self { pid, start: Instant::now(), cpu: process::cpu(pid)?, threads: process::threads(pid)? })
    }

    /// Returns the cost of every living thread since then, by thread ID.
    fn spent(&self) -> Result<BTreeMap<u32, Thread>, Failure> {
        let mut threads = process::threads(self.pid)?;
        for (id, thread) in &mut threads {
            if let Some(before) = self.threads.get(id) {
                thread.cpu = thread.cpu.saturating_sub(before.cpu);
                thread.waits = thread.waits.saturating_sub(before.waits);
                thread.preempted = thread.preempted.saturating_sub(before.preempted);
            }
        }
        Ok(threads)
    }

    fn print(&self, name: &str) -> Result<(), Failure> {
        let (cpu, threads) = (process::cpu(self.pid)?.saturating_sub(self.cpu), self.spent()?);
        let minutes = self.start.elapsed().as_secs_f64() / 60.0;
        println!(
            "  {name}: CPU (utime + stime, whole ticks) {:.0} ms in {:.1} s",
            millis(cpu),
            minutes * 60.0
        );
        println!(
            "    {:<16} {:>12} {:>9} {:>12} {:>10}",
            "thread", "CPU ms", "wake-ups", "a minute", "preempted"
        );
        let (busy, quiet): (Vec<&Thread>, Vec<&Thread>) =
            threads.values().partition(|thread| thread.waits + thread.preempted > 0 || !thread.cpu.is_zero());
        for Thread { name, cpu, waits, preempted } in &busy {
            let rate = *waits as f64 / minutes;
            println!("    {name:<16} {:>12.3} {waits:>9} {rate:>12.1} {preempted:>10}", millis(*cpu));
        }
        let gone = self.threads.keys().filter(|id| !threads.contains_key(id)).count();
        println!("    {} threads slept through it, {gone} ended", quiet.len());
        let waits: u64 = busy.iter().map(|thread| thread.waits).sum();
        let rate = waits as f64 / minutes;
        println!("  => {name} wakes up {rate:.1} times a minute, {:.3} ms CPU", millis(total(&threads)));
        Ok(())
    }
}

/// Measures the cost of another program that opens and reads every file. That changes nothing, so the daemon should do
/// nothing, and calls should not have to wait.
fn while_others_read(args: &Args, lab: &Lab, server: &mut Server) -> Result<(), Failure> {
    println!("\nidle, while `rg` reads the whole tree: what that costs the daemon, and calls at that time");
    if !is_there(&args.rg) {
        println!("  {} is not installed: left out", args.rg.display());
        return Ok(());
    }
    let reader = |quiet: &mut Times| timed(quiet, || Ok(read_all(args, lab)?.wait()?));
    reader(&mut Times::default())?;
    let (mut rg, mut cost) = (Times::default(), Times::default());
    for round in 0..FEW {
        std::thread::sleep(Duration::from_secs(1));
        let span = IdleSpan::begin(lab.world.pid()?)?;
        reader(&mut rg)?;
        // Events that the daemon was told of may still be waiting.
        std::thread::sleep(Duration::from_secs(1));
        cost.push(total(&span.spent()?));
        if round + 1 == FEW {
            span.print("hobd")?;
        }
    }
    compare(("hobd's CPU meanwhile", &cost), ("rg, wall", &rg));
    let (mut calm, mut busy) = (Times::default(), Times::default());
    for _ in 0..args.rounds * 25 {
        timed(&mut calm, || server.call("hob_noop", &json!({})))?;
    }
    let mut child = read_all(args, lab)?;
    while child.try_wait()?.is_none() {
        timed(&mut busy, || server.call("hob_noop", &json!({})))?;
    }
    show("no-op with barrier, nobody reads", &calm);
    show("no-op with barrier, while rg reads", &busy);
    let state = server.ask("map_status", &json!({}))?;
    println!("  => the watcher afterwards: {}", state.data()["watcher"]);
    Ok(())
}

fn read_all(args: &Args, lab: &Lab) -> Result<Child, Failure> {
    let mut command = Command::new(&args.rg);
    command.current_dir(lab.world.tree()).args(["--count-matches", "-e", "zqxjkvbw", "."]);
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}
