//! Decides which editor's text of a document counts, if several editors have it open.
//!
//! Disk is the base. The first editor whose text differs from the disk is the *owner*: its text counts until the editor
//! saves, goes back to the disk's text, closes the document or is gone. Then the next editor with a different text
//! becomes the owner, in the order in which they began to differ; without any, the disk counts. An editor whose text
//! does not count is *out of step*. This module is pure: texts in, decisions out; no file, no server.

use std::sync::Arc;

use hob_base::ContentHash;

use crate::documents::EditorId;

/// One editor's text of a document.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) editor: EditorId,
    pub(super) text: Arc<str>,
    pub(super) hash: ContentHash,
    /// The editor's own number for this text.
    pub(super) version: i32,
    /// The time when the editor made it differ from the disk: a place in the order of all such times; `None` while it
    /// does not differ.
    pub(super) dirty_since: Option<u64>,
    /// True if the editor has been told that its text does not count.
    pub(super) told: bool,
}

/// The source of the text that counts for a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextOwner {
    /// The text of this editor.
    Owner(EditorId),
    /// The text on the disk.
    Disk,
}

/// A document, with the buffers of all editors that have it open.
#[derive(Debug)]
pub(super) struct OverlayDocument {
    /// The protocol's language identifier, as the first editor said.
    pub(super) language: String,
    /// Hash of the disk's text, as far as hob knows it; `None` if there is no such file.
    pub(super) disk: Option<ContentHash>,
    /// The editors' buffers, in the order of opening.
    pub(super) buffers: Vec<Buffer>,
    pub(super) owner: Option<EditorId>,
    /// Hash of the text that servers have.
    pub(super) sent: Option<ContentHash>,
}

impl OverlayDocument {
    pub(super) fn new(language: String, disk: Option<ContentHash>) -> Self {
        Self { language, disk, buffers: Vec::new(), owner: None, sent: disk }
    }

    pub(super) fn buffer_of(&self, editor: EditorId) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.editor == editor)
    }

    pub(super) fn text_owner(&self) -> TextOwner {
        self.owner.map_or(TextOwner::Disk, TextOwner::Owner)
    }

    /// Returns the owner's buffer; `None` if the disk's text counts.
    pub(super) fn owner_buffer(&self) -> Option<&Buffer> {
        self.buffer_of(self.owner?)
    }

    /// Returns true if the editor's text is the one that counts.
    pub(super) fn is_in_step(&self, editor: EditorId) -> bool {
        let counts = self.owner_buffer().map_or(self.disk, |owned| Some(owned.hash));
        self.buffer_of(editor).is_some_and(|buffer| Some(buffer.hash) == counts)
    }

    /// Stores an editor's text. Whether the text differs from the disk decides whose text counts from `now` on.
    pub(super) fn set_text(&mut self, editor: EditorId, version: i32, text: Arc<str>, now: u64) {
        let hash = ContentHash::of(text.as_bytes());
        let differs = Some(hash) != self.disk;
        match self.buffers.iter_mut().find(|buffer| buffer.editor == editor) {
            Some(buffer) => {
                (buffer.text, buffer.hash, buffer.version) = (text, hash, version);
                buffer.dirty_since = differs.then(|| buffer.dirty_since.unwrap_or(now));
            }
            None => {
                let dirty_since = differs.then_some(now);
                self.buffers.push(Buffer { editor, text, hash, version, dirty_since, told: false });
            }
        }
        self.choose_owner();
    }

    /// Removes the buffer of an editor that has closed the document.
    pub(super) fn take_out(&mut self, editor: EditorId) {
        self.buffers.retain(|buffer| buffer.editor != editor);
        self.choose_owner();
    }

    /// Sets the hash of the text on the disk. An editor with that text has saved it, or another program has written the
    /// same.
    pub(super) fn disk_is(&mut self, disk: Option<ContentHash>) {
        self.disk = disk;
        for buffer in &mut self.buffers {
            if Some(buffer.hash) == disk {
                buffer.dirty_since = None;
            }
        }
        self.choose_owner();
    }

    /// Decides whose text counts. An owner stays until it has no unsaved changes.
    fn choose_owner(&mut self) {
        let stays =
            |owner: EditorId| self.buffer_of(owner).is_some_and(|buffer| buffer.dirty_since.is_some());
        if self.owner.is_some_and(stays) {
            return;
        }
        let dirty = self.buffers.iter().filter_map(|buffer| Some((buffer.dirty_since?, buffer.editor)));
        self.owner = dirty.min().map(|(_, editor)| editor);
        if self.owner.is_none() {
            self.buffers.iter_mut().for_each(|buffer| buffer.told = false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: EditorId = EditorId(1);
    const B: EditorId = EditorId(2);
    const C: EditorId = EditorId(3);

    fn hash(text: &str) -> Option<ContentHash> {
        Some(ContentHash::of(text.as_bytes()))
    }

    fn new_document(disk: &str) -> OverlayDocument {
        OverlayDocument::new("python".to_owned(), hash(disk))
    }

    fn set_text_of(document: &mut OverlayDocument, editor: EditorId, text: &str, now: u64) {
        document.set_text(editor, 1, text.into(), now);
    }

    #[test]
    fn the_first_who_differs_owns_it_until_the_disk_agrees() {
        let mut document = new_document("0");
        set_text_of(&mut document, A, "0", 1);
        set_text_of(&mut document, B, "0", 2);
        assert!(document.is_in_step(A) && document.is_in_step(B) && document.owner.is_none());
        set_text_of(&mut document, A, "a", 3);
        set_text_of(&mut document, B, "b", 4);
        assert_eq!(document.owner, Some(A));
        assert!(document.is_in_step(A) && !document.is_in_step(B));
        document.disk_is(hash("a"));
        assert_eq!(document.owner, Some(B), "A has saved; B's text still differs");
        set_text_of(&mut document, B, "a", 5);
        assert!(document.owner.is_none() && document.is_in_step(A) && document.is_in_step(B));
    }

    #[test]
    fn the_turn_goes_in_the_order_in_which_they_began_to_differ() {
        let mut document = new_document("0");
        for (editor, text, now) in [(B, "b", 1), (C, "c", 2), (A, "a", 3), (C, "cc", 4)] {
            set_text_of(&mut document, editor, text, now);
        }
        let mut owners = Vec::new();
        while let Some(owner) = document.owner {
            owners.push(owner);
            document.take_out(owner);
        }
        assert_eq!(owners, [B, C, A]);
    }

    #[test]
    fn who_was_overtaken_by_the_disk_has_changed_nothing() {
        let mut document = new_document("0");
        set_text_of(&mut document, A, "0", 1);
        document.disk_is(hash("1"));
        assert_eq!(document.text_owner(), TextOwner::Disk);
        assert!(!document.is_in_step(A));
        set_text_of(&mut document, A, "0!", 2);
        assert_eq!(document.text_owner(), TextOwner::Owner(A), "what a user types counts");
        document.disk_is(None);
        assert_eq!(
            document.text_owner(),
            TextOwner::Owner(A),
            "a file that is removed takes nothing with it"
        );
    }
}
