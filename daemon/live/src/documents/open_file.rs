//! Follows one file that a server has open: its version and contents, who asked for it, and the editors' numbers for its versions.

use std::collections::VecDeque;

use hob_base::ContentHash;

use super::shown::{EditorId, Label};

/// Most versions whose number in an editor is kept. Diagnostics of an older version are of no use to anybody.
const MOST_LABELS: usize = 32;

/// A file that a server has open.
#[derive(Debug)]
pub(super) struct ServerOpenFile {
    pub(super) version: i32,
    pub(super) hash: ContentHash,
    pub(super) used: u64,
    /// Number of batches of changes that the last requested diagnostics cover, and the number of times that
    /// diagnostics had come before.
    pub(super) asked: Option<(u64, u64)>,
    /// True if the file is open only until the server has read it, because nobody asked about it.
    pub(super) shown: bool,
    /// Number of relevant batches of changes when the server was last made to read the file.
    pub(super) fresh: u64,
    /// True if an editor has the file open: then it stays open, and its text is the one that counts among editors.
    pub(super) pinned: bool,
    /// The editors' own versions of the text, by the server's versions.
    pub(super) labels: Labels,
}

impl ServerOpenFile {
    pub(super) fn new(version: i32, text: &str, used: u64) -> Self {
        let hash = ContentHash::of(text.as_bytes());
        let labels = Labels::default();
        Self { version, hash, used, asked: None, shown: false, fresh: 0, pinned: false, labels }
    }

    /// Takes a text, perhaps an unchanged one, under the next version.
    pub(super) fn give_next_version(&mut self, text: &str) {
        let hash = ContentHash::of(text.as_bytes());
        self.labels.carry_label(self.version, hash == self.hash);
        self.hash = hash;
        self.version += 1;
    }
}

/// Maps the server's versions of one document to an editor's, oldest first.
#[derive(Debug, Default)]
pub(super) struct Labels(VecDeque<(i32, Label)>);

impl Labels {
    pub(super) fn add(&mut self, version: i32, label: Label) {
        if self.0.back() == Some(&(version, label)) {
            return;
        }
        if self.0.len() == MOST_LABELS {
            self.0.pop_front();
        }
        self.0.push_back((version, label));
    }

    /// Carries the label of `version` over to the next one, if that has the `same` text.
    pub(super) fn carry_label(&mut self, version: i32, same: bool) {
        if let Some((of, label)) = self.0.back().copied().filter(|_| same)
            && of == version
        {
            self.add(version + 1, label);
        }
    }

    pub(super) fn version_for(&self, version: i32, editor: EditorId) -> Option<i32> {
        let mut known = self.0.iter().rev();
        known.find(|(of, label)| *of == version && label.editor == editor).map(|(_, label)| label.version)
    }
}
