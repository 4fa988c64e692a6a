//! Keeps the documents that one editor has open, with its own text of each.
//!
//! The protocol sends changes, not texts, so the daemon follows every editor's text from its opening on. hob decides by
//! the text itself whether it counts, never by the editor's claims.

use std::collections::HashMap;
use std::sync::Arc;

use hob_base::AbsPath;
use hob_live::documents::Doc;
use hob_live::overlay::{Edit, ProjectOverlay};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::link::LinkKey;
use super::shape::encoding::Encoding;
use super::shape::offsets::{Position, offset_to_position, position_to_offset};

/// Most changes, and most bytes of them, that the shim keeps before a document's whole text replaces them.
const MOST_CHANGES: u64 = 256;
const MOST_BYTES: usize = 64 << 10;

/// Longest text that is accepted, in bytes.
const LONGEST: usize = 256 << 20;

/// Most documents of one editor, and most bytes of all their texts.
const MOST_DOCUMENTS: usize = 16_384;
const LONGEST_TOGETHER: usize = 512 << 20;

/// Returns the reason why no more text of this editor is accepted, if `more` further bytes would be too much.
pub(super) fn too_much(documents: &EditorDocuments, more: usize) -> Option<String> {
    let all: usize = documents.values().map(|document| document.text.len()).sum();
    match () {
        () if documents.len() >= MOST_DOCUMENTS => Some(format!("{MOST_DOCUMENTS} documents are open")),
        () if all + more > LONGEST_TOGETHER => {
            Some(format!("all open documents are over {LONGEST_TOGETHER} bytes"))
        }
        () => None,
    }
}

/// A document that an editor has open, with the editor's own text of it.
#[derive(Debug)]
pub(super) struct EditorDocument {
    pub(super) language: String,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    /// The document as the project knows it.
    pub(super) doc: Doc,
    pub(super) view: Arc<ProjectOverlay>,
    /// The root of the document's project.
    pub(super) root: AbsPath,
    /// The server of the document, if some kind serves it.
    pub(super) link: Option<LinkKey>,
    changes: u64,
    kept_at: u64,
    bytes: usize,
}

/// All documents of an editor, by the URIs that the editor uses.
pub(super) type EditorDocuments = HashMap<String, EditorDocument>;

/// A change in the protocol's form.
#[derive(Deserialize)]
struct TextChange<'c> {
    #[serde(borrow, default)]
    range: Option<&'c RawValue>,
    text: String,
}

/// The parameters of `textDocument/didChange`, with the changes not yet parsed.
#[derive(Deserialize)]
pub(super) struct DidChange<'c> {
    #[serde(rename = "textDocument")]
    pub(super) document: Versioned,
    #[serde(borrow, rename = "contentChanges")]
    changes: Vec<&'c RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Versioned {
    pub(super) uri: String,
    #[serde(default)]
    version: Option<i32>,
}

/// The project, overlay and server of an open document.
pub(super) struct DocumentPlace {
    pub(super) doc: Doc,
    pub(super) view: Arc<ProjectOverlay>,
    pub(super) root: AbsPath,
    pub(super) link: Option<LinkKey>,
}

impl DidChange<'_> {
    /// Returns the number of bytes of all changes: an upper bound on how much they lengthen the text.
    pub(super) fn changed_bytes(&self) -> usize {
        self.changes.iter().map(|change| change.get().len()).sum()
    }
}

impl EditorDocument {
    pub(super) fn new(language: String, version: i32, text: String, place: DocumentPlace) -> Self {
        let DocumentPlace { doc, view, root, link } = place;
        let text = text.into();
        Self { language, version, text, doc, view, root, link, changes: 0, kept_at: 0, bytes: 0 }
    }

    /// Returns the present text and version as one edit that replaces the whole document.
    pub(super) fn whole_edit(&self) -> Edit {
        Edit { version: self.version, text: Arc::clone(&self.text), changes: None }
    }

    /// Applies changes, one after the other.
    ///
    /// # Errors
    /// The reason in words, if they are invalid; the text then stays as it was.
    pub(super) fn apply_changes(&mut self, did: &DidChange<'_>, encoding: Encoding) -> Result<Edit, String> {
        let mut text = self.text.to_string();
        let mut pieces = Vec::with_capacity(did.changes.len());
        for raw in &did.changes {
            let change: TextChange<'_> =
                serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
            self.bytes += change.text.len();
            pieces.push(apply(&mut text, &change, encoding)?);
            if text.len() > LONGEST {
                return Err(format!("the text is longer than {LONGEST} bytes"));
            }
        }
        self.text = text.into();
        self.version = did.document.version.unwrap_or(self.version + 1);
        self.changes += 1;
        Ok(Edit { version: self.version, text: Arc::clone(&self.text), changes: Some(Value::Array(pieces)) })
    }

    /// Returns a `didOpen` of the present text, with the number of changes that it stands for, if the shim should keep
    /// it now.
    pub(super) fn checkpoint_if_due(&mut self, uri: &str) -> Option<(u64, Value)> {
        let is_due = self.changes - self.kept_at >= MOST_CHANGES
            || self.bytes > MOST_BYTES.max(self.text.len()) && self.changes > self.kept_at;
        is_due.then(|| {
            (self.kept_at, self.bytes) = (self.changes, 0);
            let document = json!({
                "uri": uri, "languageId": self.language, "version": self.version, "text": &*self.text,
            });
            let params = json!({"textDocument": document});
            (self.changes, json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}))
        })
    }
}

/// Applies one change; returns it in the form for servers, with UTF-16 columns.
fn apply(text: &mut String, change: &TextChange<'_>, encoding: Encoding) -> Result<Value, String> {
    let Some(range) = change.range.filter(|range| range.get() != "null") else {
        *text = change.text.clone();
        return Ok(json!({"text": change.text}));
    };
    let range: Value = serde_json::from_str(range.get()).map_err(|error| error.to_string())?;
    let at = |end: &str| {
        let position =
            Position::from_json(&range[end]).ok_or_else(|| format!("`range.{end}` is no position"))?;
        Ok::<usize, String>(position_to_offset(text, position, encoding))
    };
    let (from, to) = (at("start")?, at("end")?);
    if from > to {
        return Err("a range ends before it begins".to_owned());
    }
    // The columns are computed from offsets, not copied: positions outside of the text were moved into it.
    let utf16 = |offset| offset_to_position(text, offset, Encoding::Utf16).to_json();
    let piece = json!({"range": {"start": utf16(from), "end": utf16(to)}, "text": change.text});
    text.replace_range(from..to, &change.text);
    Ok(piece)
}
