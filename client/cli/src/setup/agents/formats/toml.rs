//! Changes TOML files: an entry is a table with a header of its own at the end of the file, or a pair in an inline
//! table.
//!
//! The parser returns the places of keys and values. It gives headers only for tables, so their lines are searched: a
//! line that begins with `[` and lies in no value.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Broken, Edit, Slot, line_end, line_start};

fn read(text: &str) -> Result<DeTable<'_>, Broken> {
    let parsed = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Broken::at_byte(text, at, error.message())
    })?;
    Ok(parsed.into_inner())
}

pub(super) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(table_value(&read(text)?))
}

fn table_value(from: &DeTable<'_>) -> Value {
    from.iter()
        .map(|(name, value)| (name.get_ref().to_string(), to_json_value(value.get_ref())))
        .collect::<Map<_, _>>()
        .into()
}

fn to_json_value(from: &DeValue<'_>) -> Value {
    match from {
        DeValue::String(text) => Value::from(text.to_string()),
        DeValue::Boolean(truth) => Value::from(*truth),
        DeValue::Integer(number) => number
            .as_str()
            .parse::<i64>()
            .map_or_else(|_| Value::from(format!("{}:{}", number.radix(), number.as_str())), Value::from),
        DeValue::Float(number) => Value::from(number.as_str()),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| to_json_value(item.get_ref())).collect(),
        DeValue::Table(inner) => table_value(inner),
    }
}

/// The notation of a table in the file.
enum TableNotation {
    /// `[name]` on a line of its own.
    Header,
    /// An inline table: `{ ... }`
    Inline,
    /// Dotted keys: `name.key = ...`
    Dotted,
}

fn table_notation(text: &str, value: &Spanned<DeValue<'_>>) -> TableNotation {
    match text.as_bytes().get(value.span().start) {
        Some(b'[') => TableNotation::Header,
        Some(b'{') => TableNotation::Inline,
        _ => TableNotation::Dotted,
    }
}

pub(super) fn edits_to_put(text: &str, slot: Slot<'_>, value: &Value) -> Result<Vec<Edit>, Broken> {
    let root = read(text)?;
    let Some(container) = root.get(slot.container) else { return Ok(vec![append_table(text, slot, value)]) };
    let DeValue::Table(servers) = container.get_ref() else {
        let problem = format!("`{}` is no table; take it out", slot.container);
        return Err(Broken::at_byte(text, container.span().start, problem));
    };
    match (servers.get(slot.name), table_notation(text, container)) {
        (Some(there), _) => replace(text, &root, slot, there, value),
        (None, TableNotation::Inline) => {
            let start = container.span().start + 1;
            let more = if servers.is_empty() { " " } else { "," };
            Ok(vec![Edit::insert(start, format!(" {} = {}{more}", key(slot.name), inline_text(value)))])
        }
        (None, _) => Ok(vec![append_table(text, slot, value)]),
    }
}

fn append_table(text: &str, slot: Slot<'_>, value: &Value) -> Edit {
    let gap = match text {
        "" => "",
        _ if text.ends_with("\n\n") => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Edit::insert(text.len(), format!("{gap}{}\n", header_table_text(slot, value)))
}

fn replace(
    text: &str,
    root: &DeTable<'_>,
    slot: Slot<'_>,
    there: &Spanned<DeValue<'_>>,
    value: &Value,
) -> Result<Vec<Edit>, Broken> {
    match table_notation(text, there) {
        TableNotation::Inline => Ok(vec![Edit { at: there.span(), with: inline_text(value) }]),
        TableNotation::Header => {
            let mut regions = table_regions(text, root, &[slot.container, slot.name]).into_iter();
            let first = regions.next().map(|at| Edit { at, with: header_table_text(slot, value) });
            Ok(first.into_iter().chain(regions.map(Edit::remove)).collect())
        }
        TableNotation::Dotted => {
            let problem = format!(
                "`{}` is written with dotted keys; take it out by hand, or choose another --name",
                slot.name
            );
            Err(Broken::at_byte(text, there.span().start, problem))
        }
    }
}

pub(super) fn edits_to_take(text: &str, path: &[&str]) -> Result<Vec<Edit>, Broken> {
    let root = read(text)?;
    let mut found: Option<(&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)> = None;
    let mut inside = &root;
    for name in path {
        let Some((key, value)) = inside.iter().find(|(key, _)| key.get_ref() == name) else {
            return Ok(Vec::new());
        };
        found = Some((key, value));
        match value.get_ref() {
            DeValue::Table(next) => inside = next,
            _ => break,
        }
    }
    let Some((key, value)) = found else { return Ok(Vec::new()) };
    match table_notation(text, value) {
        TableNotation::Header => Ok(table_regions(text, &root, path)
            .into_iter()
            .map(|at| Edit::remove(with_gap(text, at)))
            .collect()),
        TableNotation::Inline => Ok(vec![Edit::remove(pair_range(text, key.span().start, value.span().end))]),
        TableNotation::Dotted => Err(Broken::at_byte(
            text,
            value.span().start,
            "this is written with dotted keys; take it out by hand",
        )),
    }
}

/// Returns a pair with its separator: its line, or its comma in an inline table.
fn pair_range(text: &str, start: usize, end: usize) -> Range<usize> {
    let (line, rest) = (line_start(text, start), line_end(text, end));
    if text[line..start].trim().is_empty() && text[end..rest].trim().is_empty() {
        return line..(rest + 1).min(text.len());
    }
    let after = text[end..].trim_start();
    if after.starts_with(',') {
        return start..text.len() - after.len() + 1;
    }
    let before = text[..start].trim_end();
    if before.ends_with(',') { before.len() - 1..end } else { start..end }
}

/// Extends a region by its line break and one blank line before it.
fn with_gap(text: &str, Range { start, end }: Range<usize>) -> Range<usize> {
    let end = (end + 1).min(text.len());
    let start = if text[..start].ends_with("\n\n") { start - 1 } else { start };
    start..end
}

/// Returns the regions of the tables at `path` and below it: each from a header to the end of its last value.
fn table_regions(text: &str, root: &DeTable<'_>, path: &[&str]) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    collect_values(text, root, &mut values);
    let in_value = |at: usize| values.iter().any(|value| value.start < at && at < value.end);
    let mut headers = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') && !in_value(start) {
            headers.push((start, line));
        }
        start += line.len();
    }
    let mut found = Vec::new();
    for (nth, (start, line)) in headers.iter().enumerate() {
        let names = header_names(line);
        if names.len() < path.len() || !names.iter().zip(path).all(|(is, wanted)| is == wanted) {
            continue;
        }
        let next = headers.get(nth + 1).map_or(text.len(), |(next, _)| *next);
        let last = values
            .iter()
            .filter(|value| value.start > *start && value.start < next)
            .map(|value| value.end)
            .max();
        found.push(*start..line_end(text, last.unwrap_or(*start)));
    }
    found
}

/// Returns the dotted name in a header.
fn header_names(header: &str) -> Vec<String> {
    let Ok(parsed) = DeTable::parse(header) else { return Vec::new() };
    let (mut names, mut inside) = (Vec::new(), Some(parsed.get_ref()));
    while let Some((name, value)) = inside.and_then(|table| table.iter().next()) {
        names.push(name.get_ref().to_string());
        inside = match value.get_ref() {
            DeValue::Table(next) => Some(next),
            _ => None,
        };
    }
    names
}

/// Collects every value that is written after an equals sign.
fn collect_values(text: &str, table: &DeTable<'_>, into: &mut Vec<Range<usize>>) {
    table.iter().for_each(|(_, value)| collect_value(text, value, into));
}

fn collect_value(text: &str, value: &Spanned<DeValue<'_>>, into: &mut Vec<Range<usize>>) {
    let span = value.span();
    if text[line_start(text, span.start)..span.start].contains('=') {
        into.push(span);
    }
    match value.get_ref() {
        DeValue::Table(inner) => collect_values(text, inner, into),
        DeValue::Array(items) => items.iter().for_each(|item| collect_value(text, item, into)),
        _ => {}
    }
}

fn header_table_text(slot: Slot<'_>, value: &Value) -> String {
    let pairs = value.as_object().into_iter().flatten();
    let lines = pairs.map(|(name, value)| format!("\n{} = {}", key(name), inline_text(value)));
    format!("[{}.{}]{}", key(slot.container), key(slot.name), lines.collect::<String>())
}

fn inline_text(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let all: Vec<String> =
                map.iter().map(|(name, value)| format!("{} = {}", key(name), inline_text(value))).collect();
            format!("{{ {} }}", all.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(inline_text).collect::<Vec<_>>().join(", ")),
        // The escapes of JSON are escapes of TOML too.
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    match !name.is_empty() && name.bytes().all(is_bare) {
        true => name.to_owned(),
        false => Value::from(name).to_string(),
    }
}
