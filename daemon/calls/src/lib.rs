//! The line between connections and tools.
//!
//! `session` turns frames into [`CallRequest`]s and [`CallAnswer`]s into frames; `dispatch` runs them. Neither knows the other's
//! types, so the lifecycle can be tested with a few lines of tools and the tools without a socket.

use std::sync::Arc;

use hob_base::{AbsPath, CancelToken};
use hob_proto::message::{Ask, Offer};
use hob_proto::{ClientKind, Form, ServerMessage};
use serde_json::{Map, Value};

/// Receives a call's progress: steps done, steps in all if known, what is being done. Called from worker threads; must
/// not block.
pub type ProgressSink = Arc<dyn Fn(u64, Option<u64>, &str) + Send + Sync>;

/// Stands for a client as long as it is connected: whoever keeps a weak hold on it knows when it is gone.
pub type Caller = hob_live::live::LiveCaller;

/// One call, as `session` hands it over.
#[derive(Clone)]
pub struct CallRequest {
    /// The tool's name, unchecked.
    pub tool: String,
    /// The call's arguments, not yet checked against the tool's schema.
    pub args: Map<String, Value>,
    /// Where to look for a workspace when the arguments name none.
    pub root: AbsPath,
    /// The token that stops the work of this call.
    pub cancel: CancelToken,
    /// Where progress goes, if the caller wants it.
    pub progress: Option<ProgressSink>,
    /// The kind of client that makes the call.
    pub client: ClientKind,
    /// The client that makes the call, for as long as it is connected.
    pub caller: Arc<Caller>,
    /// Number of clients that are connected.
    pub clients: usize,
    /// The client's identity, which outlives its connection.
    pub identity: String,
    /// True if the client's user started it so that it may edit.
    pub edits: bool,
    /// The notation of the answer, unless the arguments say otherwise.
    pub form: Form,
    /// The questions that the client can be asked.
    pub offers: Vec<Offer>,
    /// The client's replies to the questions that an earlier answer asked it.
    pub replies: Map<String, Value>,
    /// True if `root` is a work tree that the paths of an earlier call lie in.
    pub followed: bool,
}

/// The outcome of a finished call, as it goes to the client.
#[derive(Clone, Debug, PartialEq)]
pub struct CallAnswer {
    /// True if the call succeeded: the `ok` of the envelope.
    pub ok: bool,
    /// The envelope in the form that was asked for, cut to its budget.
    pub envelope: String,
    /// The question to the client whose reply would make the answer better; `None` if there is none.
    pub ask: Option<Ask>,
}

/// An editor's connection, as `session` hands it over.
#[derive(Clone)]
pub struct EditorClient {
    /// Where the editor was started.
    pub cwd: AbsPath,
    /// Its process id, to name it by.
    pub pid: u32,
    /// Takes messages for it; may be called from any thread and never waits.
    pub send: Arc<dyn Fn(ServerMessage) + Send + Sync>,
    /// The client that the editor speaks through, for as long as it is connected.
    pub caller: Arc<Caller>,
    /// The editor's identity, which outlives its connection.
    pub identity: String,
}

/// The daemon's side of an editor. Dropping it is the end of the connection: everything that it had is let go of.
pub trait EditorSide: Send + Sync {
    /// Takes one message of the editor, as JSON-RPC text; called in the order in which they came. Does not wait. `held` is dropped
    /// when the message has been dealt with: whoever reads the connection waits for that before there are too many.
    fn receive_message(&self, message: String, held: HeldUntilDone);
}

/// Something that is only held, and means something by being let go.
pub type HeldUntilDone = Box<dyn std::fmt::Debug + Send>;

/// The part of the daemon that connections use. Methods are called from blocking threads.
pub trait Calls: Send + Sync + 'static {
    /// Runs a call to its end. Never panics: a bug becomes an `INTERNAL` answer.
    fn call(&self, request: CallRequest) -> CallAnswer;

    /// Serves an editor; `None` where there are no editors to be served.
    fn serve_editor(&self, client: EditorClient) -> Option<Box<dyn EditorSide>>;

    /// Facts for `hob status`: workspaces, memory; merged into the session layer's own (version, pid, up-time, clients).
    fn status(&self) -> Map<String, Value>;

    /// Returns true if work is under way without a call (an index being built), so that being without clients is not
    /// being idle.
    fn is_busy(&self) -> bool;

    /// Saves everything worth keeping. Called once, after the last call was answered.
    fn save_all(&self);
}
