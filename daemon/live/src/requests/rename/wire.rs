//! Reads a server's edit in both of the protocol's forms, and tolerates the deviations of servers.
//!
//! `lsp-types` has these types too, but reads an annotated edit as a plain one and loses that the server wants it
//! confirmed.

use std::collections::BTreeMap;

use lsp_types::{Range, Uri};
use serde::{Deserialize, Serialize};

use crate::uri;

/// An edit of several files.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WorkspaceEdit {
    changes: Option<BTreeMap<String, Vec<TextEdit>>>,
    document_changes: Option<Vec<DocumentChange>>,
    change_annotations: BTreeMap<String, Annotation>,
}

/// New text for a range.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextEdit {
    pub(super) range: Range,
    pub(super) new_text: String,
    annotation_id: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum DocumentChange {
    Operation(Operation),
    Document(DocumentEdit),
}

/// An operation on whole files.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Operation {
    /// A new, empty file.
    Create { uri: Uri, options: Option<Options> },
    /// A file or folder moves to another place.
    #[serde(rename_all = "camelCase")]
    Rename { old_uri: Uri, new_uri: Uri, options: Option<Options> },
    /// A file or folder is deleted.
    Delete { uri: Uri, options: Option<Options> },
}

/// The server's choice for a step where a file is in the way, or is missing.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Options {
    pub(super) overwrite: Option<bool>,
    pub(super) ignore_if_exists: Option<bool>,
    pub(super) recursive: Option<bool>,
    pub(super) ignore_if_not_exists: Option<bool>,
}

#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentEdit {
    text_document: VersionedDocument,
    edits: Vec<TextEdit>,
}

#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
struct VersionedDocument {
    uri: Uri,
    version: Option<i32>,
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Annotation {
    label: String,
    needs_confirmation: Option<bool>,
}

/// One step of an edit.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum LspEditStep {
    /// New texts for ranges of a file; they refer to this version of it, if the server gives one.
    Text { uri: Uri, version: Option<i32>, edits: Vec<TextEdit> },
    /// An operation on a whole file.
    Whole(Operation),
}

impl WorkspaceEdit {
    /// Returns the steps of the edit in their order, or the text of a URI that is not valid. Where a server gives
    /// both forms, the one with versions counts.
    pub(super) fn into_steps(self) -> Result<Vec<LspEditStep>, String> {
        match self.document_changes {
            Some(changes) if !changes.is_empty() => {
                Ok(changes.into_iter().map(LspEditStep::from_change).collect())
            }
            _ => self
                .changes
                .unwrap_or_default()
                .into_iter()
                .map(|(uri, edits)| LspEditStep::from_plain_edits(uri, edits))
                .collect(),
        }
    }

    /// Returns the labels of the changes that the server wants a person to confirm.
    pub(super) fn to_confirm(&self) -> Vec<String> {
        let wanted = |annotation: &&Annotation| annotation.needs_confirmation == Some(true);
        let used =
            self.change_annotations.iter().filter(|(id, _)| self.is_annotation_used(id)).map(|(_, one)| one);
        used.filter(wanted).map(|annotation| annotation.label.clone()).collect()
    }

    /// Returns true if a text edit has this annotation. Previews show operations on whole files anyway.
    fn is_annotation_used(&self, id: &str) -> bool {
        let plain = self.changes.iter().flatten().flat_map(|(_, edits)| edits);
        let documents = self.document_changes.iter().flatten().flat_map(|change| match change {
            DocumentChange::Document(document) => &document.edits[..],
            DocumentChange::Operation(_) => &[],
        });
        plain.chain(documents).any(|edit| edit.annotation_id.as_deref() == Some(id))
    }
}

impl LspEditStep {
    fn from_change(change: DocumentChange) -> Self {
        match change {
            DocumentChange::Operation(operation) => Self::Whole(operation),
            DocumentChange::Document(DocumentEdit {
                text_document: VersionedDocument { uri, version },
                edits,
            }) => Self::Text { uri, version, edits },
        }
    }

    fn from_plain_edits(uri: String, edits: Vec<TextEdit>) -> Result<Self, String> {
        let parsed = uri::parse(&uri).ok_or(uri)?;
        Ok(Self::Text { uri: parsed, version: None, edits })
    }
}
