//! Compares the map with other programs that find the callers of functions: codegraph, codanna and indexio, on the same
//! definitions.
//!
//! This is here and not in `tests/bench`, because the expected answers are here: the same rows, the same draw, and the
//! same language servers' answers as in the comparison with servers. It measures no time. It has no golden file either,
//! because the other programs are not pinned, so it runs only if it is asked to: with `HOB_MAP_NEIGHBOURS=1` and the
//! programs on the `PATH`. Programs that are not installed are left out, and this is printed. Without
//! `HOB_MAP_TRUTH_FULL` the first [`super::QUICK`] definitions are asked about.
//!
//! The other programs name functions and not lines. So a pair counts: a definition, and a function (see [`judge`]) that
//! uses it. A use outside of every function is left out on all sides. There are two tables:
//!
//! - *callers*: required are functions with a use that looks like a call (the name, then a parenthesis). All programs
//!   are asked for these; of hob's edges, `calls` count.
//! - *references*: required are functions with any use. codanna is also asked for users, implementors and extenders,
//!   and hob for every kind of edge. The others answer no further question.
//!
//! Any use that the server lists makes a claim right, including a use of what the definition overrides or what
//! overrides it. If the server lists none in a function that is claimed, it is asked for the meaning of the name at
//! every place there. A claim is wrong only if the server knows all of these, and unjudged otherwise. This holds for
//! hob and for the other programs.
//!
//! `HOB_MAP_TRUTH_SHOW=<folder>` writes the functions that hob misses, with the programs that have them, and hob's own
//! false claims, by line and by function.

mod judge;
mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use hob_tests::{Tree, World};

use super::hob::{self, Asked};
use super::rows::{self, Row};
use super::score::{self, Line, Score, Verdict};
use super::server::{Answer, Symbol, Truth};
use judge::{Function, Judge, Judged};
use programs::Neighbour;

/// The names of the two questions.
const TABLES: [&str; 2] = ["callers", "references"];

/// The two ways to count hob's edges: without and with those that are only possible.
const HOB: [&str; 2] = ["hob", "hob, candidates too"];

/// The functions in an answer, by question.
type Functions = [BTreeSet<Function>; 2];

/// Everything that is asked.
struct Comparison<'a> {
    row: &'a Row,
    tree: &'a Tree,
    truth: &'a Truth,
    judge: Judge<'a>,
    hob: Asked,
    neighbours: Vec<Neighbour>,
    /// The tallies by question, by the group of definitions, and by program in the order of a case's claims.
    tallies: BTreeMap<(usize, String, usize), Tally>,
    /// hob's figures by line.
    lines: Score,
    shown: String,
}

/// One definition, and the answers of all programs about it.
struct Case<'a> {
    /// The name of the figures that the case belongs to.
    which: String,
    title: String,
    group: Vec<&'a Symbol>,
    demanded: Functions,
    /// The functions with any use that the server lists.
    listed: BTreeSet<Function>,
    /// The claims of hob, without and with candidates, and of the other programs.
    claims: Vec<Functions>,
}

fn compared(row: &Row) {
    if std::env::var_os("HOB_MAP_NEIGHBOURS").is_none() {
        println!("HOB_MAP_NEIGHBOURS is not set: nothing is compared");
        return;
    }
    let (world, servers) = (World::new().env("PATH", "/nonexistent"), World::new());
    let tree = super::tree(row, &world);
    let (truth, _) = Truth::of(row, &tree);
    let mut hob = Asked::new(world.mcp(&tree));
    let asked_about = truth.answers.iter().flat_map(|answer| answer.group(&truth.symbols)).collect();
    hob.find(&truth.symbols, &asked_about);
    let mut comparison = Comparison {
        row,
        tree: &tree,
        truth: &truth,
        judge: Judge::new(row, &tree, &servers),
        hob,
        neighbours: programs::all(&servers, &tree),
        tallies: BTreeMap::new(),
        lines: Score::default(),
        shown: String::new(),
    };
    truth.answers.iter().for_each(|answer| comparison.take(answer));
    comparison.judge.keep();
    super::show(&format!("{}-neighbours", row.name), &comparison.shown);
    comparison.print();
}

impl<'a> Comparison<'a> {
    fn take(&mut self, answer: &'a Answer) {
        let case = self.case(answer);
        for table in 0..TABLES.len() {
            for program in 0..case.claims.len() {
                let tally = self.tally(&case, table, program);
                let key = (table, case.which.clone(), program);
                self.tallies.entry(key).or_default().add(&tally);
            }
        }
        let differences: String = (0..TABLES.len()).map(|table| self.differences(&case, table)).collect();
        if !differences.is_empty() {
            self.shown.push_str(&format!("{}\n{differences}", case.title));
        }
    }

    fn case(&mut self, answer: &'a Answer) -> Case<'a> {
        let symbols = &self.truth.symbols;
        let symbol = &symbols[answer.symbol];
        let Symbol { file, line, within, name, shared, .. } = symbol;
        let is_named = self.row.also.iter().any(|also| *also == (file, name));
        let which = match (is_named, shared) {
            (true, _) => format!("{name} of {file}"),
            (_, true) => "shared names".to_owned(),
            (_, false) => "unique names".to_owned(),
        };
        let (_, calls) = self.of_hob(answer, &["calls"]);
        let (verdict, uses) = self.of_hob(answer, &hob::KINDS);
        if !is_named {
            self.lines.add(symbol, &verdict);
            self.shown.push_str(&verdict.to_string());
        }
        let demanded: BTreeSet<Line> = verdict.demanded().cloned().collect();
        let listed = answer.places.iter().filter_map(|place| self.judge.function(&place.file, place.line));
        let listed = listed.collect();
        let mut claims = Vec::from([0, 1].map(|most| [calls[most].clone(), uses[most].clone()]));
        for neighbour in &self.neighbours {
            let told = neighbour.told(symbols, answer);
            claims.push([told.calls, told.uses].map(|said| {
                said.iter().filter_map(|(file, line)| self.judge.function(file, *line)).collect()
            }));
        }
        Case {
            title: format!("{file}:{line} {within}.{name} ({which})"),
            which,
            group: answer.group(symbols).map(|at| &symbols[at]).collect(),
            demanded: self.demanded(answer, &demanded),
            listed,
            claims,
        }
    }

    /// Returns the required functions: those with calls, and those with any use.
    fn demanded(&mut self, answer: &Answer, lines: &BTreeSet<Line>) -> Functions {
        let name = &self.truth.symbols[answer.symbol].name;
        let mut demanded = Functions::default();
        for place in answer.places.iter().filter(|place| !place.kin) {
            if !lines.contains(&(place.file.clone(), place.line)) {
                continue;
            }
            let Some(function) = self.judge.function(&place.file, place.line) else { continue };
            if self.judge.is_call(place, name) {
                demanded[0].insert(function.clone());
            }
            demanded[1].insert(function);
        }
        demanded
    }

    /// Returns hob's answer: by line, and as the functions with uses, without and with candidates.
    fn of_hob(&mut self, answer: &Answer, kinds: &[&str]) -> (Verdict, [BTreeSet<Function>; 2]) {
        let lines = self.hob.uses(&self.truth.symbols, answer, kinds);
        let verdict = score::judge(self.tree, self.row.words, self.truth, answer, &lines);
        let mut said = [BTreeSet::new(), BTreeSet::new()];
        for ((file, line), level) in verdict.said() {
            let Some(function) = self.judge.function(file, *line) else { continue };
            if level != "candidate" {
                said[0].insert(function.clone());
            }
            said[1].insert(function);
        }
        (verdict, said)
    }

    fn judged(&mut self, case: &Case<'_>, claim: &Function) -> Judged {
        if case.listed.contains(claim) { Judged::Right } else { self.judge.looks(claim, &case.group) }
    }

    fn tally(&mut self, case: &Case<'_>, table: usize, program: usize) -> Tally {
        let (demanded, claims) = (&case.demanded[table], &case.claims[program][table]);
        let resolved = &case.claims[0][table];
        let mut tally = Tally { definitions: 1, demanded: demanded.len(), ..Tally::default() };
        for found in demanded.intersection(claims) {
            tally.found += 1;
            tally.ahead += usize::from(!resolved.contains(found));
        }
        for claim in claims {
            match self.judged(case, claim) {
                Judged::Right => tally.right += 1,
                Judged::Wrong => tally.wrong += 1,
                Judged::Unknown => tally.unknown += 1,
            }
        }
        tally
    }

    /// Lists the uses that hob misses, with the programs that have them, and its false ones.
    fn differences(&mut self, case: &Case<'_>, table: usize) -> String {
        let mut text = String::new();
        let mut note = |what: &str, (file, first, last): &Function| {
            writeln!(text, "  {} {what} {file}:{first}-{last}", TABLES[table]).expect("a string takes it");
        };
        for missed in case.demanded[table].difference(&case.claims[0][table]) {
            let have =
                case.claims.iter().enumerate().skip(1).filter(|(_, claims)| claims[table].contains(missed));
            let have: Vec<String> = have.map(|(program, _)| self.name(program)).collect();
            note(&format!("missed (had by: {})", have.join(", ")), missed);
        }
        for claim in &case.claims[0][table] {
            if self.judged(case, claim) == Judged::Wrong {
                note("false", claim);
            }
        }
        text
    }

    fn name(&self, program: usize) -> String {
        HOB.get(program)
            .map_or_else(|| self.neighbours[program - HOB.len()].name(), |name| (*name).to_owned())
    }

    fn print(&self) {
        println!("# {}, by function", self.row.title());
        let mut before = None;
        for ((table, which, program), tally) in &self.tallies {
            if before.replace((table, which)) != Some((table, which)) {
                let Tally { definitions, demanded, .. } = tally;
                println!("{}, {which}: {definitions} definitions, {demanded} demanded", TABLES[*table]);
            }
            println!("    {:<20} {tally}", self.name(*program));
        }
        println!("# hob by line, every kind of use\n{}", self.lines.figures("lines"));
    }
}

/// The figures of one program.
#[derive(Debug, Default)]
struct Tally {
    definitions: usize,
    demanded: usize,
    found: usize,
    right: usize,
    wrong: usize,
    unknown: usize,
    /// The functions that are required, found by this program and not resolved by hob.
    ahead: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.definitions += other.definitions;
        self.demanded += other.demanded;
        self.found += other.found;
        self.right += other.right;
        self.wrong += other.wrong;
        self.unknown += other.unknown;
        self.ahead += other.ahead;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, whole: usize| match whole {
            0 => "-".to_owned(),
            _ => format!("{:.3}", part as f64 / whole as f64),
        };
        let (recall, precision) =
            (share(self.found, self.demanded), share(self.right, self.right + self.wrong));
        let Self { found, demanded, wrong, unknown, ahead, .. } = self;
        write!(
            f,
            "recall {recall:>5} ({found} of {demanded}, {ahead} of them not resolved by hob)  \
             precision {precision:>5} ({wrong} false, {unknown} unjudged)",
        )
    }
}

#[test]
fn django_beside_the_neighbours() {
    compared(&rows::DJANGO);
}

#[test]
fn rxjs_beside_the_neighbours() {
    compared(&rows::RXJS);
}
