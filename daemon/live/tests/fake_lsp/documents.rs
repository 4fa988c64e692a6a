//! The documents of the scripted server, and complaints about whoever tells it of them: what a real server would take in
//! silence, and be wrong from then on.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;

use serde_json::{Value, json};

/// The documents that the client has opened. Each complaint is a line of the file.
pub(crate) struct FakeDocuments {
    open: HashMap<String, (i64, String)>,
    complaints: File,
}

impl FakeDocuments {
    /// None yet. Complaints of an earlier server stay in the file.
    pub(crate) fn new(complaints: &str) -> Self {
        let complaints = OpenOptions::new().append(true).create(true).open(complaints).expect("a file");
        Self { open: HashMap::new(), complaints }
    }

    /// Takes in a notification about documents; others are none of its business.
    pub(crate) fn handle_notification(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "textDocument/didOpen" => self.note_opened(uri, document),
            "textDocument/didChange" => self.note_changed(&uri, params),
            "textDocument/didSave" => self.note_saved(&uri, &params["text"]),
            "textDocument/didClose" if self.open.remove(&uri).is_none() => {
                self.complain(&format!("{uri}: closed, and was not open"));
            }
            _ => {}
        }
    }

    fn note_opened(&mut self, uri: String, document: &Value) {
        let text = document["text"].as_str().unwrap_or_default().to_owned();
        let version = document["version"].as_i64().unwrap_or_default();
        if self.open.insert(uri.clone(), (version, text)).is_some() {
            self.complain(&format!("{uri}: opened twice"));
        }
    }

    fn note_changed(&mut self, uri: &str, params: &Value) {
        let Some((known, mut text)) = self.open.get(uri).cloned() else {
            return self.complain(&format!("{uri}: changed, and is not open"));
        };
        let version = params["textDocument"]["version"].as_i64().unwrap_or_default();
        if version <= known {
            self.complain(&format!("{uri}: version {version} after {known}"));
        }
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            match apply_change(&text, change) {
                Some(new) => text = new,
                None => self.complain(&format!("{uri}: no such place in {text:?}: {change}")),
            }
        }
        self.open.insert(uri.to_owned(), (version, text));
    }

    fn note_saved(&mut self, uri: &str, text: &Value) {
        match self.open.get(uri) {
            None => self.complain(&format!("{uri}: saved, and is not open")),
            Some((_, known)) if text.as_str().is_some_and(|text| text != known) => {
                self.complain(&format!("{uri}: saved as something else than it is"));
            }
            Some(_) => {}
        }
    }

    fn complain(&mut self, about: &str) {
        writeln!(self.complaints, "{}", about.replace('\n', " ")).expect("the file can be written");
    }

    /// Text and version of a document; `null` if it is not open.
    pub(crate) fn document_state(&self, uri: &str) -> Value {
        self.open.get(uri).map_or(Value::Null, |(version, text)| json!({"version": version, "text": text}))
    }

    /// The text of a document.
    pub(crate) fn text(&self, uri: &str) -> Option<&str> {
        self.open.get(uri).map(|(_, text)| text.as_str())
    }
}

fn apply_change(text: &str, change: &Value) -> Option<String> {
    let with = change["text"].as_str()?;
    if change["range"].is_null() {
        return Some(with.to_owned());
    }
    let (start, end) = (offset(text, &change["range"]["start"])?, offset(text, &change["range"]["end"])?);
    Some(format!("{}{with}{}", text.get(..start)?, text.get(start.max(end)..)?)).filter(|_| start <= end)
}

/// The byte of a position in UTF-16 units; none where the line is not there or too short, or within a character.
fn offset(text: &str, position: &Value) -> Option<usize> {
    let (line, column) = (position["line"].as_u64()?, position["character"].as_u64()?);
    let mut start = 0;
    for _ in 0..line {
        start += text[start..].find('\n')? + 1;
    }
    let mut units = 0;
    for (at, character) in text[start..].char_indices() {
        if units >= column || character == '\n' {
            return (units == column).then_some(start + at);
        }
        units += character.len_utf16() as u64;
    }
    (units == column).then_some(text.len())
}
