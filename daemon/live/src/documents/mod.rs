//! Tracks the files that a server has been told of: which are open in it, and with what contents.
//!
//! Disk is the truth. A server does not reread a file that is open in it, so hob sends each change on disk. The number
//! of open files is bounded, because every one costs memory in the server and work in hob. Messages must reach the
//! server in the order of the decisions, so [`ServerDocuments`] is used under one lock from the decision to the
//! sending.

mod announce;
mod change;
mod message;
mod open_file;
mod pinned;
mod shown;

use std::collections::{BTreeMap, HashMap};

use hob_base::{AbsPath, ContentHash, WsPath};
use serde_json::json;

pub use change::{FileChange, ReadText};
pub use message::{AnnouncePlan, AwaitedDiagnostics, DocumentMessage};
pub use shown::{Doc, EditorId, Label, ServerText};

use crate::spec::{Announce, ServerSpec};
use crate::uri;
use message::did_change;
use open_file::ServerOpenFile;

/// Most files that may be open at once.
const MOST_OPEN: usize = 64;

/// The documents that one server has open.
#[derive(Debug)]
pub struct ServerDocuments {
    root: AbsPath,
    open: HashMap<WsPath, ServerOpenFile>,
    /// Documents that editors have open outside the project, by their URI.
    outside: HashMap<String, ServerOpenFile>,
    uses: u64,
    /// Number of batches of changes so far.
    changes: u64,
    /// Number of those batches on which files of the server's languages may depend.
    relevant: u64,
    /// Files that the server is reading, each with the version whose diagnostics will show that it has.
    reading: BTreeMap<WsPath, i32>,
    /// The highest version of any file that was closed. Files begin above it, so that no message about an earlier
    /// opening is taken for a new one.
    highest: i32,
}

impl ServerDocuments {
    /// Creates the list of a server that has nothing open.
    #[must_use]
    pub fn new(root: AbsPath) -> Self {
        Self {
            root,
            open: HashMap::new(),
            outside: HashMap::new(),
            uses: 0,
            changes: 0,
            relevant: 0,
            reading: BTreeMap::new(),
            highest: 0,
        }
    }

    /// Returns the number of open files of the project.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns true if no file is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the version of a file that is open.
    #[must_use]
    pub fn version(&self, path: &WsPath) -> Option<i32> {
        self.open.get(path).map(|open| open.version)
    }

    /// Returns the last sent state of an open file: its version, and the hash of its contents.
    #[must_use]
    pub fn last_sent(&self, path: &WsPath) -> Option<(i32, ContentHash)> {
        self.open.get(path).map(|open| (open.version, open.hash))
    }

    /// Returns the messages that open `path` with its present contents; `None` if it cannot be read.
    pub fn open(
        &mut self,
        spec: &ServerSpec,
        path: &WsPath,
        read: ReadText<'_>,
    ) -> Option<Vec<DocumentMessage>> {
        self.uses += 1;
        if let Some(open) = self.open.get_mut(path) {
            // Changes on disk were sent on already; see `announce`.
            (open.used, open.shown) = (self.uses, false);
            let stale = matches!(spec.announce, Announce::OpenUntilRead(_)) && open.fresh < self.relevant;
            return if stale { Some(vec![self.read_again(path, &read(path)?)?]) } else { Some(Vec::new()) };
        }
        let text = read(path)?;
        let mut tell = self.close_superfluous();
        let version = self.highest + 1;
        let open = ServerOpenFile { fresh: self.relevant, ..ServerOpenFile::new(version, &text, self.uses) };
        self.open.insert(path.clone(), open);
        tell.push(self.did_open(spec, path, version, text));
        Some(tell)
    }

    /// Returns the message that makes the server read an open file once more, with all that it depends on.
    fn read_again(&mut self, path: &WsPath, text: &str) -> Option<DocumentMessage> {
        let (uri, relevant) = (self.uri(path), self.relevant);
        let open = self.open.get_mut(path)?;
        open.fresh = relevant;
        open.give_next_version(text);
        self.reading.insert(path.clone(), open.version);
        Some(did_change(&uri, open.version, text, true))
    }

    /// Returns the files that the server is reading, each with the version whose diagnostics will show that it has.
    /// Until then its answers may be about the state before.
    #[must_use]
    pub fn being_read(&self) -> Vec<(WsPath, i32)> {
        self.reading.iter().map(|(path, version)| (path.clone(), *version)).collect()
    }

    /// Records that the server has pushed diagnostics for this version of a file. Returns the message to send now, if
    /// any.
    pub fn has_read(&mut self, path: &WsPath, version: i32) -> Option<DocumentMessage> {
        if self.reading.get(path).is_none_or(|awaited| *awaited > version) {
            return None;
        }
        self.reading.remove(path);
        self.open.get(path).is_some_and(|open| open.shown && !open.pinned).then(|| self.close(path))
    }

    /// Returns the messages that make the server compute the diagnostics of `path` after everything it has been told;
    /// `None` if the file cannot be read. `before` is the number of times that diagnostics of the file have come so
    /// far.
    ///
    /// A server checks a file again when that file changes, but need not do so when others change. So hob sends the
    /// same contents once more under another version, and the diagnostics of that version count.
    pub fn await_verdict(
        &mut self,
        spec: &ServerSpec,
        path: &WsPath,
        before: u64,
        read: ReadText<'_>,
    ) -> Option<AwaitedDiagnostics> {
        let was_open = self.open.contains_key(path);
        let mut tell = self.open(spec, path, read)?;
        let (uri, changes) = (self.uri(path), self.changes);
        let open = self.open.get_mut(path)?;
        if let Some((_, before)) = open.asked.filter(|(covered, _)| *covered == changes) {
            return Some(AwaitedDiagnostics { tell, version: open.version, before });
        }
        if was_open {
            let text = read(path)?;
            open.give_next_version(&text);
            tell.push(did_change(&uri, open.version, &text, true));
        }
        open.asked = Some((changes, before));
        Some(AwaitedDiagnostics { tell, version: open.version, before })
    }

    /// Returns the files that are open.
    #[must_use]
    pub fn all_open(&self) -> Vec<WsPath> {
        let mut all: Vec<WsPath> = self.open.keys().cloned().collect();
        all.sort();
        all
    }

    fn close_superfluous(&mut self) -> Vec<DocumentMessage> {
        let mut tell = Vec::new();
        while self.open.len() >= MOST_OPEN {
            let closable =
                self.open.iter().filter(|(path, open)| !self.reading.contains_key(*path) && !open.pinned);
            let oldest = closable.min_by_key(|(_, open)| open.used).map(|(path, _)| path.clone());
            let Some(path) = oldest else { break };
            tell.push(self.close(&path));
        }
        tell
    }

    fn close(&mut self, path: &WsPath) -> DocumentMessage {
        if let Some(closed) = self.open.remove(path) {
            self.highest = self.highest.max(closed.version);
        }
        self.reading.remove(path);
        self.did_close(path)
    }

    fn did_open(&self, spec: &ServerSpec, path: &WsPath, version: i32, text: String) -> DocumentMessage {
        let language = spec.language_of(path.file_name()).unwrap_or("plaintext");
        let document =
            json!({"uri": self.uri(path), "languageId": language, "version": version, "text": text});
        DocumentMessage { method: "textDocument/didOpen", params: json!({"textDocument": document}) }
    }

    fn did_close(&self, path: &WsPath) -> DocumentMessage {
        DocumentMessage {
            method: "textDocument/didClose",
            params: json!({"textDocument": {"uri": self.uri(path)}}),
        }
    }

    fn uri(&self, path: &WsPath) -> String {
        uri::of_path(&self.root.join_ws(path)).as_str().to_owned()
    }
}

#[cfg(all(test, unix))]
mod tests;
