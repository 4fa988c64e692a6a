//! Keeps the requests of daemons to the editor, and what is left when a daemon goes: requests that the editor will
//! still answer, capabilities that are registered with it, progress that would never end, diagnostics that nobody
//! would take back. Pure: texts in, texts out.
//!
//! The editor knows of one server only. So no two requests that it has not answered have one id, whichever daemons they are
//! of; an answer to a daemon that is gone is kept from the next one.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json;
use crate::message::{self, Head, Id};

/// The requests and registrations of the daemon that the editor still has.
#[derive(Default)]
pub(crate) struct DaemonRequests {
    /// Requests of the present daemon that are not answered, by the id that the editor knows; the daemon's own where that is
    /// another.
    open: HashMap<Id, Option<Id>>,
    /// Ids of requests whose answers nobody waits for.
    orphans: HashSet<Id>,
    /// Ids that were made here.
    made: u64,
    registered: Vec<Registration>,
    /// Tokens of progress that has begun.
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
    /// It goes to the daemon as it is.
    Pass,
    /// It goes to the daemon in this form.
    Changed(String),
    /// Nobody waits for it.
    Swallow,
}

impl DaemonRequests {
    /// Takes note of a request or notification of the daemon; the message, if the editor has to see another.
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

    /// The daemon wants an answer no more; the editor may know the request by another id.
    fn translate_cancel(&self, head: &Head<'_>, message: &str) -> Option<String> {
        let id = Some(message::cancelled_id(head.params)?);
        let (known, _) = self.open.iter().find(|(_, own)| **own == id)?;
        Some(json::set(message, &["params", "id"], known))
    }

    /// Takes note of an answer of the editor.
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

    /// The daemon is gone. What the editor has to hear at once: nobody waits for its answers, progress has ended, and diagnostics
    /// are those of nobody until there are new ones.
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

    /// Another daemon is there. What the editor has to hear before it: what the last one registered counts no more.
    pub(crate) fn unregistration(&mut self) -> Option<String> {
        if self.registered.is_empty() {
            return None;
        }
        let each = |Registration { id, method }: Registration| {
            format!(r#"{{"id":{},"method":{}}}"#, json::text(&id), json::text(&method))
        };
        let all: Vec<String> = self.registered.drain(..).map(each).collect();
        let id = self.make_id();
        // The specification has the word misspelt.
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
        // Partial results come the same way, and have no kind.
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
