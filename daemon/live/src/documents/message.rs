//! Defines what a server is told of documents: notifications, and the few commands that stand in for one.

use std::time::Duration;

use serde_json::{Value, json};

use crate::spec::Reread;

/// A server's own commands; a request, whose result is of use to nobody here.
const COMMAND: &str = "workspace/executeCommand";

/// A notification for the server, or a command.
#[derive(Clone, PartialEq, Debug)]
pub struct Tell {
    /// Method of the message, as the protocol calls it.
    pub method: &'static str,
    /// The parameters of the method.
    pub params: Value,
}

/// The way to bring changes to a server.
#[derive(Clone, PartialEq, Debug)]
pub enum Taken {
    /// Tell the server this; for so long afterwards its answers may be of how things were.
    Tell(Vec<Tell>, Duration),
    /// Too much for a server of this kind to be told: start it anew.
    StartAnew,
}

/// A verdict that the server has been asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Awaited {
    /// The messages that make the server answer; empty if it was asked before.
    pub tell: Vec<Tell>,
    /// The version of the file that it is about.
    pub version: i32,
    /// Verdicts on the file that came before.
    pub before: u64,
}

impl Tell {
    pub(super) fn reread_command(how: Reread) -> Self {
        Self { method: COMMAND, params: json!({"command": how.command, "arguments": how.arguments}) }
    }

    /// Returns true if the message asks for an answer, of which there is nothing to be learnt.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.method == COMMAND
    }
}

/// The message that gives a server the whole text of a file under its next version. `anew` is clangd's own field for "also if nothing changed"; others know no such field and pass over it.
pub(super) fn did_change(uri: &str, version: i32, text: &str, anew: bool) -> Tell {
    let mut params = json!({
        "textDocument": {"uri": uri, "version": version},
        "contentChanges": [{"text": text}],
    });
    if anew {
        params["forceRebuild"] = json!(true);
    }
    Tell { method: "textDocument/didChange", params }
}
