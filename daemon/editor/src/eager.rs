//! Completes an answer at once with the parts that the editor cannot ask for later.
//!
//! hob tells servers that its client asks for the edit of an action, and for the edits of a completion (imports), when
//! the user chooses one. An editor that cannot ask would choose an action that does nothing, or a name that nothing
//! imports. So a thread of its own asks the server at once, for as many items as fit into a short time: for
//! completions, those that match the typed text.

use std::sync::Arc;
use std::time::Duration;

use hob_base::{CancelToken, Deadline};
use serde_json::Value;

use super::asked::PendingRequest;
use super::editor_session::{PromisedAnswer, Worker};
use super::link::text_of;
use super::shape::abilities::Abilities;
use super::shape::capabilities::offers_method;
use super::shape::encoding::Encoding;
use super::shape::offsets::{self, Position};
use super::shape::{code_actions, completion};

/// Most actions of a list that are completed at once, and the longest time for that.
const MOST_ACTIONS: usize = 50;
const ACTIONS_WITHIN: Duration = Duration::from_secs(5);

/// Most completions of a list that are completed at once, and the longest time for that: the user is typing.
const MOST_COMPLETIONS: usize = 64;
const COMPLETIONS_WITHIN: Duration = Duration::from_secs(2);

const ACTIONS: &str = "textDocument/codeAction";
const COMPLETIONS: &str = "textDocument/completion";

/// The field of a completion with further edits, such as imports.
const EDITS: &str = "additionalTextEdits";

/// Kinds of completions without further edits: a word, a keyword, a colour, a file, a folder.
const BRING_NOTHING: &[u64] = &[1, 14, 16, 17, 19];

/// Returns true if answers to a method may lack parts that this editor does not ask for later.
pub(super) fn may_be_lazy(method: &str, abilities: &Abilities) -> bool {
    match method {
        ACTIONS => !abilities.code_actions.resolves_edit,
        COMPLETIONS => !abilities.completion.resolves.contains(EDITS),
        _ => false,
    }
}

impl PendingRequest {
    /// Returns true if an answer lacks a part that the editor does not ask for later.
    pub(super) fn is_unresolved(&self, answer: &Value) -> bool {
        if self.request.method == ACTIONS {
            let abilities = &self.editor_session.abilities_and_encoding().0;
            let mut actions = answer.as_array().into_iter().flatten();
            return actions.any(|action| code_actions::is_unresolved(action, abilities));
        }
        let Some(instance) = self.instance.upgrade() else { return false };
        let resolves = offers_method(instance.capabilities(), "completionItem/resolve") == Some(true)
            || instance
                .session()
                .multiplexer
                .registrations_of(COMPLETIONS)
                .iter()
                .any(|one| one["registerOptions"]["resolveProvider"] == true);
        let items = answer.as_array().or_else(|| answer["items"].as_array());
        resolves && items.into_iter().flatten().any(may_bring_more)
    }

    /// Asks the server for the missing parts of an answer, and answers with the whole.
    pub(super) fn complete_answer(self, mut answer: Value) {
        let (editor_session, id) = (Arc::clone(&self.editor_session), self.request.id.clone());
        let promise = PromisedAnswer::new(Arc::clone(&editor_session), id.clone());
        let is_actions = self.request.method == ACTIONS;
        let patience = if is_actions { ACTIONS_WITHIN } else { COMPLETIONS_WITHIN };
        let cancel = CancelToken::new(Deadline::after(patience));
        editor_session.set_worker(&id, Worker::Thread(cancel.clone()));
        let run = move || {
            let _promise = promise;
            match is_actions {
                true => self.complete_actions(&mut answer, &cancel),
                false => self.complete_items(&mut answer, &cancel),
            }
            self.finish(answer);
        };
        editor_session.work_aside("hob-editor-eager", &id, run);
    }

    fn complete_actions(&self, actions: &mut Value, cancel: &CancelToken) {
        let abilities = &self.editor_session.abilities_and_encoding().0;
        let all = actions.as_array_mut().into_iter().flatten();
        let unresolved = all.filter(|action| code_actions::is_unresolved(action, abilities));
        for action in unresolved.take(MOST_ACTIONS) {
            let Some(mut whole) = self.resolve_part("codeAction/resolve", action, cancel) else { break };
            self.renumber_documents(&mut whole);
            *action = whole;
        }
    }

    /// Completes items. If some stay incomplete, marks the list as incomplete, so that the editor asks again when the
    /// user types more.
    fn complete_items(&self, answer: &mut Value, cancel: &CancelToken) {
        let typed = self.typed_prefix();
        let Some(items) = completion::items_of(answer) else { return };
        let mut wanted: Vec<((bool, String), usize)> = Vec::new();
        for (at, item) in items.iter().enumerate().filter(|(_, item)| may_bring_more(item)) {
            wanted.extend(rank(item, &typed).map(|rank| (rank, at)));
        }
        wanted.sort();
        let mut is_whole = wanted.len() <= MOST_COMPLETIONS;
        for (_, at) in wanted.into_iter().take(MOST_COMPLETIONS) {
            let Some(mut whole) = self.resolve_part("completionItem/resolve", &items[at], cancel) else {
                is_whole = false;
                break;
            };
            if let (Some(item), edits) = (items[at].as_object_mut(), whole[EDITS].take())
                && edits.is_array()
            {
                item.insert(EDITS.to_owned(), edits);
            }
        }
        if !is_whole {
            let items = std::mem::take(items);
            if !answer.is_object() {
                *answer = serde_json::json!({});
            }
            answer["items"] = Value::Array(items);
            answer["isIncomplete"] = true.into();
        }
    }

    /// Asks the server for the whole of a part. Returns the part itself if the server refuses, `None` if no answer
    /// comes in time.
    fn resolve_part(&self, method: &'static str, part: &Value, cancel: &CancelToken) -> Option<Value> {
        use hob_live::rpc::CallError;
        let instance = self.instance.upgrade()?;
        match instance.request_value(method, part, cancel) {
            Ok(whole) => Some(whole),
            Err(CallError::Refused(_) | CallError::Malformed { .. }) => Some(part.clone()),
            Err(CallError::Stopped(_) | CallError::Closed(_)) => None,
        }
    }

    /// Returns the beginning of the name before the cursor, in lower case.
    fn typed_prefix(&self) -> String {
        let position = Position::from_json(&self.request.value()["position"]);
        let text = text_of(&self.view, &self.uri);
        position.zip(text).map_or_else(String::new, |(at, text)| {
            typed_before(&text, at, self.editor_session.abilities_and_encoding().1)
        })
    }
}

fn typed_before(text: &str, at: Position, encoding: Encoding) -> String {
    let starts = offsets::line_starts(text);
    let Some(start) = starts.get(at.line as usize) else { return String::new() };
    let line = offsets::line_at(text, *start);
    let before = &line[..offsets::column_to_bytes(line, at.character, encoding)];
    let name = before.rsplit(|c: char| !(c.is_alphanumeric() || "_$".contains(c))).next();
    name.unwrap_or_default().to_lowercase()
}

/// Returns true if a completion may have further edits that it does not list yet. A server that has to be asked about
/// an item keeps something in its `data`.
fn may_bring_more(item: &Value) -> bool {
    let kind = item["kind"].as_u64().unwrap_or_default();
    item.get(EDITS).is_none() && item.get("data").is_some() && !BRING_NOTHING.contains(&kind)
}

/// Ranks a completion among those that match the typed text, the best first; `None` if it does not match.
fn rank(item: &Value, typed: &str) -> Option<(bool, String)> {
    let text = |field: &str| item[field].as_str().filter(|text| !text.is_empty());
    let found_by = text("filterText").or(text("label"))?.to_lowercase();
    let mut left = found_by.chars();
    let leads = typed.chars().all(|wanted| left.any(|c| c == wanted));
    let order = text("sortText").or(text("label")).unwrap_or_default();
    leads.then(|| (!found_by.starts_with(typed), order.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_typed_is_the_beginning_of_a_name() {
        let text = "x = é.日本_Pa\n";
        let at = |character| Position { line: 0, character };
        assert_eq!(typed_before(text, at(11), Encoding::Utf16), "日本_pa");
        assert_eq!(typed_before(text, at(6), Encoding::Utf16), "");
        assert_eq!(typed_before(text, at(99), Encoding::Utf8), "日本_pa");
        assert_eq!(typed_before(text, Position { line: 9, character: 0 }, Encoding::Utf16), "");
    }

    #[test]
    fn names_that_begin_so_come_first_and_others_not_at_all() {
        let item = |label: &str, sort: &str| json!({"label": label, "sortText": sort});
        let first = rank(&item("HashMap", "9"), "hash");
        let second = rank(&item("has_hash_map", "1"), "hash");
        assert!(first.is_some() && first < second, "{first:?} {second:?}");
        assert_eq!(rank(&item("Map", "0"), "hash"), None);
        assert!(rank(&item("Map", "0"), "").is_some());
        assert_eq!(rank(&json!({}), ""), None);
    }

    #[test]
    fn only_what_may_bring_more_is_asked_about() {
        assert!(may_bring_more(&json!({"label": "a", "data": 1})));
        for known in [
            json!({"label": "a"}),
            json!({"data": 1, "kind": 14}),
            json!({"data": 1, "additionalTextEdits": []}),
        ] {
            assert!(!may_bring_more(&known), "{known}");
        }
    }
}
