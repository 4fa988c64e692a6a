//! Renders `symbol_history` as one row for each commit, newest first, and the earlier source.

use hob_proto::tools::history::{HistoryResult, SymbolCommit};

use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Renders the commits of a symbol.
pub(super) fn render_history(result: HistoryResult) -> AnswerDocument {
    let symbol = &result.symbol;
    let line = symbol.line.map(|line| format!(":{line}")).unwrap_or_default();
    let mut head = format!("{}{line} {}", one_line(&symbol.file), one_line(&symbol.name));
    if !result.uncommitted.is_empty() {
        head.push_str(&format!("; not committed: {}", result.uncommitted.join(", ")));
    }
    let rows: Vec<AnswerItem> =
        result.commits.iter().map(|commit| AnswerItem::line(commit_row(commit))).collect();
    let mut document = AnswerDocument::default();
    if rows.is_empty() {
        document.sections.push(Section::new("commits", vec![AnswerItem::line(head)]));
    } else {
        document.sections.push(Section::new("commits", rows).with_title(head));
    }
    if let Some(then) = &result.then {
        let title =
            format!("{}:{} {} at {}:", one_line(&then.file), then.line, one_line(&then.name), then.revision);
        let lines = then.source.lines().map(|line| AnswerItem::line(line.to_owned())).collect();
        document.sections.push(Section::new("lines", lines).with_title(title));
    }
    if !result.complete || result.commits.is_empty() {
        document.notes.push(result.ended.clone());
    }
    document
}

/// Formats `commit day author: change: subject`.
fn commit_row(commit: &SymbolCommit) -> String {
    let was = commit.was.as_deref().map(|was| format!(" from {}", one_line(was))).unwrap_or_default();
    let change = match (commit.change.as_str(), commit.parts.is_empty()) {
        ("changed", false) => commit.parts.join(", "),
        (change, true) => change.to_owned(),
        (change, false) => format!("{change}, {}", commit.parts.join(", ")),
    };
    format!(
        "{} {} {}: {change}{was}: {}",
        commit.commit,
        commit.date,
        one_line(&commit.author),
        one_line(&commit.subject)
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit::{Frame, fit};

    #[test]
    fn commits_stand_newest_first_below_the_symbol() {
        let commit = |commit: &str, change: &str, more: serde_json::Value| {
            let mut row = json!({"commit": commit, "date": "2026-11-26", "author": "Ann", "subject": "Faster", "change": change});
            more.as_object().expect("fields").iter().for_each(|(field, value)| row[field] = value.clone());
            row
        };
        let result = json!({
            "symbol": {"uid": "py:a.py#f", "name": "f", "kind": "function", "file": "a.py", "line": 3}, "uncommitted": ["body"],
            "commits": [commit("1a2b3c", "changed", json!({"parts": ["body", "docs"]})), commit("2b3c4d", "moved", json!({"was": "b.py#f"}))],
            "complete": false, "ended": "there may be older commits: raise limit", "walked": 7,
            "then": {"revision": "2b3c4d", "file": "b.py", "name": "f", "line": 1, "source": "def f():\n    pass"},
        });
        let document = render_history(serde_json::from_value(result).expect("a result"));
        let text = fit(&document, &Frame { max_chars: 4_000, ..Frame::default() }).text;
        let expected = "a.py:3 f; not committed: body\n1a2b3c 2026-11-26 Ann: body, docs: Faster\n2b3c4d 2026-11-26 Ann: moved from b.py#f: \
                        Faster\nb.py:1 f at 2b3c4d:\ndef f():\n    pass\n[there may be older commits: raise limit]";
        assert_eq!(text, expected);
    }
}
