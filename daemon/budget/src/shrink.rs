//! Makes single values smaller: strings shortened, expendable fields dropped.

use serde_json::{Map, Value};

/// Fields that identify an item; shortened, they would name something else.
const IDENTITY: &[&str] = &[
    "id",
    "uid",
    "nodeId",
    "node_id",
    "file",
    "from",
    "to",
    "kind",
    "edge",
    "code",
    "target",
    "bundle_id",
    "asset_id",
];

/// Fields that only illustrate, most expendable first.
const EXPENDABLE: &[&str] =
    &["snippet", "before", "after", "doc", "candidates", "sites", "detail", "summary", "signature"];

/// Fields that hold a body; a shortened one makes its sibling `body_complete` false.
const BODIES: &[&str] = &["source", "inline_body"];

/// Returns the first `max` characters with an ellipsis; `None` when the text is short enough.
pub(super) fn shorten_to(text: &str, max: usize) -> Option<String> {
    let keep = max.saturating_sub(1);
    text.char_indices().nth(max)?;
    let cut = text.char_indices().nth(keep).map_or(text.len(), |(at, _)| at);
    Some(format!("{}…", &text[..cut]))
}

/// Shortens every string longer than `max` characters, except identities; returns the number of shortened strings.
pub(super) fn shorten_strings(value: &mut Value, max: usize) -> usize {
    match value {
        Value::String(text) => replace(text, max),
        Value::Array(items) => items.iter_mut().map(|item| shorten_strings(item, max)).sum(),
        Value::Object(fields) => shorten_fields(fields, max),
        _ => 0,
    }
}

fn shorten_fields(fields: &mut Map<String, Value>, max: usize) -> usize {
    let mut count = 0;
    let mut body_cut = false;
    for (name, value) in fields.iter_mut() {
        if IDENTITY.contains(&name.as_str()) && value.is_string() {
            continue;
        }
        let here = shorten_strings(value, max);
        body_cut |= here > 0 && BODIES.contains(&name.as_str());
        count += here;
    }
    if body_cut && fields.contains_key("body_complete") {
        fields.insert("body_complete".into(), false.into());
    }
    count
}

fn replace(text: &mut String, max: usize) -> usize {
    match shorten_to(text, max) {
        Some(short) => {
            *text = short;
            1
        }
        None => 0,
    }
}

/// Returns the length in characters of the longest string that may be shortened.
pub(super) fn longest_string(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(longest_string).max().unwrap_or(0),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, value)| !(IDENTITY.contains(&name.as_str()) && value.is_string()))
            .map(|(_, value)| longest_string(value))
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

/// Drops one expendable field everywhere it occurs, the most expendable that occurs; `None` when there is none left.
pub(super) fn drop_expendable(value: &mut Value) -> Option<(&'static str, usize)> {
    EXPENDABLE.iter().map(|name| (*name, drop_field(value, name))).find(|(_, count)| *count > 0)
}

fn drop_field(value: &mut Value, name: &str) -> usize {
    match value {
        Value::Array(items) => items.iter_mut().map(|item| drop_field(item, name)).sum(),
        Value::Object(fields) => {
            let here = usize::from(fields.shift_remove(name).is_some());
            here + fields.values_mut().map(|field| drop_field(field, name)).sum::<usize>()
        }
        _ => 0,
    }
}
