//! Turns answers of text search into tool results.

use std::time::Duration;

use hob_proto::tools::text::{CountPatternsResult, PatternCount, RegexSearchResult, TextMatch, TopFile};
use hob_text::{CountAnswer, LineMatch, PatternCounts, SearchAnswer};

/// Makes the result of a search; `node_of` returns the kind and the ID of the node that a line belongs to.
pub fn result(
    answer: SearchAnswer,
    output: &str,
    node_of: &dyn Fn(&LineMatch) -> (&'static str, Option<String>),
) -> RegexSearchResult {
    let complete = answer.covers_everything();
    let matches = match output {
        "count" => Vec::new(),
        "files" => answer.files.iter().map(|found| file(found.path.as_str(), found.lines)).collect(),
        _ => {
            let shown = |hit| {
                let (kind, node_id) = node_of(&hit);
                line(kind, node_id, hit)
            };
            answer.matches.into_iter().map(shown).collect()
        }
    };
    RegexSearchResult {
        matches,
        total_lines: answer.total_lines,
        total_matches: answer.total_matches,
        files_matched: answer.files_matched as u64,
        complete,
        elapsed_ms: whole_millis(answer.elapsed),
    }
}

/// Makes the result of counting `patterns`.
pub fn counts_result(answer: CountAnswer, patterns: Vec<String>) -> CountPatternsResult {
    let complete = answer.covers_everything();
    CountPatternsResult {
        patterns: patterns
            .into_iter()
            .zip(answer.counts)
            .map(|(pattern, counts)| of_pattern(pattern, counts))
            .collect(),
        complete,
        elapsed_ms: whole_millis(answer.elapsed),
    }
}

fn of_pattern(pattern: String, counts: PatternCounts) -> PatternCount {
    let top =
        |file: hob_text::FileCount| TopFile { path: file.path.as_str().to_owned(), count: file.matches };
    PatternCount {
        pattern,
        total_matches: counts.total_matches,
        files_matched: counts.files_matched as u64,
        top_files: counts.top_files.into_iter().map(top).collect(),
    }
}

fn whole_millis(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn line(kind: &str, node_id: Option<String>, hit: LineMatch) -> TextMatch {
    TextMatch {
        file: hit.path.as_str().to_owned(),
        line: Some(hit.line.into()),
        col: Some(hit.col),
        text: Some(hit.text),
        kind: kind.to_owned(),
        node_id,
        symbol: None,
        count: None,
        before: hit.before,
        after: hit.after,
    }
}

fn file(path: &str, lines: u64) -> TextMatch {
    TextMatch { count: Some(lines), ..bare_match(path) }
}

/// Makes a match of which only the file is known.
pub(crate) fn bare_match(path: &str) -> TextMatch {
    TextMatch {
        file: path.to_owned(),
        line: None,
        col: None,
        text: None,
        kind: "File".to_owned(),
        node_id: None,
        symbol: None,
        count: None,
        before: Vec::new(),
        after: Vec::new(),
    }
}
