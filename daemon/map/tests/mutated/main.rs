//! Checks that no source file, however broken, ends the daemon: for every language in the table, mutants of a sample
//! are extracted, encoded, read back, and put into a map that is then queried.
//!
//! Grammars are foreign C code, so each language is tried in a process of its own: this same test, started again. If
//! that process dies, the test names the mutant and keeps it. `HOB_MUTANTS` is the number of mutants of each language,
//! `HOB_MUTANT_SEED` varies them, `HOB_MUTANT_OF` tries one language alone (`Python`), or one mutant (`Python:17`):
//!
//! ```text
//! HOB_MUTANTS=2000 HOB_MUTANT_SEED=7 cargo test --release -p hob-map --test mutated -- --nocapture
//! ```
//!
//! A language's sample is the part of `samples.txt` with one of its file name endings.

mod mutants;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hob_base::{CancelToken, FileId, WsPath};
use hob_map::facts::DefIdx;
use hob_map::graph::{Direction, EdgeKinds, KindFilter, NeighborsQuery, NodeRef, SearchQuery};
use hob_map::langs::{LangSpec, TABLE};
use hob_map::{FileFacts, Map, MapChange, extract, persist};
use mutants::{Mutant, make_mutant};

/// Number of mutants of each language, few enough for a slow machine.
const FEW: usize = 150;
/// Most nested levels, if few mutants are tried: some grammars take minutes for [`DEEPEST`].
const DEEP: usize = 3_000;
/// Most nested levels, if many mutants are tried.
const DEEPEST: usize = 100_000;
/// Length of the longest files in the queried map, in bytes; longer ones add nothing new.
const ASKED: usize = 1 << 15;
/// The variable that tells a process to try one language.
const CHILD: &str = "HOB_MUTANT_CHILD";

const SAMPLES: &str = include_str!("samples.txt");

fn number_from_env(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")))
}

/// Returns the samples as pairs of ending and text.
fn samples() -> Vec<(&'static str, &'static str)> {
    let parts = SAMPLES.split("//- /sample.").skip(1);
    parts.map(|part| part.split_once('\n').expect("a sample is a page")).collect()
}

/// A language with its sample and the samples of the others.
struct MutantSubject {
    spec: &'static LangSpec,
    ending: &'static str,
    sample: &'static str,
    others: Vec<&'static str>,
    seed: u64,
}

impl MutantSubject {
    fn new(spec: &'static LangSpec) -> Self {
        let is_own = |ending: &str| spec.extensions.contains(&ending);
        let own = samples().into_iter().find(|(ending, _)| is_own(ending));
        let (ending, sample) = own.unwrap_or_else(|| {
            panic!("put a page of {} into samples.txt, with all that its grammar knows", spec.name)
        });
        let others = samples().into_iter().filter(|(ending, _)| !is_own(ending)).map(|(_, text)| text);
        Self {
            spec,
            ending,
            sample,
            others: others.collect(),
            seed: number_from_env("HOB_MUTANT_SEED").unwrap_or(1),
        }
    }

    /// Finds a language by its name, as `{:?}` writes it.
    fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|spec| format!("{:?}", spec.lang) == name).map(Self::new)
    }

    fn nth_mutant(&self, number: usize) -> Mutant {
        let deepest = if number_from_env("HOB_MUTANTS").is_some() { DEEPEST } else { DEEP };
        make_mutant(self.sample, &self.others, deepest, self.seed, number)
    }

    /// Extracts a mutant, and checks that the facts are those of a file and survive encoding.
    fn extract_mutant(&self, mutant: &Mutant) -> FileFacts {
        let facts = extract(self.spec.lang, &format!("sample.{}", self.ending), &mutant.bytes);
        let lines = 1 + mutant.bytes.iter().filter(|byte| **byte == b'\n').count() as u32;
        for (index, def) in facts.defs_indexed() {
            assert!(def.parent.is_none_or(|parent| parent < index), "a parent comes first: {def:?}");
            assert!(1 <= def.lines.0 && def.lines.0 <= def.lines.1 && def.lines.1 <= lines, "{def:?}");
            assert!(def.bytes.0 <= def.bytes.1 && def.bytes.1 as usize <= mutant.bytes.len(), "{def:?}");
            assert!(!facts.name(def.name).is_empty(), "{def:?}");
        }
        let known = |owner: Option<DefIdx>| owner.is_none_or(|owner| owner.index() < facts.defs.len());
        for found in &facts.refs {
            assert!(1 <= found.line && found.line <= lines && known(found.owner), "{found:?}");
        }
        assert!(facts.imports.iter().all(|import| import.line <= lines && known(import.owner)));
        let kept = persist::decode(&persist::encode(&facts)).expect("what was just written can be read");
        assert!(kept == facts, "facts come back as they were kept");
        facts
    }
}

/// Tries the mutants of one language; prints the number of each before.
fn try_mutants(subject: &MutantSubject, numbers: impl Iterator<Item = usize>) {
    let (mut changes, mut slowest) = (Vec::new(), (Duration::ZERO, String::new()));
    let mut total = Duration::ZERO;
    for number in numbers {
        let mutant = subject.nth_mutant(number);
        println!("at {number}: {}, {} bytes", mutant.what, mutant.bytes.len());
        let start = Instant::now();
        let facts = subject.extract_mutant(&mutant);
        total += start.elapsed();
        slowest = slowest.max((start.elapsed(), format!("{number} ({})", mutant.what)));
        if mutant.bytes.len() <= ASKED {
            let path = WsPath::new(&format!("m/f{number}.{}", subject.ending)).expect("a relative path");
            changes.push(MapChange::Set { file: FileId(number as u32), path, facts: Arc::new(facts) });
        }
    }
    println!("at the map of {} files", changes.len());
    ask_map(changes);
    println!("all in {total:.1?}, longest {:.1?} for {}", slowest.0, slowest.1);
}

/// Builds a map of the mutants, and queries it about some of them.
fn ask_map(changes: Vec<MapChange>) {
    let files: Vec<FileId> = changes
        .iter()
        .map(|change| match change {
            MapChange::Set { file, .. } | MapChange::Remove { file } => *file,
        })
        .collect();
    let mut map = Map::new();
    map.apply(changes);
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 200) {}
    map.install_derived(job.finish());
    for file in files.iter().step_by(1 + files.len() / 50) {
        let Some(def) = map.defs_of(*file).into_iter().next_back() else { continue };
        let info = map.info(NodeRef::Def(def)).expect("a definition is known");
        let query = SearchQuery { text: &info.name, kinds: KindFilter::Any, path_prefix: "", limit: 20 };
        let found = map.search(&query);
        assert!(found.total > 0, "{} is found by its name", info.id);
        let _ = map.neighbors(&NeighborsQuery {
            node: NodeRef::Def(def),
            direction: Direction::Both,
            kinds: EdgeKinds::ALL,
            depth: 2,
            max_nodes: 50,
            family: false,
            cancel: CancelToken::default(),
        });
        map.apply(vec![MapChange::Remove { file: *file }]);
    }
    assert!(map.stats().files <= files.len());
}

/// Starts this test again for one language.
fn start(subject: &MutantSubject, only: Option<usize>) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a running program has a path"));
    command.args(["--exact", "no_file_is_too_broken", "--nocapture", "--test-threads=1"]);
    let of = format!("{:?}:{}", subject.spec.lang, only.map_or(String::new(), |number| number.to_string()));
    command.env(CHILD, of).output().expect("a test can be started again")
}

/// Tries the mutants of a subject in another process, and returns a description of the failure; `None` if there was
/// none.
fn run_outcome(subject: &MutantSubject, only: Option<usize>) -> Option<String> {
    let Output { status, stdout, stderr } = start(subject, only);
    let (said, told) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    let lang = subject.spec.lang;
    if status.success() {
        said.lines().filter(|line| line.starts_with("all in")).for_each(|line| println!("{lang:?}: {line}"));
        assert!(said.contains("all in"), "{lang:?} was not tried at all: {said}");
        return None;
    }
    let last = said.lines().rfind(|line| line.starts_with("at ")).unwrap_or("at nothing");
    let number = last.strip_prefix("at ").and_then(|rest| rest.split_once(':')?.0.parse().ok());
    let kept = number.map(|number| keep_mutant(subject, number));
    let end: String = told.lines().filter(|line| !line.is_empty()).take(8).collect::<Vec<_>>().join("\n  ");
    Some(format!("{lang:?} {last}: {status}, kept as {kept:?}\n  {end}"))
}

fn keep_mutant(subject: &MutantSubject, number: usize) -> PathBuf {
    let name = format!("mutant-{number}-of-{}.{}", subject.seed, subject.ending);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, subject.nth_mutant(number).bytes)
        .expect("cargo's folder for tests can be written to");
    path
}

/// Reads a language and perhaps a number, as `Python:17`.
fn parse(of: &str) -> (MutantSubject, Option<usize>) {
    let (name, number) = of.split_once(':').unwrap_or((of, ""));
    let subject = MutantSubject::from_name(name).unwrap_or_else(|| panic!("no language is called {name}"));
    (subject, number.parse().ok())
}

#[test]
fn no_file_is_too_broken() {
    let count = number_from_env("HOB_MUTANTS").map_or(FEW, |number| number as usize);
    if let Ok(of) = std::env::var(CHILD) {
        let (subject, only) = parse(&of);
        return try_mutants(&subject, only.map_or(0..count, |number| number..number + 1));
    }
    let wanted = match std::env::var("HOB_MUTANT_OF") {
        Ok(of) => VecDeque::from([parse(&of)]),
        Err(_) => TABLE.iter().map(|spec| (MutantSubject::new(spec), None)).collect(),
    };
    let wanted = Mutex::new(wanted);
    let next = || wanted.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let try_one = |(subject, only): (MutantSubject, Option<usize>)| run_outcome(&subject, only);
    let work = || std::iter::from_fn(next).filter_map(try_one).collect::<Vec<String>>();
    let failures = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let own = work();
        [own, other.join().expect("it does not panic")].concat()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
