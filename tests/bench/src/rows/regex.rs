//! Measures regex search by classes of patterns, against programs that do the same: ripgrep, and csearch and fff if
//! they are named.
//!
//! hob is asked over its socket, through the shim, with the barrier: for the totals alone (`output: count`), and, as
//! agents ask, for the first lines that fit into the answer with the totals of all. ripgrep is asked for counts, and
//! for all lines into a pipe that is read to its end. The other programs cannot count and are asked only for all lines.
//! Programs pay for their start, and hob pays for the protocol. fff runs warm in a process of its own, which measures
//! the time of the call. All take turns, so that a busy moment affects them all.
//!
//! The patterns were chosen for the sources of Linux. They work on any other tree, but may belong to other classes
//! there.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Failure, Lab, time_of, timed};
use crate::Args;
use crate::mcp::Server;
use crate::peers::{Fff, is_there};
use crate::stats::Times;

/// The classes of patterns, each with its name and a pattern.
pub(super) const CLASSES: &[(&str, &str)] = &[
    ("rare literal", "rcu_nocb_flush_deferred"),
    ("common literal", "static int"),
    ("prefix", r"copy_from_user_\w+"),
    ("case folded", "(?i)deadlock"),
    ("alternation", "kmem_cache_alloc_bulk|rcu_read_lock_bh|schedule_timeout_killable"),
    ("no n-gram", r"\w{30,}"),
    ("anchored", r"^EXPORT_SYMBOL_GPL\("),
    ("no match", "zqxjkvbwzq"),
    ("unicode", "Günther|Müller"),
    ("wildcard", r"struct .*ops = \{"),
    ("word boundary", r"\bEIO\b"),
    ("digits", r"0x[0-9a-f]{8}\b"),
    ("no n-gram, digits", "[0-9]{7,}"),
    ("no n-gram, spaces", r"^\s{40,}\S"),
    ("no n-gram, words", r"\w+\s+=\s+\w+;"),
];

/// The times that one pattern took.
#[derive(Default)]
struct Measured {
    counted: Times,
    shown: Times,
    rg_counted: Times,
    rg_lines: Times,
    csearch: Times,
    fff: Times,
}

/// Measures one class after another.
pub(super) fn regex(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!(
        "\nregex: regex_search (barrier included), counted and shown, against programs that search the same tree"
    );
    if !is_there(&args.rg) {
        println!("  {} is not installed: left out", args.rg.display());
        args.sheet.note_absence("regex", "the whole row", "ripgrep is not installed (-- --rg PROGRAM)");
        return Ok(());
    }
    // The work of the daemon in the background after an index must not take processors from what is measured.
    lab.world.rest()?;
    let mut server = lab.world.server()?;
    let csearch = lab.csearch(args)?;
    let mut fff = args.fff.as_ref().map(|python| Fff::start(python, &args.tree)).transpose()?;
    for (name, is_given, option) in
        [("csearch", csearch.is_some(), "--csearch"), ("fff", fff.is_some(), "--fff")]
    {
        if !is_given {
            args.sheet.note_absence("regex", name, &format!("it was not given (-- {option})"));
        }
    }
    for (class, pattern) in CLASSES {
        println!("  {class}: {pattern}");
        let mut measured = Measured::default();
        let mut found = Totals::default();
        // The first round warms all programs.
        for round in 0..=(args.rounds / 4).max(10) {
            let mut now = Measured::default();
            let counted = timed(&mut now.counted, || ask(&mut server, pattern, "count"))?;
            timed(&mut now.shown, || ask(&mut server, pattern, "lines"))?;
            let rg = timed(&mut now.rg_counted, || count_with_rg(&args.rg, pattern, &args.tree))?;
            let rg_lines =
                timed(&mut now.rg_lines, || lines(&mut lines_with_rg(&args.rg, pattern, &args.tree)))?;
            if let Some(csearch) = csearch {
                timed(&mut now.csearch, || lines(&mut csearch.search(pattern)))?;
            }
            if let Some(fff) = &mut fff {
                now.fff.push(fff.search(pattern)?);
            }
            found = Totals { hob: counted, rg: [rg_lines, rg.0, rg.1] };
            if round > 0 {
                measured.take(&now);
            }
        }
        found.print();
        measured.print();
        measured.note(class, args);
    }
    Ok(())
}

/// The totals of hob and ripgrep: lines, occurrences and files.
#[derive(Default)]
struct Totals {
    hob: [u64; 3],
    rg: [u64; 3],
}

impl Totals {
    fn print(&self) {
        let [lines, matches, files] = self.hob;
        let same =
            if self.hob == self.rg { "rg agrees".to_owned() } else { format!("RG DIFFERS: {:?}", self.rg) };
        println!("    {lines} lines, {matches} occurrences, {files} files; {same}");
    }
}

impl Measured {
    fn take(&mut self, now: &Self) {
        let mine = [
            &mut self.counted,
            &mut self.shown,
            &mut self.rg_counted,
            &mut self.rg_lines,
            &mut self.csearch,
            &mut self.fff,
        ];
        let theirs = [&now.counted, &now.shown, &now.rg_counted, &now.rg_lines, &now.csearch, &now.fff];
        for (mine, now) in mine.into_iter().zip(theirs).filter(|(_, now)| !now.is_empty()) {
            mine.push_millis(now.median());
        }
    }

    fn note(&self, class: &str, args: &Args) {
        let (counted, shown) = (format!("{class}, counted"), format!("{class}, shown"));
        args.sheet.note_race("regex", &counted, ("hob", &self.counted), ("rg", &self.rg_counted));
        args.sheet.note_race("regex", &shown, ("hob", &self.shown), ("rg, all lines", &self.rg_lines));
        args.sheet.note_race(
            "regex",
            &format!("{shown} (csearch)"),
            ("hob", &self.shown),
            ("csearch", &self.csearch),
        );
        args.sheet.note_race("regex", &format!("{shown} (fff)"), ("hob", &self.shown), ("fff", &self.fff));
    }

    fn print(&self) {
        let (counted, shown) = (self.counted.median(), self.shown.median());
        println!("    hob: counted {counted:.2} ms, shown {shown:.2} ms (medians of {})", self.counted.len());
        let others = [
            ("rg, counted", &self.rg_counted, counted),
            ("rg, all lines", &self.rg_lines, shown),
            ("csearch, all lines", &self.csearch, shown),
            ("fff, all lines", &self.fff, shown),
        ];
        for (name, times, hob) in others.into_iter().filter(|(_, times, _)| !times.is_empty()) {
            println!("    => {name} {:.2} ms / hob = {:.2}", times.median(), times.median() / hob);
        }
    }
}

/// Asks hob and returns its totals: lines, occurrences and files.
fn ask(server: &mut Server, pattern: &str, output: &str) -> Result<[u64; 3], Failure> {
    let answer =
        server.ask("regex_search", &json!({"pattern": pattern, "output": output, "max_millis": 60_000}))?;
    let number = |field: &str| answer.data()[field].as_u64();
    match (answer.data()["complete"] == Value::Bool(true), number("total_lines")) {
        (true, Some(lines)) => {
            Ok([lines, number("total_matches").unwrap_or(0), number("files_matched").unwrap_or(0)])
        }
        _ => Err(format!("{pattern} has no whole answer: {answer:?}").into()),
    }
}

/// Counts occurrences and files with ripgrep.
fn count_with_rg(rg: &Path, pattern: &str, tree: &Path) -> Result<(u64, u64), Failure> {
    let mut command = Command::new(rg);
    command.current_dir(tree).args(["--count-matches", "--with-filename", "-e", pattern, "."]);
    let text = output(&mut command)?;
    let counts = text.split(|byte| *byte == b'\n').filter_map(|line| {
        let count = line.rsplit(|byte| *byte == b':').next()?;
        std::str::from_utf8(count).ok()?.parse::<u64>().ok()
    });
    Ok(counts.fold((0, 0), |(sum, files), count| (sum + count, files + 1)))
}

fn lines_with_rg(rg: &Path, pattern: &str, tree: &Path) -> Command {
    let mut command = Command::new(rg);
    command.current_dir(tree).args(["-n", "--no-heading", "-e", pattern, "."]);
    command
}

/// Returns the number of lines that a program prints, after reading all of them.
fn lines(command: &mut Command) -> Result<u64, Failure> {
    Ok(output(command)?.iter().filter(|byte| **byte == b'\n').count() as u64)
}

/// Returns the output of a search program, which exits with 1 if nothing matches.
fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let out = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    if matches!(out.status.code(), Some(0 | 1)) {
        Ok(out.stdout)
    } else {
        Err(format!("ended with {}", out.status).into())
    }
}

/// Returns the time that a session waits until it can search a tree of which nothing is known yet: the start of the
/// daemon, and listing, reading and indexing the text. The map is made afterwards.
pub(super) fn text_ready(server: &mut Server) -> Result<std::time::Duration, Failure> {
    time_of(|| {
        while ask(server, "zqxjkvbwzq", "count").is_err() {
            // The index was not ready within the daemon's own time limit.
        }
        Ok(())
    })
}
