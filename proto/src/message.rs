//! The whole IPC on one page.
//!
//! After [`Hello`] and [`Welcome`], each side sends one closed enum. A connection carries many calls at once; `id` is
//! chosen by the client and answered exactly once.

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
    /// The answer to this call is no longer wanted; an answer (`CANCELLED`, or the real one if it was first) still comes.
    Cancel {
        /// The ID of the call to cancel.
        id: u64,
    },
    /// Finish what is under way, save, release the socket and exit, because a newer build wants to serve.
    Retire {
        /// The client's reason, for the daemon's log.
        reason: String,
    },
    /// Say how you are; answered with [`ServerMessage::Status`].
    Status,
    /// As `Retire`, because the user asked for it.
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
    /// Chosen by the client, unique among its calls under way.
    pub id: u64,
    /// The name of the called tool.
    pub tool: String,
    /// Its arguments, as the caller wrote them; the daemon checks them.
    pub args: Map<String, Value>,
    /// Where to look for a workspace when the arguments have no `root`; absolute.
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
    /// The replies to earlier [`Ask`]s of this same call, by their keys; `null` where nobody answered.
    #[serde(default)]
    pub replies: Map<String, Value>,
    /// True if `root` is no folder that the client names, but a work tree that the paths of an earlier call lie in: the answer says so.
    #[serde(default)]
    pub followed: bool,
}

/// A request of the daemon that a client is able to answer.
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
    /// The key under which the client returns the reply.
    pub key: String,
    /// For whoever is asked.
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
        /// A few words on the step that the daemon is doing.
        message: String,
    },
    /// The result of one call, which ends it.
    Answer {
        /// The ID of the call that is answered.
        id: u64,
        /// A copy of the envelope's `ok` field.
        ok: bool,
        /// The envelope in the form that was asked for: exactly the text whose cost was measured.
        envelope: String,
        /// A request whose reply would improve the answer; only for clients that offered to answer such requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<Ask>,
    },
    /// A message for the editor.
    Lsp {
        /// The message for the editor, as JSON-RPC text.
        message: String,
    },
    /// The state of a document after everything that the editor has said of it so far: a client that has to repeat it
    /// to another daemon may begin here. So a client need not know how texts change, and keeps little of a long
    /// session.
    Keep {
        /// The document, as the editor wrote it.
        uri: String,
        /// Number of the document's changes since it was opened on this connection that the text contains.
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
        /// The daemon's reason, as a sentence for people.
        reason: String,
        /// True if another daemon can be reached or started right away.
        retry: bool,
    },
}

/// Pushed by the daemon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A line worth showing to the user.
    Log {
        /// The severity of the line: `warn` or `error`.
        level: String,
        /// The text of the log line.
        message: String,
    },
    /// A workspace took in changes.
    Changed {
        /// The absolute root of the workspace that changed.
        root: String,
        /// The workspace's generation after the change.
        generation: u64,
    },
    /// The daemon is about to go; calls under way will still be answered, new ones belong to the next daemon.
    Retiring,
}
