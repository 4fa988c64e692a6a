//! Both answers compared, and what that comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use hob_tests::Tree;

use super::hob::{LEVELS, Lines};
use super::places::Places;
use super::rows::Words;
use super::server::{Answer, Symbol};

/// A line: file and number.
type Line = (String, u64);

/// How one definition fared.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    title: String,
    uses: Compared,
}

/// What was demanded and what was said.
#[derive(Debug, Default)]
struct Compared {
    /// Demanded, with the map's confidence.
    demanded: BTreeMap<Line, Option<&'static str>>,
    /// Of the map, with the confidence and whether the server lists them.
    said: BTreeMap<Line, (&'static str, bool)>,
}

/// Compares the two answers about a definition.
pub(super) fn judge(
    tree: &Tree,
    words: Words,
    (symbol, answer): (&Symbol, &Answer),
    lines: &Lines,
) -> Verdict {
    let mut files: BTreeMap<String, Places> = BTreeMap::new();
    let mut verdict = Verdict::default();
    let Symbol { file, line, within, name, shared, .. } = symbol;
    let shared = if *shared { "shared" } else { "unique" };
    verdict.title = format!("{file}:{line} {within}.{name} ({shared})");
    let listed: BTreeSet<Line> = answer.places.iter().map(|place| (place.file.clone(), place.line)).collect();
    let demanded = answer.places.iter().filter(|place| !place.kin);
    let mut is_import = |file: &str, line: u64| {
        let places = files.entry(file.to_owned()).or_insert_with(|| Places::of(&tree.read(file), words));
        places.is_import(line)
    };
    for place in demanded {
        let at = (place.file.clone(), place.line);
        if !is_import(&place.file, place.line) {
            verdict.uses.demanded.insert(at.clone(), lines.get(&at).copied());
        }
    }
    for (at, level) in lines {
        if !is_import(&at.0, at.1) {
            verdict.uses.said.insert(at.clone(), (level, listed.contains(at)));
        }
    }
    verdict
}

impl fmt::Display for Verdict {
    /// What is wrong, for people.
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
            if !listed && *level != "candidate" {
                writeln!(wrong, "  false {level} {file}:{line}")?;
            }
        }
        if wrong.is_empty() { Ok(()) } else { write!(f, "{}\n{wrong}", self.title) }
    }
}

/// Figures of many definitions.
#[derive(Debug, Default)]
pub(super) struct Score {
    unique: Tally,
    shared: Tally,
}

/// Lines counted.
#[derive(Clone, Debug, Default)]
struct Tally {
    definitions: usize,
    demanded: usize,
    /// Demanded lines that the map has, by level.
    found: [usize; LEVELS.len()],
    /// Lines of the map, and those which the server lists, by level.
    said: [(usize, usize); LEVELS.len()],
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
            said.0 += 1;
            said.1 += usize::from(*listed);
        }
    }

    fn sum(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.definitions += other.definitions;
        sum.demanded += other.demanded;
        for level in 0..LEVELS.len() {
            sum.found[level] += other.found[level];
            sum.said[level].0 += other.said[level].0;
            sum.said[level].1 += other.said[level].1;
        }
        sum
    }

    fn figures(&self, name: &str, text: &mut String) -> fmt::Result {
        let resolved: usize = self.found[..LEVELS.len() - 1].iter().sum();
        let all: usize = self.found.iter().sum();
        let said =
            self.said[..LEVELS.len() - 1].iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        writeln!(
            text,
            "{name:<14} {} definitions, {} references: recall {} resolved, {} with candidates; precision {}",
            self.definitions,
            self.demanded,
            share(resolved, self.demanded),
            share(all, self.demanded),
            share(said.1, said.0),
        )?;
        for (level, (said, right)) in LEVELS.iter().zip(self.said).filter(|(_, said)| said.0 > 0) {
            let found = self.found[place(level)];
            writeln!(
                text,
                "    {level:<10} precision {} ({right} of {said}), finds {}",
                share(right, said),
                share(found, self.demanded)
            )?;
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
