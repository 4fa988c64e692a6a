//! The whole IPC on one page.
//!
//! After [`Hello`] and [`Welcome`], each side sends one closed enum. A connection carries many calls at once; `id` is
//! chosen by the client and answered exactly once.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use crate::hello::{Hello, Welcome};

/// What a client sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientMessage {
    /// Run a tool.
    Call(Call),
    /// The answer to this call is no longer wanted; an answer (`CANCELLED`, or the real one if it was first) still comes.
    Cancel {
        /// The call.
        id: u64,
    },
    /// Finish what is under way, save, release the socket and exit, because a newer build wants to serve.
    Retire {
        /// For the log.
        reason: String,
    },
    /// Say how you are; answered with [`ServerMessage::Status`].
    Status,
    /// As `Retire`, because the user asked for it.
    Shutdown,
}

/// One tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Chosen by the client, unique among its calls under way.
    pub id: u64,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, as the caller wrote them; the daemon checks them.
    pub args: Map<String, Value>,
    /// Where to look for a workspace when the arguments have no `root`; absolute.
    pub root: Option<String>,
    /// Whether progress is wanted.
    pub progress: bool,
    /// How long the client will wait for the answer, in milliseconds from now; it may leave that to the daemon.
    #[serde(default)]
    pub deadline_ms: Option<u64>,
}

/// Whether a call of this tool may be sent again when its answer was lost. What applies edits may not: it could have been
/// carried out.
#[must_use]
pub fn is_repeatable(tool: &str) -> bool {
    tool != "resolve_action"
}

/// What the daemon sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage {
    /// How far a call is; only for calls that asked.
    Progress {
        /// The call.
        id: u64,
        /// Steps done so far; never falls.
        done: u64,
        /// Steps in all, when known.
        total: Option<u64>,
        /// What is being done.
        message: String,
    },
    /// A call's result.
    Answer {
        /// The call.
        id: u64,
        /// The envelope's `ok`.
        ok: bool,
        /// The envelope, serialised: exactly the text whose cost was measured.
        envelope: String,
    },
    /// Something the client did not ask for.
    Event(Event),
    /// Answer to [`ClientMessage::Status`]: a JSON object for people and scripts.
    Status(Map<String, Value>),
    /// The connection ends here, and why.
    Bye {
        /// For people.
        reason: String,
        /// Whether another daemon can be reached or started right away.
        retry: bool,
    },
}

/// Pushed by the daemon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A line worth showing to the user.
    Log {
        /// `warn` or `error`.
        level: String,
        /// The line.
        message: String,
    },
    /// A workspace took in changes.
    Changed {
        /// Its root.
        root: String,
        /// Its new generation.
        generation: u64,
    },
    /// The daemon is about to go; calls under way will still be answered, new ones belong to the next daemon.
    Retiring,
}
