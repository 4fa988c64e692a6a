//! Shows a server the documents that editors have open. They are never closed to make room, they follow the editors'
//! changes, and they keep the editors' version numbers.

use hob_base::ContentHash;
use serde_json::json;

use super::ServerDocuments;
use super::message::{DocumentMessage, did_change};
use super::open_file::ServerOpenFile;
use super::shown::{Doc, EditorId, ServerText};
use crate::spec::ServerSpec;

impl ServerDocuments {
    /// Returns the message that gives the server an editor's document as `shown` has it. `whole` is for a server that
    /// takes no incremental changes.
    pub fn show_buffer(
        &mut self,
        spec: &ServerSpec,
        doc: &Doc,
        shown: &ServerText,
        whole: bool,
    ) -> Option<DocumentMessage> {
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
            return Some(DocumentMessage { method: "textDocument/didOpen", params });
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
            DocumentMessage { method: "textDocument/didChange", params }
        })
    }

    /// Returns the message to send when no editor has a document open any more; `disk` is the file's text, if there is
    /// a file. Files stay open, as do those that calls ask about.
    pub fn unpin_document(&mut self, doc: &Doc, disk: Option<&str>) -> Option<DocumentMessage> {
        let path = match doc {
            Doc::Inside(path) => path,
            Doc::Outside(uri) => {
                let closed = self.outside.remove(uri)?;
                self.highest = self.highest.max(closed.version);
                return Some(DocumentMessage {
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
        Some(did_change(&uri, open.version, disk, false))
    }

    /// Returns an editor's number for a version of the server's; `None` if the version is not that editor's.
    #[must_use]
    pub fn editor_version(&self, doc: &Doc, version: i32, editor: EditorId) -> Option<i32> {
        self.get(doc)?.labels.version_for(version, editor)
    }

    /// Returns the server's version of a document's present text.
    #[must_use]
    pub fn version_of(&self, doc: &Doc) -> Option<i32> {
        self.get(doc).map(|open| open.version)
    }

    /// Returns the URI of a document in messages to the server.
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
