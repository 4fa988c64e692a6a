//! Renders any JSON as indented lines, much like YAML: for results without a renderer of their own.

use serde_json::Value;

use super::quantities::{bytes_text, duration_text};
use crate::term::Style;

/// Renders `value` as text.
pub(crate) fn plain_text(value: &Value, style: &Style) -> String {
    let mut out = String::new();
    write(&mut out, value, 0, style);
    if out.is_empty() { "(nothing)\n".to_owned() } else { out }
}

fn write(out: &mut String, value: &Value, depth: usize, style: &Style) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                out.push_str(&"  ".repeat(depth));
                out.push_str(&style.bold(format!("{name}:")));
                match quantity_text(name, field) {
                    Some(text) => out.push_str(&format!(" {text}\n")),
                    None => write_nested(out, field, depth + 1, style),
                }
            }
        }
        Value::Array(list) => {
            for item in list {
                out.push_str(&"  ".repeat(depth));
                write_element(out, item, depth, style);
            }
        }
        scalar => {
            out.push_str(&"  ".repeat(depth));
            out.push_str(&scalar_text(scalar));
            out.push('\n');
        }
    }
}

/// Writes the value of a field, on the field's line if it is short.
fn write_nested(out: &mut String, value: &Value, depth: usize, style: &Style) {
    if let Some(line) = one_line(value) {
        out.push(' ');
        out.push_str(&line);
        out.push('\n');
    } else if let Value::String(text) = value {
        out.push_str(" |\n");
        write_block(out, text, depth);
    } else {
        out.push('\n');
        write(out, value, depth, style);
    }
}

fn write_element(out: &mut String, value: &Value, depth: usize, style: &Style) {
    match one_line(value) {
        Some(line) => out.push_str(&format!("- {line}\n")),
        None => {
            let mut inner = String::new();
            write(&mut inner, value, depth + 1, style);
            let rest = inner.trim_start();
            out.push_str("- ");
            out.push_str(rest);
        }
    }
}

fn write_block(out: &mut String, text: &str, depth: usize) {
    for line in text.lines() {
        out.push_str(&"  ".repeat(depth));
        out.push_str(line);
        out.push('\n');
    }
}

/// Returns scalars, empty containers and short lists of scalars as one line.
fn one_line(value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => fields.is_empty().then(|| "{}".to_owned()),
        Value::String(text) if text.contains('\n') => None,
        Value::Array(list) => {
            let scalar = |item: &Value| !item.is_object() && !item.is_array();
            let line = || format!("[{}]", list.iter().map(scalar_text).collect::<Vec<_>>().join(", "));
            list.iter().all(scalar).then(line).filter(|line| line.len() <= 100 && !line.contains('\n'))
        }
        scalar => Some(scalar_text(scalar)),
    }
}

/// Renders sizes and durations, whose fields are named by their unit.
fn quantity_text(name: &str, value: &Value) -> Option<String> {
    let n = value.as_u64()?;
    match name {
        _ if name.ends_with("Bytes") || name.ends_with("BytesOnDisk") => Some(bytes_text(n)),
        "uptimeS" | "connectedS" => Some(duration_text(n)),
        _ => None,
    }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nesting_is_indented() {
        let value = json!({"a": 1, "b": {"c": "x\ny", "d": []}, "e": [1, 2], "f": [{"g": true, "h": null}, {"g": false}]});
        let expected = "a: 1\nb:\n  c: |\n    x\n    y\n  d: []\ne: [1, 2]\nf:\n  - g: true\n    h: none\n  - g: false\n";
        assert_eq!(plain_text(&value, &Style::default()), expected);
        assert_eq!(plain_text(&json!({}), &Style::default()), "(nothing)\n");
        assert_eq!(plain_text(&json!({"mapBytes": 2048}), &Style::default()), "mapBytes: 2.0 KiB\n");
    }
}
