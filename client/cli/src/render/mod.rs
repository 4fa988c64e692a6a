//! Results that commands of their own print: what waits for a decision, the daemon's state, and any other as indented lines.
//!
//! Answers of tools come as text from the daemon; these are for commands that put several together. They read the serialised `data` leniently: a field that
//! is missing prints as nothing, and a result that is no object at all falls to the general renderer, because a daemon of
//! another version may answer differently.

mod edit;
mod generic;
mod status;

use serde_json::Value;

use super::term::Style;
use super::visible::on_one_line;

pub(crate) use generic::plain_text;
pub(crate) use status::{bytes_text, duration_text};

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

/// A result in which no name makes a line of its own.
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

/// The text for a result: what waits for a decision, what became of it, or any other.
pub(crate) fn render_data(data: &Value, style: &Style) -> String {
    let data = &tame_names(data);
    let rendered = edit::render_pending(data, style).or_else(|| edit::render_decision(data, style));
    rendered.unwrap_or_else(|| plain_text(data, style))
}

/// The text for what the daemon says of itself.
pub(crate) fn render_daemon(status: &Value, style: &Style) -> String {
    let status = &tame_names(status);
    status::render_status(status, style).unwrap_or_else(|| plain_text(status, style))
}

/// A string field; empty when it is missing.
fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

/// Reads a number field; `None` when it is missing.
fn number_of(value: &Value, field: &str) -> Option<u64> {
    value[field].as_u64()
}

/// The elements of a list field.
fn list_field<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

/// `file:line:col`, or what of it there is.
fn place_text(value: &Value) -> String {
    let mut place = text_of(value, "file").to_owned();
    for figure in ["line", "col"] {
        match number_of(value, figure) {
            Some(figure) if figure > 0 && !place.is_empty() => place.push_str(&format!(":{figure}")),
            _ => break,
        }
    }
    place
}

/// `1 file`, `2 files`.
pub(crate) fn count(n: u64, one: &str) -> String {
    match (n, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped_digits(n)),
        (_, None) if one.ends_with("ch") => format!("{} {one}es", grouped_digits(n)),
        (_, None) => format!("{} {one}s", grouped_digits(n)),
    }
}

/// Renders the share of the baseline that answers saved, `95% less`; a loss is called one.
pub(crate) fn less_or_more(saved_percent: f64) -> String {
    match saved_percent.round() {
        percent if percent < 0.0 => format!("{}% more, a loss", -percent),
        percent => format!("{percent}% less"),
    }
}

/// Digits in groups of three.
pub(crate) fn grouped_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(1_234_567, "match"), "1,234,567 matches");
        assert_eq!(count(0, "entry"), "0 entries");
    }
}
