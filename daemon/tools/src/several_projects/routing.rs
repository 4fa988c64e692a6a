//! Finds out which of several projects an argument is about, and converts it to that project's own form.
//!
//! A path or node ID that begins with a project's folder is only for that project, which knows it without that
//! beginning. All other arguments (names, patterns, words) are for all projects.

use std::path::Path;

use serde_json::{Map, Value};

use super::relocate::ProjectPlace;
use hob_proto::tools::argument_place::WORDS;

/// Arguments with lists of places, of which a project only gets its own.
const SCOPES: [&str; 2] = ["paths", "targets"];

/// Returns the arguments for the project of `place`; `None` if they are only about other projects.
pub(crate) fn args_for(
    place: &ProjectPlace,
    places: &[ProjectPlace],
    args: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let mut own = Map::new();
    for (name, value) in args {
        let routed = match value {
            Value::String(text) if !WORDS.contains(&name.as_str()) => match route(text, place, places) {
                Route::Here(text) => Value::String(text),
                Route::Elsewhere => return None,
            },
            Value::Array(items) if SCOPES.contains(&name.as_str()) => own_items(items, place, places)?,
            other => other.clone(),
        };
        own.insert(name.clone(), routed);
    }
    Some(own)
}

/// Returns the items of a list that may be for the project; `None` if only exclusions are left of a list that has more.
fn own_items(items: &[Value], place: &ProjectPlace, places: &[ProjectPlace]) -> Option<Value> {
    let mut own = Vec::new();
    let mut takes_in = false;
    for item in items {
        let text = item.as_str().unwrap_or_default();
        let (sign, path) = text.strip_prefix('!').map_or(("", text), |path| ("!", path));
        let Route::Here(path) = route(path, place, places) else { continue };
        takes_in |= sign.is_empty();
        own.push(format!("{sign}{}", if path.is_empty() { "**" } else { &path }).into());
    }
    let excludes_alone = items.iter().all(|item| item.as_str().is_some_and(|text| text.starts_with('!')));
    (takes_in || excludes_alone).then_some(Value::Array(own))
}

/// The meaning of a text for one of the projects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Route {
    /// The text may be about the project, in this form.
    Here(String),
    /// The text is about another project.
    Elsewhere,
}

/// Returns what `text` means for the project of `place`.
pub(super) fn route(text: &str, place: &ProjectPlace, places: &[ProjectPlace]) -> Route {
    match longest_prefix(text, places) {
        None => Route::Here(text.to_owned()),
        Some(other) if other.root != place.root => Route::Elsewhere,
        Some(_) => Route::Here(without_prefix(text, place).unwrap_or_else(|| text.to_owned())),
    }
}

/// Returns the project with whose folder a text begins; of nested projects the inner one.
fn longest_prefix<'p>(text: &str, places: &'p [ProjectPlace]) -> Option<&'p ProjectPlace> {
    let named = places.iter().filter(|place| without_prefix(text, place).is_some());
    named.max_by_key(|place| place.prefix.len())
}

/// Returns a path, place or node ID in the project's own form; `None` if it does not begin with the project's folder.
fn without_prefix(text: &str, place: &ProjectPlace) -> Option<String> {
    if Path::new(text).is_absolute() {
        let below = Path::new(text).strip_prefix(place.root.as_path()).ok()?;
        return below.to_str().map(str::to_owned);
    }
    if place.prefix.is_empty() {
        return None;
    }
    if text == place.prefix.trim_end_matches('/') {
        return Some(String::new());
    }
    if let Some(rest) = text.strip_prefix(&place.prefix) {
        return Some(rest.to_owned());
    }
    let (lang, rest) = text.strip_prefix("sym:").unwrap_or(text).split_once(':')?;
    let is_lang = !lang.is_empty() && lang.bytes().all(|byte| byte.is_ascii_lowercase());
    let rest = rest.strip_prefix(&place.prefix).filter(|_| is_lang)?;
    Some(format!("{lang}:{rest}"))
}
