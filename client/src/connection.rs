//! Runs many calls at once over one connection to a daemon.
//!
//! One task reads and one writes, so that a caller may be dropped at any moment without tearing a frame; dropping a
//! call's future cancels the call in the daemon. No call is repeated here: a lost connection ends every waiting call
//! with [`Lost`], which says whether the daemon may have begun the call.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hob_proto::frame::{self, FrameError};
use hob_proto::message::{Call, Event};
use hob_proto::{Build, ClientMessage, Form};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, mpsc, oneshot};
use tokio::task::AbortHandle;

use crate::editor::{Inbox, UNTAKEN};
use crate::envelope::requested_budget;
use crate::far::paths::FarPaths;
use crate::far::rewrite;
use crate::request::{DaemonAnswer, Lost, OnProgress, ToolRequest};
use crate::routing::{End, RoutedCall, Routing, lost_at};

/// Most calls that may wait to be written; further callers wait their turn.
const UNWRITTEN_CALLS: usize = 64;
/// Most bytes of frames that are written together.
const WRITE_BATCH: usize = 64 * 1024;

/// The receiving half of a stream to a daemon, on this machine or elsewhere.
pub(crate) type DaemonReader = Box<dyn AsyncRead + Send + Unpin>;
/// The sending half.
pub(crate) type DaemonWriter = Box<dyn AsyncWrite + Send + Unpin>;

/// The daemon at the other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedDaemon {
    /// The version of the protocol that the daemon speaks.
    pub protocol: u32,
    /// The build of the daemon.
    pub build: Build,
    /// The process ID of the daemon, for people.
    pub pid: u32,
    /// A sentence for the user: this client is older than the daemon.
    pub notice: Option<String>,
    /// The program that a service manager starts after this daemon has ended; `None` when only clients start one.
    pub successor: Option<PathBuf>,
}

/// A connection after its handshake. Clones share it; it closes when the last one is dropped.
#[derive(Clone)]
pub struct Connection {
    inner: Arc<Inner>,
}

struct Inner {
    server: ConnectedDaemon,
    routing: Arc<Routing>,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    unwritten: Arc<Semaphore>,
    next_id: AtomicU64,
    reader: AbortHandle,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The writer ends by itself, once the queued cancellations are sent.
        self.reader.abort();
    }
}

struct Outgoing {
    frame: Vec<u8>,
    sent: Option<Arc<AtomicBool>>,
    /// A permit that is held until the frame is written, which bounds the queue.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Connection {
    /// Takes over a connection after its handshake. `paths` are the folders with other names on the daemon's side.
    /// Needs a tokio runtime.
    pub(crate) fn start(
        server: ConnectedDaemon,
        reader: DaemonReader,
        writer: DaemonWriter,
        paths: Option<Arc<FarPaths>>,
    ) -> Self {
        let routing = Arc::new(Routing::new(paths));
        let (outgoing, queue) = mpsc::unbounded_channel();
        tokio::spawn(write_all(writer, queue));
        let reader = tokio::spawn(read_all(reader, Arc::clone(&routing))).abort_handle();
        let unwritten = Arc::new(Semaphore::new(UNWRITTEN_CALLS));
        let next_id = AtomicU64::new(1);
        Self { inner: Arc::new(Inner { server, routing, outgoing, unwritten, next_id, reader }) }
    }

    /// Returns the facts about the daemon at the other end.
    #[must_use]
    pub fn server(&self) -> &ConnectedDaemon {
        &self.inner.server
    }

    /// Returns true if new calls may use it: the connection stands and the daemon is not retiring.
    #[must_use]
    pub fn takes_calls(&self) -> bool {
        !self.inner.routing.is_leaving()
    }

    /// Subscribes to the events that the daemon sends unasked, from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.routing.events.subscribe()
    }

    /// Waits until the connection has ended; returns the reason.
    pub async fn wait_for_end(&self) -> String {
        let mut ended = self.inner.routing.ended.subscribe();
        // The sender lives in `self`, so this cannot fail.
        let _ = ended.wait_for(|ended| *ended).await;
        self.inner.routing.how_it_ended().map(|end| end.reason).unwrap_or_default()
    }

    /// Makes a call and waits for its answer. Dropping the future cancels the call.
    ///
    /// # Errors
    /// [`Lost`] when the connection ends first. The request's `deadline` is passed on to the daemon and not enforced
    /// here.
    pub async fn call(
        &self,
        request: &ToolRequest,
        progress: Option<OnProgress>,
    ) -> Result<DaemonAnswer, Lost> {
        let id = self.inner.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = encode(&ClientMessage::Call(self.call_message(id, request, progress.is_some())))?;
        let bytes = frame.len() - 4;
        if bytes > frame::MAX_QUESTION {
            return Err(refused_error(&FrameError::TooLarge { bytes, limit: frame::MAX_QUESTION }));
        }
        let permit = Arc::clone(&self.inner.unwritten).acquire_owned().await.ok();
        let sent = Arc::new(AtomicBool::new(false));
        let (answer, answered) = oneshot::channel();
        self.inner.routing.add_call(id, RoutedCall { answer, progress, sent: Arc::clone(&sent) })?;
        let _guard = CancelOnDrop { connection: self, id };
        let _ = self.inner.outgoing.send(Outgoing { frame, sent: Some(sent), _permit: permit });
        let answer = answered.await.unwrap_or_else(|_| Err(self.lost_error()))?;
        Ok(self.near_answer(answer, request))
    }

    /// Returns the call as a message, with paths of the daemon's side.
    fn call_message(&self, id: u64, request: &ToolRequest, progress: bool) -> Call {
        let (args, root) = match self.inner.routing.far_paths() {
            Some(paths) => (rewrite::far_args(paths, &request.args), paths.far_root(request.root.as_deref())),
            None => (request.args.clone(), request.root.clone()),
        };
        Call {
            id,
            tool: request.tool.clone(),
            args,
            root,
            progress,
            deadline_ms: request.deadline.map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX)),
            offers: request.offers.clone(),
            form: request.form,
            replies: request.replies.clone(),
            followed: request.followed,
        }
    }

    /// Returns the answer with paths of this side.
    fn near_answer(&self, answer: DaemonAnswer, request: &ToolRequest) -> DaemonAnswer {
        match self.inner.routing.far_paths() {
            Some(paths) => {
                let form = Form::asked_in(&request.args, request.form);
                let budget = requested_budget(&request.tool, &request.args, form);
                let envelope = rewrite::near_answer(paths, answer.envelope, form, budget);
                DaemonAnswer { envelope, ..answer }
            }
            None => answer,
        }
    }

    /// Asks for the daemon's status: a JSON object for people and scripts.
    ///
    /// # Errors
    /// [`Lost`].
    pub async fn status(&self) -> Result<Map<String, Value>, Lost> {
        let (sender, receiver) = oneshot::channel();
        self.inner.routing.add_status(sender)?;
        self.send(&ClientMessage::Status)?;
        receiver.await.map_err(|_| self.lost_error())
    }

    /// Opens the inbox for the daemon's messages to an editor, from now on. A second inbox replaces the first.
    #[must_use]
    pub fn open_inbox(&self) -> Inbox {
        let (sender, waiting) = mpsc::channel(UNTAKEN);
        self.inner.routing.add_inbox(sender);
        Inbox::new(self.clone(), waiting)
    }

    /// Sends a message of an editor, as JSON-RPC text. The queue behind which it waits has no limit; a caller with many
    /// messages waits for [`Connection::wait_for_room`] in between.
    ///
    /// # Errors
    /// [`Lost`] when the connection is known to be gone, or the message is larger than a frame may be. A message may be
    /// lost without an error too: the [`Inbox`] reports the end of the connection.
    pub fn send_lsp(&self, message: &str) -> Result<(), Lost> {
        let message = match self.inner.routing.far_paths() {
            Some(paths) => rewrite::far_message(paths, message),
            None => message.into(),
        };
        let frame = encode(&OfEditor::Lsp { message: &message })?;
        let permit = Arc::clone(&self.inner.unwritten).try_acquire_owned().ok();
        self.inner
            .outgoing
            .send(Outgoing { frame, sent: None, _permit: permit })
            .map_err(|_| self.lost_error())
    }

    /// Waits until the queue is short enough. Dropping the future loses nothing.
    pub async fn wait_for_room(&self) {
        let _ = self.inner.unwritten.acquire().await;
    }

    /// Asks the daemon to stop because the user wants it; [`Connection::wait_for_end`] returns when the daemon has
    /// closed the connection.
    ///
    /// # Errors
    /// [`Lost`] when the connection is gone already.
    pub fn shutdown(&self) -> Result<(), Lost> {
        self.send(&ClientMessage::Shutdown)
    }

    /// Asks the daemon to make room for a newer build.
    ///
    /// # Errors
    /// [`Lost`] when the connection is gone already.
    pub fn retire(&self, reason: &str) -> Result<(), Lost> {
        self.send(&ClientMessage::Retire { reason: reason.to_owned() })
    }

    fn send(&self, message: &ClientMessage) -> Result<(), Lost> {
        let out = Outgoing { frame: encode(message)?, sent: None, _permit: None };
        self.inner.outgoing.send(out).map_err(|_| self.lost_error())
    }

    pub(crate) fn lost_error(&self) -> Lost {
        let unknown = || End { reason: "the connection was closed".into(), orderly: false };
        lost_at(&self.inner.routing.how_it_ended().unwrap_or_else(unknown), true)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("server", &self.inner.server).finish_non_exhaustive()
    }
}

/// Sends the daemon a cancellation when a call's future is dropped.
struct CancelOnDrop<'a> {
    connection: &'a Connection,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.connection.inner.routing.remove_call(self.id) {
            let _ = self.connection.send(&ClientMessage::Cancel { id: self.id });
        }
    }
}

/// A [`ClientMessage::Lsp`] with a borrowed text, because a caller may keep a message of an editor, and it may be long.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum OfEditor<'m> {
    Lsp { message: &'m str },
}

fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, Lost> {
    // Only a request of more than 64 MiB cannot be encoded.
    frame::encode(message).map_err(|error| refused_error(&error))
}

fn refused_error(error: &FrameError) -> Lost {
    Lost { sent: false, orderly: false, too_large: true, reason: error.to_string() }
}

async fn read_all(reader: DaemonReader, routing: Arc<Routing>) {
    let mut reader = BufReader::new(reader);
    let reason = loop {
        match frame::read(&mut reader).await {
            Ok(message) => routing.deliver(message).await,
            Err(FrameError::Closed) => break "the daemon closed the connection".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    routing.end(reason);
}

/// Writes until the queue ends or the other end is closed. The reader finds the reason of the end, because a daemon's
/// goodbye may still be on its way.
async fn write_all(mut writer: DaemonWriter, mut queue: mpsc::UnboundedReceiver<Outgoing>) {
    let mut batch = Vec::new();
    while let Some(first) = queue.recv().await {
        let mut permits = Vec::new();
        let mut next = Some(first);
        while let Some(out) = next {
            if let Some(sent) = &out.sent {
                sent.store(true, Ordering::Release);
            }
            batch.extend_from_slice(&out.frame);
            permits.push(out);
            next = if batch.len() < WRITE_BATCH { queue.try_recv().ok() } else { None };
        }
        // A pipe to another program may keep bytes until it is flushed.
        if writer.write_all(&batch).await.is_err() || writer.flush().await.is_err() {
            return;
        }
        batch.clear();
        batch.shrink_to(WRITE_BATCH);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_borrowed_message_is_the_same_frame() {
        for text in ["", "{\"id\":1}", "\u{fc}\n\0"] {
            let owned = frame::encode(&ClientMessage::Lsp { message: text.to_owned() }).expect("it fits");
            assert_eq!(encode(&OfEditor::Lsp { message: text }).expect("it fits"), owned);
        }
    }
}
