//! Replaces kinds and tags from later versions of the protocol by ones that an editor knows.
//!
//! An editor that lists no kinds knows those of the protocol's first version. It may show an unknown number in any way,
//! or fail, so it gets the nearest one that it knows.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The last kind of the protocol's first version, for symbols and for completions.
const FIRST_VERSION: u64 = 18;

/// The last kind of a completion, and of a symbol.
const LAST_COMPLETION: u64 = 25;
const LAST_SYMBOL: u64 = 26;

/// Later kinds of completions (`CompletionItemKind`), each with its replacement from the first version.
const COMPLETIONS: &[(u64, u64)] = &[
    // Folder: File. EnumMember: Enum. Constant: Variable. Struct: Class.
    (19, 17),
    (20, 13),
    (21, 6),
    (22, 7),
    // Event: Field. Operator: Function. TypeParameter: Class.
    (23, 5),
    (24, 3),
    (25, 7),
];

/// Later kinds of symbols (`SymbolKind`), each with its replacement from the first version.
const SYMBOLS: &[(u64, u64)] = &[
    // Object: Variable. Key: Property. Null: Variable. EnumMember: Constant.
    (19, 13),
    (20, 7),
    (21, 13),
    (22, 14),
    // Struct: Class. Event: Field. Operator: Function. TypeParameter: Class.
    (23, 5),
    (24, 8),
    (25, 12),
    (26, 5),
];

/// The kinds that an editor knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kinds(Option<BTreeSet<u64>>);

impl Kinds {
    /// Reads a `valueSet`; anything but a list counts as absent.
    pub(crate) fn from_value_set(value_set: &Value) -> Self {
        Self(value_set.as_array().map(|kinds| kinds.iter().filter_map(Value::as_u64).collect()))
    }

    /// Returns true if the editor knows every kind of completion.
    pub(crate) fn has_all_completions(&self) -> bool {
        (1..=LAST_COMPLETION).all(|kind| self.knows(kind))
    }

    /// Returns true if the editor knows every kind of symbol.
    pub(crate) fn has_all_symbols(&self) -> bool {
        (1..=LAST_SYMBOL).all(|kind| self.knows(kind))
    }

    fn knows(&self, kind: u64) -> bool {
        self.0.as_ref().map_or((1..=FIRST_VERSION).contains(&kind), |known| known.contains(&kind))
    }

    fn nearest_known(&self, kind: u64, later: &[(u64, u64)]) -> Option<u64> {
        if self.knows(kind) {
            return Some(kind);
        }
        let (_, older) = later.iter().find(|(new, _)| *new == kind)?;
        self.knows(*older).then_some(*older)
    }

    /// Gives a completion a known kind, or none, which is allowed.
    pub(crate) fn of_completion(&self, item: &mut Map<String, Value>) {
        let Some(kind) = item.get("kind").and_then(Value::as_u64) else { return };
        match self.nearest_known(kind, COMPLETIONS) {
            Some(known) => drop(item.insert("kind".to_owned(), known.into())),
            None => drop(item.remove("kind")),
        }
    }

    /// Gives a symbol a known kind. A symbol must have one, so it keeps its own where none fits: an editor that lists
    /// kinds has to tolerate others.
    pub(crate) fn of_symbol(&self, symbol: &mut Map<String, Value>) {
        let kind = symbol.get("kind").and_then(Value::as_u64);
        if let Some(known) = kind.and_then(|kind| self.nearest_known(kind, SYMBOLS)) {
            symbol.insert("kind".to_owned(), known.into());
        }
    }
}

/// The tags that an editor knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tags(BTreeSet<u64>);

impl Tags {
    /// Reads a `tagSupport`. Drafts of 3.15 had a boolean, and some editors still send it.
    pub(crate) fn from_tag_support(tag_support: &Value) -> Self {
        let listed = tag_support.get("valueSet").and_then(Value::as_array);
        let all = tag_support.is_object() || tag_support == &Value::Bool(true);
        Self(match listed {
            Some(listed) => listed.iter().filter_map(Value::as_u64).collect(),
            None if all => [1, 2].into(),
            None => BTreeSet::new(),
        })
    }

    /// Returns true if the editor knows this tag.
    pub(crate) fn has(&self, tag: u64) -> bool {
        self.0.contains(&tag)
    }

    /// Returns true if the editor knows the first `count` tags, from 1 on.
    pub(crate) fn has_all(&self, count: u64) -> bool {
        (1..=count).all(|tag| self.has(tag))
    }

    /// Keeps only the known tags of an item.
    pub(crate) fn filter(&self, tagged: &mut Map<String, Value>) {
        let Some(Value::Array(tags)) = tagged.get_mut("tags") else { return };
        tags.retain(|tag| tag.as_u64().is_some_and(|tag| self.has(tag)));
        if tags.is_empty() {
            tagged.remove("tags");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape_fields(value: Value, shape: impl Fn(&mut Map<String, Value>)) -> Value {
        let Value::Object(mut fields) = value else { panic!("an object") };
        shape(&mut fields);
        Value::Object(fields)
    }

    #[test]
    fn whoever_lists_nothing_knows_the_first_version() {
        let kinds = Kinds::from_value_set(&Value::Null);
        let symbol =
            |kind: u64| shape_fields(json!({"kind": kind}), |it| kinds.of_symbol(it))["kind"].as_u64();
        let completion = |kind: u64| shape_fields(json!({"kind": kind}), |it| kinds.of_completion(it));
        for kind in 1..=18 {
            assert_eq!(symbol(kind), Some(kind));
            assert_eq!(completion(kind)["kind"], kind);
        }
        for kind in 19..=26 {
            assert!(symbol(kind).is_some_and(|kind| kind <= 18), "{kind}");
        }
        for kind in 19..=25 {
            assert!(completion(kind)["kind"].as_u64().is_some_and(|kind| kind <= 18), "{kind}");
        }
        assert_eq!(completion(99), json!({}), "nobody knows it, and it may be left out");
    }

    #[test]
    fn whoever_lists_kinds_gets_those() {
        let kinds = Kinds::from_value_set(&json!([1, 22, 7]));
        let completion = |kind: u64| shape_fields(json!({"kind": kind}), |it| kinds.of_completion(it));
        assert_eq!(completion(22), json!({"kind": 22}));
        assert_eq!(completion(25), json!({"kind": 7}));
        assert_eq!(completion(21), json!({}));
        let symbol = shape_fields(json!({"kind": 26}), |it| kinds.of_symbol(it));
        assert_eq!(symbol, json!({"kind": 26}), "a symbol has to have one");
    }

    #[test]
    fn tags_are_those_that_are_known() {
        let tags = |support: Value, tags: Value| {
            shape_fields(json!({"tags": tags}), |tagged| Tags::from_tag_support(&support).filter(tagged))
        };
        assert_eq!(tags(Value::Null, json!([1])), json!({}));
        assert_eq!(tags(json!(true), json!([1, 2, 3])), json!({"tags": [1, 2]}));
        assert_eq!(tags(json!({"valueSet": [2]}), json!([1, 2])), json!({"tags": [2]}));
    }
}
