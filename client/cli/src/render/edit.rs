//! Renders previews, pending edits, and decisions about them.

use serde_json::Value;

use super::super::term::Style;
use super::fields::{list_field, number_of, place_text, text_of};
use super::quantities::count;

/// Renders the pending changes; with its diff, if one was named.
pub(super) fn render_pending(data: &Value, style: &Style) -> Option<String> {
    let all = data["pending"].as_array()?;
    if all.is_empty() {
        return Some("Nothing is pending.\n".to_owned());
    }
    let mut out = String::new();
    for one in all {
        let whose = if one["yours"] == true { "" } else { "  by an agent" };
        let staged = if one["staged"] == true { "  change set" } else { "" };
        out.push_str(&format!(
            "{}  {}{staged}\n  {}\n",
            style.bold(text_of(one, "pendingId")),
            text_of(one, "label"),
            style.dim(format!("{}, {}{whose}", text_of(one, "sourceToolName"), text_of(one, "createdAt"))),
        ));
        if data["files"].is_null() {
            let paths = list_field(one, "files").iter().filter_map(Value::as_str);
            out.extend(paths.map(|path| format!("  {}\n", style.path(path))));
        }
    }
    out.push_str(&files(list_field(data, "files"), style));
    if !data["diff"].is_null() {
        out.push('\n');
        out.push_str(&coloured_diff(data, style));
    }
    Some(out)
}

/// Renders the outcome of a decision about a pending change.
pub(super) fn render_decision(data: &Value, style: &Style) -> Option<String> {
    let mut out = format!("{}\n", data["message"].as_str()?);
    out.push_str(&files(list_field(data, "files"), style));
    for left in list_field(&data["sourceResultDetails"]["leftovers"], "shown") {
        let place = place_text(left);
        out.push_str(&format!("  {}  {}\n", style.path(place), text_of(left, "text")));
    }
    for worse in list_field(&data["sourceResultDetails"]["diagnostics"], "worse") {
        let (severity, after) = (text_of(worse, "severity"), number_of(worse, "after").unwrap_or(0));
        let more = after.saturating_sub(number_of(worse, "before").unwrap_or(0));
        out.push_str(&format!(
            "  {}  {}\n",
            style.path(text_of(worse, "file")),
            count(more, &format!("new {severity}"))
        ));
        for new in list_field(worse, "new") {
            out.push_str(&format!("    {}: {}\n", place_text(new), text_of(new, "message")));
        }
    }
    Some(out)
}

fn files(files: &[Value], style: &Style) -> String {
    let line = |file: &Value| match file.as_str() {
        Some(path) => format!("  {}\n", style.path(path)),
        None => {
            let number = |field| number_of(file, field).unwrap_or(0);
            let moved = file["movedTo"].as_str().map(|to| format!(" -> {to}")).unwrap_or_default();
            let path = format!("{}{moved}", text_of(file, "file"));
            let counts = format!("+{} -{}", number("additions"), number("deletions"));
            format!("  {}  {}\n", style.path(path), style.dim(counts))
        }
    };
    files.iter().map(line).collect()
}

/// Colours a unified diff in the usual way.
fn coloured_diff(data: &Value, style: &Style) -> String {
    let line = |line: &str| {
        let painted = match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") => {
                style.bold(line)
            }
            Some(b'+') => style.line(line),
            Some(b'-') => style.alarm(line),
            Some(b'@') => style.path(line),
            _ => line.into(),
        };
        format!("{painted}\n")
    };
    text_of(data, "diff").lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_waits_is_told_with_how_to_decide() {
        let file = json!({"file": "a.py", "additions": 1, "deletions": 2});
        let one = json!({"pendingId": "p1", "label": "Replace text in a.py", "sourceToolName": "edit_text", "createdAt": "now"});
        let data = json!({"pending": [one], "files": [file], "diff": "@@ -1 +1 @@\n-a\n+b\n"});
        let text = render_pending(&data, &Style::default()).expect("a list");
        assert!(text.starts_with("p1  Replace text in a.py\n"), "{text}");
        assert!(text.contains("  a.py  +1 -2\n") && text.contains("-a\n+b\n"), "{text}");
        assert_eq!(
            render_pending(&json!({"pending": []}), &Style::default()).as_deref(),
            Some("Nothing is pending.\n")
        );
    }
}
