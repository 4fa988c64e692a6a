//! Reads fields of a serialised result leniently: a missing or strange field is empty.

use serde_json::Value;

/// Returns a string field; empty when it is missing.
pub(super) fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

/// Reads a number field; `None` when it is missing.
pub(super) fn number_of(value: &Value, field: &str) -> Option<u64> {
    value[field].as_u64()
}

/// Returns the elements of a list field.
pub(super) fn list_field<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

/// Returns `file:line:col`, or as much of it as there is.
pub(super) fn place_text(value: &Value) -> String {
    let mut place = text_of(value, "file").to_owned();
    for figure in ["line", "col"] {
        match number_of(value, figure) {
            Some(figure) if figure > 0 && !place.is_empty() => place.push_str(&format!(":{figure}")),
            _ => break,
        }
    }
    place
}
