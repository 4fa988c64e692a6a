//! Delivers each incoming message to the call that waits for it, and ends all of them when the connection does.
//!
//! The state is one mutex around small maps; while it is held, nothing is awaited and no callback runs.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hob_proto::ServerMessage;
use hob_proto::message::Event;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::editor::FromDaemon;
use crate::far::paths::{FarPaths, PathsTo};
use crate::far::rewrite;
use crate::request::{DaemonAnswer, Lost, OnProgress, Progress};

/// A call that waits for its answer.
pub(crate) struct RoutedCall {
    pub(crate) answer: oneshot::Sender<Result<DaemonAnswer, Lost>>,
    pub(crate) progress: Option<OnProgress>,
    /// True if the writer has started to write the call: from then on the daemon may have begun it.
    pub(crate) sent: Arc<AtomicBool>,
}

/// The end of a connection, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) reason: String,
    /// True if the daemon said goodbye, and another one is available.
    pub(crate) orderly: bool,
}

/// Returns the error of a call that waited when the connection ended; `sent` if the daemon may have begun it.
pub(crate) fn lost_at(end: &End, sent: bool) -> Lost {
    Lost { sent, orderly: end.orderly, too_large: false, reason: end.reason.clone() }
}

#[derive(Default)]
struct RoutingState {
    calls: HashMap<u64, RoutedCall>,
    status: VecDeque<oneshot::Sender<Map<String, Value>>>,
    /// The receiver of messages for an editor, if there is one.
    inbox: Option<mpsc::Sender<FromDaemon>>,
    end: Option<End>,
    bye: Option<End>,
}

/// The state that a connection's handles share with its reader.
pub(crate) struct Routing {
    state: Mutex<RoutingState>,
    /// The folders with other names on the daemon's side; `None` for a daemon of this side.
    paths: Option<Arc<FarPaths>>,
    /// True if new calls need another connection: the daemon retires, or the connection has ended.
    leaving: AtomicBool,
    /// Becomes true when the connection has ended.
    pub(crate) ended: watch::Sender<bool>,
    pub(crate) events: broadcast::Sender<Event>,
}

impl Routing {
    pub(crate) fn new(paths: Option<Arc<FarPaths>>) -> Self {
        Self {
            state: Mutex::default(),
            paths,
            leaving: AtomicBool::new(false),
            ended: watch::Sender::new(false),
            events: broadcast::Sender::new(64),
        }
    }

    /// Returns the folders with other names on the daemon's side.
    pub(crate) fn far_paths(&self) -> Option<&FarPaths> {
        self.paths.as_deref()
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    /// Registers a call; refuses when the connection has ended.
    pub(crate) fn add_call(&self, id: u64, waiting: RoutedCall) -> Result<(), Lost> {
        let mut state = self.lock_state();
        if let Some(end) = &state.end {
            return Err(lost_at(end, false));
        }
        state.calls.insert(id, waiting);
        Ok(())
    }

    /// Forgets a call; returns true if it was still waiting.
    pub(crate) fn remove_call(&self, id: u64) -> bool {
        self.lock_state().calls.remove(&id).is_some()
    }

    /// Registers a caller that waits for a status.
    pub(crate) fn add_status(&self, sender: oneshot::Sender<Map<String, Value>>) -> Result<(), Lost> {
        let mut state = self.lock_state();
        if let Some(end) = &state.end {
            return Err(lost_at(end, false));
        }
        state.status.push_back(sender);
        Ok(())
    }

    /// Registers the receiver of messages for an editor; not after the end of the connection, so that the inbox ends as
    /// well.
    pub(crate) fn add_inbox(&self, sender: mpsc::Sender<FromDaemon>) {
        let mut state = self.lock_state();
        if state.end.is_none() {
            state.inbox = Some(sender);
        }
    }

    /// Delivers a message. Waits only while an editor's inbox is full.
    pub(crate) async fn deliver(&self, message: ServerMessage) {
        match message {
            ServerMessage::Answer { id, ok, envelope, ask } => {
                self.deliver_answer(id, DaemonAnswer { ok, envelope, ask });
            }
            ServerMessage::Progress { id, done, total, message } => {
                self.deliver_progress(id, Progress { done, total, message });
            }
            ServerMessage::Lsp { message } => {
                self.to_editor(FromDaemon::Message(self.near_message(message))).await;
            }
            ServerMessage::Keep { uri, changes, open } => {
                let (uri, open) = (self.near_uri(uri), self.near_message(open));
                self.to_editor(FromDaemon::Keep { uri, changes, open }).await;
            }
            ServerMessage::Event(event) => self.publish_event(event),
            ServerMessage::Status(status) => self.status(status),
            ServerMessage::Bye { reason, retry } => {
                self.leaving.store(true, Ordering::Release);
                self.lock_state().bye = Some(End { reason, orderly: retry });
            }
        }
    }

    fn deliver_answer(&self, id: u64, answer: DaemonAnswer) {
        // An unknown ID belongs to a call that was given up here while its answer was on its way.
        if let Some(waiting) = self.lock_state().calls.remove(&id) {
            let _ = waiting.answer.send(Ok(answer));
        }
    }

    fn near_message(&self, message: String) -> String {
        match &self.paths {
            Some(paths) => rewrite::near_message(paths, &message).into_owned(),
            None => message,
        }
    }

    fn near_uri(&self, uri: String) -> String {
        let near = self.paths.as_ref().and_then(|paths| paths.swap_start(&uri, PathsTo::Near));
        near.unwrap_or(uri)
    }

    async fn to_editor(&self, message: FromDaemon) {
        let inbox = self.lock_state().inbox.clone();
        if let Some(inbox) = inbox {
            // Without a receiver the message is dropped.
            let _ = inbox.send(message).await;
        }
    }

    fn deliver_progress(&self, id: u64, progress: Progress) {
        let callback = self.lock_state().calls.get(&id).and_then(|waiting| waiting.progress.clone());
        if let Some(callback) = callback {
            callback(progress);
        }
    }

    fn publish_event(&self, event: Event) {
        if event == Event::Retiring {
            self.leaving.store(true, Ordering::Release);
        }
        let _ = self.events.send(event);
    }

    fn status(&self, status: Map<String, Value>) {
        if let Some(sender) = self.lock_state().status.pop_front() {
            let _ = sender.send(status);
        }
    }

    /// Ends everything that waits. The daemon's own goodbye takes precedence over `reason`; the first end counts.
    pub(crate) fn end(&self, reason: String) {
        self.leaving.store(true, Ordering::Release);
        let mut state = self.lock_state();
        if state.end.is_none() {
            let end = state.bye.take().unwrap_or(End { reason, orderly: false });
            state.end = Some(end);
        }
        let Some(end) = state.end.clone() else { return };
        state.status.clear();
        state.inbox = None;
        for (_, waiting) in state.calls.drain() {
            let sent = waiting.sent.load(Ordering::Acquire);
            let _ = waiting.answer.send(Err(lost_at(&end, sent)));
        }
        drop(state);
        self.ended.send_replace(true);
    }

    /// Returns the end of the connection; `None` while it stands.
    pub(crate) fn how_it_ended(&self) -> Option<End> {
        self.lock_state().end.clone()
    }

    fn lock_state(&self) -> MutexGuard<'_, RoutingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
