//! Adds single values to JSON files of an agent, deep in tables and lists, and removes them again.
//!
//! Changes are made and checked like those of an entry: text is cut and inserted, the outcome must have exactly the
//! intended values, and undoing the edits must give the old text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Broken, Dialect, Edit, Format, apply, json};

/// A value of a JSON file and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ValueAt {
    /// The names of the tables on the way, from the outside in, and the last name.
    pub(crate) path: Vec<String>,
    pub(crate) value: Value,
    /// True if it is an item of the list at the path.
    pub(crate) is_item: bool,
    /// True if the value has to stay while the file has any other value.
    pub(crate) stays_beside_others: bool,
    /// Number of names of the path that were missing: hob removes its own tables when they are empty.
    pub(crate) made: usize,
}

/// The outcome of removing a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TakenValue {
    /// The text without the value.
    Text(String),
    /// The value is not there.
    Absent,
    /// Another value that runs the same command is in its place.
    Changed,
}

impl ValueAt {
    /// Creates an item of the list at a path of names.
    pub(crate) fn item(path: &[&str], value: Value) -> Self {
        Self { is_item: true, ..Self::named(path, value) }
    }

    /// Creates the value of the last name of a path.
    pub(crate) fn named(path: &[&str], value: Value) -> Self {
        let path = path.iter().map(|name| (*name).to_owned()).collect();
        Self { path, value, is_item: false, stays_beside_others: false, made: 0 }
    }

    /// Returns the value with the tables that have to be made around it, below the first `depth` names.
    pub(super) fn nested_below(&self, depth: usize) -> Value {
        let inner = if self.is_item { Value::Array(vec![self.value.clone()]) } else { self.value.clone() };
        let names = self.path.iter().skip(depth).rev();
        names.fold(inner, |inside, name| Value::Object(Map::from_iter([(name.clone(), inside)])))
    }

    /// Returns the value of a file at the path.
    fn place_in<'v>(&self, data: &'v Value) -> Option<&'v Value> {
        self.path.iter().try_fold(data, |inside, name| inside.get(name))
    }

    fn is_in(&self, data: &Value) -> bool {
        match self.place_in(data) {
            Some(Value::Array(items)) if self.is_item => items.contains(&self.value),
            Some(found) => !self.is_item && *found == self.value,
            None => false,
        }
    }

    /// Adds the value to a text; `None` if it is there. Records the number of missing names of its path.
    ///
    /// # Errors
    /// The place where the file is broken, or has another value in the way.
    pub(crate) fn add_to(&mut self, text: &str, dialect: Dialect) -> Result<Option<String>, Broken> {
        let data = Format::Json.parse_for(text, dialect)?;
        if self.is_in(&data) {
            return Ok(None);
        }
        let mut inside = Some(&data);
        let there = self.path.iter().take_while(|name| {
            inside = inside.and_then(|inside| inside.get(*name));
            inside.is_some()
        });
        self.made = self.path.len() - there.count();
        let edits = json::edits_to_add(text, self)?;
        let mut expected = data;
        self.add_to_data(&mut expected);
        apply_exactly(text, &edits, &expected).map(Some)
    }

    fn add_to_data(&self, data: &mut Value) {
        let mut inside = data;
        for name in &self.path {
            inside = &mut inside[name.as_str()];
        }
        match inside {
            Value::Array(items) if self.is_item => items.push(self.value.clone()),
            other => *other = self.nested_below(self.path.len()),
        }
    }

    /// Removes the value from a text, with the tables and the list that hob made for it, if they are empty then. With
    /// `force`, also a changed value.
    ///
    /// # Errors
    /// The place where the file is broken.
    pub(crate) fn take_from(&self, text: &str, force: bool) -> Result<TakenValue, Broken> {
        let data = Format::Json.parse(text)?;
        let Some(place) = self.place_in(&data) else { return Ok(TakenValue::Absent) };
        let nth = match place {
            Value::Array(items) if self.is_item => {
                let same = items.iter().position(|item| *item == self.value);
                let alike = || items.iter().position(|item| runs_the_same(item, &self.value));
                match (same, alike()) {
                    (Some(nth), _) => Some(nth),
                    (None, Some(nth)) if force => Some(nth),
                    (None, Some(_)) => return Ok(TakenValue::Changed),
                    (None, None) => return Ok(TakenValue::Absent),
                }
            }
            _ if self.is_item => return Ok(TakenValue::Absent),
            other if *other != self.value && !force => return Ok(TakenValue::Changed),
            _ => None,
        };
        let has_others = data.as_object().is_some_and(|root| root.len() > 1);
        if self.stays_beside_others && has_others {
            return Ok(TakenValue::Absent);
        }
        let mut expected = data.clone();
        let mut text = match nth {
            Some(nth) => {
                let list = self.path.iter().fold(&mut expected, |inside, name| &mut inside[name.as_str()]);
                if let Some(items) = list.as_array_mut() {
                    items.remove(nth);
                }
                apply_exactly(text, &json::edits_to_take_item(text, &self.path, nth)?, &expected)?
            }
            None => take_name(text, &self.path, &mut expected)?,
        };
        let kept = self.path.len() - self.made.min(self.path.len());
        for length in (kept + 1..=self.path.len()).rev() {
            let path = &self.path[..length];
            let inside = path.iter().try_fold(&expected, |inside, name| inside.get(name));
            let is_empty = inside.is_some_and(|inside| match inside {
                Value::Array(items) => items.is_empty(),
                Value::Object(fields) => fields.is_empty(),
                _ => false,
            });
            if is_empty {
                text = take_name(&text, path, &mut expected)?;
            }
        }
        Ok(TakenValue::Text(text))
    }
}

fn take_name(text: &str, path: &[String], expected: &mut Value) -> Result<String, Broken> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let edits = json::edits_to_take(text, &names)?;
    if let Some((last, before)) = path.split_last() {
        let table = before.iter().fold(expected as &mut Value, |inside, name| &mut inside[name.as_str()]);
        if let Some(table) = table.as_object_mut() {
            table.remove(last);
        }
    }
    apply_exactly(text, &edits, expected)
}

fn apply_exactly(text: &str, edits: &[Edit], expected: &Value) -> Result<String, Broken> {
    let (changed, back) = apply(text, edits);
    let is_right = Format::Json.parse(&changed).is_ok_and(|is| is == *expected);
    if is_right && apply(&changed, &back).0 == text {
        return Ok(changed);
    }
    let first = edits.first().map_or(0, |edit| edit.at.start);
    let problem = "the file is written in a form that hob cannot change safely; make this change by hand";
    Err(Broken::at_byte(text, first, problem))
}

/// Returns true if both values name the same command somewhere: for example a hook whose time limit was changed.
fn runs_the_same(one: &Value, other: &Value) -> bool {
    let commands = |value: &Value| {
        let mut found = Vec::new();
        collect_commands(value, &mut found);
        found
    };
    let own = commands(other);
    commands(one).iter().any(|command| own.contains(command))
}

fn collect_commands(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            into.extend(fields.get("command").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|inside| collect_commands(inside, into));
        }
        Value::Array(items) => items.iter().for_each(|inside| collect_commands(inside, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hook() -> ValueAt {
        let run = json!({"matcher": "Grep|Bash", "hooks": [{"type": "command", "command": "hob hook x"}]});
        ValueAt::item(&["hooks", "PostToolUse"], run)
    }

    fn permission() -> ValueAt {
        ValueAt::item(&["permissions", "allow"], "mcp__hob__map_search".into())
    }

    /// Adds a value, checks that a reader finds it beside the old values, and removes it again.
    #[track_caller]
    fn round_trip(before: &str, mut value: ValueAt) -> String {
        let data = |text: &str| Format::Json.parse(text).expect("JSON");
        let after = value.add_to(before, Dialect::Commas).expect("it can be added").expect("it is new");
        let mut expected = data(before);
        value.add_to_data(&mut expected);
        assert_eq!(data(&after), expected, "{after}");
        assert_eq!(value.clone().add_to(&after, Dialect::Commas), Ok(None), "twice is once");
        let TakenValue::Text(back) = value.take_from(&after, false).expect("it can be taken") else {
            panic!("it is not found in {after}");
        };
        assert_eq!(data(&back), data(before), "{back}");
        after
    }

    #[test]
    fn values_are_added_and_taken_in_every_kind_of_file() {
        for before in [
            "",
            "{}",
            "{}\n",
            "// mine\n{\n}\n",
            "{\"hooks\": {}, \"permissions\": {}}",
            "{\"hooks\": {\"PostToolUse\": []}, \"permissions\": {\"allow\": []}}\n",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\"\n    ],\n    \"deny\": []\n  }\n}\n",
            "{\n  \"permissions\": {\"allow\": [\"a\", \"b\"]}, // both\n  \"x\": 1,\n}\n",
            "{\n\t\"hooks\": {\n\t\t\"PostToolUse\": [\n\t\t\t{\"matcher\": \"Edit\", \"hooks\": []}, // mine\n\t\t],\n\t\t\"Stop\": []\n\t}\n}",
            "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit\"\n      }\n    ]\n  }\n}\n",
        ] {
            let _ = round_trip(before, hook());
            let _ = round_trip(before, permission());
            let _ = round_trip(before, ValueAt::named(&["permission", "hob_map_search"], "allow".into()));
        }
    }

    #[test]
    fn it_looks_as_people_write_it() {
        let after = round_trip("{\n  \"a\": 1\n}\n", hook());
        let expected = "{\n  \"a\": 1,\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Grep|Bash\",\n        \
                        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"hob hook x\"\n          }\n        \
                        ]\n      }\n    ]\n  }\n}\n";
        assert_eq!(after, expected);
        let after = round_trip("{\"permissions\": {\"allow\": [\"a\"]}}", permission());
        assert_eq!(after, "{\"permissions\": {\"allow\": [\"a\", \"mcp__hob__map_search\"]}}");
    }

    #[test]
    fn a_changed_hook_is_recognised_and_a_foreign_one_left_alone() {
        let mut value = hook();
        let after = value.add_to("{}", Dialect::Plain).expect("added").expect("new");
        let changed = after.replace("Grep|Bash", "Grep");
        assert_eq!(value.take_from(&changed, false), Ok(TakenValue::Changed));
        assert!(matches!(value.take_from(&changed, true), Ok(TakenValue::Text(_))));
        let foreign = after.replace("hob hook x", "other");
        assert_eq!(value.take_from(&foreign, false), Ok(TakenValue::Absent));
        assert_eq!(value.take_from("{}", false), Ok(TakenValue::Absent));
    }

    #[test]
    fn what_the_file_has_otherwise_is_refused() {
        for before in [
            "{\"hooks\": 1}",
            "{\"hooks\": {\"PostToolUse\": {}}}",
            "[]",
            "{",
            "{\"hooks\": {}, \"hooks\": {}}",
        ] {
            assert!(hook().add_to(before, Dialect::Commas).is_err(), "{before}");
        }
        assert!(hook().add_to("{} // x", Dialect::Plain).is_err(), "its client takes no comments");
    }
}
