//! Asks the server about functions: the lines of each, and the meaning of a name in one.
//!
//! A function is the outermost one that a place is in, for programs differ in what they make of functions within functions;
//! methods of classes are functions each. Answers are kept in `target/test-env` beside the references.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use hob_tests::{Tree, World, target_dir};
use serde_json::{Value, json};

use super::super::places::Places;
use super::super::rows::{Row, Words};
use super::super::server::{self, Asking, Place, Symbol};

/// Kinds of the protocol's outline that are functions: methods, constructors, functions.
const FUNCTIONS: [u64; 3] = [6, 9, 12];
/// And those that hold them, in languages that keep functions in values: properties, fields, variables, constants.
const VALUES: [u64; 4] = [7, 8, 13, 14];

/// A function: its file and its first and last line.
pub(super) type Function = (String, u64, u64);

/// The judgement of a use that a program claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judged {
    Right,
    Wrong,
    /// The server does not know what is meant there either.
    Unknown,
}

/// The server, which is only started for what is not known yet.
pub(super) struct Judge<'a> {
    row: &'a Row,
    tree: &'a Tree,
    world: &'a World,
    asking: Option<Asking<'a>>,
    functions: BTreeMap<String, Vec<(u64, u64)>>,
    /// The definitions of names at places: files and lines.
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

    /// Keeps what was learnt for the next run.
    pub(super) fn keep(&self) {
        let whole =
            json!({"key": server::key(self.row), "functions": self.functions, "defined": self.defined});
        let path = kept(self.row);
        let new = path.with_extension(format!("{}", std::process::id()));
        fs::write(&new, whole.to_string()).and_then(|()| fs::rename(&new, path)).expect("it can be kept");
    }

    /// Returns the function that a line is in; none for what stands in a file or a class itself.
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

    /// Returns true if the name in a place is followed by the beginning of a call.
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
        // Type arguments may stand between in TypeScript.
        let arguments = if self.row.words == Words::Ecma { angled(behind) } else { 0 };
        behind[arguments..].starts_with('(')
    }

    /// Judges whether a definition is used in a function whose uses the server does not list: it is asked at every
    /// place with the definition's name there.
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

/// Returns the length of what stands in angle brackets at the beginning of a text; nothing, if they do not close there.
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

/// The functions of an outline that are in no other.
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
