//! The dirty set's own code (`daemon/workspace/src/dirty.rs`) under thousands of schedules of its threads, drawn by chance: whoever
//! asks gets an answer that has seen every write before, also one of which no event tells.
//!
//! The indexer, `map_rebuild` and two callers take the steps that `daemon/host/src/workspace.rs` and `indexer.rs` take around the
//! dirty set; a file is a number. What it is not: exhaustive. The models beside it are, and simpler than the code.

use std::panic::catch_unwind;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::atomic::{AtomicU64, Ordering};
use shuttle::sync::{Arc, Mutex};
use shuttle::{Config, Runner, thread};

use crate::dirty::{Debounce, DirtySet, UnreportedChange};

/// Schedules that are tried, the same in every run.
const SCHEDULES: usize = 3_000;
const SEED: u64 = 1;
/// Changes of the schedule that each of the biased ones makes (probabilistic concurrency testing, Burckhardt et al. 2010).
const DEPTH: usize = 3;
const WRITES: u64 = 2;

/// The steps that a caller leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// It does not wait for what others found.
    FoundByOthersIsIgnored,
    /// It does not wait for `map_rebuild`.
    RescanIsIgnored,
}

/// One file and its index.
struct Project {
    dirty: DirtySet,
    disk: AtomicU64,
    /// What was read last, by whomever.
    record: AtomicU64,
    index: AtomicU64,
    /// Held by whoever reads the file and publishes it.
    core: Mutex<()>,
}

impl Project {
    fn new() -> Self {
        let at_once = Debounce { quiet: Duration::ZERO, max: Duration::ZERO };
        Self {
            dirty: DirtySet::new(at_once),
            disk: AtomicU64::new(0),
            record: AtomicU64::new(0),
            index: AtomicU64::new(0),
            core: Mutex::new(()),
        }
    }

    fn read_and_publish(&self) {
        let _core = self.core.lock().expect("nobody panics in it");
        let version = self.disk.load(Ordering::SeqCst);
        self.record.store(version, Ordering::SeqCst);
        self.index.store(version, Ordering::SeqCst);
    }

    fn run_indexer(&self) {
        while let Some(batch) = self.dirty.next_batch() {
            self.read_and_publish();
            self.dirty.settle(batch.marks);
        }
    }

    fn rebuild(&self) {
        let _in_hand = self.dirty.begin_rescan();
        self.read_and_publish();
    }

    /// Asks once, and has to see what was written before.
    fn ask(&self, flaw: Flaw) {
        let before = self.disk.load(Ordering::SeqCst);
        let settle = |marks| self.dirty.wait_settled(marks, Deadline::NEVER).expect("nobody closes it");
        settle(self.dirty.mark_count());
        if self.disk.load(Ordering::SeqCst) != self.record.load(Ordering::SeqCst) {
            self.dirty.mark_found(UnreportedChange::Path(file()));
            settle(self.dirty.mark_count());
        } else {
            if flaw != Flaw::RescanIsIgnored {
                self.dirty.wait_for_rescans(Deadline::NEVER).expect("nobody closes it");
            }
            if flaw != Flaw::FoundByOthersIsIgnored {
                settle(self.dirty.found_count());
            }
        }
        let answer = self.index.load(Ordering::SeqCst);
        assert!(answer >= before, "an answer of version {answer}, asked after {before}");
    }
}

fn file() -> WsPath {
    WsPath::new("a").expect("a path of a workspace")
}

/// A part that one thread plays.
type Part = fn(&Project, Flaw);

const WRITER: Part =
    |project, _| (1..=WRITES).for_each(|version| project.disk.store(version, Ordering::SeqCst));
const EVENT: Part = |project, _| project.dirty.mark(file());
const REBUILD: Part = |project, _| project.rebuild();

/// The indexer and these parts at once, until all have ended.
fn play(parts: &[Part], flaw: Flaw) {
    let project = Arc::new(Project::new());
    let start = |part: Part| {
        let project = Arc::clone(&project);
        thread::spawn(move || part(&project, flaw))
    };
    let indexer = start(|project, _| project.run_indexer());
    let others: Vec<_> = parts.iter().map(|part| start(*part)).collect();
    others.into_iter().for_each(|other| other.join().expect("it ends well"));
    project.dirty.close();
    indexer.join().expect("it ends well");
}

/// Plays under schedules of chance, and under those of few preemptions.
fn explore(parts: &'static [Part], flaw: Flaw, schedules: usize) {
    let random = RandomScheduler::new_from_seed(SEED, schedules);
    Runner::new(random, Config::new()).run(move || play(parts, flaw));
    let biased = PctScheduler::new_from_seed(SEED, DEPTH, schedules);
    Runner::new(biased, Config::new()).run(move || play(parts, flaw));
}

#[test]
fn every_answer_has_seen_the_writes_before_it() {
    explore(&[WRITER, EVENT, REBUILD, Project::ask, Project::ask], Flaw::None, SCHEDULES);
}

#[test]
fn no_flaw_goes_unseen() {
    let flaws: [(Flaw, &[Part]); 2] = [
        (Flaw::FoundByOthersIsIgnored, &[WRITER, EVENT, Project::ask]),
        (Flaw::RescanIsIgnored, &[WRITER, REBUILD, Project::ask]),
    ];
    for (flaw, parts) in flaws {
        let outcome = catch_unwind(|| explore(parts, flaw, 10 * SCHEDULES));
        assert!(outcome.is_err(), "{flaw:?}");
    }
}
