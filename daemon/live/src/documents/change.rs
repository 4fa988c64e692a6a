//! Describes a change of a file on disk, and the function that reads present contents.

use hob_base::WsPath;

/// A change of a file on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileChange {
    /// The file is new.
    Created,
    /// The file's contents differ.
    Changed,
    /// The file is gone now.
    Deleted,
}

impl FileChange {
    pub(super) fn protocol_number(self) -> u8 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
        }
    }
}

/// Reads a file of the workspace as text; `None` when it is gone or no text.
pub type ReadText<'a> = &'a dyn Fn(&WsPath) -> Option<String>;
