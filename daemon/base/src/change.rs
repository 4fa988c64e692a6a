//! Defines the change of a file, in the form that map and text index ingest.
//!
//! `workspace` decides that a file is new, different or gone; `host` turns that into one [`Change`] per file and hands
//! the same batch to `map` and `text`. A rename is a removal and an addition: identity on disk is content, and the
//! facts of known content cost nothing to add again.

use crate::hash::ContentHash;
use crate::path::WsPath;

/// A file's number within one open workspace: small, dense, stable while the workspace is open, never reused for
/// another path in that time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

impl FileId {
    /// Returns the number as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Counts the batches of changes that a workspace has ingested; one number for map, text and live layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Generation(pub u64);

/// One file's step from the previous generation to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file exists with these contents (new, or different from before).
    Set {
        /// The number of the file in its workspace.
        file: FileId,
        /// The path of the file in the workspace.
        path: WsPath,
        /// The hash of the file's contents.
        hash: ContentHash,
        /// Its size in bytes.
        len: u64,
    },
    /// The file is gone, or is no longer part of the workspace.
    Remove {
        /// The number of the file in its workspace.
        file: FileId,
    },
}

impl Change {
    /// Returns the file that the change is about.
    #[must_use]
    pub fn file(&self) -> FileId {
        match self {
            Self::Set { file, .. } | Self::Remove { file } => *file,
        }
    }
}
