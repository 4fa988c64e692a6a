//! Asks servers for diagnostics, for an editor that does not ask.
//!
//! A server that heard that its client can ask may tell nothing by itself. An editor that cannot ask, or was not offered to, would see
//! nothing; so it is asked for here, a moment after a document changed, and told as if the server had said it by itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_live::instance::Instance;
use hob_live::rpc::{RequestOutcome, codes};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::ServedEditor;
use super::desk::Event;
use super::link::{LinkKey, ServerLink};
use super::observer::EditorObserver;

/// Time after a change until the server is asked about a document.
const AFTER: Duration = Duration::from_millis(250);

/// Time until a server is asked again that was not able to answer.
const AGAIN: Duration = Duration::from_secs(1);

const METHOD: &str = "textDocument/diagnostic";

/// Returns true if a server gives diagnostics only when it is asked for them.
fn is_asked(instance: &Instance) -> bool {
    instance.has_capability("diagnosticProvider", METHOD)
}

impl ServedEditor {
    /// A document has changed, or what it depends on has.
    pub(super) fn judge_soon(&mut self, uri: &str) {
        if !self.pulls_itself {
            self.to_judge.insert(uri.to_owned(), Instant::now() + AFTER);
        }
    }

    /// All documents of a server are to be judged.
    pub(super) fn judge_all_soon(&mut self, key: &LinkKey) {
        let of_it = self.documents.iter().filter(|(_, document)| document.link.as_ref() == Some(key));
        let uris: Vec<String> = of_it.map(|(uri, _)| uri.clone()).collect();
        uris.iter().for_each(|uri| self.judge_soon(uri));
    }

    /// Asks about what has been left alone for long enough.
    pub(super) fn judge_due(&mut self) {
        let now = Instant::now();
        let due: Vec<String> =
            self.to_judge.iter().filter(|(_, at)| **at <= now).map(|(uri, _)| uri.clone()).collect();
        for uri in due {
            self.to_judge.remove(&uri);
            self.judge_one(&uri);
        }
    }

    fn judge_one(&self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let Some(key) = &document.link else { return };
        let (Some(ServerLink::Up(instance)), Some(observer)) = (self.links.get(key), self.observers.get(key))
        else {
            return;
        };
        if !is_asked(instance) || !document.view.is_in_step(self.desk.editor, &document.doc) {
            return;
        }
        let params = json!({"textDocument": {"uri": document.view.uri(&document.doc)}});
        let Ok(params) = to_raw_value(&params) else { return };
        let judged =
            Judged { observer: Arc::clone(observer), uri: uri.to_owned(), version: document.version };
        // Closed: the next server is asked anew.
        let _ =
            instance.forward_request(METHOD, Some(&params), Box::new(move |outcome| judged.take_in(outcome)));
    }
}

/// A document that a server was asked about.
struct Judged {
    observer: Arc<EditorObserver>,
    uri: String,
    version: i32,
}

impl Judged {
    /// On the thread that reads from the server.
    fn take_in(self, outcome: RequestOutcome) {
        let report: Value = match outcome {
            Ok(Some(raw)) => serde_json::from_str(raw.get()).unwrap_or(Value::Null),
            Err(hob_live::rpc::CallError::Refused(error))
                if [codes::SERVER_CANCELLED, codes::CONTENT_MODIFIED].contains(&error.code) =>
            {
                return self.observer.desk.post_event(Event::Judge(self.uri, AGAIN));
            }
            _ => return,
        };
        if let Some(items) = report["items"].as_array() {
            self.observer.tell_of(&self.uri, self.version, items);
        }
    }
}
