//! Matching lines, counts of patterns, and ranked results.

use hob_proto::tools::ranked::{RankedResult, TextSearchResult};
use hob_proto::tools::text::{CountPatternsResult, PatternCount, RegexSearchResult, TextMatch};

use super::handle::{count, qualified_name};
use crate::document::{Document, Item, Section};
use crate::marks::Mark;
use crate::one_line::one_line;
use crate::places::Place;

/// Lines under their path and enclosing symbol, files with their counts, or the totals alone.
pub(super) fn matches(result: RegexSearchResult) -> Document {
    if result.matches.is_empty() {
        return Document::of_line(totals(&result));
    }
    let mut matches = result.matches;
    show_lines_once(&mut matches);
    Document::of_section(Section::paged("matches", matches.iter().map(matching_line).collect()))
}

/// Leaves out of the lines around a match those that the match before it has, and those from the next match on.
fn show_lines_once(matches: &mut [TextMatch]) {
    for at in 1..matches.len() {
        let (earlier, later) = matches.split_at_mut(at);
        let (Some(one), Some(next)) = (earlier.last_mut(), later.first_mut()) else { continue };
        let (Some(line), Some(next_line)) = (one.line, next.line) else { continue };
        if one.file != next.file || next_line <= line {
            continue;
        }
        let between = usize::try_from(next_line - line - 1).unwrap_or(usize::MAX);
        one.after.truncate(between);
        let unseen = between - one.after.len();
        next.before.drain(..next.before.len().saturating_sub(unseen));
    }
}

fn totals(result: &RegexSearchResult) -> String {
    if result.total_lines == 0 && result.files_matched == 0 {
        return if result.complete { "no match".to_owned() } else { "no match yet".to_owned() };
    }
    let bound = if result.complete { "" } else { "at least " };
    let (lines, matches) = (count(result.total_lines, "line"), count(result.total_matches, "match"));
    format!("{bound}{lines}, {matches}, {}", count(result.files_matched, "file"))
}

fn matching_line(found: &TextMatch) -> Item {
    let Some(line) = found.line else {
        let number = found.count.map(|n| format!(" {n}")).unwrap_or_default();
        return Item::line(format!("{}{number}", one_line(&found.file)));
    };
    let text = found.text.as_deref().unwrap_or("");
    let symbol = found.symbol.as_deref().or_else(|| found.node_id.as_deref().and_then(qualified_name));
    let mut item = Place { path: &found.file, line, symbol, text, mark: Mark::Sure }.to_item();
    if !found.before.is_empty() || !found.after.is_empty() {
        item.lines = with_context(found, line, text);
    }
    item
}

/// The line among those around it, all without the indentation that they share; `-` after the numbers of the others.
fn with_context(found: &TextMatch, line: u64, text: &str) -> Vec<String> {
    let all =
        found.before.iter().map(String::as_str).chain([text]).chain(found.after.iter().map(String::as_str));
    let shared = all.clone().filter(|text| !text.trim().is_empty()).map(indentation).min().unwrap_or(0);
    let first = line.saturating_sub(found.before.len() as u64);
    let row = |(at, text): (usize, &str)| {
        let number = first + at as u64;
        let sign = if number == line { ' ' } else { '-' };
        format!("{number}{sign}{}", one_line(text.trim_end().get(shared..).unwrap_or("")))
            .trim_end()
            .to_owned()
    };
    all.enumerate().map(row).collect()
}

fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// One line for each pattern, and the files with most of it.
pub(super) fn counts(result: CountPatternsResult) -> Document {
    let bound = if result.complete { "" } else { "at least " };
    let item = |pattern: &PatternCount| {
        let head = format!(
            "{}: {bound}{} in {}",
            one_line(&pattern.pattern),
            pattern.total_matches,
            count(pattern.files_matched, "file")
        );
        let files = pattern.top_files.iter().map(|top| format!(" {} {}", one_line(&top.path), top.count));
        Item { lines: std::iter::once(head).chain(files).collect(), ..Item::default() }
    };
    Document::of_section(Section::paged("patterns", result.patterns.iter().map(item).collect()))
}

/// Results best first, with the lines of each that match.
pub(super) fn ranked(result: TextSearchResult) -> Document {
    if result.results.is_empty() {
        return Document::of_line("nothing has these words");
    }
    Document::of_section(Section::paged("results", result.results.iter().map(ranked_result).collect()))
}

fn ranked_result(result: &RankedResult) -> Item {
    let stale = if result.stale { " (changed since)" } else { "" };
    let head = match result.id {
        Some(_) => format!("{} {}{stale}", result.line, one_line(&result.title)),
        None => format!("{}{stale}", result.line),
    };
    let snippet = result.snippet.iter().flat_map(|text| text.lines());
    let lines = snippet.map(|line| format!(" {}", one_line(line.trim_end())));
    Item {
        group: vec![one_line(&result.file).into_owned()],
        lines: std::iter::once(head).chain(lines).collect(),
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document;
    use crate::fit::{Frame, fit};

    fn text(tool: &str, data: &serde_json::Value) -> String {
        fit(&document(tool, data), &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    #[test]
    fn lines_stand_under_their_path_and_symbol() {
        let hit = |line: u64, symbol: Option<&str>, text: &str| json!({"file": "a.py", "line": line, "text": text, "kind": "File", "symbol": symbol});
        let data = json!({"matches": [hit(3, None, "import x"), hit(9, Some("C.f"), "    x.go()"), hit(10, Some("C.f"), "    x.on()")],
            "total_lines": 3, "total_matches": 3, "files_matched": 1, "complete": true, "elapsed_ms": 1});
        assert_eq!(text("regex_search", &data), "a.py\n 3 import x\n C.f\n  9 x.go()\n  10 x.on()");
    }

    #[test]
    fn context_keeps_its_shape_and_tells_the_match() {
        let data = json!({"matches": [{"file": "a.py", "line": 3, "text": "  if x:", "kind": "File", "before": ["  y"], "after": ["    z", ""]}],
            "total_lines": 1, "total_matches": 1, "files_matched": 1, "complete": true, "elapsed_ms": 1});
        assert_eq!(text("regex_search", &data), "a.py\n 2-y\n 3 if x:\n 4-  z\n 5-");
    }

    #[test]
    fn lines_around_several_matches_are_shown_once() {
        let hit = |line: u64, before: &[&str], after: &[&str]| json!({"file": "a.py", "line": line, "text": format!("hit{line}"), "kind": "File", "before": before, "after": after});
        let data = json!({"matches": [hit(3, &["1", "2"], &["hit4", "5"]), hit(4, &["2", "hit3"], &["5", "6"]), hit(8, &["6", "7"], &[])],
            "total_lines": 3, "total_matches": 3, "files_matched": 1, "complete": true, "elapsed_ms": 1});
        assert_eq!(
            text("regex_search", &data),
            "a.py\n 1-1\n 2-2\n 3 hit3\n 4 hit4\n 5-5\n 6-6\n 7-7\n 8 hit8"
        );
    }

    #[test]
    fn files_and_totals() {
        let totals = |matches| json!({"matches": matches, "total_lines": 2, "total_matches": 3, "files_matched": 1, "complete": false, "elapsed_ms": 1});
        assert_eq!(
            text("regex_search", &totals(json!([{"file": "a.py", "count": 2, "kind": "File"}]))),
            "a.py 2"
        );
        assert_eq!(text("regex_search", &totals(json!([]))), "at least 2 lines, 3 matches, 1 file");
    }
}
