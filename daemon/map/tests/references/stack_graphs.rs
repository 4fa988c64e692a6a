//! Reads the tests of stack graphs: one file has one or several sources, and `^ defined: LINES` below a name, with
//! lines of the whole file.

use std::collections::BTreeSet;
use std::path::Path;

use hob_map::locals::NamePlace;

use super::Scores;
use super::sources::{Project, Question, SourceFile, files_below};

const LANGUAGES: [&str; 4] = ["java", "javascript", "python", "typescript"];

pub(crate) fn measure(root: &Path, scores: &mut Scores) {
    for language in LANGUAGES {
        for path in files_below(&root.join(format!("tree-sitter-stack-graphs-{language}/test"))) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !name.ends_with(".skip") && !name.ends_with(".bug") {
                scores.measure_references(language, &project(&name, &text));
            }
        }
    }
}

fn project(name: &str, text: &str) -> Project {
    let mut files = vec![SourceFile { path: name.to_owned(), text: String::new() }];
    let mut owners: Vec<String> = Vec::new();
    let mut asked: Vec<(NamePlace, Vec<u32>)> = Vec::new();
    let mut last_source_line = 0;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(path) = header(line, "path:") {
            // Lines keep their numbers: a source begins with as many empty ones as precede it.
            files.push(SourceFile { path, text: "\n".repeat(number) });
        } else if let Some((col, lines)) = assertion(line) {
            asked.push((NamePlace { line: last_source_line, col }, lines));
            files.last_mut().expect("one at least").text.push('\n');
        } else {
            last_source_line = number as u32;
            let source = if header(line, "global:").is_some() { "" } else { line };
            files.last_mut().expect("one at least").text += &format!("{source}\n");
        }
        owners.push(files.last().expect("one at least").path.clone());
    }
    let owner = |line: u32| owners.get(line as usize - 1).cloned();
    let question = |(at, lines): (NamePlace, Vec<u32>)| {
        let wanted: BTreeSet<_> = lines.into_iter().filter_map(|line| Some((owner(line)?, line))).collect();
        Some(Question { path: owner(at.line)?, at, wanted })
    };
    let questions = asked.into_iter().filter(|(at, _)| at.line > 0).filter_map(question).collect();
    Project::new(name, files, questions)
}

/// Returns the word after `--- KEY` in a line that begins a source.
fn header(line: &str, key: &str) -> Option<String> {
    let rest = line.split_once("---")?.1.trim_start_matches('-').trim_start().strip_prefix(key)?;
    Some(rest.split_whitespace().next()?.to_owned())
}

/// Returns the column and the lines of `^ defined: 1, 2`.
fn assertion(line: &str) -> Option<(u32, Vec<u32>)> {
    let (before, after) = line.split_once('^')?;
    let lines = after.trim_start().strip_prefix("defined:")?;
    let numbers = lines.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    Some((before.chars().count() as u32 + 1, numbers.collect()))
}
