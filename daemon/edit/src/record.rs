//! Defines the record of an apply: both sides of every file, the folders, and the label by which the user knows the
//! edit.
//!
//! The journal keeps a [`Record`] while an apply is under way, and the undo keeps an [`UndoRecord`] afterwards. Both
//! are plain data: `journal.rs` and `undo.rs` decide when they are written, and `format` how.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use hob_base::{AbsPath, WsPath};

use crate::files::Attrs;
use crate::pending::id::PendingId;

/// One side of a file: before or after.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct JournalSide {
    pub(crate) bytes: Arc<[u8]>,
    /// The attributes; `None` for those that the system gives a new file.
    pub(crate) attrs: Option<Attrs>,
}

impl fmt::Debug for JournalSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes {:?}", self.bytes.len(), self.attrs)
    }
}

/// A file with both its sides. Its path has no symbolic links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JournalEntry {
    pub(crate) at: WsPath,
    pub(crate) old: Option<JournalSide>,
    pub(crate) new: Option<JournalSide>,
    /// True if the file is written over and stays the same file, because a new one in its place could not have its
    /// names or owner.
    pub(crate) in_place: bool,
}

/// The name, label and tool by which the user knows an apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EditSubject {
    pub(crate) id: PendingId,
    pub(crate) label: String,
    pub(crate) tool: String,
    pub(crate) at: SystemTime,
}

/// All data to finish an apply or to take it back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Record {
    /// The root without symbolic links.
    pub(crate) root: AbsPath,
    pub(crate) subject: EditSubject,
    /// True if it undoes an apply.
    pub(crate) undoes: bool,
    pub(crate) entries: Vec<JournalEntry>,
    /// Folders that the apply makes, outer ones first.
    pub(crate) new_folders: Vec<WsPath>,
    /// Folders that the apply removes if they are empty then, outer ones first.
    pub(crate) old_folders: Vec<WsPath>,
}

impl Record {
    /// Returns the path of an entry's file.
    pub(crate) fn target_path(&self, entry: &JournalEntry) -> PathBuf {
        self.root.join_ws(&entry.at).as_path().to_path_buf()
    }

    /// Returns the path of its new contents until they take its name.
    pub(crate) fn fresh_path(&self, index: usize) -> PathBuf {
        self.path_beside(index, "new")
    }

    /// Returns the second name of its old file.
    pub(crate) fn backup_path(&self, index: usize) -> PathBuf {
        self.path_beside(index, "old")
    }

    fn path_beside(&self, index: usize, ending: &str) -> PathBuf {
        let name = format!(".hob-{}-{index}.{ending}", self.subject.id);
        self.target_path(&self.entries[index]).with_file_name(name)
    }

    /// Returns the folders of all targets, each once.
    pub(crate) fn target_folders(&self) -> Vec<PathBuf> {
        let parent = |entry| self.target_path(entry).parent().map(Path::to_path_buf);
        let mut folders: Vec<PathBuf> = self.entries.iter().filter_map(parent).collect();
        folders.sort();
        folders.dedup();
        folders
    }
}

/// An apply that may be undone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UndoRecord {
    pub(crate) subject: EditSubject,
    pub(crate) files: Vec<WsPath>,
    /// The files with both their sides; `None` if they were too large.
    pub(crate) entries: Option<Vec<JournalEntry>>,
    pub(crate) new_folders: Vec<WsPath>,
}
