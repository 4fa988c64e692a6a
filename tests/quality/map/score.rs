//! Compares both answers and computes the figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use hob_tests::Tree;

use super::hob::{LEVELS, Lines};
use super::places::Places;
use super::rows::Words;
use super::server::{Answer, Symbol, Truth, has_word};

/// A line: its file and its number.
pub(super) type Line = (String, u64);

/// The result of comparing one definition.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    title: String,
    uses: Compared,
}

/// The lines that the server requires, and those that the map has.
#[derive(Debug, Default)]
struct Compared {
    /// The required lines, each with the map's confidence.
    demanded: BTreeMap<Line, Option<&'static str>>,
    /// The lines of the map, each with its confidence, and true if the server lists it or `None` if it does not know.
    said: BTreeMap<Line, (&'static str, Option<bool>)>,
}

/// Compares the two answers about a definition.
pub(super) fn judge(tree: &Tree, words: Words, truth: &Truth, answer: &Answer, lines: &Lines) -> Verdict {
    let symbol = &truth.symbols[answer.symbol];
    let mut files: BTreeMap<String, (String, Places)> = BTreeMap::new();
    let mut verdict = Verdict::default();
    let Symbol { file, line, within, name, shared, .. } = symbol;
    let shared = if *shared { "shared" } else { "unique" };
    verdict.title = format!("{file}:{line} {within}.{name} ({shared})");
    let listed: BTreeSet<Line> = answer.places.iter().map(|place| (place.file.clone(), place.line)).collect();
    let unknown: BTreeSet<&Line> = answer.unknown.iter().collect();
    let demanded = answer.places.iter().filter(|place| !place.kin);
    let mut is_left_out = |file: &str, line: u64| {
        let (text, places) = files.entry(file.to_owned()).or_insert_with(|| {
            let text = tree.read(file);
            let places = Places::of(&text, words);
            (text, places)
        });
        let has_name = has_word(text.lines().nth(line as usize - 1).unwrap_or(""), name);
        places.is_import(line) || !has_name || truth.is_unseen(file, line)
    };
    for place in demanded {
        let at = (place.file.clone(), place.line);
        if !is_left_out(&place.file, place.line) {
            verdict.uses.demanded.insert(at.clone(), lines.get(&at).copied());
        }
    }
    for (at, level) in lines {
        if !is_left_out(&at.0, at.1) {
            let right = listed.contains(at);
            let judged = (right || !unknown.contains(at)).then_some(right);
            verdict.uses.said.insert(at.clone(), (level, judged));
        }
    }
    verdict
}

impl Verdict {
    /// Returns the required lines.
    pub(super) fn demanded(&self) -> impl Iterator<Item = &Line> {
        self.uses.demanded.keys()
    }

    /// Returns the lines of the map, with their confidence.
    pub(super) fn said(&self) -> impl Iterator<Item = (&Line, &'static str)> {
        self.uses.said.iter().map(|(line, (level, _))| (line, *level))
    }
}

impl fmt::Display for Verdict {
    /// Writes the differences for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut wrong = String::new();
        for ((file, line), level) in &self.uses.demanded {
            match level {
                None => writeln!(wrong, "  missed {file}:{line}")?,
                Some("candidate") => writeln!(wrong, "  candidate {file}:{line}")?,
                Some(_) => {}
            }
        }
        for ((file, line), (level, listed)) in &self.uses.said {
            if *listed == Some(false) && *level != "candidate" {
                writeln!(wrong, "  false {level} {file}:{line}")?;
            }
        }
        if wrong.is_empty() { Ok(()) } else { write!(f, "{}\n{wrong}", self.title) }
    }
}

/// The figures of many definitions.
#[derive(Debug, Default)]
pub(super) struct Score {
    unique: Tally,
    shared: Tally,
}

/// The counts of lines, by confidence.
#[derive(Clone, Debug, Default)]
struct Tally {
    definitions: usize,
    demanded: usize,
    /// The required lines that the map has, by level.
    found: [usize; LEVELS.len()],
    /// The lines of the map that the server can judge, those that it lists, and those about which it knows nothing, by
    /// level.
    said: [[usize; 3]; LEVELS.len()],
}

impl Tally {
    fn add(&mut self, compared: &Compared) {
        self.definitions += 1;
        self.demanded += compared.demanded.len();
        for level in compared.demanded.values().flatten() {
            self.found[place(level)] += 1;
        }
        for (level, listed) in compared.said.values() {
            let said = &mut self.said[place(level)];
            match listed {
                Some(right) => {
                    said[0] += 1;
                    said[1] += usize::from(*right);
                }
                None => said[2] += 1,
            }
        }
    }

    fn sum(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.definitions += other.definitions;
        sum.demanded += other.demanded;
        for level in 0..LEVELS.len() {
            sum.found[level] += other.found[level];
            for column in 0..3 {
                sum.said[level][column] += other.said[level][column];
            }
        }
        sum
    }

    fn figures(&self, name: &str, text: &mut String) -> fmt::Result {
        let resolved: usize = self.found[..LEVELS.len() - 1].iter().sum();
        let all: usize = self.found.iter().sum();
        let column =
            |column: usize| self.said[..LEVELS.len() - 1].iter().map(|said| said[column]).sum::<usize>();
        writeln!(
            text,
            "{name:<14} {} definitions, {} references: recall {} resolved, {} with candidates; precision {} ({} unjudged)",
            self.definitions,
            self.demanded,
            share(resolved, self.demanded),
            share(all, self.demanded),
            share(column(1), column(0)),
            column(2),
        )?;
        let met = LEVELS.iter().zip(self.said).filter(|(_, said)| said[0] + said[2] > 0);
        for (level, [judged, right, unjudged]) in met {
            let found = share(self.found[place(level)], self.demanded);
            if *level == "candidate" {
                // Most of these are wrong by nature, and the ones that a server calls related differ from run to run
                // (gopls).
                writeln!(text, "    {level:<10} finds {found}")?;
                continue;
            }
            let precision = format!("{} ({right} of {judged}, {unjudged} unjudged)", share(right, judged));
            writeln!(text, "    {level:<10} precision {precision}, finds {found}")?;
        }
        Ok(())
    }
}

fn place(level: &str) -> usize {
    LEVELS.iter().position(|one| *one == level).expect("a known level")
}

fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.4}", part as f64 / whole as f64) }
}

impl Score {
    pub(super) fn add(&mut self, symbol: &Symbol, verdict: &Verdict) {
        let tally = if symbol.shared { &mut self.shared } else { &mut self.unique };
        tally.add(&verdict.uses);
    }

    pub(super) fn figures(&self, part: &str) -> String {
        let mut text = String::new();
        let rows =
            [("all", &self.unique.sum(&self.shared)), ("unique", &self.unique), ("shared", &self.shared)];
        for (name, tally) in rows {
            tally.figures(&format!("{part} {name}"), &mut text).expect("a string takes it");
        }
        text
    }
}
