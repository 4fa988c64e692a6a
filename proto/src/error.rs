//! Defines the error codes and the shape of an error in an envelope.
//!
//! Codes are stable and few, because callers branch on them. The message says what happened, the hint what to
//! do next.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The closed list of codes (`tools.md` says when each is used).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the contract of each code is the table in the tool documentation")]
pub enum ErrorCode {
    MapNotBuilt,
    NodeNotFound,
    BadNodeId,
    FileDeleted,
    SymbolNotFound,
    LspUnavailable,
    LspFailed,
    LspTimeout,
    LspUnsupported,
    BadArgs,
    BadPattern,
    OutsideWorkspace,
    UntrustedWorkspace,
    EditsDisabled,
    NoPendingAction,
    Conflict,
    ApplyFailed,
    BundleNotFound,
    OrgUnavailable,
    DaemonUnavailable,
    Cancelled,
    Internal,
}

/// A failed call, as the envelope has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolError {
    /// The kind of failure, on which a caller may branch.
    pub code: ErrorCode,
    /// A sentence for people that says what happened.
    pub message: String,
    /// A sentence that says what to do next; empty when there is nothing to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// Further fields of this code (`language`, `progress`, `candidates`).
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl ToolError {
    /// Creates an error with a message and no hint.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: String::new(), more: Map::new() }
    }

    /// Sets the hint, which says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Adds one further field to the error.
    #[must_use]
    pub fn with_field(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.more.insert(key.to_owned(), value.into());
        self
    }

    /// Creates an error of the most frequent code, `BAD_ARGS`.
    #[must_use]
    pub fn bad_args(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadArgs, message)
    }
}
