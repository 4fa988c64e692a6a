//! Defines the messages that tell a server of documents: notifications, and the few commands that stand in for one.

use std::time::Duration;

use serde_json::{Value, json};

use crate::spec::Reread;

/// The request for a server's own command; hob needs no result of it.
const COMMAND: &str = "workspace/executeCommand";

/// A notification for the server, or a command.
#[derive(Clone, PartialEq, Debug)]
pub struct DocumentMessage {
    /// Method of the message, as the protocol calls it.
    pub method: &'static str,
    /// The parameters of the method.
    pub params: Value,
}

/// The way to tell a server of changes.
#[derive(Clone, PartialEq, Debug)]
pub enum AnnouncePlan {
    /// Send these messages. For so long afterwards the server's answers may be about the state before.
    Messages(Vec<DocumentMessage>, Duration),
    /// The changes are too many to tell a server of this kind: restart it.
    StartAnew,
}

/// Diagnostics that a server has been asked to push.
#[derive(Clone, PartialEq, Debug)]
pub struct AwaitedDiagnostics {
    /// The messages that make the server push them; empty if it was asked before.
    pub tell: Vec<DocumentMessage>,
    /// The version of the file that the diagnostics will be about.
    pub version: i32,
    /// Number of lists that the server pushed for the file before.
    pub before: u64,
}

impl DocumentMessage {
    pub(super) fn reread_command(how: Reread) -> Self {
        Self { method: COMMAND, params: json!({"command": how.command, "arguments": how.arguments}) }
    }

    /// Returns true if the message is a request, whose answer nobody needs.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.method == COMMAND
    }
}

/// Makes the message that gives a server the whole text of a file under its next version. `anew` is clangd's own field
/// for "also if nothing changed"; other servers ignore it.
pub(super) fn did_change(uri: &str, version: i32, text: &str, anew: bool) -> DocumentMessage {
    let mut params = json!({
        "textDocument": {"uri": uri, "version": version},
        "contentChanges": [{"text": text}],
    });
    if anew {
        params["forceRebuild"] = json!(true);
    }
    DocumentMessage { method: "textDocument/didChange", params }
}
