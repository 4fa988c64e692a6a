//! Runs the other programs: they are found on the `PATH`, each indexes a separate copy, and they are asked on the
//! command line.
//!
//! Each gets everything that its own question accepts. codegraph is told the definition's file, and the matching
//! definition in its answer is taken. codanna is asked by the number that it gave the definition. indexio knows only
//! names. None is limited: if a program has a limit, it is set higher than any result.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hob_tests::{Tree, World, copy_folder};
use serde_json::Value;

use super::super::server::{Answer, Symbol};

/// A limit that is higher than the number of any results.
const ALL: &str = "10000000";

/// The places at which a program finds uses: the lines of the uses, or of the functions that contain them.
pub(super) type Said = BTreeSet<(String, u64)>;

/// The program that is compared with hob.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Codegraph,
    Codanna,
    Indexio,
}

/// A program with its index.
#[derive(Debug)]
pub(super) struct Neighbour {
    kind: Kind,
    program: PathBuf,
    copy: PathBuf,
    data: PathBuf,
    home: PathBuf,
}

/// The answer of a program about one definition.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The calls and instantiations.
    pub calls: Said,
    /// The uses of any kind that the program knows, except imports.
    pub uses: Said,
}

/// Returns every installed program, with the tree indexed.
pub(super) fn all(world: &World, tree: &Tree) -> Vec<Neighbour> {
    let found = [("codegraph", Kind::Codegraph), ("codanna", Kind::Codanna), ("indexio", Kind::Indexio)];
    let found = found.into_iter().filter_map(|(name, kind)| match on_path(name) {
        Some(program) => Some(Neighbour::index(kind, program, world, tree)),
        None => {
            println!("{name} is not on the PATH: left out");
            None
        }
    });
    found.collect()
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

impl Neighbour {
    fn index(kind: Kind, program: PathBuf, world: &World, tree: &Tree) -> Self {
        let name = format!("{kind:?}").to_lowercase();
        let (copy, data) = (world.path(&name), world.path(&format!("{name}-data")));
        copy_folder(tree.root(), &copy);
        let neighbour = Self { kind, program, copy, data, home: world.path("home") };
        neighbour.commit();
        match kind {
            Kind::Codegraph => neighbour.must(&["init", "-y"]),
            Kind::Codanna => {
                neighbour.must(&["init"]);
                neighbour.must(&["index", "."]);
            }
            Kind::Indexio => neighbour.must(&["index", "--name", "project", "."]),
        }
        neighbour
    }

    /// Returns the program's name in lower case.
    pub(super) fn name(&self) -> String {
        format!("{:?}", self.kind).to_lowercase()
    }

    /// Commits all files, because two of the programs read what git has.
    fn commit(&self) {
        let _ = fs::remove_dir_all(self.copy.join(".git"));
        for args in [&["init", "-q"][..], &["add", "-A", "-f", "."], &["commit", "-q", "-m", "all"]] {
            let mut git = Command::new("git");
            let name = ["-c", "user.name=hob", "-c", "user.email=hob@example.invalid", "-c", "gc.auto=0"];
            done(git.args(name).args(args).current_dir(&self.copy).env("HOME", &self.home));
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        if matches!(self.kind, Kind::Indexio) {
            command.arg("--data-dir").arg(&self.data);
        }
        command.args(args).current_dir(&self.copy).env("HOME", &self.home);
        command.env("CODEGRAPH_TELEMETRY", "0").env("CODEGRAPH_NO_UPDATE_CHECK", "1");
        command
    }

    fn must(&self, args: &[&str]) {
        done(&mut self.command(args));
    }

    /// Runs the program and parses its output. Returns null if that is not JSON, as for an unknown name.
    fn asked(&self, args: &[&str]) -> Value {
        let output = self.command(args).stdin(Stdio::null()).output().expect("it ran before");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// Asks the program for the callers and the users of a definition.
    pub(super) fn told(&self, symbols: &[Symbol], answer: &Answer) -> Told {
        let group: Vec<&Symbol> = answer.group(symbols).map(|at| &symbols[at]).collect();
        let mut told = Told::default();
        match self.kind {
            Kind::Codegraph => {
                files(&group).for_each(|file| self.codegraph(&group, file, &mut told));
            }
            Kind::Codanna => self.codanna(&group, &mut told),
            Kind::Indexio => self.indexio(&group[0].name, &mut told),
        }
        told
    }

    fn codegraph(&self, group: &[&Symbol], file: &str, told: &mut Told) {
        let name = &group[0].name;
        let answer = self.asked(&["callers", "--json", "--limit", ALL, "--file", file, name]);
        let definitions: Vec<&Value> =
            list(&answer["definitions"]).filter(|one| one["definition"]["filePath"] == file).collect();
        let line = |one: &Value| number(&one["definition"]["startLine"]);
        let mut meant = BTreeSet::new();
        for symbol in group.iter().filter(|symbol| symbol.file == file) {
            // A definition may begin with its decorators.
            let nearest = definitions.iter().map(|one| line(one)).filter(|line| *line <= symbol.line).max();
            meant.extend(nearest);
        }
        for caller in
            definitions.iter().filter(|one| meant.contains(&line(one))).flat_map(|one| list(&one["callers"]))
        {
            let relations: Vec<&str> = list(&caller["relationships"]).filter_map(Value::as_str).collect();
            let place = (text(&caller["filePath"]), number(&caller["startLine"]));
            // A statement about a file concerns no function, although the file's first line may be in one.
            if caller["kind"] == "file" || relations == ["imports"] {
                continue;
            }
            if relations.iter().any(|relation| ["calls", "instantiates"].contains(relation)) {
                told.calls.insert(place.clone());
            }
            told.uses.insert(place);
        }
    }

    fn codanna(&self, group: &[&Symbol], told: &mut Told) {
        let found = self.asked(&["retrieve", "symbol", &group[0].name, "--json"]);
        let found: Vec<&Value> = list(&found["data"]).collect();
        for symbol in group {
            // Its lines count from 0.
            let is_there = |one: &&&Value| {
                let range = &one["symbol"]["range"];
                let lines = number(&range["start_line"]) + 1..=number(&range["end_line"]) + 1;
                file_of(&one["symbol"]) == symbol.file && lines.contains(&symbol.line)
            };
            let start = |one: &&&Value| number(&one["symbol"]["range"]["start_line"]);
            let Some(one) = found.iter().filter(is_there).max_by_key(start) else { continue };
            let asked = format!("symbol_id:{}", one["symbol"]["id"]);
            let callers = self.asked(&["retrieve", "callers", &asked, "--json"]);
            for caller in list(&callers["data"]) {
                told.calls.insert(first_line(&caller["symbol"]));
            }
            for relation in ["used_by", "implemented_by", "extended_by"] {
                let users = list(&one["relationships"][relation]);
                told.uses.extend(users.map(|user| first_line(user.get(0).unwrap_or(user))));
            }
        }
        told.uses.extend(told.calls.iter().cloned());
    }

    fn indexio(&self, name: &str, told: &mut Told) {
        let asked =
            ["impact", "--symbol", name, "--depth", "1", "--max-sites", ALL, "--max-fanout", ALL, "--json"];
        let answer = self.asked(&asked);
        assert!(answer["truncated"] != true, "all of it was asked for: {name}");
        for site in list(&answer["sites"]) {
            told.calls.insert((text(&site["path"]), number(&site["line"])));
        }
        told.uses = told.calls.clone();
    }
}

impl Drop for Neighbour {
    /// Ends the daemon that codegraph may have left.
    fn drop(&mut self) {
        let file = self.copy.join(".codegraph/daemon.pid");
        let said: Value =
            fs::read(file).ok().and_then(|said| serde_json::from_slice(&said).ok()).unwrap_or_default();
        if let Some(pid) = said["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()) {
            hob_tests::kill_hard(pid);
        }
    }
}

/// Returns the files that contain declarations, each once.
fn files<'s>(group: &[&'s Symbol]) -> impl Iterator<Item = &'s str> {
    group.iter().map(|symbol| symbol.file.as_str()).collect::<BTreeSet<_>>().into_iter()
}

fn first_line(symbol: &Value) -> (String, u64) {
    (file_of(symbol), number(&symbol["range"]["start_line"]) + 1)
}

fn file_of(symbol: &Value) -> String {
    Path::new(symbol["file_path"].as_str().unwrap_or_default())
        .strip_prefix("./")
        .unwrap_or(Path::new(symbol["file_path"].as_str().unwrap_or_default()))
        .display()
        .to_string()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn done(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
