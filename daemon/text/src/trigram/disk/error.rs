//! Defines the errors of the files of an index.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file of the index could not be written or used.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The system refused to read or write a file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file was read, but it is not of this kind and version.
    #[error("{}: {source}", path.display())]
    Format {
        /// The file that was read.
        path: PathBuf,
        /// The reason why its bytes cannot be used.
        source: FormatError,
    },
}

/// The reason why the bytes of a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The file does not begin with hob's identification.
    #[error("this is no file of a text index")]
    Foreign,
    /// Another version of hob wrote the file.
    #[error("format version {found}; this program reads only version {wanted}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version that this build reads.
        wanted: u32,
    },
    /// hob wrote the file, but its contents have changed.
    #[error("damaged: {0}")]
    Damaged(&'static str),
}

impl DiskError {
    pub(crate) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(super) fn format(path: &Path) -> impl FnOnce(FormatError) -> Self + '_ {
        move |source| Self::Format { path: path.to_owned(), source }
    }

    /// Returns true if the file does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
