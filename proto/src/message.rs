//! Defines all messages of the IPC.
//!
//! After [`Hello`] and [`Welcome`], each side sends one closed enum. A connection carries many calls at once;
//! the client chooses the `id` of each, and the daemon answers it exactly once.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::envelope::Form;
pub use crate::hello::{Hello, Welcome};

/// A message from a client to the daemon.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every message is a call, so a box would cost more than it saves"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientMessage {
    /// Asks the daemon to run a tool.
    Call(Call),
    /// Cancels a call; an answer (`CANCELLED`, or the real one if it was first) still comes.
    Cancel {
        /// The ID of the call to cancel.
        id: u64,
    },
    /// Orders the daemon to finish its calls, save, release the socket and exit, because a newer build wants
    /// to serve.
    Retire {
        /// The client's reason, for the daemon's log.
        reason: String,
    },
    /// Asks for the daemon's status; answered with [`ServerMessage::Status`].
    Status,
    /// Orders the same as `Retire`, because the user wants it.
    Shutdown,
    /// A message of an editor, which the daemon answers as a language server would. Only from clients of the kind
    /// [`ClientKind::Lsp`](crate::ClientKind::Lsp).
    Lsp {
        /// The editor's message, as JSON-RPC text.
        message: String,
    },
}

/// A call of one tool with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The ID, chosen by the client, unique among its calls under way.
    pub id: u64,
    /// The name of the called tool.
    pub tool: String,
    /// Its arguments, as the caller wrote them; the daemon checks them.
    pub args: Map<String, Value>,
    /// The folder in which to look for a workspace when the arguments have no `root`; absolute.
    pub root: Option<String>,
    /// True if the client wants progress messages for this call.
    pub progress: bool,
    /// The longest time that the client waits for the answer, in milliseconds from now; `None` leaves it to the
    /// daemon.
    #[serde(default)]
    pub deadline_ms: Option<u64>,
    /// The notation of the answer, unless the argument `format` says otherwise.
    #[serde(default)]
    pub form: Form,
    /// The requests that the client can answer for the daemon during this call.
    #[serde(default)]
    pub offers: Vec<Offer>,
    /// The replies to earlier [`Ask`]s of this same call, by their keys; `null` for an unanswered one.
    #[serde(default)]
    pub replies: Map<String, Value>,
    /// True if `root` is a followed work tree: the client did not name it, but the paths of an earlier call
    /// lie in it. The answer says so.
    #[serde(default)]
    pub followed: bool,
}

/// A request of the daemon that a client is able to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// Lets its user choose among a few items.
    Choose,
    /// Lets its model write a few words.
    Sample,
}

/// A question whose reply would improve an answer. The client asks it and calls again with the reply; or it
/// does not, and keeps the answer that came with the question. So the daemon stores nothing, and no call in
/// it waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The key under which the client returns the reply.
    pub key: String,
    /// The question, for the user or the model.
    pub message: String,
    /// The request that the client is to answer.
    pub question: AskKind,
}

/// The content of an [`Ask`]: the request that the client answers for the daemon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// A choice among the given items; the reply is the value of one, or `null` for none.
    Choose {
        /// Value and title of each.
        options: Vec<(String, String)>,
    },
    /// A model's words; the reply is its text.
    Sample {
        /// The instructions that tell the model its task.
        system: String,
        /// Most tokens that it may write.
        max_tokens: u32,
    },
}

/// Returns true if a client may send a call again after its answer was lost. A call that writes, or that adds to a
/// change set, is not repeatable: the daemon may have carried it out, and would do so twice.
#[must_use]
pub fn is_repeatable(tool: &str, args: &Map<String, Value>) -> bool {
    let stages = || args.get("stage").is_some_and(|stage| *stage != Value::Bool(false));
    let writes = matches!(tool, "resolve_action" | "hob_undo") || (tool.starts_with("edit_") && stages());
    !writes
}

/// A message from the daemon to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage {
    /// The progress of a call; only for calls that asked for it.
    Progress {
        /// The ID of the call that progresses.
        id: u64,
        /// Steps done so far; never falls.
        done: u64,
        /// Steps in all, when known.
        total: Option<u64>,
        /// A description of the present step in a few words.
        message: String,
    },
    /// The result of one call, which ends it.
    Answer {
        /// The ID of the call that is answered.
        id: u64,
        /// A copy of the envelope's `ok` field.
        ok: bool,
        /// The envelope in the requested form: exactly the text whose cost was measured.
        envelope: String,
        /// A question whose reply would improve the answer; only for clients that can answer it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<Ask>,
    },
    /// A message for the editor.
    Lsp {
        /// The message for the editor, as JSON-RPC text.
        message: String,
    },
    /// The state of a document after all messages of the editor so far: a client that has to repeat them to
    /// another daemon may begin here. So a client need not know how texts change, and stores little of a long
    /// session.
    Keep {
        /// The document, as the editor wrote it.
        uri: String,
        /// The number of changes to the document, since it was opened on this connection, that the text
        /// contains.
        changes: u64,
        /// A `textDocument/didOpen`, as JSON-RPC text.
        open: String,
    },
    /// A message that the client did not request.
    Event(Event),
    /// Answer to [`ClientMessage::Status`]: a JSON object for people and scripts.
    Status(Map<String, Value>),
    /// The end of the connection, with the reason.
    Bye {
        /// The daemon's reason, as a sentence for people.
        reason: String,
        /// True if another daemon can be reached or started right away.
        retry: bool,
    },
}

/// An event that the daemon sends unasked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A line to show to the user.
    Log {
        /// The severity of the line: `warn` or `error`.
        level: String,
        /// The text of the log line.
        message: String,
    },
    /// A workspace ingested changes.
    Changed {
        /// The absolute root of the workspace that changed.
        root: String,
        /// The workspace's generation after the change.
        generation: u64,
    },
    /// The daemon is about to end; it still answers calls under way, new ones belong to the next daemon.
    Retiring,
}
