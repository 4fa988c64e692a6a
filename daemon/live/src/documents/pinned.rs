//! Documents that editors have open: never closed to make room, sent as the editor changed them, and known by its numbers.

use std::collections::VecDeque;
use std::sync::Arc;

use hob_base::{ContentHash, WsPath};
use serde_json::{Value, json};

use super::{ServerDocuments, ServerOpenFile, Tell};
use crate::spec::ServerSpec;
use crate::views::EditorId;

/// So many versions back an editor's number is known. A verdict on an older one is of no use to anybody.
const MOST_LABELS: usize = 32;

/// A document of an editor.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Doc {
    /// A file of the project.
    Inside(WsPath),
    /// Anything else, by its URI: a library's source, a text without a file.
    Outside(String),
}

/// The editor whose text a version is, and the editor's number for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// The editor whose text it is.
    pub editor: EditorId,
    /// The editor's version of the text.
    pub version: i32,
}

/// The text that a server is to have of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The protocol's language identifier.
    pub language: String,
    /// The document's whole text.
    pub text: Arc<str>,
    /// The changes that lead to it from what was shown before; `None` to send it whole.
    pub changes: Option<Value>,
    /// The editor whose text it is, with its version; `None` for the disk's text.
    pub label: Option<Label>,
}

/// The server's numbers of one document and the editors' for them, oldest first.
#[derive(Debug, Default)]
pub(super) struct Labels(VecDeque<(i32, Label)>);

impl Labels {
    fn add(&mut self, version: i32, label: Label) {
        if self.0.back() == Some(&(version, label)) {
            return;
        }
        if self.0.len() == MOST_LABELS {
            self.0.pop_front();
        }
        self.0.push_back((version, label));
    }

    /// The next version is `same` text as this one, or another.
    pub(super) fn carry_label(&mut self, version: i32, same: bool) {
        if let Some((of, label)) = self.0.back().copied().filter(|_| same)
            && of == version
        {
            self.add(version + 1, label);
        }
    }

    fn version_for(&self, version: i32, editor: EditorId) -> Option<i32> {
        let mut known = self.0.iter().rev();
        known.find(|(of, label)| *of == version && label.editor == editor).map(|(_, label)| label.version)
    }
}

impl ServerDocuments {
    /// Returns the message that gives the server a document of an editor as it is shown. `whole` is for a server that
    /// takes no pieces.
    pub fn show_buffer(&mut self, spec: &ServerSpec, doc: &Doc, shown: &Shown, whole: bool) -> Option<Tell> {
        let uri = self.uri_of(doc);
        let hash = ContentHash::of(shown.text.as_bytes());
        let first = (self.highest + 1, self.uses);
        let Some(open) = self.open_mut(doc) else {
            let mut open = ServerOpenFile::new(first.0, &shown.text, first.1);
            open.pinned = true;
            open.fresh = self.relevant;
            if let Some(label) = shown.label {
                open.labels.add(first.0, label);
            }
            let known = match doc {
                Doc::Inside(path) => spec.language_of(path.file_name()),
                Doc::Outside(_) => None,
            };
            let language = known.unwrap_or(&shown.language);
            let params = json!({"textDocument":
                {"uri": uri, "languageId": language, "version": first.0, "text": &*shown.text}});
            match doc {
                Doc::Inside(path) => self.open.insert(path.clone(), open),
                Doc::Outside(uri) => self.outside.insert(uri.clone(), open),
            };
            return Some(Tell { method: "textDocument/didOpen", params });
        };
        (open.pinned, open.shown) = (true, false);
        let is_news = open.hash != hash;
        if is_news {
            open.hash = hash;
            open.version += 1;
        }
        let version = open.version;
        if let Some(label) = shown.label {
            open.labels.add(version, label);
        }
        is_news.then(|| {
            let changes = shown.changes.clone().filter(|_| !whole);
            let changes = changes.unwrap_or_else(|| json!([{"text": &*shown.text}]));
            let params = json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes});
            Tell { method: "textDocument/didChange", params }
        })
    }

    /// Returns the message to send when no editor has a document open any more; `disk` is what the file holds, if
    /// there is one. Files stay open, as those that are asked about do.
    pub fn unpin_document(&mut self, doc: &Doc, disk: Option<&str>) -> Option<Tell> {
        let path = match doc {
            Doc::Inside(path) => path,
            Doc::Outside(uri) => {
                let closed = self.outside.remove(uri)?;
                self.highest = self.highest.max(closed.version);
                return Some(Tell {
                    method: "textDocument/didClose",
                    params: json!({"textDocument": {"uri": uri}}),
                });
            }
        };
        let uri = self.uri(path);
        let open = self.open.get_mut(path)?;
        open.pinned = false;
        let Some(disk) = disk else { return Some(self.close(path)) };
        let hash = ContentHash::of(disk.as_bytes());
        if open.hash == hash {
            return None;
        }
        open.hash = hash;
        open.version += 1;
        Some(super::did_change(&uri, open.version, disk, false))
    }

    /// An editor's number for a version of the server's; `None` if it is not that editor's.
    #[must_use]
    pub fn editor_version(&self, doc: &Doc, version: i32, editor: EditorId) -> Option<i32> {
        self.get(doc)?.labels.version_for(version, editor)
    }

    /// The server's number for what it has of a document now.
    #[must_use]
    pub fn version_of(&self, doc: &Doc) -> Option<i32> {
        self.get(doc).map(|open| open.version)
    }

    /// Returns the URI by which a document is named to the server.
    #[must_use]
    pub fn uri_of(&self, doc: &Doc) -> String {
        match doc {
            Doc::Inside(path) => self.uri(path),
            Doc::Outside(uri) => uri.clone(),
        }
    }

    fn get(&self, doc: &Doc) -> Option<&ServerOpenFile> {
        match doc {
            Doc::Inside(path) => self.open.get(path),
            Doc::Outside(uri) => self.outside.get(uri),
        }
    }

    fn open_mut(&mut self, doc: &Doc) -> Option<&mut ServerOpenFile> {
        match doc {
            Doc::Inside(path) => self.open.get_mut(path),
            Doc::Outside(uri) => self.outside.get_mut(uri),
        }
    }
}
