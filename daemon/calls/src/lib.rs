//! Separates connections from tools: defines a call, its answer, and the trait that runs calls.
//!
//! `session` turns frames into [`CallRequest`]s and [`CallAnswer`]s into frames; `dispatch` runs them. Neither uses the
//! other's types, so the lifecycle can be tested with a few lines of tools, and the tools without a socket.

use std::sync::Arc;

use hob_base::{AbsPath, CancelToken};
use hob_proto::message::{Ask, Offer};
use hob_proto::{ClientKind, Form, ServerMessage};
use serde_json::{Map, Value};

/// Receives a call's progress: steps done, steps in all if known, and a text about the present step. Called from worker
/// threads; must not block.
pub type ProgressSink = Arc<dyn Fn(u64, Option<u64>, &str) + Send + Sync>;

/// Represents a client for as long as it is connected: the owner of a weak reference to it can tell when the client is
/// gone.
pub type Caller = hob_live::live::LiveCaller;

/// One call, as `session` hands it over.
#[derive(Clone)]
pub struct CallRequest {
    /// The tool's name, unchecked.
    pub tool: String,
    /// The call's arguments, not yet checked against the tool's schema.
    pub args: Map<String, Value>,
    /// The folder in which to look for a workspace when the arguments name none.
    pub root: AbsPath,
    /// The token that stops the work of this call.
    pub cancel: CancelToken,
    /// The receiver of progress, if the caller wants it.
    pub progress: Option<ProgressSink>,
    /// The kind of client that makes the call.
    pub client: ClientKind,
    /// The client that makes the call, for as long as it is connected.
    pub caller: Arc<Caller>,
    /// Number of connected clients.
    pub clients: usize,
    /// The client's identity, which outlives its connection.
    pub identity: String,
    /// True if the client's user started it with permission to edit.
    pub edits: bool,
    /// The notation of the answer, unless the arguments say otherwise.
    pub form: Form,
    /// The kinds of questions that the client can be asked.
    pub offers: Vec<Offer>,
    /// The client's replies to the questions of an earlier answer.
    pub replies: Map<String, Value>,
    /// True if `root` is a followed work tree, in which the paths of an earlier call lie.
    pub followed: bool,
}

/// The outcome of a finished call, as it goes to the client.
#[derive(Clone, Debug, PartialEq)]
pub struct CallAnswer {
    /// True if the call succeeded: the `ok` of the envelope.
    pub ok: bool,
    /// The envelope in the requested form, cut to its budget.
    pub envelope: String,
    /// The question to the client whose reply would make the answer better; `None` if there is none.
    pub ask: Option<Ask>,
}

/// An editor's connection, as `session` hands it over.
#[derive(Clone)]
pub struct EditorClient {
    /// The folder in which the editor was started.
    pub cwd: AbsPath,
    /// Its process ID, which names the editor for people.
    pub pid: u32,
    /// Sends a message to the editor; may be called from any thread and never waits.
    pub send: Arc<dyn Fn(ServerMessage) + Send + Sync>,
    /// The client that the editor speaks through, for as long as it is connected.
    pub caller: Arc<Caller>,
    /// The editor's identity, which outlives its connection.
    pub identity: String,
}

/// The daemon's side of an editor. Dropping it ends the connection and releases everything that the editor held.
pub trait EditorSide: Send + Sync {
    /// Handles one message of the editor, as JSON-RPC text; called in the order of arrival. Does not wait. `held` is
    /// dropped when the message has been handled: the reader of the connection waits for that when too many are under
    /// way.
    fn receive_message(&self, message: String, held: HeldUntilDone);
}

/// A value that is only held; dropping it is the signal.
pub type HeldUntilDone = Box<dyn std::fmt::Debug + Send>;

/// The part of the daemon that connections use. Methods are called from blocking threads.
pub trait Calls: Send + Sync + 'static {
    /// Runs a call to its end. Never panics: a bug becomes an `INTERNAL` answer.
    fn call(&self, request: CallRequest) -> CallAnswer;

    /// Serves an editor; `None` in a daemon that serves none.
    fn serve_editor(&self, client: EditorClient) -> Option<Box<dyn EditorSide>>;

    /// Returns facts for `hob status`: workspaces, memory; they are merged into the session layer's own (version, pid,
    /// up-time, clients).
    fn status(&self) -> Map<String, Value>;

    /// Returns true if work without a call is under way (an index being built), so that a daemon without clients is not
    /// idle.
    fn is_busy(&self) -> bool;

    /// Saves everything worth keeping. Called once, after the last answer.
    fn save_all(&self);
}
