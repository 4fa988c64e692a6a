//! Asks the server about functions: their lines, and the meaning of a name in one.
//!
//! The outermost function that contains a place counts, because programs differ in how they treat functions within
//! functions. Each method of a class is a function. The answers are kept in `target/test-env` next to the references.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use hob_tests::{Tree, World, target_dir};
use serde_json::{Value, json};

use super::super::places::Places;
use super::super::rows::{Row, Words};
use super::super::server::{self, Asking, Place, Symbol};

/// The kinds in the protocol's outline that are functions: methods, constructors, functions.
const FUNCTIONS: [u64; 3] = [6, 9, 12];
/// The kinds that contain functions in languages in which values may be functions: properties, fields, variables,
/// constants.
const VALUES: [u64; 4] = [7, 8, 13, 14];

/// A function: its file, and its first and last line.
pub(super) type Function = (String, u64, u64);

/// The judgement of a use that a program claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judged {
    Right,
    Wrong,
    /// The server does not know the meaning at that place either.
    Unknown,
}

/// The server, which is started only for answers that are not known yet.
pub(super) struct Judge<'a> {
    row: &'a Row,
    tree: &'a Tree,
    world: &'a World,
    asking: Option<Asking<'a>>,
    functions: BTreeMap<String, Vec<(u64, u64)>>,
    /// The definitions of names at places, as files and lines.
    defined: BTreeMap<String, Vec<(String, u64)>>,
    texts: BTreeMap<String, (Vec<String>, Places)>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(row: &'a Row, tree: &'a Tree, world: &'a World) -> Self {
        let kept: Value =
            fs::read(kept(row)).ok().and_then(|kept| serde_json::from_slice(&kept).ok()).unwrap_or_default();
        let mut judge = Self {
            row,
            tree,
            world,
            asking: None,
            functions: BTreeMap::new(),
            defined: BTreeMap::new(),
            texts: BTreeMap::new(),
        };
        if kept["key"] == server::key(row) {
            for (file, lines) in kept["functions"].as_object().into_iter().flatten() {
                let pair = |pair: &Value| (number(&pair[0]), number(&pair[1]));
                judge.functions.insert(file.clone(), list(lines).map(pair).collect());
            }
            for (at, places) in kept["defined"].as_object().into_iter().flatten() {
                let place =
                    |place: &Value| (place[0].as_str().unwrap_or_default().to_owned(), number(&place[1]));
                judge.defined.insert(at.clone(), list(places).map(place).collect());
            }
        }
        judge
    }

    /// Keeps the answers for the next run.
    pub(super) fn keep(&self) {
        let whole =
            json!({"key": server::key(self.row), "functions": self.functions, "defined": self.defined});
        let path = kept(self.row);
        let new = path.with_extension(format!("{}", std::process::id()));
        fs::write(&new, whole.to_string()).and_then(|()| fs::rename(&new, path)).expect("it can be kept");
    }

    /// Returns the function that contains a line, or `None` for the top level of a file or class.
    pub(super) fn function(&mut self, file: &str, line: u64) -> Option<Function> {
        if !self.row.endings.iter().any(|ending| file.ends_with(&format!(".{ending}"))) {
            return None;
        }
        if !self.functions.contains_key(file) {
            let outline = self.asking().outlined(file);
            let mut found = Vec::new();
            let values = self.row.words == Words::Ecma;
            list(&outline).for_each(|symbol| outermost(symbol, values, &mut found));
            self.functions.insert(file.to_owned(), found);
        }
        let around = self.functions[file].iter().find(|(first, last)| (*first..=*last).contains(&line));
        around.map(|(first, last)| (file.to_owned(), *first, *last))
    }

    /// Returns true if the name at a place is followed by the beginning of a call.
    pub(super) fn is_call(&mut self, place: &Place, name: &str) -> bool {
        let line = self.line(&place.file, place.line);
        let mut units = 1;
        let from = line.char_indices().find(|(_, c)| {
            let here = units >= place.col;
            units += c.len_utf16() as u64;
            here
        });
        let behind = from.and_then(|(at, _)| line[at..].strip_prefix(name)).unwrap_or_default();
        let behind = behind.trim_start();
        // In TypeScript, type arguments may come in between.
        let arguments = if self.row.words == Words::Ecma { angled(behind) } else { 0 };
        behind[arguments..].starts_with('(')
    }

    /// Judges if a definition is used in a function in which the server lists no use. The server is asked at every
    /// place in the function with the definition's name.
    pub(super) fn looks(&mut self, function: &Function, group: &[&Symbol]) -> Judged {
        let (file, first, last) = function;
        let mut judged = Judged::Wrong;
        for line in *first..=*last {
            let text = self.line(file, line);
            let columns: Vec<u64> = server::words(&text, &group[0].name).collect();
            for col in columns {
                if self.texts[file].1.is_comment(line, col) {
                    continue;
                }
                let defined = self.defined(file, line, col);
                if defined.iter().any(|(file, line)| group.iter().any(|s| s.file == *file && s.line == *line))
                {
                    return Judged::Right;
                }
                if defined.is_empty() {
                    judged = Judged::Unknown;
                }
            }
        }
        judged
    }

    fn defined(&mut self, file: &str, line: u64, col: u64) -> BTreeSet<(String, u64)> {
        let key = format!("{file}:{line}:{col}");
        if !self.defined.contains_key(&key) {
            let place = Place { file: file.to_owned(), line, col, kin: false };
            let places = self.asking().defined(&place);
            self.defined
                .insert(key.clone(), places.into_iter().map(|place| (place.file, place.line)).collect());
        }
        self.defined[&key].iter().cloned().collect()
    }

    fn asking(&mut self) -> &mut Asking<'a> {
        self.asking.get_or_insert_with(|| Asking::begin(self.row, self.tree, self.world))
    }

    fn line(&mut self, file: &str, line: u64) -> String {
        let (tree, words) = (self.tree, self.row.words);
        let (lines, _) = self.texts.entry(file.to_owned()).or_insert_with(|| {
            let text = tree.read(file);
            (text.lines().map(str::to_owned).collect(), Places::of(&text, words))
        });
        lines.get(line as usize - 1).cloned().unwrap_or_default()
    }
}

/// Returns the length of the part in angle brackets at the beginning of a text, or 0 if the brackets do not close.
fn angled(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    0
}

fn kept(row: &Row) -> PathBuf {
    target_dir().join(format!("test-env/map-functions-{}.json", row.name))
}

/// Collects the functions of an outline that are in no other function.
fn outermost(symbol: &Value, values: bool, found: &mut Vec<(u64, u64)>) {
    let kind = number(&symbol["kind"]);
    if FUNCTIONS.contains(&kind) || values && VALUES.contains(&kind) {
        let line = |end: &str| number(&symbol["range"][end]["line"]) + 1;
        found.push((line("start"), line("end")));
        return;
    }
    list(&symbol["children"]).for_each(|child| outermost(child, values, found));
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}
