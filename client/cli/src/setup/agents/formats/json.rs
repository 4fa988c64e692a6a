//! Changes JSON files, with the comments and trailing commas that most clients accept in them.
//!
//! Other additions that some parsers accept (single quotes, missing commas, names without quotes) count as broken,
//! because a client may not accept them.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::{Broken, Dialect, Edit, Slot, ValueAt, indentation, is_blank, line_end, line_start};

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A parsed file with its text.
struct Read<'a> {
    text: &'a str,
    value: Option<Node<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

fn read(text: &str) -> Result<Read<'_>, Broken> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    let parsed = parse_to_ast(text, &collect, &OPTIONS).map_err(|error| {
        Broken::at_byte(text, error.range().start, error.kind().to_string().to_lowercase())
    })?;
    Ok(Read { text, value: parsed.value, tokens: parsed.tokens.unwrap_or_default() })
}

pub(super) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(read(text)?.value.map_or(Value::Null, Value::from))
}

/// # Errors
/// The place of an addition that the agent's parser does not accept.
pub(super) fn check_dialect(text: &str, dialect: Dialect) -> Result<(), Broken> {
    let options = ParseOptions {
        allow_comments: dialect != Dialect::Plain,
        allow_trailing_commas: dialect == Dialect::Commas,
        ..OPTIONS
    };
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let parsed = parse_to_ast(text, &collect, &options);
    parsed.map(drop).map_err(|error| {
        let problem = error.kind().to_string().to_lowercase();
        Broken::at_byte(
            text,
            error.range().start,
            format!("{problem} in this agent's file; it would refuse to read it"),
        )
    })
}

pub(super) fn edits_to_put(text: &str, slot: Slot<'_>, value: &Value) -> Result<Vec<Edit>, Broken> {
    let read = read(text)?;
    let inner = serde_json::json!({ slot.name: value });
    match &read.value {
        None => Ok(vec![first_value(text, &serde_json::json!({ slot.container: inner }))]),
        Some(Node::Object(root)) => match read.only_property(root, slot.container)? {
            None => Ok(read.insert(root, slot.container, &inner)),
            Some(ObjectProp { value: Node::Object(table), .. }) => {
                match read.only_property(table, slot.name)? {
                    None => Ok(read.insert(table, slot.name, value)),
                    Some(there) => {
                        let unit = read.indent_unit();
                        let with = pretty_json(value, indentation(text, there.range.start), &unit);
                        let range = there.value.range();
                        Ok(vec![Edit { at: range.start..range.end, with }])
                    }
                }
            }
            Some(other) => {
                let problem = format!("`{}` is no object; make it `{{}}` or take it out", slot.container);
                Err(Broken::at_byte(text, other.value.start(), problem))
            }
        },
        Some(other) => {
            Err(Broken::at_byte(text, other.start(), "the file is no object; it should begin with `{`"))
        }
    }
}

/// Makes a document in a text that has no value yet, but perhaps comments.
fn first_value(text: &str, value: &Value) -> Edit {
    let document = pretty_json(value, "", "  ");
    match text.trim().is_empty() {
        true if text.contains('\n') => Edit::insert(0, document),
        true => Edit::insert(0, document + "\n"),
        false if text.ends_with('\n') => Edit::insert(text.len(), document + "\n"),
        false => Edit::insert(text.len(), format!("\n{document}\n")),
    }
}

/// Adds a value at a path of names: as the value of the last name, or as an item of the list there. Missing parts of
/// the path are made.
pub(super) fn edits_to_add(text: &str, at: &ValueAt) -> Result<Vec<Edit>, Broken> {
    let read = read(text)?;
    let Some(root) = &read.value else { return Ok(vec![first_value(text, &at.nested_below(0))]) };
    let mut node = root;
    for (depth, name) in at.path.iter().enumerate() {
        let Node::Object(object) = node else {
            return Err(Broken::at_byte(text, node.start(), "this is no object, and hob has to add to it"));
        };
        match read.only_property(object, name)? {
            None => return Ok(read.insert(object, name, &at.nested_below(depth + 1))),
            Some(found) => node = &found.value,
        }
    }
    match node {
        Node::Array(list) if at.is_item => Ok(read.insert_item(list, &at.value)),
        _ => {
            let problem = format!("`{}` has another value already; change it by hand", at.path.join("."));
            Err(Broken::at_byte(text, node.start(), problem))
        }
    }
}

/// Removes an item from the list at a path.
pub(super) fn edits_to_take_item(text: &str, path: &[String], nth: usize) -> Result<Vec<Edit>, Broken> {
    let read = read(text)?;
    let mut node = read.value.as_ref();
    for name in path {
        let Some(Node::Object(object)) = node else { return Ok(Vec::new()) };
        node = read.only_property(object, name)?.map(|found| &found.value);
    }
    let Some(Node::Array(list)) = node else { return Ok(Vec::new()) };
    let item = list.elements.get(nth).map(|item| item.range());
    Ok(item.map_or_else(Vec::new, |item| read.remove(list.range.start..list.range.end, item.start..item.end)))
}

pub(super) fn edits_to_take(text: &str, path: &[&str]) -> Result<Vec<Edit>, Broken> {
    let read = read(text)?;
    let mut node = read.value.as_ref();
    for (depth, name) in path.iter().enumerate() {
        let Some(Node::Object(object)) = node else { break };
        let Some(found) = read.only_property(object, name)? else { break };
        if depth + 1 == path.len() {
            let outer = object.range.start..object.range.end;
            return Ok(read.remove(outer, found.range.start..found.range.end));
        }
        node = Some(&found.value);
    }
    Ok(Vec::new())
}

impl<'a> Read<'a> {
    /// Returns the property of that name.
    fn only_property<'o>(
        &self,
        object: &'o Object<'a>,
        name: &str,
    ) -> Result<Option<&'o ObjectProp<'a>>, Broken> {
        let mut all = object.properties.iter().filter(|prop| prop.name.as_str() == name);
        let (first, second) = (all.next(), all.next());
        match second {
            None => Ok(first),
            Some(second) => {
                let problem =
                    format!("`{name}` is there twice; clients heed one of them only, so make it one");
                Err(Broken::at_byte(self.text, second.range.start, problem))
            }
        }
    }

    fn insert(&self, object: &Object<'_>, name: &str, value: &Value) -> Vec<Edit> {
        let text = self.text;
        let Some(last) = object.properties.last() else {
            return vec![self.insert_first(object, name, value)];
        };
        let comma = self.comma_after(last.range.end);
        let after = comma.as_ref().map_or(last.range.end, |comma| comma.end);
        if line_start(text, last.range.start) <= object.range.start {
            let with = property_text(name, &value.to_string_spaced());
            return vec![Edit::insert(
                after,
                if comma.is_some() { format!(" {with}") } else { format!(", {with}") },
            )];
        }
        let indent = indentation(text, last.range.start);
        let with = property_text(name, &pretty_json(value, indent, &self.indent_unit()));
        let new = format!("\n{indent}{with}");
        let place = after_comments(text, after);
        match comma {
            Some(_) => vec![Edit::insert(place, new + ",")],
            None if place == after => vec![Edit::insert(after, format!(",{new}"))],
            None => vec![Edit::insert(after, ","), Edit::insert(place, new)],
        }
    }

    fn insert_first(&self, object: &Object<'_>, name: &str, value: &Value) -> Edit {
        let text = self.text;
        let (start, end) = (object.range.start + 1, object.range.end - 1);
        let (inner, outer) = (&text[start..end], indentation(text, object.range.start));
        let unit = self.indent_unit();
        let indent = format!("{outer}{unit}");
        let new = property_text(name, &pretty_json(value, &indent, &unit));
        let is_nested = self.value.as_ref().is_some_and(|root| root.start() != object.range.start);
        if is_nested && !text.trim().contains('\n') {
            return Edit::insert(start, property_text(name, &value.to_string_spaced()));
        }
        let content = inner.trim_end();
        match (content.is_empty(), inner.contains('\n')) {
            (true, true) => Edit::insert(start, format!("\n{indent}{new}")),
            (true, false) => Edit::insert(start, format!("\n{indent}{new}\n{outer}")),
            // The object has a comment.
            (false, _) if inner[content.len()..].contains('\n') => {
                Edit::insert(start + content.len(), format!("\n{indent}{new}"))
            }
            (false, _) => Edit::insert(start + content.len(), format!("\n{indent}{new}\n{outer}")),
        }
    }

    /// Adds an item at the end of a list, as its items are written.
    fn insert_item(&self, list: &Array<'_>, value: &Value) -> Vec<Edit> {
        let text = self.text;
        let outer = indentation(text, list.range.start);
        let unit = self.indent_unit();
        let Some(last) = list.elements.last() else {
            let indent = format!("{outer}{unit}");
            let new = pretty_json(value, &indent, &unit);
            let inside = list.range.start + 1..list.range.end - 1;
            // A comment in the list stays.
            let content = text[inside.clone()].trim_end().len();
            return vec![match text[inside.clone()].trim().is_empty() {
                true => Edit { at: inside, with: format!("\n{indent}{new}\n{outer}") },
                false => Edit::insert(inside.start + content, format!("\n{indent}{new}")),
            }];
        };
        let comma = self.comma_after(last.end());
        let after = comma.as_ref().map_or(last.end(), |comma| comma.end);
        if line_start(text, last.start()) <= list.range.start {
            let with = value.to_string_spaced();
            let with = if comma.is_some() { format!(" {with}") } else { format!(", {with}") };
            return vec![Edit::insert(after, with)];
        }
        let indent = indentation(text, last.start());
        let new = format!("\n{indent}{}", pretty_json(value, indent, &unit));
        let place = after_comments(text, after);
        match comma {
            Some(_) => vec![Edit::insert(place, new + ",")],
            None if place == after => vec![Edit::insert(after, format!(",{new}"))],
            None => vec![Edit::insert(after, ","), Edit::insert(place, new)],
        }
    }

    /// Removes a part from an object or a list, with its comma.
    fn remove(&self, outer: Range<usize>, part: Range<usize>) -> Vec<Edit> {
        let text = self.text;
        let Range { start, end } = part;
        let line = line_start(text, start);
        let is_own_line = line > outer.start && is_blank(&text[line..start]);
        if let Some(comma) = self.comma_after(end) {
            let rest = line_end(text, comma.end);
            if is_own_line && is_blank(&text[comma.end..rest]) {
                return vec![Edit::remove(line..(rest + 1).min(text.len()))];
            }
            let spaces = text[comma.end..].len() - text[comma.end..].trim_start_matches([' ', '\t']).len();
            return vec![Edit::remove(start..comma.end + spaces)];
        }
        if let Some(comma) = self.comma_before(start) {
            let from = if is_own_line { (line - 1).max(comma.end) } else { comma.end };
            return match from == comma.end {
                true => vec![Edit::remove(comma.start..end)],
                false => vec![Edit::remove(comma), Edit::remove(from..end)],
            };
        }
        let (open, close) = (outer.start + 1, outer.end - 1);
        match text[open..start].trim().is_empty() && text[end..close].trim().is_empty() {
            true => vec![Edit::remove(open..close)],
            false if is_own_line => vec![Edit::remove(line - 1..end)],
            false => vec![Edit::remove(start..end)],
        }
    }

    fn comma_after(&self, byte: usize) -> Option<std::ops::Range<usize>> {
        let at = self.tokens.partition_point(|token| token.range.start < byte);
        let next = self.tokens.get(at).filter(|token| token.token == Token::Comma)?;
        Some(next.range.start..next.range.end)
    }

    fn comma_before(&self, byte: usize) -> Option<std::ops::Range<usize>> {
        let at = self.tokens.partition_point(|token| token.range.start < byte);
        let previous = self.tokens.get(at.checked_sub(1)?).filter(|token| token.token == Token::Comma)?;
        Some(previous.range.start..previous.range.end)
    }

    /// Returns one step of indentation in this file's style.
    fn indent_unit(&self) -> String {
        let root = self.value.as_ref().and_then(Node::as_object);
        let first = root.and_then(|root| root.properties.first()).map(|prop| prop.range.start);
        let found = first.map(|first| indentation(self.text, first)).filter(|found| !found.is_empty());
        found.unwrap_or("  ").to_owned()
    }
}

/// Returns the end of the line, if only comments follow; else `from`.
fn after_comments(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let next = rest.trim_start_matches([' ', '\t', '\r']);
        at += rest.len() - next.len();
        if next.is_empty() || next.starts_with('\n') {
            return line_end(text, from.max(at));
        }
        if next.starts_with("//") {
            return line_end(text, at);
        }
        match next.strip_prefix("/*").and_then(|comment| comment.find("*/")) {
            Some(length) if !next[..length + 4].contains('\n') => at += length + 4,
            _ => return from,
        }
    }
}

fn property_text(name: &str, value: &str) -> String {
    format!("{}: {value}", Value::from(name))
}

/// Writes JSON as people do: objects over several lines, lists on one.
fn pretty_json(value: &Value, indent: &str, unit: &str) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let inner = format!("{indent}{unit}");
            let all: Vec<String> = map
                .iter()
                .map(|(name, value)| {
                    format!("{inner}{}", property_text(name, &pretty_json(value, &inner, unit)))
                })
                .collect();
            format!("{{\n{}\n{indent}}}", all.join(",\n"))
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let inner = format!("{indent}{unit}");
            let all: Vec<String> =
                items.iter().map(|item| format!("{inner}{}", pretty_json(item, &inner, unit))).collect();
            format!("[\n{}\n{indent}]", all.join(",\n"))
        }
        other => other.to_string_spaced(),
    }
}

/// Writes JSON on one line, with a space after each separator.
trait Spaced {
    fn to_string_spaced(&self) -> String;
}

impl Spaced for Value {
    fn to_string_spaced(&self) -> String {
        match self {
            Self::Array(items) => {
                let items: Vec<String> = items.iter().map(Spaced::to_string_spaced).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(map) => {
                let all: Vec<String> =
                    map.iter().map(|(name, value)| property_text(name, &value.to_string_spaced())).collect();
                format!("{{{}}}", all.join(", "))
            }
            other => other.to_string(),
        }
    }
}
