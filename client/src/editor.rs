//! Receives the daemon's messages to an editor, in order and without loss.
//!
//! An editor's messages are not calls: nothing pairs a message with an answer here, and nothing is repeated. Whoever speaks for the
//! editor takes an [`Inbox`] of the connection before it says anything, and learns from it when the connection has ended, after
//! everything that came before. An inbox that is not emptied holds up its connection, and in the end the daemon gives that up.

use tokio::sync::mpsc;

use crate::connection::Connection;
use crate::request::Lost;

/// Messages that may wait to be taken out.
pub(crate) const UNTAKEN: usize = 256;

/// Something the daemon has for an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromDaemon {
    /// A message to pass on: JSON-RPC text.
    Message(String),
    /// The state of a document after everything that the editor has said of it; see `ServerMessage::Keep`.
    Keep {
        /// The document, as the editor wrote it.
        uri: String,
        /// Number of the document's changes since it was opened on this connection that the text contains.
        changes: u64,
        /// The text of a `textDocument/didOpen` message.
        open: String,
    },
}

/// Receives what the daemon says to the editor on one connection.
#[derive(Debug)]
pub struct Inbox {
    connection: Connection,
    waiting: mpsc::Receiver<FromDaemon>,
}

impl Inbox {
    pub(crate) fn new(connection: Connection, waiting: mpsc::Receiver<FromDaemon>) -> Self {
        Self { connection, waiting }
    }

    /// The next message. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`Lost`] when the connection has ended and all that had come is taken.
    pub async fn next(&mut self) -> Result<FromDaemon, Lost> {
        self.waiting.recv().await.ok_or_else(|| self.connection.lost_error())
    }
}
