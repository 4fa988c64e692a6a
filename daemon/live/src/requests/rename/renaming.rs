//! Says what a rename would change, in hob's own words: replacements, moves, new and deleted files.

use std::ops::Range;
use std::sync::Arc;

use hob_base::{ContentHash, WsPath};

/// The changes that a server would make for a rename.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Renaming {
    /// The old name, as it is written where it was asked about; empty where a file is renamed.
    pub old_name: String,
    /// Replacements in files, by path, each file once.
    pub files: Vec<FileEdits>,
    /// Files that go elsewhere: from, to. Of a folder, each file in it.
    pub moves: Vec<(WsPath, WsPath)>,
    /// New files and their contents; one of the same path that is there is among `deleted`.
    pub created: Vec<(WsPath, String)>,
    /// Files that are there now, and go away without going elsewhere; they go before the others come.
    pub deleted: Vec<WsPath>,
    /// Remarks that a person should read before the rename is done.
    pub notes: Vec<String>,
}

/// Replacements in one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileEdits {
    /// The file, where it is now.
    pub path: WsPath,
    /// Hash of the contents that `edits` refer to.
    pub hash: ContentHash,
    /// The contents that `edits` refer to.
    pub text: Arc<str>,
    /// Ranges of bytes and what is to stand there, in the server's order; none overlap, and several may insert at one place, in
    /// this order.
    pub edits: Vec<(Range<usize>, String)>,
}

impl Renaming {
    /// Returns true if the rename would change nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.moves.is_empty() && self.created.is_empty() && self.deleted.is_empty()
    }
}
