//! Draws names from all over a project, and finds the edits that the server itself makes to rename them.
//!
//! The server works on a separate copy. Its edits are parsed and applied by separate code, on purpose, because hob's
//! own code is under test.

use std::collections::{BTreeMap, BTreeSet};

use hob_tests::lsp::Lsp;
use hob_tests::{Rng, Tree};
use serde_json::{Value, json};

use super::super::questions::paths;
use super::super::{Subject, one_based};
use super::Files;

/// The number of other names, including those that the server refuses to rename.
const OTHERS: usize = 4;

/// The files that names are drawn from.
const FILES: usize = 120;

/// The most times that names are drawn from each file.
const ROUNDS: usize = 12;

/// The replacements of byte ranges, by path of the file.
pub(super) type Edits = BTreeMap<String, BTreeMap<(usize, usize), String>>;

/// A rename, with the server's own result.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) new_name: String,
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) col: u64,
    /// The replacements that the server makes, or the reason why it makes none.
    pub(super) edits: Result<Edits, String>,
}

/// Draws this many names that are used in several files, and some others.
#[track_caller]
pub(super) fn draw(
    subject: &Subject,
    copy: &Tree,
    lsp: &mut Lsp,
    across_files: usize,
    rng: &mut Rng,
) -> Vec<Case> {
    let mut files = paths(copy, subject);
    for at in (1..files.len()).rev() {
        files.swap(at, rng.below(at + 1));
    }
    lsp.open(&files[0]);
    lsp.wait_ready();
    let (mut across, mut others) = (Vec::new(), Vec::new());
    let mut drawn = BTreeSet::new();
    // Small projects have few files, but many names in each.
    for file in files.iter().take(FILES).cycle().take(FILES.max(ROUNDS * files.len())) {
        let names = names_in(file, copy, lsp);
        if names.is_empty() {
            continue;
        }
        let (name, (line, col)) = rng.pick(&names).clone();
        if !drawn.insert(name.clone()) {
            continue;
        }
        let mut case = Case::new(&name, file, line, col);
        let has_room =
            |is_across: bool| if is_across { across.len() < across_files } else { others.len() < OTHERS };
        if has_room(case.is_across_files(lsp)) {
            case.settle(copy, lsp, rng);
            // At a use of the name, something else may be renamed, or nothing.
            let is_across = case.edits.as_ref().is_ok_and(|edits| edits.len() > 1);
            match is_across {
                _ if !has_room(is_across) => {}
                true => across.push(case),
                false => others.push(case),
            }
        }
        if across.len() == across_files && others.len() == OTHERS {
            break;
        }
    }
    assert_eq!(across.len(), across_files, "the project has so many names that are used across files");
    let mut cases: Vec<Case> = across.into_iter().chain(others).collect();
    // On a busy machine a server may have repeated its answer before it had read everything, so the first names are
    // asked about again later.
    cases.iter_mut().for_each(|case| case.ask_for_good(copy, lsp));
    cases
}

/// Returns the definitions in a file from the server's outline: their names and positions, counted from 1.
fn names_in(file: &str, copy: &Tree, lsp: &mut Lsp) -> Vec<(String, (u64, u64))> {
    lsp.open(file);
    let params = json!({"textDocument": {"uri": lsp.uri(file)}});
    let symbols = lsp.ask("textDocument/documentSymbol", &params).expect("an outline");
    let (mut names, text) = (Vec::new(), copy.read(file));
    collect(&symbols, &mut names);
    let lines: Vec<&str> = text.split('\n').collect();
    names.retain(|(name, (line, col))| {
        let is_name = name.len() > 2 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let rest = lines.get(*line as usize - 1).and_then(|line| from_column(line, *col as usize - 1));
        is_name && !name.starts_with("__") && rest.is_some_and(|rest| rest.starts_with(name.as_str()))
    });
    names
}

fn collect(symbols: &Value, names: &mut Vec<(String, (u64, u64))>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        if symbol.get("selectionRange").is_some() {
            let name = symbol["name"].as_str().unwrap_or_default().to_owned();
            names.push((name, one_based(&symbol["selectionRange"]["start"])));
        }
        collect(&symbol["children"], names);
    }
}

/// Returns the text of a line from a column on, in UTF-16 units from 0, or `None` if the column is inside a character.
fn from_column(line: &str, col: usize) -> Option<&str> {
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= col {
            return (units == col).then(|| &line[at..]);
        }
        units += c.len_utf16();
    }
    (units == col).then_some("")
}

impl Case {
    fn new(name: &str, file: &str, line: u64, col: u64) -> Self {
        let new_name = match name {
            _ if !name.contains(|c: char| c.is_ascii_lowercase()) => format!("{name}_HOB"),
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => format!("{name}Hob"),
            _ => format!("{name}_hob"),
        };
        let edits = Err("it was not asked".to_owned());
        Self { name: name.to_owned(), new_name, file: file.to_owned(), line, col, edits }
    }

    /// Returns true if the server's first answer has edits in several files.
    fn is_across_files(&self, lsp: &mut Lsp) -> bool {
        self.ask(lsp).is_ok_and(|edit| by_file(lsp, &edit).len() > 1)
    }

    /// Moves the case to a use of the name, half of the time, and asks the server until its answer is stable.
    fn settle(&mut self, copy: &Tree, lsp: &mut Lsp, rng: &mut Rng) {
        let uses = self.ask(lsp).map(|edit| places(lsp, &edit)).unwrap_or_default();
        if rng.below(2) == 1 && !uses.is_empty() {
            let (file, (line, col)) = rng.pick(&uses).clone();
            let stands = copy.read(&file);
            let line_text = stands.split('\n').nth(line as usize - 1).unwrap_or_default();
            let rest = from_column(line_text, col as usize - 1).unwrap_or_default();
            // If the use has another name, that name would be renamed.
            if rest.starts_with(&self.name) {
                (self.file, self.line, self.col) = (file, line, col);
            }
        }
        self.ask_for_good(copy, lsp);
    }

    /// Asks the server until its answer is stable, because its first answer may only cover what it has read so far.
    fn ask_for_good(&mut self, copy: &Tree, lsp: &mut Lsp) {
        self.edits = lsp.settled(|lsp| self.ask(lsp)).map(|edit| in_bytes(copy, lsp, &edit));
    }

    /// Returns the server's own edit, or the reason if it refuses or has nothing to do.
    fn ask(&self, lsp: &mut Lsp) -> Result<Value, String> {
        lsp.open(&self.file);
        let params = json!({
            "textDocument": {"uri": lsp.uri(&self.file)},
            "position": {"line": self.line - 1, "character": self.col - 1},
            "newName": self.new_name,
        });
        let text = |error: Value| error["message"].as_str().unwrap_or_default().to_owned();
        let edit = lsp.ask("textDocument/rename", &params).map_err(text)?;
        match by_file(lsp, &edit).is_empty() {
            true => Err("nothing to rename".to_owned()),
            false => Ok(edit),
        }
    }
}

/// Returns the edits of each file, from either form of the protocol.
fn by_file(lsp: &Lsp, edit: &Value) -> BTreeMap<String, Vec<Value>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut take = |uri: &str, edits: &Value| {
        let edits = edits.as_array().expect("a list").iter().cloned();
        all.entry(lsp.file(uri)).or_default().extend(edits);
    };
    for document in edit["documentChanges"].as_array().into_iter().flatten() {
        take(document["textDocument"]["uri"].as_str().expect("a text is edited"), &document["edits"]);
    }
    for (uri, edits) in edit["changes"].as_object().into_iter().flatten() {
        take(uri, edits);
    }
    all.retain(|_, edits| !edits.is_empty());
    all
}

/// Returns the positions at which an edit inserts something, counted from 1.
fn places(lsp: &Lsp, edit: &Value) -> Vec<(String, (u64, u64))> {
    let all = by_file(lsp, edit).into_iter();
    let of = |(file, edits): (String, Vec<Value>)| {
        edits.into_iter().map(move |edit| (file.clone(), one_based(&edit["range"]["start"])))
    };
    all.flat_map(of).collect()
}

/// Returns a server's edit as byte ranges of the files.
#[track_caller]
fn in_bytes(copy: &Tree, lsp: &Lsp, edit: &Value) -> Edits {
    let one = |(file, edits): (String, Vec<Value>)| {
        let text = copy.read(&file);
        let lines: Vec<&str> = text.split('\n').collect();
        let offset = |position: &Value| {
            let (line, col) = one_based(position);
            let before: usize = lines[..line as usize - 1].iter().map(|line| line.len() + 1).sum();
            let line = lines[line as usize - 1];
            before + line.len() - from_column(line, col as usize - 1).expect("a column of the line").len()
        };
        let range = |edit: &Value| (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
        let text = |edit: &Value| edit["newText"].as_str().expect("a text").to_owned();
        (file, edits.iter().map(|edit| (range(edit), text(edit))).collect())
    };
    by_file(lsp, edit).into_iter().map(one).collect()
}

/// Returns the files that edits change, with the edits applied from the end.
pub(super) fn written(copy: &Tree, edits: &Edits) -> Files {
    let one = |(file, edits): (&String, &BTreeMap<(usize, usize), String>)| {
        let mut text = copy.read(file);
        for ((start, end), new) in edits.iter().rev() {
            text.replace_range(*start..*end, new);
        }
        (file.clone(), text)
    };
    edits.iter().map(one).collect()
}
