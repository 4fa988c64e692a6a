//! Turns outlines into lists, and gives symbols ranges and known kinds.

use serde_json::{Map, Value, json};

use super::abilities::{Abilities, Symbols};

/// Returns true if an outline may have to be changed for this editor.
pub(crate) fn document_needs(can: &Abilities) -> bool {
    !(can.symbol_trees && can.symbols.kinds.has_all_symbols() && can.symbols.tags.has(1))
}

/// Returns true if symbols of the workspace may have to be changed for this editor.
pub(crate) fn workspace_needs(can: &Abilities) -> bool {
    let symbols = &can.workspace_symbols;
    !(can.resolves_symbols && symbols.kinds.has_all_symbols() && symbols.tags.has(1))
}

/// Shapes an outline for an editor.
pub(crate) fn of_document(mut result: Value, can: &Abilities, uri: &str) -> Value {
    make_symbols_plainer(&mut result, &can.symbols);
    if can.symbol_trees { result } else { flat_symbols(result, uri) }
}

/// Shapes symbols of the workspace for an editor.
pub(crate) fn of_workspace(mut result: Value, can: &Abilities) -> Value {
    make_symbols_plainer(&mut result, &can.workspace_symbols);
    if can.resolves_symbols { result } else { with_ranges(result) }
}

/// Gives symbols, and their children, known kinds and tags. Recurses as deep as the answer is nested, which the parser
/// of the answer has bounded.
fn make_symbols_plainer(symbols: &mut Value, can: &Symbols) {
    for symbol in symbols.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        can.kinds.of_symbol(symbol);
        can.tags.filter(symbol);
        if let Some(children) = symbol.get_mut("children") {
            make_symbols_plainer(children, can);
        }
    }
}

/// Flattens a tree of `DocumentSymbol`s to a list of `SymbolInformation` in the same order; a flat list stays as it is.
fn flat_symbols(result: Value, uri: &str) -> Value {
    let Value::Array(symbols) = result else { return result };
    let mut list = Vec::new();
    for symbol in symbols {
        flatten_symbol(symbol, uri, None, &mut list);
    }
    Value::Array(list)
}

/// Appends a symbol and its children, which name it as their container. Recurses as deep as the answer is nested, which
/// the parser of the answer has bounded.
fn flatten_symbol(mut symbol: Value, uri: &str, container: Option<&str>, list: &mut Vec<Value>) {
    let Some(fields) = symbol.as_object_mut().filter(|fields| !fields.contains_key("location")) else {
        list.push(symbol);
        return;
    };
    let children = fields.remove("children");
    let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    list.push(symbol_information(fields, uri, container));
    let Some(Value::Array(children)) = children else { return };
    for child in children {
        flatten_symbol(child, uri, Some(&name), list);
    }
}

fn symbol_information(symbol: &mut Map<String, Value>, uri: &str, container: Option<&str>) -> Value {
    let mut information = Map::new();
    for field in ["name", "kind", "tags", "deprecated"] {
        information.extend(symbol.remove(field).map(|value| (field.to_owned(), value)));
    }
    let range = symbol.remove("range").or_else(|| symbol.remove("selectionRange"));
    information.insert("location".to_owned(), json!({"uri": uri, "range": range}));
    information.extend(container.map(|name| ("containerName".to_owned(), name.into())));
    Value::Object(information)
}

/// Puts symbols without a range at the start of their file.
fn with_ranges(mut result: Value) -> Value {
    let start = json!({"line": 0, "character": 0});
    for symbol in result.as_array_mut().into_iter().flatten() {
        let location = symbol.get_mut("location").and_then(Value::as_object_mut);
        if let Some(location) = location {
            location.entry("range").or_insert_with(|| json!({"start": start, "end": start}));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_becomes_a_list_in_its_order() {
        let tree = json!([
            {"name": "A", "kind": 5, "detail": "d", "range": [0], "selectionRange": [1], "children": [
                {"name": "m", "kind": 6, "tags": [1], "range": [2], "selectionRange": [3], "children": [
                    {"name": "x", "kind": 13, "range": [4], "selectionRange": [4]},
                ]},
            ]},
            {"name": "b", "kind": 12, "range": [5], "selectionRange": [5], "children": []},
        ]);
        let expected = json!([
            {"name": "A", "kind": 5, "location": {"uri": "file:///f", "range": [0]}},
            {"name": "m", "kind": 6, "tags": [1], "location": {"uri": "file:///f", "range": [2]}, "containerName": "A"},
            {"name": "x", "kind": 13, "location": {"uri": "file:///f", "range": [4]}, "containerName": "m"},
            {"name": "b", "kind": 12, "location": {"uri": "file:///f", "range": [5]}},
        ]);
        assert_eq!(flat_symbols(tree, "file:///f"), expected);
        assert_eq!(flat_symbols(expected.clone(), "file:///other"), expected);
        assert_eq!(flat_symbols(Value::Null, "file:///f"), Value::Null);
    }

    #[test]
    fn kinds_and_tags_are_those_that_the_editor_listed() {
        let tree = json!([{"name": "A", "kind": 23, "tags": [1], "children": [{"name": "T", "kind": 26, "tags": [1]}]}]);
        let editor = |symbol: Value| {
            let both = json!({"workspace": {"symbol": symbol}, "textDocument": {"documentSymbol": symbol}});
            let mut can = Abilities::from_capabilities(&both);
            (can.symbol_trees, can.resolves_symbols) = (true, true);
            can
        };
        let plain = editor(json!({}));
        assert!(document_needs(&plain) && workspace_needs(&plain));
        let expected = json!([{"name": "A", "kind": 5, "children": [{"name": "T", "kind": 5}]}]);
        assert_eq!(of_document(tree.clone(), &plain, "file:///f"), expected);
        assert_eq!(of_workspace(tree.clone(), &plain), expected);
        let all: Value = (1..=26).collect();
        let able = editor(json!({"symbolKind": {"valueSet": all}, "tagSupport": {"valueSet": [1]}}));
        assert!(!document_needs(&able) && !workspace_needs(&able));
        assert_eq!(of_document(tree.clone(), &able, "file:///f"), tree);
    }

    #[test]
    fn a_symbol_without_a_range_is_at_the_start_of_its_file() {
        let symbols = json!([{"name": "a", "location": {"uri": "file:///f"}}, {"name": "b"}]);
        let start = json!({"line": 0, "character": 0});
        let range = json!({"start": start, "end": start});
        let expected =
            json!([{"name": "a", "location": {"uri": "file:///f", "range": range}}, {"name": "b"}]);
        assert_eq!(with_ranges(symbols), expected);
    }
}
