//! Text search answers as tool results.

use hob_proto::tools::text::{RegexSearchResult, TextMatch};
use hob_text::{LineMatch, SearchAnswer};

/// The result of a search; `node_of` says which definition a line stands in, where that was asked for.
pub fn result(
    answer: SearchAnswer,
    output: &str,
    node_of: &dyn Fn(&LineMatch) -> Option<String>,
) -> RegexSearchResult {
    let matches = match output {
        "count" => Vec::new(),
        "files" => answer.files.iter().map(|found| file(found.path.as_str(), found.lines)).collect(),
        _ => answer.matches.into_iter().map(|hit| with_node(hit, node_of)).collect(),
    };
    RegexSearchResult {
        matches,
        total_lines: answer.total_lines,
        total_matches: answer.total_matches,
        files_matched: answer.files_matched as u64,
        complete: answer.complete,
        elapsed_ms: u64::try_from(answer.elapsed.as_millis()).unwrap_or(u64::MAX),
    }
}

fn with_node(hit: LineMatch, node_of: &dyn Fn(&LineMatch) -> Option<String>) -> TextMatch {
    let node = node_of(&hit);
    let kind = if node.is_some() { "Symbol" } else { "File" };
    line(hit, kind, node)
}

/// A matching line.
pub fn line(hit: LineMatch, kind: &str, node_id: Option<String>) -> TextMatch {
    TextMatch {
        file: hit.path.as_str().to_owned(),
        line: Some(hit.line.into()),
        col: Some(hit.col),
        text: Some(hit.text),
        kind: kind.to_owned(),
        node_id,
        count: None,
        before: hit.before,
        after: hit.after,
    }
}

/// A matching file.
pub fn file(path: &str, lines: u64) -> TextMatch {
    TextMatch {
        file: path.to_owned(),
        line: None,
        col: None,
        text: None,
        kind: "File".to_owned(),
        node_id: None,
        count: Some(lines),
        before: Vec::new(),
        after: Vec::new(),
    }
}
