//! Measures the cost of several agents on one project: the memory of its language servers, and the time that the second
//! agent waits for its first answer.
//!
//! One agent and eight agents ask the same number of questions, each time with a newly started daemon and with a
//! language server that is not running yet. Every answer must be complete and say the same.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hob_live::catalogue;
use hob_live::process::processes_below;
use serde_json::{Value, json};

use super::nav::place;
use super::{FEW, Failure};
use crate::Args;
use crate::mcp::Server;
use crate::stats::{Times, compare};
use crate::world::World;

const AGENTS: usize = 8;

/// The questions in a run, shared by all its agents.
const QUESTIONS: usize = 16;

/// Longer than any server needs to load.
const PATIENCE: Duration = Duration::from_secs(300);

/// The processes of the language servers, including their guards.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    processes: usize,
    rss: u64,
    /// The proportional share of the memory (PSS), in bytes, which counts nothing twice.
    pss: u64,
}

pub(super) fn share(args: &Args) -> Result<(), Failure> {
    println!(
        "\nshare: language servers of one project with {AGENTS} agents and with one, {QUESTIONS} questions each time"
    );
    let Some(at) = &args.at else {
        println!("  no place to ask about was given (--at FILE:LINE:COL): left out");
        return Ok(());
    };
    let at = place(at)?;
    let question = json!({"file": at.file.to_string(), "line": at.line, "col": at.col});
    let world = World::new(&args.tree)?;
    world.index()?;
    for server in &args.servers {
        let spec = catalogue::by_name(server).ok_or_else(|| format!("`{server}` is no server hob knows"))?;
        let language = spec.language_of(at.file.file_name());
        let language = language.ok_or_else(|| format!("{server} does not serve {}", at.file))?;
        world.settings(&format!("[languages.{language}]\nservers = [\"{server}\"]\n"))?;
        one_server(&world, server, &question)?;
    }
    Ok(())
}

fn one_server(world: &World, server: &str, question: &Value) -> Result<(), Failure> {
    let (mut first, mut second) = (Times::default(), Times::default());
    let mut totals = Vec::new();
    for round in 1..=FEW {
        let (alone, _) = agents(world, server, question, 1, &mut totals)?;
        let (together, waited) = agents(world, server, question, AGENTS, &mut totals)?;
        let ratio = |of: fn(Memory) -> u64| of(together) as f64 / of(alone) as f64;
        println!(
            "  {server} {round}: 1 agent {}, {AGENTS} agents {}: {:.2} times the PSS, {:.2} the RSS",
            alone.show(),
            together.show(),
            ratio(|memory| memory.pss),
            ratio(|memory| memory.rss)
        );
        first.push(waited[0]);
        waited[1..].iter().for_each(|wait| second.push(*wait));
    }
    totals.dedup();
    println!("  {server}: every answer complete, with {totals:?} places");
    compare((&format!("{server}, first agent"), &first), ("another agent", &second));
    match totals.len() {
        1 => Ok(()),
        _ => Err(format!("{server} did not always give the same answer: {totals:?}").into()),
    }
}

/// Runs the given number of agents, one after another. Returns the memory of the servers at the end, and the time that
/// each agent waited from its start to its first complete answer.
fn agents(
    world: &World,
    server: &str,
    question: &Value,
    count: usize,
    totals: &mut Vec<u64>,
) -> Result<(Memory, Vec<Duration>), Failure> {
    world.stop()?;
    world.index()?;
    world.rest()?;
    let (mut agents, mut waited) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let start = Instant::now();
        let mut agent = world.server()?;
        totals.push(answer(&mut agent, question)?);
        waited.push(start.elapsed());
        agents.push(agent);
    }
    for asked in count..QUESTIONS {
        totals.push(answer(&mut agents[asked % count], question)?);
    }
    let status = agents[0].ask("map_status", &json!({}))?;
    let running = status.data()["lsp"].as_object().map_or(0, |all| all.len());
    let clients = status.data()["lsp"][server]["clients"].as_u64();
    if running != 1 || clients != Some(count as u64) {
        return Err(format!("not one {server} for {count}: {}", status.data()["lsp"]).into());
    }
    world.rest()?;
    let memory = memory_below(world.pid()?)?;
    Ok((memory, waited))
}

/// Returns the number of places, as soon as the answer is complete.
fn answer(agent: &mut Server, question: &Value) -> Result<u64, Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        let answer = agent.ask("nav_references", question)?;
        if answer.data()["completeness"] == "complete" {
            return answer.data()["total"].as_u64().ok_or_else(|| "no total".into());
        }
        if Instant::now() > until {
            return Err(format!("no complete answer: {answer:?}").into());
        }
    }
}

/// Returns the memory of all processes that the daemon has started, which are its language servers.
fn memory_below(daemon: u32) -> Result<Memory, Failure> {
    let mut all = Memory::default();
    for process in processes_below(daemon).iter().filter(|process| process.pid != daemon) {
        let folder = format!("/proc/{}", process.pid);
        all.processes += 1;
        all.rss += process.rss_bytes;
        all.pss += field(Path::new(&folder).join("smaps_rollup").as_path(), "Pss:")?;
    }
    Ok(all)
}

/// Reads a field of one of the kernel's accounts, in bytes.
fn field(file: &Path, name: &str) -> Result<u64, Failure> {
    let text = fs::read_to_string(file)?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    Ok(kib.ok_or_else(|| format!("no {name} in {}", file.display()))? * 1024)
}

impl Memory {
    fn show(self) -> String {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        format!("{} processes with {:.0} MiB (PSS {:.0})", self.processes, mib(self.rss), mib(self.pss))
    }
}
