//! Renders bundles: entries with their places, their signatures, and as much source as the handler chose.

use std::collections::BTreeSet;

use hob_proto::tools::investigate::{
    Beside, ExpandResult, HydrateResult, InvestigateResult, InvestigationEntry, PlaceReason,
};

use super::handle::handle_of;
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::{one_line, shorten_to};

/// The separator between signature and documentation in a summary.
const SEPARATOR: &str = " · ";

/// Most characters of a signature.
const HEAD: usize = 140;

/// The lowest confidence that is shown: a lower one only says that the place is one of many.
const SHOWN_FROM: f64 = 0.1;

/// Renders entries, most relevant first.
pub(super) fn first_answer(result: InvestigateResult) -> AnswerDocument {
    if result.entries.is_empty() {
        return AnswerDocument::of_line("nothing is about this");
    }
    let mut entries = result.entries;
    show_confidence_once(&mut entries);
    let mut document =
        AnswerDocument::of_section(Section::new("entries", entries.iter().map(entry_item).collect()));
    document.notes.push(format!("bundle {}", result.bundle_id));
    document
}

/// Renders entries with their source and their neighbours.
pub(super) fn render_expanded(result: ExpandResult) -> AnswerDocument {
    let entries = Section::new("entries", result.expanded.iter().map(entry_item).collect());
    let beside = |other: &Beside| {
        let row = format!("{} {}", other.relation, one_line(&handle_of(&other.uid)));
        AnswerItem::below_header(one_line(&handle_of(&other.of)), row)
    };
    let neighbors = Section::new("neighbors", result.neighbors.iter().map(beside).collect());
    let mut document = AnswerDocument { sections: vec![entries, neighbors], ..AnswerDocument::default() };
    if !result.unresolved.is_empty() {
        let missing: Vec<_> = result.unresolved.iter().map(|name| one_line(name)).collect();
        document.notes.push(format!("nothing now: {}", missing.join(", ")));
    }
    document
}

/// Renders entries with their source.
pub(super) fn render_hydrated(result: HydrateResult) -> AnswerDocument {
    let mut document = match result.entries.is_empty() {
        true => AnswerDocument::of_line("every entry has its source"),
        false => AnswerDocument::of_section(Section::new(
            "entries",
            result.entries.iter().map(entry_item).collect(),
        )),
    };
    if result.skipped > 0 {
        let reasons: Vec<_> =
            result.skipped_reasons.iter().map(|skipped| one_line(&skipped.reason)).collect();
        document.notes.push(format!("{} entries have no source yet: {}", result.skipped, reasons.join("; ")));
    }
    document
}

/// Makes an item of an entry below its path: its line, its name in its signature, and its source, if present.
fn entry_item(entry: &InvestigationEntry) -> AnswerItem {
    let changed = if entry.changed { " (changed since)" } else { "" };
    let sure = certainty(entry);
    let (path, line) = entry.location.rsplit_once(':').unwrap_or((&entry.location, "1"));
    let head = match &entry.inline_body {
        Some(_) => one_line(&entry.title).into_owned(),
        None => signature(entry),
    };
    let body = match (&entry.inline_body, &entry.snippet) {
        (Some(body), _) => without_indentation(body),
        (None, Some(snippet)) => snippet.lines().map(str::to_owned).collect(),
        (None, None) => Vec::new(),
    };
    let lines = body.iter().map(|line| format!(" {}", one_line(line)));
    AnswerItem {
        group: vec![one_line(path).into_owned()],
        lines: std::iter::once(format!("{line} {head}{changed}{sure}")).chain(lines).collect(),
        source: None,
    }
}

/// Removes the confidence of the file, and that the question mentions it, from all but the first entry of
/// each file.
fn show_confidence_once(entries: &mut [InvestigationEntry]) {
    let mut seen = BTreeSet::new();
    for entry in entries {
        let path = entry.location.rsplit_once(':').map_or("", |(path, _)| path);
        if !seen.insert(path.to_owned()) {
            entry.confidence = None;
            if entry.reason == Some(PlaceReason::FileMentioned) {
                entry.reason = None;
            }
        }
    }
}

/// Formats the confidence of an entry, and the reason if that is more than the words that its lines show.
fn certainty(entry: &InvestigationEntry) -> String {
    let percent =
        entry.confidence.filter(|sure| *sure >= SHOWN_FROM).map(|sure| format!("{:.0} %", sure * 100.0));
    // The lines of a place show its words.
    let why = match entry.reason {
        Some(PlaceReason::NamedByPlace) => Some("named by place"),
        Some(PlaceReason::NamedInQuestion) => Some("named in the question"),
        Some(PlaceReason::FileMentioned) => Some("its file is mentioned"),
        _ => None,
    };
    let told: Vec<String> = percent.into_iter().chain(why.map(str::to_owned)).collect();
    if told.is_empty() { String::new() } else { format!("  ({})", told.join(", ")) }
}

/// Returns the signature with the whole name in it, and the documentation if there are no lines to show.
fn signature(entry: &InvestigationEntry) -> String {
    let (signature, doc) = entry.summary.split_once(SEPARATOR).unwrap_or((&entry.summary, ""));
    let name = entry.title.rsplit(['.', ':', '#']).next().unwrap_or(&entry.title);
    let head = match signature.find(name).filter(|_| !name.is_empty()) {
        Some(at) => format!("{}{}{}", &signature[..at], entry.title, &signature[at + name.len()..]),
        None => format!("{} {signature}", entry.title),
    };
    let doc = if entry.snippet.is_none() && !doc.is_empty() { format!("  {doc}") } else { String::new() };
    one_line(&shorten_to(format!("{head}{doc}").trim_end(), HEAD)).into_owned()
}

/// Returns the lines that are not blank, without their common indentation.
fn without_indentation(body: &str) -> Vec<String> {
    let indentation = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let lines: Vec<&str> = body.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let shared = lines.iter().map(indentation).min().unwrap_or(0);
    lines.iter().map(|line| line.get(shared..).unwrap_or(line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document;
    use crate::fit::{Frame, fit};

    #[test]
    fn an_entry_shows_its_signature_and_the_lines_that_matter() {
        let entry = |title: &str, more: serde_json::Value| {
            let mut entry = json!({"asset_id": "a1", "uid": "py:a.py#x", "kind": "method", "title": title, "location": "a.py:7",
                "summary": "def get(self) -> int · Gets one.", "body_complete": false, "relevance": 1.0, "is_seed": true});
            entry.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            entry
        };
        let entries = [
            entry(
                "Pool.get",
                json!({"snippet": "9 recycle()", "confidence": 0.42, "reason": "its file is mentioned"}),
            ),
            entry("Pool.get", json!({"confidence": 0.42, "reason": "its file is mentioned"})),
            entry(
                "Pool.get",
                json!({"inline_body": "    def get(self):\n        return 1\n", "body_complete": true}),
            ),
        ];
        let data = json!({"bundle_id": "b1", "query": "q", "scope": "all", "domains": [], "entries": entries,
            "more_available": false, "returned": 3, "total": 3});
        let text = fit(&document("investigate", &data), &Frame { max_chars: 4_000, ..Frame::default() }).text;
        let expected = "a.py\n 7 def Pool.get(self) -> int  (42 %, its file is mentioned)\n  9 recycle()\n 7 def Pool.get(self) -> int  Gets one.\n 7 Pool.get\n  \
                        def get(self):\n      return 1\n";
        assert!(text.starts_with(expected), "{text}");
    }
}
