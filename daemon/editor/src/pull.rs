//! Pulls diagnostics from servers, for an editor that does not pull them.
//!
//! A server whose client can pull diagnostics may push none. An editor that cannot pull, or was not offered to, would
//! see nothing; so hob pulls for it, a moment after a document changed, and sends the result as if the server had
//! pushed it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_live::instance::Instance;
use hob_live::rpc::{RequestOutcome, codes};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::ServedEditor;
use super::editor_session::Event;
use super::link::{LinkKey, ServerLink};
use super::observer::EditorObserver;

/// Time after a change until the server is asked about a document.
const AFTER: Duration = Duration::from_millis(250);

/// Time until hob asks a server again that was not able to answer.
const AGAIN: Duration = Duration::from_secs(1);

const METHOD: &str = "textDocument/diagnostic";

/// Returns true if a server sends diagnostics only on request.
fn is_asked(instance: &Instance) -> bool {
    instance.has_capability("diagnosticProvider", METHOD)
}

impl ServedEditor {
    /// Plans a pull for a document that has changed, or on whose dependencies something has changed.
    pub(super) fn judge_soon(&mut self, uri: &str) {
        if !self.pulls_itself {
            self.to_judge.insert(uri.to_owned(), Instant::now() + AFTER);
        }
    }

    /// Plans a pull for all documents of a server.
    pub(super) fn judge_all_soon(&mut self, key: &LinkKey) {
        let of_it = self.documents.iter().filter(|(_, document)| document.link.as_ref() == Some(key));
        let uris: Vec<String> = of_it.map(|(uri, _)| uri.clone()).collect();
        uris.iter().for_each(|uri| self.judge_soon(uri));
    }

    /// Pulls the diagnostics of documents that have not changed for long enough.
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
        if !is_asked(instance) || !document.view.is_in_step(self.editor_session.editor, &document.doc) {
            return;
        }
        let params = json!({"textDocument": {"uri": document.view.uri(&document.doc)}});
        let Ok(params) = to_raw_value(&params) else { return };
        let judged =
            PulledDocument { observer: Arc::clone(observer), uri: uri.to_owned(), version: document.version };
        // The server has ended; the next one is asked anew.
        let _ = instance.forward_request(
            METHOD,
            Some(&params),
            Box::new(move |outcome| judged.record_outcome(outcome)),
        );
    }
}

/// A document whose diagnostics were requested.
struct PulledDocument {
    observer: Arc<EditorObserver>,
    uri: String,
    version: i32,
}

impl PulledDocument {
    /// Handles the outcome, on the thread that reads from the server.
    fn record_outcome(self, outcome: RequestOutcome) {
        let report: Value = match outcome {
            Ok(Some(raw)) => serde_json::from_str(raw.get()).unwrap_or(Value::Null),
            Err(hob_live::rpc::CallError::Refused(error))
                if [codes::SERVER_CANCELLED, codes::CONTENT_MODIFIED].contains(&error.code) =>
            {
                return self.observer.editor_session.post_event(Event::Judge(self.uri, AGAIN));
            }
            _ => return,
        };
        if let Some(items) = report["items"].as_array() {
            self.observer.publish_diagnostics(&self.uri, self.version, items);
        }
    }
}
