//! Defines a call, its progress and its answer, and the loss of a connection: the words of `connection`, which sends calls,
//! and of `routing`, which delivers what comes back.

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
    /// Where to look for a workspace when the arguments name none; absolute. The connection's directory if `None`.
    pub root: Option<String>,
    /// The longest time that the answer is worth waiting for.
    pub deadline: Option<Duration>,
    /// The notation of the answer.
    pub form: Form,
    /// The requests of the daemon that the caller can answer.
    pub offers: Vec<Offer>,
    /// The replies to the daemon's earlier requests, by their keys.
    pub replies: Map<String, Value>,
    /// True if `root` is a work tree into which the client was followed.
    pub followed: bool,
}

impl ToolRequest {
    /// A call of `tool` with `args`.
    #[must_use]
    pub fn new(tool: impl Into<String>, args: Map<String, Value>) -> Self {
        Self { tool: tool.into(), args, ..Self::default() }
    }

    /// Looks for the workspace from this folder.
    #[must_use]
    pub fn root(mut self, root: impl Into<String>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// Waits no longer than this.
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
    /// The envelope, serialised; to be passed on as it is.
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
    /// True if the call had gone out, so that the daemon may have begun it.
    pub sent: bool,
    /// True if the daemon said goodbye and that another can be reached.
    pub orderly: bool,
    /// True if the request is larger than a frame may be; no connection will take it.
    pub too_large: bool,
    /// The way in which the connection ended, in words.
    pub reason: String,
}
