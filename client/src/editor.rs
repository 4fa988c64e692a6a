//! What the daemon says to an editor, in order and without loss.
//!
//! An editor's messages are not calls: nothing pairs a message with an answer here, and nothing is repeated. Whoever speaks for the
//! editor takes an [`Inbox`] of the connection before it says anything, and learns from it when the connection has ended, after
//! everything that came before. An inbox that is not emptied holds up its connection, and in the end the daemon gives that up.

use tokio::sync::mpsc;

use crate::connection::{Connection, Lost};

/// Messages that may wait to be taken out.
pub(crate) const UNTAKEN: usize = 256;

/// Something the daemon has for an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromDaemon {
    /// A message to pass on: JSON-RPC text.
    Message(String),
    /// What the editor has said of a document comes to this; see `ServerMessage::Keep`.
    Keep {
        /// The document, as the editor wrote it.
        uri: String,
        /// How many of its changes since it was opened on this connection are contained.
        changes: u64,
        /// A `textDocument/didOpen`.
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
        self.waiting.recv().await.ok_or_else(|| self.connection.lost())
    }
}
