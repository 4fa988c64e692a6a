//! Questions to the map while the daemon has other things to do: right after the first index, and while files are being saved.
//!
//! After its first index the daemon derives hub scores, saves everything and makes an image of the map; a saved file changes the map.
//! None of that should be felt. Each question is asked in turn with a no-op, so that both meet the same machine, and the figures are
//! multiples of the no-op's median. What is asked about is saved never, and what is saved asked about never.
//!
//! Unfair to hob: everything runs on the same processors, the benchmark too.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Failure, timed};
use crate::Args;
use crate::edit::Edited;
use crate::mcp::Server;
use crate::process;
use crate::scratch::Scratch;
use crate::stats::{Times, show};
use crate::world::World;

/// The longest time that is looked on after the first index.
const LONGEST: Duration = Duration::from_secs(45);
/// The shortest one, if the daemon comes to rest before.
const SHORTEST: Duration = Duration::from_secs(10);
/// Rounds of questions between two saves.
const ROUNDS_PER_SAVE: u32 = 10;
/// Between two rounds: nobody asks without a break, and what is done aside is to get on.
const PAUSE: Duration = Duration::from_millis(5);

/// One kind of question, with the times of its answers.
struct Asked {
    tool: &'static str,
    text: fn(&str) -> Value,
    times: Times,
}

/// A first index, then questions until the daemon is at rest; then questions while a file is saved again and again.
pub(super) fn busy(args: &Args) -> Result<(), Failure> {
    println!("\nbusy: questions right after the first index, and between saves, in turns with a no-op");
    let scratch = Scratch::new()?;
    let world = World::new(&scratch.copy_of(&args.tree)?)?;
    world.index()?;
    let mut server = world.server()?;
    let pid = world.pid()?;
    let begun = Instant::now();
    let mut at_rest = Rest::new(pid)?;
    ask_while(args, &mut server, "after the first index", |_| {
        let is_over = begun.elapsed() > SHORTEST && at_rest.is_reached()?;
        Ok(!is_over && begun.elapsed() < LONGEST)
    })?;
    show_reader_waits(&world, "after the first index")?;
    world.rest()?;
    let edited = Edited::choose(world.tree())?;
    let rounds = u32::try_from(args.rounds * 5).unwrap_or(u32::MAX);
    ask_while(args, &mut server, "between saves", |round| {
        if round.is_multiple_of(ROUNDS_PER_SAVE) {
            edited.save(&format!("bench_busy_{round}"))?;
        }
        Ok(round < rounds)
    })?;
    show_reader_waits(&world, "in all")
}

/// Prints how readers of the map waited for its changes.
fn show_reader_waits(world: &World, when: &str) -> Result<(), Failure> {
    let status = world.status()?;
    let waits = &status["workspaces"][0]["mapWaits"];
    println!(
        "  readers of the map waited {when}: {} times, {} of them for 2 ms or longer, at most {:.1} ms",
        waits["count"],
        waits["over2Ms"],
        waits["longestMs"].as_f64().unwrap_or_default()
    );
    Ok(())
}

/// Asks every kind of question about every name in turn, each after a no-op, for as long as `go_on` says.
fn ask_while(
    args: &Args,
    server: &mut Server,
    when: &str,
    mut go_on: impl FnMut(u32) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let mut asked = [
        Asked { tool: "map_search", text: |name| json!({ "query": name }), times: Times::default() },
        Asked { tool: "resolve", text: |name| json!({ "subject": name }), times: Times::default() },
    ];
    let (mut noop, mut round) = (Times::default(), 0);
    while go_on(round)? {
        let name = args.names.get(round as usize % args.names.len().max(1)).map_or("main", String::as_str);
        for question in &mut asked {
            timed(&mut noop, || server.call("hob_noop", &json!({})))?;
            timed(&mut question.times, || server.call(question.tool, &(question.text)(name)))?;
        }
        round += 1;
        std::thread::sleep(PAUSE);
    }
    let unit = noop.median();
    let tell = |what: &str, times: &Times| {
        let multiple = |share: f64| times.quantile(share) / unit;
        show(what, times);
        let (p50, p99, most) = (multiple(0.5), multiple(0.99), multiple(1.0));
        println!("  => p50 {p50:.1}, p99 {p99:.1}, longest {most:.1} no-op calls");
    };
    tell(&format!("no-op {when}"), &noop);
    for question in &asked {
        let what = format!("{} {when}", question.tool);
        tell(&what, &question.times);
        args.sheet.note_multiple("busy", &what, &question.times, ("no-op", &noop));
    }
    Ok(())
}

/// Looks whether a daemon uses the processor for anything but answers.
struct Rest {
    pid: u32,
    looked: Instant,
    used: Duration,
}

impl Rest {
    fn new(pid: u32) -> Result<Self, Failure> {
        Ok(Self { pid, looked: Instant::now(), used: process::cpu(pid)? })
    }

    /// Returns true if it used less than a third of a processor in the last seconds.
    fn is_reached(&mut self) -> Result<bool, Failure> {
        let since = self.looked.elapsed();
        if since < Duration::from_secs(3) {
            return Ok(false);
        }
        let used = process::cpu(self.pid)?;
        let is_reached = used.saturating_sub(self.used) * 3 < since;
        (self.looked, self.used) = (Instant::now(), used);
        Ok(is_reached)
    }
}
