//! Text search: `path:line:text`, as every grep prints it.

use serde_json::Value;

use super::{count, items, number_of, text_of};
use crate::cli::term::Style;

/// Matching lines, matching files with their counts, or only the totals.
pub(super) fn matches(data: &Value, style: &Style) -> Option<String> {
    let found = data.get("matches")?.as_array()?;
    let mut out = String::new();
    let mut previous: Option<(&str, u64)> = None;
    for one in found {
        let has_context = !items(one, "before").is_empty() || !items(one, "after").is_empty();
        let first = number_of(one, "line").unwrap_or(0).saturating_sub(items(one, "before").len() as u64);
        let adjoins = previous.is_some_and(|(file, line)| file == text_of(one, "file") && line + 1 >= first);
        if has_context && previous.is_some() && !adjoins {
            out.push_str("--\n");
        }
        write(&mut out, one, style);
        let last = number_of(one, "line").unwrap_or(0) + items(one, "after").len() as u64;
        previous = Some((text_of(one, "file"), last));
    }
    if found.is_empty() || style.width.is_some() {
        out.push_str(&format!("{}\n", style.dim(totals(data))));
    }
    Some(out)
}

fn write(out: &mut String, one: &Value, style: &Style) {
    let file = style.path(text_of(one, "file"));
    let Some(line) = number_of(one, "line") else {
        let count = number_of(one, "count").map(|n| format!(":{n}")).unwrap_or_default();
        out.push_str(&format!("{file}{count}\n"));
        return;
    };
    let before = items(one, "before");
    let mut context = |at: u64, text: &Value| {
        let number = style.line(at.to_string()).into_owned();
        out.push_str(&format!("{file}-{number}-{}\n", text.as_str().unwrap_or("")));
    };
    for (at, text) in before.iter().enumerate() {
        context((line + at as u64).saturating_sub(before.len() as u64), text);
    }
    out.push_str(&format!("{file}:{}:{}\n", style.line(line.to_string()), text_of(one, "text")));
    for (at, text) in items(one, "after").iter().enumerate() {
        let number = style.line((line + 1 + at as u64).to_string());
        out.push_str(&format!("{file}-{number}-{}\n", text.as_str().unwrap_or("")));
    }
}

fn totals(data: &Value) -> String {
    let number = |field: &str| number_of(data, field).unwrap_or(0);
    let bound = if data["complete"] == false { "at least " } else { "" };
    let lines = count(number("total_lines"), "line");
    let matches = count(number("total_matches"), "match");
    format!("{bound}{lines} with {matches} in {}", count(number("files_matched"), "file"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(data: &Value) -> String {
        matches(data, &Style::default()).expect("a result")
    }

    #[test]
    fn lines_print_as_grep_does() {
        let data =
            json!({"matches": [{"file": "a.py", "line": 3, "col": 1, "text": "x = 1", "kind": "File"}]});
        assert_eq!(plain(&data), "a.py:3:x = 1\n");
    }

    #[test]
    fn context_is_marked_and_groups_are_separated() {
        let data = json!({"matches": [
            {"file": "a", "line": 3, "text": "hit", "before": ["two"], "after": ["four"]},
            {"file": "a", "line": 5, "text": "hit", "before": [], "after": ["six"]},
            {"file": "a", "line": 9, "text": "hit", "before": ["eight"]}]});
        assert_eq!(plain(&data), "a-2-two\na:3:hit\na-4-four\na:5:hit\na-6-six\n--\na-8-eight\na:9:hit\n");
    }

    #[test]
    fn files_and_counts() {
        let data = json!({"matches": [{"file": "a.py", "count": 4}]});
        assert_eq!(plain(&data), "a.py:4\n");
        let data = json!({"matches": [], "total_lines": 1, "total_matches": 2, "files_matched": 1, "complete": false});
        assert_eq!(plain(&data), "at least 1 line with 2 matches in 1 file\n");
    }
}
