//! Follows a request that a server works on, and turns its outcome into an answer.
//!
//! All of this happens on the thread that reads from the server, so nothing here waits.

use std::sync::{Arc, Weak};

use hob_live::instance::Instance;
use hob_live::overlay::ProjectOverlay;
use hob_live::rpc::{CallError, RequestOutcome, ResponseError, codes};
use serde_json::Value;
use serde_json::value::RawValue;

use super::editor_session::{EditorSession, Event, Worker, cancelled_error};
use super::link::{LinkKey, text_of};
use super::request::EditorRequest;
use super::shape::encoding::Encoding;
use super::shape::results::{self, Context};
use super::{eager, fallback, versions};

/// Number of servers that may end while they work on a request; after that the request is not sent again.
const MOST_ENDS: u8 = 2;

/// A request that a server works on.
pub(super) struct PendingRequest {
    pub(super) editor_session: Arc<EditorSession>,
    pub(super) instance: Weak<Instance>,
    pub(super) key: LinkKey,
    pub(super) view: Arc<ProjectOverlay>,
    pub(super) request: EditorRequest,
    pub(super) uri: String,
    pub(super) tokens: Vec<String>,
    /// True if the map answers if the server, which is still loading, finds nothing.
    pub(super) from_map: bool,
    pub(super) is_command: bool,
}

impl PendingRequest {
    /// Handles the outcome, on the thread that reads from the server.
    pub(super) fn handle_outcome(self, outcome: RequestOutcome) {
        if let Some(instance) = self.instance.upgrade() {
            let multiplexer = &instance.session().multiplexer;
            multiplexer.forget_tokens(&self.tokens);
            if self.is_command {
                multiplexer.command_ended(self.editor_session.editor);
            }
        }
        match outcome {
            Ok(result) => self.give_result(result.as_deref().map_or("null", RawValue::get)),
            Err(CallError::Refused(error)) => self.handle_refusal(error),
            Err(CallError::Closed(why)) => self.retry_after_loss(&why),
            Err(CallError::Stopped(_) | CallError::Malformed { .. }) => {
                self.editor_session.refuse_request(&self.request.id, &cancelled_error());
            }
        }
    }

    /// Sends the request to the next server, because this one has ended. The request itself may end servers, so the
    /// number of tries is limited.
    fn retry_after_loss(self, why: &str) {
        tracing::debug!(key = %self.key, why, "the server went away under an editor's question");
        self.editor_session.set_worker(&self.request.id, Worker::Nobody);
        let request = EditorRequest { ends: self.request.ends + 1, ..self.request.as_lost() };
        match () {
            () if request.ends <= MOST_ENDS && !self.is_command => {
                self.editor_session.post_event(Event::Again(request));
            }
            () if fallback::has_answer(&request.method) => {
                self.editor_session.post_event(Event::FromMap(request));
            }
            () => {
                let error = ResponseError::new(codes::REQUEST_FAILED, "the language server has ended");
                self.editor_session.refuse_request(&request.id, &error);
            }
        }
    }

    fn handle_refusal(self, error: ResponseError) {
        if error.has_no_project() {
            self.editor_session.set_worker(&self.request.id, Worker::Nobody);
            return self.editor_session.post_event(Event::NoProject(self.key, error.message, self.request));
        }
        let map_may = self.from_map || error.code == codes::METHOD_NOT_FOUND;
        match map_may && error.code != codes::REQUEST_CANCELLED && fallback::has_answer(&self.request.method)
        {
            true => self.editor_session.post_event(Event::FromMap(self.request)),
            false => self.editor_session.refuse_request(&self.request.id, &error),
        }
    }

    fn give_result(self, result: &str) {
        if self.from_map && matches!(result, "null" | "[]") {
            let next = if self.request.is_waiting_for_server() { Event::Later } else { Event::FromMap };
            return self.editor_session.post_event(next(self.request));
        }
        let (abilities, encoding) = self.editor_session.abilities_and_encoding();
        let method = self.request.method.as_str();
        let utf16 = *encoding == Encoding::Utf16;
        let has_versions = versions::may_have(method);
        let is_lazy = eager::may_be_lazy(method, abilities);
        if utf16 && !has_versions && !is_lazy && !results::needs_shaping(method, abilities) {
            return self.editor_session.answer_raw(&self.request.id, result);
        }
        let Ok(mut value) = serde_json::from_str::<Value>(result) else {
            return self.editor_session.answer_raw(&self.request.id, result);
        };
        if has_versions {
            self.renumber_documents(&mut value);
        }
        if is_lazy && self.is_unresolved(&value) {
            return self.complete_answer(value);
        }
        self.finish(value);
    }

    pub(super) fn renumber_documents(&self, value: &mut Value) {
        if let Some(instance) = self.instance.upgrade() {
            versions::to_editor_versions(value, &self.view, &instance, self.editor_session.editor);
        }
    }

    /// Answers with a result in the editor's columns and form.
    pub(super) fn finish(self, value: Value) {
        let texts = |uri: &str| text_of(&self.view, uri);
        let is_folds = self.request.method == "textDocument/foldingRange";
        let text = is_folds.then(|| texts(&self.uri)).flatten();
        let context = Context { uri: &self.uri, text: text.as_deref() };
        self.editor_session.answer_shaped(&self.request, value, &context, &texts);
    }
}
