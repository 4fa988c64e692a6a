//! Defines a call, its progress and its answer, and the loss of a connection. `connection` sends calls, and `routing`
//! delivers the answers.

use std::sync::Arc;
use std::time::Duration;

use hob_proto::Form;
use hob_proto::message::{Ask, Offer};
use serde_json::{Map, Value};

/// A call to make.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRequest {
    /// The name of the tool to call.
    pub tool: String,
    /// Its arguments, passed on as they are.
    pub args: Map<String, Value>,
    /// The folder in which to look for a workspace when the arguments name none; absolute. `None` for the connection's
    /// directory.
    pub root: Option<String>,
    /// The longest time to wait for the answer.
    pub deadline: Option<Duration>,
    /// The notation of the answer.
    pub form: Form,
    /// The requests of the daemon that the caller can answer.
    pub offers: Vec<Offer>,
    /// The replies to the daemon's earlier requests, by their keys.
    pub replies: Map<String, Value>,
    /// True if `root` is a followed work tree.
    pub followed: bool,
}

impl ToolRequest {
    /// Creates a call of `tool` with `args`.
    #[must_use]
    pub fn new(tool: impl Into<String>, args: Map<String, Value>) -> Self {
        Self { tool: tool.into(), args, ..Self::default() }
    }

    /// Sets the folder in which to look for the workspace.
    #[must_use]
    pub fn root(mut self, root: impl Into<String>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// Sets the longest time to wait.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }
}

/// The answer of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct DaemonAnswer {
    /// A copy of the envelope's `ok` field.
    pub ok: bool,
    /// The serialised envelope, to be passed on unchanged.
    pub envelope: String,
    /// A request whose reply would improve the answer, if the caller offered to answer such requests.
    pub ask: Option<Ask>,
}

/// The progress of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps done; never falls.
    pub done: u64,
    /// Steps in all, when known.
    pub total: Option<u64>,
    /// A few words on the step that the daemon is doing.
    pub message: String,
}

/// Receives progress. Runs on the connection's reading task: it must not block.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// The connection ended before the answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Lost {
    /// True if the call was sent, so that the daemon may have begun it.
    pub sent: bool,
    /// True if the daemon said goodbye, and another one can be reached.
    pub orderly: bool,
    /// True if the request is larger than a frame may be; no connection will take it.
    pub too_large: bool,
    /// The way in which the connection ended, in words.
    pub reason: String,
}
