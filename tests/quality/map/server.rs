//! What the server says: the outline of every file, and the references of what was drawn; kept for the next run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::lsp::Lsp;
use hob_tests::{Tree, World, target_dir};
use serde_json::{Value, json};

use super::places::Places;
use super::rows::Row;
use super::{DRAWN, FULL, QUICK, SEED, draw};

/// Raised when what is asked changes.
const VERSION: u32 = 1;

/// Kinds of the protocol's outline that are definitions here.
const CLASSES: [u64; 4] = [5, 10, 11, 23];
const METHOD: u64 = 6;
const FUNCTION: u64 = 12;

/// A definition of the server's outline.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Symbol {
    pub file: String,
    /// Of its name, from 1; the column in UTF-16 units.
    pub line: u64,
    pub col: u64,
    pub name: String,
    /// The names around it.
    pub within: String,
    pub kind: u64,
    /// Whether it stands in a function.
    pub local: bool,
    /// Whether several definitions have its name.
    pub shared: bool,
}

impl Symbol {
    /// Whether both are declarations of one thing.
    pub(super) fn is_one_with(&self, other: &Self) -> bool {
        self.file == other.file && self.name == other.name && self.within == other.within
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
    /// Whether what is defined there is a kin of what was asked about.
    pub kin: bool,
}

/// The references of one definition.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// Which of the symbols.
    pub symbol: usize,
    pub places: Vec<Place>,
}

/// What the server says.
#[derive(Debug)]
pub(super) struct Truth {
    pub symbols: Vec<Symbol>,
    /// In order of the draw.
    pub answers: Vec<Answer>,
}

impl Truth {
    /// What was kept, or what the server says now; and whether that is about the whole draw.
    pub(super) fn of(row: &Row, tree: &Tree) -> (Self, bool) {
        let kept = target_dir().join(format!("test-env/map-truth-{}.json", row.name));
        let key = format!("{VERSION} {} {} {SEED} {DRAWN}", row.pin, row.server);
        if let Some(truth) = Self::read(&kept, &key) {
            return (truth, true);
        }
        let whole = std::env::var_os(FULL).is_some();
        let truth = Self::ask(row, tree, if whole { DRAWN } else { QUICK });
        if whole {
            truth.keep(&kept, &key);
        }
        (truth, whole)
    }

    fn ask(row: &Row, tree: &Tree, most: usize) -> Self {
        let world = World::new();
        let mut asking = Asking { lsp: start(row, &world, tree), row, tree, places: BTreeMap::new() };
        let files = files_of(tree, row);
        asking.lsp.open(&files[0]);
        asking.lsp.wait_ready();
        let mut symbols: Vec<Symbol> = files.iter().flat_map(|file| asking.outline(file)).collect();
        symbols.sort();
        mark_shared(&mut symbols);
        let drawn: Vec<usize> = draw(&symbols).into_iter().take(most).collect();
        asking.settle(&symbols[drawn[0]]);
        let answers = drawn.iter().map(|&symbol| asking.references(&symbols, symbol)).collect();
        Self { symbols, answers }
    }

    fn keep(&self, path: &Path, key: &str) {
        let symbol = |s: &Symbol| json!([s.file, s.line, s.col, s.name, s.within, s.kind, s.local, s.shared]);
        let place = |p: &Place| json!([p.file, p.line, p.col, p.kin]);
        let answer = |a: &Answer| json!([a.symbol, a.places.iter().map(place).collect::<Vec<_>>()]);
        let whole = json!({
            "key": key,
            "symbols": self.symbols.iter().map(symbol).collect::<Vec<_>>(),
            "answers": self.answers.iter().map(answer).collect::<Vec<_>>(),
        });
        // Another run may read it right now.
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
        });
        Some(Self { symbols: symbols.collect(), answers: answers.collect() })
    }
}

/// Names that definitions in different places have.
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

/// What may be drawn: the first declaration of each definition.
pub(super) fn eligible(symbols: &[Symbol]) -> Vec<usize> {
    let is_test = |symbol: &Symbol| {
        let name = symbol.name.to_lowercase();
        name.starts_with("test") && symbol.file.contains("test")
    };
    let fits = |symbol: &Symbol| {
        let constructs = matches!(&*symbol.name, "__init__" | "__new__" | "constructor");
        !symbol.local && !constructs && !is_test(symbol)
    };
    let mut seen = BTreeSet::new();
    let found = symbols.iter().enumerate().filter(|(_, symbol)| fits(symbol));
    found
        .filter(|(_, s)| seen.insert((s.file.clone(), s.within.clone(), s.name.clone())))
        .map(|(at, _)| at)
        .collect()
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

/// The project's files in the row's language, in order.
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
struct Asking<'r> {
    lsp: Lsp,
    row: &'r Row,
    tree: &'r Tree,
    /// Comments, by file.
    places: BTreeMap<String, Places>,
}

impl Asking<'_> {
    fn outline(&mut self, file: &str) -> Vec<Symbol> {
        self.lsp.open(file);
        let params = json!({"textDocument": {"uri": self.lsp.uri(file)}});
        let outline = self.lsp.ask("textDocument/documentSymbol", &params).expect("an outline");
        let text = self.tree.read(file);
        let lines: Vec<&str> = text.lines().collect();
        let mut symbols = Vec::new();
        for symbol in outline.as_array().into_iter().flatten() {
            let within = Within { file, lines: &lines, path: "", local: false };
            within.take(symbol, &mut symbols);
        }
        symbols
    }

    /// Waits until it has read everything: until an answer stays the same.
    fn settle(&mut self, symbol: &Symbol) {
        let params = question(&self.lsp, (&symbol.file, symbol.line, symbol.col));
        let _ = self.lsp.settled(|lsp| {
            let answer = lsp.ask("textDocument/references", &params);
            answer.ok().and_then(|places| places.as_array().map(Vec::len))
        });
    }

    fn references(&mut self, symbols: &[Symbol], at: usize) -> Answer {
        let symbol = &symbols[at];
        let params = question(&self.lsp, (&symbol.file, symbol.line, symbol.col));
        let said = self.lsp.ask("textDocument/references", &params).expect("references");
        let listed = said.as_array().into_iter().flatten().map(|place| self.place(place));
        let mut places: Vec<Place> = listed.collect();
        places.sort();
        places.dedup();
        let group: Vec<&Symbol> = symbols.iter().filter(|other| other.is_one_with(symbol)).collect();
        let is_own = |place: &Place| {
            group.iter().any(|s| (&s.file, s.line, s.col) == (&place.file, place.line, place.col))
        };
        places.retain(|place| !place.file.starts_with('/') && !is_own(place));
        places.retain(|place| !self.is_comment(place));
        if symbol.is_member() {
            for place in &mut places {
                place.kin = self.is_of_kin(place, symbol, &group);
            }
        }
        Answer { symbol: at, places }
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
        places.is_comment((place.line, place.col))
    }

    /// Whether something else of that name is defined there, and not what was asked about.
    fn is_of_kin(&mut self, place: &Place, symbol: &Symbol, group: &[&Symbol]) -> bool {
        self.lsp.open(&place.file);
        let params = question(&self.lsp, (&place.file, place.line, place.col));
        let Ok(said) = self.lsp.ask("textDocument/definition", &params) else { return false };
        let one = std::slice::from_ref(&said);
        let said = said.as_array().map_or(if said.is_null() { &[][..] } else { one }, Vec::as_slice);
        let defined: Vec<Place> = said.iter().map(|place| self.place(place)).collect();
        let is_own = |place: &Place| {
            group.iter().any(|s| (&s.file, s.line, s.col) == (&place.file, place.line, place.col))
        };
        let is_named = |place: &Place| {
            place.file.starts_with('/') || starts_with(&self.tree.read(&place.file), place, &symbol.name)
        };
        !defined.is_empty() && !defined.iter().any(is_own) && defined.iter().all(is_named)
    }
}

/// A position; nothing asks for declarations.
fn question(lsp: &Lsp, (file, line, col): (&str, u64, u64)) -> Value {
    json!({
        "textDocument": {"uri": lsp.uri(file)},
        "position": {"line": line - 1, "character": col - 1},
        "context": {"includeDeclaration": false},
    })
}

fn starts_with(text: &str, place: &Place, name: &str) -> bool {
    let line = text.lines().nth(place.line as usize - 1).unwrap_or("");
    behind(line, place.col).starts_with(name)
}

/// What stands in a line from a column in UTF-16 units on.
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

/// Where the reading of an outline is.
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
        // An outline has entries without a name of their own: callbacks, the file itself.
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
        // What stands in a value or a function is local to it; in a class or a namespace it is not.
        let open = CLASSES.contains(&kind) || [2, 3, 4].contains(&kind);
        let inner = Within { path: &path, local: self.local || !open, ..self };
        for child in symbol["children"].as_array().into_iter().flatten() {
            inner.take(child, symbols);
        }
    }
}
