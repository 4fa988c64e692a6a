//! Keeps tokens of progress apart: two editors may choose the same, and an editor that comes late has to hear of
//! progress under way.

use std::collections::{BTreeMap, HashMap};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::documents::EditorId;

/// Fields in which an editor may name a token.
const FIELDS: [&str; 2] = ["workDoneToken", "partialResultToken"];

/// Most reports of the server's own progress that are kept for late editors; further ones are sent only once.
const MOST_UNDER_WAY: usize = 64;

#[derive(Default)]
pub(super) struct Tokens {
    /// Editors' tokens, by the tokens that the server got in their place.
    replaced: HashMap<String, (EditorId, Value)>,
    given: u64,
    /// Progress that the server began itself, by token: the message that created it, and the one that began it.
    own: BTreeMap<String, (Box<RawValue>, Option<Box<RawValue>>)>,
}

/// Returns true if the parameters may contain a token, so that a search is worthwhile.
pub(super) fn may_have(params: &RawValue) -> bool {
    FIELDS.iter().any(|field| params.get().contains(field))
}

impl Tokens {
    pub(super) fn replace(
        &mut self,
        editor: EditorId,
        params: &RawValue,
    ) -> Option<(Box<RawValue>, Vec<String>)> {
        let mut params: Value = serde_json::from_str(params.get()).ok()?;
        let mut given = Vec::new();
        for field in FIELDS {
            let Some(token) = params.get_mut(field) else { continue };
            self.given += 1;
            let name = format!("hob:{}", self.given);
            self.replaced.insert(name.clone(), (editor, std::mem::replace(token, json!(name))));
            given.push(name);
        }
        Some((to_raw_value(&params).ok()?, given))
    }

    pub(super) fn forget_token(&mut self, token: &str) {
        self.replaced.remove(token);
    }

    pub(super) fn forget_editor(&mut self, editor: EditorId) {
        self.replaced.retain(|_, (of, _)| *of != editor);
    }

    /// Returns the editor that owns the token of a progress report, with that editor's own token.
    pub(super) fn owner_of_report(&self, report: &Value) -> Option<(EditorId, Value)> {
        self.replaced.get(report["token"].as_str()?).cloned()
    }

    /// Returns the server's token for a token that an editor was told or chose.
    pub(super) fn server_token(&self, token: &Value) -> Option<Value> {
        if self.own.contains_key(&token.to_string()) {
            return Some(token.clone());
        }
        self.replaced.iter().find(|(_, (_, theirs))| theirs == token).map(|(ours, _)| json!(ours))
    }

    pub(super) fn note_created(&mut self, params: &RawValue) {
        let parsed: Value = serde_json::from_str(params.get()).unwrap_or(Value::Null);
        if self.own.len() < MOST_UNDER_WAY {
            self.own.insert(parsed["token"].to_string(), (params.to_owned(), None));
        }
    }

    pub(super) fn note_progress(&mut self, raw: &RawValue, report: &Value) {
        let token = report["token"].to_string();
        match report["value"]["kind"].as_str() {
            Some("begin") => {
                if let Some((_, begin)) = self.own.get_mut(&token) {
                    *begin = Some(raw.to_owned());
                }
            }
            Some("end") => drop(self.own.remove(&token)),
            _ => {}
        }
    }

    pub(super) fn under_way(&self) -> impl Iterator<Item = (&RawValue, Option<&RawValue>)> {
        self.own.values().map(|(create, begin)| (&**create, begin.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_json(value: &Value) -> Box<RawValue> {
        to_raw_value(value).expect("JSON")
    }

    #[test]
    fn the_same_token_of_two_editors_is_two() {
        let mut tokens = Tokens::default();
        let params = raw_json(&json!({"workDoneToken": 1, "x": [2]}));
        let (first, _) = tokens.replace(EditorId(1), &params).expect("there is one");
        let (second, given) = tokens.replace(EditorId(2), &params).expect("there is one");
        let token =
            |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).expect("JSON")["workDoneToken"].clone();
        assert_ne!(token(&first), token(&second));
        assert_eq!(tokens.owner_of_report(&json!({"token": token(&first)})), Some((EditorId(1), json!(1))));
        assert_eq!(tokens.owner_of_report(&json!({"token": token(&second)})), Some((EditorId(2), json!(1))));
        given.iter().for_each(|token| tokens.forget_token(token));
        assert_eq!(tokens.owner_of_report(&json!({"token": token(&second)})), None);
    }

    #[test]
    fn progress_that_has_begun_is_known_until_it_ends() {
        let mut tokens = Tokens::default();
        tokens.note_created(&raw_json(&json!({"token": "load"})));
        let report = |kind: &str| json!({"token": "load", "value": {"kind": kind}});
        tokens.note_progress(&raw_json(&report("begin")), &report("begin"));
        assert_eq!(tokens.under_way().filter(|(_, begin)| begin.is_some()).count(), 1);
        tokens.note_progress(&raw_json(&report("end")), &report("end"));
        assert_eq!(tokens.under_way().count(), 0);
    }
}
