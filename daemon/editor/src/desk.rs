//! Holds the state that everything which serves one editor shares: the way to the editor, and the requests that wait
//! for an answer on either side.
//!
//! Threads that read from servers answer the editor themselves, so nothing here waits. A request is in `waiting` from the moment
//! it came until it is answered, and only who takes it out answers it: that is why each is answered exactly once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, lock};
use hob_live::documents::EditorId;
use hob_live::instance::Instance;
use hob_live::live::LiveError;
use hob_live::rpc::{Reply, RequestId, ResponseError, codes};
use hob_live::views::Notice;
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

/// Documents as servers have them, by URI.
pub(super) type Texts<'t> = &'t dyn Fn(&str) -> Option<Arc<str>>;

/// Why a request of an editor is refused quietly: its text is not the one that the server has.
const OUT_OF_STEP: &str = "another text of this document counts at the moment";

/// Requests of one editor that are not answered yet; one more is refused.
const MOST_WAITING: usize = 4_096;

/// Requests of one editor that are worked on by threads of their own; one more is refused.
const MOST_ASIDE: usize = 64;

/// Questions of servers that one editor has not answered yet; one more is refused in its name.
const MOST_ASKED: usize = 1_024;

/// An event that the editor's thread has to handle.
#[derive(Debug)]
pub(super) enum Event {
    /// The editor says something; what is held goes when that has been dealt with.
    Said(String, HeldUntilDone),
    /// A server can be asked, or why not.
    Started(LinkKey, Result<Arc<Instance>, LiveError>),
    /// A server is gone.
    Gone(LinkKey, String),
    /// A request is to be asked again.
    Again(EditorRequest),
    /// A request is to be asked again, in a moment.
    Later(EditorRequest),
    /// A request is to be answered from the map.
    FromMap(EditorRequest),
    /// A server said, in these words, that it serves nothing of the project that a request is about.
    NoProject(LinkKey, String, EditorRequest),
    /// A document is to be judged, after a while.
    Judge(String, Duration),
    /// All documents of a server are to be judged.
    JudgeAll(LinkKey),
    /// A view has something to tell.
    Notice(AbsPath, Notice),
    /// The editor is gone.
    End,
}

/// The server or thread that works on a request.
#[derive(Debug)]
pub(super) enum Worker {
    /// Nobody works on the request yet.
    Nobody,
    /// A server, under this number.
    Server(Weak<Instance>, i64),
    /// A thread of ours.
    Thread(CancelToken),
}

/// One of the threads that work on requests; counted before it is, and until it is gone.
struct Aside(Arc<Desk>);

impl Drop for Aside {
    fn drop(&mut self) {
        self.0.aside.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The shared state of one editor's session; see the header of the module.
pub(super) struct Desk {
    pub(super) editor: EditorId,
    send: Arc<dyn Fn(ServerMessage) + Send + Sync>,
    events: Sender<Event>,
    waiting: Mutex<HashMap<RequestId, Worker>>,
    aside: AtomicUsize,
    asked: Mutex<(u64, HashMap<u64, Reply>)>,
    met: OnceLock<(Abilities, Encoding)>,
    offered: OnceLock<Value>,
}

impl Desk {
    pub(super) fn new(
        editor: EditorId,
        send: Arc<dyn Fn(ServerMessage) + Send + Sync>,
        events: Sender<Event>,
    ) -> Self {
        let (waiting, asked) = (Mutex::default(), Mutex::default());
        let aside = AtomicUsize::new(0);
        Self { editor, send, events, waiting, aside, asked, met: OnceLock::new(), offered: OnceLock::new() }
    }

    /// Returns the abilities of the editor and its encoding of columns; the least there is before the editor has said
    /// so.
    pub(super) fn abilities_and_encoding(&self) -> &(Abilities, Encoding) {
        self.met.get_or_init(|| (Abilities::from_capabilities(&Value::Null), Encoding::Utf16))
    }

    /// The editor has said what it understands.
    pub(super) fn set_abilities(&self, abilities: Abilities, encoding: Encoding) {
        // A second time is refused before it comes here.
        let _ = self.met.set((abilities, encoding));
    }

    /// The editor has been told what it may ask.
    pub(super) fn set_capabilities(&self, capabilities: Value) {
        let _ = self.offered.set(capabilities);
    }

    /// Returns the capabilities that the editor was told of at its greeting; `null` before it.
    pub(super) fn offered_capabilities(&self) -> &Value {
        self.offered.get().unwrap_or(&Value::Null)
    }

    /// Has the editor's thread do something. It is gone when the editor is.
    pub(super) fn post_event(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Returns true if so many requests wait that one more is refused.
    pub(super) fn is_full(&self) -> bool {
        self.lock_waiting().len() >= MOST_WAITING
    }

    /// Refuses a request because there are too many.
    pub(super) fn refuse_flood(&self, id: &RequestId) {
        let words = "this editor has asked too much at once; ask again when earlier requests are answered";
        self.refuse_request(id, &ResponseError::new(codes::REQUEST_FAILED, words));
    }

    /// Works on a request on a thread of its own, or refuses it if too many are worked on so.
    pub(super) fn work_aside(
        self: &Arc<Self>,
        name: &str,
        id: &RequestId,
        work: impl FnOnce() + Send + 'static,
    ) {
        let place = Aside(Arc::clone(self));
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

    /// Takes a request on; `false` if one of its number is not answered yet.
    pub(super) fn begin(&self, id: &RequestId) -> bool {
        self.lock_waiting().insert(id.clone(), Worker::Nobody).is_none()
    }

    /// Notes who works on a request, unless it has been answered meanwhile.
    pub(super) fn set_worker(&self, id: &RequestId, worker: Worker) {
        if let Some(known) = self.lock_waiting().get_mut(id) {
            *known = worker;
        }
    }

    /// Returns true if a request has yet to be answered.
    pub(super) fn is_waiting(&self, id: &RequestId) -> bool {
        self.lock_waiting().contains_key(id)
    }

    /// Returns true if nobody works on a request at the moment.
    pub(super) fn is_unattended(&self, id: &RequestId) -> bool {
        matches!(self.lock_waiting().get(id), Some(Worker::Nobody))
    }

    /// The editor does not want an answer any more. It still gets one: from whoever works on it, or now.
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

    /// Answers with JSON text as it is.
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

    /// Answers with what this editor understands of a result about the document `uri`.
    /// `texts` are documents as servers have them.
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

    /// Refuses a message that could not be read but for its id, which is JSON.
    pub(super) fn refuse_unread(&self, id: &str, why: &str) {
        let error = ResponseError::new(codes::INVALID_REQUEST, format!("this is no JSON-RPC request: {why}"));
        self.send_message(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, json!(error)));
    }

    /// Refuses a request about a text that does not count.
    pub(super) fn refuse_out_of_step(&self, id: &RequestId) {
        self.refuse_request(id, &ResponseError::new(codes::CONTENT_MODIFIED, OUT_OF_STEP));
    }

    /// Tells the editor something.
    pub(super) fn notify(&self, method: &str, params: Option<&RawValue>) {
        let params = params.map_or("null", RawValue::get);
        let method = Value::from(method);
        self.send_message(format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#));
    }

    /// Shows the user a line.
    pub(super) fn show_message(&self, kind: MessageKind, message: &str) {
        let params = json!({"type": kind as u8, "message": message});
        let method = if kind == MessageKind::Log { "window/logMessage" } else { "window/showMessage" };
        self.send_message(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Asks the editor something for a server; its answer goes to `reply`.
    pub(super) fn ask_editor(&self, method: &str, params: Option<&RawValue>, reply: Option<Reply>) {
        let number = {
            let mut asked = self.lock_asked();
            if reply.is_some() && asked.1.len() >= MOST_ASKED {
                // A reply that is dropped refuses.
                return;
            }
            asked.0 += 1;
            let number = asked.0;
            // Nothing waits for the answer to what everybody is told.
            asked.1.extend(reply.map(|reply| (number, reply)));
            number
        };
        let params = params.map_or("null", RawValue::get);
        let method = Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","id":"hob:{number}","method":{method},"params":{params}}}"#);
        self.send_message(text);
    }

    /// The editor has answered something.
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

    /// Tells the shim the `didOpen` to begin with if it has to send a document again after a reconnect.
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

/// Sees to it that a request which a thread of ours works on is answered, however that ends.
pub(super) struct Promise {
    desk: Arc<Desk>,
    id: RequestId,
    is_ours: bool,
}

impl Promise {
    pub(super) fn new(desk: Arc<Desk>, id: RequestId) -> Self {
        Self { desk, id, is_ours: true }
    }

    /// Somebody else answers it.
    pub(super) fn pass_on(mut self) {
        self.is_ours = false;
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if self.is_ours {
            let words = "hob could not answer this; its log has the details";
            self.desk.refuse_request(&self.id, &ResponseError::new(codes::INTERNAL_ERROR, words));
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

/// The answer to a request that was cancelled.
pub(super) fn cancelled_error() -> ResponseError {
    ResponseError::new(codes::REQUEST_CANCELLED, "cancelled")
}
