//! The whole IPC on one page.
//!
//! After [`Hello`] and [`Welcome`], each side sends one closed enum. A connection carries many calls at once; `id` is
//! chosen by the client and answered exactly once.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::envelope::Form;
pub use crate::hello::{Hello, Welcome};

/// What a client sends.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every message is a call, so a box would cost more than it saves"
)]
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
    /// A message of an editor, which the daemon answers as a language server would. Only from clients of the kind
    /// [`ClientKind::Lsp`](crate::ClientKind::Lsp).
    Lsp {
        /// Its JSON-RPC text.
        message: String,
    },
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
    /// The notation of the answer, unless the argument `format` says otherwise.
    #[serde(default)]
    pub form: Form,
    /// What the client can do for the daemon, if it is asked.
    #[serde(default)]
    pub offers: Vec<Offer>,
    /// What came of earlier [`Ask`]s of this very call, by their keys; `null` where nobody answered.
    #[serde(default)]
    pub replies: Map<String, Value>,
}

/// What a client can do for the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// Let its user choose among a few things.
    Choose,
    /// Let its model write a few words.
    Sample,
}

/// A question that would make an answer better. The client asks it and calls again with the reply; or it does not, and the answer
/// that came with it stands. So the daemon keeps nothing, and nobody waits in it for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Names the reply.
    pub key: String,
    /// For whoever is asked.
    pub message: String,
    /// What is asked.
    pub question: AskKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// Which of these; the reply is the value of one, or `null` for none.
    Choose {
        /// Value and title of each.
        options: Vec<(String, String)>,
    },
    /// A model's words; the reply is its text.
    Sample {
        /// What the model is told about its task.
        system: String,
        /// Most tokens that it may write.
        max_tokens: u32,
    },
}

/// Whether a call may be sent again when its answer was lost. What writes may not, nor what adds to a change set: it could
/// have been carried out, and would be twice.
#[must_use]
pub fn is_repeatable(tool: &str, args: &Map<String, Value>) -> bool {
    let stages = || args.get("stage").is_some_and(|stage| *stage != Value::Bool(false));
    let writes = matches!(tool, "resolve_action" | "hob_undo") || (tool.starts_with("edit_") && stages());
    !writes
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
        /// The envelope in the form that was asked for: exactly the text whose cost was measured.
        envelope: String,
        /// What would make it better; only to clients that offered to ask it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<Ask>,
    },
    /// A message for the editor.
    Lsp {
        /// Its JSON-RPC text.
        message: String,
    },
    /// What an editor has said of a document so far comes to this: whoever has to say it again, to another daemon, may begin
    /// here. So a client need not know how texts change, and keeps little of a long session.
    Keep {
        /// The document, as the editor wrote it.
        uri: String,
        /// How many of its changes since it was opened on this connection are contained.
        changes: u64,
        /// A `textDocument/didOpen`, as JSON-RPC text.
        open: String,
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
