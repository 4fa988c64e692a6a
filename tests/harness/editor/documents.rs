//! Keeps an editor's documents, and makes the messages about them and the positions in them as the protocol defines
//! them.

use std::ops::Range;

use serde_json::{Value, json};

use super::Editor;

/// An open document, as its editor has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The version that was sent last.
    pub version: i64,
    /// The present text of the document.
    pub text: String,
}

impl Document {
    /// Replaces bytes of the text, and returns the change to be sent.
    fn splice(&mut self, bytes: Range<usize>, with: &str, encoding: &str) -> Value {
        let at = |offset: usize| position(&self.text, offset, encoding);
        let range = json!({"start": at(bytes.start), "end": at(bytes.end)});
        self.text.replace_range(bytes, with);
        self.version += 1;
        json!({"range": range, "text": with})
    }

    /// Replaces the whole text, and returns the change to be sent.
    fn replace(&mut self, text: &str) -> Value {
        text.clone_into(&mut self.text);
        self.version += 1;
        json!({"text": text})
    }
}

impl Editor {
    /// Returns an open document.
    ///
    /// # Panics
    ///
    /// Panics if it is not open.
    #[track_caller]
    #[must_use]
    pub fn document(&self, file: &str) -> &Document {
        self.documents.get(file).unwrap_or_else(|| panic!("{file} is not open"))
    }

    /// Opens a file with the text that it has on disk.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be read or is already open.
    #[track_caller]
    pub fn open(&mut self, file: &str) {
        let text = std::fs::read_to_string(self.root.join(file)).expect("a file that is opened");
        self.open_as(file, &text);
    }

    /// Opens a file with this text.
    ///
    /// # Panics
    ///
    /// Panics if it is already open.
    #[track_caller]
    pub fn open_as(&mut self, file: &str, text: &str) {
        let document = Document { version: 1, text: text.to_owned() };
        assert!(self.documents.insert(file.to_owned(), document).is_none(), "{file} is open already");
        let language = match file.rsplit('.').next().unwrap_or_default() {
            "py" => "python",
            "ts" => "typescript",
            "rs" => "rust",
            ending => ending,
        };
        let item = json!({"uri": self.uri(file), "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": item}));
    }

    /// Replaces bytes of an open document.
    ///
    /// # Panics
    ///
    /// Panics if it is not open.
    #[track_caller]
    pub fn edit(&mut self, file: &str, bytes: Range<usize>, with: &str) {
        let encoding = self.encoding.clone();
        let change = self.mutable(file).splice(bytes, with, &encoding);
        self.notify_change(file, &json!([change]));
    }

    /// Replaces the first occurrence of a text.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    #[track_caller]
    pub fn substitute(&mut self, file: &str, this: &str, with: &str) {
        let start = self.document(file).text.find(this).unwrap_or_else(|| panic!("no {this} in {file}"));
        self.edit(file, start..start + this.len(), with);
    }

    /// Replaces the whole text of an open document.
    ///
    /// # Panics
    ///
    /// Panics if it is not open.
    #[track_caller]
    pub fn replace(&mut self, file: &str, text: &str) {
        let change = self.mutable(file).replace(text);
        self.notify_change(file, &json!([change]));
    }

    #[track_caller]
    fn mutable(&mut self, file: &str) -> &mut Document {
        self.documents.get_mut(file).unwrap_or_else(|| panic!("{file} is not open"))
    }

    #[track_caller]
    fn notify_change(&mut self, file: &str, changes: &Value) {
        let id = json!({"uri": self.uri(file), "version": self.document(file).version});
        self.notify("textDocument/didChange", &json!({"textDocument": id, "contentChanges": changes}));
    }

    /// Writes a document to disk and notifies the server.
    ///
    /// # Panics
    ///
    /// Panics if it is not open or cannot be written.
    #[track_caller]
    pub fn save(&mut self, file: &str) {
        std::fs::write(self.root.join(file), &self.document(file).text).expect("it can be written");
        self.notify("textDocument/didSave", &self.about(file));
    }

    /// Closes a document, saved or not.
    ///
    /// # Panics
    ///
    /// Panics if it is not open.
    #[track_caller]
    pub fn close(&mut self, file: &str) {
        assert!(self.documents.remove(file).is_some(), "{file} is not open");
        self.notify("textDocument/didClose", &self.about(file));
    }

    /// Returns `{"textDocument": ..., "position": ...}` for the start of a text in an open document, moved by `on`
    /// bytes.
    ///
    /// # Panics
    ///
    /// Panics if the document does not contain the text.
    #[track_caller]
    #[must_use]
    pub fn at(&self, file: &str, text: &str, on: usize) -> Value {
        let whole = &self.document(file).text;
        let start = whole.find(text).unwrap_or_else(|| panic!("no {text} in {file}"));
        let mut params = self.about(file);
        params["position"] = position(whole, start + on, &self.encoding);
        params
    }
}

/// Returns the position of a byte, in `utf-8`, `utf-16` or `utf-32` units.
fn position(text: &str, offset: usize, encoding: &str) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let last = &before[start..];
    let column = match encoding {
        "utf-8" => last.len(),
        "utf-32" => last.chars().count(),
        _ => last.encode_utf16().count(),
    };
    json!({"line": line, "character": column})
}
