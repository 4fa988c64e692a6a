//! Measures the time from saving a file to a right answer.
//!
//! The clock starts when `rename` has returned. A right answer names a function that the save added, in the saved file.
//! hob is asked once, since its answers wait for saved changes, and the answers that were not right are counted. The
//! watchers of the other programs promise no such thing, so they are asked until they know. ripgrep has no index: it is
//! timed on the saved file, without a save of its own.
//!
//! Unfair to the other programs: up to the pause between two questions. Unfair to hob: it ingests every save while it
//! is asked, and its work in the background may slow down the next question.

use std::cell::RefCell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Failure, Lab, timed};
use crate::Args;
use crate::edit::Edited;
use crate::mcp::Server;
use crate::peers::{Codegraph, is_there};
use crate::report::figure::{Sample, Sense, Unit};
use crate::stats::{Times, difference, ratio, show};

/// The pause between two questions to a program that does not know the save yet.
const POLL: Duration = Duration::from_millis(5);

/// The time after which a watcher has missed the save.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pause between two rounds: people and agents do not save more often either.
const PAUSE: Duration = Duration::from_millis(500);

/// The quality of an answer after a save.
enum Seen {
    Right,
    /// Not right, and the answer says that it may not be.
    Doubtful,
    /// Not right, and the answer does not say so.
    Wrong,
    /// Not right. It is not known if the answer says so.
    NotYet,
}

/// A question about a new name.
type Ask<'a> = Box<dyn FnMut(&str) -> Result<Seen, Failure> + 'a>;

/// A program that is asked after a save.
struct Runner<'a> {
    name: String,
    edited: &'a Edited,
    ask: Ask<'a>,
    times: Times,
    doubtful: usize,
    wrong: usize,
    not_yet: usize,
    missed: usize,
}

/// Measures the answers after saves of one file in the tree.
pub(super) fn save(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let edited = Edited::choose(lab.world.tree())?;
    println!("\nsave: from `rename` to a right answer; {} is saved with a new function", edited.path);
    let homes = Homes::prepare(args, lab, &edited)?;
    lab.world.rest()?;
    let server = RefCell::new(lab.world.server()?);
    let hob = TOOLS
        .iter()
        .map(|tool| Runner::new(tool.name, &edited, |word: &str| tool.knows(&server, word, &edited.path)));
    let mut race = Race {
        hob: hob.collect(),
        others: homes.runners()?,
        quiet: Times::default(),
        rg: is_there(&args.rg).then(Times::default),
    };
    for round in 0..=args.rounds / 2 {
        race.round(round, &|word| list_with_rg(args, lab.world.tree(), word, &edited.path))?;
        std::thread::sleep(PAUSE);
    }
    race.print();
    race.note(args);
    for what in &homes.left_out {
        println!("  {what}");
        args.sheet.note_absence("save", what.split(' ').next().unwrap_or(what), what);
    }
    if race.rg.is_none() {
        println!("  {} is not installed: left out", args.rg.display());
        args.sheet.note_absence("save", "ripgrep", "it is not installed (-- --rg PROGRAM)");
    }
    Ok(())
}

/// All programs, which are asked in turns.
struct Race<'a> {
    hob: Vec<Runner<'a>>,
    others: Vec<Runner<'a>>,
    /// The times of a question to hob when nothing was saved since the last one.
    quiet: Times,
    rg: Option<Times>,
}

impl Race<'_> {
    /// Runs one round. The first round warms all programs.
    fn round(&mut self, round: usize, rg: &dyn Fn(&str) -> Result<(), Failure>) -> Result<(), Failure> {
        let counted = round > 0;
        let mut word = String::new();
        for (number, runner) in self.hob.iter_mut().enumerate() {
            word = format!("bench_{}_{round}_{number}", std::process::id());
            runner.race(&word, counted)?;
            if number == 0 {
                timed(&mut self.quiet, || (runner.ask)(&word))?;
            }
        }
        if let Some(times) = &mut self.rg {
            timed(times, || rg(&word))?;
        }
        for (number, runner) in self.others.iter_mut().enumerate() {
            runner.race(&format!("bench_{}_{round}_other_{number}", std::process::id()), counted)?;
        }
        Ok(())
    }

    fn note(&self, args: &Args) {
        for hob in &self.hob {
            let others = self.others.iter().map(Runner::result);
            for other in self.rg.iter().map(|times| ("rg -l", times)).chain(others) {
                args.sheet.note_race("save", &format!("{} ({})", hob.name, other.0), hob.result(), other);
            }
        }
        let silent: usize = self.hob.iter().map(|hob| hob.wrong).sum();
        let asked: usize = self.hob.iter().map(|hob| hob.times.len() + hob.wrong).sum();
        let share = Sample::new("hob", Unit::Share, vec![silent as f64 / asked.max(1) as f64]);
        args.sheet.note_figure(
            "save",
            "answers that were wrong and did not say so",
            Sense::Less,
            share,
            None,
        );
    }

    fn print(&self) {
        self.hob.iter().for_each(Runner::print);
        show("regex_search, nothing saved since the last", &self.quiet);
        self.others.iter().for_each(Runner::print);
        let rg = self.rg.iter().map(|times| ("rg -l", times));
        rg.clone().for_each(|(name, times)| show(name, times));
        difference(self.hob[0].result(), ("the same, nothing saved", &self.quiet));
        for runner in &self.hob {
            let others = self.others.iter().map(Runner::result);
            rg.clone().chain(others).for_each(|other| ratio(runner.result(), other));
        }
    }
}

impl<'a> Runner<'a> {
    fn new(name: &str, edited: &'a Edited, ask: impl FnMut(&str) -> Result<Seen, Failure> + 'a) -> Self {
        let (times, ask) = (Times::default(), Box::new(ask));
        Self { name: name.to_owned(), edited, ask, times, doubtful: 0, wrong: 0, not_yet: 0, missed: 0 }
    }

    /// Saves the file and asks until the answer is right.
    fn race(&mut self, word: &str, counted: bool) -> Result<(), Failure> {
        let saved = self.edited.save(word)?;
        loop {
            let seen = (self.ask)(word)?;
            let took = saved.elapsed();
            match seen {
                Seen::Right => {
                    if counted {
                        self.times.push(took);
                    }
                    return Ok(());
                }
                Seen::Doubtful => self.doubtful += 1,
                Seen::Wrong => self.wrong += 1,
                Seen::NotYet => self.not_yet += 1,
            }
            if took > PATIENCE {
                self.missed += 1;
                return Ok(());
            }
            std::thread::sleep(POLL);
        }
    }

    fn result(&self) -> (&str, &Times) {
        (&self.name, &self.times)
    }

    fn print(&self) {
        show(&self.name, &self.times);
        let counts = [
            (self.wrong, "wrong silently"),
            (self.doubtful, "not right yet, which they said"),
            (self.not_yet, "not right yet"),
            (self.missed, "saves never seen"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let counts = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        println!("    answers that were not right: {counts}");
    }
}

/// One of hob's tools, and how its answer is judged.
struct Tool {
    name: &'static str,
    args: fn(&str) -> Value,
    is_right: fn(&Value, &str, &str) -> bool,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "regex_search",
        args: |word| json!({"pattern": word}),
        is_right: |data, _, file| {
            data["total_lines"].as_u64() > Some(0) && data["matches"][0]["file"] == file
        },
    },
    Tool {
        name: "map_search",
        args: |word| json!({"query": word}),
        is_right: |data, word, file| {
            let is_it = |hit: &Value| hit["name"] == word && hit["file"] == file;
            data["results"].as_array().is_some_and(|hits| hits.iter().any(is_it))
        },
    },
    Tool {
        name: "read_symbols",
        args: |word| json!({"targets": [word]}),
        is_right: |data, word, file| {
            let symbol = &data["symbols"][0];
            symbol["file"] == file && symbol["source"].as_str().is_some_and(|text| text.contains(word))
        },
    },
];

impl Tool {
    fn knows(&self, server: &RefCell<Server>, word: &str, file: &str) -> Result<Seen, Failure> {
        let answer = server.borrow_mut().ask(self.name, &(self.args)(word))?;
        Ok(match (self.is_right)(answer.data(), word, file) {
            true => Seen::Right,
            false if answer.has_doubts() => Seen::Doubtful,
            false => Seen::Wrong,
        })
    }
}

/// The other programs, each with a copy of the tree and the file to edit in it.
struct Homes<'a> {
    codanna: Option<(&'a crate::peers::Codanna, Edited)>,
    codegraph: Option<(Codegraph, Edited)>,
    left_out: Vec<&'static str>,
}

impl<'a> Homes<'a> {
    fn prepare(args: &Args, lab: &'a Lab, edited: &Edited) -> Result<Self, Failure> {
        let mut left_out = Vec::new();
        let edit = |tree: &Path| Edited::at(tree, Path::new(&edited.path));
        let codanna = match lab.codanna(args)? {
            Some(codanna) => Some((codanna, edit(codanna.tree())?)),
            None => None,
        };
        let codegraph = match &args.codegraph {
            Some(program) => {
                let codegraph = Codegraph::index(program, &args.tree)?;
                let edited = edit(codegraph.tree())?;
                Some((codegraph, edited))
            }
            None => None,
        };
        if codanna.is_none() {
            left_out.push("codanna was not given (--codanna): left out");
        }
        if codegraph.is_none() {
            left_out.push("codegraph was not given (--codegraph): left out");
        }
        Ok(Self { codanna, codegraph, left_out })
    }

    fn runners(&self) -> Result<Vec<Runner<'_>>, Failure> {
        let mut runners = Vec::new();
        if let Some((codanna, edited)) = &self.codanna {
            let mut server = Server::start(&mut codanna.watching_server())?;
            runners.push(Runner::new("codanna find_symbol", edited, move |word| {
                let text = server.call("find_symbol", &json!({"name": word}))?;
                Ok(judged(text.contains(&edited.path)))
            }));
        }
        if let Some((codegraph, edited)) = &self.codegraph {
            let mut server = Server::start(&mut codegraph.server_command())?;
            runners.push(Runner::new("codegraph_search", edited, move |word| {
                let text = server.call("codegraph_search", &json!({"query": word}))?;
                Ok(judged(text.contains(&edited.path) && text.contains(word)))
            }));
        }
        Ok(runners)
    }
}

fn judged(right: bool) -> Seen {
    if right { Seen::Right } else { Seen::NotYet }
}

fn list_with_rg(args: &Args, tree: &Path, word: &str, file: &str) -> Result<(), Failure> {
    let mut command = Command::new(&args.rg);
    command.current_dir(tree).args(["-l", "-e", word]).stdin(Stdio::null());
    let out = command.output()?;
    if String::from_utf8_lossy(&out.stdout).trim().trim_start_matches("./") == file {
        return Ok(());
    }
    Err(format!("rg does not find {word} in {file}").into())
}
