//! Asks the server for outlines and for the references of the drawn definitions, and keeps its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::lsp::Lsp;
use hob_tests::{Tree, World, target_dir};
use serde_json::{Value, json};

use super::places::Places;
use super::rows::{Row, Words};
use super::{FULL, QUICK, SEED, draw};

/// The version of the questions, to be raised if they change.
const VERSION: u32 = 2;

/// The most unlisted places of a member's name that are examined. Names with more places are too common.
const LOOKED_AT: usize = 40;
/// The same limit for Python, where a fixture of pytest distinguishes hundreds of uses of a member.
const LOOKED_AT_IN_PYTHON: usize = 400;

/// The kinds in the protocol's outline that count as definitions here.
const CLASSES: [u64; 4] = [5, 10, 11, 23];
const METHOD: u64 = 6;
const FUNCTION: u64 = 12;

/// The kinds whose parts are not local to them: modules, namespaces, packages, and rust-analyzer's kind of an `impl`.
const OPEN: [u64; 4] = [2, 3, 4, 19];

/// A definition from the server's outline.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Symbol {
    pub file: String,
    /// The line of its name, from 1. The column is in UTF-16 units.
    pub line: u64,
    pub col: u64,
    pub name: String,
    /// The names around it.
    pub within: String,
    pub kind: u64,
    /// True if the definition is inside a function.
    pub local: bool,
    /// True if several definitions have its name.
    pub shared: bool,
}

impl Symbol {
    /// Returns true if both are declarations of one thing. A type and a function with the same name are two things.
    pub(super) fn is_one_with(&self, other: &Self) -> bool {
        self.home() == other.home()
    }

    /// Returns the properties that all declarations of one thing share.
    pub(super) fn home(&self) -> (&str, &str, &str, bool) {
        (&self.file, &self.within, &self.name, CLASSES.contains(&self.kind))
    }

    pub(super) fn is_member(&self) -> bool {
        self.kind == METHOD
    }
}

/// A place that the server lists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub file: String,
    pub line: u64,
    pub col: u64,
    /// True if the definition at the place only overrides, or is overridden by, the one that was asked about.
    pub kin: bool,
}

/// The references of one definition.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The definition, as an index into the symbols.
    pub symbol: usize,
    pub places: Vec<Place>,
    /// The other declarations of the same thing, as indexes into the symbols.
    pub twins: Vec<usize>,
    /// The lines with its name for which the server does not know the meaning.
    pub unknown: Vec<(String, u64)>,
}

impl Answer {
    /// Returns every declaration of what was asked about, as indexes into the symbols.
    pub(super) fn group<'s>(&'s self, symbols: &'s [Symbol]) -> impl Iterator<Item = usize> + 's {
        let is_one = |at: usize| symbols[at].is_one_with(&symbols[self.symbol]);
        (0..symbols.len()).filter(move |at| is_one(*at) || self.twins.contains(at))
    }
}

/// The server's answers: the symbols, the references, and the lines that it does not see.
#[derive(Debug)]
pub(super) struct Truth {
    pub symbols: Vec<Symbol>,
    /// The answers in the order of the draw.
    pub answers: Vec<Answer>,
    /// The lines that the server does not see, by file: first and last, from 1.
    pub unseen: BTreeMap<String, Vec<(u64, u64)>>,
}

impl Truth {
    /// Reads the kept answers, or asks the server. Also returns true if the answers cover the whole draw.
    pub(super) fn of(row: &Row, tree: &Tree) -> (Self, bool) {
        let kept = target_dir().join(format!("test-env/map-truth-{}.json", row.name));
        let key = key(row);
        if let Some(truth) = Self::read(&kept, &key) {
            return (truth, true);
        }
        let whole = std::env::var_os(FULL).is_some();
        let truth = Self::ask(row, tree, if whole { row.drawn } else { QUICK });
        if whole {
            truth.keep(&kept, &key);
        }
        (truth, whole)
    }

    /// Returns true if the server does not see a line.
    pub(super) fn is_unseen(&self, file: &str, line: u64) -> bool {
        let regions = self.unseen.get(file).into_iter().flatten();
        regions.into_iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    fn ask(row: &Row, tree: &Tree, most: usize) -> Self {
        let world = World::new();
        let files = files_of(tree, row);
        let mut asking = Asking::begin(row, tree, &world);
        let mut symbols: Vec<Symbol> = files.iter().flat_map(|file| asking.outline(file)).collect();
        symbols.sort();
        mark_shared(&mut symbols);
        let mut drawn: Vec<usize> = draw(&symbols, row.drawn).into_iter().take(most).collect();
        let named =
            |(file, name): &(&str, &str)| symbols.iter().position(|s| s.file == *file && s.name == *name);
        drawn.extend(row.also.iter().map(|also| named(also).expect("what a row names is there")));
        asking.settle(&symbols[drawn[0]]);
        let answers = drawn.iter().map(|&symbol| asking.references(&symbols, symbol)).collect();
        let unseen = files.iter().map(|file| (file.clone(), asking.unseen(file, &symbols))).collect();
        Self { symbols, answers, unseen }
    }

    fn keep(&self, path: &Path, key: &str) {
        let symbol = |s: &Symbol| json!([s.file, s.line, s.col, s.name, s.within, s.kind, s.local, s.shared]);
        let place = |p: &Place| json!([p.file, p.line, p.col, p.kin]);
        let answer = |a: &Answer| {
            json!([a.symbol, a.places.iter().map(place).collect::<Vec<_>>(), a.twins, a.unknown])
        };
        let whole = json!({
            "key": key,
            "symbols": self.symbols.iter().map(symbol).collect::<Vec<_>>(),
            "answers": self.answers.iter().map(answer).collect::<Vec<_>>(),
            "unseen": self.unseen,
        });
        // Another run may be reading it.
        let new = path.with_extension(format!("{}", std::process::id()));
        fs::write(&new, whole.to_string()).and_then(|()| fs::rename(&new, path)).expect("it can be kept");
    }

    fn read(path: &Path, key: &str) -> Option<Self> {
        let whole: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        if whole["key"] != key {
            return None;
        }
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let symbols = list(&whole["symbols"]).into_iter().map(|s| Symbol {
            file: text(&s[0]),
            line: number(&s[1]),
            col: number(&s[2]),
            name: text(&s[3]),
            within: text(&s[4]),
            kind: number(&s[5]),
            local: s[6] == true,
            shared: s[7] == true,
        });
        let place = |p: Value| Place {
            file: text(&p[0]),
            line: number(&p[1]),
            col: number(&p[2]),
            kin: p[3] == true,
        };
        let answers = list(&whole["answers"]).into_iter().map(|a| Answer {
            symbol: number(&a[0]) as usize,
            places: list(&a[1]).into_iter().map(place).collect(),
            twins: list(&a[2]).iter().map(|at| number(at) as usize).collect(),
            unknown: list(&a[3]).into_iter().map(|line| (text(&line[0]), number(&line[1]))).collect(),
        });
        let lines = |region: &Value| (number(&region[0]), number(&region[1]));
        let unseen = whole["unseen"].as_object().into_iter().flatten();
        let unseen = unseen.map(|(file, regions)| (file.clone(), list(regions).iter().map(lines).collect()));
        Some(Self { symbols: symbols.collect(), answers: answers.collect(), unseen: unseen.collect() })
    }
}

/// Returns the key of kept answers: everything on which they depend.
pub(super) fn key(row: &Row) -> String {
    format!("{VERSION} {} {} {SEED} {}", row.pin, row.server, row.drawn)
}

/// Marks symbols whose names definitions in different places share.
fn mark_shared(symbols: &mut [Symbol]) {
    let mut homes: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for symbol in symbols.iter() {
        let home = (symbol.file.clone(), symbol.within.clone());
        homes.entry(symbol.name.clone()).or_default().insert(home);
    }
    for symbol in symbols {
        symbol.shared = homes[&symbol.name].len() > 1;
    }
}

/// Returns the definitions that may be drawn: the first declaration of each.
pub(super) fn eligible(symbols: &[Symbol]) -> Vec<usize> {
    let is_test = |symbol: &Symbol| {
        let name = symbol.name.to_lowercase();
        let in_tests = ["test", "tests"].contains(&symbol.within.split('.').next().unwrap_or_default());
        name.starts_with("test") && symbol.file.contains("test") || in_tests
    };
    let fits = |symbol: &Symbol| {
        let constructs = matches!(&*symbol.name, "__init__" | "__new__" | "constructor");
        // What augments another module belongs to that module.
        let augments = symbol.within.starts_with('"');
        !symbol.local && !constructs && !is_test(symbol) && !augments
    };
    let mut seen = BTreeSet::new();
    let found = symbols.iter().enumerate().filter(|(_, symbol)| fits(symbol));
    found.filter(|(_, symbol)| seen.insert(symbol.home())).map(|(at, _)| at).collect()
}

fn start(row: &Row, world: &World, tree: &Tree) -> Lsp {
    let folders = (row.folders)();
    let mut paths: Vec<PathBuf> = folders.clone();
    paths.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    let program = folders.iter().map(|folder| folder.join(row.command[0])).find(|program| program.exists());
    let program = program.unwrap_or_else(|| panic!("{} is in none of {folders:?}", row.command[0]));
    let mut command: Command = world.command(program);
    command.args(&row.command[1..]).envs((row.env)());
    command.env("PATH", std::env::join_paths(paths).expect("plain paths"));
    Lsp::start(command, tree.root(), &(row.speaks)())
}

/// Returns the project's files in the row's language, in order.
fn files_of(tree: &Tree, row: &Row) -> Vec<String> {
    fn list(root: &Path, folder: &Path, files: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the project").flatten() {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            match path.is_dir() {
                _ if hidden => {}
                true => list(root, &path, files),
                false => files.push(path.strip_prefix(root).expect("below").display().to_string()),
            }
        }
    }
    let mut files = Vec::new();
    list(tree.root(), tree.root(), &mut files);
    files.retain(|file| row.endings.iter().any(|ending| file.ends_with(&format!(".{ending}"))));
    files.sort();
    files
}

/// A server that is being asked.
pub(super) struct Asking<'r> {
    lsp: Lsp,
    row: &'r Row,
    tree: &'r Tree,
    /// The texts of all files that may contain references.
    texts: BTreeMap<String, String>,
    /// The places of imports and comments, by file.
    places: BTreeMap<String, Places>,
    /// The meanings of the names at places, which several members with the same name need.
    definitions: BTreeMap<Place, Vec<Place>>,
}

impl<'r> Asking<'r> {
    /// Starts the row's server on a tree.
    pub(super) fn begin(row: &'r Row, tree: &'r Tree, world: &World) -> Self {
        let files = files_of(tree, row);
        let texts = files.iter().map(|file| (file.clone(), tree.read(file))).collect();
        let mut lsp = start(row, world, tree);
        lsp.open(&files[0]);
        lsp.wait_ready();
        Asking { lsp, row, tree, texts, places: BTreeMap::new(), definitions: BTreeMap::new() }
    }

    /// Returns the outline of a file as the server gives it.
    pub(super) fn outlined(&mut self, file: &str) -> Value {
        self.lsp.open(file);
        let params = json!({"textDocument": {"uri": self.lsp.uri(file)}});
        self.lsp.ask("textDocument/documentSymbol", &params).expect("an outline")
    }

    fn outline(&mut self, file: &str) -> Vec<Symbol> {
        let outline = self.outlined(file);
        let text = self.tree.read(file);
        let lines: Vec<&str> = text.lines().collect();
        let mut symbols = Vec::new();
        for symbol in outline.as_array().into_iter().flatten() {
            // gopls lists a method next to its type, with the name `(*Type).method`.
            let method = symbol["name"].as_str().and_then(|name| name.strip_prefix('(')?.split_once(")."));
            let (path, mut symbol) =
                (method.map_or("", |(ty, _)| ty.trim_start_matches('*')), symbol.clone());
            if let Some((_, name)) = method {
                symbol["name"] = json!(name);
            }
            let within = Within { file, lines: &lines, path, local: false };
            within.take(&symbol, &mut symbols);
        }
        symbols
    }

    /// Waits until the server has read everything, which is so when an answer stays the same.
    fn settle(&mut self, symbol: &Symbol) {
        let params = question(&self.lsp, &symbol.file, symbol.line, symbol.col);
        let _ = self.lsp.settled(|lsp| {
            let answer = lsp.ask("textDocument/references", &params);
            answer.ok().and_then(|places| places.as_array().map(Vec::len))
        });
    }

    fn references(&mut self, symbols: &[Symbol], at: usize) -> Answer {
        let symbol = &symbols[at];
        let params = question(&self.lsp, &symbol.file, symbol.line, symbol.col);
        let mut places = self.listed(&params);
        let mut answer = Answer { symbol: at, places: Vec::new(), twins: Vec::new(), unknown: Vec::new() };
        if self.row.words == Words::C {
            answer.twins = self.twins(symbols, params, &places);
        }
        let group: Vec<&Symbol> = answer.group(symbols).map(|at| &symbols[at]).collect();
        let is_own = |place: &Place| {
            group.iter().any(|s| (&s.file, s.line, s.col) == (&place.file, place.line, place.col))
        };
        places.retain(|place| !place.file.starts_with('/') && !is_own(place));
        places.retain(|place| !self.is_comment(place) && !self.is_declared(place));
        if symbol.is_member() {
            for place in &mut places {
                place.kin = self.is_of_kin(place, symbol, &group);
            }
        }
        drop(group);
        // If several members share a name, the map does not decide by the name alone. In Python, the fixture that fills
        // a test's parameter decides whose member it is, which no server knows.
        let mut namesakes = symbols.iter().filter(|other| other.is_member() && other.name == symbol.name);
        let is_decided = self.row.words == Words::Python;
        if symbol.is_member() && (is_decided || namesakes.all(|other| other.is_one_with(symbol))) {
            answer.unknown = self.unknown(&symbol.name, &places);
        }
        if self.row.words == Words::C {
            answer.unknown = self.unlisted(symbols, &answer, &places);
        }
        answer.places = places;
        answer
    }

    /// Returns the lines with a member's name that are not listed and for which the server does not know the meaning.
    fn unknown(&mut self, name: &str, listed: &[Place]) -> Vec<(String, u64)> {
        let listed: BTreeSet<(&str, u64)> = listed.iter().map(|place| (&*place.file, place.line)).collect();
        let mut asked = Vec::new();
        for (file, text) in &self.texts {
            let lines = (1..).zip(text.lines()).filter(|(line, _)| !listed.contains(&(&**file, *line)));
            for (line, text) in lines {
                let place = |col| Place { file: file.clone(), line, col, kin: false };
                asked.extend(words(text, name).map(place));
            }
        }
        asked.retain(|place| self.follows_dot(place) && !self.is_comment(place));
        asked.truncate(if self.row.words == Words::Python { LOOKED_AT_IN_PYTHON } else { LOOKED_AT });
        let mut known: BTreeMap<(String, u64), bool> = BTreeMap::new();
        for place in asked {
            let is_known = !self.defined(&place).is_empty();
            *known.entry((place.file, place.line)).or_default() |= is_known;
        }
        known.into_iter().filter(|(_, known)| !known).map(|(line, _)| line).collect()
    }

    /// Returns lines that the server does not list, although it says when asked that they mean this definition. They
    /// are arguments of macros that drop them, as `assert` may, and lines in headers, for which it lists only what the
    /// last file that it read has seen.
    fn unlisted(&mut self, symbols: &[Symbol], answer: &Answer, listed: &[Place]) -> Vec<(String, u64)> {
        let group: Vec<&Symbol> = answer.group(symbols).map(|at| &symbols[at]).collect();
        let lines: BTreeSet<(&str, u64)> = listed.iter().map(|place| (&*place.file, place.line)).collect();
        let mut asked = Vec::new();
        for (file, text) in &self.texts {
            for (line, text) in (1..).zip(text.lines()).filter(|(line, _)| !lines.contains(&(&**file, *line)))
            {
                let place = |col| Place { file: file.clone(), line, col, kin: false };
                asked.extend(words(text, &group[0].name).map(place));
            }
        }
        let is =
            |place: &Place, s: &&Symbol| (&s.file, s.line, s.col) == (&place.file, place.line, place.col);
        asked.retain(|place| !self.is_comment(place) && !group.iter().any(|s| is(place, s)));
        asked.truncate(LOOKED_AT);
        let means_it = |place: &Place| group.iter().any(|s| is(place, s));
        asked.retain(|place| self.defined(place).iter().any(means_it));
        asked.into_iter().map(|place| (place.file, place.line)).collect()
    }

    fn follows_dot(&self, place: &Place) -> bool {
        self.before(place).ends_with(['.', '>'])
    }

    /// Returns the text before a place in its line.
    fn before(&self, place: &Place) -> &str {
        let text = self.texts.get(&place.file).map_or("", String::as_str);
        let line = text.lines().nth(place.line as usize - 1).unwrap_or("");
        line[..line.len() - behind(line, place.col).len()].trim_end()
    }

    /// Returns true if this place declares the definition a second time, which an outline may omit.
    fn is_declared(&self, place: &Place) -> bool {
        let before = self.before(place);
        before.ends_with("def") || before.ends_with("class")
    }

    /// Asks the server for the definitions of the name at a place.
    pub(super) fn defined(&mut self, place: &Place) -> Vec<Place> {
        let found = match self.definitions.get(place) {
            Some(known) => return known.clone(),
            None => self.ask_definitions(place),
        };
        self.definitions.insert(place.clone(), found.clone());
        found
    }

    fn ask_definitions(&mut self, place: &Place) -> Vec<Place> {
        self.lsp.open(&place.file);
        let params = question(&self.lsp, &place.file, place.line, place.col);
        let Ok(said) = self.lsp.ask("textDocument/definition", &params) else { return Vec::new() };
        let one = std::slice::from_ref(&said);
        let said = said.as_array().map_or(if said.is_null() { &[][..] } else { one }, Vec::as_slice);
        said.iter().map(|place| self.place(place)).collect()
    }

    /// Returns the references that it lists. There are none in a file that is not part of its build.
    fn listed(&mut self, params: &Value) -> Vec<Place> {
        let said = self.lsp.ask("textDocument/references", params).unwrap_or_default();
        let mut places: Vec<Place> =
            said.as_array().into_iter().flatten().map(|place| self.place(place)).collect();
        places.sort();
        places.dedup();
        places
    }

    /// Returns the symbols that declare the same thing: those that the server lists only if declarations are asked for.
    fn twins(&mut self, symbols: &[Symbol], mut params: Value, uses: &[Place]) -> Vec<usize> {
        params["context"]["includeDeclaration"] = json!(true);
        let all = self.listed(&params);
        let declarations: Vec<&Place> = all.iter().filter(|place| !uses.contains(place)).collect();
        let is_there = |s: &Symbol| {
            declarations.iter().any(|place| (&place.file, place.line, place.col) == (&s.file, s.line, s.col))
        };
        (0..symbols.len()).filter(|&at| is_there(&symbols[at])).collect()
    }

    /// Returns the ranges of lines that the server does not see: all lines, if it knows nothing about the file's
    /// contents.
    fn unseen(&mut self, file: &str, symbols: &[Symbol]) -> Vec<(u64, u64)> {
        // These servers see every file.
        if matches!(self.row.words, Words::Python | Words::Ecma) {
            return Vec::new();
        }
        let first = symbols.iter().find(|symbol| symbol.file == file);
        let is_known = first.is_none_or(|symbol| {
            let params = question(&self.lsp, &symbol.file, symbol.line, symbol.col);
            self.lsp.ask("textDocument/references", &params).is_ok()
        });
        if !is_known {
            return vec![(1, u64::MAX)];
        }
        let mut unseen = self.lsp.inactive(file);
        if self.row.words == Words::Rust && !self.lsp.capabilities["diagnosticProvider"].is_null() {
            let verdict = self.lsp.verdicts(&[file.to_owned()]).remove(0);
            let line = |one: &Value, end: &str| one["range"][end]["line"].as_u64().unwrap_or(0) + 1;
            for one in verdict.as_array().into_iter().flatten() {
                match one["code"].as_str() {
                    Some("inactive-code") => unseen.push((line(one, "start"), line(one, "end"))),
                    Some("unlinked-file") => unseen.push((1, u64::MAX)),
                    _ => {}
                }
            }
        }
        unseen
    }

    fn place(&self, place: &Value) -> Place {
        let uri = place.get("uri").or_else(|| place.get("targetUri")).and_then(Value::as_str);
        let range = place.get("targetSelectionRange").unwrap_or(&place["range"]);
        let number = |field: &str| range["start"][field].as_u64().unwrap_or(0) + 1;
        let file = self.lsp.file(uri.unwrap_or_default());
        Place { file, line: number("line"), col: number("character"), kin: false }
    }

    fn is_comment(&mut self, place: &Place) -> bool {
        let (tree, words) = (self.tree, self.row.words);
        let places = self.places.entry(place.file.clone());
        let places = places.or_insert_with(|| Places::of(&tree.read(&place.file), words));
        places.is_comment(place.line, place.col)
    }

    /// Returns true if another definition with that name is meant at this place, and not the one that was asked about.
    fn is_of_kin(&mut self, place: &Place, symbol: &Symbol, group: &[&Symbol]) -> bool {
        let defined = self.defined(place);
        let is_own = |place: &Place| {
            group.iter().any(|s| (&s.file, s.line, s.col) == (&place.file, place.line, place.col))
        };
        let is_named = |place: &Place| {
            place.file.starts_with('/') || starts_with(&self.tree.read(&place.file), place, &symbol.name)
        };
        !defined.is_empty() && !defined.iter().any(is_own) && defined.iter().all(is_named)
    }
}

/// Returns the parameters of a question about a position, without declarations.
fn question(lsp: &Lsp, file: &str, line: u64, col: u64) -> Value {
    json!({
        "textDocument": {"uri": lsp.uri(file)},
        "position": {"line": line - 1, "character": col - 1},
        "context": {"includeDeclaration": false},
    })
}

/// Returns the columns at which a name is a whole word in a line, in UTF-16 units from 1.
pub(super) fn words(line: &str, name: &str) -> impl Iterator<Item = u64> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let whole = move |at: &usize| {
        let (before, after) = (&line[..*at], &line[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    };
    let found = line.match_indices(name).map(|(at, _)| at).filter(whole);
    found.map(move |at| line[..at].encode_utf16().count() as u64 + 1)
}

/// Returns true if a line contains a name as a whole word.
pub(super) fn has_word(line: &str, name: &str) -> bool {
    words(line, name).next().is_some()
}

fn starts_with(text: &str, place: &Place, name: &str) -> bool {
    let line = text.lines().nth(place.line as usize - 1).unwrap_or("");
    behind(line, place.col).starts_with(name)
}

/// Returns the text of a line from a column on, in UTF-16 units.
fn behind(line: &str, col: u64) -> &str {
    let mut units = 1;
    for (at, c) in line.char_indices() {
        if units >= col {
            return &line[at..];
        }
        units += c.len_utf16() as u64;
    }
    ""
}

/// The current position in an outline.
#[derive(Clone, Copy)]
struct Within<'a> {
    file: &'a str,
    lines: &'a [&'a str],
    path: &'a str,
    local: bool,
}

impl Within<'_> {
    fn take(self, symbol: &Value, symbols: &mut Vec<Symbol>) {
        let name = symbol["name"].as_str().unwrap_or_default();
        let kind = symbol["kind"].as_u64().unwrap_or(0);
        let start = &symbol["selectionRange"]["start"];
        let number = |field: &str| start[field].as_u64().unwrap_or(0) + 1;
        let (line, col) = (number("line"), number("character"));
        let text = behind(self.lines.get(line as usize - 1).unwrap_or(&""), col);
        // An outline has entries without a name of their own, such as callbacks or the file itself.
        let after = text.strip_prefix(name).filter(|_| !name.is_empty());
        let named = after.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        let counts = CLASSES.contains(&kind) || kind == METHOD || kind == FUNCTION;
        if named && counts {
            symbols.push(Symbol {
                file: self.file.to_owned(),
                line,
                col,
                name: name.to_owned(),
                within: self.path.to_owned(),
                kind,
                local: self.local,
                shared: false,
            });
        }
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        // Definitions in a value or a function are local to it, but those in a class or a namespace are not.
        let open = CLASSES.contains(&kind) || OPEN.contains(&kind);
        let inner = Within { path: &path, local: self.local || !open, ..self };
        for child in symbol["children"].as_array().into_iter().flatten() {
            inner.take(child, symbols);
        }
    }
}
