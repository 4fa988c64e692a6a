//! The rows: what is measured, against what. One file per theme; this one knows their names and what they share.

mod barrier;
mod busy;
mod calls;
mod clients;
mod cost;
mod editor;
mod growth;
mod hook;
mod idle;
mod index;
mod map;
mod nav;
mod questions;
mod references;
mod regex;
mod render;
mod save;
mod scale;
mod search;
mod share;
mod switch;
mod warm;

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use crate::Args;
use crate::peers::{Codanna, Csearch};
use crate::scratch::Scratch;
use crate::stats::Times;
use crate::world::World;

/// Anything that ends the measurement.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Rounds of rows that take seconds each.
const FEW: usize = 3;

/// The way in which a row is measured.
#[derive(Clone, Copy)]
enum Row {
    /// With daemons and trees of its own.
    Alone(fn(&Args) -> Result<(), Failure>),
    /// On the given tree, with the daemon that such rows share.
    Shared(fn(&Args, &Lab) -> Result<(), Failure>),
    /// The same, on a copy of the tree, because it changes files.
    Writing(fn(&Args, &Lab) -> Result<(), Failure>),
}

/// In the order in which they are measured: those that leave the daemon something to do aside come late.
const ROWS: &[(&str, Row)] = &[
    ("index", Row::Alone(index::index)),
    ("handshake", Row::Alone(calls::handshake)),
    ("noop", Row::Shared(calls::noop)),
    ("hook", Row::Shared(hook::hook)),
    ("render", Row::Shared(render::render)),
    ("first-answer", Row::Shared(calls::first_answer)),
    ("questions", Row::Shared(questions::questions)),
    ("search", Row::Shared(search::search)),
    ("map", Row::Shared(map::map)),
    ("regex", Row::Shared(regex::regex)),
    ("busy", Row::Alone(busy::busy)),
    ("barrier", Row::Shared(barrier::barrier)),
    ("clients", Row::Shared(clients::clients)),
    ("nav", Row::Shared(nav::nav)),
    ("references", Row::Alone(references::references)),
    ("share", Row::Alone(share::share)),
    ("editor", Row::Alone(editor::editor)),
    ("idle", Row::Shared(idle::idle)),
    ("save", Row::Writing(save::save)),
    ("warm", Row::Writing(warm::warm)),
    ("growth", Row::Alone(growth::growth)),
    ("cost", Row::Alone(cost::cost)),
    ("scale", Row::Alone(scale::scale)),
    ("switch", Row::Alone(switch::switch)),
];

/// Returns the names of the rows.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, _)| *name)
}

/// Measures what was asked for.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let wanted = |name: &str| args.rows.is_empty() || args.rows.iter().any(|row| row == name);
    let rows: Vec<(&str, Row)> = ROWS.iter().filter(|(name, _)| wanted(name)).copied().collect();
    let writes = rows.iter().any(|(_, row)| matches!(row, Row::Writing(_)));
    let lab = OnceCell::new();
    println!("tree: {}", args.tree.display());
    for (name, row) in rows {
        match measure_row(row, args, writes, &lab) {
            Err(error) if args.goes_on => {
                println!("  {name} failed: {error}");
                args.sheet.note_absence(name, "the rest of the row", &format!("it failed: {error}"));
            }
            measured => measured?,
        }
    }
    Ok(())
}

fn measure_row(row: Row, args: &Args, writes: bool, lab: &OnceCell<Lab>) -> Result<(), Failure> {
    match row {
        Row::Alone(measure) => measure(args),
        Row::Shared(measure) | Row::Writing(measure) => {
            if lab.get().is_none() {
                let _ = lab.set(Lab::new(args, writes)?);
            }
            measure(args, lab.get().ok_or("it was set")?)
        }
    }
}

/// The given tree, or a copy of it, with the daemon and the neighbours that have indexed it: once, for all rows of a run.
struct Lab {
    world: World,
    /// Time that the index took, if this run made it.
    cold: Option<Duration>,
    codanna: OnceCell<Codanna>,
    csearch: OnceCell<Csearch>,
    /// Dropped last: the others lie in it.
    scratch: Scratch,
}

impl Lab {
    fn new(args: &Args, writes: bool) -> Result<Self, Failure> {
        let scratch = match &args.keep {
            Some(folder) => Scratch::kept(folder)?,
            None => Scratch::new()?,
        };
        let tree = match writes || args.keep.is_some() {
            true => scratch.copy_of(&args.tree)?,
            false => args.tree.clone(),
        };
        let world = World::within(&scratch.at("hob"), &tree)?;
        let known = world.cache().exists();
        let took = time_of(|| world.index())?;
        Ok(Self {
            world,
            cold: (!known).then_some(took),
            codanna: OnceCell::new(),
            csearch: OnceCell::new(),
            scratch,
        })
    }

    /// codanna with its index, if it is to be measured.
    fn codanna(&self, args: &Args) -> Result<Option<&Codanna>, Failure> {
        if let (Some(program), None) = (&args.codanna, self.codanna.get()) {
            let _ = self.codanna.set(Codanna::index(program, &args.tree)?);
        }
        Ok(self.codanna.get())
    }

    /// csearch with its index, if it is to be measured.
    fn csearch(&self, args: &Args) -> Result<Option<&Csearch>, Failure> {
        if let (Some(program), None) = (&args.csearch, self.csearch.get()) {
            let csearch = Csearch::new(program)?;
            csearch.index(&args.tree)?;
            let _ = self.csearch.set(csearch);
        }
        Ok(self.csearch.get())
    }
}

fn timed<T>(times: &mut Times, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let start = Instant::now();
    let out = work()?;
    times.push(start.elapsed());
    Ok(out)
}

fn time_of<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<Duration, Failure> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}
