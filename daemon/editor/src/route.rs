//! Routes a request of an editor to the server that answers it, or to the map.
//!
//! A request goes to the server of the document that it names; a request about an earlier answer goes to the server
//! that gave it. The map answers if no server does: none is known, none can be had, or the server is starting, is
//! loading and has found nothing yet, or holds its answer back. A request about a text that is not the one that servers
//! have is refused quietly, because every position in it would be a guess.
//!
//! A request whose server ends is sent to the next one, and a request that the map cannot answer while a server starts
//! waits for the server; both for a bounded time, after which the map's answer counts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Deadline, WsPath};
use hob_live::documents::Doc;
use hob_live::instance::Instance;
use hob_live::ready::Readiness;
use hob_live::rpc::{RequestId, ResponseError, codes};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::asked::PendingRequest;
use super::documents::EditorDocument;
use super::editor_session::{Event, MessageKind, PromisedAnswer, Worker};
use super::link::{LinkKey, MOST_QUEUED, ServerLink, text_of};
use super::request::EditorRequest;
use super::shape::capabilities::{offers_command, offers_method};
use super::shape::encoding::Encoding;
use super::shape::results::Context;
use super::shape::translate::{self, MessageDocuments};
use super::{HeldAction, ServedEditor, fallback};
use hob_host::{Phase, Workspace};

/// Longest time for which a loading server may hold back an answer that the map has too.
const HELD_FOR: Duration = Duration::from_millis(1_500);

/// Longest time for an answer of the map.
const MAP_PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait for a first index: small projects are done by then, and for large ones a partial answer is better than
/// none.
const INDEXED_WITHIN: Duration = Duration::from_millis(1_500);

/// Interval at which the wait checks whether the first index is done.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Longest time for the symbols of a project from servers, which the map has at once.
const SYMBOLS_WITHIN: Duration = Duration::from_secs(5);

/// Time until a loading server gets a request again whose former server has ended.
const AGAIN_AFTER: Duration = Duration::from_millis(250);

/// The fields of a request's parameters that tell its server, whatever its method.
#[derive(Deserialize, Default)]
struct RoutingFields {
    #[serde(default, rename = "textDocument")]
    document: Option<PeekedDocument>,
    #[serde(default)]
    item: Option<PeekedDocument>,
    #[serde(default)]
    uri: Option<String>,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    files: Option<Vec<Renamed>>,
}

#[derive(Deserialize)]
struct PeekedDocument {
    #[serde(default)]
    uri: Option<String>,
}

#[derive(Deserialize)]
struct Renamed {
    #[serde(default, rename = "oldUri")]
    old: Option<String>,
    #[serde(default)]
    uri: Option<String>,
}

impl RoutingFields {
    fn from_params(params: Option<&RawValue>) -> Self {
        // Fields of other types belong to some extension.
        params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default()
    }

    fn uri(&self) -> Option<&str> {
        let file =
            || self.files.as_ref()?.first().and_then(|file| file.old.as_deref().or(file.uri.as_deref()));
        let named = self.document.as_ref().or(self.item.as_ref()).and_then(|named| named.uri.as_deref());
        named.or(self.uri.as_deref()).or_else(file)
    }
}

impl ServedEditor {
    /// Routes a request.
    pub(super) fn route_request(&mut self, request: EditorRequest) {
        if !self.editor_session.is_waiting(&request.id) {
            return;
        }
        match request.method.as_str() {
            "workspace/symbol" => return self.symbols(request),
            method if super::own::is_own(method) => return self.run_own_tool(request),
            // No server has methods of this name.
            method if method.starts_with("hob/") => return self.refuse_unknown(&request),
            _ => {}
        }
        let peek = RoutingFields::from_params(request.params.as_deref());
        let document = peek.uri().and_then(|uri| self.documents.get(uri));
        if document.is_some() {
            // A request about an earlier answer does not always name its document.
            self.last_uri = peek.uri().unwrap_or_default().to_owned();
        }
        let key = match (document, &peek.command) {
            (Some(document), _) => document.link.clone(),
            (None, Some(command)) => self.who_offers(command),
            (None, None) => self.link_of(peek.uri()),
        };
        let document = peek.uri().and_then(|uri| self.documents.get(uri));
        let out_of_step = document
            .is_some_and(|document| !document.view.is_in_step(self.editor_session.editor, &document.doc));
        if out_of_step {
            // The map is of the disk; where the editor's text is the same, the map fits better than the servers' text.
            return match fallback::has_answer(&request.method) && document.is_some_and(is_as_on_disk) {
                true => self.ask_map(request),
                false => self.editor_session.refuse_out_of_step(&request.id),
            };
        }
        let Some(key) = key else { return self.without_server(request) };
        self.last = Some(key.clone());
        self.need_server(&key);
        match self.links.get_mut(&key) {
            Some(ServerLink::Up(instance)) => {
                let instance = Arc::clone(instance);
                self.ask_server(&key, &instance, request);
            }
            Some(ServerLink::Starting(queue))
                if request.is_waiting_for_server() && queue.len() < MOST_QUEUED =>
            {
                queue.push_back(request.clone());
                self.held.push((request.waits_until(), HeldAction::Map, request));
            }
            Some(ServerLink::Starting(_)) if fallback::has_answer(&request.method) => {
                self.ask_map_first(request);
            }
            Some(ServerLink::Starting(queue)) if queue.len() < MOST_QUEUED => queue.push_back(request),
            _ => self.without_server(request),
        }
    }

    /// Returns the link of a document that is not open; the most recently used one if the document has none.
    fn link_of(&mut self, uri: Option<&str>) -> Option<LinkKey> {
        let place = uri.and_then(|uri| self.document_place(uri, ""));
        place.and_then(|place| place.link).or_else(|| self.last.clone())
    }

    /// Returns the link to the server that has a command.
    fn who_offers(&self, command: &str) -> Option<LinkKey> {
        let has = |instance: &Instance| {
            let registered = instance.session().multiplexer.registrations_of("workspace/executeCommand");
            let lists = registered.iter().filter_map(|it| it["registerOptions"]["commands"].as_array());
            offers_command(instance.capabilities(), command) || lists.flatten().any(|known| known == command)
        };
        let up = self.links.iter().filter_map(|(key, link)| match link {
            ServerLink::Up(instance) => Some((key, instance)),
            _ => None,
        });
        let found = up.clone().find(|(_, instance)| has(instance)).map(|(key, _)| key.clone());
        found.or_else(|| self.last.clone())
    }

    fn without_server(&mut self, request: EditorRequest) {
        if fallback::has_answer(&request.method) {
            return self.ask_map(request);
        }
        if request.lost {
            let words =
                "the language server has ended, and the next one is not there yet; ask again in a moment";
            return self
                .editor_session
                .refuse_request(&request.id, &ResponseError::new(codes::REQUEST_FAILED, words));
        }
        match self.was_offered(&request.method) {
            // The method was offered for another language, or by a server that has ended.
            true => self.editor_session.answer_raw(&request.id, "null"),
            false => self.refuse_unknown(&request),
        }
    }

    /// Returns true if the editor was offered this method, at `initialize` or later.
    fn was_offered(&self, method: &str) -> bool {
        let registered = || self.observers.values().any(|observer| observer.has_registered(method));
        offers_method(self.editor_session.offered_capabilities(), method) == Some(true) || registered()
    }

    /// Handles a server that runs but serves nothing of the project: its requests are answered as if there were no
    /// server.
    pub(super) fn without_project(&mut self, key: LinkKey, why: &str, request: EditorRequest) {
        let message = format!(
            "hob: {} serves nothing of {} ({}). Definitions, references, symbols and hovers come from hob's map; `hob servers` says what \
             it needs.",
            key.kind,
            key.root,
            why.trim()
        );
        if self.told.insert(key) {
            self.editor_session.show_message(MessageKind::Info, &message);
        }
        self.without_server(request);
    }

    fn refuse_unknown(&self, request: &EditorRequest) {
        let words = format!("neither hob nor a language server for this knows `{}`", request.method);
        self.editor_session.refuse_request(&request.id, &ResponseError::new(codes::METHOD_NOT_FOUND, words));
    }

    /// Sends a request to a server that has the capability, and sets the time after which the map answers instead.
    fn ask_server(&mut self, key: &LinkKey, instance: &Arc<Instance>, request: EditorRequest) {
        let offered = offers_method(instance.capabilities(), &request.method).unwrap_or(true);
        if !offered && !instance.session().has_registered(&request.method) {
            return self.without_server(request);
        }
        let is_ready = matches!(instance.readiness(), Readiness::Ready | Readiness::Impaired(_));
        let from_map = !is_ready && fallback::has_answer(&request.method);
        if from_map {
            let due = if request.is_waiting_for_server() {
                request.waits_until()
            } else {
                Instant::now() + HELD_FOR
            };
            self.held.push((due, HeldAction::Map, request.clone()));
        }
        let editor = self.editor_session.editor;
        let multiplexer = &instance.session().multiplexer;
        let is_command = request.method == "workspace/executeCommand";
        multiplexer.note_activity(editor, is_command);
        let params = self.for_server(key, &request);
        let (params, tokens) =
            match params.as_deref().and_then(|params| multiplexer.with_own_tokens(editor, params)) {
                Some((params, tokens)) => (Some(params.into()), tokens),
                None => (params, Vec::new()),
            };
        let asked = PendingRequest {
            editor_session: Arc::clone(&self.editor_session),
            instance: Arc::downgrade(instance),
            key: key.clone(),
            uri: self.last_uri.clone(),
            request: request.clone(),
            tokens,
            from_map,
            is_command,
            view: self.join_view(&key.root),
        };
        let on_outcome = Box::new(move |outcome| asked.handle_outcome(outcome));
        match instance.forward_request(&request.method, params.as_deref(), on_outcome) {
            Ok(number) => {
                self.editor_session.set_worker(&request.id, Worker::Server(Arc::downgrade(instance), number));
            }
            Err(_) => self.ask_next(key, request),
        }
    }

    /// Lets the next server answer: this one has just ended, which its link is about to notice.
    fn ask_next(&mut self, key: &LinkKey, request: EditorRequest) {
        self.server_gone(key, "its connection is closed");
        match self.links.get(key) {
            Some(ServerLink::Up(_)) => self.without_server(request),
            _ => self.route_request(request.as_lost()),
        }
    }

    /// Converts the parameters for a server: its columns, and its URI of the document.
    fn for_server(&self, key: &LinkKey, request: &EditorRequest) -> Option<Arc<RawValue>> {
        let encoding = self.editor_session.abilities_and_encoding().1;
        let params = request.params.clone()?;
        let peek = RoutingFields::from_params(Some(&params));
        let known = peek.uri().and_then(|uri| {
            let document = self.documents.get(uri)?;
            Some((uri, document.view.uri(&document.doc)))
        });
        let is_renamed = known.as_ref().is_some_and(|(theirs, ours)| theirs != ours);
        let remembered = (request.method == "textDocument/codeAction")
            .then(|| self.observers.get(key))
            .flatten()
            .filter(|_| !self.editor_session.abilities_and_encoding().0.diagnostics.data);
        if encoding == Encoding::Utf16 && !is_renamed && remembered.is_none() {
            return Some(params);
        }
        let mut value: Value = serde_json::from_str(params.get()).ok()?;
        if let Some((observer, diagnostics)) = remembered.zip(value.pointer_mut("/context/diagnostics")) {
            observer.remembered.put_back(peek.uri().unwrap_or_default(), diagnostics);
        }
        if encoding != Encoding::Utf16 {
            let texts = |uri: &str| self.documents.get(uri).map(|document| Arc::clone(&document.text));
            let documents = MessageDocuments { asked: &self.last_uri, texts: &texts };
            value = translate::to_server(value, encoding, documents);
        }
        if let Some((_, ours)) = known.filter(|_| is_renamed) {
            for field in ["textDocument", "item"] {
                if value[field]["uri"].is_string() {
                    value[field]["uri"] = ours.clone().into();
                }
            }
        }
        to_raw_value(&value).ok().map(Arc::from)
    }

    /// Answers from the map, on a thread of its own.
    pub(super) fn ask_map(&mut self, request: EditorRequest) {
        self.ask_map_or(request, false);
    }

    /// Answers from the map while a server starts, and waits for the server if the map has nothing.
    fn ask_map_first(&mut self, request: EditorRequest) {
        let may_wait = request.until.is_none();
        self.ask_map_or(request, may_wait);
    }

    fn ask_map_or(&mut self, request: EditorRequest, may_wait: bool) {
        if !self.editor_session.is_waiting(&request.id) {
            return;
        }
        let mut params = request.value();
        let peek = RoutingFields::from_params(request.params.as_deref());
        let uri = peek.uri().unwrap_or_default().to_owned();
        let document = self.documents.get(&uri);
        let root = document.map(|document| document.root.clone()).or_else(|| self.any_root());
        let Some(root) = root else { return self.editor_session.answer_raw(&request.id, "null") };
        let path = document.and_then(|document| path_in(&document.doc));
        let text = document.map(|document| Arc::clone(&document.text));
        let encoding = self.editor_session.abilities_and_encoding().1;
        if encoding != Encoding::Utf16 {
            let texts = |_: &str| text.clone();
            params = translate::to_server(params, encoding, MessageDocuments { asked: &uri, texts: &texts });
        }
        let id = request.id.clone();
        let work = move |workspace: &Arc<Workspace>, cancel: &CancelToken| {
            let text = text.as_deref();
            let question =
                fallback::MapQuestion { workspace, path: path.as_ref(), text, params: &params, cancel };
            let answer = fallback::answer_from_map(&request.method, &question).unwrap_or(Value::Null);
            let next = (may_wait && is_nothing(&answer)).then(|| Event::Again(request.as_waiting()));
            (request, answer, next)
        };
        self.answer_aside(&root, id, work);
    }

    /// Runs `work` on a thread of its own, with the project open and its first index awaited. Shapes the answer for the
    /// editor, unless `work` returns an event to post instead.
    fn answer_aside(
        &self,
        root: &hob_base::AbsPath,
        id: RequestId,
        work: impl FnOnce(&Arc<Workspace>, &CancelToken) -> (EditorRequest, Value, Option<Event>) + Send + 'static,
    ) {
        let (host, editor_session, root) =
            (Arc::clone(&self.host), Arc::clone(&self.editor_session), root.clone());
        let view = self.host.live().pool().overlay_of(&root);
        let cancel = CancelToken::new(Deadline::after(MAP_PATIENCE));
        let promise = PromisedAnswer::new(Arc::clone(&editor_session), id.clone());
        let run = move || {
            let Ok(workspace) = host.workspace(&root) else { return };
            let until = Instant::now() + INDEXED_WITHIN;
            while workspace.progress.now().phase != Phase::Done && Instant::now() < until {
                std::thread::sleep(LOOK_EVERY);
            }
            let (request, answer, next) = work(&workspace, &cancel);
            if let Some(next) = next {
                promise.pass_on();
                return editor_session.post_event(next);
            }
            let uri =
                RoutingFields::from_params(request.params.as_deref()).uri().unwrap_or_default().to_owned();
            let texts = |uri: &str| text_of(&view, uri);
            editor_session.answer_shaped(&request, answer, &Context { uri: &uri, text: None }, &texts);
        };
        self.editor_session.work_aside("hob-editor-map", &id, run);
    }

    pub(super) fn any_root(&self) -> Option<hob_base::AbsPath> {
        let last = self.last.as_ref().map(|key| key.root.clone());
        last.or_else(|| Some(self.host.workspace(self.folders.first()?).ok()?.root().clone()))
    }

    /// Answers with the symbols of the project: the map's at once, and those of every server that has them in time.
    fn symbols(&mut self, request: EditorRequest) {
        let Some(root) = self.any_root() else { return self.editor_session.answer_raw(&request.id, "[]") };
        let up = |link: &ServerLink| match link {
            ServerLink::Up(instance)
                if instance.has_capability("workspaceSymbolProvider", "workspace/symbol") =>
            {
                Some(Arc::clone(instance))
            }
            _ => None,
        };
        let servers: Vec<Arc<Instance>> = self.links.values().filter_map(up).collect();
        let token = CancelToken::new(Deadline::after(SYMBOLS_WITHIN));
        self.editor_session.set_worker(&request.id, Worker::Thread(token.clone()));
        let id = request.id.clone();
        self.answer_aside(&root, id, move |workspace, cancel| {
            let params = request.value();
            let question =
                fallback::MapQuestion { workspace, path: None, text: None, params: &params, cancel };
            let mut all = fallback::answer_from_map(&request.method, &question).unwrap_or(Value::Null);
            for server in servers {
                if let Ok(found) = server.request_value("workspace/symbol", &params, &token) {
                    all = fallback::merge_symbols(&found, all);
                }
            }
            (request, all, None)
        });
    }

    /// Answers held requests from the map when their time is over.
    pub(super) fn answer_what_is_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let now = Instant::now();
        let editor_session = Arc::clone(&self.editor_session);
        self.held.retain(|(.., request)| editor_session.is_waiting(&request.id));
        let due: Vec<_> = self.held.extract_if(.., |(until, ..)| *until <= now).collect();
        for (_, due, request) in due {
            match due {
                HeldAction::Again => self.route_request(request),
                HeldAction::Map if fallback::has_answer(&request.method) => self.ask_map(request),
                // A server works on it, and the map has no answer.
                HeldAction::Map if !self.editor_session.is_unattended(&request.id) => {}
                HeldAction::Map => self.without_server(request),
            }
        }
    }

    /// Sends a request again later, because a loading server had no answer.
    pub(super) fn ask_later(&mut self, request: EditorRequest) {
        self.held.push((Instant::now() + AGAIN_AFTER, HeldAction::Again, request));
    }
}

/// Returns the path of a file of the project.
fn path_in(doc: &Doc) -> Option<WsPath> {
    match doc {
        Doc::Inside(path) => Some(path.clone()),
        Doc::Outside(_) => None,
    }
}

/// Returns true if an answer is empty: `null` or an empty list.
pub(super) fn is_nothing(answer: &Value) -> bool {
    answer.is_null() || answer.as_array().is_some_and(Vec::is_empty)
}

fn is_as_on_disk(document: &EditorDocument) -> bool {
    document.view.is_as_on_disk(&document.doc, &document.text)
}
