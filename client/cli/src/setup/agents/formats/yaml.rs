//! Changes YAML files: an entry is a block of lines right below its table's key, or a pair in a table between braces.
//!
//! The new block comes first in its table, because its beginning is easy to find, while the end of a block is hard to
//! tell from the comments after it.

use saphyr::{LoadableYamlNode as _, MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Value};

use super::{Broken, Edit, Slot, indentation, line_end, line_start};

type Pairs<'a> = saphyr::AnnotatedMapping<'a, MarkedYaml<'a>>;

fn read(text: &str) -> Result<Option<MarkedYaml<'_>>, Broken> {
    let mut documents = MarkedYaml::load_from_str(text)
        .map_err(|error| Broken::at_byte(text, byte_offset(text, error.marker()), error.info()))?;
    match documents.len() {
        0 | 1 => Ok(documents.pop()),
        _ => Err(Broken::at_byte(
            text,
            byte_offset(text, &documents[1].span.start),
            "a second document begins here, where one is expected",
        )),
    }
}

/// Converts a marker to a byte offset: the parser counts characters.
fn byte_offset(text: &str, marker: &saphyr::Marker) -> usize {
    let line: usize = text.split_inclusive('\n').take(marker.line().saturating_sub(1)).map(str::len).sum();
    let rest = &text[line.min(text.len())..];
    line + rest.char_indices().nth(marker.col()).map_or(rest.len(), |(at, _)| at)
}

/// Returns the beginning of a value: for a block of pairs its first key, because the parser gives the end of the line
/// above as its start.
fn value_start(text: &str, value: &MarkedYaml<'_>) -> usize {
    let start = byte_offset(text, &value.span.start);
    match &value.data {
        YamlData::Mapping(pairs) if !text[start..].starts_with('{') => {
            pairs.iter().next().map_or(start, |(key, _)| byte_offset(text, &key.span.start))
        }
        _ => start,
    }
}

pub(super) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(read(text)?.map_or(Value::Null, |node| to_json_value(&node)))
}

fn to_json_value(node: &MarkedYaml<'_>) -> Value {
    match &node.data {
        YamlData::Value(scalar) => match scalar {
            Scalar::Null => Value::Null,
            Scalar::Boolean(truth) => Value::from(*truth),
            Scalar::Integer(number) => Value::from(*number),
            Scalar::FloatingPoint(number) => Value::from(number.to_string()),
            Scalar::String(text) => Value::from(text.as_ref()),
        },
        YamlData::Sequence(items) => items.iter().map(to_json_value).collect(),
        YamlData::Mapping(pairs) => {
            let name = |key: &MarkedYaml<'_>| match to_json_value(key) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            pairs.iter().map(|(key, value)| (name(key), to_json_value(value))).collect::<Map<_, _>>().into()
        }
        other => Value::from(format!("{other:?}")),
    }
}

/// Returns the place of the pair of that name, and its value.
fn find<'y, 'a>(text: &str, pairs: &'y Pairs<'a>, name: &str) -> Option<(usize, &'y MarkedYaml<'a>)> {
    let named = |key: &MarkedYaml<'_>| matches!(&key.data, YamlData::Value(Scalar::String(is)) if is.as_ref() == name);
    let (key, value) = pairs.iter().find(|(key, _)| named(key))?;
    Some((byte_offset(text, &key.span.start), value))
}

fn root_pairs<'y, 'a>(text: &str, root: &'y MarkedYaml<'a>) -> Result<&'y Pairs<'a>, Broken> {
    match &root.data {
        YamlData::Mapping(pairs) => Ok(pairs),
        _ => Err(Broken::at_byte(
            text,
            byte_offset(text, &root.span.start),
            "the file is no table of settings",
        )),
    }
}

pub(super) fn edits_to_put(text: &str, slot: Slot<'_>, value: &Value) -> Result<Vec<Edit>, Broken> {
    let Some(root) = read(text)? else { return Ok(vec![append_slot(text, "", slot, value)]) };
    if matches!(root.data, YamlData::Value(Scalar::Null)) {
        return Ok(vec![append_slot(text, "", slot, value)]);
    }
    let pairs = root_pairs(text, &root)?;
    let start = byte_offset(text, &root.span.start);
    let is_flow = text[start..].starts_with('{');
    let Some((key, container)) = find(text, pairs, slot.container) else {
        return Ok(vec![match is_flow {
            true => {
                let inner = serde_json::json!({ slot.name: value });
                Edit::insert(
                    start + 1,
                    format!("{}: {inner}{}", slot.container, if pairs.is_empty() { "" } else { ", " }),
                )
            }
            false => append_slot(text, indentation(text, start), slot, value),
        }]);
    };
    check_begins_line(text, key, slot.container)?;
    let (at, end) = (value_start(text, container), line_end(text, key));
    let indent = indentation(text, key);
    match &container.data {
        YamlData::Value(Scalar::Null) => {
            let explicit = at..byte_offset(text, &container.span.end);
            let block =
                Edit::insert(end, format!("\n{}", block_text(slot.name, value, &format!("{indent}  "))));
            let gone = (!explicit.is_empty()).then(|| Edit::remove(explicit));
            Ok(gone.into_iter().chain([block]).collect())
        }
        YamlData::Mapping(servers) if text[at..].starts_with('{') => match find(text, servers, slot.name) {
            Some((there, _)) => Err(by_hand(text, there, slot.name)),
            None => {
                let more = if servers.is_empty() { "" } else { ", " };
                Ok(vec![Edit::insert(at + 1, format!("{}: {value}{more}", scalar_text(slot.name)))])
            }
        },
        YamlData::Mapping(servers) if at > end => match find(text, servers, slot.name) {
            Some((there, _)) => {
                check_begins_line(text, there, slot.name)?;
                let with = block_text(slot.name, value, indentation(text, there));
                Ok(vec![Edit { at: pair_region(text, there), with }])
            }
            None => Ok(vec![Edit::insert(
                end,
                format!("\n{}", block_text(slot.name, value, indentation(text, at))),
            )]),
        },
        // The contents of an alias are elsewhere in the file.
        _ => Err(Broken::at_byte(
            text,
            at.max(key),
            format!("`{}` is no table of its own; make it one", slot.container),
        )),
    }
}

pub(super) fn edits_to_take(text: &str, path: &[&str]) -> Result<Vec<Edit>, Broken> {
    let Some(root) = read(text)? else { return Ok(Vec::new()) };
    let mut pairs = root_pairs(text, &root)?;
    let mut is_flow = false;
    for (depth, name) in path.iter().enumerate() {
        let Some((key, value)) = find(text, pairs, name) else { break };
        let at = value_start(text, value);
        if is_flow {
            // This is the form that `put` writes; a value in another form has an end that the parser does not give.
            let own = format!("{}: {}", scalar_text(name), to_json_value(value));
            let own = text[key..]
                .starts_with(&own)
                .then_some(key + own.len())
                .ok_or_else(|| by_hand(text, key, name))?;
            let more = if text[own..].starts_with(", ") { 2 } else { 0 };
            return Ok(vec![Edit::remove(key..own + more)]);
        }
        if depth + 1 == path.len() {
            check_begins_line(text, key, name)?;
            let region = pair_region(text, key);
            return Ok(vec![Edit::remove(region.start..(region.end + 1).min(text.len()))]);
        }
        is_flow = text[at..].starts_with('{');
        match &value.data {
            YamlData::Mapping(next) => pairs = next,
            _ => break,
        }
    }
    Ok(Vec::new())
}

fn by_hand(text: &str, at: usize, name: &str) -> Broken {
    Broken::at_byte(text, at, format!("`{name}` is written between braces; take it out by hand"))
}

/// Checks that a key begins its line. The parser has refused keys that occur twice.
fn check_begins_line(text: &str, key: usize, name: &str) -> Result<(), Broken> {
    match line_start(text, key) + indentation(text, key).len() == key {
        true => Ok(()),
        false => Err(by_hand(text, key, name)),
    }
}

/// Returns the lines of a pair: its own, and the following ones with a deeper indentation, but not the comments and
/// blank lines after them.
fn pair_region(text: &str, key: usize) -> std::ops::Range<usize> {
    let start = line_start(text, key);
    let depth = indentation(text, key).len();
    let (mut at, mut end) = (line_end(text, key), line_end(text, key));
    while at < text.len() {
        let (from, to) = (at + 1, line_end(text, (at + 1).min(text.len())));
        let line = text.get(from..to).unwrap_or_default();
        let is_inside = indentation(line, 0).len() > depth;
        if !line.trim().is_empty() && !is_inside {
            break;
        }
        if is_inside && !line.trim().is_empty() {
            end = to;
        }
        at = to;
    }
    start..end
}

fn append_slot(text: &str, indent: &str, slot: Slot<'_>, value: &Value) -> Edit {
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let inner = block_text(slot.name, value, &format!("{indent}  "));
    Edit::insert(text.len(), format!("{gap}{indent}{}:\n{inner}\n", slot.container))
}

/// Writes the lines of a pair, without the last line break.
fn block_text(name: &str, value: &Value, indent: &str) -> String {
    let name = scalar_text(name);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let inner = format!("{indent}  ");
            let lines: Vec<String> =
                map.iter().map(|(name, value)| block_text(name, value, &inner)).collect();
            format!("{indent}{name}:\n{}", lines.join("\n"))
        }
        Value::Array(items) if !items.is_empty() => {
            let lines: Vec<String> =
                items.iter().map(|item| format!("{indent}- {}", quoted_value(item))).collect();
            format!("{indent}{name}:\n{}", lines.join("\n"))
        }
        other => format!("{indent}{name}: {}", quoted_value(other)),
    }
}

fn quoted_value(value: &Value) -> String {
    match value {
        Value::String(text) => scalar_text(text),
        other => other.to_string(),
    }
}

/// Writes a scalar without quotes where it can only be a string, else in JSON's quotes, which are valid YAML.
fn scalar_text(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '.' | '-');
    let reads_as_is = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(plain)
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_lowercase().as_str());
    if reads_as_is { text.to_owned() } else { Value::from(text).to_string() }
}
