//! Describes the changes of a rename: replacements, moves, new and deleted files.

use std::ops::Range;
use std::sync::Arc;

use hob_base::{ContentHash, WsPath};

/// The changes that a server would make for a rename.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Renaming {
    /// The old name as it stands at the place of the question; empty where a file is renamed.
    pub old_name: String,
    /// Replacements in files, by path, each file once.
    pub files: Vec<FileEdits>,
    /// Moved files, as (from, to). For a folder, each file in it.
    pub moves: Vec<(WsPath, WsPath)>,
    /// New files and their contents; an existing file of the same path is among `deleted`.
    pub created: Vec<(WsPath, String)>,
    /// Files that go away without a new place; they are deleted before new ones are made.
    pub deleted: Vec<WsPath>,
    /// Remarks for a person to read before the rename is applied.
    pub notes: Vec<String>,
}

/// Replacements in one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileEdits {
    /// The file's present path.
    pub path: WsPath,
    /// Hash of the contents that `edits` refer to.
    pub hash: ContentHash,
    /// The contents that `edits` refer to.
    pub text: Arc<str>,
    /// Byte ranges with their new texts, in the server's order; none overlap. Several may insert at one place, in this
    /// order.
    pub edits: Vec<(Range<usize>, String)>,
}

impl Renaming {
    /// Returns true if the rename would change nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.moves.is_empty() && self.created.is_empty() && self.deleted.is_empty()
    }
}
