//! Measures the first index against a program that lists definitions, and against a lower limit for any indexer that
//! parses.

use std::path::Path;

use super::{FEW, Failure, timed};
use crate::Args;
use crate::bare::Files;
use crate::peers::{ctags, is_there};
use crate::process::cpu;
use crate::stats::{Times, compare};
use crate::world::{World, run as run_quietly};

/// Measures a cold index (text and map, including the start of the daemon) against the same files read and parsed by
/// bare tree-sitter on all cores, and against `ctags -R`, which makes no text index and no graph.
///
/// hob has more to do than to parse those files: it lists the tree, reads and indexes every text for search, and maps
/// languages that the bare parser does not handle here.
pub(super) fn index(args: &Args) -> Result<(), Failure> {
    println!("\nindex: `hob index` into an empty cache; bare tree-sitter; `ctags -R` (definitions only)");
    let files = Files::of(&args.tree);
    let has_ctags = is_there(Path::new("ctags"));
    if !has_ctags {
        println!("  ctags is not installed: left out");
        args.sheet.note_absence("index", "ctags", "it is not installed");
    }
    let out = tempfile::tempdir()?;
    let (mut hob, mut bare, mut other) = (Times::default(), Times::default(), Times::default());
    let (mut hob_cpu, mut bare_cpu) = (Times::default(), Times::default());
    // All programs find the sources in the page cache.
    read(&args.tree);
    for round in 0..FEW.min(args.rounds.max(1)) {
        let world = World::new(&args.tree)?;
        timed(&mut hob, || world.index())?;
        hob_cpu.push(cpu(world.pid()?)?);
        drop(world);
        let before = cpu(std::process::id())?;
        let parsed = timed(&mut bare, || files.parse())?;
        bare_cpu.push(cpu(std::process::id())?.saturating_sub(before));
        if round == 0 {
            println!(
                "  bare tree-sitter: {} files, {:.1} MB, {} threads, of which each read for {:.0} ms",
                files.len(),
                parsed.bytes as f64 / 1e6,
                parsed.threads,
                parsed.reading / parsed.threads as f64
            );
        }
        if has_ctags {
            timed(&mut other, || run_quietly(&mut ctags(&args.tree, &out.path().join("tags"))))?;
        }
    }
    compare(("hob index", &hob), ("bare tree-sitter", &bare));
    // The CPU time is comparable even if other programs use the cores too.
    compare(("hob index, CPU", &hob_cpu), ("bare tree-sitter, CPU", &bare_cpu));
    args.sheet.note_race("index", "time", ("hob index", &hob), ("bare tree-sitter", &bare));
    args.sheet.note_race("index", "processor time", ("hob index", &hob_cpu), ("bare tree-sitter", &bare_cpu));
    if has_ctags {
        compare(("hob index", &hob), ("ctags -R", &other));
        args.sheet.note_race("index", "time (ctags)", ("hob index", &hob), ("ctags -R", &other));
    }
    Ok(())
}

/// Reads every file below a folder.
fn read(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => read(&entry.path()),
            Ok(kind) if kind.is_file() => drop(std::fs::read(entry.path())),
            _ => {}
        }
    }
}
