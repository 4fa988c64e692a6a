//! Computes the union of the capabilities of several servers, field by field.

use serde_json::{Map, Value};

/// Fields that restrict a capability: a server without one has it without the restriction, and so has the union.
const RESTRICTIONS: &[&str] = &["documentSelector", "codeActionKinds"];

/// Fields that would apply to the answers of other servers too, so they stay only where all agree.
const COMMON: &[&str] = &["allCommitCharacters"];

/// Adds the value of a capability in `other` (`null`, a boolean, options, a list) to `one`.
pub(crate) fn unite_values(one: &mut Value, other: &Value) {
    match (&mut *one, other) {
        (_, Value::Null | Value::Bool(false)) => {}
        (Value::Null | Value::Bool(false), _) => *one = other.clone(),
        (Value::Object(options), Value::Object(more)) => unite_options(options, more),
        (Value::Object(options), Value::Bool(true)) => lift_restrictions(options),
        (Value::Bool(true), Value::Object(options)) => {
            let mut options = options.clone();
            lift_restrictions(&mut options);
            *one = Value::Object(options);
        }
        (Value::Array(list), Value::Array(more)) => {
            more.iter().for_each(|new| {
                if !list.contains(new) {
                    list.push(new.clone());
                }
            });
        }
        _ => {}
    }
}

fn unite_options(options: &mut Map<String, Value>, more: &Map<String, Value>) {
    unite_triggers(options, more);
    let is_said =
        |options: &Map<String, Value>, key: &str| options.get(key).is_some_and(|value| !value.is_null());
    let is_dropped = |key: &&&str| match COMMON.contains(*key) {
        true => options.get(**key) != more.get(**key),
        false => !(is_said(options, key) && is_said(more, key)),
    };
    let dropped: Vec<&str> = RESTRICTIONS.iter().chain(COMMON).filter(is_dropped).copied().collect();
    options.retain(|key, _| !dropped.contains(&key.as_str()));
    for (key, value) in more.iter().filter(|(key, _)| !dropped.contains(&key.as_str())) {
        unite_values(options.entry(key.clone()).or_insert(Value::Null), value);
    }
}

/// Unites triggers of formatting: there is one first trigger, and the other server's first becomes one of the rest.
fn unite_triggers(options: &mut Map<String, Value>, more: &Map<String, Value>) {
    let (first, other) = (options.get("firstTriggerCharacter"), more.get("firstTriggerCharacter"));
    if let (Some(first), Some(other)) = (first, other)
        && first != other
    {
        let other = Value::Array(vec![other.clone()]);
        unite_values(options.entry("moreTriggerCharacter").or_insert(Value::Null), &other);
    }
}

fn lift_restrictions(options: &mut Map<String, Value>) {
    for key in RESTRICTIONS.iter().chain(COMMON) {
        options.remove(*key);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn assert_union(one: Value, other: Value, expected: Value) {
        let mut union = one;
        unite_values(&mut union, &other);
        assert_eq!(union, expected);
    }

    #[test]
    fn options_are_more_than_a_yes() {
        assert_union(json!(true), json!({"prepareProvider": true}), json!({"prepareProvider": true}));
        assert_union(json!({"prepareProvider": true}), json!(true), json!({"prepareProvider": true}));
        assert_union(
            json!({"resolveProvider": false}),
            json!({"resolveProvider": true}),
            json!({"resolveProvider": true}),
        );
        assert_union(json!(true), json!(false), json!(true));
        assert_union(json!(false), json!({}), json!({}));
        assert_union(json!(null), json!(null), json!(null));
    }

    #[test]
    fn lists_are_joined_without_doubles() {
        assert_union(
            json!({"triggerCharacters": [".", ":"], "commands": ["a"]}),
            json!({"triggerCharacters": [":", "<"], "commands": ["b"]}),
            json!({"triggerCharacters": [".", ":", "<"], "commands": ["a", "b"]}),
        );
        assert_union(
            json!({"firstTriggerCharacter": "}"}),
            json!({"firstTriggerCharacter": ";", "moreTriggerCharacter": ["\n"]}),
            json!({"firstTriggerCharacter": "}", "moreTriggerCharacter": [";", "\n"]}),
        );
    }

    #[test]
    fn who_is_not_restricted_lifts_the_restriction() {
        assert_union(
            json!({"codeActionKinds": ["quickfix"]}),
            json!({"codeActionKinds": ["source"]}),
            json!({"codeActionKinds": ["quickfix", "source"]}),
        );
        assert_union(json!({"codeActionKinds": ["quickfix"]}), json!(true), json!({}));
        assert_union(json!({}), json!({"codeActionKinds": ["quickfix"]}), json!({}));
        assert_union(
            json!({"documentSelector": null}),
            json!({"documentSelector": [{"language": "c"}]}),
            json!({}),
        );
    }

    #[test]
    fn one_servers_habits_are_not_another_ones() {
        assert_union(json!({"allCommitCharacters": ["."]}), json!({}), json!({}));
        assert_union(json!({}), json!({"allCommitCharacters": ["."]}), json!({}));
        assert_union(
            json!({"allCommitCharacters": ["."]}),
            json!({"allCommitCharacters": ["."]}),
            json!({"allCommitCharacters": ["."]}),
        );
    }
}
