//! Keeps the documents that editors have open in one project, and decides which text of them servers see.
//!
//! Every editor has its own text of a document; servers know one. `document` decides which; this module brings it to
//! the servers that run, and to those that start later. One lock orders everything: a thread holds it from the decision
//! until the server's queue has the message, so that a server always has the text that counts. A thread that also takes
//! the lock of a server's documents takes this one first.
//!
//! It knows no connection: editors are numbers, and news for them goes to a function.

mod document;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use hob_base::line_index::without_mark;
use hob_base::{AbsPath, ContentHash, WsPath, small};
use serde_json::Value;

use crate::documents::{Doc, EditorId, FileChange, Label, ServerText};
use crate::instance::Instance;
use crate::uri;
use document::{OverlayDocument, TextOwner};

/// Size limit, in bytes, of files that are read for a comparison with an editor's text.
const MOST_READ: u64 = 64 << 20;

/// News for an editor about a document that it has open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The editor's changes do not count for now: another editor, named here, has unsaved ones.
    OutOfStep(Doc, String),
    /// The editor's changes count from now on.
    Counts(Doc),
    /// The editor's text counts again, or another text counts than before: earlier results for the document may be
    /// shown again or are out of date.
    Renewed(Doc),
}

/// Receives notices; must not wait, and must not call the overlay.
pub type OnNotice = Arc<dyn Fn(Notice) + Send + Sync>;

/// An editor's change of a document.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The editor's number for the new text.
    pub version: i32,
    /// The new text, whole.
    pub text: Arc<str>,
    /// The changes that lead to it, as the protocol writes them with UTF-16 columns; `None` to send the text whole.
    pub changes: Option<Value>,
}

/// The documents of a project.
#[derive(Debug)]
pub struct ProjectOverlay {
    root: AbsPath,
    state: Mutex<OverlayState>,
    /// The unsaved texts that count, each with its editor's name. It has a lock of its own, which is taken last and
    /// held for nothing else, because whoever reads a file for a server asks here while the overlay's lock is held.
    unsaved: RwLock<BTreeMap<WsPath, (Arc<str>, String)>>,
}

#[derive(Default)]
struct OverlayState {
    documents: BTreeMap<Doc, OverlayDocument>,
    editors: HashMap<EditorId, (String, OnNotice)>,
    servers: Vec<Weak<Instance>>,
    /// Number of changes of texts so far; it orders them.
    now: u64,
}

impl std::fmt::Debug for OverlayState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("documents", &self.documents).finish_non_exhaustive()
    }
}

impl ProjectOverlay {
    /// Creates the overlay of a project in which no document is open.
    #[must_use]
    pub fn new(root: AbsPath) -> Self {
        Self { root, state: Mutex::default(), unsaved: RwLock::default() }
    }

    /// Returns the document that an editor's URI means in this project.
    #[must_use]
    pub fn document_of_uri(&self, uri: &str) -> Doc {
        let path = uri::path_of(uri);
        match path.map(|path| (path.relative_to(&self.root), path)) {
            Some((Ok(inside), _)) => Doc::Inside(inside),
            Some((Err(_), path)) => Doc::Outside(uri::of_path(&path).as_str().to_owned()),
            None => Doc::Outside(uri.to_owned()),
        }
    }

    /// Adds an editor; `name` is what other editors are told.
    pub fn join(&self, editor: EditorId, name: String, on_notice: OnNotice) {
        self.lock().editors.insert(editor, (name, on_notice));
    }

    /// Removes an editor that is gone, with everything that it had not saved.
    pub fn remove_editor(&self, editor: EditorId) {
        let mut state = self.lock();
        state.editors.remove(&editor);
        let open: Vec<Doc> = state.documents.keys().cloned().collect();
        for doc in open {
            self.take_out(&mut state, editor, &doc);
        }
    }

    /// Opens a document for an editor.
    pub fn open(&self, editor: EditorId, doc: &Doc, language: &str, edit: Edit) {
        let mut state = self.lock();
        let disk = self.disk_hash(doc);
        let document = state
            .documents
            .entry(doc.clone())
            .or_insert_with(|| OverlayDocument::new(language.to_owned(), disk));
        document.disk_is(disk);
        self.put_edit(&mut state, editor, doc, edit);
    }

    /// Changes a document that an editor has open.
    pub fn change_document(&self, editor: EditorId, doc: &Doc, edit: Edit) {
        let mut state = self.lock();
        if state.documents.get(doc).is_some_and(|document| document.buffer_of(editor).is_some()) {
            self.put_edit(&mut state, editor, doc, edit);
        }
    }

    /// Records that an editor has saved a document: reads the disk, without waiting for an event.
    pub fn note_saved(&self, editor: EditorId, doc: &Doc) {
        let mut state = self.lock();
        if state.documents.get(doc).is_none_or(|document| document.buffer_of(editor).is_none()) {
            return;
        }
        self.look_at_disk(&mut state, doc);
        let Some(document) = state.documents.get(doc) else { return };
        let text = document.buffer_of(editor).filter(|_| document.is_in_step(editor));
        if let Some(text) = text.map(|buffer| Arc::clone(&buffer.text)) {
            state.live_servers().for_each(|server| server.notify_saved(doc, &text));
        }
    }

    /// Closes a document for an editor.
    pub fn close(&self, editor: EditorId, doc: &Doc) {
        self.take_out(&mut self.lock(), editor, doc);
    }

    /// Handles changes of files on the disk. The caller does this before it tells servers.
    pub fn apply_changes(&self, changes: &BTreeMap<WsPath, FileChange>) {
        let mut state = self.lock();
        if state.documents.is_empty() {
            return;
        }
        for path in changes.keys() {
            let doc = Doc::Inside(path.clone());
            if state.documents.contains_key(&doc) {
                self.look_at_disk(&mut state, &doc);
            }
        }
    }

    /// Attaches a server that starts to serve the project: tells it of all open documents, and of every change from now
    /// on.
    pub fn attach_server(&self, server: &Arc<Instance>) {
        let mut state = self.lock();
        state.servers.retain(|other| other.strong_count() > 0);
        state.servers.push(Arc::downgrade(server));
        let open: Vec<Doc> = state.documents.keys().cloned().collect();
        for doc in open {
            if let Some(shown) = self.shown_text(&state, &doc) {
                server.show_document(&doc, &shown);
            }
        }
    }

    /// Returns true if the editor's text of a document is the one that servers have.
    #[must_use]
    pub fn is_in_step(&self, editor: EditorId, doc: &Doc) -> bool {
        self.lock().documents.get(doc).is_none_or(|document| document.is_in_step(editor))
    }

    /// Returns true if a text is the same as the disk's, as far as hob knows it.
    #[must_use]
    pub fn is_as_on_disk(&self, doc: &Doc, text: &str) -> bool {
        let hash = ContentHash::of(text.as_bytes());
        self.lock().documents.get(doc).is_some_and(|document| document.disk == Some(hash))
    }

    /// Returns the name of the editor whose unsaved changes of a document count; `None` if the disk's text counts.
    #[must_use]
    pub fn owner_name(&self, doc: &Doc) -> Option<String> {
        let state = self.lock();
        let owner = state.documents.get(doc)?.owner?;
        state.editors.get(&owner).map(|(name, _)| name.clone())
    }

    /// Returns true if an editor has the document open.
    #[must_use]
    pub fn has_open(&self, editor: EditorId, doc: &Doc) -> bool {
        self.lock().documents.get(doc).is_some_and(|document| document.buffer_of(editor).is_some())
    }

    /// Returns the editor's version of a document, if its text is the one that counts.
    #[must_use]
    pub fn version(&self, editor: EditorId, doc: &Doc) -> Option<i32> {
        let state = self.lock();
        let document = state.documents.get(doc).filter(|document| document.is_in_step(editor))?;
        document.buffer_of(editor).map(|buffer| buffer.version)
    }

    /// Returns the files with unsaved changes that count, each with its editor's name.
    #[must_use]
    pub fn unsaved_files(&self) -> Vec<(WsPath, String)> {
        let unsaved = self.unsaved.read().unwrap_or_else(PoisonError::into_inner);
        unsaved.iter().map(|(path, (_, editor))| (path.clone(), editor.clone())).collect()
    }

    /// Returns the unsaved text of a file, if it counts; `None` where the disk's text does.
    #[must_use]
    pub fn text(&self, path: &WsPath) -> Option<Arc<str>> {
        let unsaved = self.unsaved.read().unwrap_or_else(PoisonError::into_inner);
        unsaved.get(path).map(|(text, _)| Arc::clone(text))
    }

    /// Returns the text of a document that counts, which is the one that servers have.
    #[must_use]
    pub fn text_of(&self, doc: &Doc) -> Option<Arc<str>> {
        let state = self.lock();
        let shown = self.shown_text(&state, doc).map(|shown| shown.text);
        drop(state);
        shown.or_else(|| self.read(doc).map(Into::into))
    }

    /// Returns the URI of a document in messages to servers.
    #[must_use]
    pub fn uri(&self, doc: &Doc) -> String {
        match doc {
            Doc::Inside(path) => uri::of_path(&self.root.join_ws(path)).as_str().to_owned(),
            Doc::Outside(uri) => uri.clone(),
        }
    }

    /// Locks the overlay while a server is told of files: meanwhile nothing but the texts that count may be sent.
    pub(crate) fn hold_still(&self) -> HeldOverlay<'_> {
        HeldOverlay { _state: self.lock(), view: self }
    }

    fn put_edit(&self, state: &mut OverlayState, editor: EditorId, doc: &Doc, edit: Edit) {
        state.now += 1;
        let now = state.now;
        let Some(document) = state.documents.get_mut(doc) else { return };
        let owner = document.owner;
        let was_sent = document.buffer_of(editor).is_some_and(|buffer| Some(buffer.hash) == document.sent);
        document.set_text(editor, edit.version, edit.text, now);
        // Incremental changes lead from this editor's text to its next text, and fit no other text.
        let leads_there = was_sent && document.is_in_step(editor);
        self.send(state, doc, edit.changes.filter(|_| leads_there), owner);
    }

    fn take_out(&self, state: &mut OverlayState, editor: EditorId, doc: &Doc) {
        let Some(document) = state.documents.get_mut(doc).filter(|it| it.buffer_of(editor).is_some()) else {
            return;
        };
        let owner = document.owner;
        document.take_out(editor);
        if document.buffers.is_empty() {
            state.documents.remove(doc);
            self.note_unsaved(state, doc);
            let disk = self.read(doc);
            state.live_servers().for_each(|server| server.unpin_document(doc, disk.as_deref()));
        } else {
            self.send(state, doc, None, owner);
        }
    }

    fn look_at_disk(&self, state: &mut OverlayState, doc: &Doc) {
        let disk = self.disk_hash(doc);
        let Some(document) = state.documents.get_mut(doc) else { return };
        let owner = document.owner;
        document.disk_is(disk);
        self.send(state, doc, None, owner);
    }

    /// Notes the unsaved text of a document, before any server hears of it.
    fn note_unsaved(&self, state: &OverlayState, doc: &Doc) {
        let Doc::Inside(path) = doc else { return };
        let owned = state.documents.get(doc).and_then(OverlayDocument::owner_buffer);
        let name = |editor: EditorId| state.editors.get(&editor).map(|(name, _)| name.clone());
        let mut unsaved = self.unsaved.write().unwrap_or_else(PoisonError::into_inner);
        match owned {
            Some(buffer) => {
                let name = name(buffer.editor).unwrap_or_default();
                unsaved.insert(path.clone(), (Arc::clone(&buffer.text), name));
            }
            None => drop(unsaved.remove(path)),
        }
    }

    /// Sends the text that counts to servers, and tells editors what that means for them. `before` is the former owner.
    fn send(&self, state: &mut OverlayState, doc: &Doc, changes: Option<Value>, before: Option<EditorId>) {
        self.note_unsaved(state, doc);
        let Some(mut shown) = self.shown_text(state, doc) else { return };
        let Some(document) = state.documents.get_mut(doc) else { return };
        let hash = ContentHash::of(shown.text.as_bytes());
        let is_news = document.sent != Some(hash);
        document.sent = Some(hash);
        shown.changes = changes;
        let owner = document.owner;
        let mut notices: Vec<(EditorId, Notice)> = Vec::new();
        if let Some(owner) = owner.filter(|owner| Some(*owner) != before && before.is_some()) {
            notices.push((owner, Notice::Counts(doc.clone())));
        }
        let name = owner.and_then(|owner| state.editors.get(&owner)).map(|(name, _)| name.clone());
        let document = state.documents.get_mut(doc).expect("it was there a line above");
        for buffer in &mut document.buffers {
            let conflicts = owner.is_some_and(|owner| owner != buffer.editor) && buffer.dirty_since.is_some();
            if conflicts && !buffer.told {
                buffer.told = true;
                let name = name.clone().unwrap_or_default();
                notices.push((buffer.editor, Notice::OutOfStep(doc.clone(), name)));
            }
            if is_news && owner != before {
                notices.push((buffer.editor, Notice::Renewed(doc.clone())));
            }
        }
        if is_news || shown.label.is_some() {
            state.live_servers().for_each(|server| server.show_document(doc, &shown));
        }
        for (editor, notice) in notices {
            if let Some((_, on_notice)) = state.editors.get(&editor) {
                on_notice(notice);
            }
        }
    }

    /// Returns the text that servers are to have of a document; `None` if they are to have none.
    fn shown_text(&self, state: &OverlayState, doc: &Doc) -> Option<ServerText> {
        let document = state.documents.get(doc)?;
        let (text, label) = match document.text_owner() {
            TextOwner::Owner(editor) => {
                let buffer = document.buffer_of(editor)?;
                (Arc::clone(&buffer.text), Some(Label { editor, version: buffer.version }))
            }
            TextOwner::Disk => {
                // An editor has the same text, so no file need be read.
                let same = document.buffers.iter().find(|buffer| Some(buffer.hash) == document.disk);
                match same {
                    Some(buffer) => (
                        Arc::clone(&buffer.text),
                        Some(Label { editor: buffer.editor, version: buffer.version }),
                    ),
                    None => (self.read(doc)?.into(), None),
                }
            }
        };
        Some(ServerText { language: document.language.clone(), text, changes: None, label })
    }

    fn disk_hash(&self, doc: &Doc) -> Option<ContentHash> {
        self.read(doc).map(|text| ContentHash::of(text.as_bytes()))
    }

    /// Returns the disk's text, as an editor would have it.
    fn read(&self, doc: &Doc) -> Option<String> {
        let path = match doc {
            Doc::Inside(path) => self.root.join_ws(path),
            Doc::Outside(uri) => uri::path_of(uri)?,
        };
        let text = small::read_text(path.as_path(), MOST_READ).ok()?;
        Some(without_mark(text))
    }

    fn lock(&self) -> MutexGuard<'_, OverlayState> {
        // Documents are replaced whole; after a panic servers may lack a change, which the next whole text repairs.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OverlayState {
    fn live_servers(&self) -> impl Iterator<Item = Arc<Instance>> + '_ {
        self.servers.iter().filter_map(Weak::upgrade)
    }
}

/// The overlay, locked against changes; see [`ProjectOverlay::hold_still`].
pub(crate) struct HeldOverlay<'v> {
    _state: MutexGuard<'v, OverlayState>,
    view: &'v ProjectOverlay,
}

impl HeldOverlay<'_> {
    /// Returns the text of a file that counts: an editor's unsaved text, or the result of `read`, as an editor would
    /// have it.
    pub(crate) fn read(&self, path: &WsPath, read: &dyn Fn(&WsPath) -> Option<String>) -> Option<String> {
        self.view.text(path).map(|text| text.to_string()).or_else(|| read(path).map(without_mark))
    }
}
