//! Handles an editor's notifications (documents, folders, cancelled requests), and forwards those of servers and of the
//! overlay to it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline};
use hob_live::documents::Doc;
use hob_live::instance::Instance;
use hob_live::live::LiveError;
use hob_live::multiplexer::Observer;
use hob_live::overlay::Notice;
use hob_live::rpc::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::ServedEditor;
use super::begin::{kind_of, name_for, path_of};
use super::documents::{DidChange, DocumentPlace, EditorDocument, too_much};
use super::editor_session::{Event, MessageKind};
use super::link::{LinkKey, ServerLink};
use super::observer::EditorObserver;
use super::remembered::Remembered;
use super::request::EditorRequest;

/// Longest time that a server may take to start.
const STARTS_WITHIN: Duration = Duration::from_secs(120);

/// Time after a failed start, before the server is tried again.
const TRIED_AGAIN_AFTER: Duration = Duration::from_secs(10);

/// Size in bytes below which a change is accepted without a check of the limits.
const LONG_CHANGE: usize = 4 << 10;

/// The reason with which a server is ended on purpose; see [`Instance::stop`].
const ON_PURPOSE: &str = "it was stopped";

#[derive(Deserialize)]
struct DidOpen {
    #[serde(rename = "textDocument")]
    document: OpenedDocument,
}

#[derive(Deserialize)]
struct OpenedDocument {
    uri: String,
    #[serde(default, rename = "languageId")]
    language: String,
    #[serde(default)]
    version: i32,
    text: String,
}

#[derive(Deserialize)]
struct NamedDocument {
    #[serde(rename = "textDocument")]
    document: Uri,
}

#[derive(Deserialize)]
struct Uri {
    uri: String,
}

#[derive(Deserialize)]
struct Cancel {
    id: RequestId,
}

impl ServedEditor {
    /// Handles a notification.
    pub(super) fn handle_notification(&mut self, method: &str, params: Option<&RawValue>) {
        let text = params.map_or("null", RawValue::get);
        let taken = match method {
            "textDocument/didOpen" => serde_json::from_str(text).map(|did| self.handle_open(did)),
            "textDocument/didChange" => serde_json::from_str(text).map(|did| self.handle_change(&did)),
            "textDocument/didClose" => serde_json::from_str(text).map(|did| self.handle_close(&did)),
            "textDocument/didSave" => serde_json::from_str(text).map(|did| self.handle_save(&did)),
            "$/cancelRequest" => {
                serde_json::from_str(text).map(|Cancel { id }| self.editor_session.cancel(&id))
            }
            "workspace/didChangeWorkspaceFolders" => {
                serde_json::from_str(text).map(|params: Value| self.folders_changed(&params["event"]))
            }
            "window/workDoneProgress/cancel" => {
                serde_json::from_str(text).map(|params| self.stop_progress(&params))
            }
            // hob watches files itself and has its own settings, and nothing depends on the level of tracing.
            "initialized" => {
                self.attach_begun_servers();
                Ok(())
            }
            "exit"
            | "$/setTrace"
            | "workspace/didChangeConfiguration"
            | "workspace/didChangeWatchedFiles" => Ok(()),
            _ => {
                self.pass_on(method, params);
                Ok(())
            }
        };
        if let Err(error) = taken {
            tracing::warn!(method, %error, "an editor tells something that makes no sense");
        }
    }

    fn handle_open(&mut self, DidOpen { document }: DidOpen) {
        let OpenedDocument { uri, language, version, text } = document;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let Some(place) = self.document_place(&uri, &language) else {
            tracing::debug!(uri, "a document that belongs to no project");
            return;
        };
        // If a document is opened twice, the later text counts.
        self.close(&uri);
        if let Some(why) = too_much(&self.documents, text.len()) {
            let message = format!("hob: {uri} is not followed, because {why}; close some and reopen it");
            return self.editor_session.show_message(MessageKind::Warning, &message);
        }
        let document = EditorDocument::new(language, version, text, place);
        document.view.open(
            self.editor_session.editor,
            &document.doc,
            &document.language,
            document.whole_edit(),
        );
        let link = document.link.clone();
        self.documents.insert(uri.clone(), document);
        if let Some(key) = link {
            self.last = Some(key.clone());
            self.need_server(&key);
            // Another editor may have it open, and the server does not repeat its earlier diagnostics.
            if let (Some(observer), Some(document)) = (self.observers.get(&key), self.documents.get(&uri)) {
                observer.publish_diagnostics_again(&document.doc);
            }
        }
        self.judge_soon(&uri);
    }

    fn handle_change(&mut self, did: &DidChange<'_>) {
        let encoding = self.editor_session.abilities_and_encoding().1;
        let uri = &did.document.uri;
        let more = did.changed_bytes();
        let over = (more > LONG_CHANGE).then(|| too_much(&self.documents, more)).flatten();
        let Some(document) = self.documents.get_mut(uri) else { return };
        let was_in_step = document.view.is_in_step(self.editor_session.editor, &document.doc);
        match document.apply_changes(did, encoding).and_then(|edit| match over {
            Some(why) => Err(why),
            None => Ok(edit),
        }) {
            Ok(edit) => document.view.change_document(self.editor_session.editor, &document.doc, edit),
            Err(why) => {
                // The editor's text is not known any more, so the disk's counts.
                let message = format!("hob: a change of {uri} makes no sense ({why}); reopen it");
                self.editor_session.show_message(MessageKind::Warning, &message);
                return self.close(&uri.clone());
            }
        }
        if let Some((changes, open)) = document.checkpoint_if_due(uri) {
            self.editor_session.keep_checkpoint(uri.clone(), changes, &open);
        }
        let (link, doc) = (document.link.clone(), document.doc.clone());
        let is_back = !was_in_step && document.view.is_in_step(self.editor_session.editor, &doc);
        self.judge_soon(uri);
        if let Some(key) = link {
            self.need_server(&key);
            // Diagnostics of the present text were kept from the editor until now.
            if let Some(observer) = self.observers.get(&key).filter(|_| is_back) {
                observer.publish_diagnostics_again(&doc);
            }
        }
    }

    fn handle_close(&mut self, did: &NamedDocument) {
        self.close(&did.document.uri);
    }

    fn close(&mut self, uri: &str) {
        if let Some(document) = self.documents.remove(uri) {
            document.view.close(self.editor_session.editor, &document.doc);
        }
    }

    fn handle_save(&mut self, did: &NamedDocument) {
        if let Some(document) = self.documents.get(&did.document.uri) {
            document.view.note_saved(self.editor_session.editor, &document.doc);
        }
        // Diagnostics of other documents may depend on this file.
        let open: Vec<String> = self.documents.keys().cloned().collect();
        open.iter().for_each(|uri| self.judge_soon(uri));
    }

    fn folders_changed(&mut self, event: &Value) {
        let paths = |list: &Value| -> Vec<AbsPath> {
            list.as_array().into_iter().flatten().filter_map(|folder| path_of(&folder["uri"])).collect()
        };
        let removed = paths(&event["removed"]);
        self.folders.retain(|folder| !removed.contains(folder));
        for added in paths(&event["added"]) {
            // The folder is indexed before the first question about it.
            let _ = self.host.workspace(&added);
            self.folders.push(added);
        }
    }

    fn stop_progress(&mut self, params: &Value) {
        for (key, link) in &self.links {
            let ServerLink::Up(instance) = link else { continue };
            if let Some(token) = instance.session().multiplexer.servers_token(&params["token"]) {
                tracing::debug!(%key, "an editor stops what a server is doing");
                let _ = instance.notify("window/workDoneProgress/cancel", &json!({"token": token}));
            }
        }
    }

    /// Forwards a notification that hob does not know: to the server of its document, or to the server that was used
    /// last.
    fn pass_on(&mut self, method: &str, params: Option<&RawValue>) {
        let named: Option<NamedDocument> = params.and_then(|params| serde_json::from_str(params.get()).ok());
        let document = named.and_then(|named| self.documents.get(&named.document.uri));
        let key = document.map_or(self.last.clone(), |document| document.link.clone());
        if let Some(ServerLink::Up(instance)) = key.and_then(|key| self.links.get(&key)) {
            // The server has ended; the next one will be told of the document again.
            let _ = instance.forward_notification(method, params);
        }
    }

    /// Returns the project and the server of a document; `None` if hob knows none for it.
    pub(super) fn document_place(&mut self, uri: &str, language: &str) -> Option<DocumentPlace> {
        let path = path_of(&Value::from(uri));
        let name =
            path.as_ref().and_then(|path| path.as_path().file_name()).map(|name| name.to_string_lossy());
        let kind = name.and_then(|name| kind_of(&name)).or_else(|| kind_of(&name_for(language)?));
        let root = match path.as_ref().and_then(|path| self.root_of(path)) {
            Some(root) => root,
            // A library's source, or a text without a file, belongs to the project that the editor worked on last.
            None => self.last.as_ref().map(|key| key.root.clone()).or_else(|| {
                let folder = self.folders.first()?.clone();
                Some(self.host.workspace(&folder).ok()?.root().clone())
            })?,
        };
        let view = self.join_view(&root);
        let link = kind.map(|kind| LinkKey { root: root.clone(), kind });
        Some(DocumentPlace { doc: view.document_of_uri(uri), view, root, link })
    }

    /// Returns the project of a file: one that the editor works in, or, if it works in none, the file's own.
    fn root_of(&self, path: &AbsPath) -> Option<AbsPath> {
        let folder = || AbsPath::new(path.as_path().parent()?).ok();
        let inside =
            self.folders.is_empty() || self.folders.iter().any(|folder| path.relative_to(folder).is_ok());
        let start = inside.then(folder).flatten()?;
        Some(self.host.workspace(&start).ok()?.root().clone())
    }

    /// Begins to start a server for a link, unless it has one.
    pub(super) fn need_server(&mut self, key: &LinkKey) {
        let is_wanted = match self.links.get(key) {
            None | Some(ServerLink::Ended) => true,
            // The server may have been installed, or the project trusted, meanwhile.
            Some(ServerLink::Failed(at)) => at.elapsed() > TRIED_AGAIN_AFTER,
            Some(ServerLink::Starting(_) | ServerLink::Up(_)) => false,
        };
        if is_wanted {
            self.start(key, VecDeque::new());
        }
    }

    pub(super) fn start(&mut self, key: &LinkKey, queue: VecDeque<EditorRequest>) {
        let (editor_session, host, of) =
            (Arc::clone(&self.editor_session), Arc::clone(&self.host), key.clone());
        let start = move || {
            let cancel = CancelToken::new(Deadline::after(STARTS_WITHIN));
            let outcome = match host.workspace(&of.root) {
                Ok(workspace) => {
                    let name = hob_live::catalogue::by_name(of.kind)
                        .and_then(|spec| spec.files.first())
                        .map_or_else(String::new, |(ending, _)| format!("x.{ending}"));
                    host.live().running_instance(&workspace.project(), &name, &cancel)
                }
                Err(error) => {
                    tracing::debug!(%error, "the project of an editor cannot be opened");
                    Err(LiveError::NoSuchLanguage { file: of.root.to_string() })
                }
            };
            editor_session.post_event(Event::Started(of, outcome));
        };
        match thread::Builder::new().name("hob-editor-start".to_owned()).spawn(start) {
            Ok(_) => drop(self.links.insert(key.clone(), ServerLink::Starting(queue))),
            Err(error) => tracing::warn!(%error, "no thread to start a language server on"),
        }
    }

    pub(super) fn server_started(&mut self, key: LinkKey, outcome: Result<Arc<Instance>, LiveError>) {
        let before = self.links.remove(&key);
        let queue = match before {
            Some(ServerLink::Starting(queue)) => queue,
            _ => VecDeque::new(),
        };
        match outcome {
            Ok(instance) => {
                self.told.remove(&key);
                self.attach_server(&key, instance);
            }
            Err(error) => {
                let message = format!(
                    "hob: {error}. Definitions, references, symbols and hovers come from hob's map; `hob servers` says what to do."
                );
                if self.told.insert(key.clone()) {
                    self.editor_session.show_message(MessageKind::Info, &message);
                }
                self.links.insert(key, ServerLink::Failed(Instant::now()));
            }
        }
        queue.into_iter().for_each(|request| self.route_request(request));
    }

    pub(super) fn attach_server(&mut self, key: &LinkKey, instance: Arc<Instance>) {
        let observer = Arc::new(EditorObserver {
            editor_session: Arc::clone(&self.editor_session),
            key: key.clone(),
            view: self.join_view(&key.root),
            instance: Arc::downgrade(&instance),
            registered: Mutex::default(),
            remembered: Remembered::default(),
        });
        instance
            .session()
            .multiplexer
            .attach_editor(Arc::<EditorObserver>::clone(&observer) as Arc<dyn Observer>);
        // The server does not repeat its earlier diagnostics.
        for document in self.documents.values().filter(|document| document.link.as_ref() == Some(key)) {
            observer.publish_diagnostics_again(&document.doc);
        }
        // The server may have ended before the observer was attached.
        if let Some(why) = instance.reason_gone() {
            self.editor_session.post_event(Event::Gone(key.clone(), why));
        }
        self.offer_late(&observer, &instance);
        self.host.live().used_by(instance.spec().name, &key.root, &self.client.caller);
        self.observers.insert(key.clone(), observer);
        self.links.insert(key.clone(), ServerLink::Up(instance));
        self.judge_all_soon(key);
    }

    pub(super) fn server_gone(&mut self, key: &LinkKey, why: &str) {
        let is_this =
            |link: &ServerLink| matches!(link, ServerLink::Up(instance) if instance.reason_gone().is_some());
        if !self.links.get(key).is_some_and(is_this) {
            return;
        }
        if let Some(observer) = self.observers.remove(key) {
            observer.unregister_all();
        }
        self.links.insert(key.clone(), ServerLink::Ended);
        let is_open = self.documents.values().any(|document| document.link.as_ref() == Some(key));
        if is_open && why != ON_PURPOSE {
            self.start(key, VecDeque::new());
        }
    }

    pub(super) fn handle_notice(&mut self, root: &AbsPath, notice: Notice) {
        let name = |doc: &Doc| match doc {
            Doc::Inside(path) => path.to_string(),
            Doc::Outside(uri) => uri.clone(),
        };
        match notice {
            Notice::OutOfStep(doc, owner) => {
                let message = format!(
                    "{} has unsaved changes in {owner} as well. Until they are saved or gone, the language server does not see yours.",
                    name(&doc)
                );
                self.editor_session.show_message(MessageKind::Warning, &message);
            }
            Notice::Counts(doc) => {
                let message = format!("The language server sees your changes of {} now.", name(&doc));
                self.editor_session.show_message(MessageKind::Info, &message);
                self.resend_diagnostics(root, &doc);
            }
            Notice::Renewed(doc) => self.resend_diagnostics(root, &doc),
        }
    }

    /// Sends the known diagnostics of a document, if they are about the editor's present text.
    fn resend_diagnostics(&self, root: &AbsPath, doc: &Doc) {
        for (key, observer) in &self.observers {
            if key.root == *root {
                observer.publish_diagnostics_again(doc);
            }
        }
    }
}
