//! Holds the shared state of one editor session: the way to send messages to the editor, and the requests that wait for
//! an answer on either side.
//!
//! Threads that read from servers answer the editor themselves, so nothing here waits. A request is in `waiting` from
//! its arrival until its answer, and only the thread that takes it out answers it: therefore each is answered exactly
//! once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, lock};
use hob_live::documents::EditorId;
use hob_live::instance::Instance;
use hob_live::live::LiveError;
use hob_live::overlay::Notice;
use hob_live::rpc::{Reply, RequestId, ResponseError, codes};
use hob_proto::ServerMessage;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::link::LinkKey;
use super::request::EditorRequest;
use super::shape::abilities::Abilities;
use super::shape::encoding::Encoding;
use super::shape::results::{self, Context};
use super::shape::translate::{self, MessageDocuments};
use hob_calls::HeldUntilDone;

/// Looks up a document's text as servers have it, by URI.
pub(super) type Texts<'t> = &'t dyn Fn(&str) -> Option<Arc<str>>;

/// The message that refuses a request whose text is not the one that the server has; editors do not show it.
const OUT_OF_STEP: &str = "another text of this document counts at the moment";

/// Most unanswered requests of one editor; further ones are refused.
const MOST_WAITING: usize = 4_096;

/// Most requests of one editor that have a thread of their own; further ones are refused.
const MOST_ASIDE: usize = 64;

/// Most requests of servers that one editor has not answered yet; further ones are refused in its name.
const MOST_ASKED: usize = 1_024;

/// An event that the editor's thread has to handle.
#[derive(Debug)]
pub(super) enum Event {
    /// The editor has sent a message; `HeldUntilDone` is dropped when it has been handled.
    Said(String, HeldUntilDone),
    /// A server has started, or failed to start.
    Started(LinkKey, Result<Arc<Instance>, LiveError>),
    /// A server has ended.
    Gone(LinkKey, String),
    /// A request is to be sent again.
    Again(EditorRequest),
    /// A request is to be sent again, in a moment.
    Later(EditorRequest),
    /// The map is to answer a request.
    FromMap(EditorRequest),
    /// A server has reported, in these words, that it serves nothing of a request's project.
    NoProject(LinkKey, String, EditorRequest),
    /// A document's diagnostics are to be pulled after a while.
    Judge(String, Duration),
    /// The diagnostics of all documents of a server are to be pulled.
    JudgeAll(LinkKey),
    /// A project's overlay has news.
    Notice(AbsPath, Notice),
    /// The editor is gone.
    End,
}

/// The server or thread that works on a request.
#[derive(Debug)]
pub(super) enum Worker {
    /// No server or thread works on the request yet.
    Nobody,
    /// A server works on it, under this number.
    Server(Weak<Instance>, i64),
    /// A thread of hob works on it.
    Thread(CancelToken),
}

/// A thread that works on a request; it is counted from before its start until its end.
struct CountedThread(Arc<EditorSession>);

impl Drop for CountedThread {
    fn drop(&mut self) {
        self.0.aside.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The shared state of one editor's session; see the header of the module.
pub(super) struct EditorSession {
    pub(super) editor: EditorId,
    send: Arc<dyn Fn(ServerMessage) + Send + Sync>,
    events: Sender<Event>,
    waiting: Mutex<HashMap<RequestId, Worker>>,
    aside: AtomicUsize,
    asked: Mutex<(u64, HashMap<u64, Reply>)>,
    met: OnceLock<(Abilities, Encoding)>,
    offered: OnceLock<Value>,
}

impl EditorSession {
    pub(super) fn new(
        editor: EditorId,
        send: Arc<dyn Fn(ServerMessage) + Send + Sync>,
        events: Sender<Event>,
    ) -> Self {
        let (waiting, asked) = (Mutex::default(), Mutex::default());
        let aside = AtomicUsize::new(0);
        Self { editor, send, events, waiting, aside, asked, met: OnceLock::new(), offered: OnceLock::new() }
    }

    /// Returns the editor's abilities and its encoding of columns; the least possible ones before its `initialize`.
    pub(super) fn abilities_and_encoding(&self) -> &(Abilities, Encoding) {
        self.met.get_or_init(|| (Abilities::from_capabilities(&Value::Null), Encoding::Utf16))
    }

    /// Records the abilities that the editor declares.
    pub(super) fn set_abilities(&self, abilities: Abilities, encoding: Encoding) {
        // A second `initialize` is refused earlier.
        let _ = self.met.set((abilities, encoding));
    }

    /// Records the capabilities that the editor was offered.
    pub(super) fn set_capabilities(&self, capabilities: Value) {
        let _ = self.offered.set(capabilities);
    }

    /// Returns the capabilities that the editor was offered at its `initialize`; `null` before it.
    pub(super) fn offered_capabilities(&self) -> &Value {
        self.offered.get().unwrap_or(&Value::Null)
    }

    /// Sends an event to the editor's thread, which ends with the editor.
    pub(super) fn post_event(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Returns true if so many requests wait that the next one has to be refused.
    pub(super) fn is_full(&self) -> bool {
        self.lock_waiting().len() >= MOST_WAITING
    }

    /// Refuses a request because there are too many.
    pub(super) fn refuse_flood(&self, id: &RequestId) {
        let words = "this editor has asked too much at once; ask again when earlier requests are answered";
        self.refuse_request(id, &ResponseError::new(codes::REQUEST_FAILED, words));
    }

    /// Runs a request on a thread of its own, or refuses it if there are too many such threads.
    pub(super) fn work_aside(
        self: &Arc<Self>,
        name: &str,
        id: &RequestId,
        work: impl FnOnce() + Send + 'static,
    ) {
        let place = CountedThread(Arc::clone(self));
        if self.aside.fetch_add(1, Ordering::AcqRel) >= MOST_ASIDE {
            return self.refuse_flood(id);
        }
        let run = move || {
            let _place = place;
            work();
        };
        if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(run) {
            tracing::warn!(%error, "no thread to answer an editor on");
        }
    }

    /// Registers a request; `false` if another with its ID is not answered yet.
    pub(super) fn begin(&self, id: &RequestId) -> bool {
        self.lock_waiting().insert(id.clone(), Worker::Nobody).is_none()
    }

    /// Records which worker has a request, unless it has been answered meanwhile.
    pub(super) fn set_worker(&self, id: &RequestId, worker: Worker) {
        if let Some(known) = self.lock_waiting().get_mut(id) {
            *known = worker;
        }
    }

    /// Returns true if a request has no answer yet.
    pub(super) fn is_waiting(&self, id: &RequestId) -> bool {
        self.lock_waiting().contains_key(id)
    }

    /// Returns true if no worker has a request at the moment.
    pub(super) fn is_unattended(&self, id: &RequestId) -> bool {
        matches!(self.lock_waiting().get(id), Some(Worker::Nobody))
    }

    /// Handles a cancellation: the request still gets an answer, from its worker, or now.
    pub(super) fn cancel(&self, id: &RequestId) {
        let waiting = self.lock_waiting();
        match waiting.get(id) {
            Some(Worker::Server(instance, number)) => {
                let (instance, number) = (instance.upgrade(), *number);
                drop(waiting);
                instance.inspect(|instance| instance.cancel(number));
            }
            Some(Worker::Thread(token)) => token.cancel(),
            Some(Worker::Nobody) => {
                drop(waiting);
                self.refuse_request(id, &cancelled_error());
            }
            None => {}
        }
    }

    /// Answers with JSON text, unchanged.
    pub(super) fn answer_raw(&self, id: &RequestId, result: &str) {
        if self.lock_waiting().remove(id).is_some() {
            let id = json!(id).to_string();
            self.send_message(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
        }
    }

    /// Answers a request of the editor with a result, unless it was answered already.
    pub(super) fn answer_request(&self, id: &RequestId, result: &Value) {
        self.answer_raw(id, &result.to_string());
    }

    /// Answers with a result about the document `uri`, in the form that this editor understands. `texts` are documents
    /// as servers have them.
    pub(super) fn answer_shaped(
        &self,
        request: &EditorRequest,
        result: Value,
        context: &Context<'_>,
        texts: Texts<'_>,
    ) {
        let (abilities, encoding) = self.abilities_and_encoding();
        match results::for_editor(&request.method, result, abilities, context) {
            Ok(result) => {
                let documents = MessageDocuments { asked: context.uri, texts };
                self.answer_request(&request.id, &translate::to_editor(result, *encoding, documents));
            }
            Err(why) => {
                self.refuse_request(&request.id, &ResponseError::new(codes::REQUEST_FAILED, why.to_string()));
            }
        }
    }

    /// Answers with an error.
    pub(super) fn refuse_request(&self, id: &RequestId, error: &ResponseError) {
        if self.lock_waiting().remove(id).is_some() {
            self.send_message(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
    }

    /// Refuses a message of which only the ID could be read; `id` is JSON.
    pub(super) fn refuse_unread(&self, id: &str, why: &str) {
        let error = ResponseError::new(codes::INVALID_REQUEST, format!("this is no JSON-RPC request: {why}"));
        self.send_message(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, json!(error)));
    }

    /// Refuses a request about a text that does not count.
    pub(super) fn refuse_out_of_step(&self, id: &RequestId) {
        self.refuse_request(id, &ResponseError::new(codes::CONTENT_MODIFIED, OUT_OF_STEP));
    }

    /// Sends the editor a notification.
    pub(super) fn notify(&self, method: &str, params: Option<&RawValue>) {
        let params = params.map_or("null", RawValue::get);
        let method = Value::from(method);
        self.send_message(format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#));
    }

    /// Shows the user a line of text.
    pub(super) fn show_message(&self, kind: MessageKind, message: &str) {
        let params = json!({"type": kind as u8, "message": message});
        let method = if kind == MessageKind::Log { "window/logMessage" } else { "window/showMessage" };
        self.send_message(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends the editor a request of a server; the editor's answer goes to `reply`.
    pub(super) fn ask_editor(&self, method: &str, params: Option<&RawValue>, reply: Option<Reply>) {
        let number = {
            let mut asked = self.lock_asked();
            if reply.is_some() && asked.1.len() >= MOST_ASKED {
                // Dropping the reply refuses the request.
                return;
            }
            asked.0 += 1;
            let number = asked.0;
            // Nobody waits for the answers to a request that goes to all editors.
            asked.1.extend(reply.map(|reply| (number, reply)));
            number
        };
        let params = params.map_or("null", RawValue::get);
        let method = Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","id":"hob:{number}","method":{method},"params":{params}}}"#);
        self.send_message(text);
    }

    /// Handles an answer of the editor.
    pub(super) fn handle_reply(
        &self,
        id: Option<&RequestId>,
        outcome: Result<Option<Box<RawValue>>, ResponseError>,
    ) {
        let number = match id {
            Some(RequestId::Text(text)) => text.strip_prefix("hob:").and_then(|number| number.parse().ok()),
            _ => None,
        };
        let Some(reply) = number.and_then(|number: u64| self.lock_asked().1.remove(&number)) else {
            return;
        };
        let value = |raw: Box<RawValue>| serde_json::from_str(raw.get()).unwrap_or(Value::Null);
        reply.send(&outcome.map(|raw| raw.map_or(Value::Null, value)));
    }

    /// Sends the shim the `didOpen` from which to begin if it has to send a document again after a reconnect.
    pub(super) fn keep_checkpoint(&self, uri: String, changes: u64, open: &Value) {
        (self.send)(ServerMessage::Keep { uri, changes, open: open.to_string() });
    }

    fn send_message(&self, message: String) {
        (self.send)(ServerMessage::Lsp { message });
    }

    fn lock_waiting(&self) -> MutexGuard<'_, HashMap<RequestId, Worker>> {
        lock(&self.waiting)
    }

    fn lock_asked(&self) -> MutexGuard<'_, (u64, HashMap<u64, Reply>)> {
        lock(&self.asked)
    }
}

/// Makes sure that a request which a thread of hob works on is answered, however the thread ends.
pub(super) struct PromisedAnswer {
    editor_session: Arc<EditorSession>,
    id: RequestId,
    is_ours: bool,
}

impl PromisedAnswer {
    pub(super) fn new(editor_session: Arc<EditorSession>, id: RequestId) -> Self {
        Self { editor_session, id, is_ours: true }
    }

    /// Leaves the answer to another worker.
    pub(super) fn pass_on(mut self) {
        self.is_ours = false;
    }
}

impl Drop for PromisedAnswer {
    fn drop(&mut self) {
        if self.is_ours {
            let words = "hob could not answer this; its log has the details";
            self.editor_session.refuse_request(&self.id, &ResponseError::new(codes::INTERNAL_ERROR, words));
        }
    }
}

/// The importance of a message to the user, numbered as in the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MessageKind {
    Warning = 2,
    Info = 3,
    Log = 4,
}

/// Returns the answer to a cancelled request.
pub(super) fn cancelled_error() -> ResponseError {
    ResponseError::new(codes::REQUEST_CANCELLED, "cancelled")
}
