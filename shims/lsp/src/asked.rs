//! Tracks the requests of daemons to the editor, and the state that a lost daemon leaves in the editor: unanswered
//! requests, registered capabilities, progress without an end, diagnostics that nobody would clear. Pure: texts in,
//! texts out.
//!
//! The editor knows of one server only. So no two unanswered requests have the same ID, whichever daemons sent them;
//! and an answer to a daemon that is gone is not sent to the next one.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json;
use crate::message::{self, Head, Id};

/// The requests and registrations of the daemon that the editor still holds.
#[derive(Default)]
pub(crate) struct DaemonRequests {
    /// Unanswered requests of the present daemon, by the ID that the editor knows; the value is the daemon's own ID if
    /// that differs.
    open: HashMap<Id, Option<Id>>,
    /// IDs of requests whose answers nobody waits for.
    orphans: HashSet<Id>,
    /// Number of IDs that were made here.
    made: u64,
    registered: Vec<Registration>,
    /// Tokens of progress reports that have begun.
    progress: HashSet<Id>,
    /// The URIs of documents with diagnostics.
    diagnosed: HashSet<String>,
}

#[derive(Deserialize)]
struct Registration {
    id: String,
    method: String,
}

/// The destination of an answer of the editor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EditorAnswer {
    /// The answer goes to the daemon unchanged.
    Pass,
    /// The answer goes to the daemon in this form.
    Changed(String),
    /// The answer is dropped, because nobody waits for it.
    Swallow,
}

impl DaemonRequests {
    /// Records a request or notification of the daemon. Returns the message for the editor, if it has to differ.
    pub(crate) fn note_request(&mut self, head: &Head<'_>, message: &str) -> Option<String> {
        let method = head.method.as_deref()?;
        match method {
            "client/registerCapability" => self.register(head.params),
            "client/unregisterCapability" => self.unregister(head.params),
            "$/progress" => self.note_progress(head.params),
            "textDocument/publishDiagnostics" => self.note_diagnostics(head.params),
            "$/cancelRequest" => return self.translate_cancel(head, message),
            _ => {}
        }
        self.open_request(head.id.as_ref()?, message)
    }

    fn open_request(&mut self, id: &Id, message: &str) -> Option<String> {
        if !self.open.contains_key(id) && !self.orphans.contains(id) {
            self.open.insert(id.clone(), None);
            return None;
        }
        let own = self.make_id();
        let changed = json::set(message, &["id"], &own);
        self.open.insert(own, Some(id.clone()));
        Some(changed)
    }

    /// Translates the daemon's cancellation of a request, which the editor may know by another ID.
    fn translate_cancel(&self, head: &Head<'_>, message: &str) -> Option<String> {
        let id = Some(message::cancelled_id(head.params)?);
        let (known, _) = self.open.iter().find(|(_, own)| **own == id)?;
        Some(json::set(message, &["params", "id"], known))
    }

    /// Records an answer of the editor, and returns its destination.
    pub(crate) fn note_answer(&mut self, id: &str, message: &str) -> EditorAnswer {
        match self.open.remove(id) {
            Some(None) => EditorAnswer::Pass,
            Some(Some(own)) => EditorAnswer::Changed(json::set(message, &["id"], &own)),
            None => {
                self.orphans.remove(id);
                EditorAnswer::Swallow
            }
        }
    }

    /// Returns the messages for the editor after the loss of a daemon: nobody waits for its answers, progress has
    /// ended, and diagnostics are cleared until there are new ones.
    pub(crate) fn messages_after_loss(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        for (id, _) in self.open.drain() {
            all.push(message::notification("$/cancelRequest", &format!(r#"{{"id":{id}}}"#)));
            self.orphans.insert(id);
        }
        let end = |token| {
            message::notification("$/progress", &format!(r#"{{"token":{token},"value":{{"kind":"end"}}}}"#))
        };
        all.extend(self.progress.drain().map(end));
        let none = |uri: String| {
            let params = format!(r#"{{"uri":{},"diagnostics":[]}}"#, json::text(&uri));
            message::notification("textDocument/publishDiagnostics", &params)
        };
        all.extend(self.diagnosed.drain().map(none));
        all
    }

    /// Returns the message that unregisters the last daemon's capabilities, before the editor gets messages of another
    /// daemon.
    pub(crate) fn unregistration(&mut self) -> Option<String> {
        if self.registered.is_empty() {
            return None;
        }
        let each = |Registration { id, method }: Registration| {
            format!(r#"{{"id":{},"method":{}}}"#, json::text(&id), json::text(&method))
        };
        let all: Vec<String> = self.registered.drain(..).map(each).collect();
        let id = self.make_id();
        // The misspelling is the specification's.
        let params = format!(r#"{{"unregisterations":[{}]}}"#, all.join(","));
        let message = message::request(&id, "client/unregisterCapability", &params);
        self.orphans.insert(id);
        Some(message)
    }

    fn make_id(&mut self) -> Id {
        self.made += 1;
        format!(r#""hob-lsp:{}""#, self.made)
    }

    fn register(&mut self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct RegistrationParams {
            registrations: Vec<Registration>,
        }
        if let Some(params) = message::parse::<RegistrationParams>(params) {
            self.registered.extend(params.registrations);
        }
    }

    fn unregister(&mut self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct UnregistrationParams {
            #[serde(alias = "unregistrations")]
            unregisterations: Vec<Registration>,
        }
        if let Some(params) = message::parse::<UnregistrationParams>(params) {
            let gone: HashSet<String> = params.unregisterations.into_iter().map(|gone| gone.id).collect();
            self.registered.retain(|registration| !gone.contains(&registration.id));
        }
    }

    fn note_diagnostics(&mut self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct PublishedDiagnostics<'p> {
            uri: String,
            #[serde(borrow)]
            diagnostics: &'p RawValue,
        }
        let Some(PublishedDiagnostics { uri, diagnostics }) = message::parse(params) else { return };
        let written = diagnostics.get().bytes().filter(|byte| !byte.is_ascii_whitespace());
        match written.take(3).eq(*b"[]") {
            true => self.diagnosed.remove(&uri),
            false => self.diagnosed.insert(uri),
        };
    }

    fn note_progress(&mut self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct ProgressParams<'p> {
            #[serde(borrow)]
            token: &'p RawValue,
            value: ProgressStep,
        }
        #[derive(Deserialize)]
        struct ProgressStep {
            kind: String,
        }
        // Partial results come in the same way, and have no kind.
        let Some(params) = message::parse::<ProgressParams<'_>>(params) else { return };
        let Some(token) = message::id_of(params.token) else { return };
        match params.value.kind.as_str() {
            "begin" => drop(self.progress.insert(token)),
            "end" => drop(self.progress.remove(&token)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(asked: &mut DaemonRequests, message: &str) -> Option<String> {
        asked.note_request(&Head::read_head(message), message)
    }

    #[test]
    fn an_answer_goes_to_the_daemon_that_asked_and_to_no_other() {
        let mut asked = DaemonRequests::default();
        let ask = r#"{"id":1,"method":"workspace/configuration"}"#;
        assert_eq!(hear(&mut asked, ask), None);
        assert_eq!(asked.note_answer("1", "{}"), EditorAnswer::Pass);
        assert_eq!(asked.note_answer("1", "{}"), EditorAnswer::Swallow, "it was answered");

        assert_eq!(hear(&mut asked, ask), None);
        assert_eq!(
            asked.messages_after_loss(),
            [r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#]
        );
        let other = hear(&mut asked, ask).expect("the editor has a request with this id");
        assert_eq!(other, r#"{"id":"hob-lsp:1","method":"workspace/configuration"}"#);
        let cancel = r#"{"method":"$/cancelRequest","params":{"id":1}}"#;
        assert!(hear(&mut asked, cancel).expect("as the editor knows it").contains(r#"{"id":"hob-lsp:1"}"#));
        assert_eq!(asked.note_answer("1", "{}"), EditorAnswer::Swallow, "the one who asked is gone");
        let answer = r#"{"id":"hob-lsp:1","result":[]}"#;
        let changed = asked.note_answer(r#""hob-lsp:1""#, answer);
        assert_eq!(changed, EditorAnswer::Changed(r#"{"id":1,"result":[]}"#.into()));
        assert_eq!(hear(&mut asked, ask), None, "the id is free again");
    }

    #[test]
    fn what_is_still_registered_is_unregistered_once() {
        let mut asked = DaemonRequests::default();
        let register = |ids: &str| {
            format!(r#"{{"id":7,"method":"client/registerCapability","params":{{"registrations":[{ids}]}}}}"#)
        };
        hear(
            &mut asked,
            &register(r#"{"id":"a","method":"m"},{"id":"b\"","method":"n","registerOptions":{}}"#),
        );
        let gone = r#"{"id":8,"method":"client/unregisterCapability","params":{"unregisterations":[{"id":"a","method":"m"}]}}"#;
        hear(&mut asked, gone);
        let message = asked.unregistration().expect("b is left");
        assert!(message.contains(r#""unregisterations":[{"id":"b\"","method":"n"}]"#), "{message}");
        assert_eq!(asked.note_answer(r#""hob-lsp:1""#, "{}"), EditorAnswer::Swallow);
        assert_eq!(asked.unregistration(), None);
    }

    #[test]
    fn progress_that_has_begun_is_ended() {
        let mut asked = DaemonRequests::default();
        let step = |token: &str, kind: &str| {
            format!(r#"{{"method":"$/progress","params":{{"token":{token},"value":{{"kind":"{kind}"}}}}}}"#)
        };
        hear(&mut asked, &step("1", "begin"));
        hear(&mut asked, &step("1", "report"));
        hear(&mut asked, &step("1", "end"));
        hear(&mut asked, &step("\"x\"", "begin"));
        hear(&mut asked, r#"{"method":"$/progress","params":{"token":5,"value":[1]}}"#);
        let ends = asked.messages_after_loss();
        let end = r#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":"x","value":{"kind":"end"}}}"#;
        assert_eq!(ends, [end]);
        assert!(asked.messages_after_loss().is_empty());
    }

    #[test]
    fn diagnostics_that_are_there_are_taken_back() {
        let mut asked = DaemonRequests::default();
        let publish = |uri: &str, diagnostics: &str| {
            format!(
                r#"{{"method":"textDocument/publishDiagnostics","params":{{"diagnostics":{diagnostics},"uri":"{uri}"}}}}"#
            )
        };
        hear(&mut asked, &publish("a", "[{}]"));
        hear(&mut asked, &publish("b", "[{}]"));
        hear(&mut asked, &publish("a", "[ ]"));
        let taken = asked.messages_after_loss();
        assert_eq!(taken.len(), 1);
        assert!(taken[0].ends_with(r#""params":{"uri":"b","diagnostics":[]}}"#), "{taken:?}");
        assert!(asked.messages_after_loss().is_empty());
    }
}
