//! Follows one file that a server has open: its version and contents, who asked for it, and the editors' numbers for its versions.

use std::collections::VecDeque;

use hob_base::ContentHash;

use super::shown::{EditorId, Label};

/// Most versions of which an editor's number is kept. Diagnostics of an older version are of no use to anybody.
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
    /// Nobody asked about it: it is open only until the server has read it.
    pub(super) shown: bool,
    /// Batches of changes, of those that it may depend on, when the server was last made to read it.
    pub(super) fresh: u64,
    /// An editor has it open: it stays so, and its text is what counts among editors.
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

    /// A text, perhaps the one that it has, gets the next number.
    pub(super) fn give_next_version(&mut self, text: &str) {
        let hash = ContentHash::of(text.as_bytes());
        self.labels.carry_label(self.version, hash == self.hash);
        self.hash = hash;
        self.version += 1;
    }
}

/// The server's numbers of one document and the editors' for them, oldest first.
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

    /// The next version is `same` text as this one, or another.
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
