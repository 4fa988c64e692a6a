//! Completions without tab stops and without Markdown.

use serde_json::Value;

use super::abilities::Completion;
use super::{markdown, snippet};

/// The protocol's `InsertTextFormat`: as it is written.
const PLAIN_TEXT: u64 = 1;

/// The protocol's `InsertTextFormat`: with tab stops.
const SNIPPET: u64 = 2;

/// A list of completions (`CompletionItem[]` or `CompletionList`) in what an editor understands.
pub(crate) fn list(mut result: Value, abilities: &Completion) -> Value {
    let mut default = None;
    let items = match &mut result {
        Value::Array(items) => Some(items),
        Value::Object(list) => {
            let defaults = list.get_mut("itemDefaults").and_then(Value::as_object_mut);
            default = defaults.and_then(|defaults| defaults.remove("insertTextFormat"));
            list.get_mut("items").and_then(Value::as_array_mut)
        }
        _ => None,
    };
    for item in items.into_iter().flatten() {
        if let (Some(default), Some(item)) = (&default, item.as_object_mut()) {
            item.entry("insertTextFormat").or_insert_with(|| default.clone());
        }
        shape(item, abilities);
    }
    result
}

/// One completion, as it is resolved.
pub(crate) fn one(mut item: Value, abilities: &Completion) -> Value {
    shape(&mut item, abilities);
    item
}

fn shape(item: &mut Value, abilities: &Completion) {
    if !abilities.markdown
        && let Some(documentation) = item.get_mut("documentation")
    {
        markdown::make_plain(documentation);
    }
    if !abilities.snippets && item.get("insertTextFormat").and_then(Value::as_u64) == Some(SNIPPET) {
        without_stops(item);
    }
}

fn without_stops(item: &mut Value) {
    for pointer in ["/insertText", "/textEditText", "/textEdit/newText"] {
        let Some(text) = item.pointer_mut(pointer) else { continue };
        if let Value::String(snippet) = text {
            *snippet = snippet::plain(snippet);
        }
    }
    if let Some(item) = item.as_object_mut() {
        item.insert("insertTextFormat".to_owned(), PLAIN_TEXT.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        let given = json!({"itemDefaults": {"insertTextFormat": 2, "data": 1}, "items": [{"label": "a", "insertText": "a$0"}]});
        let expected = json!({"itemDefaults": {"data": 1}, "items": [
            {"label": "a", "insertText": "a", "insertTextFormat": 1},
        ]});
        assert_eq!(list(given, &Completion::default()), expected);
    }

    #[test]
    fn documentation_is_plain_where_markdown_is_not_understood() {
        let item = json!({"label": "a", "documentation": {"kind": "markdown", "value": "**a**"}});
        let expected = json!({"label": "a", "documentation": {"kind": "plaintext", "value": "a"}});
        assert_eq!(one(item.clone(), &Completion::default()), expected);
        assert_eq!(one(item.clone(), &Completion { markdown: true, ..Completion::default() }), item);
        assert_eq!(list(json!(null), &Completion::default()), json!(null));
    }
}
