//! Renders the results that commands print themselves: pending edits, the daemon's state, and any other result as
//! indented lines.
//!
//! Answers of tools come as text from the daemon; these renderers are for commands that join several results. They read
//! the serialised `data` leniently: a missing field prints as nothing, and a result that is no object goes to the
//! general renderer, because a daemon of another version may answer differently.

mod edit;
mod fields;
mod generic;
mod quantities;
mod status;

use serde_json::Value;

use super::term::Style;
use super::visible::on_one_line;

pub(crate) use generic::plain_text;
pub(crate) use quantities::{bytes_text, count, duration_text, grouped_digits, less_or_more};

/// Fields that hold text of several lines; all others are names, paths and sentences.
const TEXTS: &[&str] = &[
    "after",
    "before",
    "body",
    "detail",
    "diff",
    "doc",
    "docs",
    "inline_body",
    "lines",
    "signature",
    "snippet",
    "source",
    "summary",
    "text",
];

/// Returns a result in which no name can make a line of its own.
pub(crate) fn tame_names(value: &Value) -> Value {
    match value {
        Value::String(text) => on_one_line(text).into(),
        Value::Array(list) => list.iter().map(tame_names).collect(),
        Value::Object(fields) => {
            let field = |(name, field): (&String, &Value)| {
                let is_text = TEXTS.contains(&name.as_str()) && !field.is_object();
                (on_one_line(name).into_owned(), if is_text { field.clone() } else { tame_names(field) })
            };
            fields.iter().map(field).collect()
        }
        scalar => scalar.clone(),
    }
}

/// Renders a result as text: pending edits, a decision about one, or any other.
pub(crate) fn render_data(data: &Value, style: &Style) -> String {
    let data = &tame_names(data);
    let rendered = edit::render_pending(data, style).or_else(|| edit::render_decision(data, style));
    rendered.unwrap_or_else(|| plain_text(data, style))
}

/// Renders the daemon's status as text.
pub(crate) fn render_daemon(status: &Value, style: &Style) -> String {
    let status = &tame_names(status);
    status::render_status(status, style).unwrap_or_else(|| plain_text(status, style))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_and_strange_data_still_print() {
        let style = Style::default();
        assert_eq!(render_data(&json!({"a": 1}), &style), "a: 1\n");
        for odd in
            [json!(null), json!(7), json!([1]), json!({}), json!({"pending": 3}), json!({"pending": [7]})]
        {
            let _ = render_data(&odd, &style);
        }
    }

    #[test]
    fn no_name_makes_a_line_of_its_own() {
        let evil = "a\nerror: all is lost.py";
        for result in [
            json!({"pending": [{"pendingId": "p1", "label": evil, "files": [evil]}]}),
            json!({"pending": [], "files": [{"file": evil}]}),
            json!({evil: {"files": [evil]}}),
        ] {
            let shown = render_data(&result, &Style::default());
            assert!(!shown.lines().any(|line| line.starts_with("error:")), "{shown}");
        }
    }
}
