//! Receives a server's messages for one editor, and converts them into the editor's form, columns and version numbers.
//!
//! All of this happens on the thread that reads from the server, so nothing here waits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hob_live::documents::{Doc, EditorId};
use hob_live::instance::Instance;
use hob_live::multiplexer::Observer;
use hob_live::overlay::ProjectOverlay;
use hob_live::rpc::Reply;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::editor_session::{EditorSession, Event};
use super::link::{LinkKey, text_of};
use super::remembered::Remembered;
use super::shape::capabilities::offers_method;
use super::shape::encoding::Encoding;
use super::shape::results::{self, Context};
use super::shape::translate::{self, MessageDocuments};
use super::versions;

/// An editor as an observer of a server's connection.
pub(super) struct EditorObserver {
    pub(super) editor_session: Arc<EditorSession>,
    pub(super) key: LinkKey,
    pub(super) view: Arc<ProjectOverlay>,
    /// The server, which is started before it can be observed.
    pub(super) instance: Weak<Instance>,
    /// Registrations that the editor was told of: methods by the server's IDs.
    pub(super) registered: Mutex<BTreeMap<String, String>>,
    /// The data of diagnostics that this editor would lose.
    pub(super) remembered: Remembered,
}

/// Most registrations of one server that an editor is told of.
const MOST_REGISTERED: usize = 1_024;

/// The methods that hob serves for every editor itself, whatever a server registers for them.
const BY_HOB: &[&str] = &[
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWorkspaceFolders",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didSave",
];

impl Observer for EditorObserver {
    fn editor(&self) -> EditorId {
        self.editor_session.editor
    }

    fn answers(&self, method: &str) -> bool {
        self.editor_session.abilities_and_encoding().0.carries_out(method)
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        match method {
            "textDocument/publishDiagnostics" => self.diagnostics(params),
            "$/progress" if !self.editor_session.abilities_and_encoding().0.work_done_progress => {}
            _ => self.editor_session.notify(method, params),
        }
    }

    fn request(&self, method: &str, params: Option<&RawValue>, reply: Option<Reply>) {
        let abilities = &self.editor_session.abilities_and_encoding().0;
        match method {
            "client/registerCapability" => self.register_params(params),
            "client/unregisterCapability" => self.unregister_params(params),
            "workspace/applyEdit" => self.apply_edit(params, reply),
            "workspace/diagnostic/refresh" => {
                self.editor_session.post_event(Event::JudgeAll(self.key.clone()));
                if abilities.carries_out(method) {
                    self.editor_session.ask_editor(method, params, reply);
                }
            }
            _ if reply.is_none() && !abilities.carries_out(method) => {}
            _ => self.editor_session.ask_editor(method, params, reply),
        }
    }

    fn closed(&self, why: &str) {
        self.editor_session.post_event(Event::Gone(self.key.clone(), why.to_owned()));
    }
}

impl EditorObserver {
    fn diagnostics(&self, params: Option<&RawValue>) {
        let Some(raw) = params else { return };
        let Ok(mut params) = serde_json::from_str::<Value>(raw.get()) else { return };
        let doc = self.view.document_of_uri(params["uri"].as_str().unwrap_or_default());
        if self.adapt_version(&doc, &mut params)
            && let Ok(raw) = to_raw_value(&params)
        {
            self.editor_session.notify("textDocument/publishDiagnostics", Some(&raw));
        }
    }

    /// Sends the diagnostics of a document, which are about this version of the editor's.
    pub(super) fn publish_diagnostics(&self, uri: &str, version: i32, items: &[Value]) {
        let mut params = json!({"uri": uri, "version": version, "diagnostics": items});
        self.shape_params(&mut params);
        if let Ok(raw) = to_raw_value(&params) {
            self.editor_session.notify("textDocument/publishDiagnostics", Some(&raw));
        }
    }

    /// Replaces the server's version by the editor's. Returns false if the diagnostics are about a text that the editor
    /// does not have.
    fn adapt_version(&self, doc: &Doc, params: &mut Value) -> bool {
        if self.view.has_open(self.editor_session.editor, doc) {
            let version = params["version"].as_i64().and_then(|version| i32::try_from(version).ok());
            let instance = self.instance.upgrade();
            let theirs = version.zip(instance).map(|(version, instance)| {
                instance.editors_version(doc, version, self.editor_session.editor)
            });
            match theirs {
                Some(Some(version)) => params["version"] = version.into(),
                // The text is not the editor's, or is too old.
                Some(None) => return false,
                None if !self.view.is_in_step(self.editor_session.editor, doc) => return false,
                None => {}
            }
        } else if let Some(params) = params.as_object_mut() {
            params.remove("version");
        }
        self.shape_params(params);
        true
    }

    /// Converts diagnostics into the editor's form and columns.
    fn shape_params(&self, params: &mut Value) {
        let (abilities, encoding) = self.editor_session.abilities_and_encoding();
        if *encoding != Encoding::Utf16 {
            let uri = params["uri"].as_str().unwrap_or_default().to_owned();
            let texts = |uri: &str| text_of(&self.view, uri);
            let documents = MessageDocuments { asked: &uri, texts: &texts };
            *params = translate::to_editor(params.take(), *encoding, documents);
        }
        let method = "textDocument/publishDiagnostics";
        if !abilities.diagnostics.data {
            self.remembered.remember_data(params["uri"].as_str().unwrap_or_default(), &params["diagnostics"]);
        }
        if results::needs_shaping(method, abilities)
            && let Ok(shaped) =
                results::for_editor(method, params.take(), abilities, &Context { uri: "", text: None })
        {
            *params = shaped;
        }
    }

    /// Sends the editor again the diagnostics that the server last published for a document.
    pub(super) fn publish_diagnostics_again(&self, doc: &Doc) {
        let Some(instance) = self.instance.upgrade() else { return };
        let uri = self.view.uri(doc);
        let path = hob_live::uri::path_of(&uri);
        let Some(pushed) = path.and_then(|path| instance.session().diagnostics.last_of_file(&path)) else {
            return;
        };
        let mut params = json!({"uri": uri, "diagnostics": pushed.list});
        if let Some(version) = pushed.version {
            params["version"] = version.into();
        }
        if self.adapt_version(doc, &mut params)
            && let Ok(raw) = to_raw_value(&params)
        {
            self.editor_session.notify("textDocument/publishDiagnostics", Some(&raw));
        }
    }

    /// Returns true if the editor was told that the server answers this method as well.
    pub(super) fn has_registered(&self, method: &str) -> bool {
        self.lock_registered().values().any(|known| known == method)
    }

    fn register_params(&self, params: Option<&RawValue>) {
        let Some(Ok(mut params)) = params.map(|raw| serde_json::from_str::<Value>(raw.get())) else { return };
        let abilities = &self.editor_session.abilities_and_encoding().0;
        let Some(all) = params["registrations"].as_array_mut() else { return };
        all.retain(|one| {
            let method = one["method"].as_str().unwrap_or_default();
            // The editor already has it from `initialize`.
            let has_it = offers_method(self.editor_session.offered_capabilities(), method) == Some(true);
            !BY_HOB.contains(&method) && abilities.can_register(method) && !has_it
        });
        self.register_all(std::mem::take(all));
    }

    /// Registers with the editor.
    pub(super) fn register_all(&self, mut all: Vec<Value>) {
        let mut known = self.lock_registered();
        let mut new = known.len();
        all.retain(|one| {
            let is_known = one["id"].as_str().is_some_and(|id| known.contains_key(id));
            new += usize::from(!is_known);
            is_known || new <= MOST_REGISTERED
        });
        if new > MOST_REGISTERED {
            tracing::warn!(server = %self.key, "it registers more than an editor is told of");
        }
        for one in &mut all {
            let id = one["id"].as_str().unwrap_or_default().to_owned();
            one["id"] = self.own_id(&id).into();
            known.insert(id, one["method"].as_str().unwrap_or_default().to_owned());
        }
        if !all.is_empty() {
            self.ask_editor("client/registerCapability", &json!({"registrations": all}));
        }
    }

    fn unregister_params(&self, params: Option<&RawValue>) {
        let Some(Ok(params)) = params.map(|raw| serde_json::from_str::<Value>(raw.get())) else { return };
        let lists = ["unregisterations", "unregistrations"];
        let all = lists.iter().filter_map(|list| params[*list].as_array()).flatten();
        let mut known = self.lock_registered();
        let known_id = |one: &Value| one["id"].as_str().and_then(|id| known.remove_entry(id));
        let gone: Vec<(String, String)> = all.filter_map(known_id).collect();
        self.ask_to_unregister(gone);
    }

    /// Unregisters everything that the server had registered.
    pub(super) fn unregister_all(&self) {
        let gone = std::mem::take(&mut *self.lock_registered());
        self.ask_to_unregister(gone);
    }

    fn ask_to_unregister(&self, gone: impl IntoIterator<Item = (String, String)>) {
        let one = |(id, method): (String, String)| json!({"id": self.own_id(&id), "method": method});
        let gone: Vec<Value> = gone.into_iter().map(one).collect();
        if !gone.is_empty() {
            // The misspelling is the protocol's own.
            self.ask_editor("client/unregisterCapability", &json!({"unregisterations": gone}));
        }
    }

    /// Makes an ID unique among all servers: each server's IDs are unique only among its own.
    fn own_id(&self, id: &str) -> String {
        format!("{}:{id}", self.key.kind)
    }

    fn ask_editor(&self, method: &str, params: &Value) {
        if let Ok(raw) = to_raw_value(params) {
            self.editor_session.ask_editor(method, Some(&raw), None);
        }
    }

    fn apply_edit(&self, params: Option<&RawValue>, reply: Option<Reply>) {
        let (abilities, encoding) = self.editor_session.abilities_and_encoding();
        let method = "workspace/applyEdit";
        let mut params: Value =
            params.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or(Value::Null);
        if let Some(instance) = self.instance.upgrade() {
            versions::to_editor_versions(&mut params, &self.view, &instance, self.editor_session.editor);
        }
        let texts = |uri: &str| text_of(&self.view, uri);
        match results::for_editor(method, params, abilities, &Context { uri: "", text: None }) {
            Ok(params) => {
                let params =
                    translate::to_editor(params, *encoding, MessageDocuments { asked: "", texts: &texts });
                if let Ok(raw) = to_raw_value(&params) {
                    self.editor_session.ask_editor(method, Some(&raw), reply);
                }
            }
            Err(why) => {
                if let Some(reply) = reply {
                    reply.send(&Ok(json!({"applied": false, "failureReason": why.to_string()})));
                }
            }
        }
    }

    fn lock_registered(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        // Each entry is inserted or removed at once.
        self.registered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
