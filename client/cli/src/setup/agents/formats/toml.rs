//! TOML: an entry is a table with a header of its own at the end of the file, or a pair in an inline table.
//!
//! `toml_edit` changes the document and keeps the form of all that it is not told to change. What it made of the text becomes one
//! [`Edit`], so that the change is checked and taken back as that of any other format.

use serde_json::{Map, Value};
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Key, Table, TableLike, Value as TomlValue};

use super::{Broken, Edit, Slot};

/// Stands after every table that a file has.
const LAST_POSITION: isize = isize::MAX;

/// Reads a text, with the place of everything in it.
fn read(text: &str) -> Result<Document<&str>, Broken> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Broken::at_byte(text, at, error.message())
    })
}

pub(super) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(table_data(read(text)?.as_table()))
}

fn table_data(table: &dyn TableLike) -> Value {
    table.iter().map(|(name, item)| (name.to_owned(), item_data(item))).collect::<Map<_, _>>().into()
}

fn item_data(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_data(value),
        Item::Table(table) => table_data(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table_data(table)).collect(),
    }
}

fn value_data(value: &TomlValue) -> Value {
    match value {
        TomlValue::String(text) => Value::from(text.value().as_str()),
        TomlValue::Boolean(truth) => Value::from(*truth.value()),
        TomlValue::Integer(number) => Value::from(*number.value()),
        // As text, because JSON has neither all numbers of TOML nor its times.
        TomlValue::Float(number) => Value::from(number.value().to_string()),
        TomlValue::Datetime(time) => Value::from(time.value().to_string()),
        TomlValue::Array(items) => items.iter().map(value_data).collect(),
        TomlValue::InlineTable(table) => table_data(table),
    }
}

pub(super) fn edits_to_put(text: &str, slot: Slot<'_>, value: &Value) -> Result<Vec<Edit>, Broken> {
    let document = read(text)?;
    if let Some(container) = document.get(slot.container) {
        let Some(servers) = container.as_table_like() else {
            let problem = format!("`{}` is no table; take it out", slot.container);
            return Err(Broken::at_byte(text, start_of(container), problem));
        };
        if let Some(there) = servers.get(slot.name).filter(|there| is_dotted(there)) {
            let problem = format!(
                "`{}` is written with dotted keys; take it out by hand, or choose another --name",
                slot.name
            );
            return Err(Broken::at_byte(text, start_of(there), problem));
        }
    }
    let mut document = document.into_mut();
    put_entry(&mut document, slot, value);
    Ok(difference(text, &document.to_string()))
}

fn put_entry(document: &mut DocumentMut, slot: Slot<'_>, value: &Value) {
    let is_empty = document.is_empty();
    let container = document.entry(slot.container).or_insert_with(implicit_table);
    let is_inline = container.is_inline_table();
    let Some(servers) = container.as_table_like_mut() else { return };
    match servers.get_mut(slot.name) {
        Some(Item::Table(there)) => {
            let mut table = entry_table(value);
            *table.decor_mut() = there.decor().clone();
            table.set_position(there.position());
            *there = table;
        }
        Some(Item::Value(there)) => {
            let decor = there.decor().clone();
            *there = toml_value(value);
            *there.decor_mut() = decor;
        }
        _ if is_inline => drop(servers.insert(slot.name, Item::Value(toml_value(value)))),
        _ => {
            let mut table = entry_table(value);
            table.set_position(Some(LAST_POSITION));
            table.decor_mut().set_prefix(if is_empty { "" } else { "\n" });
            servers.insert(slot.name, Item::Table(table));
        }
    }
}

/// A table that has no header of its own.
fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

fn entry_table(value: &Value) -> Table {
    let pairs = value.as_object().into_iter().flatten();
    pairs.map(|(name, value)| (Key::new(name), Item::Value(toml_value(value)))).collect()
}

fn toml_value(value: &Value) -> TomlValue {
    match value {
        Value::Object(map) => {
            map.iter().map(|(name, value)| (name.as_str(), toml_value(value))).collect::<InlineTable>().into()
        }
        Value::Array(items) => items.iter().map(toml_value).collect::<Array>().into(),
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| number.as_f64().into_iter().sum::<f64>().into(), Into::into)
        }
        Value::String(text) => text.as_str().into(),
        Value::Null => String::new().into(),
    }
}

pub(super) fn edits_to_take(text: &str, path: &[&str]) -> Result<Vec<Edit>, Broken> {
    let document = read(text)?;
    let Some(there) = path.iter().try_fold(document.as_item(), |item, name| item.get(name)) else {
        return Ok(Vec::new());
    };
    if is_dotted(there) {
        let problem = "this is written with dotted keys; take it out by hand";
        return Err(Broken::at_byte(text, start_of(there), problem));
    }
    let mut document = document.into_mut();
    let Some((name, around)) = path.split_last() else { return Ok(Vec::new()) };
    let container = around.iter().try_fold(document.as_item_mut(), |item, name| item.get_mut(name));
    if let Some(container) = container.and_then(Item::as_table_like_mut) {
        container.remove(name);
    }
    Ok(difference(text, &document.to_string()))
}

fn is_dotted(item: &Item) -> bool {
    item.as_table_like().is_some_and(TableLike::is_dotted)
}

fn start_of(item: &Item) -> usize {
    item.span().map_or(0, |span| span.start)
}

/// The one change that makes `new` of `old`.
fn difference(old: &str, new: &str) -> Vec<Edit> {
    let same = |(a, b): &(char, char)| a == b;
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev());
    let end: usize = ends.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    if old_rest.is_empty() && new_rest.is_empty() {
        return Vec::new();
    }
    let with = new_rest[..new_rest.len() - end].to_owned();
    vec![Edit { at: start..old.len() - end, with }]
}
