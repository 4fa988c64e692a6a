//! The line between connections and tools.
//!
//! `session` turns frames into [`CallRequest`]s and [`Answer`]s into frames; `dispatch` runs them. Neither knows the other's
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
pub type Caller = hob_live::live::Client;

/// One call, as `session` hands it over.
#[derive(Clone)]
pub struct CallRequest {
    /// The tool's name, unchecked.
    pub tool: String,
    /// Its arguments, unchecked.
    pub args: Map<String, Value>,
    /// Where to look for a workspace when the arguments name none.
    pub root: AbsPath,
    /// Stops the work.
    pub cancel: CancelToken,
    /// Where progress goes, if the caller wants it.
    pub progress: Option<ProgressSink>,
    /// What kind of client asks.
    pub client: ClientKind,
    /// Which one, for as long as it is connected.
    pub caller: Arc<Caller>,
    /// How many are connected.
    pub clients: usize,
    /// Who it is across connections.
    pub identity: String,
    /// Whether its user started it so that it may edit.
    pub edits: bool,
    /// The notation of the answer, unless the arguments say otherwise.
    pub form: Form,
    /// What it can do if it is asked.
    pub offers: Vec<Offer>,
    /// What came of being asked.
    pub replies: Map<String, Value>,
}

/// A finished call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The envelope's `ok`.
    pub ok: bool,
    /// The envelope in the form that was asked for, cut to its budget.
    pub envelope: String,
    /// What would make it better.
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
    /// Which client it is, for as long as it is connected.
    pub caller: Arc<Caller>,
    /// Who it is across connections.
    pub identity: String,
}

/// The daemon's side of an editor. Dropping it is the end of the connection: everything that it had is let go of.
pub trait EditorSide: Send + Sync {
    /// Takes one message of the editor, as JSON-RPC text; called in the order in which they came. Does not wait. `held` is dropped
    /// when the message has been dealt with: whoever reads the connection waits for that before there are too many.
    fn take(&self, message: String, held: Held);
}

/// Something that is only held, and means something by being let go.
pub type Held = Box<dyn std::fmt::Debug + Send>;

/// What connections need of the rest of the daemon. Methods are called from blocking threads.
pub trait Calls: Send + Sync + 'static {
    /// Runs a call to its end. Never panics: a bug becomes an `INTERNAL` answer.
    fn call(&self, request: CallRequest) -> Answer;

    /// Serves an editor; `None` where there are no editors to be served.
    fn editor(&self, client: EditorClient) -> Option<Box<dyn EditorSide>>;

    /// Facts for `hob status`: workspaces, memory; merged into the session layer's own (version, pid, up-time, clients).
    fn status(&self) -> Map<String, Value>;

    /// Whether work is under way without a call (an index being built), so that being without clients is not being idle.
    fn busy(&self) -> bool;

    /// Saves everything worth keeping. Called once, after the last call was answered.
    fn persist(&self);
}
