//! Finds the ranges of a document that can be folded: definitions, runs of imports, and the lines indented below a
//! line.
//!
//! Only lines are reported. A last line that closes a bracket of the first one stays visible.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::MapQuestion;
use super::document::MapDocument;
use super::text::LinedText;

/// Most ranges: editors take no more.
const MOST_FOLDS: usize = 5_000;

/// Number of columns of a tab. Only differences count, so any number does where tabs and blanks are not mixed.
const TAB: usize = 8;

/// The last line of each range and its kind, by its first line.
type Folds = BTreeMap<u32, (u32, Option<&'static str>)>;

/// Answers `textDocument/foldingRange` from the text and its facts.
pub(super) fn folding_ranges(question: &MapQuestion<'_>) -> Value {
    let Some(document) = MapDocument::from_question(question) else { return json!([]) };
    let mut folds = Folds::new();
    // In notes indentation means lists and quotations.
    if !document.facts.lang.is_prose() {
        by_indentation(&document.text, &mut folds);
    }
    document.by_definitions(&mut folds);
    document.by_imports(&mut folds);
    folds.into_iter().take(MOST_FOLDS).map(|(first, (last, kind))| fold(first, last, kind)).collect()
}

fn fold(first: u32, last: u32, kind: Option<&'static str>) -> Value {
    let mut fold = json!({"startLine": first - 1, "endLine": last - 1});
    if let Some(kind) = kind {
        fold["kind"] = kind.into();
    }
    fold
}

impl MapDocument {
    fn by_definitions(&self, folds: &mut Folds) {
        for def in &self.facts.defs {
            // Lines above the name, such as attributes, stay visible with it.
            let first = if (def.lines.0..=def.lines.1).contains(&def.name_at.0) {
                def.name_at.0
            } else {
                def.lines.0
            };
            let is_closed =
                first >= 1 && self.text.line(def.lines.1).is_some_and(|line| is_closing_line(&line));
            let last = if is_closed { def.lines.1 - 1 } else { self.last_of(def.lines.1) };
            if first >= 1 && last > first {
                folds.insert(first, (last, None));
            }
        }
    }

    /// Returns the last non-empty line up to this one.
    fn last_of(&self, line: u32) -> u32 {
        let is_empty = |line: &u32| self.text.line(*line).is_none_or(|text| text.trim().is_empty());
        (1..=line.min(self.text.line_count())).rev().find(|line| !is_empty(line)).unwrap_or(line)
    }

    fn by_imports(&self, folds: &mut Folds) {
        let mut lines: Vec<u32> =
            self.facts.imports.iter().filter(|i| i.owner.is_none()).map(|i| i.line).collect();
        lines.sort_unstable();
        lines.dedup();
        for run in lines.chunk_by(|a, b| *b <= *self.text.statement_lines(*a).end() + 1) {
            if let ([first, ..], Some(last)) = (run, run.last()) {
                let last = *self.text.statement_lines(*last).end();
                if *first >= 1 && last > *first {
                    folds.insert(*first, (last, Some("imports")));
                }
            }
        }
    }
}

fn is_closing_line(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with([')', ']', '}']) || matches!(line.trim_end(), "end" | "end;" | "fi" | "done" | "esac")
}

/// Adds a fold for each line with the deeper lines below it.
fn by_indentation(text: &LinedText, folds: &mut Folds) {
    // Lines whose folds have not ended, with their indentation.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut last = 0;
    for line in 1..=text.line_count() {
        let Some(indent) = text.line(line).and_then(|text| indent_of(&text)) else { continue };
        while let Some((_, first)) = open.pop_if(|(at, _)| *at >= indent) {
            if last > first {
                folds.insert(first, (last, None));
            }
        }
        open.push((indent, line));
        last = line;
    }
    for (_, first) in open {
        if last > first {
            folds.insert(first, (last, None));
        }
    }
}

/// Returns the width of a line's indentation; `None` for an empty line.
fn indent_of(line: &str) -> Option<usize> {
    let blank: usize =
        line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { TAB } else { 1 }).sum();
    (!line.trim().is_empty()).then_some(blank)
}
