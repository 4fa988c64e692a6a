//! Measures costs on trees of several sizes, and divides each by the tree's files or symbols, to show how it grows.
//!
//! Trees are made up ([`generate`]), because no real one exists in every size; a real tree beside them tells how far their shape
//! carries. A cost that grows with the tree shows the same quotient everywhere; one that does not (a save, a session, a rare name)
//! shows the same figure. What breaks first on a tree that does not fit here is read from these.

use std::time::Duration;

use serde_json::{Value, json};

use super::cost::{first_answer, text_bytes};
use super::{Failure, time_of, timed};
use crate::Args;
use crate::edit::Edited;
use crate::generate;
use crate::mcp::Server;
use crate::process;
use crate::report::figure::{Sample, Sense, Unit};
use crate::scratch::{Scratch, size};
use crate::stats::{Times, millis, show};
use crate::world::World;

/// Sessions whose memory is measured.
const SESSIONS: usize = 8;
/// Rounds of questions.
const ROUNDS: usize = 20;

/// A question that every tree can be asked.
struct Question {
    name: &'static str,
    tool: &'static str,
    args: fn() -> Value,
}

/// Asks for a definition, a part of a name that few have, a word of every file, and no n-gram at all.
const QUESTIONS: &[Question] = &[
    Question { name: "map_search, one name", tool: "map_search", args: || json!({"query": "step_77_1"}) },
    Question { name: "map_search, part of a name", tool: "map_search", args: || json!({"query": "ep_77"}) },
    Question {
        name: "map_neighbors",
        tool: "map_neighbors",
        args: || json!({"nodeId": "py:src/part_0.py#step_0_0"}),
    },
    Question { name: "resolve, one name", tool: "resolve", args: || json!({"subject": "step_77_1"}) },
    Question { name: "regex_search, rare", tool: "regex_search", args: || count_of("step_77_1") },
    Question { name: "regex_search, common", tool: "regex_search", args: || count_of("return") },
    Question { name: "regex_search, no n-gram", tool: "regex_search", args: || count_of("[0-9]{3}_[0-9]") },
];

fn count_of(pattern: &str) -> Value {
    json!({"pattern": pattern, "output": "count", "max_millis": 60_000})
}

/// Measures every size that `--sizes` names.
pub(super) fn scale(args: &Args) -> Result<(), Failure> {
    println!("\nscale: costs on made-up trees of {:?} files", args.sizes);
    for files in args.sizes.iter().copied().filter(|files| *files > 0) {
        let scratch = Scratch::new()?;
        let tree = scratch.at("tree");
        generate::tree(&tree, files)?;
        let sheet = SizeSheet { args, files };
        println!("  {files} files, {:.1} MB", text_bytes(&tree) as f64 / 1e6);
        let world = World::new(&tree)?;
        sheet.note_time("text ready", first_answer(&world)?);
        drop(world);
        let world = World::new(&tree)?;
        let took = time_of(|| world.index())?;
        sheet.note_time("whole index", took);
        sheet.note_time("processor time of the index", process::cpu(world.pid()?)?);
        world.rest()?;
        sheet.note_time("processor time until at rest", process::cpu(world.pid()?)?);
        note_sizes(&sheet, &world)?;
        note_questions(&sheet, &mut world.server()?)?;
        note_saves(&sheet, &world)?;
        note_sessions(&sheet, &world)?;
        note_restart(&sheet, &world)?;
    }
    Ok(())
}

/// Writes down the figures of one size.
struct SizeSheet<'a> {
    args: &'a Args,
    files: usize,
}

impl SizeSheet<'_> {
    /// Notes a time that all files together took.
    fn note_time(&self, what: &str, took: Duration) {
        println!(
            "    {what:<34} {:>11.0} ms {:>10.1} us a file",
            millis(took),
            millis(took) * 1e3 / self.files as f64
        );
        self.note(what, Sample::new("hob", Unit::Millis, vec![millis(took)]));
    }

    fn note_bytes(&self, what: &str, bytes: u64, parts: (&str, u64)) {
        let (part, count) = parts;
        println!(
            "    {what:<34} {:>11.2} MB {:>10.0} bytes a {part}",
            bytes as f64 / 1e6,
            bytes as f64 / count.max(1) as f64
        );
        self.note(what, Sample::new("hob", Unit::Bytes, vec![bytes as f64]));
    }

    fn note_times(&self, what: &str, times: &Times) {
        show(&format!("  {what}"), times);
        self.note(what, Sample::new("hob", Unit::Millis, times.values().to_vec()));
    }

    fn note(&self, what: &str, sample: Sample) {
        let name = format!("{what}, {} files", self.files);
        self.args.sheet.note_figure("scale", &name, Sense::Less, sample, None);
    }
}

/// Memory and disk of a daemon at rest.
fn note_sizes(sheet: &SizeSheet<'_>, world: &World) -> Result<(), Failure> {
    let files = ("file", sheet.files as u64);
    let status = world.server()?.ask("map_status", &json!({}))?;
    let number = |pointer: &str| status.data().pointer(pointer).and_then(Value::as_u64);
    let map = number("/memory/mapBytes").ok_or("map_status tells no memory of the map")?;
    let symbols = number("/symbols").ok_or("map_status tells no symbols")?;
    sheet.note_bytes("private memory at rest", process::private_bytes(world.pid()?)?, files);
    sheet.note_bytes("memory of the map", map, ("symbol", symbols));
    let paged = number("/memory/pagedBytes").ok_or("map_status tells no bytes of facts on the disk")?;
    sheet.note_bytes("facts that the system may take", paged, ("symbol", symbols));
    sheet.note_bytes("cache on the disk", size(&world.cache()).bytes, files);
    Ok(())
}

fn note_questions(sheet: &SizeSheet<'_>, server: &mut Server) -> Result<(), Failure> {
    let mut noop = Times::default();
    for Question { name, tool, args } in QUESTIONS {
        let mut times = Times::default();
        let asked = args();
        server.call(tool, &asked)?;
        for _ in 0..ROUNDS {
            timed(&mut noop, || server.call("hob_noop", &json!({})))?;
            timed(&mut times, || server.call(tool, &asked))?;
        }
        sheet.note_times(name, &times);
    }
    sheet.note_times("no-op", &noop);
    Ok(())
}

/// A save and the first answer that has it.
fn note_saves(sheet: &SizeSheet<'_>, world: &World) -> Result<(), Failure> {
    let edited = Edited::choose_any(world.tree())?;
    let mut server = world.server()?;
    let mut times = Times::default();
    for round in 0..ROUNDS {
        let name = format!("bench_scale_{round}");
        let saved = edited.save(&name)?;
        let answer = server.ask("map_search", &json!({"query": name}))?;
        times.push(saved.elapsed());
        if !answer.text().contains(&edited.path) {
            return Err(format!("`{name}` was saved and is not known: {answer:?}").into());
        }
    }
    sheet.note_times("from a save to its answer", &times);
    Ok(())
}

/// Measures the memory of further sessions: their shims and the daemon's part.
fn note_sessions(sheet: &SizeSheet<'_>, world: &World) -> Result<(), Failure> {
    world.rest()?;
    let before = process::private_bytes(world.pid()?)?;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let mut session = world.server()?;
        session.call("hob_noop", &json!({}))?;
        sessions.push(session);
    }
    let shims: u64 =
        sessions.iter().map(|session| process::private_bytes(session.pid())).sum::<Result<_, _>>()?;
    let daemon = process::private_bytes(world.pid()?)?.saturating_sub(before);
    sheet.note_bytes("sessions", shims + daemon, ("session", SESSIONS as u64));
    Ok(())
}

/// From the start of a session after the daemon's end to the first answer of the map.
fn note_restart(sheet: &SizeSheet<'_>, world: &World) -> Result<(), Failure> {
    world.stop()?;
    let took = time_of(|| world.server()?.call("map_search", &json!({"query": "step_77_1"})).map(drop))?;
    sheet.note_time("restart to an answer of the map", took);
    Ok(())
}
