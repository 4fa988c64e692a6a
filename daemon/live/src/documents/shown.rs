//! Defines the documents of editors, and the text of one that a server sees.

use std::sync::Arc;

use hob_base::WsPath;
use serde_json::Value;

/// An editor, for as long as it is attached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EditorId(pub u64);

/// A document of an editor.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Doc {
    /// A file of the project.
    Inside(WsPath),
    /// Anything else, by its URI: a library's source, a text without a file.
    Outside(String),
}

/// An editor's own version of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// The editor whose text it is.
    pub editor: EditorId,
    /// The editor's version of the text.
    pub version: i32,
}

/// The text that a server gets of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct ServerText {
    /// The protocol's language identifier.
    pub language: String,
    /// The document's whole text.
    pub text: Arc<str>,
    /// The changes that lead to it from the text before; `None` to send it whole.
    pub changes: Option<Value>,
    /// The editor whose text it is, with its version; `None` for the disk's text.
    pub label: Option<Label>,
}
