//! Merges the workspace symbols of language servers and of the map into one list.

use std::collections::HashSet;

use hob_base::AbsPath;
use hob_live::uri;
use serde_json::Value;

/// The key of a symbol: file, line, name. Servers write names with additions (`f(int)`, `Type.method`, `impl T for S`),
/// so the last plain name counts.
type SymbolKey = (AbsPath, Option<u64>, String);

/// Returns the server's symbols, followed by the map's without those that the server has too.
pub(crate) fn merge_symbols(server: &Value, map: Value) -> Value {
    let mut merged: Vec<Value> = server.as_array().cloned().unwrap_or_default();
    let mut known: HashSet<SymbolKey> = HashSet::new();
    for symbol in &merged {
        known.extend(keys(symbol));
    }
    let Value::Array(quick) = map else { return Value::Array(merged) };
    let is_new = |symbol: &Value| {
        let Some((path, line, name)) = key(symbol) else { return true };
        // Some servers give only the file, and the line on request.
        !known.contains(&(path.clone(), None, name.clone())) && !known.contains(&(path, line, name))
    };
    merged.extend(quick.into_iter().filter(is_new));
    Value::Array(merged)
}

/// Returns the keys of a symbol. A server's symbol may begin above its name, at a comment or an attribute, so the lines
/// of a short head count too.
fn keys(symbol: &Value) -> Vec<SymbolKey> {
    const HEAD: u64 = 10;
    let Some((path, line, name)) = key(symbol) else { return Vec::new() };
    let Some(first) = line else { return vec![(path, None, name)] };
    let last = symbol.pointer("/location/range/end/line").and_then(Value::as_u64).unwrap_or(first);
    let lines = first..=last.clamp(first, first.saturating_add(HEAD));
    lines.map(|line| (path.clone(), Some(line), name.clone())).collect()
}

fn key(symbol: &Value) -> Option<SymbolKey> {
    let path = uri::path_of(symbol.pointer("/location/uri")?.as_str()?)?;
    let line = symbol.pointer("/location/range/start/line").and_then(Value::as_u64);
    Some((path, line, last_plain_name(symbol.get("name")?.as_str()?)))
}

/// Returns the last plain name in a symbol's name.
fn last_plain_name(name: &str) -> String {
    let head = name.split(['(', '<', '[']).next().filter(|head| !head.trim().is_empty()).unwrap_or(name);
    let last = head.trim().rsplit(['.', ':', '#', '/', ' ']).find(|part| !part.is_empty());
    last.unwrap_or(name).to_owned()
}
