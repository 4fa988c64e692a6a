//! Reduces code actions to the parts that an editor understands.
//!
//! An action that would do nothing, or only a part of its promise, is dropped.

use serde_json::{Map, Value};

use super::abilities::Abilities;
use super::{diagnostics, edits};

/// Returns true if a list of code actions may have to be changed for this editor.
pub(crate) fn need_shaping(abilities: &Abilities) -> bool {
    let can = &abilities.code_actions;
    let parts = can.preferred && can.data && diagnostics::knows_parts(&abilities.diagnostics);
    !(can.literals && can.disabled && can.resolves_edit && parts)
}

/// Returns the actions of a list (`(Command | CodeAction)[]`) that an editor understands.
pub(crate) fn list(mut result: Value, abilities: &Abilities) -> Value {
    if let Some(actions) = result.as_array_mut() {
        let all = std::mem::take(actions);
        actions.extend(all.into_iter().filter_map(|action| one(action, abilities)));
    }
    result
}

/// Returns true if hob has to ask the server for an action's edit, because this editor does not ask for it.
pub(crate) fn is_unresolved(action: &Value, abilities: &Abilities) -> bool {
    !abilities.code_actions.resolves_edit && action.get("disabled").is_none() && does_nothing(action)
}

fn one(action: Value, abilities: &Abilities) -> Option<Value> {
    let can = &abilities.code_actions;
    if is_command(&action) {
        return Some(action);
    }
    let is_understood = match action.get("disabled") {
        Some(_) => can.disabled,
        None => can.resolves_edit || !does_nothing(&action),
    };
    if !is_understood {
        return None;
    }
    match can.literals {
        true => edits::with_edit(make_action_plainer(action, abilities), abilities.edits).ok(),
        false => as_command(&action),
    }
}

/// Removes the parts of an action that the editor does not understand.
pub(crate) fn make_action_plainer(mut action: Value, abilities: &Abilities) -> Value {
    let can = &abilities.code_actions;
    if let Some(mended) = action.get_mut("diagnostics") {
        diagnostics::list(mended, &abilities.diagnostics);
    }
    if let Some(fields) = action.as_object_mut() {
        for (field, _) in [("isPreferred", can.preferred), ("data", can.data)].iter().filter(|(_, can)| !can)
        {
            fields.remove(*field);
        }
    }
    action
}

/// Converts an enabled action with nothing but a command into that command.
fn as_command(action: &Value) -> Option<Value> {
    if action.get("edit").is_some() || action.get("disabled").is_some() {
        return None;
    }
    let mut command: Map<String, Value> = action.get("command")?.as_object()?.clone();
    command.extend(action.get("title").map(|title| ("title".to_owned(), title.clone())));
    Some(Value::Object(command))
}

fn is_command(action: &Value) -> bool {
    action.get("command").is_some_and(Value::is_string)
}

fn does_nothing(action: &Value) -> bool {
    action.get("edit").is_none() && action.get("command").is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use hob_live::offer::client_capabilities;

    fn abilities_without(mut capabilities: Value, without: &[&str]) -> Abilities {
        for pointer in without {
            *capabilities.pointer_mut(pointer).expect("it is offered") = Value::Null;
        }
        Abilities::from_capabilities(&capabilities)
    }

    fn sample_actions() -> Value {
        json!([
            {"title": "c", "command": "do"},
            {"title": "edit", "edit": {"changes": {}}},
            {"title": "renames", "edit": {"documentChanges": [{"kind": "rename", "oldUri": "a", "newUri": "b"}]}},
            {"title": "runs", "command": {"title": "other", "command": "run", "arguments": [1]}},
            {"title": "lazy", "data": 1},
            {"title": "not now", "disabled": {"reason": "r"}},
        ])
    }

    fn titles_of(actions: &Value) -> Vec<&str> {
        let actions = actions.as_array().expect("a list");
        actions.iter().map(|action| action["title"].as_str().expect("a title")).collect()
    }

    #[test]
    fn whoever_understands_everything_gets_everything() {
        let all = abilities_without(client_capabilities(), &[]);
        assert!(!need_shaping(&all));
        assert_eq!(list(sample_actions(), &all), sample_actions());
    }

    #[test]
    fn parts_of_an_action_are_those_that_were_declared() {
        let action = json!([{"title": "t", "edit": {}, "isPreferred": true, "data": 1,
            "diagnostics": [{"message": "m", "data": 2, "tags": [1]}]}]);
        let all = abilities_without(client_capabilities(), &[]);
        assert_eq!(list(action.clone(), &all)[0]["data"], 1);
        let of = "/textDocument/codeAction";
        let plain = [&format!("{of}/isPreferredSupport")[..], &format!("{of}/dataSupport")];
        let mut plain = abilities_without(client_capabilities(), &plain);
        plain.diagnostics = super::super::abilities::Diagnostics::default();
        let expected = json!([{"title": "t", "edit": {}, "diagnostics": [{"message": "m"}]}]);
        assert_eq!(list(action, &plain), expected);
    }

    #[test]
    fn without_literals_there_are_only_commands() {
        let plain =
            abilities_without(client_capabilities(), &["/textDocument/codeAction/codeActionLiteralSupport"]);
        let expected = json!([
            {"title": "c", "command": "do"},
            {"title": "runs", "command": "run", "arguments": [1]},
        ]);
        assert_eq!(list(sample_actions(), &plain), expected);
        assert_eq!(list(json!(null), &plain), json!(null));
    }

    #[test]
    fn what_would_do_nothing_is_left_out() {
        let no_resolve =
            abilities_without(client_capabilities(), &["/textDocument/codeAction/resolveSupport"]);
        assert_eq!(
            titles_of(&list(sample_actions(), &no_resolve)),
            ["c", "edit", "renames", "runs", "not now"]
        );
        let lazy = &sample_actions()[4];
        assert!(is_unresolved(lazy, &no_resolve));
        assert!(!is_unresolved(lazy, &abilities_without(client_capabilities(), &[])));
        let no_disabled =
            abilities_without(client_capabilities(), &["/textDocument/codeAction/disabledSupport"]);
        assert_eq!(
            titles_of(&list(sample_actions(), &no_disabled)),
            ["c", "edit", "renames", "runs", "lazy"]
        );
        let no_files =
            abilities_without(client_capabilities(), &["/workspace/workspaceEdit/resourceOperations"]);
        assert_eq!(titles_of(&list(sample_actions(), &no_files)), ["c", "edit", "runs", "lazy", "not now"]);
    }
}
