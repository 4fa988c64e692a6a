//! Renders matching lines, counts of patterns, and ranked results.

use hob_proto::tools::ranked::{RankedResult, TextSearchResult};
use hob_proto::tools::text::{CountPatternsResult, PatternCount, RegexSearchResult, TextMatch};

use super::handle::{count, qualified_name};
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::one_line;
use crate::places::AnswerPlace;

/// Renders lines under their path and enclosing symbol, files with their counts, or the totals alone.
pub(super) fn matches(result: RegexSearchResult) -> AnswerDocument {
    if result.matches.is_empty() {
        return AnswerDocument::of_line(totals_line(&result));
    }
    let mut matches = result.matches;
    show_lines_once(&mut matches);
    let headers = headers_of(&matches);
    let items = matches.iter().zip(headers).map(|(found, symbol)| matching_line(found, symbol));
    AnswerDocument::of_section(Section::new_paged("matches", items.collect()))
}

/// Removes context lines that the match before already shows, and those from the next match on.
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

/// Returns the symbol above each line: the innermost one around it, or the one above the lines before it, if
/// that encloses the line too and a header of its own would be longer than the lines below it.
fn headers_of(matches: &[TextMatch]) -> Vec<Option<&str>> {
    let mut headers: Vec<Option<&str>> = Vec::with_capacity(matches.len());
    let is_beside = |a: &TextMatch, b: &TextMatch| a.file == b.file && symbol_of(a) == symbol_of(b);
    for run in matches.chunk_by(is_beside) {
        let own = symbol_of(&run[0]);
        let before = headers.len().checked_sub(1).filter(|last| matches[*last].file == run[0].file);
        let above = before.and_then(|last| headers[last]);
        let is_within = |(own, above): &(&str, &str)| {
            own.strip_prefix(above).is_some_and(|rest| rest.starts_with(['.', ':', '#']))
        };
        let outer = own.zip(above).filter(is_within).filter(|(own, _)| own.len() > length_of(run));
        let header = outer.map(|(_, above)| above).or(own);
        headers.extend(run.iter().map(|_| header));
    }
    headers
}

/// Returns the approximate number of characters in the lines.
fn length_of(run: &[TextMatch]) -> usize {
    let length = |found: &TextMatch| found.text.as_deref().map_or(0, |text| text.trim().len());
    run.iter().map(|found| length(found) + 4).sum()
}

fn symbol_of(found: &TextMatch) -> Option<&str> {
    found.symbol.as_deref().or_else(|| found.node_id.as_deref().and_then(qualified_name))
}

fn totals_line(result: &RegexSearchResult) -> String {
    if result.total_lines == 0 && result.files_matched == 0 {
        return if result.complete { "no match".to_owned() } else { "no match yet".to_owned() };
    }
    let bound = if result.complete { "" } else { "at least " };
    let (lines, matches) = (count(result.total_lines, "line"), count(result.total_matches, "match"));
    format!("{bound}{lines}, {matches}, {}", count(result.files_matched, "file"))
}

fn matching_line(found: &TextMatch, symbol: Option<&str>) -> AnswerItem {
    let Some(line) = found.line else {
        let number = found.count.map(|n| format!(" {n}")).unwrap_or_default();
        return AnswerItem::line(format!("{}{number}", one_line(&found.file)));
    };
    let text = found.text.as_deref().unwrap_or("");
    let mut item = AnswerPlace { path: &found.file, line, symbol, text, mark: Mark::Sure }.to_item();
    if !found.before.is_empty() || !found.after.is_empty() {
        item.lines = with_context(found, line, text);
    }
    item
}

/// Formats a line among its context lines, without their common indentation; `-` follows the numbers of the
/// others.
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

/// Renders one line for each pattern, and the files with most of its matches.
pub(super) fn render_counts(result: CountPatternsResult) -> AnswerDocument {
    let bound = if result.complete { "" } else { "at least " };
    let item = |pattern: &PatternCount| {
        let head = format!(
            "{}: {bound}{} in {}",
            one_line(&pattern.pattern),
            pattern.total_matches,
            count(pattern.files_matched, "file")
        );
        let files = pattern.top_files.iter().map(|top| format!(" {} {}", one_line(&top.path), top.count));
        AnswerItem { lines: std::iter::once(head).chain(files).collect(), ..AnswerItem::default() }
    };
    AnswerDocument::of_section(Section::new_paged("patterns", result.patterns.iter().map(item).collect()))
}

/// Renders results, best first, with the matching lines of each.
pub(super) fn render_ranked(result: TextSearchResult) -> AnswerDocument {
    if result.results.is_empty() {
        return AnswerDocument::of_line("nothing has these words");
    }
    AnswerDocument::of_section(Section::new_paged(
        "results",
        result.results.iter().map(ranked_result).collect(),
    ))
}

fn ranked_result(result: &RankedResult) -> AnswerItem {
    let stale = if result.stale { " (changed since)" } else { "" };
    let head = match result.id {
        Some(_) => format!("{} {}{stale}", result.line, one_line(&result.title)),
        None => format!("{}{stale}", result.line),
    };
    let snippet = result.snippet.iter().flat_map(|text| text.lines());
    let lines = snippet.map(|line| format!(" {}", one_line(line.trim_end())));
    AnswerItem {
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

    #[test]
    fn a_header_longer_than_its_lines_is_not_written_where_one_above_holds_them() {
        let hit = |line: u64, symbol: &str, text: &str| json!({"file": "a.py", "line": line, "text": text, "kind": "File", "symbol": symbol});
        let hits = [
            hit(2, "test_of_what_is_long", "class A:"),
            hit(4, "test_of_what_is_long.A.__init__", "self.x = 1"),
            hit(6, "test_of_what_is_long.A.more", "self.x = self.x + self.y + self.z if self.x else self.w"),
            hit(9, "test_of_what_is_long_too.A", "x = 3"),
        ];
        let data = json!({"matches": hits, "total_lines": 4, "total_matches": 4, "files_matched": 1, "complete": true, "elapsed_ms": 1});
        let expected = "a.py\n test_of_what_is_long\n  2 class A:\n  4 self.x = 1\n test_of_what_is_long.A.more\n  \
                        6 self.x = self.x + self.y + self.z if self.x else self.w\n test_of_what_is_long_too.A\n  9 x = 3";
        assert_eq!(text("regex_search", &data), expected);
    }
}
