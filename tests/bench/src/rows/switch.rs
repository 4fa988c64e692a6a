//! Measures branch switches: the time from the end of `git checkout` to a fresh right answer.
//!
//! A right answer knows all the files that differ. Before it, there may be answers that say that they may be outdated.
//! An answer that is wrong and does not say so is counted separately. From the second visit of a branch on, nothing has
//! to be parsed, which the daemon's own counter shows. A file that was read while git was still writing it counts as
//! one more version.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{FEW, Failure, timed};
use crate::Args;
use crate::generate;
use crate::git::{self, git};
use crate::mcp::Server;
use crate::peers::is_there;
use crate::scratch::Scratch;
use crate::stats::{Times, ratio, show};
use crate::world::{World, run};

/// The files in the tree.
const FILES: usize = 10_000;

/// The files that differ between the branches.
const CHANGED: usize = 5_000;

/// The branches, each with the word that it has in every file that differs.
const BRANCHES: [(&str, &str); 2] = [("one", "kept_on_one"), ("two", "kept_on_two")];

const PATIENCE: Duration = Duration::from_secs(120);

/// Everything that is measured.
#[derive(Default)]
struct Figures {
    checkout: Times,
    text: Times,
    map: Times,
    rg: Times,
    doubtful: usize,
    wrong: usize,
}

/// Measures switches back and forth between two branches.
pub(super) fn switch(args: &Args) -> Result<(), Failure> {
    println!(
        "\nswitch: `git checkout` between branches that differ in {CHANGED} of {FILES} files, then the first right answers"
    );
    let scratch = Scratch::new()?;
    let tree = scratch.at("tree");
    make_branches(&tree)?;
    let world = World::new(&tree)?;
    world.index()?;
    world.rest()?;
    let mut server = world.server()?;
    let (mut first, mut later) = (Figures::default(), Figures::default());
    let (mut parsed_first, mut parsed_later) = (0, 0);
    for visit in 0..=2 * FEW {
        let figures = if visit == 0 { &mut first } else { &mut later };
        let before = parsed(&mut server)?;
        figures.visit(args, &tree, visit + 1, &mut server)?;
        let parsed = parsed(&mut server)?.saturating_sub(before);
        *(if visit == 0 { &mut parsed_first } else { &mut parsed_later }) += parsed;
        world.rest()?;
    }
    println!("  a branch seen for the first time (n=1): files parsed: {parsed_first}");
    first.print();
    println!("  branches seen before: files parsed: {parsed_later}");
    later.print();
    drop(server);
    world.stop()?;
    let mut alone = Times::default();
    for visit in 0..2 * FEW {
        timed(&mut alone, || checkout(&tree, BRANCHES[visit % 2].0))?;
    }
    show("git checkout, no daemon", &alone);
    ratio(("git checkout, watched", &later.checkout), ("git checkout, no daemon", &alone));
    Ok(())
}

fn make_branches(tree: &Path) -> Result<(), Failure> {
    generate::tree(tree, FILES)?;
    for (branch, word) in BRANCHES {
        run(&mut git(tree, &["checkout", "-q", "-B", branch]))?;
        // Notes have no functions that the map could know.
        for number in (0..FILES).filter(|number| generate::ending(*number) != "md").take(CHANGED) {
            let more = generate::definition(generate::ending(number), &format!("{word}_{number}"), "hash");
            fs::write(tree.join(generate::path(number)), generate::text(number) + &more)?;
        }
        git::commit_all(tree)?;
    }
    checkout(tree, BRANCHES[0].0)
}

fn checkout(tree: &Path, branch: &str) -> Result<(), Failure> {
    run(&mut git(tree, &["checkout", "-q", branch]))
}

/// Returns the number of files parsed since the daemon began.
fn parsed(server: &mut Server) -> Result<u64, Failure> {
    let status = server.ask("map_status", &json!({}))?;
    status.data()["memory"]["factsExtracted"].as_u64().ok_or_else(|| "map_status has no counter".into())
}

impl Figures {
    /// Measures one switch. Text and map take turns at being asked first, because the second question finds the work
    /// done.
    fn visit(&mut self, args: &Args, tree: &Path, visit: usize, server: &mut Server) -> Result<(), Failure> {
        let (branch, word) = BRANCHES[visit % 2];
        timed(&mut self.checkout, || checkout(tree, branch))?;
        let done = Instant::now();
        if visit % 4 < 2 {
            self.ask_text(server, word, done)?;
            self.ask_map(server, word, done)?;
        } else {
            self.ask_map(server, word, done)?;
            self.ask_text(server, word, done)?;
        }
        if is_there(&args.rg) {
            let mut rg = std::process::Command::new(&args.rg);
            timed(&mut self.rg, || run(rg.current_dir(tree).args(["--count-matches", "-e", word, "."])))?;
        }
        Ok(())
    }

    fn ask_text(&mut self, server: &mut Server, word: &str, done: Instant) -> Result<(), Failure> {
        let asked = json!({"pattern": format!("{word}_"), "output": "count", "max_millis": 60_000});
        let took = self.until_right(server, "regex_search", asked, "files_matched", done)?;
        self.text.push(took);
        Ok(())
    }

    fn ask_map(&mut self, server: &mut Server, word: &str, done: Instant) -> Result<(), Failure> {
        let took =
            self.until_right(server, "map_search", json!({"query": word, "limit": 1}), "total", done)?;
        self.map.push(took);
        Ok(())
    }

    fn until_right(
        &mut self,
        server: &mut Server,
        tool: &str,
        asked: serde_json::Value,
        count: &str,
        done: Instant,
    ) -> Result<Duration, Failure> {
        loop {
            let answer = server.ask(tool, &asked)?;
            if answer.data()[count] == CHANGED {
                return Ok(done.elapsed());
            }
            *(if answer.has_doubts() { &mut self.doubtful } else { &mut self.wrong }) += 1;
            if done.elapsed() > PATIENCE {
                return Err(format!("{tool} is not right after {} s: {answer:?}", PATIENCE.as_secs()).into());
            }
        }
    }

    fn print(&self) {
        show("git checkout, hob watching", &self.checkout);
        show("its end to a right regex_search", &self.text);
        show("its end to a right map_search", &self.map);
        let (wrong, doubtful) = (self.wrong, self.doubtful);
        println!("    answers not right yet: {wrong} silently, {doubtful} that said so");
        for result in [("regex_search", &self.text), ("map_search", &self.map)] {
            ratio(result, ("git checkout", &self.checkout));
            if !self.rg.is_empty() {
                ratio(result, ("rg", &self.rg));
            }
        }
        if !self.rg.is_empty() {
            show("rg, counting the same", &self.rg);
        }
    }
}
