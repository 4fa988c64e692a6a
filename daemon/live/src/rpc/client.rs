//! Calls a language server over one connection: requests with deadlines, notifications, and answers to the server's
//! requests.
//!
//! There are two threads. One reads and hands each message to its receiver. The other writes, so that a server that
//! does not read its input cannot hold up a call beyond its deadline. Everything that a server sends is untrusted:
//! unexpected answers, repeated answers, results of another shape and silence all end as a [`CallError`] of one call or
//! as a line in the log.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use hob_base::{CancelToken, Stopped};
use lsp_types::notification::Notification;
use lsp_types::request::Request;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::jsonrpc::{self, Incoming, RequestId, ResponseError};
use super::transport::{MessageReader, write_body};
use crate::uri;

/// Most bytes that may wait for a server that does not read its input; with more, the server is given up.
const MAX_QUEUED: usize = 64 << 20;

/// Pause between two checks whether the caller of a waiting call has cancelled it.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Why a request has no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CallError {
    /// The caller cancelled, or its deadline passed; the server was told.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The server answered with an error.
    #[error("the server answered: {0}")]
    Refused(ResponseError),
    /// The server's result does not fit its request.
    #[error("the server's answer to `{method}` makes no sense: {why}")]
    Malformed {
        /// Method of the request that was answered.
        method: &'static str,
        /// The part of the result that does not fit, in words.
        why: String,
    },
    /// The connection has ended.
    #[error("the connection to the server has ended: {0}")]
    Closed(String),
}

impl CallError {
    /// Returns true if the server said that it does not know the method.
    #[must_use]
    pub fn is_unknown_method(&self) -> bool {
        matches!(self, Self::Refused(error) if error.code == jsonrpc::codes::METHOD_NOT_FOUND)
    }
}

/// The receiver of messages that a server sends unasked. Its methods run on the reading thread, in order, and must not
/// wait for the server.
pub trait Peer: Send + Sync {
    /// Handles a request of the server; `reply` takes the answer, now or later.
    fn request(&self, method: &str, params: Option<&RawValue>, reply: Reply);

    /// Handles a notification of the server.
    fn notification(&self, method: &str, params: Option<&RawValue>);

    /// Records that no more messages will come.
    fn closed(&self, why: &str);
}

/// The outcome of a request: its result, `None` for `null`, or the reason why there is none.
pub type RequestOutcome = Result<Option<Box<RawValue>>, CallError>;

/// Receives the outcome of a request without a waiting thread. It runs on the reading thread and must not wait.
pub type OnOutcome = Box<dyn FnOnce(RequestOutcome) + Send>;

/// The receiver of the answer to a server's request. A server may stop for ever at a request that nobody answers, so a
/// dropped reply refuses.
pub struct Reply {
    /// The connection and the request; `None` after the answer.
    to: Option<(RpcClient, RequestId)>,
}

impl Reply {
    /// Sends the answer to the server.
    pub fn send(mut self, answer: &Result<Value, ResponseError>) {
        self.send_once(answer);
    }

    fn send_once(&mut self, answer: &Result<Value, ResponseError>) {
        if let Some((client, id)) = self.to.take() {
            // If the connection has closed, nobody waits for the answer.
            let _ = client.send(jsonrpc::answer_body(&id, answer));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.send_once(&Err(ResponseError::new(jsonrpc::codes::INTERNAL_ERROR, "nobody is there to answer")));
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").finish_non_exhaustive()
    }
}

/// The receiver of a request's outcome.
enum OutcomeReceiver {
    /// A thread that waits for the outcome.
    Waiter(SyncSender<RequestOutcome>),
    /// A function that is called with the outcome.
    Handler(OnOutcome),
}

impl OutcomeReceiver {
    fn hand_over(self, outcome: RequestOutcome) {
        match self {
            // The caller cancelled a moment ago and does not wait any more.
            Self::Waiter(waiter) => drop(waiter.send(outcome)),
            Self::Handler(handler) => handler(outcome),
        }
    }
}

/// A request under way without a waiting thread.
#[derive(Clone, Copy)]
struct Forwarded {
    since: Instant,
    /// Number of messages that had come when it was sent.
    heard: u64,
}

#[derive(Default)]
struct WaitingCalls {
    calls: HashMap<i64, OutcomeReceiver>,
    /// Forwarded requests about documents, which no server holds back on purpose.
    forwarded: HashMap<i64, Forwarded>,
    /// The reason why there will be no more answers.
    closed: Option<String>,
}

impl WaitingCalls {
    fn remove_call(&mut self, id: i64) -> Option<OutcomeReceiver> {
        self.forwarded.remove(&id);
        self.calls.remove(&id)
    }
}

struct RpcConnectionState {
    waiting: Mutex<WaitingCalls>,
    outbox: Sender<Vec<u8>>,
    /// Number of bytes in the outbox.
    queued: AtomicUsize,
    next: AtomicI64,
    /// Number of messages that have come.
    heard: AtomicU64,
}

/// One connection. Clones are the same connection; it ends when the server closes its output or [`RpcClient::close`] is
/// called.
#[derive(Clone)]
pub struct RpcClient {
    shared: Arc<RpcConnectionState>,
}

impl std::fmt::Debug for RpcClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl RpcClient {
    /// Begins to talk over a server's input and output.
    ///
    /// # Errors
    /// The system's error when it refuses to start threads.
    pub fn start(
        input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
        peer: Arc<dyn Peer>,
    ) -> io::Result<Self> {
        let (outbox, queue) = channel();
        let shared = Arc::new(RpcConnectionState {
            waiting: Mutex::default(),
            outbox,
            queued: AtomicUsize::new(0),
            next: AtomicI64::new(1),
            heard: AtomicU64::new(0),
        });
        let client = Self { shared };
        let writing = Arc::downgrade(&client.shared);
        thread::Builder::new().name("hob-lsp-write".to_owned()).spawn(move || {
            let sent = |bytes: usize| {
                if let Some(shared) = writing.upgrade() {
                    shared.queued.fetch_sub(bytes, Ordering::Relaxed);
                }
            };
            write_all(input, &queue, &sent);
        })?;
        // The thread holds the connection, which lives until the server's output ends, even if everyone else has
        // dropped it.
        let reading = client.clone();
        thread::Builder::new().name("hob-lsp-read".to_owned()).spawn(move || {
            let why = reading.read_all(output, &*peer);
            reading.close(&why);
            peer.closed(&why);
        })?;
        Ok(client)
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// [`CallError`]. A call that is cancelled or late has been cancelled at the server too.
    pub fn request<R: Request>(
        &self,
        params: &R::Params,
        cancel: &CancelToken,
    ) -> Result<R::Result, CallError> {
        let raw = self.request_raw(R::METHOD, params, cancel)?;
        let text = raw.as_deref().map_or("null", RawValue::get);
        uri::read_json(text)
            .map_err(|error| CallError::Malformed { method: R::METHOD, why: error.to_string() })
    }

    /// Asks as [`RpcClient::request`] does, for methods and results that have no type of their own.
    ///
    /// # Errors
    /// As [`RpcClient::request`].
    pub fn request_raw(
        &self,
        method: &'static str,
        params: &impl serde::Serialize,
        cancel: &CancelToken,
    ) -> Result<Option<Box<RawValue>>, CallError> {
        cancel.check()?;
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let body = jsonrpc::call(Some(id), method, params)
            .map_err(|error| CallError::Malformed { method, why: error.to_string() })?;
        let (answer, answered) = sync_channel(1);
        self.register_call(id, OutcomeReceiver::Waiter(answer))?;
        let outcome = self.send(body).and_then(|()| wait(&answered, cancel));
        if let Err(CallError::Stopped(_)) = outcome {
            self.lock_waiting().remove_call(id);
            self.cancel(id);
        }
        outcome
    }

    /// Forwards a request with its parameters as they were written, for a caller without a waiting thread; returns the
    /// request's number. Calls `on` exactly once, also when the connection ends, but not when this fails.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn forward_request(
        &self,
        method: &str,
        params: Option<&RawValue>,
        on: OnOutcome,
    ) -> Result<i64, CallError> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let body = jsonrpc::call_raw(Some(id), method, params);
        self.register_call(id, OutcomeReceiver::Handler(on))?;
        if method.starts_with("textDocument/") {
            let forwarded = Forwarded { since: Instant::now(), heard: self.messages_heard() };
            self.lock_waiting().forwarded.insert(id, forwarded);
        }
        match self.send(body) {
            Ok(()) => Ok(id),
            // Either the thread that closed the connection has called `on`, or this takes the call back.
            Err(error) if self.lock_waiting().remove_call(id).is_some() => Err(error),
            Err(_) => Ok(id),
        }
    }

    /// Forwards a notification with its parameters as they were written.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn forward_notification(&self, method: &str, params: Option<&RawValue>) -> Result<(), CallError> {
        self.send(jsonrpc::call_raw(None, method, params))
    }

    /// Tells the server that the answer to this request is not wanted any more. An answer still comes.
    pub fn cancel(&self, id: i64) {
        let cancelled = jsonrpc::call(None, "$/cancelRequest", &json!({"id": id}));
        cancelled.ok().map(|body| self.send(body));
    }

    /// Asks and does not wait, for requests whose answer nobody needs.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn request_and_ignore(
        &self,
        method: &'static str,
        params: &impl serde::Serialize,
    ) -> Result<(), CallError> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let body = jsonrpc::call(Some(id), method, params)
            .map_err(|error| CallError::Malformed { method, why: error.to_string() })?;
        self.send(body)
    }

    /// Sends the server a notification.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn notify<N: Notification>(&self, params: &N::Params) -> Result<(), CallError> {
        self.notify_raw(N::METHOD, params)
    }

    /// Notifies as [`RpcClient::notify`] does, for notifications that have no type of their own.
    ///
    /// # Errors
    /// As [`RpcClient::notify`].
    pub fn notify_raw(&self, method: &'static str, params: &impl serde::Serialize) -> Result<(), CallError> {
        let body = jsonrpc::call(None, method, params)
            .map_err(|error| CallError::Malformed { method, why: error.to_string() })?;
        self.send(body)
    }

    /// Ends the connection: calls under way fail with `why`.
    pub fn close(&self, why: &str) {
        let mut waiting = self.lock_waiting();
        waiting.closed.get_or_insert_with(|| why.to_owned());
        let why = waiting.closed.clone().unwrap_or_default();
        let calls = std::mem::take(&mut waiting.calls);
        drop(waiting);
        for (_, call) in calls {
            call.hand_over(Err(CallError::Closed(why.clone())));
        }
        // An empty body is no message: it tells the writer to close the pipe.
        let _ = self.shared.outbox.send(Vec::new());
    }

    /// Returns the number of messages that have come from the server.
    #[must_use]
    pub fn messages_heard(&self) -> u64 {
        self.shared.heard.load(Ordering::Relaxed)
    }

    /// Returns the time for which a forwarded request about a document has waited, if no message at all has come since
    /// it was sent.
    #[must_use]
    pub fn silent_for(&self) -> Option<Duration> {
        let heard = self.messages_heard();
        let waiting = self.lock_waiting();
        let unanswered = waiting.forwarded.values().filter(|one| one.heard == heard);
        unanswered.map(|one| one.since.elapsed()).max()
    }

    /// Returns the reason why the connection has ended, if it has.
    #[must_use]
    pub fn reason_closed(&self) -> Option<String> {
        self.lock_waiting().closed.clone()
    }

    fn register_call(&self, id: i64, answer: OutcomeReceiver) -> Result<(), CallError> {
        let mut waiting = self.lock_waiting();
        if let Some(why) = &waiting.closed {
            return Err(CallError::Closed(why.clone()));
        }
        waiting.calls.insert(id, answer);
        Ok(())
    }

    fn send(&self, body: Vec<u8>) -> Result<(), CallError> {
        if let Some(why) = &self.lock_waiting().closed {
            return Err(CallError::Closed(why.clone()));
        }
        let queued = self.shared.queued.fetch_add(body.len(), Ordering::Relaxed);
        if queued > MAX_QUEUED {
            self.close("the server has stopped reading what it is sent");
        }
        let gone = |_| CallError::Closed("the server closed its input".to_owned());
        self.shared.outbox.send(body).map_err(gone)
    }

    /// Reads until the end; returns the reason for the end.
    fn read_all(&self, output: impl Read, peer: &dyn Peer) -> String {
        let mut reader = MessageReader::new(BufReader::with_capacity(64 << 10, output));
        loop {
            match reader.next_body() {
                Ok(Some(body)) => {
                    self.shared.heard.fetch_add(1, Ordering::Relaxed);
                    match Incoming::parse(&body) {
                        Ok(message) => self.dispatch_message(message, peer),
                        Err(why) => tracing::warn!(why, "a message of a language server is not JSON-RPC"),
                    }
                }
                Ok(None) => return "it closed its output".to_owned(),
                Err(error) => return error.to_string(),
            }
            if let Some(why) = self.reason_closed() {
                return why;
            }
        }
    }

    fn dispatch_message(&self, message: Incoming, peer: &dyn Peer) {
        match message {
            Incoming::Response { id, outcome } => {
                self.deliver_outcome(id.as_ref(), outcome.map_err(CallError::Refused));
            }
            Incoming::Notification { method, params } => peer.notification(&method, params.as_deref()),
            Incoming::Request { id, method, params } => {
                let reply = Reply { to: Some((self.clone(), id)) };
                peer.request(&method, params.as_deref(), reply);
            }
        }
    }

    fn deliver_outcome(&self, id: Option<&RequestId>, outcome: RequestOutcome) {
        let call = match id {
            Some(RequestId::Number(number)) => self.lock_waiting().remove_call(*number),
            _ => None,
        };
        match call {
            Some(call) => call.hand_over(outcome),
            None => tracing::debug!(?id, "an answer to nothing that was asked"),
        }
    }

    fn lock_waiting(&self) -> MutexGuard<'_, WaitingCalls> {
        // Each entry is inserted or removed at once.
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait(answered: &Receiver<RequestOutcome>, cancel: &CancelToken) -> RequestOutcome {
    loop {
        let rest = cancel.deadline().remaining().map_or(LOOK_EVERY, |rest| rest.min(LOOK_EVERY));
        match answered.recv_timeout(rest) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => cancel.check()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CallError::Closed("nobody is left to answer".to_owned()));
            }
        }
    }
}

/// Writes the queue until the connection is closed or the pipe breaks.
fn write_all(mut input: impl Write, queue: &Receiver<Vec<u8>>, sent: &dyn Fn(usize)) {
    while let Ok(body) = queue.recv() {
        if body.is_empty() {
            return;
        }
        let bytes = body.len();
        if let Err(error) = write_body(&mut input, &body) {
            // The reading thread finds out by itself that the server is gone.
            tracing::debug!(%error, "a language server's input is closed");
            return;
        }
        sent(bytes);
    }
}
