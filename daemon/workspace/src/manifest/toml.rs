//! Looks up values in a TOML document, as far as it is valid.
//!
//! The `toml` crate reads on after an error and keeps the position of every key and value; this module has the few
//! lookups that manifests need.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

/// Reads `text` and passes the document to `visit`; broken parts are left out.
pub(super) fn with_document(text: &str, visit: impl FnOnce(&DeTable<'_>)) {
    let (document, _errors) = DeTable::parse_recoverable(text);
    visit(document.get_ref());
}

/// Returns the table at `keys`, one key for each level.
pub(super) fn table_at<'d, 't>(document: &'d DeTable<'t>, keys: &[&str]) -> Option<&'d DeTable<'t>> {
    keys.iter().try_fold(document, |table, key| table.get(*key)?.get_ref().as_table())
}

/// Returns the entries of the table at `keys`: byte offset of the key, key, value, in the order of the text. Empty when
/// there is no such table.
pub(super) fn entries<'d, 't>(
    document: &'d DeTable<'t>,
    keys: &[&str],
) -> Vec<(usize, &'d str, &'d DeValue<'t>)> {
    let Some(table) = table_at(document, keys) else { return Vec::new() };
    let entry = |(key, value): (&'d Spanned<_>, &'d Spanned<DeValue<'t>>)| -> (usize, &'d str, _) {
        let name: &'d std::borrow::Cow<'t, str> = key.get_ref();
        (key.span().start, name.as_ref(), value.get_ref())
    };
    let mut entries: Vec<_> = table.iter().map(entry).collect();
    entries.sort_by_key(|(at, ..)| *at);
    entries
}

/// Returns the strings of a list, with their byte offsets.
pub(super) fn strings_of_list<'d>(value: &'d DeValue<'_>) -> impl Iterator<Item = (usize, &'d str)> {
    let values = value.as_array().map(|list| list.iter()).into_iter().flatten();
    values.filter_map(|value| Some((value.span().start, value.get_ref().as_str()?)))
}

/// Returns the tables of a list of tables at `key`.
pub(super) fn tables_of_list<'d, 't>(document: &'d DeTable<'t>, key: &str) -> Vec<&'d DeTable<'t>> {
    let list = document.get(key).and_then(|value| value.get_ref().as_array());
    list.map(|list| list.iter().filter_map(|value| value.get_ref().as_table()).collect()).unwrap_or_default()
}

/// Returns the string at `key`, with its byte offset.
pub(super) fn text_at<'d>(table: &'d DeTable<'_>, key: &str) -> Option<(usize, &'d str)> {
    let value = table.get(key)?;
    Some((value.span().start, value.get_ref().as_str()?))
}

/// Returns the string at `key`.
pub(super) fn text<'d>(table: &'d DeTable<'_>, key: &str) -> Option<&'d str> {
    text_at(table, key).map(|(_, text)| text)
}
