//! Reduces edits of a workspace to the steps that an editor understands.
//!
//! An edit that an editor cannot carry out as a whole is refused with the reason: half a rename is worse than none.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::abilities::EditAbilities;

/// Why an editor cannot get an edit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// The edit has an operation on files that the editor does not support.
    #[error("the edit would {operation} {uri}, and this editor has not said that it can {operation} files")]
    Operation {
        /// `create`, `rename` or `delete`, or the server's own word.
        operation: String,
        /// URI of the file of the refused step.
        uri: String,
    },
    /// The edit changes a document in several steps, which only editors with `documentChanges` support.
    #[error("the edit changes {uri} in several steps, which this editor has not said that it can do")]
    Steps {
        /// URI of the document of the refused step.
        uri: String,
    },
}

/// Shapes a `WorkspaceEdit` for an editor.
pub(crate) fn workspace_edit(mut edit: Value, abilities: EditAbilities) -> Result<Value, Refused> {
    let Some(Value::Array(steps)) = edit.get("documentChanges") else { return Ok(edit) };
    if let Some(step) = steps.iter().find(|step| !can_do(step, abilities)) {
        let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let uri = word(step.get("uri").or_else(|| step.get("oldUri")));
        return Err(Refused::Operation { operation: word(step.get("kind")), uri });
    }
    if !abilities.document_changes {
        let changes = changes_by_uri(steps)?;
        let Some(edit) = edit.as_object_mut() else { return Ok(edit) };
        edit.remove("documentChanges");
        edit.insert("changes".to_owned(), changes);
    }
    Ok(edit)
}

/// Shapes the parameters of `workspace/applyEdit`, or any other object with an `edit`.
pub(crate) fn with_edit(mut holder: Value, abilities: EditAbilities) -> Result<Value, Refused> {
    if let Some(edit) = holder.get_mut("edit") {
        *edit = workspace_edit(edit.take(), abilities)?;
    }
    Ok(holder)
}

/// Returns true if an editor can carry out one of the steps of an edit.
fn can_do(step: &Value, abilities: EditAbilities) -> bool {
    let can = match step.get("kind").and_then(Value::as_str) {
        None => return true,
        Some("create") => abilities.create,
        Some("rename") => abilities.rename,
        Some("delete") => abilities.delete,
        Some(_) => false,
    };
    can && abilities.document_changes
}

/// Converts steps that only change texts into changes of documents by URI.
fn changes_by_uri(steps: &[Value]) -> Result<Value, Refused> {
    let (mut changes, mut seen) = (Map::new(), BTreeSet::new());
    for step in steps {
        let Some(uri) = step.pointer("/textDocument/uri").and_then(Value::as_str) else { continue };
        // The columns of a second step count in the text after the first, which the plain form cannot express.
        if !seen.insert(uri) {
            return Err(Refused::Steps { uri: uri.to_owned() });
        }
        let mut edits = step.get("edits").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
        for edit in edits.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            edit.remove("annotationId");
        }
        changes.insert(uri.to_owned(), edits);
    }
    Ok(Value::Object(changes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ALL: EditAbilities =
        EditAbilities { document_changes: true, create: true, rename: true, delete: true };

    fn text_step(uri: &str, text: &str) -> Value {
        json!({"textDocument": {"uri": uri, "version": 3}, "edits": [{"range": [0], "newText": text}]})
    }

    #[test]
    fn steps_become_changes_where_only_those_are_understood() {
        let edit = json!({"documentChanges": [text_step("file:///a", "x"), text_step("file:///b", "y")], "changes": {"old": []}});
        let expected = json!({"changes": {
            "file:///a": [{"range": [0], "newText": "x"}],
            "file:///b": [{"range": [0], "newText": "y"}],
        }});
        assert_eq!(workspace_edit(edit.clone(), EditAbilities::default()), Ok(expected));
        assert_eq!(workspace_edit(edit.clone(), ALL), Ok(edit));
        for plain in [json!({"changes": {"file:///a": []}}), Value::Null] {
            assert_eq!(workspace_edit(plain.clone(), EditAbilities::default()), Ok(plain));
        }
    }

    #[test]
    fn an_edit_that_cannot_be_carried_out_is_refused_in_words() {
        let rename = json!({"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"});
        let edit = json!({"documentChanges": [text_step("file:///a", "x"), rename]});
        let refused =
            workspace_edit(edit.clone(), EditAbilities { rename: false, ..ALL }).expect_err("renames a file");
        assert!(refused.to_string().contains("rename file:///a"), "{refused}");
        assert!(workspace_edit(edit.clone(), EditAbilities { document_changes: false, ..ALL }).is_err());
        assert_eq!(workspace_edit(edit.clone(), EditAbilities { create: false, ..ALL }), Ok(edit));
    }

    #[test]
    fn a_document_in_two_steps_is_not_mixed_up() {
        let edit = json!({"documentChanges": [text_step("file:///a", "x"), text_step("file:///a", "y")]});
        assert_eq!(
            workspace_edit(edit, EditAbilities::default()),
            Err(Refused::Steps { uri: "file:///a".to_owned() })
        );
    }

    #[test]
    fn an_edit_within_parameters_is_treated_alike() {
        let params = json!({"label": "l", "edit": {"documentChanges": [text_step("file:///a", "x")]}});
        let expected =
            json!({"label": "l", "edit": {"changes": {"file:///a": [{"range": [0], "newText": "x"}]}}});
        assert_eq!(with_edit(params, EditAbilities::default()), Ok(expected));
        assert_eq!(with_edit(json!({"label": "l"}), EditAbilities::default()), Ok(json!({"label": "l"})));
    }
}
