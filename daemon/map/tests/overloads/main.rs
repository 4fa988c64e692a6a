//! Compares the overloads that the map chooses with those that compilers choose, in programs generated from a seed.
//!
//! Each program has functions of one name that differ by their parameters, and calls of them. `javac` tells by the
//! class file which method a call means, `g++` by the type that the call returns; calls that they do not accept are
//! excluded. Every sure answer of the map has to be the compiler's: a wrong one fails the test. A call that stays open
//! has no answer. If a compiler is not installed, the test checks nothing, and says so.
//!
//! ```text
//! HOB_OVERLOAD_PROGRAMS=200 HOB_OVERLOAD_SEED=7 cargo test -p hob-map --test overloads -- --nocapture
//! ```

mod cpp;
mod java;
mod random;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use hob_base::{FileId, WsPath};
use hob_map::graph::Confidence;
use hob_map::locals::NamePlace;
use hob_map::meaning::{Meaning, NameInFile};
use hob_map::{Map, MapChange, extract, language_of};

use random::Random;

/// Number of programs of each language, few enough for a slow machine.
const FEW: usize = 12;

/// A program in one file.
pub(crate) struct Program {
    /// The path of the file.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
}

/// A call on a line of its own.
pub(crate) struct Call {
    pub(crate) line: u32,
    /// The called name.
    pub(crate) name: &'static str,
}

/// The lines of the functions that the compiler chooses, by the lines of the calls.
pub(crate) type CalledLines = BTreeMap<u32, u32>;

/// The result of comparing all calls.
#[derive(Default)]
struct Comparison {
    right: usize,
    open: usize,
    wrong: Vec<String>,
}

impl Comparison {
    fn compare_program(&mut self, program: &Program, called: &CalledLines) {
        let map = map_of(program);
        for call in &program.calls {
            let Some(expected) = called.get(&call.line) else { continue };
            match sure_line(&map, program, call) {
                None => self.open += 1,
                Some(line) if line == *expected => self.right += 1,
                Some(line) => self.wrong.push(describe(program, call, line, *expected)),
            }
        }
    }

    #[track_caller]
    fn assert_none_wrong(&self, compiler: &str) {
        println!(
            "{compiler}: {} calls as the compiler has them, {} open, {} wrong",
            self.right,
            self.open,
            self.wrong.len()
        );
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(self.right > 0, "the map tells no call");
    }
}

fn map_of(program: &Program) -> Map {
    let path = WsPath::from_path(Path::new(&program.path)).expect("a relative path");
    let lang = language_of(path.file_name(), program.text.as_bytes()).expect("a known language");
    let facts = Arc::new(extract(lang, path.file_name(), program.text.as_bytes()));
    let mut map = Map::new();
    map.apply(vec![MapChange::Set { file: FileId(0), path, facts }]);
    map
}

/// Returns the line of the function that the map surely means.
fn sure_line(map: &Map, program: &Program, call: &Call) -> Option<u32> {
    let line = program.text.lines().nth(call.line as usize - 1)?;
    let col = line.find(&format!("{}(", call.name))? as u32 + 1;
    let at = NamePlace { line: call.line, col };
    let name = NameInFile { path: &program.path, at, word: call.name };
    let Meaning::Nodes(nodes) = map.meaning_at(name, None) else { return None };
    let mut sure = nodes.into_iter().filter(|(_, confidence)| *confidence < Confidence::Name);
    Some(map.info(sure.next()?.0)?.name_at.0)
}

fn describe(program: &Program, call: &Call, found: u32, expected: u32) -> String {
    let line = |number: u32| program.text.lines().nth(number as usize - 1).unwrap_or_default().trim();
    let named: Vec<&str> =
        program.text.lines().filter(|line| line.contains(&format!(" {}(", call.name))).collect();
    format!(
        "{}:{}: `{}` means `{}`, the map says `{}`, of:\n{}",
        program.path,
        call.line,
        line(call.line),
        line(expected),
        line(found),
        named.join("\n")
    )
}

/// A temporary folder that is deleted when the test ends.
pub(crate) struct TemporaryFolder(pub(crate) PathBuf);

impl TemporaryFolder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hob-overloads-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Runs a compiler; `None` if it is not installed.
pub(crate) fn run(command: &mut Command) -> Option<Output> {
    match command.env("LC_ALL", "C").output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: {:?} does not run: {error}", command.get_program());
            None
        }
    }
}

fn number_from_env(name: &str, otherwise: usize) -> usize {
    let number = std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    number.unwrap_or(otherwise)
}

/// Compares programs of a language: `make` makes one, `compile` returns the compiler's choices for all.
fn compare_programs(
    compiler: &str,
    make: fn(usize, &mut Random) -> Program,
    compile: fn(&Path, &[Program]) -> Option<Vec<CalledLines>>,
) {
    let seed = number_from_env("HOB_OVERLOAD_SEED", 1);
    let mut random = Random::new(seed as u64);
    let count = number_from_env("HOB_OVERLOAD_PROGRAMS", FEW);
    let programs: Vec<Program> = (0..count).map(|number| make(number, &mut random)).collect();
    let folder = TemporaryFolder::new(compiler);
    let Some(called) = compile(&folder.0, &programs) else { return };
    let mut comparison = Comparison::default();
    for (program, called) in programs.iter().zip(&called) {
        comparison.compare_program(program, called);
    }
    comparison.assert_none_wrong(compiler);
}

#[test]
fn overloads_of_java_are_those_of_javac() {
    compare_programs("javac", java::make_program, java::called_lines);
}

#[test]
fn overloads_of_cpp_are_those_of_gcc() {
    compare_programs("g++", cpp::make_program, cpp::called_lines);
}
