//! Receives the daemon's messages to an editor, in order and without loss.
//!
//! An editor's messages are not calls: nothing here pairs a message with an answer, and nothing is repeated. The shim
//! takes an [`Inbox`] of the connection before it sends any message. The inbox reports the end of the connection, after
//! all messages that came before. An inbox that is not emptied holds up its connection, and in the end the daemon gives
//! the connection up.

use tokio::sync::mpsc;

use crate::connection::Connection;
use crate::request::Lost;

/// Most messages that may wait in an inbox.
pub(crate) const UNTAKEN: usize = 256;

/// A message of the daemon for an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromDaemon {
    /// A message to forward, as JSON-RPC text.
    Message(String),
    /// The state of a document after all of the editor's messages about it; see `ServerMessage::Keep`.
    Keep {
        /// The document's URI, as the editor wrote it.
        uri: String,
        /// Number of the document's changes on this connection that the text contains.
        changes: u64,
        /// The text of a `textDocument/didOpen` message.
        open: String,
    },
}

/// Receives the daemon's messages to the editor on one connection.
#[derive(Debug)]
pub struct Inbox {
    connection: Connection,
    waiting: mpsc::Receiver<FromDaemon>,
}

impl Inbox {
    pub(crate) fn new(connection: Connection, waiting: mpsc::Receiver<FromDaemon>) -> Self {
        Self { connection, waiting }
    }

    /// Returns the next message. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`Lost`] when the connection has ended and every earlier message has been returned.
    pub async fn next(&mut self) -> Result<FromDaemon, Lost> {
        self.waiting.recv().await.ok_or_else(|| self.connection.lost_error())
    }
}
