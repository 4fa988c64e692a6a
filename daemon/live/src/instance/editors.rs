//! Uses a running server for editors: shows it their documents, and passes their messages on as they wrote them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hob_base::CancelToken;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Instance;
use super::silence::Signs;
use crate::documents::{Doc, DocumentMessage, EditorId, ServerText};
use crate::overlay::ProjectOverlay;
use crate::rpc::{CallError, OnOutcome};

/// Longest time for which an editor's request may stay without an answer while the server sends nothing else either.
const SILENT_WITHIN: Duration = Duration::from_secs(30);

impl Instance {
    /// Returns the overlay of the project: the documents that editors have open in it.
    #[must_use]
    pub fn overlay(&self) -> &Arc<ProjectOverlay> {
        &self.view
    }

    /// Shows the server an editor's document, if it serves such documents; the caller holds the overlay's lock.
    pub(crate) fn show_document(&self, doc: &Doc, shown: &ServerText) {
        if !self.serves_document(doc, &shown.language) {
            return;
        }
        let mut documents = self.lock_documents();
        let tell = documents.show_buffer(self.spec(), doc, shown, !self.takes_pieces());
        // The connection has closed, which the next question finds out.
        let _ = self.send_all(tell.into_iter().collect());
        self.session.ready.given_work();
    }

    /// Tells the server that no editor has a document open any more; the caller holds the overlay's lock.
    pub(crate) fn unpin_document(&self, doc: &Doc, disk: Option<&str>) {
        let mut documents = self.lock_documents();
        let tell = documents.unpin_document(doc, disk);
        let _ = self.send_all(tell.into_iter().collect());
    }

    /// Tells the server that an editor has saved a document; the caller holds the overlay's lock.
    pub(crate) fn notify_saved(&self, doc: &Doc, text: &str) {
        let save = self.capability("/textDocumentSync/save");
        let wants = !matches!(save, Value::Null | Value::Bool(false))
            || self.session.has_registered("textDocument/didSave");
        let documents = self.lock_documents();
        if !wants || documents.version_of(doc).is_none() {
            return;
        }
        let mut params = json!({"textDocument": {"uri": documents.uri_of(doc)}});
        if save["includeText"] == true {
            params["text"] = text.into();
        }
        let _ = self.send_all(vec![DocumentMessage { method: "textDocument/didSave", params }]);
    }

    /// Returns true if the server serves documents like this one.
    #[must_use]
    pub fn serves_document(&self, doc: &Doc, language: &str) -> bool {
        let by_name = |name: &str| self.spec().language_of(name).is_some();
        match doc {
            Doc::Inside(path) => by_name(path.file_name()),
            Doc::Outside(uri) => {
                by_name(uri.rsplit('/').next().unwrap_or_default())
                    || self.spec().files.iter().any(|(_, known)| *known == language)
            }
        }
    }

    /// Returns true if the server accepts incremental changes.
    fn takes_pieces(&self) -> bool {
        const INCREMENTAL: u64 = 2;
        let sync = self.capability("/textDocumentSync");
        sync.as_u64().or_else(|| sync["change"].as_u64()) == Some(INCREMENTAL)
    }

    /// Returns the editor's version of the text behind one of the server's versions; `None` if that is not known to be
    /// the editor's text.
    #[must_use]
    pub fn editors_version(&self, doc: &Doc, version: i32, editor: EditorId) -> Option<i32> {
        let (label, now) = {
            let documents = self.lock_documents();
            (documents.editor_version(doc, version, editor), documents.version_of(doc))
        };
        label.or_else(|| self.view.version(editor, doc).filter(|_| now == Some(version)))
    }

    /// Passes an editor's request on; see [`forward`](crate::rpc::RpcClient::forward_request).
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn forward_request(
        &self,
        method: &str,
        params: Option<&RawValue>,
        on: OnOutcome,
    ) -> Result<i64, CallError> {
        self.give_up_if_silent();
        self.answered.store(true, Ordering::Relaxed);
        self.client.forward_request(method, params, on)
    }

    /// Gives the server up if it has been silent for too long. Editors' requests have no waiting thread, so this check
    /// runs when they ask again.
    fn give_up_if_silent(&self) {
        let mut signs = self.signs.lock().unwrap_or_else(PoisonError::into_inner);
        if self.client.silent_for().is_none_or(|silent| silent < SILENT_WITHIN) {
            *signs = None;
            return;
        }
        let now = Signs::take_signs(&self.client, &self.process);
        match &*signs {
            Some(before) if !now.works_since(before) => {
                self.give_up(
                    "it left what an editor asked without an answer and showed no other sign of life",
                );
            }
            _ => *signs = Some(now),
        }
    }

    /// Asks the server and returns the result as the protocol writes it.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn request_value(
        &self,
        method: &'static str,
        params: &Value,
        cancel: &CancelToken,
    ) -> Result<Value, CallError> {
        let raw = self.with_patience(|| self.client.request_raw(method, params, cancel))?;
        let text = raw.as_deref().map_or("null", RawValue::get);
        serde_json::from_str(text).map_err(|error| CallError::Malformed { method, why: error.to_string() })
    }

    /// Passes an editor's notification on.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn forward_notification(&self, method: &str, params: Option<&RawValue>) -> Result<(), CallError> {
        self.client.forward_notification(method, params)
    }

    /// Tells the server that the answer to a forwarded request is not wanted any more.
    pub fn cancel(&self, id: i64) {
        self.client.cancel(id);
    }

    /// Returns the capabilities that the server declared when it was initialised.
    #[must_use]
    pub fn capabilities(&self) -> &Value {
        &self.capabilities
    }
}
