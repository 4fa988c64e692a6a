//! Defines the request and the outcome of an import: the documents that were skipped, and the errors.

use std::collections::BTreeMap;
use std::io;

use hob_base::AbsPath;
use hob_scip::ScipError;

use super::state::MOST_INDEXES;

/// Size of the largest index that is read, in bytes.
pub(super) const LARGEST_INDEX: u64 = 2 << 30;

/// The request to import an index.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The file of the index.
    pub source: AbsPath,
    /// True if its paths are of this workspace, whatever folder it names: it was made on another machine.
    pub is_relocated: bool,
    /// True if files that were written after the index count as well: a checkout or a copy has set new times.
    pub accepts_newer: bool,
}

/// The reason why a document was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkippedReason {
    /// Its path leads out of the project.
    Outside,
    /// The project has no such file, or does not index it.
    NotHere,
    /// The file was written after the index.
    Newer,
    /// The file is not the text that was indexed.
    OtherText,
    /// A place of the document does not lie in the file.
    Misfit,
    /// The index has the file twice.
    Repeated,
}

impl SkippedReason {
    /// Returns the reason, as the end of a sentence that begins with the number of documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outside => "lead out of the project",
            Self::NotHere => "are of files that the project does not have or ignores",
            Self::Newer => "are of files that were written after the index",
            Self::OtherText => "are of another text than the file has",
            Self::Misfit => "name places that the file does not have",
            Self::Repeated => "are of files that the index has twice",
        }
    }
}

/// The outcome of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The name under which the index is stored.
    pub name: String,
    /// The documents that were skipped, by reason: their number, and the path of the first.
    pub left_aside: BTreeMap<SkippedReason, (usize, String)>,
}

/// The reason why an index was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be opened.
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
    /// The file is larger than hob reads, in bytes.
    #[error("it is too large: it has {} MiB, and {} is the most", .0 >> 20, LARGEST_INDEX >> 20)]
    TooLarge(u64),
    /// The file is no index, or has a part that is too large.
    #[error(transparent)]
    Broken(#[from] ScipError),
    /// The index is of another folder.
    #[error("it is of `{index}`, and this project is `{project}`")]
    OtherRoot {
        /// The folder that the index names.
        index: String,
        /// The root of the workspace, which differs from it.
        project: AbsPath,
    },
    /// No document was believed.
    #[error("none of its {documents} documents is of the files as they are: {why}")]
    NothingBelieved {
        /// Number of documents in the index.
        documents: u64,
        /// The reasons, each with an example.
        why: String,
        /// True if the times of files are among the reasons.
        are_newer: bool,
    },
    /// The workspace has as many indexes as it may have.
    #[error("the project has {MOST_INDEXES} imported indexes, which is the most")]
    TooMany,
    /// The result could not be stored.
    #[error("it could not be kept: {0}")]
    NotKept(io::Error),
    /// The caller has given up.
    #[error("the import was cancelled")]
    Cancelled,
}
