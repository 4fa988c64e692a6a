//! Renders any JSON as indented lines, for results without a renderer of their own.

use serde_json::Value;

use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Length of the longest list of scalars that stays on one line, in characters.
const SHORT: usize = 120;

/// Renders fields as `name: value`, lists and objects below their names.
pub(super) fn render_general(data: &Value) -> AnswerDocument {
    let mut lines = lines_of(data);
    if lines.is_empty() {
        lines.push("(nothing)".to_owned());
    }
    AnswerDocument::of_section(Section::new("lines", lines.into_iter().map(AnswerItem::line).collect()))
}

/// Returns the lines of `value`, indented by one space for each level.
pub(super) fn lines_of(value: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    write_value(&mut lines, value, 0);
    lines
}

fn write_value(lines: &mut Vec<String>, value: &Value, level: usize) {
    let indent = " ".repeat(level);
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|(_, field)| !is_empty(field)) {
                let name = one_line(name);
                match on_one_line(field) {
                    Some(text) => lines.push(format!("{indent}{name}: {text}")),
                    None => {
                        lines.push(format!("{indent}{name}:"));
                        write_value(lines, field, level + 1);
                    }
                }
            }
        }
        Value::Array(list) => {
            for item in list {
                match on_one_line(item) {
                    Some(text) => lines.push(format!("{indent}- {text}")),
                    None => {
                        let first = lines.len();
                        write_value(lines, item, level + 2);
                        if let Some(line) = lines.get_mut(first) {
                            line.replace_range(level..level + 1, "-");
                        }
                    }
                }
            }
        }
        Value::String(text) => {
            lines.extend(text.lines().map(|line| format!("{indent}{}", one_line(line))));
        }
        scalar => lines.push(format!("{indent}{scalar}")),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Formats a scalar, or a short list of scalars.
fn on_one_line(value: &Value) -> Option<String> {
    match value {
        Value::Object(_) => None,
        Value::String(text) if text.contains('\n') => None,
        Value::String(text) => Some(one_line(text).into_owned()),
        Value::Array(list) => {
            let parts: Option<Vec<String>> =
                list.iter().map(|item| if item.is_array() { None } else { on_one_line(item) }).collect();
            parts.map(|parts| parts.join(", ")).filter(|text| text.chars().count() <= SHORT)
        }
        scalar => Some(scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nesting_is_indented_and_what_is_empty_is_left_out() {
        let value = json!({"a": 1, "b": {"c": "x\ny", "d": []}, "e": [1, 2], "f": [{"g": true, "h": null}, {"g": false}]});
        assert_eq!(
            lines_of(&value),
            ["a: 1", "b:", " c:", "  x", "  y", "e: 1, 2", "f:", " - g: true", " - g: false"]
        );
    }
}
