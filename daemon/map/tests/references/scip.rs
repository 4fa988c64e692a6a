//! Reads snapshots of an indexer: `input` has sources, `output` the same with a line below each that tells what its
//! names define or mean.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hob_map::locals::NamePlace;

use super::Scores;
use super::sources::{Line, Project, Question, SourceFile, files_below};

/// A name that the indexer found.
struct Occurrence {
    path: String,
    at: NamePlace,
    is_definition: bool,
    /// The symbol, which is the same for all names of a thing.
    symbol: String,
}

pub(crate) fn measure(root: &Path, scores: &mut Scores) {
    let mut cases: Vec<_> = std::fs::read_dir(root.join("input"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    for case in cases {
        let name = case.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        measure_case(&name, &case, &root.join("output").join(&name), scores);
    }
}

fn measure_case(name: &str, input: &Path, output: &Path, scores: &mut Scores) {
    let (mut files, mut occurrences) = (Vec::new(), Vec::new());
    for path in files_below(input) {
        let (Ok(text), Ok(inside)) = (std::fs::read_to_string(&path), path.strip_prefix(input)) else {
            continue;
        };
        let inside = inside.to_string_lossy().into_owned();
        if let Ok(snapshot) = std::fs::read_to_string(output.join(&inside)) {
            occurrences.extend(read_occurrences(&inside, &text, &snapshot));
        }
        files.push(SourceFile { path: inside, text });
    }
    let mut defined: BTreeMap<&str, BTreeSet<Line>> = BTreeMap::new();
    for one in occurrences.iter().filter(|one| one.is_definition) {
        defined.entry(&one.symbol).or_default().insert((one.path.clone(), one.at.line));
    }
    // A name also means what a declaration binds to it (`using a::b`).
    let brought = brought_lines(&occurrences, &defined);
    for (symbol, lines) in brought {
        defined.entry(symbol).or_default().extend(lines);
    }
    // One name may mean several things: a class and its constructor, a getter and its setter.
    let mut asked: BTreeMap<(&str, NamePlace), BTreeSet<Line>> = BTreeMap::new();
    for one in occurrences.iter().filter(|one| !one.is_definition) {
        if let Some(wanted) = defined.get(one.symbol.as_str()) {
            asked.entry((&one.path, one.at)).or_default().extend(wanted.iter().cloned());
        }
    }
    // A name may define one thing and mean another: a variable and the constructor that makes its value.
    for one in occurrences.iter().filter(|one| one.is_definition) {
        if let Some(wanted) = asked.get_mut(&(&one.path, one.at)) {
            wanted.insert((one.path.clone(), one.at.line));
        }
    }
    let question =
        |((path, at), wanted): ((&str, NamePlace), _)| Question { path: path.to_owned(), at, wanted };
    let questions = asked.into_iter().map(question).collect();
    let project = Project::new(name, files, questions);
    for one in occurrences.iter().filter(|one| one.is_definition) {
        let what = format!("{name}/{}:{}:{} {}", one.path, one.at.line, one.at.col, one.symbol);
        scores.count_definition("definitions", project.defines(&one.path, one.at), &what);
    }
    scores.measure_references("references", &project);
    scores.measure_references(&format!("references in {name}"), &project);
}

/// Returns the lines of the things that the names of definitions mean as well, by the symbols of the definitions.
fn brought_lines<'o>(
    occurrences: &'o [Occurrence],
    defined: &BTreeMap<&str, BTreeSet<Line>>,
) -> Vec<(&'o str, BTreeSet<Line>)> {
    let mut meant: BTreeMap<(&str, NamePlace), Vec<&str>> = BTreeMap::new();
    for one in occurrences.iter().filter(|one| !one.is_definition) {
        meant.entry((&one.path, one.at)).or_default().push(&one.symbol);
    }
    let lines_at = |one: &'o Occurrence| {
        let symbols = meant.get(&(one.path.as_str(), one.at))?;
        let lines = symbols.iter().filter_map(|symbol| defined.get(symbol)).flatten().cloned();
        Some((one.symbol.as_str(), lines.collect()))
    };
    occurrences.iter().filter(|one| one.is_definition).filter_map(lines_at).collect()
}

/// Reads the lines that a snapshot adds to its source.
fn read_occurrences(path: &str, text: &str, snapshot: &str) -> Vec<Occurrence> {
    let mut source = text.lines().enumerate().peekable();
    let mut found = Vec::new();
    let mut current = (0, "");
    for line in snapshot.lines() {
        // Some snapshots have a blank for each tab.
        match source.next_if(|(_, next)| *next == line || next.replace('\t', " ") == line) {
            Some((index, text)) => current = (index as u32 + 1, text),
            None => found.extend(occurrence(path, current.0, current.1, line)),
        }
    }
    found
}

/// Reads `//  ^^^^ reference scip-x npm name 1.0 src/x/f().`. The comment sign may hide a name's first characters, so
/// the name is located by its end.
fn occurrence(path: &str, line: u32, source: &str, note: &str) -> Option<Occurrence> {
    let start = note.find('^')?;
    let rest = note[start..].trim_start_matches('^');
    let end = note[..note.len() - rest.len()].chars().count();
    let (is_definition, symbol) = match rest.trim_start().split_once(' ')? {
        ("definition", symbol) => (true, symbol),
        ("reference", symbol) => (false, symbol),
        _ => return None,
    };
    let chars: Vec<char> = source.chars().collect();
    let carets = note[start..].len() - rest.len();
    let hides = note[..start].chars().all(|c| matches!(c, '/' | '#')) && !note[..start].is_empty();
    let is_part = |c: &&char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length =
        if hides { chars.get(..end)?.iter().rev().take_while(is_part).count().max(carets) } else { carets };
    let symbol = symbol.trim();
    let symbol = match symbol.strip_prefix("local ") {
        Some(number) => format!("{path} {number}"),
        None => symbol.rsplit_once(' ').map_or(symbol, |(_, descriptors)| descriptors).to_owned(),
    };
    let at = NamePlace { line, col: (end - length) as u32 + 1 };
    Some(Occurrence { path: path.to_owned(), at, is_definition, symbol })
}
