//! Measures the cost of text search: the time until it works, its place on the disk, its memory. How costs grow with the tree, `scale`
//! measures.
//!
//! The clock of "text ready" begins with the start of a session's shim, which finds no daemon, and ends with the first whole answer
//! of `regex_search`: it holds the daemon's start, listing, reading, hashing and indexing, all that a first question waits for.
//! `cindex` is given the same tree, to index from nothing. Both find the sources in the page cache.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::regex::text_ready;
use super::{FEW, Failure, time_of, timed};
use crate::Args;
use crate::mcp::Server;
use crate::peers::Csearch;
use crate::process;
use crate::report::figure::{Sample, Sense, Unit};
use crate::scratch::{Size, size};
use crate::stats::{Times, compare, show};
use crate::world::World;

/// Questions that no index helps with, and that find much.
const BROAD: &[&str] = &[r"\w{30,}", "[0-9]{7,}", "static int", "."];

/// Text ready against `cindex`; then disk and memory.
pub(super) fn cost(args: &Args) -> Result<(), Failure> {
    println!("\ncost: from nothing to the first whole answer of regex_search, against `cindex`");
    let text = text_bytes(&args.tree);
    let csearch = args.csearch.as_deref().map(Csearch::new).transpose()?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    for _ in 0..FEW {
        if let Some(csearch) = &csearch {
            timed(&mut other, || csearch.index(&args.tree))?;
        }
        let world = World::new(&args.tree)?;
        hob.push(first_answer(&world)?);
    }
    match &csearch {
        Some(_) => compare(("text ready", &hob), ("cindex", &other)),
        None => {
            show("text ready", &hob);
            args.sheet.note_absence("cost", "csearch", "it was not given (-- --csearch PROGRAM)");
        }
    }
    args.sheet.note_race("cost", "from nothing to an answer", ("text ready", &hob), ("cindex", &other));
    let mut theirs = None;
    if let Some(csearch) = &csearch {
        let bytes = fs::metadata(csearch.file())?.len();
        println!("  {:<58} {:>9.2} MB", "cindex: its index", bytes as f64 / 1e6);
        theirs = Some(Sample::new("cindex", Unit::Bytes, vec![bytes as f64]));
    }
    rest(args, text, theirs)
}

/// Disk and memory of a daemon that has come to rest, and memory after the broadest questions.
fn rest(args: &Args, text: u64, theirs: Option<Sample>) -> Result<(), Failure> {
    let world = World::new(&args.tree)?;
    world.index()?;
    // Saving and putting texts side by side follow each other with pauses.
    std::thread::sleep(Duration::from_secs(5));
    world.rest()?;
    let kept = |name: &str| parts(&world, name).bytes;
    share(args, "trigram index on the disk", kept("text"), text);
    if theirs.is_some() {
        let own = Sample::new("hob", Unit::Bytes, vec![kept("text") as f64]);
        args.sheet.note_figure("cost", "text index on the disk", Sense::Race, own, theirs);
    }
    share(args, "contents beside it on the disk (HOB_NO_TEXT_CACHE=1: none)", kept("contents"), text);
    let mut server = world.server()?;
    share(args, "text index in private memory, at rest", private_of_text(&mut server)?, text);
    let before = private_of_process(world.pid()?)?;
    for pattern in BROAD {
        for output in ["count", "files", "lines"] {
            server
                .call("regex_search", &json!({"pattern": pattern, "output": output, "max_millis": 60_000}))?;
        }
    }
    share(args, "text index in private memory, after broad questions", private_of_text(&mut server)?, text);
    let grown = private_of_process(world.pid()?)?.saturating_sub(before);
    share(args, "what the process's private memory grew by meanwhile", grown, text);
    Ok(())
}

/// From the start of the shim to the first whole answer, with a daemon that knows nothing.
pub(super) fn first_answer(world: &World) -> Result<Duration, Failure> {
    time_of(|| text_ready(&mut world.server()?).map(drop))
}

fn share(args: &Args, what: &str, bytes: u64, text: u64) {
    let part = Sample::new("hob", Unit::Share, vec![bytes as f64 / text as f64]);
    args.sheet.note_figure("cost", &format!("{what}, as a share of the text"), Sense::Less, part, None);
    println!(
        "  {what:<58} {:>9.2} MB, {:.2} % of the text",
        bytes as f64 / 1e6,
        100.0 * bytes as f64 / text as f64
    );
}

/// Bytes of all files below a folder, without what git keeps.
pub(super) fn text_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => text_bytes(&entry.path()),
        Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |meta| meta.len()),
        _ => 0,
    };
    entries.map(size).sum()
}

/// One part of all snapshots.
fn parts(world: &World, name: &str) -> Size {
    let snapshots = fs::read_dir(world.cache().join("workspaces")).into_iter().flatten().flatten();
    snapshots.map(|snapshot| size(&snapshot.path().join(name))).fold(Size::default(), |sum, size| Size {
        bytes: sum.bytes + size.bytes,
        files: sum.files + size.files,
    })
}

fn private_of_text(server: &mut Server) -> Result<u64, Failure> {
    let status = server.ask("map_status", &json!({}))?;
    status.data()["memory"]["textPrivateBytes"].as_u64().ok_or_else(|| "map_status tells no memory".into())
}

fn private_of_process(pid: u32) -> Result<u64, Failure> {
    process::private_bytes(pid)
}
