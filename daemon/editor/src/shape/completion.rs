//! Reduces completions to the parts that an editor understands: kinds, tags, labels, ranges and texts.
//!
//! It writes what a server would have written for such an editor: the details of a label go into the label, a default
//! of the list into every item. Conveniences (commit characters, a preselection) are left out.

use serde_json::{Map, Value};

use super::abilities::Completion;
use super::{markdown, snippet};

/// The protocol's `InsertTextFormat` for plain text.
const PLAIN_TEXT: u64 = 1;

/// The protocol's `InsertTextFormat` for text with tab stops.
const SNIPPET: u64 = 2;

/// The protocol's `CompletionItemTag` for outdated items.
const DEPRECATED: u64 = 1;

/// Returns true if completions may have to be changed for this editor.
pub(crate) fn need_shaping(can: &Completion) -> bool {
    let texts = can.snippets && can.markdown && can.label_details;
    let marks = can.commit_characters && can.preselects && can.deprecated && can.tags.has(DEPRECATED);
    !(texts && marks && can.kinds.has_all_completions())
}

/// Shapes a list of completions (`CompletionItem[]` or `CompletionList`) for an editor.
pub(crate) fn list(mut result: Value, abilities: &Completion) -> Value {
    let mut defaults = Map::new();
    if let Some(list) = result.as_object_mut() {
        defaults = take_defaults(list, abilities);
    }
    for item in items_of(&mut result).into_iter().flatten().filter_map(Value::as_object_mut) {
        put_under(item, &defaults);
        shape_item(item, abilities);
    }
    result
}

/// Returns the items of a list, in either of its forms.
pub(crate) fn items_of(result: &mut Value) -> Option<&mut Vec<Value>> {
    match result {
        Value::Array(items) => Some(items),
        Value::Object(list) => list.get_mut("items").and_then(Value::as_array_mut),
        _ => None,
    }
}

/// Shapes one completion, after it is resolved.
pub(crate) fn one(mut item: Value, abilities: &Completion) -> Value {
    if let Some(item) = item.as_object_mut() {
        shape_item(item, abilities);
    }
    item
}

/// Removes the defaults of a list that the editor does not know, or that have to be shaped.
fn take_defaults(list: &mut Map<String, Value>, can: &Completion) -> Map<String, Value> {
    let mut taken = Map::new();
    let Some(Value::Object(defaults)) = list.get_mut("itemDefaults") else { return taken };
    let stays = |field: &str| {
        let is_plain = match field {
            "insertTextFormat" => can.snippets,
            "insertTextMode" => can.insert_text_modes,
            "commitCharacters" => can.commit_characters,
            // The item's text may come from its label, which may be changed.
            "editRange" => false,
            _ => true,
        };
        is_plain && can.list_defaults.contains(field)
    };
    let fields: Vec<String> = defaults.keys().filter(|field| !stays(field)).cloned().collect();
    taken.extend(fields.into_iter().filter_map(|field| defaults.remove_entry(&field)));
    if defaults.is_empty() {
        list.remove("itemDefaults");
    }
    taken
}

/// Writes the defaults of a list into an item.
fn put_under(item: &mut Map<String, Value>, defaults: &Map<String, Value>) {
    for (field, default) in defaults {
        match field.as_str() {
            "editRange" if item.contains_key("textEdit") => {}
            "editRange" => {
                let text = item.remove("textEditText").or_else(|| item.get("label").cloned());
                let mut edit = match default.get("insert") {
                    Some(_) => default.as_object().cloned().unwrap_or_default(),
                    None => Map::from_iter([("range".to_owned(), default.clone())]),
                };
                edit.extend(text.map(|text| ("newText".to_owned(), text)));
                item.insert("textEdit".to_owned(), Value::Object(edit));
            }
            _ => drop(item.entry(field.clone()).or_insert_with(|| default.clone())),
        }
    }
}

fn shape_item(item: &mut Map<String, Value>, can: &Completion) {
    if !can.markdown
        && let Some(documentation) = item.get_mut("documentation")
    {
        markdown::make_plain(documentation);
    }
    can.kinds.of_completion(item);
    shape_tags(item, can);
    if !can.label_details {
        without_label_details(item);
    }
    if !can.insert_replace {
        with_one_range(item);
    }
    if !can.snippets && item.get("insertTextFormat").and_then(Value::as_u64) == Some(SNIPPET) {
        without_stops(item);
    }
    let conveniences = [
        ("commitCharacters", can.commit_characters),
        ("preselect", can.preselects),
        ("insertTextMode", can.insert_text_modes),
    ];
    for (field, _) in conveniences.iter().filter(|(_, understood)| !understood) {
        item.remove(*field);
    }
}

/// Marks an item as outdated in a way that the editor knows: by a tag or, for older editors, by a field.
fn shape_tags(item: &mut Map<String, Value>, can: &Completion) {
    let tags = item.get("tags").and_then(Value::as_array);
    let is_outdated = tags.is_some_and(|tags| tags.iter().any(|tag| tag.as_u64() == Some(DEPRECATED)));
    if is_outdated && can.deprecated && !can.tags.has(DEPRECATED) {
        item.insert("deprecated".to_owned(), Value::Bool(true));
    }
    can.tags.filter(item);
    if !can.deprecated {
        item.remove("deprecated");
    }
}

/// Moves the details of a label to a place where an editor without them shows them. The inserted text, and the keys by
/// which it is filtered and sorted, stay.
fn without_label_details(item: &mut Map<String, Value>) {
    let Some(details) = item.remove("labelDetails") else { return };
    let said = |field: &str| details.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let label = item.get("label").and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(detail) = said("detail").filter(|detail| !label.ends_with(detail)) {
        let fields: &[&str] = match item.contains_key("textEdit") {
            true => &["filterText", "sortText"],
            false => &["filterText", "sortText", "insertText"],
        };
        for field in fields {
            item.entry(*field).or_insert_with(|| label.clone().into());
        }
        item.insert("label".to_owned(), format!("{label}{detail}").into());
    }
    if let Some(description) = said("description") {
        item.entry("detail").or_insert_with(|| description.into());
    }
}

/// Converts an edit with two ranges into one that inserts: up to the cursor, which every editor accepts.
fn with_one_range(item: &mut Map<String, Value>) {
    let Some(Value::Object(edit)) = item.get_mut("textEdit") else { return };
    if let Some(insert) = edit.remove("insert") {
        edit.remove("replace");
        edit.insert("range".to_owned(), insert);
    }
}

fn without_stops(item: &mut Map<String, Value>) {
    let plain = |text: Option<&mut Value>| {
        if let Some(Value::String(snippet)) = text {
            *snippet = snippet::snippet_text(snippet);
        }
    };
    plain(item.get_mut("insertText"));
    plain(item.get_mut("textEditText"));
    plain(item.get_mut("textEdit").and_then(|edit| edit.get_mut("newText")));
    item.insert("insertTextFormat".to_owned(), PLAIN_TEXT.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::abilities::Abilities;
    use super::*;

    fn abilities_of(said: Value) -> Completion {
        Abilities::from_capabilities(&json!({"textDocument": {"completion": said}})).completion
    }

    #[test]
    fn snippets_become_text_wherever_they_are() {
        let given = json!({"isIncomplete": true, "items": [
            {"label": "f(…)", "insertTextFormat": 2, "insertText": "f(${1:a})$0",
             "textEdit": {"range": [0], "newText": "f(${1:a})$0"}},
            {"label": "$x", "insertTextFormat": 1, "insertText": "$x", "textEdit": {"range": [0], "newText": "$x"}},
            {"label": "$y", "insertText": "$y"},
        ]});
        let expected = json!({"isIncomplete": true, "items": [
            {"label": "f(…)", "insertTextFormat": 1, "insertText": "f(a)", "textEdit": {"range": [0], "newText": "f(a)"}},
            {"label": "$x", "insertTextFormat": 1, "insertText": "$x", "textEdit": {"range": [0], "newText": "$x"}},
            {"label": "$y", "insertText": "$y"},
        ]});
        assert_eq!(list(given.clone(), &Completion::default()), expected);
        assert_eq!(list(given["items"].clone(), &Completion::default()), expected["items"]);
        let able = Completion { snippets: true, ..Completion::default() };
        assert_eq!(list(given.clone(), &able), given);
    }

    #[test]
    fn a_default_for_all_items_counts() {
        let given = json!({"itemDefaults": {"insertTextFormat": 2, "data": 1, "editRange": [0], "commitCharacters": ["."]},
            "items": [{"label": "a", "textEditText": "a$0"}, {"label": "b", "data": 2, "textEdit": {"range": [1], "newText": "b"}}]});
        let expected = json!({"items": [
            {"label": "a", "textEdit": {"range": [0], "newText": "a"}, "insertTextFormat": 1, "data": 1},
            {"label": "b", "textEdit": {"range": [1], "newText": "b"}, "insertTextFormat": 1, "data": 2},
        ]});
        assert_eq!(list(given.clone(), &Completion::default()), expected);
        let knows_data = abilities_of(json!({"completionList": {"itemDefaults": ["data"]}}));
        assert_eq!(list(given, &knows_data)["itemDefaults"], json!({"data": 1}));
    }

    #[test]
    fn documentation_is_plain_where_markdown_is_not_understood() {
        let item = json!({"label": "a", "documentation": {"kind": "markdown", "value": "**a**"}});
        let expected = json!({"label": "a", "documentation": {"kind": "plaintext", "value": "a"}});
        assert_eq!(one(item.clone(), &Completion::default()), expected);
        assert_eq!(one(item.clone(), &Completion { markdown: true, ..Completion::default() }), item);
        assert_eq!(list(json!(null), &Completion::default()), json!(null));
    }

    #[test]
    fn what_was_not_declared_does_not_come() {
        let item = json!({"label": "a", "kind": 25, "commitCharacters": ["."], "preselect": true, "tags": [1], "deprecated": true,
            "insertTextMode": 1, "textEdit": {"insert": [0], "replace": [1], "newText": "a"}});
        assert_eq!(
            one(item.clone(), &Completion::default()),
            json!({"label": "a", "kind": 7, "textEdit": {"range": [0], "newText": "a"}})
        );
        for (said, field) in [
            (json!({"commitCharactersSupport": true}), "commitCharacters"),
            (json!({"preselectSupport": true}), "preselect"),
            (json!({"tagSupport": {"valueSet": [1]}}), "tags"),
            (json!({"deprecatedSupport": true}), "deprecated"),
            (json!({"insertReplaceSupport": true}), "textEdit"),
            (json!({"insertTextModeSupport": {"valueSet": [1, 2]}}), "insertTextMode"),
        ] {
            assert_eq!(
                one(item.clone(), &abilities_of(json!({"completionItem": said})))[field],
                item[field],
                "{field}"
            );
        }
        let kinds = abilities_of(json!({"completionItemKind": {"valueSet": [1, 25]}}));
        assert_eq!(one(item, &kinds)["kind"], 25);
        let outdated = json!({"label": "a", "tags": [1]});
        let older = abilities_of(json!({"completionItem": {"deprecatedSupport": true}}));
        assert_eq!(one(outdated, &older), json!({"label": "a", "deprecated": true}));
    }

    #[test]
    fn details_of_a_label_are_read_in_the_label() {
        let item = json!({"label": "spawn", "labelDetails": {"detail": "(use std::thread::spawn)", "description": "fn(F)"}});
        let expected = json!({"label": "spawn(use std::thread::spawn)", "detail": "fn(F)", "filterText": "spawn",
            "sortText": "spawn", "insertText": "spawn"});
        assert_eq!(one(item.clone(), &Completion::default()), expected);
        assert_eq!(
            one(item.clone(), &abilities_of(json!({"completionItem": {"labelDetailsSupport": true}}))),
            item
        );
        let edited = json!({"label": "f()", "detail": "d", "labelDetails": {"detail": "()"}, "textEdit": {"range": [0]}});
        let expected = json!({"label": "f()", "detail": "d", "textEdit": {"range": [0]}});
        assert_eq!(one(edited, &Completion::default()), expected);
    }
}
